//! What several test files share: vocabularies, masks, and the masks that the reference matcher makes.

#![allow(dead_code)] // each test file uses a part of this

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use tokenstile_engine::{Compiler, Constraint, Grammar, Limits, Matcher, TokenId, Vocab};
use tokenstile_grammar::RegexOptions;
use tokenstile_testkit::{Along, RefState, Reference, Viability};

/// A vocabulary of all single bytes under their own numbers, these `tokens` from 256 on, and one end token.
pub fn byte_vocab<T: AsRef<[u8]>>(tokens: &[T]) -> Vocab {
    let bytes = (0..=255u8).map(|b| vec![b]);
    let all: Vec<(u32, Vec<u8>)> =
        (0..).zip(bytes.chain(tokens.iter().map(|t| t.as_ref().to_vec()))).collect();
    let end = all.len() as u32;
    Vocab::from_tokens(all, &[end]).expect("well formed")
}

/// The grammar of a GBNF text.
pub fn gbnf(source: &str) -> Grammar {
    Grammar::gbnf(source, &Limits::default()).unwrap_or_else(|e| panic!("{e}\n{source}"))
}

/// The grammar of a regular expression in Rust's syntax.
pub fn regex(pattern: &str) -> Grammar {
    Grammar::regex(pattern, &RegexOptions::default(), &Limits::default())
        .unwrap_or_else(|e| panic!("{e}\n{pattern}"))
}

/// The constraint of a grammar with default limits.
pub fn compile(grammar: &Grammar, vocab: &Vocab) -> Constraint {
    Compiler::new(vocab.clone()).compile(grammar).unwrap_or_else(|e| panic!("{e}\n{grammar}"))
}

/// The mask where a matcher stands.
pub fn mask_of(matcher: &mut Matcher) -> Vec<u32> {
    let mut words = vec![0; matcher.mask_words()];
    matcher.fill_mask(&mut words).expect("within limits");
    words
}

/// Masks along `text`, after each byte, against those of the reference.
pub fn masks_agree(grammar: &Grammar, vocab: &Vocab, text: &str, source: &str) {
    let (constraint, sorted) = (compile(grammar, vocab), Sorted::new(vocab));
    let reference = Reference::new(grammar);
    let mut state = reference.start();
    let mut matcher = constraint.matcher();
    for (at, byte) in text.bytes().enumerate() {
        let expected = sorted.mask(&reference, state);
        assert_eq!(expected.unknown.iter().sum::<u32>(), 0);
        assert_eq!(mask_of(&mut matcher), expected.allowed, "{source} after {:?}", &text[..at]);
        matcher.commit(byte.into()).unwrap_or_else(|e| panic!("{source}: {e} at {at}"));
        state = reference.step(state, byte);
    }
}

/// Whether a mask allows a token.
pub fn bit(words: &[u32], token: TokenId) -> bool {
    words.get(token as usize / 32).is_some_and(|w| w >> (token % 32) & 1 == 1)
}

/// The tokens that a mask allows.
pub fn tokens_in(words: &[u32]) -> Vec<TokenId> {
    (0..words.len() as u32 * 32).filter(|&t| bit(words, t)).collect()
}

/// The tokens that are allowed where a matcher stands.
pub fn allowed(matcher: &mut Matcher) -> Vec<TokenId> {
    tokens_in(&mask_of(matcher))
}

/// Says something where it is seen: past the capture of test output.
pub fn say(what: &str) {
    let _ = writeln!(std::io::stderr(), "{what}");
}

/// A file of the shared data, if it is there; says so if not.
pub fn shared(path: &str) -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared").join(path);
    if path.exists() {
        return Some(path);
    }
    say(&format!("skipped: {} is not there", path.display()));
    None
}

/// The vocabulary of Llama 3, if it is there.
pub fn llama3() -> Option<Vocab> {
    let bytes = fs::read(shared("peerbench/data/vocab.jsonl")?).expect("it can be read");
    let vocab = Vocab::from_jsonl(&bytes).expect("well formed");
    assert!(vocab.text_tokens().count() >= 100_000);
    Some(vocab)
}

/// A vocabulary in lexicographic order: the reference's mask is one walk over it that steps over what has a
/// dead beginning. It is for vocabularies in which every byte is a token: what bytes complete, tokens do.
pub struct Sorted {
    tokens: Vec<(Vec<u8>, TokenId)>,
    end: Vec<TokenId>,
    words: usize,
}

/// The mask as the reference has it.
pub struct Expected {
    pub allowed: Vec<u32>,
    /// Tokens about which the reference cannot tell.
    pub unknown: Vec<u32>,
}

impl Sorted {
    pub fn new(vocab: &Vocab) -> Self {
        let mut tokens: Vec<(Vec<u8>, TokenId)> =
            vocab.text_tokens().map(|(id, bytes)| (bytes.to_vec(), id)).collect();
        tokens.sort();
        let single = |byte| tokens.binary_search_by(|t| t.0.as_slice().cmp(&[byte])).is_ok();
        assert!((0..=255).all(single), "every byte is a token");
        Sorted { tokens, end: vocab.end_tokens().to_vec(), words: vocab.width().div_ceil(32) }
    }

    /// The mask after the text that led to `state`.
    pub fn mask(&self, reference: &Reference<'_>, state: RefState) -> Expected {
        let mut expected = Expected { allowed: vec![0; self.words], unknown: vec![0; self.words] };
        let mut along = Along::new(reference, state);
        for (bytes, id) in &self.tokens {
            match along.viability(bytes) {
                Viability::Yes => set(&mut expected.allowed, *id),
                Viability::Unknown => set(&mut expected.unknown, *id),
                Viability::No => {}
            }
        }
        if reference.is_accepting(state) {
            self.end.iter().for_each(|&id| set(&mut expected.allowed, id));
        }
        expected
    }

    /// Compares a matcher's mask with the reference's; on a difference, says which tokens.
    pub fn compare(
        &self,
        matcher: &mut Matcher,
        reference: &Reference<'_>,
        state: RefState,
    ) -> Result<Vec<u32>, String> {
        let mut got = vec![0; matcher.mask_words()];
        matcher.fill_mask(&mut got).map_err(|e| e.to_string())?;
        let expected = self.mask(reference, state);
        let differs =
            |id: &TokenId| bit(&got, *id) != bit(&expected.allowed, *id) && !bit(&expected.unknown, *id);
        let different: Vec<TokenId> = (0..self.words as u32 * 32).filter(differs).collect();
        if different.is_empty() {
            return Ok(got);
        }
        let name = |id: &TokenId| {
            let sign = if bit(&got, *id) { '+' } else { '-' };
            let bytes = matcher.constraint().vocab().bytes(*id).unwrap_or_default();
            format!("{sign}{id}{:?}", bytes.escape_ascii().to_string())
        };
        let names: Vec<String> = different.iter().take(12).map(name).collect();
        Err(format!("{} tokens differ (+ wrongly allowed): {}", different.len(), names.join(" ")))
    }
}

/// A made-up vocabulary, and its tokens for the reference.
pub struct Words {
    pub vocab: Vocab,
    pub sorted: Sorted,
}

impl Words {
    /// All single bytes and these tokens.
    pub fn new<T: AsRef<[u8]>>(tokens: &[T]) -> Self {
        let vocab = byte_vocab(tokens);
        Words { sorted: Sorted::new(&vocab), vocab }
    }

    /// Compares the masks of a grammar with the reference's at every place of some texts, as far as they can be written.
    pub fn check_along(&self, grammar: &Grammar, texts: &[String]) {
        let (matcher, reference) = (compile(grammar, &self.vocab).matcher(), Reference::new(grammar));
        for text in texts {
            for (end, _) in text.char_indices().chain([(text.len(), ' ')]) {
                let (start, mut matcher) = (&text[..end], matcher.fork());
                if matcher.commit_bytes(start.as_bytes()).is_err() {
                    assert_eq!(
                        reference.viable(start.as_bytes()).known(),
                        Some(false),
                        "{start:?} of {grammar}"
                    );
                    break;
                }
                let same = self.sorted.compare(&mut matcher, &reference, reference.run(start.as_bytes()));
                assert!(same.is_ok(), "after {start:?} of {grammar}: {same:?}");
            }
        }
    }
}

fn set(words: &mut [u32], token: TokenId) {
    words[token as usize / 32] |= 1 << (token % 32);
}
