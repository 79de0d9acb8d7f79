//! Makes the nodes: breadth first from the root, one for each schema that can be reached.

use std::collections::VecDeque;

use bumpalo::Bump;
use rustc_hash::FxHashSet;
use smallvec::SmallVec;
use tokenstile_grammar::{Error, ErrorKind};

use super::index::Resource;
use super::items::Together;
use super::scope::{EMPTY, RECURSIVE};
use super::values::joined;
use super::warnings::unknown;
use super::{Identity, Location, Resolver, values};
use crate::keywords::{Keyword, Vocabulary, draft_name, draft_of, known};
use crate::node::{Node, NodeId, Nodes, Schema, Word};
use crate::options::Draft;
use crate::pointer::Key;
use crate::reader::{Json, quoted};
use crate::tuning::resolve::POINTER_BYTES;

/// Nodes that have an id: those before `next` are made.
#[derive(Default)]
pub(super) struct Work<'a> {
    nodes: Vec<Node<'a>>,
    /// Where the nodes to be made are, and in which scope.
    waiting: VecDeque<(NodeId, Location<'a>, usize)>,
    any: Option<NodeId>,
    never: Option<NodeId>,
    words: SmallVec<[(Word, NodeId); 6]>,
    pointer_bytes: usize,
}

impl<'a> Resolver<'a, '_, '_> {
    /// All nodes that can be reached from `root`.
    pub(super) fn nodes(mut self, root: Location<'a>) -> Result<Nodes<'a>, Error> {
        let mut work =
            Work { nodes: Vec::with_capacity(16), waiting: VecDeque::with_capacity(16), ..Work::default() };
        if !matches!(root.json, Json::Bool(_) | Json::Object(_)) {
            let message = format!("a schema must be an object, true or false, not {}", root.json.describe());
            return Err(Error::new(ErrorKind::Syntax, message).with_pointer(root.pointer.to_string()));
        }
        let root = self.node(&mut work, root, EMPTY)?;
        while let Some((id, location, scope)) = work.waiting.pop_front() {
            self.budget.tick()?;
            work.nodes[id.index()] = Builder::new(&mut self, &mut work, location, scope).build()?;
        }
        Ok(Nodes { nodes: work.nodes, root, warnings: self.warnings.finish() })
    }

    /// The node of a schema, or of what it refers to if it says nothing else.
    fn node(&mut self, work: &mut Work<'a>, from: Location<'a>, scope: usize) -> Result<NodeId, Error> {
        let (mut location, mut scope) = (from, scope);
        let mut passed: FxHashSet<(Identity<'a>, usize)> = FxHashSet::default();
        let id = loop {
            self.budget.tick()?;
            if let Some(word) = self.word(location.json, location.resource) {
                break self.word_node(work, word)?;
            }
            scope = self.enter(scope, location.resource)?;
            let key = (Identity::from(location.json), scope);
            if let Some(&id) = self.ids.get(&key) {
                break id;
            }
            if let Some(reference) = self.only_reference(&location) {
                if !passed.insert(key) {
                    let message = "the reference leads back to itself, and says nothing on the way";
                    let at = location.pointer.child("$ref");
                    return Err(Error::new(ErrorKind::Unsatisfiable, message).with_pointer(at));
                }
                location = self.target(&location, "$ref", reference)?;
                continue;
            }
            let id = self.new_node(work, location, scope)?;
            self.ids.insert(key, id);
            break id;
        };
        for key in passed {
            self.ids.insert(key, id);
        }
        Ok(id)
    }

    fn new_node(
        &mut self,
        work: &mut Work<'a>,
        location: Location<'a>,
        scope: usize,
    ) -> Result<NodeId, Error> {
        let (node, shared) = match location.json {
            Json::Bool(false) => (Node::Never, Some(&mut work.never)),
            Json::Bool(true) => (Node::Any, Some(&mut work.any)),
            Json::Object([]) => (Node::Any, Some(&mut work.any)),
            _ => (Node::Any, None),
        };
        if let Some(Some(id)) = shared {
            return Ok(*id);
        }
        let id = self.next_id(&work.nodes)?;
        work.nodes.push(node);
        match shared {
            Some(shared) => *shared = Some(id),
            None => {
                work.pointer_bytes += location.pointer.len();
                if work.pointer_bytes / POINTER_BYTES > self.limits.source_bytes {
                    return Err(Error::limit("source_bytes", self.limits.source_bytes));
                }
                work.waiting.push_back((id, location, scope));
            }
        }
        Ok(id)
    }

    fn next_id(&self, nodes: &[Node<'a>]) -> Result<NodeId, Error> {
        let id = NodeId::new(nodes.len()).filter(|id| id.index() < self.limits.rules);
        id.ok_or_else(|| Error::limit("rules", self.limits.rules))
    }

    /// The type of a schema that says nothing else, if it is one whose values have no parts.
    fn word(&self, json: &Json<'a>, resource: usize) -> Option<Word> {
        let Json::Object(members) = json else { return None };
        let dialect = self.resources[resource].dialect;
        let mut word = None;
        for (name, value) in *members {
            match known(name).filter(|keyword| dialect.has(keyword))? {
                Keyword { name: "type", .. } => {
                    word = Some(Word::named(value.as_str()?, dialect.draft == Draft::Draft4)?);
                }
                Keyword { vocabulary: Vocabulary::Annotation, .. } => {}
                _ => return None,
            }
        }
        word
    }

    /// The node of all schemas that say so.
    fn word_node(&mut self, work: &mut Work<'a>, word: Word) -> Result<NodeId, Error> {
        if let Some(&(_, id)) = work.words.iter().find(|known| known.0 == word) {
            return Ok(id);
        }
        let id = self.next_id(&work.nodes)?;
        work.nodes.push(Node::Word(word));
        work.words.push((word, id));
        Ok(id)
    }

    /// The reference of a schema that says nothing else. Up to draft 7, a reference hides all else.
    fn only_reference(&mut self, location: &Location<'a>) -> Option<&'a str> {
        let Json::Object(members) = location.json else { return None };
        let reference = location.json.get("$ref")?.as_str()?;
        let Resource { dialect, document, .. } = self.resources[location.resource];
        let hides = dialect.draft <= Draft::Draft7;
        for (name, _) in *members {
            let keyword = known(name).filter(|keyword| keyword.is_in(dialect.draft));
            let says_something = match keyword {
                None => false,
                Some(Keyword { vocabulary: Vocabulary::Core, name, .. }) => {
                    matches!(*name, "$dynamicRef" | "$recursiveRef")
                }
                Some(Keyword { vocabulary: Vocabulary::Annotation, .. }) => false,
                Some(_) => true,
            };
            if says_something && !hides {
                return None;
            }
            if says_something {
                let draft = draft_name(dialect.draft);
                let message =
                    || format!("{} is ignored: `$ref` stands beside it, and this is {draft}", quoted(name));
                self.warnings.once(document, name, || location.pointer.child(name), message);
            }
            if keyword.is_none() {
                let message = || unknown(name, known(name), dialect.draft);
                self.warnings.once(document, name, || location.pointer.child(name), message);
            }
        }
        Some(reference)
    }
}

/// Makes one node.
pub(super) struct Builder<'r, 'a, 'b, 'l> {
    resolver: &'r mut Resolver<'a, 'b, 'l>,
    work: &'r mut Work<'a>,
    location: Location<'a>,
    scope: usize,
    pub(super) draft: Draft,
    pub(super) schema: &'a mut Schema<'a>,
    pub(super) together: Together<'a>,
}

impl<'r, 'a, 'b, 'l> Builder<'r, 'a, 'b, 'l> {
    fn new(
        resolver: &'r mut Resolver<'a, 'b, 'l>,
        work: &'r mut Work<'a>,
        location: Location<'a>,
        scope: usize,
    ) -> Self {
        let draft = resolver.resources[location.resource].dialect.draft;
        let schema = resolver.documents.room.alloc(Schema { pointer: location.pointer, ..Schema::default() });
        Builder { resolver, work, location, scope, draft, schema, together: Together::default() }
    }

    fn build(mut self) -> Result<Node<'a>, Error> {
        let Json::Object(members) = self.location.json else { return Ok(Node::Any) };
        let dialect = self.resolver.resources[self.location.resource].dialect;
        let mut says_something = 0;
        for (name, value) in *members {
            self.resolver.budget.tick()?;
            match known(name) {
                Some(keyword) if dialect.has(keyword) => {
                    says_something += usize::from(self.keyword(keyword, value)?);
                }
                Some(keyword) if keyword.is_in(self.draft) => {}
                // A list as `items` still needs it.
                Some(Keyword { name: "additionalItems", .. })
                    if matches!(self.location.json.get("items"), Some(Json::Array(_))) =>
                {
                    self.together("additionalItems", value);
                }
                keyword => self.warn_unknown(name, keyword),
            }
        }
        self.finish_together()?;
        self.schema.plain_integers = self.draft == Draft::Draft4;
        self.schema.contains_evaluates = self.draft >= Draft::Draft202012;
        self.schema.only_values =
            says_something == 1 && (self.schema.values.is_some() || self.schema.constant.is_some());
        Ok(if says_something > 0 { Node::Schema(self.schema) } else { Node::Any })
    }

    /// Reads one keyword. Whether it says anything about instances.
    fn keyword(&mut self, keyword: &'static Keyword, value: &'a Json<'a>) -> Result<bool, Error> {
        match keyword.vocabulary {
            Vocabulary::Annotation => return Ok(false),
            Vocabulary::Core => return self.core(keyword.name, value),
            _ => {}
        }
        if !self.together(keyword.name, value) {
            let set = values::set(self.schema, keyword.name, value, self.room());
            if !self.checked(keyword.name, set)? {
                self.applicator(keyword.name, value)?;
            }
        }
        Ok(true)
    }

    fn core(&mut self, name: &'static str, value: &'a Json<'a>) -> Result<bool, Error> {
        match name {
            "$ref" | "$dynamicRef" | "$recursiveRef" => {
                let reference = self.checked(name, values::string(value))?;
                let mut target = self.resolver.target(&self.location, name, reference)?;
                if name != "$ref"
                    && let Some(dynamic) = self.dynamic(name, reference, &target)
                {
                    target = dynamic;
                }
                let id = self.resolver.node(self.work, target, self.scope)?;
                self.schema.references = joined(self.schema.references, &[id], self.room());
                return Ok(true);
            }
            "$defs" | "definitions" => {
                self.checked(name, values::object(value))?;
            }
            "$id" | "$anchor" | "$dynamicAnchor" => {
                self.checked(name, values::string(value))?;
            }
            "$schema" => self.foreign_schema(value),
            _ => {}
        }
        Ok(false)
    }

    /// What a dynamic reference means, if its scope has a say: where `target`, its static meaning, is an anchor of
    /// that kind.
    fn dynamic(&self, keyword: &str, reference: &str, target: &Location<'a>) -> Option<Location<'a>> {
        let anchor = match keyword {
            "$recursiveRef" => RECURSIVE,
            _ => reference.split_once('#').map(|(_, name)| name).filter(|name| !name.is_empty())?,
        };
        let anchors = &self.resolver.resources[target.resource].dynamic;
        let is_one = anchors.iter().any(|(name, at)| *name == anchor && std::ptr::eq(at.json, target.json));
        if !is_one {
            return None;
        }
        self.resolver.scopes.get(self.scope, anchor).cloned()
    }

    /// A `$schema` within a resource: it has no say there.
    fn foreign_schema(&mut self, value: &Json) {
        let resource = &self.resolver.resources[self.location.resource];
        let other = value.as_str().and_then(draft_of).is_some_and(|draft| draft != self.draft);
        if other && !std::ptr::eq(resource.root.json, self.location.json) {
            self.warn_once(
                "$schema",
                "`$schema` is ignored: a schema without an identifier is read as the one around it",
            );
        }
    }

    fn applicator(&mut self, name: &'static str, value: &'a Json<'a>) -> Result<(), Error> {
        match name {
            "properties" => self.schema.properties = self.map(name, value)?,
            "patternProperties" => self.schema.pattern_properties = self.map(name, value)?,
            "dependentSchemas" => {
                let more = self.map(name, value)?;
                self.schema.dependent_schemas = joined(self.schema.dependent_schemas, more, self.room());
            }
            "dependencies" => self.dependencies(value)?,
            "additionalProperties" => self.schema.additional = Some(self.one(name, value)?),
            "propertyNames" => self.schema.property_names = Some(self.one(name, value)?),
            "prefixItems" => self.schema.prefix_items = self.list(name, value)?,
            "contains" => self.schema.contains = Some(self.one(name, value)?),
            "allOf" => self.schema.all_of = self.some(name, value)?,
            "anyOf" => self.schema.any_of = self.some(name, value)?,
            "oneOf" => self.schema.one_of = self.some(name, value)?,
            "not" => self.schema.not = Some(self.one(name, value)?),
            "if" => self.schema.condition = Some(self.one(name, value)?),
            "then" => self.schema.then = Some(self.one(name, value)?),
            "else" => self.schema.otherwise = Some(self.one(name, value)?),
            "unevaluatedProperties" => self.schema.unevaluated_properties = Some(self.one(name, value)?),
            "unevaluatedItems" => self.schema.unevaluated_items = Some(self.one(name, value)?),
            _ => {}
        }
        Ok(())
    }

    /// Where all that is made here lies.
    pub(super) fn room(&self) -> &'a Bump {
        self.resolver.documents.room
    }

    /// The schema at `pointer`, which is relative to this one.
    fn schema_at(
        &mut self,
        keyword: &'static str,
        key: Key<'a>,
        value: &'a Json<'a>,
    ) -> Result<NodeId, Error> {
        // Most schemas are such ones, and need nothing of what others do.
        if let Some(word) = self.resolver.word(value, self.location.resource) {
            return self.resolver.word_node(self.work, word);
        }
        let pointer = self.location.pointer.below(keyword, key, self.room());
        if !matches!(value, Json::Bool(_) | Json::Object(_)) {
            let message = format!(
                "`{keyword}` needs a schema here: an object, true or false, not {}",
                value.describe()
            );
            return Err(Error::new(ErrorKind::Syntax, message).with_pointer(pointer.to_string()));
        }
        let location = Location { json: value, resource: self.location.resource, pointer };
        let location = self.resolver.within(location);
        self.resolver.node(self.work, location, self.scope)
    }

    /// A keyword that is a schema.
    pub(super) fn one(&mut self, keyword: &'static str, value: &'a Json<'a>) -> Result<NodeId, Error> {
        self.schema_at(keyword, Key::None, value)
    }

    /// A member of a keyword that holds schemas by name.
    pub(super) fn member(
        &mut self,
        keyword: &'static str,
        name: &'a str,
        value: &'a Json<'a>,
    ) -> Result<NodeId, Error> {
        self.schema_at(keyword, Key::Name(name), value)
    }

    fn map(&mut self, keyword: &'static str, value: &'a Json<'a>) -> Result<&'a [(&'a str, NodeId)], Error> {
        let members = self.checked(keyword, values::object(value))?;
        let room = self.room();
        let member = |at: usize| Ok((members[at].0, self.member(keyword, members[at].0, &members[at].1)?));
        Ok(room.alloc_slice_try_fill_with(members.len(), member)?)
    }

    /// A keyword that is a list of schemas.
    pub(super) fn list(&mut self, keyword: &'static str, value: &'a Json<'a>) -> Result<&'a [NodeId], Error> {
        let items = self.checked(keyword, values::list(value))?;
        let room = self.room();
        let item = |at: usize| self.schema_at(keyword, Key::Index(at), &items[at]);
        Ok(room.alloc_slice_try_fill_with(items.len(), item)?)
    }

    fn some(&mut self, keyword: &'static str, value: &'a Json<'a>) -> Result<&'a [NodeId], Error> {
        let list = self.list(keyword, value)?;
        if list.is_empty() {
            return Err(self.malformed(keyword, "must not be empty".to_owned()));
        }
        Ok(list)
    }

    /// The error that says what is wrong with a keyword.
    pub(super) fn malformed(&self, keyword: &str, wrong: String) -> Error {
        self.schema.error(ErrorKind::Syntax, keyword, format!("`{keyword}` {wrong}"))
    }

    /// The value of a keyword, or what is wrong with it, as an error.
    pub(super) fn checked<T>(&self, keyword: &str, value: Result<T, String>) -> Result<T, Error> {
        value.map_err(|wrong| self.malformed(keyword, wrong))
    }

    pub(super) fn warn_once(&mut self, keyword: &'static str, message: &str) {
        let document = self.resolver.resources[self.location.resource].document;
        let pointer = || self.location.pointer.child(keyword);
        self.resolver.warnings.once(document, keyword, pointer, || message.to_owned());
    }

    fn warn_unknown(&mut self, name: &'a str, keyword: Option<&'static Keyword>) {
        let document = self.resolver.resources[self.location.resource].document;
        let pointer = || self.location.pointer.child(name);
        self.resolver.warnings.once(document, name, pointer, || unknown(name, keyword, self.draft));
    }
}
