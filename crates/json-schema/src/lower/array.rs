//! Arrays as expressions.

use smallvec::{SmallVec, smallvec};
use tokenstile_grammar::ir::{Count, Members, Slot};
use tokenstile_grammar::{Error, ErrorKind, ExprId};

use super::{Lower, at_least, count};
use crate::algebra::{Array, GoalId};
use crate::tuning::lower::KINDS;
use crate::tuning::lower::OBLIGATIONS;

impl Lower<'_> {
    pub(super) fn array(&mut self, array: &Array) -> Result<ExprId, Error> {
        let checked = self.algebra.check_array(array);
        self.algebra.or_lenient(checked, ())?;
        let unique = array.unique && array.max > 1;
        if unique
            && self.excludes.is_empty()
            && array.prefix.is_empty()
            && array.contains.is_empty()
            && let Some(values) = self.few_values(array.rest)?
        {
            return self.distinct_array(array, &values);
        }
        self.minds_repeated_items |= unique;
        let (separator, bracket) = self.separator_and_bracket(unique);
        let few = unique && self.has_few_values(array)?;
        let items = match array.contains[..] {
            [] if few => self.distinct_tuple(array, separator)?,
            _ if few => {
                let message =
                    "`uniqueItems` beside `contains` is not enforced for items that have few values";
                return Err(Error::new(ErrorKind::Unsupported, message));
            }
            [] => self.plain_items(array, separator)?,
            _ => self.counted_items(array, separator)?,
        };
        let open = self.signs.brackets[0];
        Ok(self.algebra.builder.arena.concat(&[open, self.ws, items, bracket]))
    }

    /// An item and the white space after it.
    fn item(&mut self, goal: GoalId) -> Result<ExprId, Error> {
        let value = self.value_of(goal)?;
        Ok(self.algebra.builder.arena.concat(&[value, self.ws]))
    }

    /// Items of which only the number and the place count.
    fn plain_items(&mut self, array: &Array, separator: ExprId) -> Result<ExprId, Error> {
        let first_never = array.prefix.iter().position(|&goal| goal == GoalId::NEVER);
        let max = array.max.min(first_never.map_or(u64::MAX, |at| at as u64));
        let len = array.prefix.len() as u64;
        let max = if array.rest == GoalId::NEVER { max.min(len) } else { max };
        if array.min > max {
            return Ok(self.algebra.builder.arena.never());
        }
        if len == 0 && max == 0 {
            return Ok(self.algebra.builder.arena.empty());
        }
        if len == 0 {
            let min = at_least(array.min, "items")?;
            let rest = self.item(array.rest)?;
            let counts = match (min, max) {
                (0, u64::MAX) => Box::default(),
                _ => Box::from([Count { slots: smallvec![0], min, max: count(max) }]),
            };
            let slots = Box::from([Slot::anywhere(rest)]);
            return self.members(Members { separator, slots, counts, condition: None, in_order: false });
        }
        let left = (array.min.saturating_sub(len), max.saturating_sub(len));
        let mut tail = self.further_items(array.rest, left, separator)?;
        for (i, &goal) in array.prefix.iter().enumerate().rev() {
            if i as u64 >= max {
                continue;
            }
            let item = self.item(goal)?;
            let arena = &mut self.algebra.builder.arena;
            let before = if i == 0 { arena.empty() } else { separator };
            tail = arena.concat(&[before, item, tail]);
            if i as u64 >= array.min {
                tail = arena.optional(tail);
            }
        }
        Ok(tail)
    }

    /// From `min` to `max` items behind others.
    fn further_items(
        &mut self,
        goal: GoalId,
        (min, max): (u64, u64),
        separator: ExprId,
    ) -> Result<ExprId, Error> {
        if max == 0 {
            let arena = &mut self.algebra.builder.arena;
            return Ok(if min == 0 { arena.empty() } else { arena.never() });
        }
        let min = at_least(min, "items")?;
        let item = self.item(goal)?;
        let arena = &mut self.algebra.builder.arena;
        let next = arena.concat(&[separator, item]);
        Ok(arena.repeat(next, min, count(max)))
    }

    /// Items of which some are counted: one slot for each place and each combination of what they count for.
    fn counted_items(&mut self, array: &Array, separator: ExprId) -> Result<ExprId, Error> {
        let places = array.contains.iter().map(|c| c.from).fold(array.prefix.len(), usize::max);
        let mut slots = Vec::new();
        let mut counted: Vec<Vec<u32>> = vec![Vec::new(); array.contains.len()];
        for place in 0..=places {
            let (from, to) = (place as u32, if place == places { u32::MAX } else { place as u32 + 1 });
            for Kind { goal, counts_for } in self.kinds(array, place)? {
                counts_for.into_iter().for_each(|of| counted[of].push(slots.len() as u32));
                slots.push(Slot { entry: self.item(goal)?, from, to });
            }
            if slots.len() > KINDS {
                return Err(too_many_kinds());
            }
        }
        let all = (0..slots.len() as u32).collect();
        let mut counts =
            vec![Count { slots: all, min: at_least(array.min, "items")?, max: count(array.max) }];
        for (contains, slots) in array.contains.iter().zip(counted) {
            let min = at_least(contains.min, "items")?;
            counts.push(Count { slots: slots.into(), min, max: count(contains.max) });
        }
        self.members(Members {
            separator,
            slots: slots.into(),
            counts: counts.into(),
            condition: None,
            in_order: false,
        })
    }

    /// What an item at a place may be, with the bounds that it counts for.
    fn kinds(&mut self, array: &Array, place: usize) -> Result<Vec<Kind>, Error> {
        let (mut goals, mut of): (Vec<GoalId>, Vec<Vec<usize>>) = (Vec::new(), Vec::new());
        for (i, contains) in array.contains.iter().enumerate().filter(|(_, c)| c.from <= place) {
            let goal = self.algebra.in_same_words(contains.goal);
            match goals.iter().position(|&known| known == goal) {
                Some(at) => of[at].push(i),
                None => {
                    goals.push(goal);
                    of.push(vec![i]);
                }
            }
        }
        let base = self.algebra.in_same_words(array.goal_at(place));
        // Nobody minds an item too many where there is no upper bound.
        let exact =
            goals.len() > OBLIGATIONS || array.contains.iter().any(|contains| contains.max < u64::MAX);
        let kinds = self.told_apart(base, &goals, exact)?;
        let counts_for = |has: Vec<usize>| has.into_iter().flat_map(|at| of[at].iter().copied()).collect();
        Ok(kinds.into_iter().map(|(goal, has)| Kind { goal, counts_for: counts_for(has) }).collect())
    }

    /// An array that has each of a few values at most once.
    fn distinct_array(&mut self, array: &Array, values: &[ExprId]) -> Result<ExprId, Error> {
        let (separator, bracket) = self.separator_and_bracket(true);
        let arena = &mut self.algebra.builder.arena;
        let mut counts = Vec::with_capacity(values.len() + 1);
        let mut slots = Vec::with_capacity(values.len());
        for (i, &value) in values.iter().enumerate() {
            slots.push(Slot::anywhere(arena.concat(&[value, self.ws])));
            counts.push(Count { slots: [i as u32].into_iter().collect(), min: 0, max: Some(1) });
        }
        let all = (0..values.len() as u32).collect();
        counts.push(Count { slots: all, min: at_least(array.min, "items")?, max: count(array.max) });
        let (slots, counts) = (slots.into(), counts.into());
        let items = self.members(Members { separator, slots, counts, condition: None, in_order: false })?;
        let open = self.signs.brackets[0];
        Ok(self.algebra.builder.arena.concat(&[open, self.ws, items, bracket]))
    }

    /// Whether some place of an array has few values, so that earlier items may leave none for it.
    fn has_few_values(&mut self, array: &Array) -> Result<bool, Error> {
        for place in 0..=array.prefix.len() {
            let goal = array.goal_at(place);
            if (place as u64) < array.max && goal != GoalId::NEVER && self.few_values(goal)?.is_some() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The items of an array without repetitions where some places have few values: one alternative for each choice of
    /// those. Whoever runs the grammar sees to it that the others do not repeat them.
    fn distinct_tuple(&mut self, array: &Array, separator: ExprId) -> Result<ExprId, Error> {
        let mut array = array.clone();
        if let Some(values) = self.few_values(array.rest)? {
            // No more of the rest than it has values.
            let most = array.prefix.len() + values.len();
            array.max = array.max.min(most as u64);
            let len = usize::try_from(array.max).unwrap_or(most).min(most);
            array.prefix.resize(len.max(array.prefix.len()), array.rest);
            array.rest = GoalId::NEVER;
        }
        let mut places = Vec::with_capacity(array.prefix.len());
        for &goal in array.prefix.iter().take(usize::try_from(array.max).unwrap_or(usize::MAX)) {
            places.push((goal, self.few_values(goal)?));
        }
        let first_free = places.iter().position(|(_, values)| values.is_none()).unwrap_or(places.len());
        let required = places.len().min(usize::try_from(array.min).unwrap_or(usize::MAX));
        if places[..required].iter().skip(first_free).any(|(_, values)| values.is_some()) {
            let message = "`uniqueItems` is not enforced where a required item has few values and an item before it may take \
                           them";
            return Err(Error::new(ErrorKind::Unsupported, message));
        }
        let mut room = KINDS;
        self.distinct_from(&array, &places, 0, &mut Vec::new(), separator, &mut room)
    }

    /// The items from a place on, none of them among the values `used` before.
    fn distinct_from(
        &mut self,
        array: &Array,
        places: &[(GoalId, Option<Vec<ExprId>>)],
        at: usize,
        used: &mut Vec<ExprId>,
        separator: ExprId,
        room: &mut usize,
    ) -> Result<ExprId, Error> {
        *room = room.checked_sub(1).ok_or_else(|| {
            let message =
                "`uniqueItems` is not enforced for so many combinations of items that have few values";
            Error::new(ErrorKind::Unsupported, message)
        })?;
        let before = if at == 0 { self.algebra.builder.arena.empty() } else { separator };
        let more = match places.get(at) {
            None if at as u64 >= array.max => self.algebra.builder.arena.empty(),
            None => {
                let min = array.min.saturating_sub(at as u64);
                let max = if array.rest == GoalId::NEVER { 0 } else { array.max.saturating_sub(at as u64) };
                if at > 0 {
                    return self.further_items(array.rest, (min, max), separator);
                }
                let rest = Array { prefix: Vec::new(), min, max, ..array.clone() };
                return self.plain_items(&rest, separator);
            }
            Some((goal, None)) => {
                let item = self.item(*goal)?;
                let rest = self.distinct_from(array, places, at + 1, used, separator, room)?;
                self.algebra.builder.arena.concat(&[before, item, rest])
            }
            Some((_, Some(values))) => {
                let mut ways = Vec::with_capacity(values.len());
                for &value in values.iter().filter(|&value| !used.contains(value)).collect::<Vec<_>>() {
                    used.push(value);
                    let rest = self.distinct_from(array, places, at + 1, used, separator, room)?;
                    used.pop();
                    ways.push(self.algebra.builder.arena.concat(&[before, value, self.ws, rest]));
                }
                self.algebra.builder.arena.alt(&ways)
            }
        };
        let optional = at as u64 >= array.min;
        Ok(if optional { self.algebra.builder.arena.optional(more) } else { more })
    }

    /// Separated entries under counts, if whether they can be met is decided fast enough.
    pub(super) fn members(&mut self, members: Members) -> Result<ExprId, Error> {
        members.check()?;
        Ok(self.algebra.builder.arena.members(members))
    }
}

/// What an item may be.
struct Kind {
    goal: GoalId,
    /// The bounds that it counts for, by number.
    counts_for: SmallVec<[usize; 4]>,
}

fn too_many_kinds() -> Error {
    let message = format!("more than {KINDS} kinds of items would have to be told apart for `contains`");
    Error::new(ErrorKind::Unsupported, message)
}
