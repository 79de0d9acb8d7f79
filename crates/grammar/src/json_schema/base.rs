//! What nearly every schema needs, made once for all of them.

use std::sync::LazyLock;

use super::number::NumberSet;
use super::options::Spelling;
use super::string::Speller;
use crate::error::Error;
use crate::ids::{ExprId, RuleId};
use crate::ir::{Arena, Expr, Grammar, GrammarBuilder, Members, Slot};
use crate::json::{JsonWhitespace, brackets};
use crate::limits::{Budget, Limits};
use crate::passes;

/// See the module documentation. Every schema starts with a copy of the arena and with three rules: any string with its
/// quotes, however it is spelled, and any value, in canonical and in any spelling.
pub(crate) struct Base {
    /// The rules, of which the second is the root.
    grammar: Grammar,
    /// [Bounded](JsonWhitespace::Bounded) white space.
    ws: ExprId,
    /// For canonical and for any spelling: any text without quotes, any number, any integer.
    spelled: [[ExprId; 3]; 2],
}

/// Room for the expressions of a schema of middling size.
const ROOM: usize = 320;

static BASE: LazyLock<Result<Base, Error>> = LazyLock::new(Base::new);

/// The grammar that those of schemas begin with.
pub(crate) fn base() -> Result<&'static Grammar, Error> {
    Base::get().map(|base| &base.grammar)
}

impl Base {
    pub(crate) fn get() -> Result<&'static Base, Error> {
        BASE.as_ref().map_err(Error::clone)
    }

    fn new() -> Result<Base, Error> {
        let limits = Limits::default();
        let mut builder = GrammarBuilder::new(&limits);
        let rules = Base::declare(&mut builder)?;
        let [string, values @ ..] = rules;
        let arena = &mut builder.arena;
        let ws = JsonWhitespace::Bounded.expr(arena, &limits)?;
        let mut parts = vec![ws];
        let mut any = Vec::new();
        for (spelling, value) in [Spelling::Canonical, Spelling::Any].into_iter().zip(values) {
            let number = NumberSet::all().expr(spelling, arena, &limits)?;
            let integer = NumberSet::integers().expr(spelling, arena, &limits)?;
            parts.extend([Speller::new(spelling, None).any_text(arena), number, integer]);
            any.push(any_value(arena, (string, value), number, ws));
        }
        let quote = arena.literal(b"\"");
        let body = arena.concat(&[quote, parts[4], quote]);
        parts.extend(often(arena, (quote, parts[1]), values[0], ws));
        for (rule, body) in rules.into_iter().zip([body, any[0], any[1]]) {
            builder.define(rule, body);
        }
        // Each is made the body of a rule, to have done to it what can be done once and for all.
        let mut calls = Vec::new();
        for &part in &parts {
            let rule = builder.declare("", None)?;
            builder.define(rule, part);
            calls.push(builder.arena.rule(rule));
        }
        calls.extend(rules.map(|rule| builder.arena.rule(rule)));
        let root = builder.declare("", None)?;
        let all = builder.arena.alt(&calls);
        builder.define(root, all);
        let grammar = passes::factored(builder.build(root)?, &mut Budget::new(&limits))?;
        let bodies: Vec<ExprId> = grammar.rules().iter().map(|rule| rule.body).collect();
        let (arena, bodies) = passes::extract_all(grammar.arena(), &bodies[..bodies.len() - 1], &rules);
        let base = arena.len();
        let mut builder = GrammarBuilder::new(&limits);
        builder.arena = arena.with_room(ROOM).with_base(base);
        for (rule, &body) in Base::declare(&mut builder)?.into_iter().zip(&bodies) {
            builder.define(rule, body);
        }
        let spelled = [4, 7].map(|at| [0, 1, 2].map(|part| bodies[at + part]));
        Ok(Base { grammar: builder.build(values[0])?, ws: bodies[3], spelled })
    }

    /// The rules of the base, which are the first ones of every grammar.
    fn declare(builder: &mut GrammarBuilder) -> Result<[RuleId; Grammar::BASE_RULES], Error> {
        Ok([
            builder.declare("string", None)?,
            builder.declare("value", None)?,
            builder.declare("value", None)?,
        ])
    }

    /// A grammar that has these rules.
    pub(crate) fn builder(
        &self,
        spelling: Spelling,
        limits: &Limits,
    ) -> Result<(GrammarBuilder, Library), Error> {
        let mut builder =
            GrammarBuilder::over(self.grammar.arena().with_capacity(limits.exprs, ROOM), limits);
        let [string, values @ ..] = Base::declare(&mut builder)?;
        for (rule, known) in [string, values[0], values[1]].into_iter().zip(self.grammar.rules()) {
            builder.define(rule, known.body);
        }
        let spelling = usize::from(spelling == Spelling::Any);
        let [text, number, integer] = self.spelled[spelling];
        Ok((builder, Library { string, value: values[spelling], text, number, integer, ws: self.ws }))
    }
}

/// What many schemas have, so that whoever runs them can know it beforehand: booleans, members and items of which
/// nothing is known but that they are separated by commas, and texts that are not empty.
fn often(arena: &mut Arena, (quote, text): (ExprId, ExprId), value: RuleId, ws: ExprId) -> [ExprId; 4] {
    let [no, yes] = ["false", "true"].map(|word| arena.literal(word.as_bytes()));
    let boolean = arena.alt(&[no, yes]);
    let (comma, colon, value) = (arena.literal(b","), arena.literal(b":"), arena.rule(value));
    let separator = arena.concat(&[comma, ws]);
    let member = arena.concat(&[quote, text, quote, ws, colon, ws, value, ws]);
    let item = arena.concat(&[value, ws]);
    let [members, items] = [member, item].map(|entry| {
        let slots = Box::new([Slot::anywhere(entry)]);
        let (counts, implies) = (Box::default(), Box::default());
        arena.members(Members { separator, slots, counts, implies, in_order: false })
    });
    let some = match arena.get(text) {
        Expr::Repeat { expr, .. } => arena.repeat(expr, 1, None),
        _ => text,
    };
    [boolean, members, items, some]
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
    /// All numbers, or all integers.
    pub(crate) fn numbers(&self, integers: bool) -> ExprId {
        if integers { self.integer } else { self.number }
    }

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
