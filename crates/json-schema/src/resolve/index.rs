//! Walks a document once: its resources, its anchors, and the drafts they are written in.

use bumpalo::Bump;
use tokenstile_grammar::{Error, ErrorKind};

use super::documents::SCHEMA;
use super::scope::RECURSIVE;
use super::{Identity, Location, Resolver};
use crate::keywords::{Holds, Keyword, Vocabulary, draft_name, draft_of, known};
use crate::options::Draft;
use crate::pointer::{Key, Pointer};
use crate::reader::{Json, quoted};
use crate::uri;

/// A schema with an address of its own.
pub(super) struct Resource<'a> {
    pub(super) base: String,
    pub(super) document: usize,
    pub(super) root: Location<'a>,
    pub(super) dialect: Dialect,
    /// Its dynamic anchors.
    pub(super) dynamic: Vec<(&'a str, Location<'a>)>,
}

/// How the keywords of a resource are read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Dialect {
    pub(super) draft: Draft,
    /// Whether the metaschema left out the keywords of these vocabularies.
    no_applicators: bool,
    no_unevaluated: bool,
    no_validation: bool,
}

impl Dialect {
    fn new(draft: Draft) -> Self {
        Dialect { draft, no_applicators: false, no_unevaluated: false, no_validation: false }
    }

    /// Whether a keyword means something.
    pub(super) fn has(&self, keyword: &Keyword) -> bool {
        keyword.is_in(self.draft)
            && match keyword.vocabulary {
                Vocabulary::Core | Vocabulary::Annotation => true,
                Vocabulary::Applicator => !self.no_applicators,
                Vocabulary::Unevaluated => !self.no_unevaluated,
                Vocabulary::Validation => !self.no_validation,
            }
    }
}

/// The way to a schema, from the one that holds it: one link for each schema, text only where it is wanted.
struct Step<'a> {
    parent: usize,
    keyword: &'a str,
    key: Key<'a>,
}

impl<'a> Resolver<'a, '_, '_> {
    /// The root resource of a document, which is read now if it was not.
    pub(super) fn document(&mut self, document: usize) -> Result<usize, Error> {
        if let Some(&resource) = self.loaded.get(&document) {
            return Ok(resource);
        }
        let json = self.documents.json(document, self.limits, self.budget)?;
        let pointer = Pointer::default().with_text(&self.documents.prefix(document), self.documents.room);
        let inherited = match self.loaded.get(&SCHEMA) {
            Some(&schema) => Dialect::new(self.resources[schema].dialect.draft),
            None => Dialect::new(self.options.draft),
        };
        let resource = self.resources.len();
        let root = Location { json, resource, pointer };
        let dialect = self.dialect(&root, inherited)?;
        let address = self.documents.address(document).to_owned();
        let id = identifier(json, dialect.draft, true);
        let base = id.map_or_else(|| address.clone(), |id| uri::resolve(&address, id).0);
        self.resources.push(Resource { base: base.clone(), document, root, dialect, dynamic: vec![] });
        self.loaded.insert(document, resource);
        self.roots.insert(json, resource);
        self.name(address.clone(), &root);
        if base != address {
            self.name(base, &root);
        }
        self.walk(&root)?;
        Ok(resource)
    }

    /// Notes what an address stands for. Whether it stands for two things matters only to who asks for it.
    fn name(&mut self, address: String, location: &Location<'a>) {
        let known = self.addresses.entry(address).or_default();
        if known.len() < 2 && !known.iter().any(|one| std::ptr::eq(one.json, location.json)) {
            known.push(*location);
        }
    }

    /// Walks a schema and all schemas in it.
    pub(super) fn walk(&mut self, from: &Location<'a>) -> Result<(), Error> {
        let documents = self.documents;
        let (mut trail, mut stack) = (Vec::with_capacity(32), Vec::with_capacity(32));
        trail.push(Step { parent: usize::MAX, keyword: "", key: Key::None });
        stack.push((from.json, from.resource, 0));
        while let Some((json, resource, step)) = stack.pop() {
            self.budget.tick()?;
            let Json::Object(members) = json else { continue };
            if !self.indexed.insert(json) {
                continue;
            }
            let resource =
                self.identify(json, resource, &|| pointer((from.pointer, documents.room), &trail, step))?;
            let draft = self.resources[resource].dialect.draft;
            for (name, value) in *members {
                let Some(keyword) = known(name).filter(|keyword| keyword.is_in(draft)) else { continue };
                let mut push = |value: &'a Json<'a>, key| {
                    if let Json::Object(_) = value {
                        trail.push(Step { parent: step, keyword: keyword.name, key });
                        stack.push((value, resource, trail.len() - 1));
                    }
                };
                match (keyword.holds, value) {
                    (Holds::One | Holds::OneOrList, Json::Object(_)) => push(value, Key::None),
                    (Holds::List | Holds::OneOrList, Json::Array(items)) => {
                        items.iter().enumerate().for_each(|(i, item)| push(item, Key::Index(i)));
                    }
                    (Holds::Map, Json::Object(members)) => {
                        members.iter().for_each(|(name, value)| push(value, Key::Name(name)));
                    }
                    _ => {}
                }
            }
        }
        Ok(())
    }

    /// Notes the identifiers of a schema. Returns the resource that it is in, which may be one of its own.
    fn identify(
        &mut self,
        json: &'a Json<'a>,
        outer: usize,
        pointer: &dyn Fn() -> Pointer<'a>,
    ) -> Result<usize, Error> {
        // Most keys are seen to be none of these by their first letter.
        let is_name = |key: &str| {
            key.starts_with(['$', 'i'])
                && matches!(key, "$id" | "id" | "$anchor" | "$dynamicAnchor" | "$recursiveAnchor")
        };
        let Json::Object(members) = json else { return Ok(outer) };
        if !members.iter().any(|(key, _)| is_name(key)) {
            return Ok(outer);
        }
        let mut resource = outer;
        let location = |resource| Location { json, resource, pointer: pointer() };
        let is_root = std::ptr::eq(self.resources[outer].root.json, json);
        let dialect = self.resources[outer].dialect;
        if let Some(id) = identifier(json, dialect.draft, false).filter(|_| !is_root) {
            resource = self.embed(location(self.resources.len()), id, outer)?;
        }
        let (draft, base) = (self.resources[resource].dialect.draft, self.resources[resource].base.clone());
        if draft <= Draft::Draft7 && json.get("$ref").is_some() && !is_root {
            return Ok(resource);
        }
        let anchor = |key| json.get(key).and_then(Json::as_str).filter(|name| !name.is_empty());
        if draft >= Draft::Draft201909 {
            for key in ["$anchor", "$dynamicAnchor"] {
                let Some(name) = anchor(key).filter(|_| key == "$anchor" || draft == Draft::Draft202012)
                else {
                    continue;
                };
                self.name(format!("{base}#{name}"), &location(resource));
                if key == "$dynamicAnchor" {
                    self.resources[resource].dynamic.push((name, location(resource)));
                }
            }
            let recursive =
                draft == Draft::Draft201909 && json.get("$recursiveAnchor") == Some(&Json::Bool(true));
            if recursive && std::ptr::eq(self.resources[resource].root.json, json) {
                self.resources[resource].dynamic.push((RECURSIVE, location(resource)));
            }
        }
        // Identifiers with a fragment are plain names up to draft 7; those of another draft may still be meant.
        for key in ["$id", "id"] {
            let Some(id) = anchor(key) else { continue };
            let (address, fragment) = uri::resolve(&base, id);
            let own = draft <= Draft::Draft7 && id_key(draft) == key;
            if own && !fragment.is_empty() {
                self.name(format!("{address}#{fragment}"), &location(resource));
            } else if id_key(draft) != key || !fragment.is_empty() {
                let alias = if fragment.is_empty() { address } else { format!("{address}#{fragment}") };
                self.aliases.entry(alias).or_insert_with(|| location(resource));
            }
        }
        Ok(resource)
    }

    /// A new resource for a schema with `$id`.
    fn embed(&mut self, root: Location<'a>, id: &str, outer: usize) -> Result<usize, Error> {
        let dialect = self.dialect(&root, self.resources[outer].dialect)?;
        let base = uri::resolve(&self.resources[outer].base, id).0;
        let document = self.resources[outer].document;
        let number = root.resource;
        self.resources.push(Resource { base: base.clone(), document, root, dialect, dynamic: vec![] });
        self.roots.insert(Identity::from(root.json), number);
        self.name(base, &root);
        Ok(number)
    }

    /// How a resource is read, by its `$schema`.
    fn dialect(&mut self, root: &Location<'a>, inherited: Dialect) -> Result<Dialect, Error> {
        let Some(value) = root.json.get("$schema") else { return Ok(inherited) };
        let at = || root.pointer.child("$schema");
        let Some(address) = value.as_str() else {
            let message = format!("`$schema` must be a string, not {}", value.describe());
            return Err(Error::new(ErrorKind::Syntax, message).with_pointer(at()));
        };
        if let Some(draft) = draft_of(address) {
            return Ok(Dialect::new(draft));
        }
        let Some(document) = self.documents.handed_over(&uri::resolve("", address).0) else {
            let (known, draft) = (quoted(address), draft_name(inherited.draft));
            self.warnings
                .push(at(), format!("`$schema` is {known}, which is not known: it is read as {draft}"));
            return Ok(inherited);
        };
        let meta = self.documents.json(document, self.limits, self.budget)?;
        let draft = meta.get("$schema").and_then(Json::as_str).and_then(draft_of);
        let dialect = Dialect::new(draft.unwrap_or(inherited.draft));
        with_vocabularies(dialect, meta).map_err(|error| error.with_pointer(at()))
    }
}

/// The dialect of a metaschema: its `$vocabulary` says which keywords there are.
fn with_vocabularies(mut dialect: Dialect, meta: &Json) -> Result<Dialect, Error> {
    let Some(Json::Object(vocabularies)) = meta.get("$vocabulary") else { return Ok(dialect) };
    if dialect.draft < Draft::Draft201909 {
        return Ok(dialect);
    }
    let lacks =
        |name: &str| !vocabularies.iter().any(|(address, _)| address.ends_with(&format!("/vocab/{name}")));
    dialect.no_applicators = lacks("applicator");
    dialect.no_validation = lacks("validation");
    // In 2019-09 these are applicators.
    dialect.no_unevaluated =
        lacks(if dialect.draft == Draft::Draft201909 { "applicator" } else { "unevaluated" });
    let official = "https://json-schema.org/draft/20";
    for (address, required) in *vocabularies {
        if *required == Json::Bool(true) && !address.starts_with(official) {
            let message =
                format!("the metaschema requires the vocabulary {}, which is not known", quoted(address));
            return Err(Error::new(ErrorKind::Unsupported, message));
        }
    }
    Ok(dialect)
}

/// The keyword that names a schema.
fn id_key(draft: Draft) -> &'static str {
    if draft == Draft::Draft4 { "id" } else { "$id" }
}

/// The address that a schema has by itself, if it has one: `$id`, unless that is a plain name.
fn identifier<'a>(json: &'a Json<'_>, draft: Draft, whole: bool) -> Option<&'a str> {
    let draft = json.get("$schema").and_then(Json::as_str).and_then(draft_of).unwrap_or(draft);
    let id = json.get(id_key(draft))?.as_str()?;
    // Beside a reference it says nothing up to draft 7; but nothing else could name the whole document.
    let hidden =
        !whole && draft <= Draft::Draft7 && json.get("$ref").is_some_and(|value| value.as_str().is_some());
    (!id.is_empty() && !id.starts_with('#') && !hidden).then_some(id)
}

/// The pointer of a schema that was walked to from `from`.
fn pointer<'a>((from, room): (Pointer<'a>, &'a Bump), trail: &[Step<'a>], mut step: usize) -> Pointer<'a> {
    let mut steps = Vec::new();
    while step != 0 {
        steps.push(&trail[step]);
        step = trail[step].parent;
    }
    steps.into_iter().rev().fold(from, |at, step| at.below(step.keyword, step.key, room))
}
