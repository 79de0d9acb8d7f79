//! JSON texts as values (RFC 8259).

/// A JSON value. Numbers are kept as written; the members of an object are in order, none twice.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Json {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A number, as written.
    Number(String),
    /// A string, its escapes resolved.
    String(String),
    /// An array.
    Array(Vec<Json>),
    /// An object.
    Object(Vec<(String, Json)>),
}
