//! The members of a JSON object, taken out by name and type.

use std::cell::RefCell;

use tokenstile_grammar::Error;
use tokenstile_grammar::ir::Warning;
use tokenstile_json_schema::Json;

use crate::format::Token;
use crate::path::{Path, syntax};

/// The largest bound on tokens, characters and repetitions.
const MOST: u32 = i32::MAX as u32;

/// An object, what it stands for, and where it is.
#[derive(Clone, Copy)]
pub(crate) struct Fields<'a, 'p> {
    members: &'a [(&'a str, Json<'a>)],
    what: &'a str,
    pub(crate) at: &'p Path<'p>,
}

impl<'a, 'p> Fields<'a, 'p> {
    /// The members of a value that must be an object; `what` is for messages.
    pub(crate) fn of(value: &Json<'a>, what: &'a str, at: &'p Path<'p>) -> Result<Self, Error> {
        match value {
            Json::Object(members) => Ok(Fields { members, what, at }),
            other => Err(wrong(what, "an object", other, at)),
        }
    }

    /// The same members, as what they turned out to stand for.
    pub(crate) fn named(self, what: &'a str) -> Self {
        Fields { what, ..self }
    }

    /// Whether there is a member.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.members.iter().any(|(key, _)| *key == name)
    }

    /// A member; one that is null counts as absent.
    pub(crate) fn get(&self, name: &str) -> Option<&'a Json<'a>> {
        let found = self.members.iter().find(|(key, _)| *key == name);
        found.map(|(_, value)| value).filter(|value| **value != Json::Null)
    }

    /// The names of all members.
    pub(crate) fn names(&self) -> impl Iterator<Item = &'a str> {
        self.members.iter().map(|(key, _)| *key)
    }

    /// A member that must be there.
    pub(crate) fn required(&self, name: &str) -> Result<&'a Json<'a>, Error> {
        self.get(name).ok_or_else(|| syntax(format!("{} needs `{name}`", self.what), self.at))
    }

    /// A text that must be there.
    pub(crate) fn text(&self, name: &str) -> Result<&'a str, Error> {
        let value = self.required(name)?;
        value.as_str().ok_or_else(|| wrong(&format!("`{name}`"), "a string", value, &self.at.field(name)))
    }

    /// A text that must be there and have something in it.
    pub(crate) fn filled(&self, name: &str) -> Result<&'a str, Error> {
        match self.text(name)? {
            "" => Err(syntax(format!("`{name}` is empty"), &self.at.field(name))),
            text => Ok(text),
        }
    }

    /// An array that must be there and have something in it.
    pub(crate) fn items(&self, name: &str) -> Result<&'a [Json<'a>], Error> {
        match self.required(name)? {
            Json::Array([]) => Err(syntax(format!("`{name}` is empty"), &self.at.field(name))),
            Json::Array(items) => Ok(items),
            other => Err(wrong(&format!("`{name}`"), "an array", other, &self.at.field(name))),
        }
    }

    /// An array that is empty if it is absent.
    fn any_items(&self, name: &str) -> Result<&'a [Json<'a>], Error> {
        match self.get(name) {
            None | Some(Json::Array([])) => Ok(&[]),
            Some(_) => self.items(name),
        }
    }

    /// An array of texts that have something in them; none if it is absent.
    pub(crate) fn texts(&self, name: &str) -> Result<Vec<String>, Error> {
        let at = self.at.field(name);
        let text = |(i, item)| filled_text(item, &at.index(i)).map(str::to_owned);
        self.any_items(name)?.iter().enumerate().map(text).collect()
    }

    /// An array of tokens; none if it is absent.
    pub(crate) fn tokens(&self, name: &str) -> Result<Vec<Token>, Error> {
        let at = self.at.field(name);
        self.any_items(name)?.iter().enumerate().map(|(i, item)| token(item, &at.index(i))).collect()
    }

    /// A flag.
    pub(crate) fn flag(&self, name: &str, absent: bool) -> Result<bool, Error> {
        match self.get(name) {
            None => Ok(absent),
            Some(Json::Bool(is)) => Ok(*is),
            Some(other) => Err(wrong(&format!("`{name}`"), "true or false", other, &self.at.field(name))),
        }
    }

    /// A count, if it is there.
    pub(crate) fn count(&self, name: &str) -> Result<Option<u32>, Error> {
        let Some(value) = self.get(name) else { return Ok(None) };
        let count = whole(value).and_then(|number| u32::try_from(number).ok()).filter(|&count| count <= MOST);
        let problem =
            || syntax(format!("`{name}` must be an integer from 0 to {MOST}"), &self.at.field(name));
        count.map(Some).ok_or_else(problem)
    }

    /// Warns of members that are none of `known`.
    pub(crate) fn only(&self, known: &[&str], warnings: &RefCell<Vec<Warning>>) {
        for name in self.names().filter(|name| !known.contains(name)) {
            let message = format!("{} has no field `{name}`: it is ignored", self.what);
            warnings.borrow_mut().push(Warning::new(message).with_pointer(self.at.field(name).pointer()));
        }
    }
}

/// A whole number, also one that is written with a fraction of zeros.
pub(crate) fn whole(value: &Json<'_>) -> Option<i64> {
    let Json::Number(text) = value else { return None };
    let digits = match text.split_once('.') {
        Some((whole, zeros)) if zeros.bytes().all(|b| b == b'0') => whole,
        _ => text,
    };
    digits.parse().ok()
}

/// A token, by number or by text.
pub(crate) fn token(value: &Json<'_>, at: &Path<'_>) -> Result<Token, Error> {
    match value {
        Json::String(_) => filled_text(value, at).map(|text| Token::Text(text.to_owned())),
        _ => match whole(value).and_then(|number| u32::try_from(number).ok()) {
            Some(id) => Ok(Token::Id(id)),
            None => Err(wrong("a token", "its number or its text", value, at)),
        },
    }
}

/// A text that has something in it.
pub(crate) fn filled_text<'a>(value: &Json<'a>, at: &Path<'_>) -> Result<&'a str, Error> {
    match value {
        Json::String("") => Err(syntax("the text is empty", at)),
        Json::String(text) => Ok(text),
        other => Err(wrong("this", "a string", other, at)),
    }
}

/// The error that something is not of the type it must have.
pub(crate) fn wrong(what: &str, expected: &str, value: &Json<'_>, at: &Path<'_>) -> Error {
    syntax(format!("{what} must be {expected}, not {}", value.describe()), at)
}
