//! Thresholds: where one way of doing something ends and another one begins.
//!
//! A number is here, and not in the file that uses it, if another value would allow the same texts and only take more or less time
//! or memory, or give up sooner or later: a schema is then refused, never read in another way. Each module has the numbers of
//! one part of the crate, and each number says what it decides. A word says what kind of value it is:
//!
//! - *Balance*: at about this value both ways take the same.
//! - *Bound*: it ends what would take too long or too much, and is higher than nearly all schemas need.
//! - *Derived*: it follows from another number, or from how texts are written.
//! - *Judged*: a round number that seemed right. A better one may be found.

/// `resolve`: from a text to nodes.
pub(crate) mod resolve {
    /// So many warnings are kept. *Judged*: nobody reads more.
    pub(crate) const WARNINGS: usize = 20;
    /// So many bytes all pointers together may have for each byte of source text. *Bound*: they repeat long keys.
    pub(crate) const POINTER_BYTES: usize = 8;
}

/// `number`: sets of numbers.
pub(crate) mod number {
    /// `lattice.rs`: so many lattices one sum may have. *Bound*.
    pub(crate) const TERMS: usize = 64;
    /// `lattice.rs`: so many multiples are tried to find one that is in a set. *Bound*.
    pub(crate) const TRIES: usize = 4_096;
    /// `canonical.rs`: so many numbers are written down one by one; more are told by a machine. *Judged*.
    pub(crate) const LISTED: usize = 48;
}

/// `string/format`: formats of strings.
pub(crate) mod format {
    /// `pattern.rs`: so deep the groups of a plain expression may be nested. *Bound* of recursion.
    pub(crate) const PATTERN_DEPTH: usize = 4;
    /// `alabel.rs`: so many insertions are looked for to complete a label, one after another. *Bound*.
    pub(crate) const INSERTED: u32 = 4;
    /// `alabel.rs`: so many code points are tried for each place, of those that leave so many [`DEFECTS`]. *Bound*.
    pub(crate) const TRIED: usize = 3;
    /// See [`TRIED`]. *Bound*.
    pub(crate) const DEFECTS: usize = 4;
    /// `alabel.rs`: so many are tried for each place in all. *Bound*.
    pub(crate) const ALL_TRIED: usize = 24;
    /// `alabel.rs`: so many of the first numbers that can be written are looked at. *Bound*.
    pub(crate) const NUMBERS: u64 = 2_048;
    /// `alabel.rs`: so many of those that say something valid are. *Bound*.
    pub(crate) const INSERTIONS: usize = 64;
}

/// `algebra`: sets of values.
pub(crate) mod algebra {
    /// So many arrays or objects one set may be a union of. *Bound*.
    pub(crate) const ALTERNATIVES: usize = 2_000;
    /// More alternatives than this are put together by a formula if that is possible. *Judged*: fewer are written one by
    /// one, whose states are simpler.
    pub(crate) const APART: usize = 12;
    /// With so many parts of a union a new one is compared. *Bound*.
    pub(crate) const COMPARED: usize = 24;
    /// So many derivatives are tried in all to tell that the keys of a schema never run out. *Bound*.
    pub(crate) const DERIVATIVES: usize = 1_000;
    /// So deep schemas may apply each other at one place (`allOf` in `allOf`, chains of `$ref`). *Bound* of recursion.
    pub(crate) const IN_PLACE: usize = 200;
    /// So deep required members are looked into, to see that something is empty. *Bound*.
    pub(crate) const LOOK: usize = 4;
    /// So many verdicts there may be on the value of one key. *Bound*.
    pub(crate) const VERDICTS: usize = 256;
    /// So many of them are few. *Judged*.
    pub(crate) const FEW_VERDICTS: usize = 64;
    /// So are as many for each thing that is asked of the value. *Judged*.
    pub(crate) const VERDICTS_EACH: usize = 4;
    /// `same.rs`: so deep schemas are compared; what is nested deeper is the same only at the same place. *Bound* of recursion.
    pub(crate) const SAME_DEPTH: usize = 32;
    /// `few.rs`: so many texts are a few. *Judged*.
    pub(crate) const FEW_TEXTS: usize = 64;
    /// `few.rs`: so many bytes they may have together. *Bound*.
    pub(crate) const FEW_LENGTH: usize = 4_096;
    /// `few.rs`: so deep an expression is looked into for them. *Bound* of recursion.
    pub(crate) const FEW_DEPTH: usize = 32;
    /// `apart.rs`: so deep expressions are looked into to see that they have nothing in common. *Bound* of recursion.
    pub(crate) const APART_DEPTH: usize = 16;
    /// `endless.rs`: so deep an expression is looked into. *Bound* of recursion.
    pub(crate) const ENDLESS_DEPTH: usize = 100;
    /// `one_of.rs`: so many pairs of branches that have something in common are taken apart one by one. *Judged*.
    pub(crate) const OVERLAPS: usize = 12;
    /// `stages.rs`: so many stages there may be. *Bound*.
    pub(crate) const STAGES: usize = 12;
    /// `stages.rs`: so many ways there may be on from one of them. *Bound*.
    pub(crate) const STAGE_WAYS: usize = 16;
    /// `stages.rs`: so many places in an expression are looked at. *Bound*.
    pub(crate) const STAGE_PLACES: usize = 256;
    /// `lengths.rs`: so many alternatives are held to a length one by one. *Judged*.
    pub(crate) const HELD: usize = 16;
    /// `lengths.rs`: so many numbers of rounds of a loop are tried where others share its characters. *Judged*: with more, masks
    /// take longer than those of the loops beside a length.
    pub(crate) const HELD_ROUNDS: u32 = 4;
}

/// `algebra/empty.rs`: whether a set of texts is empty.
pub(crate) mod empty {
    /// So many derivatives are looked at. *Bound*.
    pub(crate) const STATES: usize = 400;
    /// So many characters are tried in one place. *Bound*.
    pub(crate) const CHARACTERS: usize = 400;
    /// So many expressions are made on the way. *Bound*.
    pub(crate) const EXPRESSIONS: usize = 2_000;
    /// So deep an expression is looked into. *Bound* of recursion.
    pub(crate) const DEPTH: usize = 100;
    /// So many characters are followed: what goes on for so long goes on for long enough. *Judged*.
    pub(crate) const FAR: u32 = 40;
}

/// `lower`: from sets of values to expressions.
pub(crate) mod lower {
    /// So many goals are written within each other. *Bound* of recursion.
    pub(crate) const DEPTH: usize = 24;
    /// `array.rs`: so many kinds of items one array may have, by place and by which of the bounds they count for. *Bound*.
    pub(crate) const KINDS: usize = 512;
    /// `finite.rs`: so many different values the items of an array may have for each to be counted by itself. *Bound*.
    pub(crate) const FEW: usize = 2_000;
    /// `finite.rs`: the same where some of them are arrays or objects. *Bound*.
    pub(crate) const FEW_NESTED: usize = 128;
    /// `finite.rs`: so deep such arrays and objects may be. *Bound* of recursion.
    pub(crate) const FEW_DEPTH: usize = 4;
    /// `union.rs`: fewer objects are written apart. *Judged*.
    pub(crate) const UNION_LEAST: usize = 5;
    /// `union.rs`: objects with more members stay as they are. *Judged*: what is left of an object is written for each of its
    /// members.
    pub(crate) const UNION_MEMBERS: usize = 8;
    /// `judged.rs`: which of so many obligations a value fulfils need not be known. *Bound*: verdicts double with each.
    pub(crate) const OBLIGATIONS: usize = 4;
    /// `judged.rs`: so many classes of keys that are not listed may be told apart. *Bound*.
    pub(crate) const CLASSES: usize = 256;
    /// `judged.rs`: so many numbers it may take to say which slots break which frames. *Bound*.
    pub(crate) const EFFECTS: usize = 1 << 20;
}
