//! Where an entry of members is to be chosen.
//!
//! Which slots are open is different each time; what an entry in one slot does with a trie node is not. So that is
//! found once for each slot (see [`entries`](crate::automaton)), and a choice is a union over the slots that are open.
//! Only where a whole entry fits into a token does the walk go on with what follows it.

use std::sync::{Arc, PoisonError, RwLock};

use rustc_hash::FxHashMap;
use tokenstile_grammar::MembersId;
use tokenstile_grammar::ir::ByteSet;

use super::pending::Walked;
use super::walk::Walk;
use crate::automaton::{Exceeded, LocalExpansion, LocalId, StateId, Store};
use crate::trie::ROOT;

/// What entries do with trie nodes.
#[derive(Default)]
pub(super) struct Choices(RwLock<Known>);

#[derive(Default)]
struct Known {
    /// The bytes that entries may begin with.
    firsts: FxHashMap<MembersId, ByteSet>,
    /// By trie node, for all slots that come to anything, in order.
    walks: FxHashMap<(u32, MembersId), Arc<[SlotWalk]>>,
    /// By trie node and the state at its start, what a frame comes to.
    frames: FxHashMap<(u32, StateId), Arc<Walked>>,
}

/// What came of walking an entry.
struct SlotWalk {
    slot: u32,
    walked: Walked,
}

impl Choices {
    /// The bytes that entries of some members may begin with, whatever the slot.
    fn firsts(&self, store: &Store, members: MembersId) -> ByteSet {
        let known = self.0.read().unwrap_or_else(PoisonError::into_inner).firsts.get(&members).copied();
        if let Some(firsts) = known {
            return firsts;
        }
        let slots = store.program.arena.members_of(members).slots.len() as u32;
        let firsts = (0..slots).fold(ByteSet::EMPTY, |all, slot| {
            let local = store.slot_local(members, slot);
            let first = match store.local_literal(local).and_then(|literal| literal.first()) {
                Some(&byte) => ByteSet::single(byte),
                None => match store.split_expansion(local) {
                    at if at.apart.is_empty() => at.alive,
                    _ => ByteSet::ALL,
                },
            };
            all.union(&first)
        });
        self.0.write().unwrap_or_else(PoisonError::into_inner).firsts.insert(members, firsts);
        firsts
    }
}

impl Walk<'_> {
    /// Takes from `node` on what is walked by itself.
    #[inline]
    pub(super) fn apart(&mut self, node: u32, at: &LocalExpansion) -> Result<(), Exceeded> {
        at.apart.frames.iter().try_for_each(|&(ret, start)| self.frame(node, ret, start))?;
        at.apart.choices.iter().try_for_each(|&choice| self.choice(node, choice))
    }

    /// Takes a frame that is called.
    fn frame(&mut self, node: u32, ret: LocalId, start: StateId) -> Result<(), Exceeded> {
        self.work.spend(1)?;
        let (memory, store) = self.memory.at_home(self.store, start);
        if node == ROOT {
            let walked = memory.start(store, self.tables, start, self.work)?;
            return self.returned(walked, ret);
        }
        let known = &memory.choices.0;
        let key = (node, start);
        let walked = known.read().unwrap_or_else(PoisonError::into_inner).frames.get(&key).cloned();
        let walked = match walked {
            Some(walked) => walked,
            None => {
                let mut walk = Walk::new(memory, store, self.tables, self.work);
                walk.visit(node, store.clamped_local(store.local_of(start)))?;
                walk.run()?;
                let walked = Arc::new(walk.finish(None));
                let mut known = known.write().unwrap_or_else(PoisonError::into_inner);
                known.frames.entry(key).or_insert(walked).clone()
            }
        };
        self.returned(&walked, ret)
    }

    /// Takes what a frame comes to, and goes on where it returns.
    fn returned(&mut self, walked: &Walked, ret: LocalId) -> Result<(), Exceeded> {
        walked.accept.add_to(&mut self.masks, &mut self.ids);
        let ret = self.store.clamped_local(ret);
        for &pending in &walked.pending {
            let pending = self.memory.pending(pending);
            self.pending(pending, ret)?;
            self.pass_on(pending, self.store.split_expansion(ret), false);
        }
        Ok(())
    }

    fn choice(&mut self, node: u32, choice: LocalId) -> Result<(), Exceeded> {
        let (state, _) = self.store.local(choice).heads[0];
        let Some((members, open)) = self.store.open_in(state) else { return Ok(()) };
        let firsts = self.memory.choices.firsts(self.store, members);
        if !self.trie.children(node).any(|child| firsts.contains(self.trie.byte[child as usize])) {
            return Ok(());
        }
        if self.store.is_generic(state) {
            self.chosen.push(node);
            return Ok(());
        }
        let walks = self.slot_walks(node, members)?;
        self.work.spend(walks.len())?;
        let mut open = open.iter().copied().peekable();
        for SlotWalk { slot, walked } in walks.iter() {
            while open.next_if(|other| other < slot).is_some() {}
            if open.peek() != Some(slot) {
                continue;
            }
            walked.accept.add_to(&mut self.masks, &mut self.ids);
            for &pending in &walked.pending {
                let pending = self.memory.pending(pending);
                let (Some(end), Some(of)) = (pending.end, pending.of) else { continue };
                let pending = self.memory.pending(of);
                let next = self.store.local_after_entry(choice, end);
                self.pending(pending, next)?;
                self.pass_on(pending, self.store.split_expansion(next), false);
            }
        }
        Ok(())
    }

    /// Takes what a walk found that left the choices open, with these.
    pub(super) fn take(&mut self, known: &Walked, choice: LocalId) -> Result<(), Exceeded> {
        known.accept.add_to(&mut self.masks, &mut self.ids);
        known.choices.iter().try_for_each(|&node| self.choice(node, choice))
    }

    /// What entries do with `node`, by slot.
    fn slot_walks(&mut self, node: u32, members: MembersId) -> Result<Arc<[SlotWalk]>, Exceeded> {
        let known = &self.memory.choices.0;
        let key = (node, members);
        if let Some(walks) = known.read().unwrap_or_else(PoisonError::into_inner).walks.get(&key) {
            return Ok(walks.clone());
        }
        let slots = self.store.program.arena.members_of(members).slots.len() as u32;
        let mut walks: Vec<SlotWalk> = Vec::new();
        for slot in 0..slots {
            let local = self.store.slot_local(members, slot);
            let mut walk = Walk::new(self.memory, self.store, self.tables, self.work);
            walk.visit(node, self.store.clamped_local(local))?;
            walk.run()?;
            if !walk.is_empty() {
                walks.push(SlotWalk { slot, walked: walk.finish(None) });
            }
        }
        self.store.add_bytes(64 + walks.len() * size_of::<SlotWalk>());
        let mut known = known.write().unwrap_or_else(PoisonError::into_inner);
        Ok(known.walks.entry(key).or_insert(walks.into()).clone())
    }
}
