//! How a JSON Schema is read.

use tokenstile_grammar::JsonWhitespace;
/// In which order the members of an object may be written.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[non_exhaustive]
pub enum MemberOrder {
    /// Any.
    #[default]
    Any,
    /// As the schema lists its properties; others after them.
    Declared,
}

/// Which spellings of a value may be written.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[non_exhaustive]
pub enum Spelling {
    /// One for each value, as a writer of JSON would: characters as themselves where JSON allows it, integers without
    /// a fraction, no exponents where bounds are to be kept.
    #[default]
    Canonical,
    /// Every one that JSON has: `"\u0061"` for `"a"`, `1.0` and `10e-1` for `1`.
    Any,
}

/// A version of JSON Schema.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
#[non_exhaustive]
pub enum Draft {
    /// Draft 4.
    Draft4,
    /// Draft 6.
    Draft6,
    /// Draft 7.
    Draft7,
    /// Draft 2019-09.
    Draft201909,
    /// Draft 2020-12.
    #[default]
    Draft202012,
}

/// How to read a JSON Schema, and which texts of its instances may be written.
///
/// The default is what a model should write ([`canonical`](JsonOptions::canonical)): a part of the valid texts.
/// [`exact`](JsonOptions::exact) stands for all of them.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct JsonOptions {
    /// Order of members.
    pub order: MemberOrder,
    /// White space between tokens.
    pub whitespace: JsonWhitespace,
    /// Spellings of strings and numbers.
    pub spelling: Spelling,
    /// Objects that do not say otherwise have no members but the listed ones. (JSON Schema allows others.)
    pub closed: bool,
    /// `format` is not enforced, as an annotation only.
    pub ignore_formats: bool,
    /// What cannot be enforced is left out with a warning, instead of being refused.
    pub lenient: bool,
    /// What a schema without `$schema` is read as.
    pub draft: Draft,
    /// Schemas that `$ref` may name beside the schema itself: address and text.
    pub documents: Vec<(String, String)>,
}

impl JsonOptions {
    /// What a model should write.
    pub fn canonical() -> Self {
        JsonOptions::default()
    }

    /// Every JSON text that is a valid instance.
    pub fn exact() -> Self {
        JsonOptions { whitespace: JsonWhitespace::Any, spelling: Spelling::Any, ..JsonOptions::default() }
    }
}
