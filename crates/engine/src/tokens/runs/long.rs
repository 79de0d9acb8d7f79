//! The long tokens of a vocabulary, which are few.

use tokenstile_grammar::ir::ByteSet;

use super::super::class::{CharClass, LackId};
use super::super::trie::Trie;
use crate::stored::{Array, Reader, TablesError, Writer, plain};
use crate::tuning::runs::SHORT;
use crate::vocab::TokenId;

/// The long tokens, longest first.
pub(super) struct Long(Array<LongToken>);

plain! {
    /// A token, and what it is made of.
    #[derive(Clone, Copy)]
    pub(crate) struct LongToken {
        ascii: u128,
        pub(crate) token: TokenId,
        pub(crate) bytes: u32,
        pub(crate) chars: u32,
        /// Whether there are characters past ASCII in it, and whether it is no whole number of characters.
        wide: bool,
        broken: bool,
        unused: [u8; 2],
    }
}

impl Long {
    pub(super) fn new(trie: &Trie) -> Self {
        let mut long = Vec::new();
        let mut depths = vec![0u32; trie.nodes.len()];
        for node in 1..trie.nodes.len() as u32 {
            let depth = depths[trie.parent[node as usize] as usize] + 1;
            depths[node as usize] = depth;
            if depth > SHORT {
                long.extend(trie.own(node).iter().map(|&token| LongToken::new(trie, node, token)));
            }
        }
        long.sort_by_key(|token| std::cmp::Reverse(token.bytes));
        Long(long.into())
    }

    /// Adds the array to a file.
    pub(super) fn save<'a>(&'a self, file: &mut Writer<'a>) {
        file.array(&self.0);
    }

    /// Those of a file, for masks of so many words.
    pub(super) fn load(file: &mut Reader, words: usize) -> Result<Self, TablesError> {
        let long: Array<LongToken> = file.array()?;
        let is_token = |long: &LongToken| (long.token as usize / 32) < words;
        if !long.iter().all(is_token) || !long.is_sorted_by_key(|long| std::cmp::Reverse(long.bytes)) {
            return Err(TablesError::Damaged { what: "the long tokens are none" });
        }
        Ok(Long(long))
    }

    /// Those of more than so many bytes.
    pub(super) fn than(&self, bytes: u32) -> &[LongToken] {
        &self.0[..self.0.partition_point(|token| token.bytes > bytes)]
    }

    pub(super) fn bytes_held(&self) -> usize {
        size_of_val(&self.0[..])
    }
}

impl LongToken {
    fn new(trie: &Trie, node: u32, token: TokenId) -> Self {
        let mut bytes: Vec<u8> = trie.path(node).collect();
        bytes.reverse();
        let text = String::from_utf8_lossy(&bytes);
        LongToken {
            token,
            bytes: bytes.len() as u32,
            chars: text.chars().count() as u32,
            ascii: bytes.iter().filter(|byte| byte.is_ascii()).fold(0, |bits, byte| bits | 1 << byte),
            wide: !bytes.is_ascii(),
            broken: std::str::from_utf8(&bytes).is_err(),
            unused: [0; 2],
        }
    }

    /// Whether it has one of some ASCII characters.
    #[inline]
    pub(crate) fn has(&self, ascii: &ByteSet) -> bool {
        self.ascii & ascii.ascii_bits() != 0
    }

    /// Whether it is made of characters of a class alone, as far as can be told at a glance.
    #[inline]
    pub(crate) fn is_of(&self, class: &CharClass) -> bool {
        let wide = class.wide && class.lack == LackId::NOTHING && !self.broken;
        self.ascii & !class.ascii.ascii_bits() == 0 && (wide || !self.wide)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Vocab;

    #[test]
    fn long_tokens_are_told_by_their_characters() {
        let texts = ["a".repeat(16), "a".repeat(17), "é".repeat(10), format!("{}\n", "b".repeat(20))];
        let tokens = texts.iter().enumerate().map(|(id, text)| (id as u32, text.as_bytes().to_vec()));
        let trie = Trie::new(&Vocab::from_tokens(tokens, &[]).unwrap());
        let long = Long::new(&trie);
        let found: Vec<_> =
            long.than(SHORT).iter().map(|long| (long.token, long.bytes, long.chars)).collect();
        assert_eq!(found, [(3, 21, 21), (2, 20, 10), (1, 17, 17)]);
        assert_eq!(long.than(20).len(), 1);
        let class = |wide| CharClass { ascii: ByteSet::range(b'a', b'z'), wide, lack: LackId::NOTHING };
        let of = |wide| long.than(SHORT).iter().map(|long| long.is_of(&class(wide))).collect::<Vec<_>>();
        assert_eq!((of(true), of(false)), (vec![false, true, true], vec![false, false, true]));
    }
}
