//! The tables of a vocabulary that masks are made from.

use super::runs::Profile;
use super::trie::Trie;
use crate::stored::{Reader, TablesError, Writer};
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
        let words = words_of(&vocab);
        let trie = Trie::new(&vocab);
        let profile = Profile::new(&trie, words);
        Tables { vocab, trie, profile, words }
    }

    /// Writes what takes time to build.
    pub(crate) fn save<'t>(&'t self, file: &mut Writer<'t>) {
        self.trie.save(file);
        self.profile.save(file);
    }

    /// The tables that [`save`](Tables::save) wrote, where they lie.
    pub(crate) fn load(vocab: Vocab, file: &mut Reader) -> Result<Self, TablesError> {
        let words = words_of(&vocab);
        let trie = Trie::load(file, &vocab)?;
        let profile = Profile::load(file, &trie, words)?;
        Ok(Tables { vocab, trie, profile, words })
    }

    pub(crate) fn bytes_held(&self) -> usize {
        self.trie.bytes_held() + self.profile.bytes_held()
    }
}

/// Words of a mask.
fn words_of(vocab: &Vocab) -> usize {
    vocab.width().div_ceil(32)
}
