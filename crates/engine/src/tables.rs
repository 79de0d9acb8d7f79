//! Everything that depends on the vocabulary alone, built once and shared by all its constraints.

use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock, PoisonError, RwLock};

use crate::ablate::{Switch, is_off};
use crate::library::{self, Library};
use crate::mask::Kept;
use crate::profile::Profile;
use crate::proof::Spelling;
use crate::stored::{Reader, TablesError, Writer};
use crate::tracker::StructureTables;
use crate::trie::Trie;
use crate::vocab::Vocab;

/// See the module documentation.
pub(crate) struct Tables {
    pub(crate) vocab: Vocab,
    pub(crate) trie: Trie,
    pub(crate) profile: Profile,
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
    /// How large that may grow.
    pub(crate) library_limit: AtomicUsize,
}

impl Tables {
    pub(crate) fn new(vocab: Vocab) -> Self {
        let trie = Trie::new(&vocab);
        let profile = Profile::new(&trie, words_of(&vocab));
        let structure = StructureTables::new(&vocab, &trie);
        Tables::of(vocab, trie, profile, structure)
    }

    fn of(vocab: Vocab, trie: Trie, profile: Profile, structure: StructureTables) -> Self {
        let words = words_of(&vocab);
        let kept = Kept::new(words);
        let (spelling, library) = (OnceLock::new(), RwLock::new(None));
        let library_limit = AtomicUsize::new(library::BYTES);
        Tables { vocab, trie, profile, kept, words, spelling, structure, library, library_limit }
    }

    /// Writes all that takes time to build as a file.
    pub(crate) fn save(&self, out: &mut dyn io::Write) -> io::Result<()> {
        let mut file = Writer::default();
        self.trie.save(&mut file);
        self.profile.save(&mut file);
        self.structure.save(&mut file);
        file.write(self.vocab.fingerprint(), out)
    }

    /// The tables that [`save`](Tables::save) wrote, where they lie.
    pub(crate) fn load(
        vocab: Vocab,
        bytes: impl AsRef<[u8]> + Send + Sync + 'static,
    ) -> Result<Self, TablesError> {
        let mut file = Reader::new(bytes, vocab.fingerprint())?;
        let trie = Trie::load(&mut file, &vocab)?;
        let profile = Profile::load(&mut file, &trie, words_of(&vocab))?;
        let structure = StructureTables::load(&mut file, &vocab, &trie)?;
        if !file.is_done() {
            return Err(TablesError::Damaged { what: "there are sections too many" });
        }
        Ok(Tables::of(vocab, trie, profile, structure))
    }

    /// What constraints that begin with the base have in common; a new one if it has grown too large.
    pub(crate) fn library(&self) -> Option<Arc<Library>> {
        if is_off(Switch::Library) {
            return None;
        }
        let usable = |known: &Option<Arc<Library>>| known.clone().filter(|known| !known.is_full());
        if let Some(known) = usable(&self.library.read().unwrap_or_else(PoisonError::into_inner)) {
            return Some(known);
        }
        let mut place = self.library.write().unwrap_or_else(PoisonError::into_inner);
        if usable(&place).is_none() {
            *place = Library::new(self, self.library_limit.load(Ordering::Relaxed)).map(Arc::new);
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

/// Words of a mask.
fn words_of(vocab: &Vocab) -> usize {
    vocab.width().div_ceil(32)
}

#[cfg(test)]
mod tests {
    use tokenstile_grammar::{Grammar, Limits};
    use tokenstile_testkit::Rng;

    use super::*;
    use crate::Compiler;
    use crate::stored::resealed;

    fn vocab() -> Vocab {
        let long =
            ["ab", "abc", " the", "12", "\",\"", "\": ", "αβ", "e\u{301}", "x==", "{\""].map(str::as_bytes);
        let bytes: Vec<Vec<u8>> = (0..=255u8).map(|byte| vec![byte]).collect();
        let all = bytes.iter().map(Vec::as_slice).chain(long);
        Vocab::from_tokens((0..).zip(all), &[300]).unwrap()
    }

    /// Uses the tables in every way; what comes out does not matter.
    fn use_all(compiler: &Compiler) {
        let limits = Limits::default();
        let grammars = [
            Grammar::json(&limits).unwrap(),
            Grammar::gbnf("root ::= [a-z]{1,9} [^\\n]{2,40} \"==\" root?", &limits).unwrap(),
        ];
        for grammar in &grammars {
            let Ok(constraint) = compiler.compile(grammar) else { continue };
            let mut matcher = constraint.matcher();
            let mut words = vec![0; matcher.mask_words()];
            for byte in *b"{\"ab the\": 12" {
                let _ = matcher.fill_mask(&mut words);
                if matcher.commit(u32::from(byte)).is_err() {
                    let _ = matcher.commit(u32::from(b'a'));
                }
            }
        }
        compiler.tables.spelling();
    }

    #[test]
    fn made_up_files_lead_to_no_panic() {
        let vocab = vocab();
        let mut bytes = Vec::new();
        Tables::new(vocab.clone()).save(&mut bytes).unwrap();
        let mut rng = Rng::new(11);
        let (mut refused, rounds) = (0, 4_000);
        for _ in 0..rounds {
            let mut changed = bytes.clone();
            for _ in 0..=rng.below(3) {
                // Most of the file is sections; what lies before them is seen to where it is read.
                let at = 64 + rng.below((changed.len() - 64) / 4) * 4;
                let number = [0, 1, rng.below(400) as u32, u32::MAX, rng.next_u64() as u32][rng.below(5)];
                changed[at..at + 4].copy_from_slice(&number.to_ne_bytes());
            }
            match Compiler::from_tables(vocab.clone(), resealed(changed)) {
                Ok(compiler) => use_all(&compiler),
                Err(TablesError::Damaged { .. }) => refused += 1,
                Err(error) => panic!("{error}"),
            }
        }
        assert!(refused > rounds / 4, "only {refused} refused");
    }
}
