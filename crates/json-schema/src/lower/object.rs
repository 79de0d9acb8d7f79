//! Objects as expressions.

use std::borrow::Cow;
use std::rc::Rc;

use smallvec::SmallVec;
use tokenstile_grammar::ir::{ConditionBuilder, Count, Members, Slot};
use tokenstile_grammar::{Error, ErrorKind, ExprId};

use super::{Lower, at_least, count};
use crate::algebra::{GoalId, Member, Object, Strings};
use crate::options::MemberOrder;

/// How many "at least one member such that" one object may have.
const OBLIGATIONS: usize = 4;

/// Classes of keys, with what their values must be.
type Classes = Vec<(Strings, GoalId)>;

/// What may be written as a member: its key, what its value must be, and the obligations (as bits) it fulfils.
struct Kind {
    key: ExprId,
    goal: GoalId,
    fulfils: u32,
}

impl Lower<'_> {
    pub(super) fn object(&mut self, object: &Object) -> Result<ExprId, Error> {
        if !object.some.is_empty() && !object.implies.is_empty() {
            return self.split_implication(object);
        }
        if object.some.len() > OBLIGATIONS {
            let message = format!("more than {OBLIGATIONS} times \"some member must …\" hold for one object");
            return Err(Error::new(ErrorKind::Unsupported, message));
        }
        let (members, classes) = self.listed(object)?;
        let members =
            if members.is_empty() && object.some.is_empty() && (object.min, object.max) == (0, u64::MAX) {
                self.free_members(&classes)?
            } else {
                self.counted_members(object, &members, &classes)?
            };
        let [open, close] = self.signs.braces;
        Ok(self.algebra.builder.arena.concat(&[open, self.ws, members, close]))
    }

    /// The members by name and the classes of other keys, as they are to be written.
    pub(super) fn listed<'o>(&mut self, object: &'o Object) -> Result<(Cow<'o, [Member]>, Classes), Error> {
        let mut members = Cow::Borrowed(&object.members[..]);
        if object.classes.is_empty() {
            return Ok((members, Classes::new()));
        }
        let names = Strings::Except(members.iter().map(|m| m.name.clone()).collect());
        let mut classes = Vec::new();
        for (keys, goal) in &object.classes {
            if self.algebra.options.closed && *goal == GoalId::ANY && !object.members.is_empty() {
                continue;
            }
            match keys.intersect(&names, &mut self.algebra.texts())? {
                Strings::Only(keys) => members.to_mut().extend(keys.iter().map(|name| Member {
                    name: name.clone(),
                    required: false,
                    goal: *goal,
                    declared: false,
                })),
                keys => classes.push((keys, *goal)),
            }
        }
        Ok((members, classes))
    }

    /// A member and the white space after it.
    pub(super) fn entry(&mut self, key: ExprId, goal: GoalId) -> Result<ExprId, Error> {
        let value = self.value_of(goal)?;
        let arena = &mut self.algebra.builder.arena;
        Ok(arena.concat(&[key, self.ws, self.signs.colon, self.ws, value, self.ws]))
    }

    /// A key that is not known beforehand. Keys by name need no tracking: each is written once, and no other.
    fn free_key(&mut self, keys: &Strings) -> Result<ExprId, Error> {
        self.tracking.keys = true;
        self.tracking.keys_abound = self.tracking.keys_abound.min(self.algebra.reach(keys));
        if let Strings::Except(names) = keys
            && !names.is_empty()
        {
            return self.quoted(keys);
        }
        // Whether a key is there already is asked of plain ones only.
        let keys = Strings::Expr(keys.expr(&mut self.algebra.builder.arena));
        self.quoted(&keys)
    }

    /// Any number of members, of certain classes. What is all in the base is written as it is there.
    fn free_members(&mut self, classes: &[(Strings, GoalId)]) -> Result<ExprId, Error> {
        let separator = self.signs.separator;
        let any = self.any_of_classes(classes)?;
        let arena = &mut self.algebra.builder.arena;
        if any.index() >= arena.base_len() && any != arena.never() {
            let slots = Box::from([Slot::anywhere(any)]);
            let counts = Box::default();
            return self.members(Members { separator, slots, counts, condition: None, in_order: false });
        }
        let next = arena.concat(&[separator, any]);
        let more = arena.star(next);
        let members = arena.concat(&[any, more]);
        Ok(arena.optional(members))
    }

    fn any_of_classes(&mut self, classes: &[(Strings, GoalId)]) -> Result<ExprId, Error> {
        let mut entries = Vec::with_capacity(classes.len());
        for (keys, goal) in classes {
            let key = self.free_key(keys)?;
            entries.push(self.entry(key, *goal)?);
        }
        Ok(self.algebra.builder.arena.alt(&entries))
    }

    /// Members of which some are known by name, under the counts of an object.
    pub(super) fn counted_members(
        &mut self,
        object: &Object,
        members: &[Member],
        classes: &[(Strings, GoalId)],
    ) -> Result<ExprId, Error> {
        let separator = self.signs.separator;
        let mut slots: Vec<Slot> = Vec::with_capacity(members.len() + 1);
        let mut counts: Vec<Count> = Vec::with_capacity(members.len());
        let mut fulfilled: Vec<Vec<u32>> = vec![Vec::new(); object.some.len()];
        let mut add = |lower: &mut Self, slots: &mut Vec<Slot>, kind: Kind| -> Result<u32, Error> {
            let slot = slots.len() as u32;
            slots.push(Slot::anywhere(lower.entry(kind.key, kind.goal)?));
            for (of, group) in fulfilled.iter_mut().enumerate() {
                if kind.fulfils & 1 << of != 0 {
                    group.push(slot);
                }
            }
            Ok(slot)
        };
        for member in members {
            let mut own = SmallVec::new();
            for kind in self.kinds_of_member(object, member)? {
                own.push(add(self, &mut slots, kind)?);
            }
            counts.push(Count { slots: own, min: u32::from(member.required), max: Some(1) });
        }
        if object.some.is_empty() {
            if !classes.is_empty() {
                slots.push(Slot::anywhere(self.any_of_classes(classes)?));
            }
        } else {
            for (keys, goal) in classes {
                for kind in self.kinds_of_class(object, keys, *goal)? {
                    add(self, &mut slots, kind)?;
                }
            }
        }
        for slots in fulfilled {
            counts.push(Count { slots: slots.into(), min: 1, max: None });
        }
        if (object.min, object.max) != (0, u64::MAX) {
            let all = (0..slots.len() as u32).collect();
            counts.push(Count { slots: all, min: at_least(object.min, "members")?, max: count(object.max) });
        }
        // Without obligations there is one slot for each member, in the same order.
        let at = |name: &Rc<str>| members.iter().position(|m| m.name == *name).map(|at| at as u32);
        let implies = object.implies.iter().filter_map(|(a, b)| Some((at(a)?, at(b)?)));
        let mut condition = ConditionBuilder::default();
        let implied = condition.implies(implies);
        let condition = condition.build(implied);
        let condition = (!condition.is_always()).then(|| Box::new(condition));
        let in_order = self.algebra.options.order == MemberOrder::Declared && object.some.is_empty();
        self.members(Members { separator, slots: slots.into(), counts: counts.into(), condition, in_order })
    }

    /// A member by name: once for each set of obligations that it can fulfil.
    fn kinds_of_member(&mut self, object: &Object, member: &Member) -> Result<SmallVec<[Kind; 1]>, Error> {
        let key = self.quoted_text(&member.name);
        let mut kinds: SmallVec<[(GoalId, u32); 1]> = smallvec::smallvec![(member.goal, 0)];
        for (i, (keys, goal)) in object.some.iter().enumerate() {
            if keys.contains(&member.name, &mut self.algebra.texts())? {
                let more: Vec<_> =
                    kinds.iter().map(|&(g, f)| (self.algebra.goals.and(g, *goal), f | 1 << i)).collect();
                kinds.extend(more);
            }
        }
        Ok(kinds.into_iter().map(|(goal, fulfils)| Kind { key, goal, fulfils }).collect())
    }

    /// Members of a class of keys: once for each set of obligations that they can fulfil.
    fn kinds_of_class(&mut self, object: &Object, keys: &Strings, goal: GoalId) -> Result<Vec<Kind>, Error> {
        let mut kinds = vec![(keys.clone(), goal, 0)];
        for (i, (some_keys, some_goal)) in object.some.iter().enumerate() {
            for at in 0..kinds.len() {
                let (keys, goal, fulfils) = &kinds[at];
                let (goal, fulfils) = (self.algebra.goals.and(*goal, *some_goal), fulfils | 1 << i);
                let keys = keys.intersect(some_keys, &mut self.algebra.texts())?;
                if goal != GoalId::NEVER && !self.algebra.no_strings(&keys)? {
                    kinds.push((keys, goal, fulfils));
                }
            }
        }
        let mut out = Vec::with_capacity(kinds.len());
        for (keys, goal, fulfils) in kinds {
            out.push(Kind { key: self.free_key(&keys)?, goal, fulfils });
        }
        Ok(out)
    }

    /// "With a also b" as two objects: one without a, one with both.
    fn split_implication(&mut self, object: &Object) -> Result<ExprId, Error> {
        if object.implies.len() > OBLIGATIONS {
            let message = "too many dependencies between members beside \"some member must …\"";
            return Err(Error::new(ErrorKind::Unsupported, message));
        }
        let mut object = object.clone();
        let Some((a, b)) = object.implies.pop() else { return self.object(&object) };
        let mut sides = Vec::with_capacity(2);
        let without = Object::with_member(a.clone(), false, GoalId::NEVER);
        let mut with = Object::with_member(a, true, GoalId::ANY);
        with.members.push(Member { name: b, required: true, goal: GoalId::ANY, declared: false });
        for side in [without, with] {
            let side = self.algebra.intersect_objects(&object, &side)?;
            sides.push(self.object(&side)?);
        }
        Ok(self.algebra.builder.arena.alt(&sides))
    }
}
