//! Everything that depends on the vocabulary alone, built once and shared by all its constraints.

use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use rustc_hash::FxHashMap;
use tokenstile_grammar::ir::Base;

use super::library::Library;
use super::proof::Spelling;
use super::terminals::MARKS;
use crate::ablate::{Switch, is_off};
use crate::collections::PerBase;
use crate::masks::Kept;
use crate::stored::{Reader, TablesError, Writer};
use crate::tokens::tables::Tables;
use crate::tracker::StructureTables;
use crate::tuning::constraint::LIBRARY_BYTES;
use crate::vocab::{TokenId, Vocab};

/// See the module documentation.
pub(crate) struct Common {
    pub(crate) tables: Tables,
    /// Masks that are asked for often.
    pub(crate) kept: Kept,
    /// Made for the first constraint that needs it; most vocabularies never do.
    spelling: [OnceLock<Spelling>; 2],
    /// The ids of special tokens by their names.
    special: OnceLock<FxHashMap<Box<str>, TokenId>>,
    /// Tokens with marks in their text, in ascending order.
    marked: OnceLock<Vec<TokenId>>,
    /// For constraints that remember what was written.
    structure: StructureTables,
    /// What constraints that begin with the same base have in common.
    libraries: PerBase<Library>,
    /// How large each of them may grow.
    pub(crate) library_limit: AtomicUsize,
}

impl Common {
    pub(crate) fn new(vocab: Vocab) -> Self {
        let tables = Tables::new(vocab);
        let structure = StructureTables::new(&tables.vocab, &tables.trie);
        Common::of(tables, structure)
    }

    fn of(tables: Tables, structure: StructureTables) -> Self {
        let kept = Kept::new(tables.words);
        let (spelling, libraries) = (Default::default(), PerBase::new());
        let library_limit = AtomicUsize::new(LIBRARY_BYTES);
        let (special, marked) = (OnceLock::new(), OnceLock::new());
        Common { tables, kept, spelling, special, marked, structure, libraries, library_limit }
    }

    /// Writes all that takes time to build as a file.
    pub(crate) fn save(&self, out: &mut dyn io::Write) -> io::Result<()> {
        let mut file = Writer::default();
        self.tables.save(&mut file);
        self.structure.save(&mut file);
        file.write(self.tables.vocab.fingerprint(), out)
    }

    /// The tables that [`save`](Common::save) wrote, where they lie.
    pub(crate) fn load(
        vocab: Vocab,
        bytes: impl AsRef<[u8]> + Send + Sync + 'static,
    ) -> Result<Self, TablesError> {
        let mut file = Reader::new(bytes, vocab.fingerprint())?;
        let tables = Tables::load(vocab, &mut file)?;
        let structure = StructureTables::load(&mut file, &tables.vocab, &tables.trie)?;
        if !file.is_done() {
            return Err(TablesError::Damaged { what: "there are sections too many" });
        }
        Ok(Common::of(tables, structure))
    }

    /// What constraints that begin with a base have in common; a new one if it has grown too large.
    pub(crate) fn library(&self, base: &Arc<Base>) -> Option<Arc<Library>> {
        if is_off(Switch::Library) {
            return None;
        }
        let limit = self.library_limit.load(Ordering::Relaxed);
        let make = || Library::new(base, &self.tables, limit).map(Arc::new);
        self.libraries.get_or(base.id(), |known| !known.is_full(), make)
    }

    /// What tokens spell, for constraints with or without token terminals.
    pub(crate) fn spelling(&self, with_marks: bool) -> &Spelling {
        let spelling = &self.spelling[usize::from(with_marks)];
        spelling.get_or_init(|| Spelling::new(&self.tables.vocab, &self.tables.trie, with_marks))
    }

    /// The special token of a name; the one with the lowest id if there are several.
    pub(crate) fn special(&self, name: &str) -> Option<TokenId> {
        let special = self.special.get_or_init(|| {
            let mut special = FxHashMap::default();
            self.tables.vocab.special_tokens().for_each(|(id, name)| {
                special.entry(name.into()).or_insert(id);
            });
            special
        });
        special.get(name).copied()
    }

    /// Tokens with [`MARKS`] in their text, in ascending order.
    pub(crate) fn marked(&self) -> &[TokenId] {
        self.marked.get_or_init(|| {
            let has_marks = |bytes: &[u8]| bytes.iter().any(|&byte| MARKS.contains(byte));
            self.tables.vocab.text_tokens().filter(|(_, bytes)| has_marks(bytes)).map(|(id, _)| id).collect()
        })
    }

    pub(crate) fn structure(&self) -> &StructureTables {
        &self.structure
    }
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
        compiler.common.spelling(false);
    }

    #[test]
    fn made_up_files_lead_to_no_panic() {
        let vocab = vocab();
        let mut bytes = Vec::new();
        Common::new(vocab.clone()).save(&mut bytes).unwrap();
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
