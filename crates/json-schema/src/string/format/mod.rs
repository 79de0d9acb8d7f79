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
mod host;
mod idn;
mod idn_chars;
#[rustfmt::skip]
mod idn_tables;
mod known;
mod mail;
mod normal;
mod pattern;
mod punycode;
#[cfg(test)]
mod tests;
mod time;
mod ulabel;
mod uri;

use tokenstile_grammar::ir::{Arena, CharSet};
use tokenstile_grammar::{Error, ExprId, Limits, RegexOptions, regex_expr};

pub(crate) use known::{FormatId, Nested};

/// The texts of a format.
///
/// What no plain expression can say is said by several.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Format {
    /// All of them: for whether a text is one. Machines may be in it, and below booleans too.
    pub(crate) exact: ExprId,
    /// As many as can be written down, with machines that stand below no boolean.
    pub(crate) written: ExprId,
    /// As many as a plain expression can say, and no others.
    pub(crate) least: ExprId,
    /// All of them, and others, as a plain expression.
    pub(crate) most: ExprId,
}

impl Format {
    pub(crate) fn plain(expr: ExprId) -> Self {
        Format { exact: expr, written: expr, least: expr, most: expr }
    }

    /// Whether one plain expression says it all.
    pub(crate) fn is_plain(&self) -> bool {
        *self == Format::plain(self.exact)
    }
}

/// The texts of a format that some draft knows.
fn build_format(name: &str, arena: &mut Arena, limits: &Limits) -> Result<Format, Error> {
    let mut build = Build { arena, limits };
    let plain = match name {
        "hostname" | "idn-hostname" => build.arena.never(),
        "date-time" => time::date_time(&mut build)?,
        "date" => time::date(&mut build)?,
        "time" => time::time(&mut build)?,
        "duration" => build.re(time::DURATION)?,
        "email" => mail::email(&mut build, false)?,
        "idn-email" => mail::email(&mut build, true)?,
        "ipv4" => host::ipv4(&mut build)?,
        "ipv6" => host::ipv6(&mut build)?,
        "uri" => uri::uri(&mut build, uri::Kind::Uri)?,
        "uri-reference" => uri::reference(&mut build, uri::Kind::Uri)?,
        "iri" => uri::uri(&mut build, uri::Kind::Iri)?,
        "iri-reference" => uri::reference(&mut build, uri::Kind::Iri)?,
        "uri-template" => uri::template(&mut build)?,
        "uuid" => build.re("[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}")?,
        "json-pointer" => build.re("(?:/(?:[^/~]|~[01])*)*")?,
        "relative-json-pointer" => build.re("(?:0|[1-9][0-9]*)(?:#|(?:/(?:[^/~]|~[01])*)*)")?,
        _ => pattern::pattern(&mut build)?,
    };
    let format = match name {
        "hostname" => host::hostname(&mut build)?,
        "idn-hostname" => idn::hostname(&mut build)?,
        _ => Format::plain(plain),
    };
    if build.arena.overflowed() {
        return Err(Error::limit("exprs", limits.exprs));
    }
    Ok(format)
}

/// A number of times that has no bound.
const ENDLESS: u32 = u32::MAX;

/// What the formats are built with.
struct Build<'a> {
    arena: &'a mut Arena,
    limits: &'a Limits,
}

impl Build<'_> {
    /// The texts that a pattern, in the syntax of the `regex` crate, matches from start to end.
    fn re(&mut self, pattern: &str) -> Result<ExprId, Error> {
        regex_expr(pattern, &RegexOptions::default().with_dot_all(true), self.arena, self.limits)
    }

    fn text(&mut self, text: &str) -> ExprId {
        self.arena.literal(text.as_bytes())
    }

    fn chars(&mut self, ranges: &[(u32, u32)]) -> ExprId {
        self.arena.chars(&CharSet::from_ranges(ranges.iter().copied()))
    }

    /// One character of a text, or of the ranges.
    fn one_of(&mut self, chars: &str, ranges: &[(u32, u32)]) -> ExprId {
        let chars = chars.chars().map(|c| (c as u32, c as u32));
        self.arena.chars(&CharSet::from_ranges(chars.chain(ranges.iter().copied())))
    }

    fn seq(&mut self, parts: &[ExprId]) -> ExprId {
        self.arena.concat(parts)
    }

    fn any(&mut self, parts: &[ExprId]) -> ExprId {
        self.arena.alt(parts)
    }

    fn rep(&mut self, expr: ExprId, min: u32, max: u32) -> ExprId {
        self.arena.repeat(expr, min, (max != ENDLESS).then_some(max))
    }

    fn star(&mut self, expr: ExprId) -> ExprId {
        self.arena.star(expr)
    }

    fn plus(&mut self, expr: ExprId) -> ExprId {
        self.arena.repeat(expr, 1, None)
    }

    fn opt(&mut self, expr: ExprId) -> ExprId {
        self.arena.optional(expr)
    }
}
