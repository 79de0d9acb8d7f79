//! What a reference means.

use std::borrow::Cow;

use tokenstile_grammar::{Error, ErrorKind};

use super::{Location, Resolver};
use crate::options::Draft;
use crate::reader::{Json, quoted};
use crate::uri;

impl<'a> Resolver<'a, '_, '_> {
    /// The schema that `reference`, the value of `keyword` at `from`, means.
    pub(super) fn target(
        &mut self,
        from: &Location<'a>,
        keyword: &str,
        reference: &'a str,
    ) -> Result<Location<'a>, Error> {
        if let Some(target) = self.targets.get(&(from.resource, reference)) {
            return Ok(*target);
        }
        let at = || from.pointer.child(keyword);
        let target = self.find(from, reference).map_err(|error| match error.place() {
            // In the text of another document: the pointer would be one into this.
            Some(_) => error,
            None => error.with_pointer(at()),
        })?;
        if !matches!(target.json, Json::Bool(_) | Json::Object(_)) {
            let message =
                format!("{} leads to {}, which is not a schema", quoted(reference), target.json.describe());
            return Err(Error::new(ErrorKind::Syntax, message).with_pointer(at()));
        }
        if matches!(target.json, Json::Object(_)) && !self.indexed.contains(&std::ptr::from_ref(target.json))
        {
            self.walk(&target)?;
        }
        let target = self.within(target);
        self.targets.insert((from.resource, reference), target);
        Ok(target)
    }

    /// The same place, in its own resource if it is the root of one.
    pub(super) fn within(&self, mut location: Location<'a>) -> Location<'a> {
        if let Some(&own) = self.roots.get(&std::ptr::from_ref(location.json)) {
            location.resource = own;
        }
        location
    }

    fn find(&mut self, from: &Location<'a>, reference: &str) -> Result<Location<'a>, Error> {
        let (address, fragment) = uri::resolve(&self.resources[from.resource].base, reference);
        let Some(name) = uri::decode(&fragment) else {
            return Err(Error::new(ErrorKind::Syntax, format!("{} is not a reference", quoted(reference))));
        };
        let root = match address == self.resources[from.resource].base {
            true => Some(self.resources[from.resource].root),
            false => self.resource(&address)?,
        };
        let Some(root) = root else {
            let alias = if name.is_empty() { address.clone() } else { format!("{address}#{name}") };
            return self.aliases.get(&alias).cloned().ok_or_else(|| {
                let message = format!(
                    "{} is in {}, which was not handed over: give its text with the documents of the options",
                    quoted(reference),
                    quoted(&address)
                );
                Error::new(ErrorKind::Unsupported, message)
            });
        };
        if let Some(found) = self.fragment(&root, &address, &name)? {
            return Ok(found);
        }
        // Many schemas up to draft 7 have identifiers that nobody meant as such.
        let whole = self.loaded.get(&self.resources[root.resource].document).copied();
        if let Some(whole) = whole.filter(|&whole| whole != root.resource)
            && self.resources[root.resource].dialect.draft <= Draft::Draft7
        {
            let (document, base) = (self.resources[whole].root, self.resources[whole].base.clone());
            if let Some(found) = self.fragment(&document, &base, &name)? {
                let message = format!(
                    "{} leads nowhere in {}: it is read as one into the whole document",
                    quoted(reference),
                    quoted(&address)
                );
                self.warnings.push(from.pointer.to_string(), message);
                return Ok(found);
            }
        }
        if let Some(alias) = self.aliases.get(&format!("{address}#{name}")) {
            return Ok(*alias);
        }
        Err(Error::new(ErrorKind::UndefinedRule, format!("{} leads nowhere", quoted(reference))))
    }

    /// The resource of an address; reads the document if it was not read.
    fn resource(&mut self, address: &str) -> Result<Option<Location<'a>>, Error> {
        if !self.addresses.contains_key(address)
            && let Some(document) = self.documents.find(address)
        {
            let root = self.document(document)?;
            if !self.addresses.contains_key(address) {
                let root = self.resources[root].root;
                self.addresses.insert(address.to_owned(), vec![root]);
            }
        }
        if !self.addresses.contains_key(address) && !self.aliases.contains_key(address) {
            // It may be the name that another document gives to itself or to a part of it.
            for document in self.documents.own() {
                self.document(document)?;
            }
        }
        self.named(address)
    }

    /// What an address stands for; an error if that is two things.
    fn named(&self, address: &str) -> Result<Option<Location<'a>>, Error> {
        match self.addresses.get(address).map(Vec::as_slice) {
            None | Some([]) => Ok(None),
            Some([one]) => Ok(Some(*one)),
            Some([one, other, ..]) => {
                let [one, other] = [one, other].map(|location| quoted(&location.pointer.to_string()));
                let message = format!("{} is the name of two schemas: {one} and {other}", quoted(address));
                Err(Error::new(ErrorKind::DuplicateRule, message))
            }
        }
    }

    /// What a fragment means in a resource: a pointer or the name of an anchor.
    fn fragment(
        &mut self,
        root: &Location<'a>,
        address: &str,
        name: &str,
    ) -> Result<Option<Location<'a>>, Error> {
        if name.is_empty() {
            return Ok(Some(*root));
        }
        let Some(path) = name.strip_prefix('/') else {
            return self.named(&format!("{address}#{name}"));
        };
        let mut location = *root;
        for token in path.split('/') {
            self.budget.tick()?;
            let key = match token.contains('~') {
                true => Cow::Owned(token.replace("~1", "/").replace("~0", "~")),
                false => Cow::Borrowed(token),
            };
            let value = match location.json {
                Json::Object(members) => self.member(location.json, members, &key),
                Json::Array(items) => index(&key).and_then(|i| items.get(i)),
                _ => None,
            };
            let Some(value) = value else { return Ok(None) };
            location.json = value;
            location = self.within(location);
        }
        location.pointer = root.pointer.with_text(name, self.documents.room);
        Ok(Some(location))
    }
}

impl<'a> Resolver<'a, '_, '_> {
    /// A member of an object. There may be thousands, and references to each of them.
    fn member(
        &mut self,
        object: &'a Json<'a>,
        members: &'a [(&'a str, Json<'a>)],
        key: &str,
    ) -> Option<&'a Json<'a>> {
        if members.len() <= 16 {
            return object.get(key);
        }
        let all = self.members.entry(object);
        let all = all.or_insert_with(|| members.iter().map(|(key, value)| (*key, value)).collect());
        all.get(key).copied()
    }
}

/// The number of an item, as a pointer writes it.
fn index(token: &str) -> Option<usize> {
    let plain = token == "0" || (!token.starts_with('0') && token.bytes().all(|b| b.is_ascii_digit()));
    if plain { token.parse().ok() } else { None }
}
