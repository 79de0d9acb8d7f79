//! The containers that are open, from the innermost out.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use rustc_hash::FxHasher;
use smallvec::SmallVec;

use super::set::{Cursor, Set};

/// What is being written, compared with the earlier items of one open array.
#[derive(Clone)]
pub(crate) struct Candidate {
    /// The depth of that array.
    pub(crate) depth: u32,
    /// The items, or the members of objects, that it could still become.
    pub(crate) cursor: Cursor,
}

/// Comparisons that have not failed yet, outermost array first.
pub(crate) type Candidates = SmallVec<[Candidate; 1]>;

/// An open container.
pub(crate) struct Frame {
    pub(crate) below: Option<Arc<Frame>>,
    /// Open containers, this one included.
    pub(crate) depth: u32,
    pub(crate) kind: Kind,
    /// Different for frames that differ in what may be found to be repeated.
    pub(crate) key: u64,
}

#[derive(Clone)]
pub(crate) enum Kind {
    Object(Object),
    Array(Array),
}

/// An open object.
#[derive(Clone)]
pub(crate) struct Object {
    pub(crate) keys: Set,
    /// The sum of the hashes of its finished members, where objects are compared.
    pub(crate) sum: u128,
    /// What the object as a whole was compared with when it began.
    pub(crate) outside: Candidates,
    /// Where it began, and where its last member did, in the symbols written.
    pub(crate) start: usize,
    pub(crate) member: usize,
}

/// An open array.
#[derive(Clone)]
pub(crate) struct Array {
    pub(crate) items: Set,
    /// Where its last item began in the symbols written.
    pub(crate) item: usize,
}

impl Frame {
    pub(crate) fn new(below: Option<Arc<Frame>>, kind: Kind) -> Arc<Frame> {
        let depth = below.as_ref().map_or(0, |f| f.depth) + 1;
        let mut hasher = FxHasher::default();
        below.as_ref().map_or(0, |f| f.key).hash(&mut hasher);
        match &kind {
            Kind::Object(object) => {
                (0, object.keys.address(), object.sum).hash(&mut hasher);
                hash_candidates(&object.outside, &mut hasher);
            }
            Kind::Array(array) => (1, array.items.address()).hash(&mut hasher),
        }
        Arc::new(Frame { below, depth, kind, key: hasher.finish() })
    }

    pub(crate) fn is_object(&self) -> bool {
        matches!(self.kind, Kind::Object(_))
    }
}

/// Takes candidates into a hash.
pub(crate) fn hash_candidates(candidates: &[Candidate], hasher: &mut FxHasher) {
    for candidate in candidates {
        (candidate.depth, candidate.cursor.address()).hash(hasher);
    }
}

impl Drop for Frame {
    /// In a loop: deep nesting must not use the call stack.
    fn drop(&mut self) {
        let mut below = self.below.take();
        while let Some(frame) = below {
            below = Arc::into_inner(frame).and_then(|mut f| f.below.take());
        }
    }
}
