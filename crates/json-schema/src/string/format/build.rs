//! The expressions that formats are made of, in few words.

use tokenstile_grammar::ir::{Arena, CharSet};
use tokenstile_grammar::{Error, ExprId, Limits, RegexOptions, regex_expr};

/// A number of times that has no bound.
pub(super) const ENDLESS: u32 = u32::MAX;

/// What the formats are built with.
pub(super) struct Build<'a> {
    pub(super) arena: &'a mut Arena,
    pub(super) limits: &'a Limits,
}

impl Build<'_> {
    /// The texts that a pattern, in the syntax of the `regex` crate, matches from start to end.
    pub(super) fn re(&mut self, pattern: &str) -> Result<ExprId, Error> {
        regex_expr(pattern, &RegexOptions::default().with_dot_all(true), self.arena, self.limits)
    }

    pub(super) fn text(&mut self, text: &str) -> ExprId {
        self.arena.literal(text.as_bytes())
    }

    pub(super) fn chars(&mut self, ranges: &[(u32, u32)]) -> ExprId {
        self.arena.chars(&CharSet::from_ranges(ranges.iter().copied()))
    }

    /// One character of a text, or of the ranges.
    pub(super) fn one_of(&mut self, chars: &str, ranges: &[(u32, u32)]) -> ExprId {
        let chars = chars.chars().map(|c| (c as u32, c as u32));
        self.arena.chars(&CharSet::from_ranges(chars.chain(ranges.iter().copied())))
    }

    pub(super) fn seq(&mut self, parts: &[ExprId]) -> ExprId {
        self.arena.concat(parts)
    }

    pub(super) fn any(&mut self, parts: &[ExprId]) -> ExprId {
        self.arena.alt(parts)
    }

    pub(super) fn rep(&mut self, expr: ExprId, min: u32, max: u32) -> ExprId {
        self.arena.repeat(expr, min, (max != ENDLESS).then_some(max))
    }

    pub(super) fn star(&mut self, expr: ExprId) -> ExprId {
        self.arena.star(expr)
    }

    pub(super) fn plus(&mut self, expr: ExprId) -> ExprId {
        self.arena.repeat(expr, 1, None)
    }

    pub(super) fn opt(&mut self, expr: ExprId) -> ExprId {
        self.arena.optional(expr)
    }
}
