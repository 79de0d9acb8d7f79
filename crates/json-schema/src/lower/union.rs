//! Unions of objects, by the member that is written first.
//!
//! Tools, or the kinds of a thing, are objects with the same few names that differ in their values. Each as an expression of
//! its own, all of them would be open side by side until one of their names is there. So what they begin with is
//! written once: a name, then what each object has as its value, and only behind that what is left of that object.

use std::rc::Rc;

use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use tokenstile_grammar::{Error, ExprId};

use super::Lower;
use crate::algebra::{Member, Object};
use crate::options::MemberOrder;
use crate::tuning::lower::{UNION_LEAST, UNION_MEMBERS};

impl Lower<'_> {
    /// Several objects: those that can be written together, and each of the others.
    pub(super) fn any_of_objects(
        &mut self,
        objects: &[Rc<Object>],
        parts: &mut SmallVec<[ExprId; 8]>,
    ) -> Result<(), Error> {
        let any_order = self.algebra.options.order != MemberOrder::Declared;
        let mut together: Vec<Vec<Member>> = Vec::new();
        for object in objects {
            let alike = any_order && objects.len() >= UNION_LEAST && is_plain(object);
            match if alike { self.only_members(object)? } else { None } {
                Some(members) => together.push(members),
                None => parts.push(self.object(object)?),
            }
        }
        if !together.is_empty() {
            parts.push(self.by_first_member(&together)?);
        }
        Ok(())
    }

    /// The members of an object, if it has no others, and not too many.
    fn only_members(&mut self, object: &Object) -> Result<Option<Vec<Member>>, Error> {
        let (members, classes) = self.listed(object)?;
        let few = classes.is_empty() && (1..=UNION_MEMBERS).contains(&members.len());
        Ok(few.then(|| members.into_owned()))
    }

    fn by_first_member(&mut self, objects: &[Vec<Member>]) -> Result<ExprId, Error> {
        let mut ways: Vec<(&Rc<str>, Vec<ExprId>)> = Vec::new();
        let mut index: FxHashMap<&Rc<str>, usize> = FxHashMap::default();
        for members in objects {
            for (at, member) in members.iter().enumerate() {
                let value = self.value_of(member.goal)?;
                let rest = self.further_members(members, at)?;
                let way = self.algebra.builder.arena.concat(&[value, self.ws, rest]);
                let place = *index.entry(&member.name).or_insert(ways.len());
                if place == ways.len() {
                    ways.push((&member.name, Vec::new()));
                }
                ways[place].1.push(way);
            }
        }
        let mut bodies = Vec::with_capacity(ways.len() + 1);
        for (name, ways) in ways {
            let key = self.quoted_text(name);
            let arena = &mut self.algebra.builder.arena;
            let rest = arena.alt(&ways);
            bodies.push(arena.concat(&[key, self.ws, self.signs.colon, self.ws, rest]));
        }
        let arena = &mut self.algebra.builder.arena;
        if objects.iter().any(|members| members.iter().all(|member| !member.required)) {
            bodies.push(arena.empty());
        }
        let ([open, close], body) = (self.signs.braces, arena.alt(&bodies));
        Ok(arena.concat(&[open, self.ws, body, close]))
    }

    /// What may follow the member at `first`.
    fn further_members(&mut self, members: &[Member], first: usize) -> Result<ExprId, Error> {
        let others = members.iter().enumerate().filter(|&(at, _)| at != first);
        let others: Vec<Member> = others.map(|(_, member)| member.clone()).collect();
        if others.is_empty() {
            return Ok(self.algebra.builder.arena.empty());
        }
        // Behind a comma there must be one.
        let optional = others.iter().all(|member| !member.required);
        let object = Object { min: u64::from(optional), ..Object::any() };
        let more = self.counted_members(&object, &others, &[])?;
        let arena = &mut self.algebra.builder.arena;
        let more = arena.concat(&[self.signs.separator, more]);
        Ok(if optional { arena.optional(more) } else { more })
    }
}

/// Whether nothing is said of an object but what its members are.
fn is_plain(object: &Object) -> bool {
    object.some.is_empty()
        && object.implies.is_empty()
        && object.formulas.is_empty()
        && (object.min, object.max) == (0, u64::MAX)
}
