//! Sets of strings: of values, and of the keys of objects.
//!
//! Most are "any", "one of these" or "any but these", and stay so; only patterns, lengths and formats become
//! expressions. All of this is about the characters of a string, not about how JSON spells them.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ops::Deref;
use std::rc::Rc;

use rustc_hash::FxHashMap;
use tokenstile_grammar::choice::trie_of_literals;
use tokenstile_grammar::ir::{Arena, CharSet};
use tokenstile_grammar::limits::Budget;
use tokenstile_grammar::{Error, ExprId};

use crate::string::{Format, FormatId, matches};

use super::apart::{are_apart, common};
use super::lengths::Lengths;
use super::stages::Stages;

/// What it takes to compute with sets of strings.
pub(crate) struct Texts<'a, 'l> {
    pub(crate) arena: &'a mut Arena,
    pub(crate) budget: &'a mut Budget<'l>,
    pub(crate) matched: &'a mut Matched,
}

/// Which texts were found to match which expressions.
pub(crate) type Matched = FxHashMap<ExprId, FxHashMap<Box<str>, bool>>;

type TextSet = BTreeSet<Rc<str>>;

/// Texts that are shared; none take no memory.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub(crate) struct List(Option<Rc<TextSet>>);

impl Deref for List {
    type Target = TextSet;

    fn deref(&self) -> &TextSet {
        const NONE: &TextSet = &TextSet::new();
        self.0.as_deref().unwrap_or(NONE)
    }
}

impl From<TextSet> for List {
    fn from(texts: TextSet) -> Self {
        List((!texts.is_empty()).then(|| Rc::new(texts)))
    }
}

impl FromIterator<Rc<str>> for List {
    fn from_iter<I: IntoIterator<Item = Rc<str>>>(texts: I) -> Self {
        texts.into_iter().collect::<TextSet>().into()
    }
}

/// A set of strings.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Strings {
    /// Just these.
    Only(List),
    /// All but these.
    Except(List),
    /// What a regular expression over characters matches.
    Expr(ExprId),
    /// What only a procedure can tell: between the least and the most that expressions can say.
    Within(Format),
    /// What a format says. It is an expression, or something only a procedure can tell, once it has to be computed with.
    Format(FormatId),
}

impl Strings {
    pub(crate) fn any() -> Self {
        Strings::Except(List::default())
    }

    pub(crate) fn none() -> Self {
        Strings::Only(List::default())
    }

    pub(crate) fn only(text: &str) -> Self {
        Strings::Only([Rc::from(text)].into_iter().collect())
    }

    pub(crate) fn is_any(&self) -> bool {
        matches!(self, Strings::Except(texts) if texts.is_empty())
    }

    /// Whether it is empty, as far as its form shows.
    pub(crate) fn is_none(&self) -> bool {
        matches!(self, Strings::Only(texts) if texts.is_empty())
    }

    pub(crate) fn contains(&self, text: &str, with: &mut Texts<'_, '_>) -> Result<bool, Error> {
        Ok(match self {
            Strings::Only(texts) => texts.contains(text),
            Strings::Except(texts) => !texts.contains(text),
            Strings::Expr(expr) | Strings::Within(Format { exact: expr, .. }) => {
                if !text.as_bytes().starts_with(with.arena.beginning(*expr)) {
                    return Ok(false);
                }
                if let Some(&known) = with.matched.get(expr).and_then(|known| known.get(text)) {
                    return Ok(known);
                }
                let answer = matches(with.arena, *expr, text, with.budget)?;
                with.matched.entry(*expr).or_default().insert(text.into(), answer);
                answer
            }
            Strings::Format(_) => self.spelled_out(with.arena).contains(text, with)?,
        })
    }

    /// Those of `texts` that are in this set, or those that are not.
    fn filter(&self, texts: &TextSet, inside: bool, with: &mut Texts<'_, '_>) -> Result<TextSet, Error> {
        let mut kept = TextSet::new();
        let this = if texts.is_empty() { Cow::Borrowed(self) } else { self.spelled_out(with.arena) };
        for text in texts {
            if this.contains(text, with)? == inside {
                kept.insert(text.clone());
            }
        }
        Ok(kept)
    }

    pub(crate) fn complement(&self, arena: &mut Arena) -> Self {
        match self {
            Strings::Only(texts) => Strings::Except(texts.clone()),
            Strings::Except(texts) => Strings::Only(texts.clone()),
            Strings::Expr(expr) => {
                let others = others(*expr, arena);
                Strings::from_expr(others, arena)
            }
            Strings::Within(Format { exact, least, most, .. }) => {
                let (exact, least, most) = (arena.not(*exact), arena.not(*most), arena.not(*least));
                Strings::Within(Format { exact, written: least, least, most })
            }
            Strings::Format(_) => self.spelled_out(arena).complement(arena),
        }
    }

    /// The same without [`Format`](Strings::Format).
    fn spelled_out(&self, arena: &mut Arena) -> Cow<'_, Strings> {
        match self {
            Strings::Format(format) => Cow::Owned(Strings::of_format(format.texts(arena))),
            other => Cow::Borrowed(other),
        }
    }

    pub(crate) fn intersect(&self, other: &Self, with: &mut Texts<'_, '_>) -> Result<Self, Error> {
        Ok(match (self, other) {
            (a, b) if a == b || b.is_any() => a.clone(),
            (a, b) if a.is_any() => b.clone(),
            (Strings::Only(texts), other) | (other, Strings::Only(texts)) => {
                Strings::Only(other.filter(texts, true, with)?.into())
            }
            (Strings::Except(a), Strings::Except(b)) => Strings::Except(a.union(b).cloned().collect()),
            (Strings::Except(texts), expr) | (expr, Strings::Except(texts)) => {
                // What the expression does not match anyway need not be excepted.
                let texts = expr.filter(texts, true, with)?;
                if texts.is_empty() {
                    return Ok(expr.clone());
                }
                let arena = &mut *with.arena;
                let texts = literals(&texts, arena);
                let others = arena.not(texts);
                expr.both(&Strings::Expr(others), arena, |a, b, arena| arena.and(&[a, b]))
            }
            (a, b) => a.both(b, with.arena, both),
        })
    }

    /// The intersection of two expressions.
    fn both(
        &self,
        other: &Self,
        arena: &mut Arena,
        both: impl Fn(ExprId, ExprId, &mut Arena) -> ExprId,
    ) -> Self {
        let (a, b) = (self.bounds(arena), other.bounds(arena));
        let least = both(a.least, b.least, arena);
        if a.is_plain() && b.is_plain() {
            return Strings::from_expr(least, arena);
        }
        let (exact, most) = (both(a.exact, b.exact, arena), both(a.most, b.most, arena));
        Strings::of_format(Format { exact, written: least, least, most })
    }

    pub(crate) fn union(&self, other: &Self, with: &mut Texts<'_, '_>) -> Result<Self, Error> {
        Ok(match (self, other) {
            (a, b) if a == b || b.is_none() => a.clone(),
            (a, b) if a.is_none() => b.clone(),
            (Strings::Except(texts), other) | (other, Strings::Except(texts)) => {
                Strings::Except(other.filter(texts, false, with)?.into())
            }
            (Strings::Only(a), Strings::Only(b)) => Strings::Only(a.union(b).cloned().collect()),
            (a, b) => {
                let arena = &mut *with.arena;
                let (a, b) = (a.bounds(arena), b.bounds(arena));
                Strings::of_format(Format {
                    exact: arena.alt(&[a.exact, b.exact]),
                    written: arena.alt(&[a.written, b.written]),
                    least: arena.alt(&[a.least, b.least]),
                    most: arena.alt(&[a.most, b.most]),
                })
            }
        })
    }

    /// All of the sets together, and what is in more than one of them.
    pub(crate) fn union_of<'s>(
        sets: impl Iterator<Item = &'s Strings> + Clone,
        with: &mut Texts<'_, '_>,
    ) -> Result<(Strings, Strings), Error> {
        let (mut any, mut twice) = (TextSet::new(), TextSet::new());
        let mut others: Vec<&Strings> = Vec::new();
        for set in sets {
            match set {
                Strings::Only(texts) => {
                    for text in texts.iter().filter(|&text| !any.insert(text.clone())) {
                        twice.insert(text.clone());
                    }
                }
                other => others.push(other),
            }
        }
        let (mut any, mut twice) = (Strings::Only(any.into()), Strings::Only(twice.into()));
        for set in others {
            let both = any.intersect(set, with)?;
            twice = twice.union(&both, with)?;
            any = any.union(set, with)?;
        }
        Ok((any, twice))
    }

    /// The texts between bounds.
    fn of_format(format: Format) -> Self {
        if format.is_plain() { Strings::Expr(format.exact) } else { Strings::Within(format) }
    }

    fn bounds(&self, arena: &mut Arena) -> Format {
        match self {
            Strings::Within(bounds) => *bounds,
            Strings::Format(format) => format.texts(arena),
            plain => Format::plain(plain.expr(arena)),
        }
    }

    /// As one expression over characters in which there may be machines.
    pub(crate) fn written(&self, arena: &mut Arena) -> ExprId {
        match self {
            Strings::Within(bounds) => bounds.written,
            Strings::Format(format) => format.texts(arena).written,
            plain => plain.expr(arena),
        }
    }

    /// As one plain expression over characters. What only a procedure can tell is left out.
    pub(crate) fn expr(&self, arena: &mut Arena) -> ExprId {
        match self {
            Strings::Expr(expr) | Strings::Within(Format { least: expr, .. }) => *expr,
            Strings::Format(format) => format.texts(arena).least,
            Strings::Only(texts) => literals(texts, arena),
            Strings::Except(texts) if texts.is_empty() => any_text(arena),
            Strings::Except(texts) => {
                let texts = literals(texts, arena);
                arena.not(texts)
            }
        }
    }

    fn from_expr(expr: ExprId, arena: &Arena) -> Self {
        if expr == arena.never() { Strings::none() } else { Strings::Expr(expr) }
    }
}

/// What an expression does not match.
fn others(expr: ExprId, arena: &mut Arena) -> ExprId {
    if let Some(lengths) = Lengths::all_of(arena, expr) {
        return lengths.complement().expr(arena);
    }
    match Stages::of(arena, expr) {
        Some(stages) => stages.complement().expr(arena),
        None => arena.not(expr),
    }
}

/// What two expressions have in common.
fn both(a: ExprId, b: ExprId, arena: &mut Arena) -> ExprId {
    if are_apart(arena, a, b) {
        return arena.never();
    }
    match (Lengths::all_of(arena, a), Lengths::all_of(arena, b)) {
        (Some(one), Some(other)) => return one.intersect(&other).expr(arena),
        (Some(lengths), None) => return lengths.within(b, arena),
        (None, Some(lengths)) => return lengths.within(a, arena),
        (None, None) => {}
    }
    let stages = Stages::of(arena, a).and_then(|one| one.intersect(&Stages::of(arena, b)?));
    match stages {
        Some(stages) => stages.expr(arena),
        None => common(&[a, b], arena),
    }
}

/// Any sequence of characters.
pub(crate) fn any_text(arena: &mut Arena) -> ExprId {
    let any = arena.chars(&CharSet::all());
    arena.star(any)
}

fn literals(texts: &TextSet, arena: &mut Arena) -> ExprId {
    let texts: Vec<&[u8]> = texts.iter().map(|text| text.as_bytes()).collect();
    trie_of_literals(arena, &texts)
}
