//! Everything that depends on the vocabulary alone, built once and shared by all its constraints.

use std::sync::{Arc, OnceLock, PoisonError, RwLock};

use tokenstile_grammar::ir::CharSet;

use crate::library::Library;
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
    /// What constraints have in common.
    library: RwLock<Option<Arc<Library>>>,
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
            library: RwLock::new(None),
        }
    }

    /// What constraints that begin with the base have in common; a new one if it has grown too large.
    pub(crate) fn library(&self) -> Option<Arc<Library>> {
        let usable = |known: &Option<Arc<Library>>| known.clone().filter(|known| !known.is_full());
        if let Some(known) = usable(&self.library.read().unwrap_or_else(PoisonError::into_inner)) {
            return Some(known);
        }
        let mut place = self.library.write().unwrap_or_else(PoisonError::into_inner);
        if usable(&place).is_none() {
            *place = Library::new(self).map(Arc::new);
        }
        place.clone()
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
