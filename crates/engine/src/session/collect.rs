//! The token sets of a configuration.

use std::time::Duration;

use smallvec::SmallVec;

use super::Session;
use crate::collections::FewSet;
use crate::constraint::Generation;
use crate::error::MatchError;
use crate::stack::{Config, Stack};
use crate::tokens::accept::Accept;
use crate::tokens::pending::PendingId;

impl Session {
    /// Collects the token sets whose union is the mask; says how long it took if not all were in the caches.
    pub(crate) fn collect<'a>(
        &'a self,
        config: &Config,
        sets: &mut SmallVec<[&'a Accept; 8]>,
    ) -> Result<Option<Duration>, MatchError> {
        let Generation { store, masks, .. } = &*self.generation;
        let tables = &self.inner().common.tables;
        let mut work = self.work();
        let mut seen: FewSet<(u128, PendingId)> = FewSet::default();
        let mut todo: SmallVec<[(&Stack, PendingId); 8]> = SmallVec::new();
        for (state, stack) in config {
            let walked = masks.start(store, tables, *state, &mut work)?;
            if !walked.accept.is_empty() {
                sets.push(&walked.accept);
            }
            todo.extend(walked.pending.iter().map(|&p| (stack, p)));
        }
        while let Some((stack, pending)) = todo.pop() {
            if stack.links.is_empty() {
                continue;
            }
            // A stack is met again only where the grammar is ambiguous.
            if !seen.insert((stack.key, pending)) {
                continue;
            }
            work.spend(1)?;
            for (ret, below) in &stack.links {
                let walked = masks.resolve(store, tables, pending, *ret, &mut work)?;
                if !walked.accept.is_empty() {
                    sets.push(&walked.accept);
                }
                todo.extend(walked.pending.iter().map(|&p| (below, p)));
            }
        }
        Ok(work.cold_for())
    }
}
