//! `cargo xtask surface`: every public item of `tokenstile`, against a committed list.
//!
//! What users can reach is a promise, so a change of it should be seen. rustdoc says in JSON which items there are, in the
//! facade and in the crates that it re-exports from; what their signatures are is read from the sources, where rustdoc says
//! that they stand. The list ends with the types of internal crates that signatures mention and that are not exported.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

/// The committed list.
const LIST: &str = "crates/tokenstile/public-api.txt";
/// The facade, and the crates that it re-exports from.
const CRATES: [&str; 6] = [
    "tokenstile",
    "tokenstile-engine",
    "tokenstile-grammar",
    "tokenstile-json-schema",
    "tokenstile-logits",
    "tokenstile-structural-tag",
];

/// Compares the surface with the committed list, or writes that anew. Answers what differs.
pub(crate) fn run(root: &Path, update: bool) -> Result<Vec<String>, String> {
    let found = Surface::read(root)?.list()?;
    let path = root.join(LIST);
    if update {
        fs::write(&path, &found).map_err(|error| format!("{LIST}: {error}"))?;
        return Ok(Vec::new());
    }
    let known = fs::read_to_string(&path).map_err(|error| format!("{LIST}: {error}"))?;
    Ok(differences(&known, &found))
}

/// The lines that only one of two lists has, those that are gone first.
fn differences(known: &str, found: &str) -> Vec<String> {
    let lines = |text: &str| text.lines().map(str::to_owned).collect::<BTreeSet<_>>();
    let (known, found) = (lines(known), lines(found));
    let gone = known.difference(&found).map(|line| format!("- {line}"));
    let new = found.difference(&known).map(|line| format!("+ {line}"));
    gone.chain(new).collect()
}

/// What rustdoc says of the crates, by their names in paths.
struct Surface {
    root: PathBuf,
    crates: BTreeMap<String, Value>,
}

/// An item of one of the crates.
#[derive(Clone, Copy)]
struct Item<'s> {
    of: &'s str,
    value: &'s Value,
}

impl Surface {
    /// Has rustdoc look at the crates.
    fn read(root: &Path) -> Result<Self, String> {
        let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
        // In a folder of its own: with other flags everything in the ordinary one would be built anew.
        let target = target.join("surface");
        let mut cargo = Command::new("cargo");
        cargo.current_dir(root).args(["doc", "--no-deps", "--lib", "--quiet"]);
        CRATES.iter().for_each(|name| {
            cargo.args(["--package", name]);
        });
        // JSON is not yet stable in rustdoc. Nothing but this list is made with it.
        cargo.env("RUSTC_BOOTSTRAP", "1").env("CARGO_TARGET_DIR", &target);
        cargo.env("RUSTDOCFLAGS", "-Z unstable-options --output-format json");
        match cargo.status() {
            Ok(status) if status.success() => {}
            Ok(status) => return Err(format!("cargo doc: {status}")),
            Err(error) => return Err(format!("cargo: {error}")),
        }
        let read = |name: &str| {
            let name = name.replace('-', "_");
            let path = target.join("doc").join(format!("{name}.json"));
            let text = fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
            let value =
                serde_json::from_str(&text).map_err(|error| format!("{}: {error}", path.display()))?;
            Ok::<_, String>((name, value))
        };
        Ok(Surface { root: root.to_owned(), crates: CRATES.into_iter().map(read).collect::<Result<_, _>>()? })
    }

    /// The list as it is committed.
    fn list(&self) -> Result<String, String> {
        let (of, facade) = self.crates.get_key_value("tokenstile").ok_or("rustdoc left out the facade")?;
        let root = Item { of, value: &facade["index"][key(&facade["root"])] };
        let mut exported = BTreeMap::new();
        self.exports(root, "", &mut exported)?;
        let (mut list, mut mentioned) = (String::new(), BTreeSet::new());
        for (name, item) in &exported {
            let mut lines = BTreeSet::new();
            self.describe(name, *item, &mut lines)?;
            self.mentions(*item, &mut mentioned);
            let head = self.line(name, *item)?;
            for line in std::iter::once(&head).chain(lines.iter().filter(|line| **line != head)) {
                list.push_str(line);
                list.push('\n');
            }
            list.push('\n');
        }
        let paths: BTreeSet<String> = exported.values().filter_map(|item| self.path_of(*item)).collect();
        list.push_str("Of internal crates, mentioned and not exported:\n");
        for path in mentioned.difference(&paths) {
            list.push_str(&format!("{path}\n"));
        }
        Ok(list)
    }

    /// What a module offers, by name.
    fn exports<'s>(
        &'s self,
        module: Item<'s>,
        prefix: &str,
        found: &mut BTreeMap<String, Item<'s>>,
    ) -> Result<(), String> {
        for id in array(&module.value["inner"]["module"]["items"]) {
            let item = self.item(module.of, id).ok_or("rustdoc left out an item")?;
            let inner = &item.value["inner"];
            let (name, item) = match inner.get("use") {
                Some(used) if used["is_glob"] == Value::Bool(true) => {
                    return Err(format!(
                        "everything of `{}` is exported: name what is meant",
                        used["source"]
                    ));
                }
                Some(used) => {
                    let item = self.item(module.of, &used["id"]);
                    (&used["name"], item.ok_or(format!("{} is not of these crates", used["source"]))?)
                }
                None => (&item.value["name"], item),
            };
            let name = format!("{prefix}{}", name.as_str().unwrap_or_default());
            if item.value["inner"].get("module").is_some() {
                self.exports(item, &format!("{name}::"), found)?;
            } else {
                found.insert(name, item);
            }
        }
        Ok(())
    }

    /// An item by the number that a crate has for it, in whichever of the crates it is.
    fn item<'s>(&'s self, of: &'s str, id: &Value) -> Option<Item<'s>> {
        let known = &self.crates[of];
        if let Some(value) = known["index"].get(key(id)) {
            return Some(Item { of, value });
        }
        let path = &known["paths"].get(key(id))?["path"];
        let (of, other) = self.crates.get_key_value(path[0].as_str()?)?;
        let mut paths = other["paths"].as_object()?.iter();
        let (id, _) = paths.find(|(id, known)| known["path"] == *path && other["index"].get(id).is_some())?;
        Some(Item { of, value: &other["index"][id] })
    }

    fn path_of(&self, item: Item<'_>) -> Option<String> {
        joined(&self.crates[item.of]["paths"].get(key(&item.value["id"]))?["path"])
    }

    /// What there is to say of an item and of what belongs to it, a line each.
    fn describe(&self, name: &str, item: Item<'_>, lines: &mut BTreeSet<String>) -> Result<(), String> {
        let inner = item.value["inner"].as_object().and_then(|inner| inner.iter().next());
        let (kind, inner) = inner.ok_or("rustdoc says nothing of an item")?;
        let below = match kind.as_str() {
            "struct" => array(&inner["kind"]["plain"]["fields"]),
            "enum" => array(&inner["variants"]),
            "variant" if inner["kind"].get("tuple").is_some() => array(&inner["kind"]["tuple"]),
            "variant" => array(&inner["kind"]["struct"]["fields"]),
            _ => &[],
        };
        lines.insert(self.line(name, item)?);
        for id in below.iter().filter(|id| !id.is_null()) {
            let part = self.item(item.of, id).ok_or(format!("rustdoc left out a part of {name}"))?;
            let part_name = part.value["name"].as_str().unwrap_or_default();
            self.describe(&format!("{name}::{part_name}"), part, lines)?;
        }
        for id in array(&inner["impls"]) {
            let block = self.item(item.of, id).ok_or(format!("rustdoc left out an impl of {name}"))?;
            self.describe_impl(name, item, block, lines)?;
        }
        Ok(())
    }

    /// The line of an item itself.
    fn line(&self, name: &str, item: Item<'_>) -> Result<String, String> {
        let inner = item.value["inner"].as_object().and_then(|inner| inner.keys().next());
        let attributes = array(&item.value["attrs"]);
        let open = if attributes.iter().any(|a| a == "non_exhaustive") { " (non-exhaustive)" } else { "" };
        Ok(match inner.ok_or("rustdoc says nothing of an item")?.as_str() {
            "function" => self.signature(name, item, '{')?,
            "constant" | "assoc_const" => self.signature(name, item, '=')?,
            "type_alias" => self.signature(name, item, ';')?,
            "struct_field" => {
                let text = self.source(item)?;
                format!("field {name}: {}", text.split_once(": ").map_or(text.as_str(), |text| text.1))
            }
            kind => format!("{kind} {name}{open}"),
        })
    }

    /// The methods of a type, or the trait that it implements.
    fn describe_impl(
        &self,
        name: &str,
        item: Item<'_>,
        block: Item<'_>,
        lines: &mut BTreeSet<String>,
    ) -> Result<(), String> {
        let inner = &block.value["inner"]["impl"];
        if inner["is_synthetic"] == Value::Bool(true) || !inner["blanket_impl"].is_null() {
            return Ok(()); // what the compiler or another crate says of all types
        }
        if let Some(path) = inner["trait"]["path"].as_str() {
            let source = self.source(block)?;
            let written = source.split('{').next().filter(|text| text.starts_with("impl")).map(str::trim);
            let is_own = inner["for"]["resolved_path"]["id"] == item.value["id"];
            let line = match written {
                Some(written) if !is_own => written.to_owned(),
                Some(written) => {
                    format!("{} for {name}", written.split_once(" for ").map_or(written, |(of, _)| of))
                }
                None => format!("impl {} for {name}", path.rsplit("::").next().unwrap_or(path)),
            };
            // What a derived comparison brings along.
            if !line.contains("StructuralPartialEq") {
                lines.insert(line);
            }
            return Ok(());
        }
        for id in array(&inner["items"]) {
            let part = self.item(block.of, id).ok_or(format!("rustdoc left out a method of {name}"))?;
            if part.value["visibility"] == "public" {
                let part_name = part.value["name"].as_str().unwrap_or_default();
                self.describe(&format!("{name}::{part_name}"), part, lines)?;
            }
        }
        Ok(())
    }

    /// A function, constant or alias as it is written up to a character, under its full name.
    fn signature(&self, name: &str, item: Item<'_>, end: char) -> Result<String, String> {
        let source = self.source(item)?;
        let own = item.value["name"].as_str().unwrap_or_default();
        let text = source.split(end).next().unwrap_or(&source).trim();
        let text = text.strip_prefix("pub ").unwrap_or(text);
        Ok(text.replacen(&format!(" {own}"), &format!(" {name}"), 1))
    }

    /// The source of an item, on one line.
    fn source(&self, item: Item<'_>) -> Result<String, String> {
        let span = &item.value["span"];
        let file = span["filename"].as_str().ok_or("rustdoc does not say where an item stands")?;
        let text = fs::read_to_string(self.root.join(file)).map_err(|error| format!("{file}: {error}"))?;
        let at = |place: &Value, part: usize| place[part].as_u64().unwrap_or(1) as usize - 1;
        let (begin, end) = (&span["begin"], &span["end"]);
        let lines = text.lines().enumerate().skip(at(begin, 0)).take(at(end, 0) + 1 - at(begin, 0));
        let cut = lines.map(|(number, line)| {
            let from = if number == at(begin, 0) { at(begin, 1) } else { 0 };
            let to = if number == at(end, 0) { at(end, 1) } else { usize::MAX };
            line.chars().take(to).skip(from).collect::<String>()
        });
        let words: Vec<String> =
            cut.flat_map(|line| line.split_whitespace().map(str::to_owned).collect::<Vec<_>>()).collect();
        Ok(words.join(" ").replace("( ", "(").replace(", )", ")"))
    }

    /// The types of these crates that the signatures of an item mention.
    fn mentions(&self, item: Item<'_>, found: &mut BTreeSet<String>) {
        let mut todo = vec![&item.value["inner"]];
        let (mut parts, mut seen) = (Vec::new(), BTreeSet::new());
        while let Some(value) = todo.pop() {
            match value {
                Value::Array(values) => todo.extend(values),
                Value::Object(fields) => {
                    if let Some(path) = fields.get("resolved_path") {
                        let path = &self.crates[item.of]["paths"][key(&path["id"])]["path"];
                        found.extend(joined(path).filter(|path| path.starts_with("tokenstile")));
                    }
                    if fields.get("is_synthetic") == Some(&Value::Bool(true))
                        || fields.get("blanket_impl").is_some_and(|of| !of.is_null())
                    {
                        continue;
                    }
                    for name in ["fields", "variants", "impls", "items", "tuple"] {
                        parts.extend(array(fields.get(name).unwrap_or(&Value::Null)));
                    }
                    todo.extend(fields.values());
                }
                _ => {}
            }
            while todo.is_empty()
                && let Some(id) = parts.pop()
            {
                if seen.insert(key(id))
                    && let Some(part) = self.crates[item.of]["index"].get(key(id))
                {
                    todo.push(&part["inner"]);
                }
            }
        }
    }
}

/// How an index names an item.
fn key(id: &Value) -> String {
    id.to_string()
}

fn array(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn joined(path: &Value) -> Option<String> {
    let parts: Option<Vec<&str>> = path.as_array()?.iter().map(Value::as_str).collect();
    Some(parts?.join("::"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_gone_and_what_is_new_is_shown() {
        let (known, found) = ("fn a()\nfn b()\n", "fn b()\nfn c(x: u8)\n");
        assert_eq!(differences(known, found), ["- fn a()", "+ fn c(x: u8)"]);
        assert!(differences(known, known).is_empty());
    }
}
