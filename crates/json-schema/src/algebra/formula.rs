//! What must hold of an object as a whole, as a formula over sets of objects.
//!
//! "Exactly one of these" and "this or that, and besides one of those" are unions with an alternative for each way to fulfil
//! them, and conditions one beside the other multiply. As a formula they are as long as the schema says them. Which of the
//! two it is does not matter to anyone but who writes the object down: a union of few alternatives is written as these, and
//! of a formula all sets are judged while an object is written.

use std::rc::Rc;

use smallvec::smallvec;
use tokenstile_grammar::Error;

use super::{Algebra, Branch, Formula, LOOK, Object, Parts};

impl Object {
    /// All objects of which a formula holds.
    pub(crate) fn judged(formula: Rc<Formula>) -> Self {
        Object { formulas: vec![formula], ..Object::any() }
    }
}

impl Algebra<'_> {
    /// What is in one of `a` and in one of `b` as one set.
    pub(super) fn judged_product(
        &mut self,
        a: &[Rc<Object>],
        b: &[Rc<Object>],
    ) -> Result<Option<Parts<Object>>, Error> {
        let Some(judging) = self.judging.filter(|_| self.judges) else { return Ok(None) };
        judging.has_part.set(true);
        let both = self.intersect_objects(&as_one(a), &as_one(b))?;
        let none = self.no_objects(&both, LOOK)?;
        Ok(Some(if none { Parts::new() } else { smallvec![Rc::new(both)] }))
    }

    /// What is in `within` and in exactly one branch as one set.
    pub(super) fn judged_one(
        &mut self,
        branches: &[Branch<'_, Object>],
        within: &[Rc<Object>],
    ) -> Result<Option<Parts<Object>>, Error> {
        let Some(judging) = self.judging.filter(|_| self.judges) else { return Ok(None) };
        judging.has_part.set(true);
        let whole = branches.iter().filter(|(part, _)| !part.is_empty());
        let one = Rc::new(Formula::One(whole.map(|(_, whole)| Formula::in_any(whole)).collect()));
        let one = Object::judged(one);
        let mut parts = Parts::with_capacity(within.len());
        for part in within {
            parts.push(Rc::new(self.intersect_objects(part, &one)?));
        }
        Ok(Some(parts))
    }

    /// Whether a formula may hold of some object of a set, as far as one sees looking `depth` levels into members.
    pub(super) fn may_hold(
        &mut self,
        formula: &Formula,
        within: &Object,
        depth: usize,
    ) -> Result<bool, Error> {
        self.budget.tick()?;
        match formula {
            Formula::In(object) => {
                let both = self.intersect_objects(within, object)?;
                Ok(!self.no_objects(&both, depth)?)
            }
            Formula::Not(_) => Ok(true),
            Formula::All(parts) => {
                for part in parts {
                    if !self.may_hold(part, within, depth)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            Formula::Any(parts) | Formula::One(parts) => {
                for part in parts {
                    if self.may_hold(part, within, depth)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
        }
    }
}

/// A union as one set.
fn as_one(parts: &[Rc<Object>]) -> Rc<Object> {
    match parts {
        [part] => part.clone(),
        _ => Rc::new(Object::judged(Formula::in_any(parts))),
    }
}
