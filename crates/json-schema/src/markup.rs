//! How else than as JSON a value is written: with marks around the members of objects.

/// How the members of an object are written, instead of as JSON.
///
/// A member is its key and its value between marks. A string is written as it is, up to the closing mark; other
/// values are written as JSON, unless the form is for all depths.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Markup {
    /// What comes before a key.
    pub before_key: &'static str,
    /// What of a key is written as an entity.
    pub escape: &'static [(char, &'static str)],
    /// What comes between a key and its value.
    pub between: Between,
    /// What comes after a value.
    pub close: Close,
    /// What strings must not have in them.
    pub raw_end: &'static str,
    /// Whether white space may be around strings of which only some are allowed.
    pub blank_strings: bool,
    /// Whether white space may be around all other values.
    pub blank_values: bool,
    /// Objects and arrays inside are written in the same way, arrays as this says.
    pub items: Option<Items>,
    /// Which keys there may be beside those of the schema.
    pub free_keys: FreeKeys,
}

/// What comes between a key and its value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Between {
    /// This text.
    Text(&'static str),
    /// Two texts, and white space between them.
    Gap(&'static str, &'static str),
    /// A text with the kind of the value in it.
    Kind {
        /// What is before the kind.
        before: &'static str,
        /// The names of the kinds.
        kinds: Kinds,
        /// What is after the kind.
        after: &'static str,
    },
}

/// What the kinds of values are called.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Kinds {
    /// Of strings.
    pub string: &'static str,
    /// Of numbers.
    pub number: &'static str,
    /// Of `true` and `false`.
    pub boolean: &'static str,
    /// Of `null`.
    pub null: &'static str,
    /// Of objects.
    pub object: &'static str,
    /// Of arrays.
    pub array: &'static str,
}

/// What comes after a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Close {
    /// This text.
    Text(&'static str),
    /// The key again, between two texts.
    Key(&'static str, &'static str),
}

/// How the items of an array are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Items {
    /// As members without a key.
    Unnamed(&'static str),
    /// As members with this key.
    Named(&'static str),
}

/// Which keys there may be beside those of a schema.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FreeKeys {
    /// None.
    Refused,
    /// Letters, digits and underscores.
    Words,
    /// Anything that needs no entity.
    Plain,
}

/// The name of the rule for any string between marks. Whoever puts the grammar into another one says what such a string is:
/// free text in which neither the end mark nor anything excluded is.
pub const FREE_STRING: &str = "free string";

/// How the values of a schema are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Writing<'a> {
    /// Instead of as JSON.
    pub markup: Option<&'a Markup>,
    /// Texts that are not in what is written of a string or a key.
    pub excludes: &'a [String],
}
