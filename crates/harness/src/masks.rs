//! The comparison with the reference matcher: masks of the engine, bit for bit.

use tokenstile_engine::{Grammar, Matcher, TokenId, Vocab};
use tokenstile_testkit::{RefState, Reference, ReferenceMask, SortedTokens, bit, differing};

use crate::{byte_vocab, compile};

/// The mask where a matcher stands.
pub fn mask_of(matcher: &mut Matcher) -> Vec<u32> {
    let mut words = vec![0; matcher.mask_words()];
    matcher.fill_mask(&mut words).expect("within limits");
    words
}

/// The tokens that a mask allows.
pub fn tokens_in(words: &[u32]) -> Vec<TokenId> {
    (0..words.len() as u32 * 32).filter(|&t| bit(words, t)).collect()
}

/// The tokens that are allowed where a matcher stands.
pub fn allowed(matcher: &mut Matcher) -> Vec<TokenId> {
    tokens_in(&mask_of(matcher))
}

/// Masks along `text`, after each byte, against those of the reference.
#[track_caller]
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

/// The masks of the reference over a vocabulary in which every byte is a token.
#[derive(Debug)]
pub struct Sorted(SortedTokens);

impl Sorted {
    /// Those over all tokens of `vocab`.
    #[track_caller]
    pub fn new(vocab: &Vocab) -> Self {
        let sorted = SortedTokens::new(vocab.text_tokens(), vocab.end_tokens(), vocab.width());
        Sorted(sorted.unwrap_or_else(|byte| panic!("byte {byte:#04x} is no token")))
    }

    /// The mask after the text that led to `state`.
    pub fn mask(&self, reference: &Reference<'_>, state: RefState) -> ReferenceMask {
        self.0.mask(reference, state)
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
        let known = |id: &TokenId| !bit(&expected.unknown, *id);
        let different: Vec<TokenId> = differing(&got, &expected.allowed).filter(known).collect();
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
#[derive(Debug)]
pub struct Words {
    /// The vocabulary.
    pub vocab: Vocab,
    /// Its tokens.
    pub sorted: Sorted,
}

impl Words {
    /// All single bytes and these tokens.
    pub fn new<T: AsRef<[u8]>>(tokens: &[T]) -> Self {
        let vocab = byte_vocab(tokens);
        Words { sorted: Sorted::new(&vocab), vocab }
    }

    /// Compares the masks of a grammar with the reference's at every place of some texts, as far as they can be written.
    #[track_caller]
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::regex;

    /// The comparison finds what is wrong: here the reference is asked about another grammar.
    #[test]
    fn a_difference_is_told() {
        let words = Words::new(&["ab", "ac"]);
        let (grammar, other) = (regex("a[bc]"), regex("ab"));
        let (reference, mut matcher) = (Reference::new(&other), compile(&grammar, &words.vocab).matcher());
        let told = words.sorted.compare(&mut matcher, &reference, reference.start());
        assert_eq!(told, Err("1 tokens differ (+ wrongly allowed): +257\"ac\"".to_owned()));
    }

    #[test]
    #[should_panic(expected = "byte 0x00 is no token")]
    fn every_byte_must_be_a_token() {
        Sorted::new(&Vocab::from_tokens([(0, "a")], &[1]).expect("well formed"));
    }
}
