//! The kinds of expressions.
//!
//! An [`Expr`] is as small as can be: what it is made of is in the arena, and it says where.

use crate::ids::{ByteSetId, CharSetId, ExprId, MachineId, MembersId, RuleId, TokenSetId};

/// A slice of child expressions in the arena; read it with [`Arena::list`](super::Arena::list).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct List {
    pub(super) start: u32,
    pub(super) len: u32,
}

/// A byte string in the arena; read it with [`Arena::literal_bytes`](super::Arena::literal_bytes).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Literal {
    pub(super) start: u32,
    pub(super) len: u32,
}

/// A set of texts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Expr {
    /// No text at all.
    Never,
    /// The empty text only.
    Empty,
    /// One byte of the set. Sets of ASCII bytes are always written as [`Expr::Chars`].
    Bytes(ByteSetId),
    /// One character of the set, in UTF-8.
    Chars(CharSetId),
    /// Just this byte string, never empty.
    Literal(Literal),
    /// The expressions one after the other; two or more.
    Concat(List),
    /// Any one of the expressions; two or more, none of them [`Expr::Empty`].
    Alt(List),
    /// `min` to `max` times the expression, without end if `max` is `None`.
    Repeat {
        /// What is repeated.
        expr: ExprId,
        /// Least number of times.
        min: u32,
        /// Greatest number of times.
        max: Option<u32>,
    },
    /// The body of a rule.
    Rule(RuleId),
    /// Texts that every one of the expressions matches; two or more, all regular (no rule below).
    And(List),
    /// Byte strings that the expression, which is regular, does not match.
    Not(ExprId),
    /// The empty text, where an assertion about the surrounding text of the innermost [`Expr::Region`] holds.
    Look {
        /// What the text ahead must start with, or the text behind must end with.
        expr: ExprId,
        /// Whether it is about the text behind.
        behind: bool,
        /// Whether the text must *not* match.
        negated: bool,
    },
    /// The expression, which is regular; assertions inside see only the text that this region matches.
    Region(ExprId),
    /// Separated entries under counts; never below a boolean.
    Members(MembersId),
    /// The texts that a procedure accepts; never below a boolean.
    Machine(MachineId),
    /// One token of a set, as a whole; never below a boolean or in members.
    Tokens(TokenSetId),
}

/// Every grammar of a schema begins with a copy of hundreds of them.
const _: () = assert!(size_of::<Expr>() <= 16);

impl Expr {
    /// Whether this is a boolean, an assertion or a region of them: the top of a regular part that passes treat as one symbol.
    pub fn is_boolean(self) -> bool {
        matches!(self, Expr::And(_) | Expr::Not(_) | Expr::Region(_) | Expr::Look { .. })
    }
}
