//! Thresholds: where one way of doing something ends and another one begins.
//!
//! A number is here, and not in the file that uses it, if another value would give grammars with the same texts and only take more
//! or less time or memory, or give up sooner or later. Each module has the numbers of one part of the crate, and each number
//! says what it decides. A word says what kind of value it is:
//!
//! - *Balance*: at about this value both ways take the same.
//! - *Bound*: it ends what would take too long or too much, and is higher than nearly all grammars need.
//! - *Derived*: it follows from another number, or from what vocabularies and characters are like.
//! - *Judged*: a round number that seemed right. A better one may be found.

/// `ir`: expressions and sets.
pub(crate) mod ir {
    /// `arena/form.rs`: so deep an expression is looked into for its form. *Bound* of recursion.
    pub(crate) const FORM_DEPTH: usize = 100;
    /// `charset.rs`: how sets of more ranges than this are encoded is remembered. *Derived*: those are categories of Unicode and the
    /// like, and many grammars have the same few of them.
    pub(crate) const MANY_RANGES: usize = 64;
    /// `charset.rs`: so many ranges the remembered sets may have together. *Bound* of memory.
    pub(crate) const KEPT_RANGES: usize = 1 << 15;
    /// `display.rs`: so deep an expression is written out. *Bound* of recursion.
    pub(crate) const SHOWN_DEPTH: usize = 64;
    /// `tally`: so many steps one search for a completion of members may take. *Bound*.
    pub(crate) const TALLY_STEPS: u64 = 1 << 18;
    /// `tally`: the same for all slots of members under a condition together. *Bound*.
    pub(crate) const JUDGED_STEPS: u64 = 1 << 22;
}

/// `gbnf/suggest.rs`: what a name might have meant.
pub(crate) mod suggest {
    /// So many names are looked at. *Bound*: a suggestion takes less than reading the grammar.
    pub(crate) const CANDIDATES: usize = 10_000;
    /// No longer ones are. *Bound*, for the same reason.
    pub(crate) const LENGTH: usize = 64;
}

/// `passes`: what rewrites grammars.
pub(crate) mod passes {
    /// `nullable.rs` and `productive.rs`: so often everything is gone over before a list is made of what depends on what. *Judged*:
    /// rules mostly come behind those that they are used by.
    pub(crate) const SWEEPS: usize = 4;
    /// `inline.rs`: a rule of no more expressions is put in place of all its calls. *Judged*.
    pub(crate) const SMALL: u32 = 64;
    /// `inline.rs`: the same for a rule that is called once. *Bound*: in a long chain of rules each is copied into the next.
    pub(crate) const SMALL_FOR_ONE_CALL: u32 = 1_024;
    /// `inline.rs`: a class of so many characters makes a run. *Judged*.
    pub(crate) const RUN_CHARS: usize = 20;
    /// `inline.rs`: so does a repetition of so many rounds. *Derived*: nearly all tokens have fewer characters.
    pub(crate) const RUN_ROUNDS: u32 = 16;
    /// `tail_recursion.rs`: so many entries of joined sequences the loop of one rule may take; beyond that it stays
    /// recursive. *Bound*.
    pub(crate) const COPIED: usize = 1 << 16;
    /// `rewrite.rs`: more than one of so many expressions must be of no use for the others to be put together. *Judged*.
    pub(crate) const DEAD: usize = 4;
    /// `mod.rs`: so often rules are put together. *Bound*.
    pub(crate) const ROUNDS: usize = 3;
}
