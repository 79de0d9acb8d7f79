//! `oneOf`, and `anyOf` where it matters which branches hold.

use std::rc::Rc;

use smallvec::smallvec;
use tokenstile_grammar::Error;

use super::{APART, Algebra, Branch, Parts, Set, Strings, Unions};
use crate::node::{NodeId, Schema};
use crate::number::NumberSet;
use crate::tuning::algebra::OVERLAPS;

impl Algebra<'_> {
    /// What is in `within` and in exactly one branch of the schema's `oneOf`.
    pub(super) fn one_of(&mut self, within: &Set, schema: &Schema) -> Result<Set, Error> {
        let (mut whole, mut branches) = (Vec::new(), Vec::new());
        for &node in schema.one_of {
            let branch = self.set_of_node(node, true)?;
            branches.push(self.intersect(within, &branch)?);
            whole.push(branch);
        }
        let one = self
            .exactly_one(within, &branches, &whole)
            .map_err(|e| e.with_pointer(schema.pointer_of("oneOf")));
        match one {
            Err(_) if self.options.lenient => {
                let mut any = Set::none();
                for branch in &branches {
                    any = self.union(&any, branch)?;
                }
                self.or_lenient(one, any)
            }
            other => other,
        }
    }

    /// What is in exactly one of the branches. `whole` are the same without what holds for all of them: it is less to
    /// take away.
    fn exactly_one(&mut self, within: &Set, branches: &[Set], whole: &[Rc<Set>]) -> Result<Set, Error> {
        let once = |has: fn(&Set) -> bool| branches.iter().filter(|&b| has(b)).count() == 1;
        let (mut numbers, mut twice) = (NumberSet::none(), NumberSet::none());
        for branch in branches {
            twice = twice.union(&numbers.intersect(&branch.number)?)?;
            numbers = numbers.union(&branch.number)?;
        }
        let arrays: Vec<_> =
            branches.iter().zip(whole).map(|(b, w)| (&b.arrays[..], &w.arrays[..])).collect();
        let objects: Vec<_> =
            branches.iter().zip(whole).map(|(b, w)| (&b.objects[..], &w.objects[..])).collect();
        Ok(Set {
            null: once(|b| b.null),
            no: once(|b| b.no),
            yes: once(|b| b.yes),
            number: numbers.intersect(&twice.complement()?)?,
            plain_integers: branches.iter().all(Set::is_plain),
            string: self.in_one(branches.iter().map(|b| &b.string))?,
            arrays: self.in_one_list(&arrays, &within.arrays)?,
            objects: self.in_one_list(&objects, &within.objects)?,
        })
    }

    fn in_one<'s>(&mut self, branches: impl Iterator<Item = &'s Strings> + Clone) -> Result<Strings, Error> {
        let (any, twice) = Strings::union_of(branches, &mut self.texts())?;
        if self.no_strings(&twice)? {
            return Ok(any);
        }
        let others = twice.complement(&mut self.builder.arena);
        any.intersect(&others, &mut self.texts())
    }

    fn in_one_list<T: Unions>(
        &mut self,
        branches: &[Branch<'_, T>],
        within: &[Rc<T>],
    ) -> Result<Parts<T>, Error> {
        let mut out: Parts<T> = Parts::new();
        let mut overlaps = 0;
        for (i, (branch, _)) in branches.iter().enumerate() {
            for part in branch.iter() {
                let mut left: Parts<T> = smallvec![part.clone()];
                let others = branches.iter().enumerate().filter(|(j, _)| *j != i);
                for other in others.flat_map(|(_, (_, whole))| whole.iter()) {
                    overlaps += usize::from(self.without(&mut left, other)?);
                    if (left.len() > APART || overlaps > OVERLAPS)
                        && let Some(one) = T::one_as_one(self, branches, within)?
                    {
                        return Ok(one);
                    }
                }
                for part in left {
                    self.add(&mut out, part)?;
                }
            }
        }
        Ok(out)
    }

    /// Takes `other` out of some sets. Whether it has anything in common with them.
    fn without<T: Unions>(&mut self, parts: &mut Parts<T>, other: &Rc<T>) -> Result<bool, Error> {
        let mut left: Parts<T> = Parts::with_capacity(parts.len());
        let mut outside: Option<Vec<T>> = None;
        for part in std::mem::take(parts) {
            self.budget.tick()?;
            if T::are_disjoint(self, &part, other)? {
                left.push(part);
                continue;
            }
            let outside = match &mut outside {
                Some(known) => known,
                none => none.insert(T::complement(self, other)?),
            };
            for piece in &*outside {
                let piece = T::intersect(self, &part, piece)?;
                self.add_new(&mut left, piece)?;
            }
        }
        *parts = left;
        Ok(outside.is_some())
    }

    /// What is in some branch, with one part for every combination of those that hold: each brings along
    /// what it has evaluated.
    pub(super) fn some_of(&mut self, branches: &[NodeId]) -> Result<Set, Error> {
        let (mut some, mut none) = (Set::none(), Set::all());
        for &branch in branches {
            let (yes, no) = (self.set_of_node(branch, true)?, self.set_of_node(branch, false)?);
            let first = self.intersect(&none, &yes)?;
            let again = self.intersect(&some, &yes)?;
            let without = self.intersect(&some, &no)?;
            some = self.union(&again, &without)?;
            some = self.union(&some, &first)?;
            none = self.intersect(&none, &no)?;
        }
        Ok(some)
    }
}
