//! The modules of a crate, and which file imports what from which.
//!
//! The folder of a crate comes in. Its modules are found as the compiler finds them, from `lib.rs`, `main.rs` and the files of
//! `bin` on. [`Arrow`]s go out: each import, and each path in the code, is followed through re-exports to the file that
//! defines its name. Calls of methods are no imports, so an `impl` in another file is not seen.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use super::file::{self, Import, Module};

/// A file of a crate.
#[derive(Debug)]
pub(crate) struct File {
    /// Its path below the folder of the crate.
    pub(crate) path: String,
    /// The module that it is: `crate::automaton::store`.
    pub(crate) module: String,
    /// The module of the crate's root that it belongs to; none for the root itself.
    pub(crate) top: Option<String>,
    /// Whether it only declares modules and re-exports names.
    pub(crate) is_facade: bool,
}

/// The files of a crate and their imports.
#[derive(Debug, Default)]
pub(crate) struct Crate {
    pub(crate) files: Vec<File>,
    /// From which file to which, and the names.
    pub(crate) arrows: BTreeMap<(usize, usize), BTreeSet<String>>,
}

/// Reads a crate. An error says which file is missing.
pub(crate) fn read(folder: &Path) -> Result<Crate, String> {
    let mut roots = vec![PathBuf::from("src/lib.rs"), PathBuf::from("src/main.rs")];
    if let Ok(programs) = fs::read_dir(folder.join("src/bin")) {
        let mut names: Vec<PathBuf> = programs.flatten().map(|program| program.file_name().into()).collect();
        names.retain(|name| name.extension().is_some_and(|end| end == "rs"));
        names.sort();
        roots.extend(names.iter().map(|name| Path::new("src/bin").join(name)));
    }
    of_sources(&roots, &|path| fs::read_to_string(folder.join(path)).ok())
}

/// The crate of these root files, or of those that are there. `load` gives the text of a file of the crate's folder.
pub(super) fn of_sources(roots: &[PathBuf], load: &dyn Fn(&Path) -> Option<String>) -> Result<Crate, String> {
    let mut all = Crate::default();
    for root in roots {
        let Some(text) = load(root) else { continue };
        let mut reader = Reader { load, files: Vec::new(), scopes: Vec::new() };
        reader.file(root, &text, None)?;
        let arrows = reader.arrows();
        let first = all.files.len();
        all.files.extend(reader.files);
        all.arrows.extend(arrows.into_iter().map(|((from, to), names)| ((from + first, to + first), names)));
    }
    Ok(all)
}

/// The crate of made-up sources.
#[cfg(test)]
pub(super) fn crate_of(sources: &[(&str, &str)]) -> Result<Crate, String> {
    let roots = ["src/lib.rs", "src/main.rs"].map(PathBuf::from);
    let load = |path: &Path| {
        let found = sources.iter().find(|(name, _)| path == Path::new(name));
        found.map(|(_, text)| text.to_string())
    };
    of_sources(&roots, &load)
}

/// A module, in a file of its own or not.
struct Scope {
    file: usize,
    parent: Option<usize>,
    children: BTreeMap<String, usize>,
    content: Module,
}

/// What a path leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Target {
    Module(usize),
    /// An item, and the file that defines it.
    Item(usize, String),
}

struct Reader<'a> {
    load: &'a dyn Fn(&Path) -> Option<String>,
    files: Vec<File>,
    scopes: Vec<Scope>,
}

impl Reader<'_> {
    /// Reads the file of a module and the modules below it. `place` is the module it is declared in, and its name there.
    fn file(&mut self, path: &Path, text: &str, place: Option<(usize, &str)>) -> Result<(), String> {
        let content = file::module(text);
        let above = place.map(|(parent, name)| (self.scopes[parent].file, name));
        let (module, top) = match above {
            None => ("crate".to_owned(), None),
            Some((above, name)) => {
                let file = &self.files[above];
                (
                    format!("{}::{name}", file.module),
                    Some(file.top.clone().unwrap_or_else(|| name.to_owned())),
                )
            }
        };
        let shown = path.display().to_string().replace('\\', "/");
        self.files.push(File { path: shown, module, top, is_facade: !content.has_code });
        // The modules of `a/mod.rs` and of the crate's root are beside it, those of `a.rs` below `a`.
        let beside = path.parent().unwrap_or(path);
        let is_folder = place.is_none() || path.ends_with("mod.rs");
        let below = if is_folder { beside.to_owned() } else { path.with_extension("") };
        self.scope(content, self.files.len() - 1, place, beside, &below)
    }

    /// Adds a module. `beside` is the folder of its file, `below` the one of the modules that it declares.
    fn scope(
        &mut self,
        mut content: Module,
        file: usize,
        place: Option<(usize, &str)>,
        beside: &Path,
        below: &Path,
    ) -> Result<(), String> {
        let this = self.scopes.len();
        if let Some((parent, name)) = place {
            self.scopes[parent].children.insert(name.to_owned(), this);
        }
        let declared = std::mem::take(&mut content.declared);
        let inline = std::mem::take(&mut content.inline);
        let parent = place.map(|(parent, _)| parent);
        self.scopes.push(Scope { file, parent, children: BTreeMap::new(), content });
        for (name, path) in declared {
            let candidates = match path {
                Some(path) => vec![beside.join(path)],
                None => vec![below.join(format!("{name}.rs")), below.join(&name).join("mod.rs")],
            };
            let found = candidates.iter().find_map(|path| Some((path, (self.load)(path)?)));
            let Some((path, text)) = found else {
                return Err(format!("{}: has no file for `mod {name}`", self.files[file].path));
            };
            self.file(path, &text, Some((this, &name)))?;
        }
        for (name, content) in inline {
            let below = below.join(&name);
            self.scope(content, file, Some((this, &name)), &below, &below)?;
        }
        Ok(())
    }

    /// All imports, file by file.
    fn arrows(&self) -> BTreeMap<(usize, usize), BTreeSet<String>> {
        let mut arrows: BTreeMap<(usize, usize), BTreeSet<String>> = BTreeMap::new();
        for (index, scope) in self.scopes.iter().enumerate() {
            let mut targets = Vec::new();
            for import in &scope.content.imports {
                match &import.name {
                    Some(_) => targets.extend(self.follow(index, &import.path, &mut Vec::new())),
                    None => targets.extend(self.glob(index, import)),
                }
            }
            for path in &scope.content.paths {
                targets.extend(self.follow(index, path, &mut Vec::new()));
            }
            for target in targets {
                // A module alone is no name; what is used of it is a path in the code.
                if let Target::Item(file, name) = target
                    && file != scope.file
                {
                    arrows.entry((scope.file, file)).or_default().insert(name);
                }
            }
        }
        arrows
    }

    /// What a glob import is used for: the words of the code that the module binds.
    fn glob(&self, scope: usize, import: &Import) -> Vec<Target> {
        match self.follow(scope, &import.path, &mut Vec::new()) {
            Some(Target::Module(module)) if module != scope => {
                let content = &self.scopes[scope].content;
                let mut words: BTreeSet<&String> = content.words.iter().collect();
                words.retain(|word| !content.defines.contains(word));
                words.into_iter().filter_map(|word| self.name(module, word, false, &mut Vec::new())).collect()
            }
            Some(Target::Item(file, name)) => vec![Target::Item(file, name)],
            _ => Vec::new(),
        }
    }

    /// Where a path that is written in a module leads; none if out of the crate. `seen` are the names that are being
    /// followed: re-exports can run in a circle.
    fn follow(&self, scope: usize, path: &[String], seen: &mut Vec<(usize, String)>) -> Option<Target> {
        let (first, rest) = path.split_first()?;
        let mut at = match first.as_str() {
            "crate" => Target::Module(0),
            "self" => Target::Module(scope),
            "super" => Target::Module(self.scopes[scope].parent?),
            name => self.name(scope, name, !rest.is_empty(), seen)?,
        };
        for (number, segment) in (1..).zip(rest) {
            let Target::Module(module) = at else { return Some(at) };
            at = match segment.as_str() {
                "super" => Target::Module(self.scopes[module].parent?),
                "self" => at,
                name if self.leads_out(module, name, seen) => return None,
                name => self.name(module, name, number < rest.len(), seen).unwrap_or_else(|| {
                    // A macro may have made it, or a glob of another crate.
                    Target::Item(self.scopes[module].file, name.to_owned())
                }),
            };
        }
        Some(at)
    }

    /// What a name means in a module; none if this module does not say, or if it is of another crate. A module and an item
    /// can have the same name: the module is meant where the path goes on.
    fn name(
        &self,
        module: usize,
        name: &str,
        goes_on: bool,
        seen: &mut Vec<(usize, String)>,
    ) -> Option<Target> {
        let scope = &self.scopes[module];
        let child = scope.children.get(name).map(|&child| Target::Module(child));
        if goes_on && child.is_some() {
            return child;
        }
        if scope.content.defines.iter().any(|defined| defined == name) {
            return Some(Target::Item(scope.file, name.to_owned()));
        }
        let key = (module, name.to_owned());
        if seen.contains(&key) {
            return child;
        }
        seen.push(key);
        let imported = self.imported(module, name, seen);
        seen.pop();
        imported.or(child)
    }

    /// What an import of a module gives a name.
    fn imported(&self, module: usize, name: &str, seen: &mut Vec<(usize, String)>) -> Option<Target> {
        let imports = &self.scopes[module].content.imports;
        let named = imports.iter().filter(|import| import.name.as_deref() == Some(name));
        if let Some(target) = named.filter_map(|import| self.follow(module, &import.path, seen)).next() {
            return Some(target);
        }
        imports.iter().filter(|import| import.name.is_none()).find_map(|import| {
            match self.follow(module, &import.path, seen)? {
                Target::Module(of) if of != module => self.name(of, name, false, seen),
                _ => None,
            }
        })
    }

    /// Whether a module has a name from another crate.
    fn leads_out(&self, module: usize, name: &str, seen: &mut Vec<(usize, String)>) -> bool {
        let imports = &self.scopes[module].content.imports;
        let is_imported = imports.iter().any(|import| import.name.as_deref() == Some(name));
        is_imported && self.name(module, name, true, seen).is_none()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The arrows of a crate, written out.
    fn arrows(sources: &[(&str, &str)]) -> Vec<String> {
        let read = crate_of(sources).expect("the sources are complete");
        let shown = |(&(from, to), names): (&(usize, usize), &BTreeSet<String>)| {
            let names = names.iter().map(String::as_str).collect::<Vec<_>>().join(" ");
            format!("{} > {}: {names}", read.files[from].path, read.files[to].path)
        };
        read.arrows.iter().map(shown).collect()
    }

    #[test]
    fn names_are_followed_to_their_files() {
        let sources = [
            ("src/lib.rs", "mod a; mod b; mod c; pub use other as d; pub struct Root;"),
            (
                "src/a/mod.rs",
                "mod deep; mod same; pub(crate) use deep::{Deep, f as g}; pub(crate) use same::same;",
            ),
            ("src/a/deep.rs", "pub(crate) struct Deep; pub(crate) fn f() {} made!(Made);"),
            (
                "src/a/same.rs",
                "pub(crate) fn same() {} pub(crate) mod inner { pub struct Inner; use super::super::Deep; }",
            ),
            (
                "src/b.rs",
                "use crate::{Root, a::{self, same}, d::X}; fn f() { a::g(); a::deep::Made; a::same::inner::Inner }",
            ),
            ("src/c.rs", "mod below; use crate::b::*; use crate::a::*; fn f(x: Deep) -> below::Y { E::A }"),
            ("src/c/below.rs", "use super::Z; use crate::d::X; #[cfg(test)] use crate::b::W;"),
        ];
        let expected = [
            "src/a/mod.rs > src/a/deep.rs: Deep f",
            "src/a/mod.rs > src/a/same.rs: same",
            "src/a/same.rs > src/a/deep.rs: Deep",
            "src/b.rs > src/lib.rs: Root",
            "src/b.rs > src/a/deep.rs: Made f",
            "src/b.rs > src/a/same.rs: Inner same",
            "src/c.rs > src/a/deep.rs: Deep",
            "src/c.rs > src/c/below.rs: Y",
            "src/c/below.rs > src/c.rs: Z",
        ];
        assert_eq!(arrows(&sources), expected);
    }

    #[test]
    fn re_exports_may_run_in_a_circle() {
        let sources = [
            ("src/main.rs", "mod a; mod b;"),
            ("src/a.rs", "pub use crate::b::*; pub use crate::b::X;"),
            ("src/b.rs", "pub use crate::a::*; pub use crate::a::X; fn f() { X::new() }"),
        ];
        assert_eq!(arrows(&sources), Vec::<String>::new());
    }

    #[test]
    fn a_missing_file_is_said() {
        let error = crate_of(&[("src/lib.rs", "mod a;")]).expect_err("there is no file for it");
        assert_eq!(error, "src/lib.rs: has no file for `mod a`");
    }
}
