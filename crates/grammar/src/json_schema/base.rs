//! What nearly every schema needs, made once for all of them.

use std::sync::LazyLock;

use super::number::NumberSet;
use super::options::Spelling;
use super::string::Speller;
use crate::error::Error;
use crate::ids::{ExprId, RuleId};
use crate::ir::{Arena, GrammarBuilder};
use crate::json::{JsonWhitespace, brackets};
use crate::limits::{Budget, Limits};
use crate::passes;

/// See the module documentation. Every schema starts with a copy of the arena, and with two rules: any string with its
/// quotes, however it is spelled, and any value.
pub(crate) struct Base {
    arena: Arena,
    string: ExprId,
    /// [Bounded](JsonWhitespace::Bounded) white space.
    ws: ExprId,
    /// For canonical and for any spelling: any text without quotes, any number, any integer, any value with this white
    /// space.
    spelled: [[ExprId; 4]; 2],
}

/// Room for the expressions of a schema of middling size.
const ROOM: usize = 320;

static BASE: LazyLock<Result<Base, Error>> = LazyLock::new(Base::new);

impl Base {
    pub(crate) fn get() -> Result<&'static Base, Error> {
        BASE.as_ref().map_err(Error::clone)
    }

    fn new() -> Result<Base, Error> {
        let limits = Limits::default();
        let mut builder = GrammarBuilder::new(&limits);
        let (string, value) = (builder.declare("string", None)?, builder.declare("value", None)?);
        let arena = &mut builder.arena;
        let ws = JsonWhitespace::Bounded.expr(arena, &limits)?;
        let mut parts = vec![ws];
        for spelling in [Spelling::Canonical, Spelling::Any] {
            let number = NumberSet::all().expr(spelling, arena, &limits)?;
            let integer = NumberSet::integers().expr(spelling, arena, &limits)?;
            let any = any_value(arena, (string, value), number, ws);
            parts.extend([Speller::new(spelling, None).any_text(arena), number, integer, any]);
        }
        let quote = arena.literal(b"\"");
        let body = arena.concat(&[quote, parts[5], quote]);
        builder.define(string, body);
        builder.define(value, parts[4]);
        // Each is made the body of a rule, to have done to it what can be done once and for all.
        let mut calls = Vec::new();
        for &part in &parts {
            let rule = builder.declare("", None)?;
            builder.define(rule, part);
            calls.push(builder.arena.rule(rule));
        }
        let root = builder.declare("", None)?;
        let all = builder.arena.alt(&calls);
        builder.define(root, all);
        let grammar = passes::factored(builder.build(root)?, &mut Budget::new(&limits))?;
        let bodies: Vec<ExprId> = grammar.rules().iter().map(|rule| rule.body).collect();
        let (arena, bodies) =
            passes::extract_all(grammar.arena(), &bodies[..bodies.len() - 1], &[string, value]);
        let spelled = [3, 7].map(|at| [0, 1, 2, 3].map(|part| bodies[at + part]));
        Ok(Base { string: bodies[0], ws: bodies[2], spelled, arena: arena.with_room(ROOM) })
    }

    /// A grammar that has the two rules.
    pub(crate) fn builder(
        &self,
        spelling: Spelling,
        limits: &Limits,
    ) -> Result<(GrammarBuilder, Library), Error> {
        let mut builder = GrammarBuilder::new(limits);
        builder.arena = self.arena.with_capacity(limits.exprs);
        let (string, value) = (builder.declare("string", None)?, builder.declare("value", None)?);
        let [text, number, integer, any] = self.spelled[usize::from(spelling == Spelling::Any)];
        builder.define(string, self.string);
        builder.define(value, any);
        Ok((builder, Library { string, value, text, number, integer, ws: self.ws }))
    }
}

/// What a grammar begins with.
#[derive(Clone, Copy)]
pub(crate) struct Library {
    /// Any string with its quotes.
    pub(crate) string: RuleId,
    /// Any value, with the white space `ws`.
    pub(crate) value: RuleId,
    /// Any text without quotes.
    pub(crate) text: ExprId,
    number: ExprId,
    integer: ExprId,
    /// Bounded white space.
    pub(crate) ws: ExprId,
}

impl Library {
    /// The expression of a set of numbers, if it is one of those here.
    pub(crate) fn number(&self, set: &NumberSet) -> Option<ExprId> {
        match () {
            () if set.is_all() => Some(self.number),
            () if set.is_integers() => Some(self.integer),
            () => None,
        }
    }
}

/// Any value whose keys and items are not to be told apart.
fn any_value(arena: &mut Arena, (string, value): (RuleId, RuleId), number: ExprId, ws: ExprId) -> ExprId {
    let (string, value, colon) = (arena.rule(string), arena.rule(value), arena.literal(b":"));
    let member = arena.concat(&[string, ws, colon, ws, value, ws]);
    let item = arena.concat(&[value, ws]);
    let (object, array) = (brackets(arena, b"{", member, b"}", ws), brackets(arena, b"[", item, b"]", ws));
    let [null, no, yes] = ["null", "false", "true"].map(|word| arena.literal(word.as_bytes()));
    arena.alt(&[null, no, yes, number, string, array, object])
}
