//! Objects as expressions.

use std::borrow::Cow;
use std::rc::Rc;

use smallvec::SmallVec;
use tokenstile_grammar::ir::{ConditionBuilder, Count, Members, Slot};
use tokenstile_grammar::{Error, ExprId};

use super::{Lower, at_least, count};
use crate::algebra::{GoalId, Member, Object, Strings};
use crate::options::MemberOrder;

/// Classes of keys, with what their values must be.
type Classes = Vec<(Strings, GoalId)>;

impl Lower<'_> {
    pub(super) fn object(&mut self, object: &Object) -> Result<ExprId, Error> {
        let members = if object.some.is_empty() && object.formulas.is_empty() {
            let (members, classes) = self.listed(object)?;
            match members.is_empty() && (object.min, object.max) == (0, u64::MAX) {
                true => self.unlisted_members(&classes)?,
                false => self.counted_members(object, &members, &classes)?,
            }
        } else {
            self.judged_members(object)?
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
    pub(super) fn unlisted_key(&mut self, keys: &Strings) -> Result<ExprId, Error> {
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
    fn unlisted_members(&mut self, classes: &[(Strings, GoalId)]) -> Result<ExprId, Error> {
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
            let key = self.unlisted_key(keys)?;
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
        for member in members {
            let key = self.quoted_text(&member.name);
            let own = SmallVec::from_slice(&[slots.len() as u32]);
            slots.push(Slot::anywhere(self.entry(key, member.goal)?));
            counts.push(Count { slots: own, min: u32::from(member.required), max: Some(1) });
        }
        if !classes.is_empty() {
            slots.push(Slot::anywhere(self.any_of_classes(classes)?));
        }
        if (object.min, object.max) != (0, u64::MAX) {
            let all = (0..slots.len() as u32).collect();
            counts.push(Count { slots: all, min: at_least(object.min, "members")?, max: count(object.max) });
        }
        // There is one slot for each member, in the same order.
        let at = |name: &Rc<str>| members.iter().position(|m| m.name == *name).map(|at| at as u32);
        let implies = object.implies.iter().filter_map(|(a, b)| Some((at(a)?, at(b)?)));
        let mut condition = ConditionBuilder::default();
        let implied = condition.implies(implies);
        let condition = condition.build(implied);
        let condition = (!condition.is_always()).then(|| Box::new(condition));
        let in_order = self.algebra.options.order == MemberOrder::Declared;
        self.members(Members { separator, slots: slots.into(), counts: counts.into(), condition, in_order })
    }
}
