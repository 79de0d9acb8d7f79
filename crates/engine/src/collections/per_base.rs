//! What was found out about bases, for all grammars that begin with them.
//!
//! A [base](tokenstile_grammar::ir::Base) is data that grammars bring, so there may be several in a process; normally there
//! is one. What was found out about the last few is kept.

use std::sync::{Arc, PoisonError, RwLock};

use crate::tuning::per_base::BASES;
use tokenstile_grammar::ir::BaseId;

/// See the module documentation. What was made last comes last.
pub(crate) struct PerBase<T: ?Sized>(RwLock<Vec<(BaseId, Arc<T>)>>);

impl<T: ?Sized> PerBase<T> {
    pub(crate) const fn new() -> Self {
        PerBase(RwLock::new(Vec::new()))
    }

    /// What is known of a base, if it is usable; otherwise what is made in its place, which may be nothing.
    pub(crate) fn get_or(
        &self,
        base: BaseId,
        is_usable: impl Fn(&T) -> bool,
        make: impl FnOnce() -> Option<Arc<T>>,
    ) -> Option<Arc<T>> {
        let usable = |all: &[(BaseId, Arc<T>)]| {
            all.iter().find(|known| known.0 == base && is_usable(&known.1)).map(|known| known.1.clone())
        };
        if let Some(known) = usable(&self.0.read().unwrap_or_else(PoisonError::into_inner)) {
            return Some(known);
        }
        // Whoever waits for the lock wants what is being made meanwhile.
        let mut all = self.0.write().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = usable(&all) {
            return Some(known);
        }
        all.retain(|known| known.0 != base);
        let made = make()?;
        if all.len() == BASES {
            all.remove(0);
        }
        all.push((base, made.clone()));
        Some(made)
    }
}

#[cfg(test)]
mod tests {
    use tokenstile_grammar::ir::{Base, BaseParts};
    use tokenstile_grammar::{Grammar, Limits};

    use super::*;

    fn base() -> Arc<Base> {
        Base::new(Grammar::choice(&["a"], &Limits::default()).unwrap(), BaseParts::default())
    }

    #[test]
    fn the_last_few_are_known() {
        let known = PerBase::new();
        let ids: Vec<BaseId> = (0..=BASES).map(|_| base().id()).collect();
        for (id, number) in ids.iter().zip(0..) {
            assert_eq!(known.get_or(*id, |_| true, || Some(Arc::new(number))), Some(Arc::new(number)));
        }
        let nothing = |id| known.get_or(id, |_| true, || None);
        assert_eq!(nothing(ids[0]), None);
        assert_eq!(nothing(ids[1]), Some(Arc::new(1)));
        assert_eq!(known.get_or(ids[1], |number| *number > 1, || Some(Arc::new(7))), Some(Arc::new(7)));
        assert_eq!(nothing(ids[1]), Some(Arc::new(7)));
    }
}
