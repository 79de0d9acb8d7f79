//! Random vocabularies that suit given sentences.

use super::grammar::ALPHABET;
use crate::Rng;

/// What a random vocabulary is like.
#[derive(Clone, Debug)]
pub struct VocabOptions {
    /// Whether every single byte is a token. If not, at least one is missing.
    pub all_bytes: bool,
    /// Tokens of more than one byte, at most.
    pub long_tokens: usize,
    /// Whether there may be duplicates and tokens without bytes.
    pub oddities: bool,
}

impl Default for VocabOptions {
    fn default() -> Self {
        VocabOptions { all_bytes: true, long_tokens: 40, oddities: true }
    }
}

/// A vocabulary.
#[derive(Clone, Debug)]
pub struct RandomVocab {
    /// Ids, each once, in increasing order but not without gaps, with their bytes.
    pub tokens: Vec<(u32, Vec<u8>)>,
    /// End tokens; they are not among `tokens`.
    pub end: Vec<u32>,
}

/// A random vocabulary whose longer tokens are mostly parts of `sentences`, cut anywhere: in the middle of a
/// character, and across what the grammar holds apart.
pub fn random_vocab(rng: &mut Rng, sentences: &[Vec<u8>], options: &VocabOptions) -> RandomVocab {
    let mut spellings: Vec<Vec<u8>> = single_bytes(rng, sentences, options.all_bytes);
    for _ in 0..rng.below(options.long_tokens + 1) {
        spellings.push(long_token(rng, sentences));
    }
    if options.oddities {
        spellings.push(Vec::new());
        let twice = rng.pick(&spellings).clone();
        spellings.push(twice);
    }
    for i in (1..spellings.len()).rev() {
        spellings.swap(i, rng.below(i + 1));
    }
    let mut id = rng.below(3) as u32;
    let mut next_id = |rng: &mut Rng| {
        id += 1 + u32::from(rng.chance(1, 20)) * 7;
        id
    };
    let mut vocab = RandomVocab { tokens: Vec::new(), end: Vec::new() };
    for spelling in spellings {
        if vocab.end.is_empty() && rng.chance(1, 50) {
            vocab.end.push(next_id(rng));
        }
        vocab.tokens.push((next_id(rng), spelling));
    }
    vocab.end.push(next_id(rng));
    vocab
}

fn single_bytes(rng: &mut Rng, sentences: &[Vec<u8>], all: bool) -> Vec<Vec<u8>> {
    if all {
        return (0..=255).map(|byte| vec![byte]).collect();
    }
    let mut bytes: Vec<u8> = sentences.iter().flatten().copied().collect();
    bytes.extend(b"ab\xC3");
    bytes.sort_unstable();
    bytes.dedup();
    let missing = *rng.pick(&bytes);
    bytes.retain(|&byte| byte != missing && rng.chance(4, 5));
    bytes.into_iter().map(|byte| vec![byte]).collect()
}

/// Two to eight bytes, hardly ever one.
fn long_token(rng: &mut Rng, sentences: &[Vec<u8>]) -> Vec<u8> {
    let long: Vec<&Vec<u8>> = sentences.iter().filter(|s| s.len() > 1).collect();
    match rng.below(10) {
        0 => (0..rng.between(2, 4)).map(|_| rng.byte()).collect(),
        1 | 2 => (0..rng.between(2, 3)).flat_map(|_| rng.pick(&ALPHABET).to_string().into_bytes()).collect(),
        3..=8 if !long.is_empty() => {
            let sentence = *rng.pick(&long);
            let start = rng.below(sentence.len() - 1);
            let end = rng.between(start + 2, (start + 8).min(sentence.len()));
            sentence[start..end].to_vec()
        }
        _ if !long.is_empty() => {
            // The end of one sentence and the beginning of another.
            let (a, b) = (*rng.pick(&long), *rng.pick(&long));
            let (tail, head) = (rng.between(1, a.len().min(4)), rng.between(1, b.len().min(4)));
            [&a[a.len() - tail..], &b[..head]].concat()
        }
        _ => vec![b'a', b'b'],
    }
}
