//! What one Rust file says about modules: which it declares, which names it defines, and what it imports.
//!
//! A text comes in, a [`Module`] goes out, with the modules that are written out inside of it. What is compiled for tests
//! only is left out.

use super::source::{Token, tokens};

/// A module, as its source says.
#[derive(Debug, Default)]
pub(super) struct Module {
    /// Modules in files of their own: name, and the file if an attribute says it.
    pub(super) declared: Vec<(String, Option<String>)>,
    /// Modules written out inside of this one.
    pub(super) inline: Vec<(String, Module)>,
    /// The names of the items of this module.
    pub(super) defines: Vec<String>,
    pub(super) imports: Vec<Import>,
    /// Paths of two or more segments in the code.
    pub(super) paths: Vec<Vec<String>>,
    /// All words of the code, which says what a glob import is used for.
    pub(super) words: Vec<String>,
    /// Whether there is more than declarations of modules and imports.
    pub(super) has_code: bool,
}

/// One name of a `use` declaration.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Import {
    pub(super) path: Vec<String>,
    /// The name that it has here; none for a glob.
    pub(super) name: Option<String>,
}

/// The module that a file is.
pub(super) fn module(text: &str) -> Module {
    let tokens = tokens(text);
    let mut parser = Parser { tokens: &tokens, at: 0 };
    let mut module = Module::default();
    parser.items(&mut module, 0);
    module
}

struct Parser<'a> {
    tokens: &'a [Token<'a>],
    at: usize,
}

/// Words that an item begins with after its attributes, and that no field or statement begins with.
const ITEMS: [&str; 13] = [
    "const",
    "enum",
    "extern",
    "fn",
    "impl",
    "macro_rules",
    "mod",
    "pub",
    "static",
    "struct",
    "trait",
    "type",
    "use",
];

impl<'a> Parser<'a> {
    fn peek(&self, ahead: usize) -> Option<Token<'a>> {
        self.tokens.get(self.at + ahead).copied()
    }

    fn word(&self, ahead: usize) -> Option<&'a str> {
        match self.peek(ahead) {
            Some(Token::Word(word)) => Some(word),
            _ => None,
        }
    }

    fn is_sign(&self, ahead: usize, sign: char) -> bool {
        self.peek(ahead) == Some(Token::Sign(sign))
    }

    /// Reads what is between two braces, the first of which has been read, or the whole file. `depth` is the number of
    /// braces around this within the module.
    fn items(&mut self, module: &mut Module, depth: usize) {
        let mut file = None;
        while let Some(token) = self.peek(0) {
            match token {
                Token::Sign('#') if self.is_sign(1, '[') || self.is_sign(1, '!') && self.is_sign(2, '[') => {
                    let is_inner = self.is_sign(1, '!');
                    match self.attribute() {
                        Attribute::Test if is_inner => self.skip_rest(),
                        Attribute::Test => self.skip_item(),
                        Attribute::Path(path) => file = Some(path),
                        Attribute::Other => {}
                    }
                }
                Token::Sign('{') => {
                    self.at += 1;
                    self.items(module, depth + 1);
                }
                Token::Sign('}') => {
                    self.at += 1;
                    return;
                }
                Token::Word("pub") => self.visibility(),
                Token::Word("use") => self.import(module),
                Token::Word("extern") if self.word(1) == Some("crate") => self.skip_item(),
                Token::Word("mod") if depth == 0 && self.word(1).is_some() => {
                    self.declaration(module, file.take())
                }
                Token::Word(word) => self.code(module, word, depth),
                _ => {
                    module.has_code |= token != Token::Sign(';');
                    self.at += 1;
                }
            }
        }
    }

    /// A word that is neither a visibility nor the beginning of an import or of a module.
    fn code(&mut self, module: &mut Module, word: &str, depth: usize) {
        module.has_code = true;
        let name = match word {
            "const" | "enum" | "fn" | "static" | "struct" | "trait" | "type" | "union" => self.word(1),
            "macro_rules" if self.is_sign(1, '!') => self.word(2),
            _ => None,
        };
        // `const fn f` is an `f`.
        let name = name.filter(|name| !ITEMS.contains(name) && !matches!(*name, "async" | "mut" | "_"));
        if depth == 0 {
            module.defines.extend(name.map(str::to_owned));
        }
        let mut path = Vec::new();
        while let Some(segment) = self.word(0) {
            path.push(segment.to_owned());
            self.at += 1;
            if self.peek(0) != Some(Token::Colons) || self.word(1).is_none() {
                break;
            }
            self.at += 1;
        }
        module.words.extend_from_slice(&path);
        if path.len() > 1 {
            module.paths.push(path);
        }
    }

    /// `pub`, `pub(super)`, `pub(in crate::x)`: the path in it imports nothing.
    fn visibility(&mut self) {
        self.at += 1;
        if self.is_sign(0, '(') && matches!(self.word(1), Some("crate" | "self" | "super" | "in")) {
            self.skip_group();
        }
    }

    /// `mod x;` or `mod x { … }`.
    fn declaration(&mut self, module: &mut Module, file: Option<&str>) {
        let name = self.word(1).unwrap_or_default().to_owned();
        self.at += 2;
        if self.is_sign(0, '{') {
            self.at += 1;
            let mut inner = Module::default();
            self.items(&mut inner, 0);
            module.has_code |= inner.has_code;
            module.inline.push((name, inner));
        } else {
            module.declared.push((name, file.map(str::to_owned)));
        }
    }

    /// `use a::{b, c as d, e::*};`
    fn import(&mut self, module: &mut Module) {
        self.at += 1;
        // `use<'a>` of a type says what it captures.
        if !self.is_sign(0, '<') {
            self.tree(&[], module);
        }
    }

    /// One tree of an import, below `above`.
    fn tree(&mut self, above: &[String], module: &mut Module) {
        let mut path = above.to_vec();
        loop {
            match self.peek(0) {
                Some(Token::Colons) => self.at += 1,
                Some(Token::Word("as")) => {
                    let name = self.word(1).unwrap_or_default().to_owned();
                    self.at += 2;
                    return add(module, path, Some(name));
                }
                Some(Token::Word(segment)) => {
                    path.push(segment.to_owned());
                    self.at += 1;
                }
                Some(Token::Sign('*')) => {
                    self.at += 1;
                    return module.imports.push(Import { path, name: None });
                }
                Some(Token::Sign('{')) => {
                    self.at += 1;
                    while self.peek(0).is_some() && !self.is_sign(0, '}') {
                        self.tree(&path, module);
                        self.at += usize::from(self.is_sign(0, ','));
                    }
                    self.at += 1;
                    return;
                }
                _ => {
                    // Whatever else this is, the next step must begin behind it.
                    if path.len() == above.len() {
                        self.at += 1;
                        return;
                    }
                    let name = path.last().cloned();
                    return add(module, path, name);
                }
            }
        }
    }

    /// What an attribute says that matters here.
    fn attribute(&mut self) -> Attribute<'a> {
        self.at += if self.is_sign(1, '!') { 2 } else { 1 };
        let start = self.at;
        self.skip_group();
        let inside = &self.tokens[start..self.at];
        let word = |at: usize| inside.get(at).copied();
        let test = Some(Token::Word("test"));
        match (word(1), word(3), word(5)) {
            (Some(Token::Word("test")), ..) => Attribute::Test,
            (Some(Token::Word("cfg")), first, _) if first == test => Attribute::Test,
            (Some(Token::Word("cfg")), Some(Token::Word("all")), first) if first == test => Attribute::Test,
            (Some(Token::Word("path")), Some(Token::Text(path)), _) => Attribute::Path(path),
            _ => Attribute::Other,
        }
    }

    /// Skips what stands between two brackets of any kind, nested ones included.
    fn skip_group(&mut self) {
        let mut depth = 0;
        while let Some(token) = self.peek(0) {
            self.at += 1;
            match token {
                Token::Sign('(' | '[' | '{') => depth += 1,
                Token::Sign(')' | ']' | '}') => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                return;
            }
        }
    }

    /// Skips what is left of a module.
    fn skip_rest(&mut self) {
        while let Some(token) = self.peek(0).filter(|token| *token != Token::Sign('}')) {
            match token {
                Token::Sign('(' | '[' | '{') => self.skip_group(),
                _ => self.at += 1,
            }
        }
    }

    /// Skips the item, the field or the statement that follows.
    fn skip_item(&mut self) {
        while self.is_sign(0, '#') {
            self.attribute();
        }
        let is_item = self.word(0).is_some_and(|word| ITEMS.contains(&word));
        while let Some(token) = self.peek(0) {
            match token {
                Token::Sign(';') => {
                    self.at += 1;
                    return;
                }
                Token::Sign(',') if !is_item => {
                    self.at += 1;
                    return;
                }
                // The end of what the last field or statement stands in.
                Token::Sign('}' | ')') => return,
                Token::Sign('{') => {
                    self.skip_group();
                    return;
                }
                Token::Sign('(' | '[') => self.skip_group(),
                _ => self.at += 1,
            }
        }
    }
}

/// An import of `path` as `name`. `use a::b::{self}` is `use a::b`.
fn add(module: &mut Module, mut path: Vec<String>, name: Option<String>) {
    let mut name = name;
    if path.len() > 1 && path.last().is_some_and(|last| last == "self") {
        path.pop();
        name = name.filter(|name| name != "self").or_else(|| path.last().cloned());
    }
    module.imports.push(Import { path, name });
}

enum Attribute<'a> {
    /// What follows is compiled for tests only.
    Test,
    /// The file of the module that follows.
    Path(&'a str),
    Other,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The imports of a text, written out.
    fn imports(text: &str) -> Vec<String> {
        let shown = |import: &Import| {
            let path = import.path.join("::");
            match &import.name {
                None => format!("{path}::*"),
                Some(name) if import.path.last() == Some(name) => path,
                Some(name) => format!("{path} as {name}"),
            }
        };
        module(text).imports.iter().map(shown).collect()
    }

    #[test]
    fn trees_of_imports_are_read() {
        let text =
            "pub(crate) use crate::{a::{self, B}, c::*, d as e}; use super::f; pub(in crate::g) struct H;";
        assert_eq!(imports(text), ["crate::a", "crate::a::B", "crate::c::*", "crate::d as e", "super::f"]);
        assert_eq!(imports("fn f() { use a::{b as c, d,}; }"), ["a::b as c", "a::d"]);
        assert_eq!(imports("use ::std::{self as s}; fn f() -> impl X + use<'_> {}"), ["std as s"]);
    }

    #[test]
    fn tests_do_not_count() {
        let text = "#[cfg(test)] use a::b; #[cfg(test)]\n#[allow(x)]\nfn f<A, B>(x: [u8; 2]) { c::d() }\n\
                    struct S { #[cfg(test)] e: f::G, h: i::J }\n#[cfg(all(test, unix))] mod k;\n\
                    #[cfg(test)] mod tests { use l::M; }\n#[cfg(any(test, unix))] use n::o;";
        let module = module(text);
        assert_eq!(imports(text), ["n::o"]);
        assert_eq!(module.paths, [["i", "J"]]);
        assert!(module.declared.is_empty() && module.inline.is_empty());
        assert_eq!(imports("mod a { #![cfg(test)] use b::C; fn d() {} } use e::F;"), ["e::F"]);
        assert_eq!(imports("#![cfg(test)]\nmod a;\nuse b::C;"), Vec::<String>::new());
    }

    #[test]
    fn items_and_paths_are_found() {
        let text = "//! A doc of crate::z.\nmod a; #[path = \"x/b.rs\"] mod b; mod c { pub fn d() { super::e::f() } }\n\
                    macro_rules! g { () => { $crate::h::I } }\npub(super) const fn j<T: crate::k::L>() { fn m() {} }\n\
                    impl n::O for P { fn q(&self) -> r::S<t::U> { v::w::<X>() } }";
        let module = module(text);
        let path = Some("x/b.rs".to_owned());
        assert_eq!(module.declared, [("a".to_owned(), None), ("b".to_owned(), path)]);
        assert_eq!(module.defines, ["g", "j"]);
        assert_eq!(module.inline[0].1.defines, ["d"]);
        assert_eq!(module.inline[0].1.paths, [["super", "e", "f"]]);
        let paths: Vec<String> = module.paths.iter().map(|path| path.join("::")).collect();
        assert_eq!(paths, ["crate::h::I", "crate::k::L", "n::O", "r::S", "t::U", "v::w"]);
    }

    #[test]
    fn a_file_that_only_re_exports_has_no_code() {
        assert!(
            !module("//! Doc.\n#![allow(x)]\nmod a;\npub(crate) use a::{B, C};\nextern crate self as d;\n")
                .has_code
        );
        assert!(module("mod a; const B: u8 = 0;").has_code);
    }
}
