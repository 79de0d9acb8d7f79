//! What a special case of a mask is: a type that recognizes it, and answers instead of the general way.
//!
//! There are four kinds, by what is looked at: a state as a whole ([`StateShape`]), a place at a node of the trie
//! ([`PlaceShape`]), a place at an *anchor*, a node that has tables of runs ([`AnchorShape`]), and some of the bytes that lead on
//! from such a place ([`BytesShape`]). In a file of shapes each says in the same order what it recognizes, why its answer is
//! exact, how it answers, and which limit it has. [`order`](super::order) lists them.

use std::ops::Deref;
use std::sync::Arc;

use tokenstile_grammar::ir::ByteSet;

use super::super::memory::{MaskStore, Origin};
use super::super::walk::Walk;
use crate::ablate::{Switch, is_off};
use crate::automaton::{Local, LocalExpansion, LocalId, StateId, Store};
use crate::tokens::pending::{PendingId, Walked};
use crate::tokens::runs::Anchor;
use crate::tokens::tables::Tables;
use crate::work::{Exceeded, Work};

/// What a state does with tokens: from their start, or with what is left of them.
#[derive(Clone, Copy)]
pub(super) struct Ask<'a> {
    pub(super) memory: &'a MaskStore,
    pub(super) store: &'a Store,
    pub(super) tables: &'a Tables,
    pub(super) from: Origin,
    pub(super) state: StateId,
}

impl<'a> Ask<'a> {
    /// Whether whole tokens are asked about.
    pub(super) fn is_start(&self) -> bool {
        matches!(self.from, Origin::Pending(PendingId::WHOLE))
    }

    /// What another state does with them.
    pub(super) fn of(&self, state: StateId, work: &mut Work) -> Result<Known<'a>, Exceeded> {
        let &Ask { memory, store, tables, from, .. } = self;
        Ok(match from {
            Origin::Pending(PendingId::WHOLE) => Known::Kept(memory.start(store, tables, state, work)?),
            Origin::Pending(pending) => Known::Kept(memory.resolve(store, tables, pending, state, work)?),
            Origin::Node(node) => Known::Shared(memory.frame(store, tables, (node, state), work)?),
        })
    }

    /// A walk that has not begun.
    pub(super) fn walk<'w>(&self, work: &'w mut Work) -> Walk<'w>
    where
        'a: 'w,
    {
        Walk::new(self.memory, self.store, self.tables, work)
    }
}

/// What is known of a state.
pub(super) enum Known<'a> {
    Kept(&'a Walked),
    Shared(Arc<Walked>),
}

impl Deref for Known<'_> {
    type Target = Walked;

    fn deref(&self) -> &Walked {
        match self {
            Known::Kept(walked) => walked,
            Known::Shared(walked) => walked,
        }
    }
}

/// A shape of a state.
pub(super) trait StateShape<'a>: Sized {
    /// What turns it off, for measuring.
    const WAY: Switch;

    /// The state as this shape, if it is one.
    fn recognize(ask: &Ask<'a>, work: &mut Work) -> Option<Self>;

    /// What the state does; `None` if a limit of the shape stands against it.
    fn answer(self, ask: &Ask<'a>, work: &mut Work) -> Result<Option<Walked>, Exceeded>;

    /// What the state does, if it is of this shape.
    #[inline]
    fn of(ask: &Ask<'a>, work: &mut Work) -> Result<Option<Walked>, Exceeded> {
        if is_off(Self::WAY) {
            return Ok(None);
        }
        Self::recognize(ask, work).map_or(Ok(None), |shape| shape.answer(ask, work))
    }
}

/// A place at a node of the trie.
#[derive(Clone, Copy)]
pub(super) struct Place<'a> {
    pub(super) node: u32,
    pub(super) local: LocalId,
    /// What the place is made of.
    pub(super) here: &'a Local,
}

/// A shape of a place at a node, of which all tokens below the node are known.
pub(super) trait PlaceShape<'a>: Sized {
    /// What turns it off, for measuring.
    const WAY: Switch;

    /// Whether it may be of this shape, at a glance: this is asked at every node.
    fn may_be(walk: &mut Walk<'a>, at: Place<'a>) -> bool;

    /// The place as this shape, if it is one.
    fn recognize(walk: &mut Walk<'a>, at: Place<'a>) -> Result<Option<Self>, Exceeded>;

    /// Takes the tokens below the node; not if a limit of the shape stands against it.
    fn answer(self, walk: &mut Walk<'a>, at: Place<'a>) -> Result<bool, Exceeded>;

    /// Takes the tokens below the node, if the place is of this shape.
    #[inline]
    fn at(walk: &mut Walk<'a>, at: Place<'a>) -> Result<bool, Exceeded> {
        match !is_off(Self::WAY) && Self::may_be(walk, at) {
            true => Self::look(walk, at),
            false => Ok(false),
        }
    }

    /// The same after the glance.
    #[inline(never)] // so that whoever asks at every node has no room for what hardly any of them needs
    fn look(walk: &mut Walk<'a>, at: Place<'a>) -> Result<bool, Exceeded> {
        match Self::recognize(walk, at)? {
            Some(shape) => shape.answer(walk, at),
            None => Ok(false),
        }
    }
}

/// A place at an anchor.
#[derive(Clone, Copy)]
pub(super) struct AtAnchor<'a> {
    pub(super) index: u32,
    pub(super) anchor: &'a Anchor,
    pub(super) local: LocalId,
}

/// What a shape has seen to at an anchor.
pub(super) enum Seen {
    /// Everything.
    All,
    /// The tokens that begin with these bytes.
    Bytes(ByteSet),
}

/// A shape of a place at an anchor, told by what the place is made of.
pub(super) trait AnchorShape<'a>: Sized {
    /// What turns it off, for measuring.
    const WAY: Switch;

    /// The place as this shape, if it is one.
    fn recognize(walk: &mut Walk<'a>, at: AtAnchor<'a>) -> Result<Option<Self>, Exceeded>;

    /// Takes tokens, and says which; `None` if a limit of the shape stands against it.
    fn answer(self, walk: &mut Walk<'a>, at: AtAnchor<'a>) -> Result<Option<Seen>, Exceeded>;

    /// Takes tokens, if the place is of this shape.
    #[inline]
    fn at(walk: &mut Walk<'a>, at: AtAnchor<'a>) -> Result<Option<Seen>, Exceeded> {
        if is_off(Self::WAY) {
            return Ok(None);
        }
        match Self::recognize(walk, at)? {
            Some(shape) => shape.answer(walk, at),
            None => Ok(None),
        }
    }
}

/// A shape of some of the bytes that lead on from a place at an anchor, told by where they lead.
pub(super) trait BytesShape {
    /// What turns it off, for measuring.
    const WAY: Switch;

    /// Takes the tokens that begin with some of the bytes that are left, and says with which.
    fn take(
        walk: &mut Walk<'_>,
        at: AtAnchor<'_>,
        expansion: &LocalExpansion,
        left: &ByteSet,
    ) -> Result<ByteSet, Exceeded>;

    /// Takes some of the bytes that are left out of those.
    #[inline]
    fn out_of(
        left: &mut ByteSet,
        walk: &mut Walk<'_>,
        at: AtAnchor<'_>,
        expansion: &LocalExpansion,
    ) -> Result<(), Exceeded> {
        if !is_off(Self::WAY) {
            *left = left.minus(&Self::take(walk, at, expansion, left)?);
        }
        Ok(())
    }
}
