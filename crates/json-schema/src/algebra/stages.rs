//! Sets of strings that go through a few stages, none of which they come back to.
//!
//! A key that must not match `^[a-z]+$` is empty, or some letters, then something else, then anything. Written as
//! a complement it would have to be worked out wherever it is met; written like that it is a plain expression with two
//! loops. So expressions of this kind, small automata whose only cycles are loops at one place, are computed with here.

use rustc_hash::{FxHashMap, FxHashSet};
use tokenstile_grammar::ExprId;
use tokenstile_grammar::ir::{Arena, CharSet, Expr};

use super::strings::any_text;
use crate::tuning::algebra::{STAGE_PLACES, STAGE_WAYS, STAGES};

/// See the module documentation. Ways lead to later stages only, and the first is the start.
#[derive(Debug)]
pub(super) struct Stages(Vec<Stage>);

#[derive(Debug)]
struct Stage {
    /// Whether a string may end here.
    ends: bool,
    /// The characters that stay here.
    stays: CharSet,
    /// The others that lead somewhere.
    ways: Vec<(CharSet, usize)>,
}

/// What can be done somewhere: whether a string may end, and where characters lead.
type Ways<P> = (bool, Vec<(CharSet, P)>);

impl Stages {
    /// An expression as stages, if it is like that and has a loop.
    pub(super) fn of(arena: &Arena, expr: ExprId) -> Option<Stages> {
        let mut places = Places {
            arena,
            list: vec![Place { expr: arena.empty(), at: 0, tail: 0 }],
            index: FxHashMap::default(),
        };
        let start = places.add(Place { expr, at: 0, tail: Places::END })?;
        let stages = Stages::explore(places.normal(vec![start]), |place| places.ways(place))?;
        stages.0.iter().any(|stage| !stage.stays.is_empty()).then_some(stages)
    }

    /// Follows ways from a start to all that is come to.
    fn explore<P: Clone + Eq + std::hash::Hash>(
        start: P,
        mut from: impl FnMut(&P) -> Option<Ways<P>>,
    ) -> Option<Stages> {
        let mut index = FxHashMap::from_iter([(start.clone(), 0)]);
        let (mut found, mut stages) = (vec![start], Vec::new());
        while let Some(place) = found.get(stages.len()) {
            let (ends, ways) = from(place)?;
            let here = stages.len();
            let mut stage = Stage { ends, stays: CharSet::empty(), ways: Vec::new() };
            for (set, to) in ways {
                let to = *index.entry(to).or_insert_with_key(|to| {
                    found.push(to.clone());
                    found.len() - 1
                });
                match stage.ways.iter_mut().find(|way| way.1 == to) {
                    _ if to == here => stage.stays = stage.stays.union(&set),
                    Some(way) => way.0 = way.0.union(&set),
                    None => stage.ways.push((set, to)),
                }
            }
            if found.len() > STAGES {
                return None;
            }
            stages.push(stage);
        }
        Stages::in_order(stages)
    }

    /// The same stages such that ways lead to later ones; `None` if some are come back to.
    fn in_order(mut stages: Vec<Stage>) -> Option<Stages> {
        let mut order: Vec<usize> = Vec::new();
        while order.len() < stages.len() {
            let is_next = |&at: &usize| {
                let left = (0..stages.len()).filter(|other| !order.contains(other) && *other != at);
                !order.contains(&at)
                    && left.into_iter().all(|other| stages[other].ways.iter().all(|way| way.1 != at))
            };
            order.push((0..stages.len()).find(is_next)?);
        }
        let number = |old: usize| order.iter().position(|&at| at == old).unwrap_or_default();
        for stage in &mut stages {
            stage.ways.iter_mut().for_each(|way| way.1 = number(way.1));
        }
        let mut places: Vec<Option<Stage>> = stages.into_iter().map(Some).collect();
        Some(Stages(order.iter().filter_map(|&at| places[at].take()).collect()))
    }

    /// All other strings.
    pub(super) fn complement(mut self) -> Stages {
        let rest = self.0.len();
        for stage in &mut self.0 {
            let known = stage.ways.iter().fold(stage.stays.clone(), |known, way| known.union(&way.0));
            let others = known.complement();
            stage.ends = !stage.ends;
            stage.ways.extend((!others.is_empty()).then_some((others, rest)));
        }
        self.0.push(Stage { ends: true, stays: CharSet::all(), ways: Vec::new() });
        self
    }

    /// The strings that are in both, unless that takes too many stages.
    pub(super) fn intersect(&self, other: &Stages) -> Option<Stages> {
        Stages::explore((0, 0), |&(a, b)| {
            let (one, another) = (&self.0[a], &other.0[b]);
            let all = |stage: &Stage, at| {
                let stays = (!stage.stays.is_empty()).then(|| (stage.stays.clone(), at));
                stage.ways.iter().cloned().chain(stays).collect::<Vec<_>>()
            };
            let others = all(another, b);
            let both = all(one, a).into_iter().flat_map(|(set, a)| {
                let both = others.iter().map(move |(with, b)| (set.intersect(with), (a, *b)));
                both.collect::<Vec<_>>()
            });
            Some((one.ends && another.ends, both.filter(|way| !way.0.is_empty()).collect()))
        })
    }

    /// Them as an expression.
    pub(super) fn expr(&self, arena: &mut Arena) -> ExprId {
        let mut exprs = vec![arena.never(); self.0.len()];
        for (at, Stage { ends, stays, ways }) in self.0.iter().enumerate().rev() {
            if *ends && *stays == CharSet::all() {
                exprs[at] = any_text(arena);
                continue;
            }
            let mut parts = Vec::new();
            for (set, to) in ways {
                let first = arena.chars(set);
                parts.push(arena.concat(&[first, exprs[*to]]));
            }
            let on = arena.alt(&parts);
            let rest = if *ends { arena.optional(on) } else { on };
            let stays = arena.chars(stays);
            let stays = arena.star(stays);
            exprs[at] = arena.concat(&[stays, rest]);
        }
        exprs[0]
    }
}

/// A place in an expression: how far it is, and what follows it.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Place {
    expr: ExprId,
    at: u32,
    tail: u32,
}

/// Places in an expression, by number.
struct Places<'a> {
    arena: &'a Arena,
    list: Vec<Place>,
    index: FxHashMap<Place, u32>,
}

impl Places<'_> {
    const END: u32 = 0;

    /// The number of a place, unless there are too many.
    fn add(&mut self, place: Place) -> Option<u32> {
        if let Some(&known) = self.index.get(&place) {
            return Some(known);
        }
        if self.list.len() == STAGE_PLACES {
            return None;
        }
        let number = self.list.len() as u32;
        self.list.push(place);
        self.index.insert(place, number);
        Some(number)
    }

    fn push(&mut self, expr: ExprId, tail: u32) -> Option<u32> {
        self.add(Place { expr, at: 0, tail })
    }

    /// A set of places in the form in which it is compared: where anything may follow, that is all.
    fn normal(&self, mut places: Vec<u32>) -> Vec<u32> {
        if let Some(&all) = places.iter().find(|&&place| self.is_any_text(place)) {
            return vec![all];
        }
        places.sort_unstable();
        places.dedup();
        places
    }

    fn is_any_text(&self, place: u32) -> bool {
        let Place { expr, tail, .. } = self.list[place as usize];
        let Expr::Repeat { expr, min: 0, max: None } = self.arena.get(expr) else { return false };
        let Expr::Chars(set) = self.arena.get(expr) else { return false };
        place != Places::END && tail == Places::END && *self.arena.char_set(set) == CharSet::all()
    }

    /// Whether a string may end in one of some places, and where characters lead from them, told apart.
    fn ways(&mut self, places: &[u32]) -> Option<Ways<Vec<u32>>> {
        let (ends, steps) = self.steps(places)?;
        let mut ways: Vec<(CharSet, Vec<u32>)> = Vec::new();
        for (set, to) in steps {
            let mut rest = set;
            for at in 0..ways.len() {
                let shared = ways[at].0.intersect(&rest);
                if shared.is_empty() {
                    continue;
                }
                let left = ways[at].0.minus(&shared);
                if !left.is_empty() {
                    let targets = ways[at].1.clone();
                    ways.push((left, targets));
                }
                rest = rest.minus(&shared);
                ways[at].0 = shared;
                ways[at].1.push(to);
            }
            ways.extend((!rest.is_empty()).then(|| (rest, vec![to])));
            if ways.len() > STAGE_WAYS {
                return None;
            }
        }
        Some((ends, ways.into_iter().map(|(set, to)| (set, self.normal(to))).collect()))
    }

    /// The same by each character set that is met.
    fn steps(&mut self, places: &[u32]) -> Option<Ways<u32>> {
        let arena = self.arena;
        let (mut ends, mut steps) = (false, Vec::new());
        let (mut seen, mut todo) = (FxHashSet::default(), places.to_vec());
        while let Some(place) = todo.pop() {
            ends |= place == Places::END;
            if place == Places::END || !seen.insert(place) {
                continue;
            }
            let Place { expr, at, tail } = self.list[place as usize];
            match arena.get(expr) {
                Expr::Never => {}
                Expr::Empty => todo.push(tail),
                Expr::Chars(set) => steps.push((arena.char_set(set).clone(), tail)),
                Expr::Literal(literal) => {
                    let text = std::str::from_utf8(&arena.literal_bytes(literal)[at as usize..]).ok()?;
                    let c = text.chars().next()?;
                    let next = at + c.len_utf8() as u32;
                    let next = if text.len() == c.len_utf8() {
                        tail
                    } else {
                        self.add(Place { expr, at: next, tail })?
                    };
                    steps.push((CharSet::single(c), next));
                }
                Expr::Concat(list) => {
                    let parts = arena.list(list).iter().rev();
                    todo.push(parts.copied().try_fold(tail, |tail, part| self.push(part, tail))?);
                }
                Expr::Alt(list) => {
                    for &part in arena.list(list) {
                        todo.push(self.push(part, tail)?);
                    }
                }
                Expr::Repeat { expr: body, min, max } => {
                    if at >= min {
                        todo.push(tail);
                    }
                    if max.is_none_or(|max| at < max) {
                        let at = if max.is_none() { (at + 1).min(min) } else { at + 1 };
                        let again = self.add(Place { expr, at, tail })?;
                        todo.push(self.push(body, again)?);
                    }
                }
                _ => return None,
            }
        }
        Some((ends, steps))
    }
}

#[cfg(test)]
mod tests {
    use tokenstile_grammar::limits::Budget;
    use tokenstile_grammar::{Limits, RegexOptions, RegexSemantics, regex_expr};

    use super::*;
    use crate::string::matches;

    /// Texts over a few characters, all up to a length.
    fn texts() -> Vec<String> {
        let mut texts = vec![String::new()];
        let mut from = 0;
        for _ in 0..5 {
            let to = texts.len();
            for at in from..to {
                texts.extend(['a', 'b', '0', 'é'].map(|c| format!("{}{c}", texts[at])));
            }
            from = to;
        }
        texts
    }

    #[test]
    fn strings_are_in_a_set_or_in_its_complement() {
        let limits = Limits::default();
        let mut arena = Arena::new(limits.exprs);
        let patterns = [
            "^[a-z]+$",
            "[a-z]",
            "^.*$",
            "^[a-z][a-z0-9]*$",
            "^a[^b]*",
            "^a*b*$",
            "^(a|b0)*a?$",
            "[b-z]$",
            "^[a-b]{2,4}$",
            "^(a+|b+)0+",
            "^[^a]",
            "^a*(b|0[a-z]+)?$",
            "é",
            "^$",
            "^(ab)+$",
        ];
        let mut known = Vec::new();
        for pattern in patterns {
            let options = RegexOptions::default().with_semantics(RegexSemantics::Search);
            let expr = regex_expr(pattern, &options, &mut arena, &limits).unwrap();
            let stages = Stages::of(&arena, expr);
            known.push((pattern, expr, stages));
        }
        let are_stages: Vec<&str> = known.iter().filter(|k| k.2.is_some()).map(|k| k.0).collect();
        assert_eq!(are_stages.len(), 10, "{are_stages:?}");
        let texts = texts();
        let check = |arena: &Arena, expr, is: &dyn Fn(&str) -> bool, what: &str| {
            let mut budget = Budget::new(&limits);
            for text in &texts {
                assert_eq!(matches(arena, expr, text, &mut budget).unwrap(), is(text), "{text:?} of {what}");
            }
        };
        for (pattern, _, stages) in &known {
            let Some(stages) = stages else { continue };
            let regex = regex::Regex::new(pattern).unwrap();
            let same = stages.expr(&mut arena);
            let both = stages.intersect(stages).expect("it is no more than the one");
            let none = both.complement().expr(&mut arena);
            check(&arena, same, &|text| regex.is_match(text), pattern);
            check(&arena, none, &|text| !regex.is_match(text), pattern);
        }
        for (a, _, one) in &known {
            for (b, _, other) in &known {
                let Some(both) =
                    one.as_ref().zip(other.as_ref()).and_then(|(one, other)| one.intersect(other))
                else {
                    continue;
                };
                let regexes = [a, b].map(|pattern| regex::Regex::new(pattern).unwrap());
                let expr = both.expr(&mut arena);
                check(
                    &arena,
                    expr,
                    &|text| regexes.iter().all(|regex| regex.is_match(text)),
                    &format!("{a} and {b}"),
                );
            }
        }
    }
}
