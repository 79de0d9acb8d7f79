//! From value sets to the rules of a grammar.
//!
//! A goal is written where it is first used. If its set has arrays or objects, it becomes a rule when it is asked for
//! once more: inside itself, or elsewhere. What is nested very deeply is put on a list of goals to do, each a rule.

mod array;
mod finite;
mod judged;
mod marked_up;
mod object;
mod union;

use std::fmt::Write;

use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use tokenstile_grammar::choice::trie_of_literals;
use tokenstile_grammar::ir::{Arena, ByteSet, CharSet, Expr, Tracking};
use tokenstile_grammar::json::white_space;
use tokenstile_grammar::limits::Budget;
use tokenstile_grammar::{Error, ErrorKind, ExprId, Grammar, JsonWhitespace, RuleId};

use super::algebra::{Algebra, Atom, GoalId, Set, Strings};
use super::node::{Node, Schema, Types};
use super::options::Spelling;
use super::string::{Speller, encode_literal, encode_opened};
use crate::tuning::lower::DEPTH;

/// What was written for a goal.
#[derive(Clone, Copy)]
enum Known {
    Nothing,
    /// It is being written, and the rule that it will be if it was asked for meanwhile.
    Open(Option<RuleId>),
    /// An expression, and whether to ask for it again should make it a rule.
    Written(ExprId, bool),
}

/// A grammar in the making.
pub(crate) struct Lower<'a> {
    algebra: Algebra<'a>,
    /// What was written for each goal, by number.
    known: Vec<Known>,
    todo: Vec<(GoalId, RuleId)>,
    /// How many goals are being written within each other.
    depth: usize,
    speller: Speller,
    /// What is written for expressions over characters, with the opening quote.
    spelled: FxHashMap<ExprId, ExprId>,
    /// Room for a text with its quotes.
    bytes: Vec<u8>,
    /// The white space between tokens.
    ws: ExprId,
    signs: Signs,
    /// Any value, once something asked for it.
    value: Option<ExprId>,
    tracking: Tracking,
    /// Whether some array must not repeat an item, and it is not the grammar that sees to it.
    minds_repeated_items: bool,
    /// Texts that are not in what is written of a string.
    excludes: &'a [String],
}

/// What stands between values and around them.
struct Signs {
    quote: ExprId,
    colon: ExprId,
    /// A comma and white space.
    separator: ExprId,
    braces: [ExprId; 2],
    brackets: [ExprId; 2],
}

impl Signs {
    fn new(arena: &mut Arena, ws: ExprId) -> Self {
        let comma = arena.literal(b",");
        Signs {
            quote: arena.literal(b"\""),
            colon: arena.literal(b":"),
            separator: arena.concat(&[comma, ws]),
            braces: [b"{", b"}"].map(|brace| arena.literal(brace)),
            brackets: [b"[", b"]"].map(|bracket| arena.literal(bracket)),
        }
    }
}

impl<'a> Lower<'a> {
    pub(crate) fn new(mut algebra: Algebra<'a>, excludes: &'a [String]) -> Result<Self, Error> {
        let ws = match &algebra.options.whitespace {
            JsonWhitespace::Bounded => algebra.library.ws,
            other => white_space(other, &mut algebra.builder.arena, algebra.limits)?,
        };
        let speller = Speller::over(algebra.options.spelling, algebra.library.text, algebra.library.controls);
        let known = Vec::with_capacity(algebra.nodes.nodes.len() + 2);
        let signs = Signs::new(&mut algebra.builder.arena, ws);
        Ok(Lower {
            speller,
            spelled: FxHashMap::default(),
            bytes: Vec::with_capacity(64),
            algebra,
            known,
            todo: Vec::new(),
            depth: 0,
            ws,
            signs,
            value: None,
            tracking: Tracking { keys: false, items: false, keys_abound: u32::MAX },
            minds_repeated_items: false,
            excludes,
        })
    }

    /// The grammar of the values that have a goal.
    pub(crate) fn grammar(mut self, goal: GoalId) -> Result<(Grammar, Budget<'a>), Error> {
        let mut root = self.rules(goal)?;
        if self.minds_repeated_items {
            // Then all other arrays have to say that they do not mind: they are written once more.
            self.tracking.items = true;
            self.known.clear();
            self.value = None;
            root = self.rules(goal)?;
        }
        self.algebra.builder.track(self.tracking);
        Ok((self.algebra.builder.build(root)?, self.algebra.budget))
    }

    /// Writes the rules of a goal and of all that it asks for.
    fn rules(&mut self, goal: GoalId) -> Result<RuleId, Error> {
        let root = self.algebra.builder.declare("root", None)?;
        let body = match goal {
            GoalId::NEVER | GoalId::ANY => self.value_of(goal)?,
            _ => {
                self.know(goal, Known::Open(Some(root)));
                self.body_of(goal)?.0
            }
        };
        self.algebra.builder.define(root, body);
        while let Some((goal, rule)) = self.todo.pop() {
            let body = self.body_of(goal)?.0;
            self.algebra.builder.define(rule, body);
        }
        Ok(root)
    }

    /// The values of a goal.
    fn value_of(&mut self, goal: GoalId) -> Result<ExprId, Error> {
        match goal {
            GoalId::NEVER => return Ok(self.algebra.builder.arena.never()),
            GoalId::ANY => return self.any_value(),
            _ => {}
        }
        match self.known.get(goal.index()).copied().unwrap_or(Known::Nothing) {
            Known::Nothing if self.depth == DEPTH => self.put_off(goal),
            Known::Nothing => self.written(goal),
            Known::Open(Some(rule)) => Ok(self.algebra.builder.arena.rule(rule)),
            Known::Open(None) => {
                let rule = self.algebra.builder.declare(self.name_of(goal), None)?;
                self.know(goal, Known::Open(Some(rule)));
                Ok(self.algebra.builder.arena.rule(rule))
            }
            Known::Written(expr, false) => Ok(expr),
            Known::Written(body, true) => {
                let rule = self.algebra.builder.declare(self.name_of(goal), None)?;
                self.algebra.builder.define(rule, body);
                let expr = self.algebra.builder.arena.rule(rule);
                self.know(goal, Known::Written(expr, false));
                Ok(expr)
            }
        }
    }

    fn know(&mut self, goal: GoalId, known: Known) {
        if self.known.len() <= goal.index() {
            self.known.resize(goal.index() + 1, Known::Nothing);
        }
        self.known[goal.index()] = known;
    }

    /// Writes the values of a goal, which becomes a rule if it is asked for inside itself.
    fn written(&mut self, goal: GoalId) -> Result<ExprId, Error> {
        self.know(goal, Known::Open(None));
        let (body, is_plain) = self.body_of(goal)?;
        let Known::Open(Some(rule)) = self.known[goal.index()] else {
            self.know(goal, Known::Written(body, !is_plain));
            return Ok(body);
        };
        self.algebra.builder.define(rule, body);
        let expr = self.algebra.builder.arena.rule(rule);
        self.know(goal, Known::Written(expr, false));
        Ok(expr)
    }

    /// The values of a goal, and whether there are no arrays and objects among them that are written here.
    fn body_of(&mut self, goal: GoalId) -> Result<(ExprId, bool), Error> {
        self.algebra.budget.tick()?;
        if let Some(word) = self.algebra.only_type(goal).and_then(|types| self.word_of(types)) {
            return Ok((word, true));
        }
        let set = self.algebra.set_of(goal)?;
        if set.is_all() {
            return Ok((self.any_value()?, true));
        }
        self.depth += 1;
        let body = self.set(&set).map_err(|error| error.with_pointer(self.pointer_of(goal)))?;
        self.depth -= 1;
        Ok((body, set.arrays.is_empty() && set.objects.is_empty()))
    }

    /// A rule for a goal that is written later, when less is nested.
    fn put_off(&mut self, goal: GoalId) -> Result<ExprId, Error> {
        let rule = self.algebra.builder.declare(self.name_of(goal), None)?;
        self.todo.push((goal, rule));
        let expr = self.algebra.builder.arena.rule(rule);
        self.know(goal, Known::Written(expr, false));
        Ok(expr)
    }

    /// The values of one type of which there is nothing to be found out.
    fn word_of(&mut self, types: Types) -> Option<ExprId> {
        let arena = &mut self.algebra.builder.arena;
        match types {
            Types::STRING if !self.excludes.is_empty() => None,
            Types::STRING => Some(arena.rule(self.algebra.library.string)),
            Types::NUMBER | Types::INTEGER => Some(self.algebra.library.numbers(types == Types::INTEGER)),
            Types::NULL => Some(arena.literal(b"null")),
            Types::BOOLEAN => {
                let words = [arena.literal(b"false"), arena.literal(b"true")];
                Some(arena.alt(&words))
            }
            _ => None,
        }
    }

    /// The values of a set.
    fn set(&mut self, set: &Set) -> Result<ExprId, Error> {
        let mut parts: SmallVec<[ExprId; 8]> = SmallVec::new();
        let words = [(set.null, "null"), (set.no, "false"), (set.yes, "true")];
        for (_, word) in words.iter().filter(|(there, _)| *there) {
            parts.push(self.algebra.builder.arena.literal(word.as_bytes()));
        }
        if !set.number.is_empty() {
            let (spelling, limits) = (self.algebra.options.spelling, self.algebra.limits);
            let arena = &mut self.algebra.builder.arena;
            // `1.0` is no integer in draft 4: it is not written. Whoever reads all spellings goes by the value.
            let plain = set.plain_integers && spelling == Spelling::Canonical;
            parts.push(match self.algebra.library.number(&set.number, plain) {
                Some(known) => known,
                None if plain => set.number.plain_integers(arena)?,
                None => set.number.expr(spelling, arena, limits)?,
            });
        }
        if !set.string.is_none() {
            parts.push(self.quoted(&set.string)?);
        }
        for array in &set.arrays {
            parts.push(self.array(array)?);
        }
        self.any_of_objects(&set.objects, &mut parts)?;
        Ok(self.algebra.builder.arena.alt(&parts))
    }

    /// Strings with their quotes.
    fn quoted(&mut self, strings: &Strings) -> Result<ExprId, Error> {
        if !self.excludes.is_empty() {
            return self.quoted_without_excluded(strings);
        }
        let arena = &mut self.algebra.builder.arena;
        if strings.is_any() {
            // However it is spelled, it is as good.
            return Ok(arena.rule(self.algebra.library.string));
        }
        let quote = self.signs.quote;
        if let Strings::Only(texts) = strings
            && texts.iter().all(|text| self.speller.is_plain(text))
        {
            // One after the other in one piece, each with its quotes.
            let mut all: Vec<u8> = Vec::with_capacity(texts.iter().map(|text| text.len() + 2).sum());
            for part in texts.iter().flat_map(|text| ["\"", text, "\""]) {
                all.extend_from_slice(part.as_bytes());
            }
            let mut rest = &all[..];
            let texts: Vec<&[u8]> =
                texts.iter().filter_map(|text| rest.split_off(..text.len() + 2)).collect();
            return Ok(trie_of_literals(arena, &texts));
        }
        if let Strings::Only(texts) = strings {
            let texts: Vec<ExprId> = texts.iter().map(|text| self.quoted_text(text)).collect();
            return Ok(self.one_of_texts(&texts));
        }
        if let Strings::Except(texts) = strings {
            let any = self.speller.any_text(arena);
            let texts = if texts.iter().all(|text| self.speller.is_plain(text)) {
                let texts: Vec<&[u8]> = texts.iter().map(|text| text.as_bytes()).collect();
                trie_of_literals(arena, &texts)
            } else {
                let texts: Vec<ExprId> =
                    texts.iter().map(|text| encode_literal(text, &mut self.speller, arena)).collect();
                self.one_of_texts(&texts)
            };
            let arena = &mut self.algebra.builder.arena;
            let others = arena.not(texts);
            let body = arena.and(&[any, others]);
            return Ok(arena.concat(&[quote, body, quote]));
        }
        let body = match strings {
            Strings::Format(format) if self.algebra.options.spelling == Spelling::Canonical => {
                self.algebra.library.format(*format).unwrap_or_else(|| format.opened(arena))
            }
            _ => self.opened(strings)?,
        };
        Ok(self.algebra.builder.arena.concat(&[body, quote]))
    }

    /// Strings with their quotes, without what is excluded.
    fn quoted_without_excluded(&mut self, strings: &Strings) -> Result<ExprId, Error> {
        let arena = &mut self.algebra.builder.arena;
        let quote = self.signs.quote;
        let body = match strings {
            Strings::Only(texts) => {
                let texts: Vec<ExprId> =
                    texts.iter().map(|text| encode_literal(text, &mut self.speller, arena)).collect();
                self.one_of_texts(&texts)
            }
            Strings::Except(texts) => {
                let any = self.speller.any_text(arena);
                let texts: Vec<ExprId> =
                    texts.iter().map(|text| encode_literal(text, &mut self.speller, arena)).collect();
                let texts = self.one_of_texts(&texts);
                let arena = &mut self.algebra.builder.arena;
                let others = arena.not(texts);
                arena.and(&[any, others])
            }
            _ => {
                // An expression with the opening quote, of which the rest is wanted.
                let plain = Strings::Expr(strings.expr(arena));
                let opened = self.opened(&plain)?;
                let arena = &mut self.algebra.builder.arena;
                let bodies = without(arena, quote, self.excludes);
                let opened = arena.and(&[opened, bodies]);
                return Ok(arena.concat(&[opened, quote]));
            }
        };
        let body = self.without_excluded(body);
        Ok(self.algebra.builder.arena.concat(&[quote, body, quote]))
    }

    /// What an expression matches, without what is excluded.
    fn without_excluded(&mut self, expr: ExprId) -> ExprId {
        if self.excludes.is_empty() {
            return expr;
        }
        let arena = &mut self.algebra.builder.arena;
        let empty = arena.empty();
        let others = without(arena, empty, self.excludes);
        arena.and(&[expr, others])
    }

    /// Strings with the opening quote.
    fn opened(&mut self, strings: &Strings) -> Result<ExprId, Error> {
        let (arena, limits) = (&mut self.algebra.builder.arena, self.algebra.limits);
        let written = strings.written(arena);
        if let Some(&known) = self.spelled.get(&written) {
            return Ok(known);
        }
        let body = encode_opened(written, &mut self.speller, arena, limits)?;
        self.spelled.insert(written, body);
        Ok(body)
    }

    /// One string with its quotes.
    fn quoted_text(&mut self, text: &str) -> ExprId {
        let arena = &mut self.algebra.builder.arena;
        if self.speller.is_plain(text) {
            self.bytes.clear();
            self.bytes.push(b'"');
            self.bytes.extend_from_slice(text.as_bytes());
            self.bytes.push(b'"');
            return arena.literal(&self.bytes);
        }
        let (quote, body) = (self.signs.quote, encode_literal(text, &mut self.speller, arena));
        arena.concat(&[quote, body, quote])
    }

    /// A choice of texts; a trie, if each has one spelling only.
    fn one_of_texts(&mut self, texts: &[ExprId]) -> ExprId {
        let arena = &mut self.algebra.builder.arena;
        let bytes = |&text: &ExprId| match arena.get(text) {
            Expr::Literal(literal) => Some(arena.literal_bytes(literal).to_vec()),
            _ => None,
        };
        match texts.iter().map(bytes).collect::<Option<Vec<_>>>() {
            Some(texts) if texts.len() > 1 => {
                let texts: Vec<&[u8]> = texts.iter().map(|text| &text[..]).collect();
                trie_of_literals(arena, &texts)
            }
            _ => arena.alt(texts),
        }
    }

    /// Any value at all.
    fn any_value(&mut self) -> Result<ExprId, Error> {
        if let Some(value) = self.value {
            return Ok(value);
        }
        if self.ws == self.algebra.library.ws && !self.tracking.items && self.excludes.is_empty() {
            self.tracking.keys = true;
            let value = self.algebra.builder.arena.rule(self.algebra.library.value);
            self.value = Some(value);
            return Ok(value);
        }
        let rule = self.algebra.builder.declare("value", None)?;
        let value = self.algebra.builder.arena.rule(rule);
        self.value = Some(value);
        let body = self.set(&Set::all())?;
        self.algebra.builder.define(rule, body);
        Ok(value)
    }

    /// What separates the items of an array, which may or may not be repeated, and the closing bracket.
    fn separator_and_bracket(&mut self, unique: bool) -> (ExprId, ExprId) {
        if unique || !self.tracking.items {
            return (self.signs.separator, self.signs.brackets[1]);
        }
        let arena = &mut self.algebra.builder.arena;
        let either = |byte: u8, repeated: u8| ByteSet::single(byte).union(&ByteSet::single(repeated));
        let comma = arena.byte(either(b',', Tracking::COMMA_AFTER_REPEATED));
        let bracket = arena.byte(either(b']', Tracking::BRACKET_AFTER_REPEATED));
        (arena.concat(&[comma, self.ws]), bracket)
    }

    /// Where the schema of a goal stands.
    fn pointer_of(&self, goal: GoalId) -> String {
        self.schema_of(goal).map(|schema| schema.pointer.to_string()).unwrap_or_default()
    }

    /// The first schema of a goal.
    fn schema_of(&self, goal: GoalId) -> Option<&Schema<'a>> {
        let literals = match goal {
            GoalId::NEVER => &[][..],
            _ => self.algebra.goals.literals(goal),
        };
        literals.iter().find_map(|literal| match literal.atom {
            Atom::Node(node) => match self.algebra.nodes.get(node) {
                Node::Schema(schema) => Some(&**schema),
                _ => None,
            },
            Atom::Value(_) => None,
        })
    }

    fn name_of(&self, goal: GoalId) -> String {
        let mut name = String::from("#");
        if let Some(schema) = self.schema_of(goal) {
            name.reserve(schema.pointer.len());
            // Writing to a text cannot fail.
            let _ = write!(name, "{}", schema.pointer);
        }
        name
    }
}

/// A beginning, and then any text that has none of some texts in it.
fn without(arena: &mut Arena, beginning: ExprId, texts: &[impl AsRef<str>]) -> ExprId {
    let any = arena.chars(&CharSet::all());
    let any = arena.star(any);
    let mut parts = vec![arena.concat(&[beginning, any])];
    for text in texts {
        let text = arena.literal(text.as_ref().as_bytes());
        let with = arena.concat(&[beginning, any, text, any]);
        parts.push(arena.not(with));
    }
    arena.and(&parts)
}

/// A count that a grammar can keep: no text has more than 2^32 items.
fn count(value: u64) -> Option<u32> {
    u32::try_from(value).ok()
}

/// A lower bound as a grammar keeps it.
fn at_least(value: u64, what: &str) -> Result<u32, Error> {
    let message = || format!("no text can have {value} {what}");
    count(value).ok_or_else(|| Error::new(ErrorKind::Unsupported, message()))
}
