//! Classes of characters, as the tables of a vocabulary see them.

use tokenstile_grammar::ir::ByteSet;

/// A character set: its ASCII part, and whether it has all the rest, or all but what it lacks.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct CharClass {
    pub(crate) ascii: ByteSet,
    pub(crate) wide: bool,
    pub(crate) lack: LackId,
}

/// What a set of characters lacks of those past ASCII.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct LackId(pub(super) u8);

impl LackId {
    pub(crate) const NOTHING: LackId = LackId(0);
}
