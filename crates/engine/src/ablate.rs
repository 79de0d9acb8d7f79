//! Ways of the engine that can be turned off, one by one, to see what each is worth.
//!
//! A *way* is a special case of a mask, a memo, or a shortcut: without it another part of the engine gives the same
//! answer, only later. [`is_off`] stands where it is decided whether a way is taken. Without the feature `ablate`, which
//! nothing that is shipped has, it is a constant, and no instruction is left of it. With the feature, `turn_off` turns
//! ways off by name for the whole process; that must be done before the first vocabulary is read, since what was
//! remembered with a way on is not forgotten.
//!
//! Not in the list is what has nothing general behind it:
//!
//! - Interned objects (cells, states, stacks, formulas, pending sets): places are known to be the same by their numbers.
//! - Stacks that are joined, `x*` after `x*` as `x*`, tail calls in place: they bound stacks, and so do the frames of
//!   entries and the generic place of members with what the tally clamps.
//! - Results that live where they were found (the walk and the expansion of a state, the loop of a local, the spots of the
//!   tracker): others hold references to them, and without them every step is made again and again.
//! - Whether a formula can be completed, and the limits of that search: without it there are dead ends.
//! - Assertions, machines as such, proofs of spellings, the tracker itself: they decide what is allowed.
//! - What is laid out in memory (lists of a few, masks that begin with a cache line): it saves time and no instructions.

/// Whether a way is turned off.
#[cfg(not(feature = "ablate"))]
#[inline(always)]
pub(crate) const fn is_off(_switch: Switch) -> bool {
    false
}

#[cfg(feature = "ablate")]
pub use switches::{asked, turn_off, ways};

#[cfg(feature = "ablate")]
pub(crate) use switches::is_off;

#[cfg(feature = "ablate")]
mod switches {
    use std::sync::atomic::{AtomicU64, Ordering};

    use super::{SWITCHES, Switch};

    /// One bit for each way that is off, and for each that was asked for.
    static OFF: [AtomicU64; WORDS] = [const { AtomicU64::new(0) }; WORDS];
    static ASKED: [AtomicU64; WORDS] = [const { AtomicU64::new(0) }; WORDS];
    const WORDS: usize = SWITCHES.len().div_ceil(64);

    /// Whether a way is turned off.
    #[inline]
    pub(crate) fn is_off(switch: Switch) -> bool {
        let (word, bit) = (switch as usize / 64, 1 << (switch as usize % 64));
        if ASKED[word].load(Ordering::Relaxed) & bit == 0 {
            ASKED[word].fetch_or(bit, Ordering::Relaxed);
        }
        OFF[word].load(Ordering::Relaxed) & bit != 0
    }

    /// The names of all ways, and what each is.
    pub fn ways() -> impl Iterator<Item = (&'static str, &'static str)> {
        SWITCHES.iter().map(|(_, name, what)| (*name, what.trim()))
    }

    /// Turns ways off by name; the name of one that there is not is handed back. What was off is on again.
    pub fn turn_off<'n>(names: &[&'n str]) -> Result<(), &'n str> {
        let mut off = [0; WORDS];
        for name in names {
            let at = SWITCHES.iter().position(|way| way.1 == *name).ok_or(*name)?;
            off[at / 64] |= 1 << (at % 64);
        }
        for (word, off) in OFF.iter().zip(off) {
            word.store(off, Ordering::Relaxed);
        }
        Ok(())
    }

    /// The names of the ways that were decided on since this was called last: no others can matter to what was done.
    pub fn asked() -> Vec<&'static str> {
        let asked: Vec<u64> = ASKED.iter().map(|word| word.swap(0, Ordering::Relaxed)).collect();
        let is_asked = |at: usize| asked[at / 64] >> (at % 64) & 1 == 1;
        SWITCHES.iter().enumerate().filter(|(at, _)| is_asked(*at)).map(|(_, way)| way.1).collect()
    }
}

/// Makes the ways, each with its name and what it is.
macro_rules! switches {
    ($(#[doc = $what:literal] $way:ident = $name:literal,)*) => {
        /// One way of the engine that can be turned off.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub(crate) enum Switch {
            $(#[doc = $what] $way,)*
        }

        /// All ways with their names and what they are, in the order of their numbers.
        #[cfg(feature = "ablate")]
        const SWITCHES: &[(Switch, &str, &str)] = &[$((Switch::$way, $name, $what),)*];
    };
}

switches! {
    // Masks: words and keys.
    /// A literal is followed down the trie without states for the places inside it.
    LiteralDescent = "literal descent",
    /// Where several literals are open, each is followed by itself, and the rest is walked without them.
    LiteralsApart = "literals apart",
    /// What each of many literals does with the trie is remembered.
    LiteralMemo = "literal memo",
    /// A mask inside a key is the key and the frame behind it, without a walk.
    KeyMasks = "masks in keys",
    /// What follows a key is taken from a frame that all members of its kind share.
    KeyTails = "key tails",
    /// A choice between words and a class of letters is taken apart into both.
    KeywordsApart = "keywords apart",
    /// Rules that begin with letters are called apart from the words beside them.
    WordCallsApart = "word calls apart",
    /// The mask of a key that is none of some names is that of any string, less what goes on behind a name.
    ExceptedKeys = "excepted keys",
    /// In a walk, a loop but for a few texts is a run of characters.
    ExceptedRuns = "excepted runs",
    /// A loop but for a few texts is a cell with a place among those, and no formula.
    ExceptedCells = "excepted cells",

    // Masks: members and frames.
    /// The walk up to the choice of an entry is that of a generic place, the same whatever slots are open.
    GenericPlaces = "generic places",
    /// What stands for a state whatever slots are open is remembered with it.
    GenericMemo = "generic memo",
    /// A state before several members is taken apart by them.
    MembersApart = "members apart",
    /// A state of which some cells are shared with other constraints is taken apart by that.
    SharedApart = "shared cells apart",
    /// White space before a value is treated like a call.
    WhiteSpaceApart = "white space apart",
    /// Rules that call others are walked by themselves.
    CallsApart = "calls apart",
    /// Entries, parts of entries and calls are walked by themselves.
    FramesApart = "frames apart",
    /// Where nothing was read, what a frame leaves pending is resolved as it is down the stack.
    ReturnsResolved = "returns resolved",
    /// What entries do with a trie node is remembered by slot.
    SlotMemo = "slot memo",
    /// The same for all trie nodes at which a walk left the choice open.
    ChoiceMemo = "choice memo",
    /// What a frame does with a trie node is remembered.
    FrameMemo = "frame memo",
    /// The byte that all keys begin with is followed once for all slots.
    KeyBeginnings = "key beginnings",
    /// What a state does with what is pending is remembered.
    ResolveMemo = "resolve memo",
    /// The children of many pending trie nodes are put in order by byte, once for all who go on from there.
    ChildrenByByte = "children by byte",

    // Masks: runs of characters.
    /// A loop of characters is looked up in the tables of runs.
    Runs = "runs",
    /// Nodes of the trie with large subtrees have tables of runs, and not the root alone.
    InnerAnchors = "inner anchors",
    /// Subtrees whose characters all stay inside a loop are taken as one slice.
    LoopSubtrees = "loop subtrees",
    /// The same for a place that is no loop, but that some characters lead back to.
    StayingSubtrees = "staying subtrees",
    /// A loop in its last round is a run of one character.
    LastRound = "last round",
    /// Classes that lack some characters past ASCII are runs, less the tokens with those.
    LackingClasses = "lacking classes",
    /// What large character sets lack is remembered.
    LackMemo = "lack memo",
    /// Masks of runs are remembered.
    RunMemo = "run memo",
    /// The mask of a run that begins with nearly all of its class is cut out of that of the class.
    RunsOutOfClass = "runs out of a class",
    /// The mask of a run of nearly all characters is cut out of that of all.
    RunsOutOfAll = "runs out of all",
    /// A loop of which many rounds are left is like one of which more are, but for the longest tokens.
    LongCounts = "long counts",
    /// Whether such a loop is a run is found of the one with more rounds.
    LoopsAlike = "loops alike",
    /// An expression under a length that is some way off is like one without, but for the longest tokens.
    LongBounds = "long bounds",
    /// Places that differ in their number of characters alone are followed as one run.
    CountedChains = "counted chains",
    /// The places of such a chain that differ in rounds alone are not looked at one by one.
    ChainRounds = "chain rounds",
    /// Tokens of one and the same byte are counted where loops count them.
    RepeatedBytes = "repeated bytes",

    // Masks: places among which characters lead around.
    /// Where the same characters go on from all places, they are a run.
    ClosedPlaces = "closed places",
    /// That is asked for early where a loop is left by most characters.
    ClosedEarly = "closed places early",
    /// Where each place can do what one can, that one alone is looked at.
    CoveredPlaces = "covered places",
    /// What two places have in common is tried as that one.
    CommonPlaces = "common places",
    /// Where most characters stay in one place, no other is looked at.
    SinglePlace = "single place",
    /// Characters may fail in a few places far away: the tokens that come so far are looked for.
    FarFailures = "far failures",
    /// A loop covers the same loop with fewer rounds left.
    CoveringRounds = "covering rounds",
    /// A formula covers another if its parts do.
    CoveringFormulas = "covering formulas",
    /// Characters past ASCII are seen to cover a place by their classes.
    CoveringClasses = "covering classes",
    /// What a place can do beside another is stepped by itself.
    StepDifferences = "step differences",
    /// Where a run is left, what is known to lead to one place is not followed.
    HomeExits = "home exits",
    /// Single bytes are stepped in walks without finding out all that a place can do.
    WalkedBytes = "bytes in walks",

    // Masks: characters past ASCII.
    /// Where all characters past ASCII lead to one place, they are a run of one.
    WideRuns = "wide runs",
    /// Characters past ASCII that nothing tells apart are followed as one of them.
    WideAlike = "wide alike",
    /// That they lead where an ASCII character does is seen of the edges.
    WideEdges = "wide edges",
    /// Where they lead from a place is remembered.
    WideMemo = "wide memo",

    // Masks: formulas.
    /// Formulas that are open beside other things are walked one by one.
    FormulasApart = "formulas apart",
    /// A loop but for what other expressions match is a run.
    ComplementRuns = "complement runs",
    /// A loop under conditions is a run, each condition by itself.
    WatchedRuns = "watched runs",
    /// The same below trie nodes without tables.
    WatchedSubtrees = "watched subtrees",
    /// What fails a condition is looked for only where the trie has its letters and pairs of letters.
    FailureFilter = "failure filter",
    /// Machines with very many states read tokens themselves.
    MachineRuns = "machine runs",

    // Masks: the walk.
    /// Long walks go by tables of where bytes lead.
    RowTables = "row tables",
    /// With which tokens a text fails is known from a place that most texts are in.
    FailingLike = "failing like",
    /// That a formula can be completed is seen from another that can, of which it can do all.
    CoveredOrigins = "covered origins",
    /// What follows a formula is not looked for where too little was read to complete it.
    FarEnds = "far ends",
    /// Where characters lead to many places, those are given up that lead elsewhere than most do.
    NarrowRuns = "narrow runs",
    /// Where characters past ASCII lead is seen from the sets of them that a place reads.
    WideParts = "wide parts",
    /// In a long walk, a subtree of characters that a place goes on with, whatever they are, is taken as a whole.
    Areas = "areas",
    /// Nodes with no byte below that may follow are not looked into.
    SubtreeFilter = "subtree filter",
    /// A byte's class is looked up where there are many.
    ClassTables = "class tables",

    // Masks: putting them together.
    /// The token sets of a configuration are remembered.
    ConfigurationMemo = "configuration memo",
    /// Masks that are asked for often are kept as they are.
    KeptMasks = "kept masks",
    /// A mask that was kept for the same tokens elsewhere is used.
    KeptElsewhere = "kept masks found",
    /// Many single tokens are kept as a mask.
    DenseSets = "dense sets",
    /// Several masks are kept as one.
    MergedMasks = "merged masks",
    /// Masks are put together with wide vector instructions.
    VectorUnions = "vector unions",

    // The automaton.
    /// What begins with the base of all schemas is made once for all constraints.
    Library = "library",
    /// Counts of repetitions that cannot run out within a token are one.
    ClampedCounts = "clamped counts",
    /// The same for counts of members.
    ClampedMembers = "clamped members",
    /// The same for lengths beside other expressions.
    ClampedBounds = "clamped bounds",
    /// Cells that can do nothing that another cannot are left out.
    CoveredCells = "covered cells",
    /// Formulas are simplified.
    FormulaRules = "formula rules",
    /// Which cells large leaves of formulas come from is remembered.
    LeafMemo = "leaf memo",
    /// A completion of a formula is first looked for along a single way.
    CompletionProbe = "completion probe",
    /// In leaves of many cells that way is told by what the cells miss.
    CellDistances = "cell distances",
    /// How far cells are from their ends is remembered.
    DistanceMemo = "distance memo",
    /// Where some bytes lead from a formula is found without the others.
    PartialSteps = "partial steps",
    /// What conditions do with characters is remembered.
    WatcherMemo = "watcher memo",
    /// The tally after an entry is remembered.
    TallyMemo = "tally memo",
    /// Where a choice goes on after an entry is remembered.
    EntryMemo = "entry memo",
    /// Joined stacks are remembered.
    JoinMemo = "join memo",

    // Commits.
    /// Of a place that is passed once, only what one byte leads to is built.
    SingleBytes = "single bytes",
    /// Where a token leads is remembered with the configuration.
    CommitMemo = "commit memo",
    /// Literals are passed over at once.
    LiteralSkip = "literal skip",
    /// Keys that have begun are passed over at once.
    KeySkip = "key skip",
    /// The way to the choice of an entry is that of a generic place.
    EntrySkip = "entry skip",
    /// Where the first byte of entries (a quote, say) leads from a choice is known of each slot.
    OpeningSkip = "opening skip",
    /// Characters of a loop are passed over at once.
    RunSkip = "run skip",
    /// A single thread of the automaton is followed without lists.
    SingleThread = "single thread",
    /// Whether all frames of a stack may end is remembered.
    AcceptMemo = "accept memo",

    // What is repeated.
    /// Plain text that nothing is compared with does not move the tracker.
    TrackerStays = "tracker stays",
    /// Where keys abound, repeated ones are taken out without asking the automaton.
    KeysAbound = "keys abound",
    /// The tokens that begin something new are remembered for each configuration.
    BeginningMemo = "beginning memo",
    /// Commas are looked for before a token is read.
    CommaGlance = "comma glance",
    /// Where any characters may follow, the automaton is not asked about each.
    FreeText = "free text",
    /// What has plenty of choice left need not be searched for a way out.
    Plenty = "plenty of choice",
    /// That is remembered for each configuration.
    PlentyMemo = "plenty memo",
    /// Of keys it is found once for all objects of a kind.
    PlentyAlone = "plenty of keys",
    /// An object that may go on with any key is seen to have plenty.
    AnyKey = "any key",
    /// A string that may go on with any text is seen to have plenty.
    EndlessText = "endless text",
    /// Where bytes lead from a configuration is remembered.
    SpotMemo = "spot memo",
    /// Whether a place can be completed is remembered within a call.
    VerdictMemo = "verdict memo",
    /// A few ways are followed before all of them are searched.
    SearchProbe = "search probe",
    /// Some letter is tried before all that may follow is found out.
    LettersFirst = "letters first",
    /// White space behind a place that is known to be alive is passed by.
    BlankPassed = "white space passed",
}
