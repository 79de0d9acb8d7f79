//! The values of a goal one by one, where they are few: arrays without repetitions count each of them.

use std::rc::Rc;

use tokenstile_grammar::ir::{Count, Members, Slot};
use tokenstile_grammar::{Error, ExprId};

use super::Lower;
use crate::algebra::{Array, GoalId, Object, Set, Strings};
use crate::number::NumberSet;
use crate::options::MemberOrder;
use crate::tuning::lower::{FEW, FEW_DEPTH, FEW_NESTED};

/// Values, each as an expression of its own; `None` if there are too many or nobody can tell.
type Few = Option<Vec<ExprId>>;

impl Lower<'_> {
    /// All values of a goal, if they are few.
    pub(super) fn few_values(&mut self, goal: GoalId) -> Result<Few, Error> {
        self.values_to(goal, FEW, FEW_DEPTH)
    }

    fn values_to(&mut self, goal: GoalId, limit: usize, depth: usize) -> Result<Few, Error> {
        match goal {
            GoalId::ANY => return Ok(None),
            GoalId::NEVER => return Ok(Some(Vec::new())),
            _ => {}
        }
        let set = self.algebra.set_of(goal)?;
        let nested = !set.arrays.is_empty() || !set.objects.is_empty();
        if nested && let Some(listed) = self.listed_values(goal, limit)? {
            return Ok(Some(listed));
        }
        let limit = if nested { limit.min(FEW_NESTED) } else { limit };
        let Some(mut values) = self.scalars(&set, limit)? else { return Ok(None) };
        let in_order = self.algebra.options.order == MemberOrder::Declared;
        if nested && depth == 0 || in_order && set.objects.len() > 1 {
            return Ok(None);
        }
        for array in &set.arrays {
            let Some(more) = self.arrays(array, limit, depth - 1)? else { return Ok(None) };
            values.extend(more);
        }
        for object in &set.objects {
            let Some(more) = self.objects(object, limit, depth - 1)? else { return Ok(None) };
            values.extend(more);
        }
        // Shapes may overlap; equal values are equal expressions.
        values.sort_unstable();
        values.dedup();
        Ok((values.len() <= limit).then_some(values))
    }

    /// The values of a set that are neither arrays nor objects.
    fn scalars(&mut self, set: &Set, limit: usize) -> Result<Few, Error> {
        let Strings::Only(texts) = &set.string else { return Ok(None) };
        let Some(numbers) = set.number.finite(limit)? else { return Ok(None) };
        if texts.len() + numbers.len() > limit {
            return Ok(None);
        }
        let mut values = Vec::new();
        for (_, word) in [(set.null, "null"), (set.no, "false"), (set.yes, "true")].iter().filter(|w| w.0) {
            values.push(self.algebra.builder.arena.literal(word.as_bytes()));
        }
        let (spelling, limits) = (self.algebra.options.spelling, self.algebra.limits);
        for number in numbers {
            let one = NumberSet::single(number);
            values.push(one.expr(spelling, &mut self.algebra.builder.arena, limits)?);
        }
        for text in texts.iter() {
            values.push(self.quoted(&Strings::only(text))?);
        }
        Ok(Some(values))
    }

    /// The values of a goal that is just an `enum` or `const`, if they are few.
    fn listed_values(&mut self, goal: GoalId, limit: usize) -> Result<Few, Error> {
        let Some(values) = self.algebra.listed(goal) else { return Ok(None) };
        if values.len() > limit {
            return Ok(None);
        }
        let mut exprs = Vec::with_capacity(values.len());
        for value in values {
            let one = self.algebra.goal_of_value(value);
            let both = self.algebra.goals.and(goal, one);
            let expr = self.value_of(both)?;
            if !self.algebra.no_values(both, 1)? && !exprs.contains(&expr) {
                exprs.push(expr);
            }
        }
        Ok(Some(exprs))
    }

    /// All arrays of a shape, if only the number and the place of the items count.
    fn arrays(&mut self, array: &Array, limit: usize, depth: usize) -> Result<Few, Error> {
        if !array.contains.is_empty() || array.repeated {
            return Ok(None);
        }
        // Each round adds an item to every array of the last; those that are long enough are values.
        let (mut values, mut longest) = (Vec::new(), vec![Vec::new()]);
        for place in 0.. {
            if place as u64 >= array.min {
                for items in &longest {
                    values.push(self.array_of(items));
                }
            }
            let ends = longest.is_empty() || place as u64 >= array.max;
            let Some(items) =
                (if ends { Some(Vec::new()) } else { self.values_to(array.goal_at(place), limit, depth)? })
            else {
                return Ok(None);
            };
            if items.is_empty() {
                break;
            }
            longest = longest
                .iter()
                .flat_map(|before| items.iter().map(move |&item| [&before[..], &[item]].concat()))
                .filter(|items: &Vec<ExprId>| {
                    !array.unique || !items[..items.len() - 1].contains(&items[items.len() - 1])
                })
                .collect();
            if longest.len() + values.len() > limit {
                return Ok(None);
            }
        }
        Ok(Some(values))
    }

    fn array_of(&mut self, items: &[ExprId]) -> ExprId {
        let ws = self.ws;
        let [open, close] = self.signs.brackets;
        let mut parts = vec![open, ws];
        for (i, &item) in items.iter().enumerate() {
            if i > 0 {
                parts.push(self.signs.separator);
            }
            parts.extend([item, ws]);
        }
        parts.push(close);
        self.algebra.builder.arena.concat(&parts)
    }

    /// All objects of a shape, if it has no keys but certain ones and only their values count.
    fn objects(&mut self, object: &Object, limit: usize, depth: usize) -> Result<Few, Error> {
        let judged = !object.some.is_empty() || !object.formulas.is_empty();
        if judged || object.classes.iter().any(|(_, goal)| *goal != GoalId::NEVER) {
            return Ok(None);
        }
        let mut found: Vec<Vec<(Rc<str>, ExprId)>> = vec![Vec::new()];
        for member in &object.members {
            let Some(values) = self.values_to(member.goal, limit, depth)? else { return Ok(None) };
            let mut next = if member.required { Vec::new() } else { found.clone() };
            for before in &found {
                next.extend(
                    values.iter().map(|&value| [&before[..], &[(member.name.clone(), value)]].concat()),
                );
            }
            found = next;
            if found.len() > limit {
                return Ok(None);
            }
        }
        let has =
            |members: &[(Rc<str>, ExprId)], name: &Rc<str>| members.iter().any(|member| member.0 == *name);
        found.retain(|members| {
            let implied = object.implies.iter().all(|(a, b)| !has(members, a) || has(members, b));
            implied && (object.min..=object.max).contains(&(members.len() as u64))
        });
        found.into_iter().map(|members| self.object_of(members)).collect::<Result<_, _>>().map(Some)
    }

    fn object_of(&mut self, mut members: Vec<(Rc<str>, ExprId)>) -> Result<ExprId, Error> {
        let in_order = self.algebra.options.order == MemberOrder::Declared;
        if !in_order {
            members.sort_unstable();
        }
        let (mut slots, mut counts) = (Vec::new(), Vec::new());
        for (i, (name, value)) in members.into_iter().enumerate() {
            let key = self.quoted(&Strings::only(&name))?;
            let ws = self.ws;
            let arena = &mut self.algebra.builder.arena;
            let entry = arena.concat(&[key, ws, self.signs.colon, ws, value, ws]);
            slots.push(Slot::anywhere(entry));
            counts.push(Count { slots: [i as u32].into_iter().collect(), min: 1, max: Some(1) });
        }
        let arena = &mut self.algebra.builder.arena;
        let ([open, close], separator) = (self.signs.braces, self.signs.separator);
        let members = if slots.is_empty() {
            arena.empty()
        } else {
            let (slots, counts) = (slots.into(), counts.into());
            self.members(Members { separator, slots, counts, condition: None, in_order })?
        };
        Ok(self.algebra.builder.arena.concat(&[open, self.ws, members, close]))
    }
}
