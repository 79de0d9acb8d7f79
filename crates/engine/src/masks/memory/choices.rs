//! What the entries of members do with trie nodes.

use std::sync::Arc;

use tokenstile_grammar::MembersId;
use tokenstile_grammar::ir::ByteSet;

use crate::automaton::{LocalId, StateId, Store};
use crate::collections::{Keyed, MemoStats};
use crate::tokens::pending::{PendingId, Walked};

/// What entries do with trie nodes.
#[derive(Default)]
pub(crate) struct Choices {
    /// The local at the start of an entry, by slot.
    locals: Keyed<(MembersId, u32), LocalId>,
    /// The bytes that entries may begin with.
    firsts: Keyed<MembersId, ByteSet>,
    /// By trie node, for all slots that come to anything, in order.
    pub(crate) walks: Keyed<(u32, MembersId), Arc<[SlotWalk]>>,
    /// The same for all nodes at which a walk left the choice open.
    pub(crate) all: Keyed<(Origin, StateId, MembersId), Arc<[SlotWalk]>>,
    /// By trie node and the state at its start, what a frame comes to.
    pub(crate) frames: Keyed<(u32, StateId), Arc<Walked>>,
}

/// Where a walk began.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Origin {
    Pending(PendingId),
    Node(u32),
}

/// What came of walking an entry.
pub(crate) struct SlotWalk {
    pub(crate) slot: u32,
    pub(crate) walked: Walked,
}

impl Choices {
    /// The local at the start of an entry in a slot.
    pub(crate) fn local(&self, store: &Store, members: MembersId, slot: u32) -> LocalId {
        let key = (members, slot);
        if let Some(known) = self.locals.get(&key) {
            return known;
        }
        let local = store.clamped_local(store.slot_local(members, slot));
        self.locals.insert(key, local, |bytes| store.add_bytes(bytes))
    }

    /// The bytes that entries of some members may begin with, whatever the slot.
    pub(crate) fn firsts(&self, store: &Store, members: MembersId) -> ByteSet {
        if let Some(firsts) = self.firsts.get(&members) {
            return firsts;
        }
        let first_bytes = |slot| match store.slot_literal(members, slot).and_then(|literal| literal.first()) {
            Some(&byte) => ByteSet::single(byte),
            None => store.first_bytes(store.local(self.local(store, members, slot)).heads[0].0),
        };
        let slots = store.program.arena.members_of(members).slots.len() as u32;
        let firsts = (0..slots).map(first_bytes).fold(ByteSet::EMPTY, |all, first| all.union(&first));
        self.firsts.insert(members, firsts, |bytes| store.add_bytes(bytes))
    }

    pub(super) fn memos(&self) -> [MemoStats; 5] {
        [
            self.locals.stats("entries by slot"),
            self.firsts.stats("first bytes of entries"),
            self.walks.stats("entries at trie nodes"),
            self.all.stats("choices left open"),
            self.frames.stats("frames at trie nodes"),
        ]
    }
}
