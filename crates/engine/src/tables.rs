//! Everything that depends on the vocabulary alone, built once and shared by all its constraints.

use crate::profile::Profile;
use crate::trie::Trie;
use crate::vocab::Vocab;

/// See the module documentation.
pub(crate) struct Tables {
    pub(crate) vocab: Vocab,
    pub(crate) trie: Trie,
    pub(crate) profile: Profile,
    /// Words of a mask.
    pub(crate) words: usize,
}

impl Tables {
    pub(crate) fn new(vocab: Vocab) -> Self {
        let words = vocab.width().div_ceil(32);
        let trie = Trie::new(&vocab);
        let profile = Profile::new(&trie, words);
        Tables { vocab, trie, profile, words }
    }

    pub(crate) fn bytes_held(&self) -> usize {
        self.trie.bytes_held() + self.profile.bytes_held()
    }
}
