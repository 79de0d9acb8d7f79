//! Several things that are open at an anchor, each by itself.
//!
//! *Recognized* are formulas beside others; words beside a class of letters; and rules called that begin with letters beside
//! words. *Exact*, since what a place allows is what each of its parts allows. The *answer* is that of the parts, each visited in
//! turn: alone it is a run, or a few words, and together they are neither. The *limit*: a place whose parts do not all stand
//! on the same stack is left as it is.

use smallvec::SmallVec;

use super::super::walk::Walk;
use super::shape::{AnchorShape, AtAnchor, Seen};
use crate::ablate::Switch;
use crate::automaton::LocalId;
use crate::work::Exceeded;

/// The places that one is together.
type Parts = SmallVec<[LocalId; 4]>;

/// Formulas beside other things.
pub(super) struct FormulasApart(Parts);

impl<'a> AnchorShape<'a> for FormulasApart {
    const WAY: Switch = Switch::FormulasApart;

    fn recognize(walk: &mut Walk<'a>, at: AtAnchor<'a>) -> Result<Option<Self>, Exceeded> {
        let Some((state, stack)) = walk.store.only_state(at.local) else { return Ok(None) };
        let parts = walk.store.formulas_apart(state);
        let on_stack = |parts: SmallVec<_>| parts.into_iter().map(|part| walk.store.local_on(part, stack));
        Ok(parts.map(|parts| FormulasApart(on_stack(parts).collect())))
    }

    fn answer(self, walk: &mut Walk<'a>, at: AtAnchor<'a>) -> Result<Option<Seen>, Exceeded> {
        visit_all(walk, at, self.0)
    }
}

/// Words beside a class of letters.
pub(super) struct KeywordsApart(LocalId);

impl<'a> AnchorShape<'a> for KeywordsApart {
    const WAY: Switch = Switch::KeywordsApart;

    fn recognize(walk: &mut Walk<'a>, at: AtAnchor<'a>) -> Result<Option<Self>, Exceeded> {
        let Some((state, stack)) = walk.store.only_state(at.local) else { return Ok(None) };
        let spread = walk.store.spread(state);
        Ok(spread.map(|spread| KeywordsApart(walk.store.local_on(spread, stack))))
    }

    fn answer(self, walk: &mut Walk<'a>, at: AtAnchor<'a>) -> Result<Option<Seen>, Exceeded> {
        visit_all(walk, at, [self.0])
    }
}

/// Rules that begin with letters, called beside words.
pub(super) struct WordCallsApart(Parts);

impl<'a> AnchorShape<'a> for WordCallsApart {
    const WAY: Switch = Switch::WordCallsApart;

    fn recognize(walk: &mut Walk<'a>, at: AtAnchor<'a>) -> Result<Option<Self>, Exceeded> {
        let store = walk.store;
        let Some((state, stack)) = store.only_state(at.local) else { return Ok(None) };
        let Some(called) = store.words_called(state, stack) else { return Ok(None) };
        let calls = called.calls.into_iter().map(|call| store.clamped_local(call));
        Ok(Some(WordCallsApart(calls.chain([store.local_on(called.rest, stack)]).collect())))
    }

    fn answer(self, walk: &mut Walk<'a>, at: AtAnchor<'a>) -> Result<Option<Seen>, Exceeded> {
        visit_all(walk, at, self.0)
    }
}

fn visit_all(
    walk: &mut Walk<'_>,
    at: AtAnchor<'_>,
    parts: impl IntoIterator<Item = LocalId>,
) -> Result<Option<Seen>, Exceeded> {
    for part in parts {
        walk.visit(at.anchor.node, part)?;
    }
    Ok(Some(Seen::All))
}
