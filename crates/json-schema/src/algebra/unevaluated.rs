//! `unevaluatedProperties` and `unevaluatedItems`.
//!
//! Every array and object of a set carries what the schemas have evaluated that hold for it; so what is left is
//! known here, and gets the goal of the keyword.

use std::rc::Rc;

use tokenstile_grammar::Error;

use super::array::SeenItems;
use super::object::SeenKeys;
use super::{Algebra, Array, Contains, GoalId, Object, Parts, Set, Strings};
use crate::node::Schema;

impl Algebra<'_> {
    pub(super) fn unevaluated(&mut self, schema: &Schema, mut set: Set) -> Result<Set, Error> {
        if let Some(node) = schema.unevaluated_properties {
            let goal = self.goal_of_node(node, true);
            let mut objects = Parts::with_capacity(set.objects.len());
            for object in &set.objects {
                objects.push(Rc::new(self.rest_of_object(object, goal)?));
            }
            set.objects = objects;
        }
        if let Some(node) = schema.unevaluated_items {
            let goal = self.goal_of_node(node, true);
            set.arrays = set.arrays.iter().map(|array| Rc::new(self.rest_of_array(array, goal))).collect();
        }
        Ok(set)
    }

    fn rest_of_object(&mut self, object: &Object, goal: GoalId) -> Result<Object, Error> {
        let mut seen = Strings::none();
        for keys in &object.seen.0 {
            seen = seen.union(keys, &mut self.texts())?;
        }
        let mut object = object.clone();
        for member in &mut object.members {
            if !seen.contains(&member.name, &mut self.texts())? {
                member.goal = self.goals.and(member.goal, goal);
            }
        }
        let unseen = seen.complement(&mut self.builder.arena);
        let mut classes = Vec::new();
        for (keys, class_goal) in std::mem::take(&mut object.classes) {
            let inside = keys.intersect(&seen, &mut self.texts())?;
            let outside = keys.intersect(&unseen, &mut self.texts())?;
            let both = self.goals.and(class_goal, goal);
            for (keys, goal) in [(inside, class_goal), (outside, both)] {
                if goal != GoalId::NEVER && !self.no_strings(&keys)? {
                    classes.push((keys, goal));
                }
            }
        }
        Ok(Object { classes, seen: SeenKeys(vec![Strings::any()]), ..object })
    }

    fn rest_of_array(&mut self, array: &Array, goal: GoalId) -> Array {
        let mut array = array.clone();
        let seen = std::mem::replace(&mut array.seen, SeenItems { all: true, ..SeenItems::default() });
        if seen.all || goal == GoalId::ANY || seen.goals.contains(&GoalId::ANY) {
            return array;
        }
        if seen.goals.is_empty() {
            while array.prefix.len() < seen.first {
                array.prefix.push(array.rest);
            }
            for item in &mut array.prefix[seen.first..] {
                *item = self.goals.and(*item, goal);
            }
            array.rest = self.goals.and(array.rest, goal);
            if array.rest == GoalId::NEVER {
                array.max = array.max.min(array.prefix.len() as u64);
            }
            return array;
        }
        // No item but the first few may be neither seen nor of the goal.
        let mut neither = GoalId::ANY;
        for one in seen.goals.into_iter().chain([goal]) {
            let violations = self.violations(one);
            if let [violation] = violations[..] {
                neither = self.goals.and(neither, violation);
            }
        }
        array.contains.push(Contains { from: seen.first, goal: neither, min: 0, max: 0 });
        array
    }
}
