//! Thresholds: where one way of doing something ends and another one begins.
//!
//! A number is here, and not in the file that uses it, if another value would give the same answers and only take more or less time
//! or memory, or give up sooner or later. That goes for the limits of shapes as well: the header of a shape's file names
//! them, and their values are here. In their files stay the numbers that a format, an encoding or a processor gives (marks
//! in tables, bytes of a character, a cache line), the room that containers begin with, and limits that users set ([`Limits`]).
//!
//! Each module has the numbers of one file, and each number says what it decides. A word says what kind of value it is, and so how a
//! better one would be found:
//!
//! - *Balance*: with a lower or a higher value one of two ways is taken where the other one would be faster. `cargo xtask instructions`
//!   and `cargo xtask ablate` show what a change does.
//! - *Bound*: it ends what would take too long or too much. It is higher than nearly all of the workloads of `docs/performance.md`
//!   need; what is beyond it is answered in another way, or, where that is said, by an error.
//! - *Derived*: it follows from another number, or from what vocabularies and characters are like.
//! - *Judged*: a round number that seemed right. A better one may be found.
//!
//! [`Limits`]: crate::Limits

/// `tokens/accept.rs`: sets of tokens.
pub(crate) mod accept {
    /// More ids than this are kept as a mask of their own. *Derived*: a mask of 128,000 tokens has 4,008 words, so it is copied about as
    /// fast as so many bits are set one by one.
    pub(crate) const DENSE: usize = 512;
    /// The same for sets that many constraints use. *Judged*: lower, since it is made once and used by all.
    pub(crate) const DENSE_SHARED: usize = 192;
    /// So many masks are put together whenever they are used; of more, one is made. *Judged*.
    pub(crate) const MASKS: usize = 2;
}

/// `tokens/pending.rs`: what is left of tokens where a frame ends.
pub(crate) mod pending {
    /// In lists of so few, what is there twice is left there: to go through it again takes no more than sorting. *Judged*.
    pub(crate) const FEW: usize = 64;
    /// Lists of fewer grow without a look at what is there twice. *Judged*.
    pub(crate) const MANY: usize = 1 << 12;
}

/// `tokens/runs/profile.rs`, `run.rs` and `collect.rs`: groups of tokens by the characters that they are made of.
pub(crate) mod runs {
    /// A node of the trie with more tokens below it than this is an anchor. *Judged*.
    pub(crate) const ANCHOR_TOKENS: usize = 800;
    /// No node further down than so many bytes is an anchor. *Bound* for vocabularies of long tokens that all begin alike.
    pub(crate) const ANCHOR_DEPTH: usize = 16;
    /// So many tokens and nodes are taken out of a mask that is there; where it is more, a mask is put together. *Judged*.
    pub(crate) const FEW: usize = 8_000;
    /// Bytes of masks that are kept for runs. *Bound* of memory: some 4,000 masks of 128,000 tokens.
    pub(crate) const CACHE_BYTES: usize = 64 << 20;
    /// A group with more tokens than this has a mask. *Judged*.
    pub(crate) const DENSE_GROUP: usize = 256;
    /// Tokens of so many characters are listed one by one with how many they have. *Derived*: few tokens are as long.
    pub(crate) const LONG: u32 = 32;
    /// Tokens of more bytes than this are long, and a loop with fewer rounds left is one with a count. *Derived*: nearly all tokens
    /// are shorter.
    pub(crate) const SHORT: u32 = 16;
}

/// `tokens/runs/lacks.rs`: what classes lack of the characters past ASCII.
pub(crate) mod lacks {
    /// A class may lack so many characters, whatever the vocabulary. *Judged*.
    pub(crate) const CHARS: usize = 32;
    /// A class that lacks more must have a part of the vocabulary's nodes: those of what it lacks may be so many times
    /// those of what it has. *Judged*.
    pub(crate) const LACKED: usize = 2;
    /// What a set of more ranges than this lacks is remembered; of others it is found as fast. *Judged*.
    pub(crate) const RANGES: usize = 64;
    /// So many ranges are remembered together. *Bound* of memory.
    pub(crate) const ASKED: usize = 1 << 16;
    /// Where known lacks take more bytes than this, large ones are no more added. *Bound* of memory.
    pub(crate) const BYTES: usize = 16 << 20;
}

/// `collections/per_base.rs`: what is kept for a base.
pub(crate) mod per_base {
    /// For so many bases something is kept at a time. *Judged*: a program has one base for each notation that it uses.
    pub(crate) const BASES: usize = 4;
}

/// `automaton/exprs`: the expressions of a grammar.
pub(crate) mod exprs {
    /// So many bytes the texts may have that a loop is without. *Bound*.
    pub(crate) const EXCEPTED_BYTES: usize = 1 << 16;
    /// So many characters of a class are written out as texts of their own. *Judged*.
    pub(crate) const EXCEPTED_CHARS: usize = 8;
    /// So many parts one of these texts may have. *Bound*.
    pub(crate) const EXCEPTED_DEPTH: usize = 256;
    /// So often lengths are handed on from rule to rule; what is not known then counts as endless. *Bound*.
    pub(crate) const LENGTH_ROUNDS: usize = 64;
    /// In so many expressions a call of a rule inside itself is looked for. *Bound*.
    pub(crate) const CALLS_LOOKED: usize = 5_000;
    /// Loops of fewer rounds do not count, for whether a grammar has loops with counts. *Derived*: they end within one token.
    pub(crate) const COUNTED: u32 = 8;
}

/// `automaton/partition.rs`: classes of bytes.
pub(crate) mod partition {
    /// So many sets that have been split by are remembered. *Judged*.
    pub(crate) const SEEN: usize = 16;
    /// So many classes are gone through; of more it is noted which class a byte has. *Balance*.
    pub(crate) const LISTED: usize = 8;
}

/// `automaton/local.rs`, `byte.rs` and `build.rs`: places and where bytes lead.
pub(crate) mod places {
    /// A place from which so many bytes were asked for has its table built. *Judged*: fewer are mostly those of a text
    /// that passes by.
    pub(crate) const OFTEN: usize = 4;
    /// So far down stacks are joined; below they stay apart, which takes space. *Bound* of recursion.
    pub(crate) const JOIN_DEPTH: usize = 400;
    /// So many classes are gone through; with more a place has a table from bytes to classes. *Balance*.
    pub(crate) const LISTED: usize = 16;
    /// In states of more cells than this, cells are looked for that can do nothing that others cannot. *Judged*.
    pub(crate) const MANY_CELLS: usize = 4;
    /// So many calls within each other are followed to find the bytes that a frame may begin with. *Bound* of recursion.
    pub(crate) const FIRSTS_DEPTH: usize = 32;
    /// Bytes that are taken to be left of what has no known length, in searches for the shortest way out. *Judged*.
    pub(crate) const LENGTH_GUESS: u32 = 12;
}

/// `automaton/entries.rs`: members and entries.
pub(crate) mod entries {
    /// So many things before members are seen past. *Derived*: a colon, a bracket, and white space around each, which is two.
    pub(crate) const HEADS: usize = 8;
    /// States of more cells are not taken apart by the members that they are before. *Bound*.
    pub(crate) const PARTS: usize = 64;
}

/// `automaton/boolean.rs` and `live.rs`: formulas.
pub(crate) mod formulas {
    /// So often one generation may look at what the assertions of a place say; then the limit `states` is exceeded. *Bound*.
    pub(crate) const LEAVES: usize = 1 << 20;
    /// Of leaves with more cells than this it is remembered what they come from. *Judged*: places of many cells are often so many ways
    /// to come to few.
    pub(crate) const LARGE: usize = 32;
    /// So many formulas the search for one completion may look at; then the limit `states` is exceeded. *Bound*.
    pub(crate) const SEARCH: usize = 1 << 15;
    /// So long one way is followed before all are searched. *Bound*.
    pub(crate) const PROBE: usize = 128;
    /// So often in a row that way may come no nearer to its end. *Judged*.
    pub(crate) const STALLS: u32 = 16;
    /// So many sets of bytes are tried at each step of that way. *Judged*.
    pub(crate) const WAYS: usize = 3;
    /// Where a state with more cells leads is found by cells, and not for every byte. *Judged*.
    pub(crate) const MANY: usize = 64;
}

/// `automaton/places/covers.rs`: whether one place can do what another can.
pub(crate) mod covers {
    /// So far behind a cell is looked. *Bound*.
    pub(crate) const BEHIND: usize = 8;
    /// So many parts of formulas are compared. *Bound*.
    pub(crate) const PARTS: u32 = 1024;
    /// Of states with more cells only those are compared that are the same. *Bound*: each cell is held against each.
    pub(crate) const CELLS: usize = 8;
    /// So many cells that are alike but for the rounds of loops are held against each other. *Bound*.
    pub(crate) const ALIKE: usize = 512;
}

/// The other files of `automaton/places`: what places are seen to be.
pub(crate) mod seen {
    /// `watched.rs`: so many places one condition may have. *Bound*.
    pub(crate) const WATCHED_PLACES: usize = 64;
    /// `watched.rs`: so many conditions may stand beside one loop. *Bound*: a place is as long.
    pub(crate) const WATCHERS: usize = 6;
    /// `watched.rs`: so many ways a text may go on that is nearly at its end. *Bound*.
    pub(crate) const ENDINGS: usize = 256;
    /// `white_space.rs`: the longest sign that may stand before white space. *Judged*: a colon, a comma, `:=`.
    pub(crate) const SPACE_SIGN: usize = 2;
    /// `white_space.rs`: so deep expressions are looked into for white space. *Bound* of recursion.
    pub(crate) const SPACE_DEPTH: u32 = 4;
    /// `spread.rs`: so many ways one choice may have that is taken apart into words and others. *Bound*.
    pub(crate) const SPREAD_WAYS: usize = 64;
    /// `spread.rs`: so many letters make an alphabet. *Judged*: the first letters of keywords are fewer than those of names.
    pub(crate) const LETTERS: usize = 10;
    /// `alike.rs`: in so many parts the characters past ASCII are told apart. *Bound*.
    pub(crate) const WIDE_PARTS: usize = 16;
    /// `loops.rs`: with so many rounds left a loop is like one that has more. *Derived*: nearly all tokens have fewer characters.
    pub(crate) const MANY_LEFT: u32 = super::runs::SHORT;
    /// `but_matched.rs`: in so many expressions it is looked which bytes they have. *Bound*.
    pub(crate) const MATCHED_EXPRS: usize = 1 << 12;
}

/// `masks/walk`: the walk of the trie.
pub(crate) mod walk {
    /// Runs of fewer tokens than this are walked. *Balance*: for fewer, tables take more than they save.
    pub(crate) const RUN_TOKENS: usize = 256;
    /// With more children than this it is looked first whether any of them can follow. *Judged*.
    pub(crate) const FEW: usize = 4;
    /// A walk of so many nodes goes on by tables of rows. *Judged*: few walks are as long, and those are much longer.
    pub(crate) const MANY_VISITS: u32 = 512;
    /// So many frames are walked within each other; what they call is walked as a part of them. *Bound* of recursion.
    pub(crate) const FRAMES_DEEP: u32 = 32;
}

/// `masks/memory`: what masks are remembered.
pub(crate) mod memory {
    /// So often a mask is put together before one is looked for that is kept for the same tokens elsewhere. *Judged*.
    pub(crate) const KNOWN: u32 = 2;
    /// So often before it is kept itself. *Balance*: to keep it takes as long as to put it together some twenty times.
    pub(crate) const WARM: u32 = 32;
    /// A mask of fewer single tokens is not looked for elsewhere. *Balance*: they are set as fast.
    pub(crate) const MANY: usize = 48;
    /// A mask of fewer single tokens is never kept. *Balance*: they are set as fast as a mask of its own is copied.
    pub(crate) const FEW: usize = 8;
    /// A mask of more single tokens is kept at once. *Balance*: to put it together takes as long as to keep it.
    pub(crate) const VERY_MANY: usize = 512;
    /// With a configuration so many tokens are remembered with where they lead. *Bound* of memory.
    pub(crate) const TOKENS: usize = 32;
    /// Places for kept masks in the tables of a vocabulary. *Bound* of memory: 8 MB with 128,000 tokens.
    pub(crate) const PLACES: usize = 512;
    /// Fewer nodes at which something is pending are gone through one by one; the children of more are put in order of their bytes. *Judged*.
    pub(crate) const ORDERED: usize = 16;
}

/// `masks/shapes/chain.rs`: places one behind the other.
pub(crate) mod chain {
    /// So many places there may be. *Bound*.
    pub(crate) const LONGEST: usize = 64;
    /// So many ways there may be to begin. *Judged*: where there are more, each character leads somewhere else.
    pub(crate) const FIRSTS: usize = 8;
    /// So many characters there must be. *Judged*: what fewer lead to is soon walked.
    pub(crate) const CHARS: usize = 10;
    /// A chain of no more places is walked, unless there are more tokens than [`WALKED`]. *Judged*: most tokens are longer.
    pub(crate) const SHORT: usize = 3;
    /// See [`SHORT`]. *Judged*.
    pub(crate) const WALKED: usize = 4_000;
}

/// `masks/shapes/search.rs`, `closed.rs` and `wide.rs`: places among which characters lead around.
pub(crate) mod closed {
    /// So many places may be looked at. *Bound*.
    pub(crate) const PLACES: usize = 320;
    /// The same where each is a formula. *Bound*: it takes much more to find out what a formula can do.
    pub(crate) const FORMULAS: usize = 128;
    /// So many ways may lead on from all that they lead to. *Bound*: where a place is many at once, it takes as much more to find
    /// out what it can do.
    pub(crate) const WAYS: usize = 16 * PLACES;
    /// The same as [`PLACES`] for what is asked of one place at many nodes. *Bound*.
    pub(crate) const PLACES_AROUND: usize = 48;
    /// The same as [`FORMULAS`] for what is asked of one place at many nodes. *Bound*.
    pub(crate) const FORMULAS_AROUND: usize = 8;
    /// So many characters at least must be known to go on. *Judged*: with fewer, nearly all tokens are left.
    pub(crate) const LEAST: u32 = 2;
    /// The same where parts of the grammar are machines. *Derived*: few tokens have as many characters.
    pub(crate) const LEAST_BY_MACHINES: u32 = 12;
    /// Characters that do not go on are looked for in places that it takes more characters to come to. *Judged*.
    pub(crate) const FAR: u32 = 4;
    /// The same in formulas. *Judged*.
    pub(crate) const FAR_IN_FORMULAS: u32 = 2;
    /// With more places than this, those that are [`DEEP`] characters away are left out. *Judged*.
    pub(crate) const MANY: usize = 12;
    /// See [`MANY`]. *Derived*: few tokens have as many characters, and those are looked at one by one.
    pub(crate) const DEEP: u32 = 16;
    /// So many characters may lead nowhere. *Bound*: their tokens are looked at one by one.
    pub(crate) const DEAD: usize = 64;
    /// So many tokens may have such characters. *Bound*.
    pub(crate) const DEAD_TOKENS: usize = 2_000;
    /// A loop that more other characters lead out of is one of many places. *Judged*.
    pub(crate) const EXITS: usize = 16;
    /// So many places inside characters past ASCII may be looked at. *Bound*.
    pub(crate) const WIDE_PLACES: usize = 64;
    /// Up to so many characters past ASCII are a few. *Judged*.
    pub(crate) const RARE: usize = 24;
}

/// `masks/shapes/rows.rs`: tables for long walks.
pub(crate) mod rows {
    /// No more places than this have rows. *Bound* of memory: half a megabyte.
    pub(crate) const ROWS: usize = 1024;
    /// So often a place is come to before it is found out what characters it goes on with. *Judged*.
    pub(crate) const ARRIVALS: u32 = 8;
    /// More tokens than this below a node are taken together if they can be. *Judged*.
    pub(crate) const WHOLE: u32 = 8;
}

/// The other files of `masks/shapes`.
pub(crate) mod shapes {
    /// `watched.rs`: so many tokens that leave too little room are looked at one by one. *Bound*.
    pub(crate) const LONG_TOKENS: usize = 4_000;
    /// `watched.rs`: so many nodes are looked at where two places lead apart. *Bound*.
    pub(crate) const UNLIKE: usize = 1 << 14;
    /// `stripe.rs`: so many of one byte must be left. *Judged*.
    pub(crate) const STRIPE: u32 = 6;
    /// `cover.rs`: in so many expressions it is looked which bytes they have. *Bound*.
    pub(crate) const COVER_EXPRS: usize = 1 << 12;
    /// `shorter.rs`: so many tokens are followed to see whether they are too long. *Bound*.
    pub(crate) const OPEN: usize = 32;
    /// `literals.rs`: what fewer literals do with the trie is not remembered. *Balance*: they are followed as fast.
    pub(crate) const LITERALS: usize = 16;
    /// `loops.rs`: so many visits of one place in a row make it one to be looked at. *Judged*.
    pub(crate) const VISITS: u32 = 8;
}

/// `constraint`: what sequences share.
pub(crate) mod constraint {
    /// `proof.rs`: so many pairs of a state and a spelling one proof may look at; then the limit `mask_work` is exceeded. *Bound*.
    pub(crate) const PAIRS: usize = 1 << 20;
    /// `machine.rs`: a machine of more states is not looked through, and the proofs do without. *Bound*.
    pub(crate) const MACHINE_STATES: usize = 1 << 14;
    /// `library.rs`: a library that holds more bytes is given up for a new one. *Bound* of memory; what is built ahead takes
    /// some 23 MB with 128,000 tokens.
    pub(crate) const LIBRARY_BYTES: usize = 64 << 20;
}

/// `constraint/compiled.rs`: caches that are given up for new ones.
pub(crate) mod generation {
    /// So many objects of old caches are dropped in a step. *Judged*: that takes some microseconds.
    pub(crate) const DROPPED: usize = 128;
}

/// `session`: one sequence.
pub(crate) mod session {
    /// `advance.rs`: so many bytes are committed at a time. *Bound*: as deep a stack can grow between two configurations.
    pub(crate) const CHUNK: usize = 256;
    /// `shortest.rs`: so many places the search for a short completion looks at before it gives up. *Bound*.
    pub(crate) const PLACES: usize = 20_000;
    /// `shortest.rs`: so many bytes are tried of those that lead alike where repetitions tell them apart. *Judged*.
    pub(crate) const ALIKE: usize = 3;
}

/// `session/repeats/search.rs`: whether a text can go on that may not repeat itself.
pub(crate) mod repeats {
    /// So many choices, as a power of two, are plenty. *Derived*: no text is long enough to use up as many.
    pub(crate) const PLENTY: f32 = 40.0;
    /// So many places are looked at to find them. *Bound*.
    pub(crate) const PATIENCE: usize = 96;
    /// So many steps one way is followed before all are searched. *Bound*.
    pub(crate) const PROBE: usize = 48;
}

/// `session/repeats/choices.rs`: how much choice there is for something that may not repeat itself.
pub(crate) mod repeat_choices {
    /// So many characters are looked ahead. *Judged*.
    pub(crate) const AHEAD: usize = 64;
    /// With less to repeat than this, as a power of two, it is found out of each token of a text by itself. *Judged*.
    pub(crate) const MANY: f32 = 2.0;
    /// So many nodes of the trie are gone to. *Bound*.
    pub(crate) const BELOW: usize = 1_024;
    /// So many places are gone to by white space. *Bound*.
    pub(crate) const BLANKS: usize = 8;
    /// Choices are multiplied as sums of numbers that are rounded, by less than this. *Derived*: of the digits of an `f32`.
    pub(crate) const ROUNDED: f32 = 0.01;
}

/// `matcher/history.rs`: what a sequence has committed.
pub(crate) mod history {
    /// So many of the last steps can be undone without anything being played again. *Judged*: drafts and rollbacks of engines are
    /// shorter.
    pub(crate) const LAST: usize = 32;
    /// So many older steps are a block. *Judged*.
    pub(crate) const BLOCK: usize = 16;
}

/// `warm`: building ahead.
pub(crate) mod warm {
    /// Texts inside more brackets than this take short ways out. *Judged*.
    pub(crate) const DEEP: u32 = 24;
    /// So do texts of more bytes. *Judged*.
    pub(crate) const LONG: usize = 16 << 10;
    /// No text has more bytes. *Bound*.
    pub(crate) const LONGEST: usize = 2 * LONG;
    /// None takes more steps to write. *Bound*.
    pub(crate) const WORK: usize = 1 << 16;
    /// So many rounds a list has that need not end. *Judged*: what comes between two is seen, and what comes behind the last.
    pub(crate) const ITEMS: u32 = 2;
    /// So many characters a word has that need not end. *Judged*.
    pub(crate) const LETTERS: u32 = 3;
    /// No repetition has more rounds, however many it asks for. *Bound*.
    pub(crate) const ROUNDS: u32 = 256;
    /// A set of so many ASCII characters is any text, and not a few signs that are meant. *Judged*.
    pub(crate) const ANY_CHARS: usize = 64;
    /// So many bytes are put in where a text does not go on as it was thought to. *Bound*.
    pub(crate) const FILLERS: usize = 40;
    /// So many texts in a row without anything new are enough. *Judged*.
    pub(crate) const IDLE: u32 = 3;
}
