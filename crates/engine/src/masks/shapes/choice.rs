//! Where an entry of members is to be chosen.
//!
//! Which slots are open is different each time; what an entry in one slot does with a trie node is not. So that is
//! found once for each slot (see [`entries`](crate::automaton)), and a choice is a union over the slots that are open.
//! Only where a whole entry fits into a token does the walk go on with what follows it.

use std::sync::Arc;

use smallvec::SmallVec;
use tokenstile_grammar::MembersId;
use tokenstile_grammar::ir::ByteSet;

use super::super::memory::{MaskStore, Origin, SlotWalk};
use super::super::walk::Walk;
use super::shape::Ask;
use crate::ablate::{Switch, is_off};
use crate::automaton::{BehindKey, LocalExpansion, LocalId, NodeId, StateId, Store};
use crate::tokens::accept::Accept;
use crate::tokens::pending::{PendingId, Walked};
use crate::tokens::tables::Tables;
use crate::tokens::trie::{Ids, ROOT};
use crate::tuning::accept::DENSE;
use crate::work::{Exceeded, Work};

/// Nodes at which entries are chosen, behind what all keys begin with.
struct Begun {
    /// How many bytes that is.
    taken: usize,
    /// The nodes where there is more below.
    nodes: SmallVec<[u32; 16]>,
    /// The tokens up to there, and the set of them, which most keys share: few tokens have more of a key.
    ids: Ids,
    accept: Option<Accept>,
}

impl Begun {
    /// The tokens that are a part of a key, unless there is one that has all of it and more, which is hardly ever so.
    fn along(&mut self, walk: &Walk<'_>, key: &[u8]) -> Option<Accept> {
        let before = self.ids.len();
        let rest = &key[self.taken..];
        let ends = !self.nodes.iter().all(|&node| walk.trie.along(node, rest, &mut self.ids).is_none());
        let accept = match &self.accept {
            _ if ends => None,
            Some(accept) if self.ids.len() == before => Some(accept.clone()),
            _ => {
                let accept = Accept::new(SmallVec::new(), &self.ids, (walk.tables.words, DENSE));
                walk.store.add_bytes(accept.bytes());
                Some(accept)
            }
        };
        self.ids.truncate(before);
        accept
    }
}

impl Walk<'_> {
    /// Takes from `node` on what is walked by itself.
    #[inline]
    pub(crate) fn apart(&mut self, node: u32, at: &LocalExpansion) -> Result<(), Exceeded> {
        at.apart.frames.iter().try_for_each(|&(ret, start)| self.frame(node, ret, start))?;
        for &(ret, start) in at.apart.calls.iter() {
            if node == ROOT || self.goes_below(node, &self.store.first_bytes(start)) {
                self.frame(node, ret, start)?;
            }
        }
        at.apart.choices.iter().try_for_each(|&choice| self.choice(node, choice))
    }

    /// Whether one of the bytes leads further from a node.
    #[inline]
    fn goes_below(&self, node: u32, bytes: &ByteSet) -> bool {
        self.trie.children(node).any(|child| bytes.contains(self.trie.byte[child as usize]))
    }

    /// Takes a frame that is called.
    fn frame(&mut self, node: u32, ret: LocalId, start: StateId) -> Result<(), Exceeded> {
        self.work.spend(1)?;
        self.work.depth += 1;
        if node == ROOT {
            let walked = self.memory.start(self.store, self.tables, start, self.work)?;
            self.returned(walked, ret)?;
        } else {
            let walked = self.memory.frame(self.store, self.tables, (node, start), self.work)?;
            self.returned(&walked, ret)?;
        }
        self.work.depth -= 1;
        Ok(())
    }

    /// Takes what follows a key.
    pub(crate) fn behind_key(&mut self, node: u32, behind: BehindKey) -> Result<(), Exceeded> {
        let (start, end) = self.store.start_behind(behind);
        self.work.depth += 1;
        let walked = self.memory.frame(self.store, self.tables, (node, start), self.work)?;
        self.work.depth -= 1;
        walked.accept.add_to(&mut self.masks, &mut self.ids);
        for &pending in &walked.pending {
            let pending = self.memory.ended(self.store, end, pending);
            if !self.passed.contains(&pending) {
                self.passed.push(pending);
            }
        }
        Ok(())
    }

    /// Takes what a frame comes to, and goes on where it returns.
    fn returned(&mut self, walked: &Walked, ret: LocalId) -> Result<(), Exceeded> {
        walked.accept.add_to(&mut self.masks, &mut self.ids);
        let ret = self.store.clamped_local(ret);
        let (state, node) = self.store.local(ret).heads[0];
        if node == NodeId::BOTTOM && !is_off(Switch::ReturnsResolved) && self.store.only_end(state).is_none()
        {
            // Where nothing was read, the frame that called goes on by itself.
            let mut left = walked.pending.iter().filter(|&&pending| pending != PendingId::WHOLE);
            return left.try_for_each(|&pending| self.resolved(pending, state));
        }
        for &pending in &walked.pending {
            self.pending(pending, ret)?;
            let pending = self.memory.pending(pending);
            self.pass_on(pending, self.store.split_expansion(ret), false);
        }
        Ok(())
    }

    /// Takes what was found before a state of the frame that is walked, and what that does with what is left.
    pub(super) fn follow(&mut self, walked: &Walked, state: StateId) -> Result<(), Exceeded> {
        walked.accept.add_to(&mut self.masks, &mut self.ids);
        self.work.depth += 1;
        walked.pending.iter().try_for_each(|&pending| self.resolved(pending, state))?;
        self.work.depth -= 1;
        Ok(())
    }

    /// Takes what a state of the frame that is walked does with what is pending.
    fn resolved(&mut self, pending: PendingId, state: StateId) -> Result<(), Exceeded> {
        let more = self.memory.resolve(self.store, self.tables, pending, state, self.work)?;
        self.join(more)?;
        self.chosen.extend_from_slice(&more.choices);
        Ok(())
    }

    /// The bytes that the entries of a choice may begin with.
    pub(super) fn firsts_of_choice(&self, choice: LocalId) -> Option<ByteSet> {
        let (state, _) = self.store.local(choice).heads[0];
        let (members, _) = self.store.open_in(state)?;
        Some(self.memory.choices.firsts(self.store, members))
    }

    pub(super) fn choice(&mut self, node: u32, choice: LocalId) -> Result<(), Exceeded> {
        let (state, _) = self.store.local(choice).heads[0];
        let Some((members, open)) = self.store.open_in(state) else { return Ok(()) };
        let firsts = self.memory.choices.firsts(self.store, members);
        if !self.goes_below(node, &firsts) {
            return Ok(());
        }
        if self.store.is_generic(state) {
            self.chosen.push(node);
            return Ok(());
        }
        let walks = self.slot_walks(node, members)?;
        self.open_slots(&walks, open, choice)
    }

    /// Takes what entries do in the slots that are open.
    fn open_slots(&mut self, walks: &[SlotWalk], open: &[u32], choice: LocalId) -> Result<(), Exceeded> {
        self.work.spend(walks.len())?;
        let mut open = open.iter().copied().peekable();
        let mut last: Option<&Accept> = None;
        for SlotWalk { slot, walked } in walks {
            while open.next_if(|other| other < slot).is_some() {}
            if open.peek() != Some(slot) {
                continue;
            }
            if !last.is_some_and(|last| last.is_same(&walked.accept)) {
                walked.accept.add_to(&mut self.masks, &mut self.ids);
                last = Some(&walked.accept);
            }
            for &pending in &walked.pending {
                let pending = self.memory.pending(pending);
                let (Some(end), Some(of)) = (pending.end, pending.of) else { continue };
                let next = self.store.local_after_entry(choice, end);
                self.pending(of, next)?;
                self.pass_on(self.memory.pending(of), self.store.split_expansion(next), false);
            }
        }
        Ok(())
    }

    /// Takes what a walk found that left the choices open, with these. The walk is known by where it began and by the
    /// state.
    pub(super) fn take(
        &mut self,
        known: &Walked,
        choice: LocalId,
        of: (Origin, StateId),
    ) -> Result<(), Exceeded> {
        known.accept.add_to(&mut self.masks, &mut self.ids);
        let (state, _) = self.store.local(choice).heads[0];
        let Some((members, open)) = self.store.open_in(state) else { return Ok(()) };
        let walks = self.slot_walks_of_all(known, members, of)?;
        self.open_slots(&walks, open, choice)
    }

    /// What entries do with all nodes at which a walk left the choice open, by slot.
    fn slot_walks_of_all(
        &mut self,
        known: &Walked,
        members: MembersId,
        (from, state): (Origin, StateId),
    ) -> Result<Arc<[SlotWalk]>, Exceeded> {
        let (memory, store) = (&self.memory.choices.all, self.store);
        let key = (from, state, members);
        if !is_off(Switch::ChoiceMemo)
            && let Some(walks) = memory.get(&key)
        {
            return Ok(walks);
        }
        let firsts = self.memory.choices.firsts(self.store, members);
        let nodes: SmallVec<[u32; 16]> =
            known.choices.iter().copied().filter(|&node| self.goes_below(node, &firsts)).collect();
        let walks = self.walk_slots(&nodes, members)?;
        Ok(memory.insert(key, walks, |bytes| store.add_bytes(bytes)))
    }

    /// What entries do with `node`, by slot.
    fn slot_walks(&mut self, node: u32, members: MembersId) -> Result<Arc<[SlotWalk]>, Exceeded> {
        let (memory, store) = (&self.memory.choices.walks, self.store);
        let key = (node, members);
        if !is_off(Switch::SlotMemo)
            && let Some(walks) = memory.get(&key)
        {
            return Ok(walks);
        }
        let walks = self.walk_slots(&[node], members)?;
        Ok(memory.insert(key, walks, |bytes| store.add_bytes(bytes)))
    }

    /// What entries do with some nodes, by slot.
    fn walk_slots(&mut self, nodes: &[u32], members: MembersId) -> Result<Arc<[SlotWalk]>, Exceeded> {
        let slots = self.store.program.arena.members_of(members).slots.len();
        let mut walks: Vec<SlotWalk> = Vec::with_capacity(slots);
        let mut begun = self.begun(nodes, members);
        for slot in 0..slots as u32 {
            self.work.spend(1 + nodes.len())?;
            if let Some(key) = self.store.slot_literal(members, slot)
                && let Some(accept) = begun.along(self, key)
            {
                if !accept.is_empty() {
                    walks.push(SlotWalk { slot, walked: Walked { accept, ..Walked::default() } });
                }
                continue;
            }
            let mut walk = Walk::new(self.memory, self.store, self.tables, self.work);
            walk.slot(nodes, members, slot)?;
            if !walk.is_empty() {
                walks.push(SlotWalk { slot, walked: walk.finish(None) });
            }
        }
        self.store.add_bytes(64 + walks.len() * size_of::<SlotWalk>());
        Ok(walks.into())
    }

    /// Takes the byte that all keys begin with, if there is one.
    fn begun(&self, nodes: &[u32], members: MembersId) -> Begun {
        let firsts = self.memory.choices.firsts(self.store, members);
        let only = |&quote: &u8| firsts == ByteSet::single(quote) && !is_off(Switch::KeyBeginnings);
        let Some(quote) = firsts.first().filter(only) else {
            return Begun { taken: 0, nodes: SmallVec::from_slice(nodes), ids: Ids::new(), accept: None };
        };
        let mut ids = Ids::new();
        let nodes = nodes.iter().filter_map(|&node| self.trie.along(node, &[quote], &mut ids)).collect();
        let accept = Accept::new(SmallVec::new(), &ids, (self.tables.words, DENSE));
        self.store.add_bytes(accept.bytes());
        Begun { taken: 1, nodes, ids, accept: Some(accept) }
    }

    /// Takes what an entry in a slot does with some nodes.
    fn slot(&mut self, nodes: &[u32], members: MembersId, slot: u32) -> Result<(), Exceeded> {
        let Some(key) = self.store.slot_literal(members, slot) else {
            let local = self.memory.choices.local(self.store, members, slot);
            nodes.iter().try_for_each(|&node| self.visit(node, local))?;
            return self.run();
        };
        for &node in nodes {
            let Some(end) = self.along(node, key)? else { continue };
            let Some(tail) = self.store.slot_tail(members, slot) else {
                unreachable!("an entry that is seen to begin with a literal does")
            };
            self.behind_literal(end, NodeId::BOTTOM, tail)?;
        }
        self.run()
    }
}

impl MaskStore {
    /// Whether an entry of some members may begin with a byte.
    pub(crate) fn entries_begin_with(&self, store: &Store, members: MembersId, byte: u8) -> bool {
        self.choices.firsts(store, members).contains(byte)
    }

    /// What a frame that begins in a state does with a trie node.
    pub(super) fn frame(
        &self,
        store: &Store,
        tables: &Tables,
        (node, start): (u32, StateId),
        work: &mut Work,
    ) -> Result<Arc<Walked>, Exceeded> {
        let (memory, store) = self.at_home(store, start);
        let (known, key) = (&memory.choices.frames, (node, start));
        if !is_off(Switch::FrameMemo)
            && let Some(walked) = known.get(&key)
        {
            return Ok(walked);
        }
        let ask = Ask { memory, store, tables, from: Origin::Node(node), state: start };
        let walked = Arc::new(ask.answer(work)?);
        Ok(known.insert(key, walked, |bytes| store.add_bytes(bytes)))
    }
}
