//! Single tokens of a mask.

use crate::vocab::TokenId;

/// Whether a mask has a token.
pub(crate) fn has(words: &[u32], token: TokenId) -> bool {
    words.get(token as usize / 32).is_some_and(|w| w >> (token % 32) & 1 == 1)
}

/// Takes a token out of a mask.
pub(crate) fn clear(words: &mut [u32], token: TokenId) {
    if let Some(word) = words.get_mut(token as usize / 32) {
        *word &= !(1 << (token % 32));
    }
}
