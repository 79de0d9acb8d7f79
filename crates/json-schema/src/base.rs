//! What nearly every schema needs, made once for all of them.

use std::sync::Arc;

use tokenstile_grammar::ir::{Arena, Base, BaseParts, Expr, Members, Slot, UsualGrammars};
use tokenstile_grammar::json::{brackets, white_space};
use tokenstile_grammar::limits::Budget;
use tokenstile_grammar::{Error, ExprId, GrammarBuilder, JsonWhitespace, Limits, RuleId, passes};

use super::number::{Decimal, NumberSet};
use super::options::Spelling;
use super::string::{FormatId, Nested, Speller, control_escapes};

/// The base of schemas, and what its expressions are. Its rules: any string with its quotes, however it is spelled, any
/// value, in canonical and in any spelling, and those of the format that nests.
pub(crate) struct SchemaBase {
    /// The grammar, of which the second rule is the root.
    base: Arc<Base>,
    rules: [RuleId; RULES],
    /// [Bounded](JsonWhitespace::Bounded) white space.
    ws: ExprId,
    /// The [escapes of control characters](control_escapes).
    controls: ExprId,
    /// For canonical and for any spelling: any text without quotes, any number, any integer.
    spelled: [[ExprId; 3]; 2],
    /// What JSON writes for nearly all formats, canonically and with the opening quote.
    formats: Vec<(FormatId, ExprId)>,
    /// The bounds on numbers that are asked for most, in canonical spelling.
    numbers: Vec<(Numbers, ExprId)>,
}

/// Room for the expressions of a schema of middling size.
const ROOM: usize = 320;

/// How many rules it has.
const RULES: usize = 6;

impl SchemaBase {
    /// The base, which says that `usual` is what is usually asked for.
    pub(crate) fn new(usual: UsualGrammars) -> Result<SchemaBase, Error> {
        let limits = Limits::default();
        let mut builder = GrammarBuilder::new(&limits);
        let rules = SchemaBase::declare(&mut builder)?;
        let [string, canonical, other, nested @ ..] = rules;
        let values = [canonical, other];
        let arena = &mut builder.arena;
        let ws = white_space(&JsonWhitespace::Bounded, arena, &limits)?;
        let mut parts = vec![ws, control_escapes(arena)];
        let mut any = Vec::new();
        for (spelling, value) in [Spelling::Canonical, Spelling::Any].into_iter().zip(values) {
            let number = NumberSet::all().expr(spelling, arena, &limits)?;
            let integer = NumberSet::integers().expr(spelling, arena, &limits)?;
            parts.extend([Speller::new(spelling).any_text(arena), number, integer]);
            any.push(any_value(arena, (string, value), number, ws));
        }
        let quote = arena.literal(b"\"");
        let body = arena.concat(&[quote, parts[5], quote]);
        let [text, number, integer] = [parts[2], parts[3], parts[4]];
        let often = often(arena, Often { quote, text, number, integer, string, value: values[0] }, ws);
        parts.extend(often);
        let formats: Vec<FormatId> = FormatId::shared().collect();
        let nested = Nested::new(nested, arena, &limits)?;
        parts.extend(
            formats.iter().map(|format| if format.nests() { nested.opened } else { format.opened(arena) }),
        );
        let numbers = known_numbers()?;
        for Numbers { set, plain } in &numbers {
            parts.push(match plain {
                true => set.plain_integers(arena)?,
                false => set.expr(Spelling::Canonical, arena, &limits)?,
            });
        }
        for (rule, body) in rules.into_iter().zip([body, any[0], any[1]].into_iter().chain(nested.bodies)) {
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
        let mut builder = GrammarBuilder::new(&limits);
        builder.arena = arena;
        for (rule, &body) in SchemaBase::declare(&mut builder)?.into_iter().zip(&bodies) {
            builder.define(rule, body);
        }
        let first = rules.len();
        let spelled = [2, 5].map(|at| [0, 1, 2].map(|part| bodies[first + at + part]));
        let written = &bodies[bodies.len() - formats.len() - numbers.len()..];
        let (of_formats, of_numbers) = written.split_at(formats.len());
        let formats = formats.into_iter().zip(of_formats.iter().copied()).collect();
        let numbers = numbers.into_iter().zip(of_numbers.iter().copied()).collect();
        let (ws, controls) = (bodies[first], bodies[first + 1]);
        let signs = b"\",}]".iter().copied().collect();
        let base = Base::new(builder.build(values[0])?, BaseParts { usual, signs });
        Ok(SchemaBase { base, rules, ws, controls, spelled, formats, numbers })
    }

    /// What all grammars begin with.
    pub(crate) fn base(&self) -> &Arc<Base> {
        &self.base
    }

    /// The rules of the base, which are the first ones of every grammar.
    fn declare(builder: &mut GrammarBuilder) -> Result<[RuleId; RULES], Error> {
        Ok([
            builder.declare("string", None)?,
            builder.declare("value", None)?,
            builder.declare("value", None)?,
            builder.declare("class", None)?,
            builder.declare("regex", None)?,
            builder.declare("regex", None)?,
        ])
    }

    /// A grammar that has these rules.
    pub(crate) fn builder(
        &'static self,
        spelling: Spelling,
        limits: &Limits,
    ) -> Result<(GrammarBuilder, Library), Error> {
        let builder = self.base.builder(limits, ROOM)?;
        let [string, canonical, other, ..] = self.rules;
        let any = spelling == Spelling::Any;
        let [text, number, integer] = self.spelled[usize::from(any)];
        let numbers = if any { &[] } else { &self.numbers[..] };
        let value = if any { other } else { canonical };
        let formats = &self.formats[..];
        let SchemaBase { ws, controls, .. } = *self;
        Ok((builder, Library { string, value, text, number, integer, numbers, formats, ws, controls }))
    }
}

/// What many schemas have, so that whoever runs them can know it beforehand: booleans, simple values that may be null
/// or of another type, members and items of which nothing is known but that they are separated by commas, lists and
/// dictionaries of simple values, and texts that are not empty.
fn often(arena: &mut Arena, parts: Often, ws: ExprId) -> Vec<ExprId> {
    let Often { quote, text, number, integer, string, value } = parts;
    let [null, no, yes] = ["null", "false", "true"].map(|word| arena.literal(word.as_bytes()));
    let (comma, colon) = (arena.literal(b","), arena.literal(b":"));
    let (string, value) = (arena.rule(string), arena.rule(value));
    let mut often = vec![arena.alt(&[no, yes]), arena.alt(&[null, no, yes])];
    often.extend([string, number, integer].map(|simple| arena.alt(&[simple, null])));
    often.extend([number, integer].map(|simple| arena.alt(&[simple, string])));
    let separator = arena.concat(&[comma, ws]);
    let [member, of_string] =
        [value, string].map(|of| arena.concat(&[quote, text, quote, ws, colon, ws, of, ws]));
    let items = [value, string, number, integer].map(|item| arena.concat(&[item, ws]));
    for entry in [member].into_iter().chain(items) {
        let slots = Box::new([Slot::anywhere(entry)]);
        let counts = Box::default();
        often.push(arena.members(Members { separator, slots, counts, condition: None, in_order: false }));
    }
    often.extend([member, of_string].map(|member| brackets(arena, b"{", member, b"}", ws)));
    if let Expr::Repeat { expr, .. } = arena.get(text) {
        often.push(arena.repeat(expr, 1, None));
    }
    often
}

/// What that is made of.
struct Often {
    quote: ExprId,
    /// Any text without quotes.
    text: ExprId,
    number: ExprId,
    integer: ExprId,
    string: RuleId,
    value: RuleId,
}

/// A set of numbers, perhaps of integers that are written as such.
struct Numbers {
    set: NumberSet,
    plain: bool,
}

/// The sets of numbers that are in the base besides those of all: from zero or one up, and between them.
fn known_numbers() -> Result<Vec<Numbers>, Error> {
    let (zero, one) = (Decimal::zero(), Decimal::power_of_ten(0));
    let from = |bound: &Decimal| NumberSet::at_least(bound.clone(), false);
    let integers = NumberSet::integers();
    let integers = [integers.intersect(&from(&zero))?, integers.intersect(&from(&one))?, integers];
    let numbers = [
        from(&zero),
        NumberSet::at_least(zero.clone(), true),
        from(&one),
        from(&zero).intersect(&NumberSet::at_most(one, false))?,
    ];
    let plain = integers.iter().map(|set| Numbers { set: set.clone(), plain: true });
    let others = integers.iter().take(2).chain(&numbers);
    Ok(plain.chain(others.map(|set| Numbers { set: set.clone(), plain: false })).collect())
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
    /// Other sets of numbers.
    numbers: &'static [(Numbers, ExprId)],
    formats: &'static [(FormatId, ExprId)],
    /// Bounded white space.
    pub(crate) ws: ExprId,
    /// What follows the backslash in the long escapes of control characters.
    pub(crate) controls: ExprId,
}

impl Library {
    /// All numbers, or all integers.
    pub(crate) fn numbers(&self, integers: bool) -> ExprId {
        if integers { self.integer } else { self.number }
    }

    /// What JSON writes for a format, canonically and with the opening quote, if it is here.
    pub(crate) fn format(&self, format: FormatId) -> Option<ExprId> {
        self.formats.iter().find(|known| known.0 == format).map(|known| known.1)
    }

    /// The expression of a set of numbers, perhaps of integers that are written as such, if it is one of those here.
    pub(crate) fn number(&self, set: &NumberSet, plain: bool) -> Option<ExprId> {
        match plain {
            false if set.is_all() => Some(self.number),
            false if set.is_integers() => Some(self.integer),
            _ => {
                let known = |known: &&(Numbers, ExprId)| known.0.plain == plain && known.0.set == *set;
                self.numbers.iter().find(known).map(|known| known.1)
            }
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
