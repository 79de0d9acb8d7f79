//! Everything that depends on the vocabulary alone, built once and shared by all its constraints.

use std::sync::OnceLock;

use tokenstile_grammar::ir::CharSet;

use crate::mask::Kept;
use crate::profile::Profile;
use crate::proof::Spelling;
use crate::spelling;
use crate::tracker::StructureTables;
use crate::trie::Trie;
use crate::vocab::Vocab;

/// See the module documentation.
pub(crate) struct Tables {
    pub(crate) vocab: Vocab,
    pub(crate) trie: Trie,
    pub(crate) profile: Profile,
    /// Characters past ASCII that the bytes of the vocabulary can spell.
    pub(crate) wide: CharSet,
    /// Masks that are asked for often.
    pub(crate) kept: Kept,
    /// Words of a mask.
    pub(crate) words: usize,
    /// Made for the first constraint that needs it; most vocabularies never do.
    spelling: OnceLock<Spelling>,
    /// For constraints that remember what was written.
    structure: StructureTables,
}

impl Tables {
    pub(crate) fn new(vocab: Vocab) -> Self {
        let words = vocab.width().div_ceil(32);
        let trie = Trie::new(&vocab);
        let profile = Profile::new(&trie, words);
        let wide = spelling::spellable_chars(&CharSet::from_ranges([(0x80, 0x10FFFF)]), &trie.bytes_used);
        let structure = StructureTables::new(&vocab, &trie);
        Tables {
            vocab,
            trie,
            profile,
            wide,
            kept: Kept::new(words),
            words,
            spelling: OnceLock::new(),
            structure,
        }
    }

    pub(crate) fn spelling(&self) -> &Spelling {
        self.spelling.get_or_init(|| Spelling::new(&self.vocab, &self.trie))
    }

    pub(crate) fn structure(&self) -> &StructureTables {
        &self.structure
    }

    pub(crate) fn bytes_held(&self) -> usize {
        self.trie.bytes_held() + self.profile.bytes_held()
    }
}
