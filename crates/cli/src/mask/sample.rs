//! Which of many allowed tokens to list: some of every beginning, common ones first.

use std::collections::HashMap;

use tokenstile::{TokenId, Vocab};

/// `limit` of `tokens`, which are sorted by their bytes and stay so. Letters count as one beginning, and digits
/// do; of each beginning the lowest ids are taken, since tokenizers number the frequent tokens first, but longer
/// tokens before further single bytes.
pub(super) fn sample(vocab: &Vocab, tokens: &[TokenId], limit: usize) -> Vec<TokenId> {
    if tokens.len() <= limit {
        return tokens.to_vec();
    }
    let mut groups: HashMap<Option<u8>, Vec<TokenId>> = HashMap::new();
    for &id in tokens {
        let first = vocab.bytes(id).and_then(|bytes| bytes.first()).map(|&byte| beginning(byte));
        groups.entry(first).or_default().push(id);
    }
    let mut ranked: Vec<(usize, usize, TokenId)> = Vec::new();
    for (first, mut ids) in groups {
        ids.sort_unstable();
        // After the first, single bytes say nothing new.
        ids[1..].sort_by_key(|&id| (vocab.bytes(id).is_some_and(|bytes| bytes.len() == 1), id));
        ranked.extend(ids.into_iter().enumerate().map(|(rank, id)| (rank, unreadable(first), id)));
    }
    ranked.sort_unstable();
    ranked.truncate(limit);
    let mut chosen: Vec<TokenId> = ranked.into_iter().map(|(_, _, id)| id).collect();
    chosen.sort_by_key(|&id| (vocab.bytes(id), id));
    chosen
}

fn beginning(byte: u8) -> u8 {
    match byte {
        b'0'..=b'9' => b'0',
        b'a'..=b'z' => b'a',
        b'A'..=b'Z' => b'A',
        0x80.. => 0x80,
        other => other,
    }
}

/// How little a beginning tells a reader.
fn unreadable(first: Option<u8>) -> usize {
    match first {
        Some(b'0' | b'a' | b'A') => 0,
        Some(b' '..=b'~') => 1,
        Some(0x80..) => 2,
        _ => 3,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_beginning_has_its_turn() {
        let texts = ["\t", "\t\t", "\t\t\t", "a", "b", "c", "1", "{"];
        let vocab = Vocab::from_tokens((0..).zip(texts), &[]).unwrap();
        let all: Vec<TokenId> = vec![0, 1, 2, 6, 3, 4, 5, 7];
        let texts = |limit| -> Vec<&[u8]> {
            sample(&vocab, &all, limit).into_iter().map(|id| vocab.bytes(id).unwrap()).collect()
        };
        assert_eq!(texts(4), [&b"\t"[..], b"1", b"a", b"{"]);
        assert_eq!(texts(2), [b"1", b"a"]);
        assert_eq!(texts(8).len(), 8);
        assert!(texts(0).is_empty());
        let texts = ["a", "b", "c", "in", "er"];
        let vocab = Vocab::from_tokens((0..).zip(texts), &[]).unwrap();
        assert_eq!(sample(&vocab, &[0, 1, 2, 4, 3], 3), [0, 4, 3]);
    }
}
