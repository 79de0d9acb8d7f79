//! The values of `format` as plain regular expressions, if they are regular.
//!
//! Each is as exact as its RFC is regular. Where it is not, what is accepted is right, and some of what is right is
//! not accepted; the functions say where:
//!
//! * `regex` is ECMA-262 without back-references, and as a plain expression with groups to a certain depth ([`pattern`]);
//! * `hostname` and `idn-hostname` share out the greatest length among the labels beforehand. Encoded labels (`xn--…`)
//!   are told by a [machine](alabel), so these formats are more than one plain expression ([`Format`]);
//! * `time` and `date-time` have leap seconds with offsets in quarters of an hour only, as all offsets in use are.
//!
//! Three things are not looked at: the length of an address of mail, the length of an internationalized label once it
//! is encoded, and whether such a label is normalized if it is not encoded.

mod alabel;
mod build;
mod by_name;
mod host;
mod idn;
mod idn_chars;
mod idn_sets;
#[rustfmt::skip]
mod idn_tables;
mod known;
mod mail;
mod normal;
mod pattern;
mod punycode;
#[cfg(test)]
mod tests;
mod texts;
mod time;
mod ulabel;
mod uri;

pub(crate) use known::{FormatId, Nested};
pub(crate) use texts::Format;
