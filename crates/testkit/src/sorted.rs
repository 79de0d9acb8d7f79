//! The reference's mask over a large vocabulary, and where a mask differs from it.

use crate::{Along, RefState, Reference, Viability};

/// A vocabulary in the order of its bytes: the reference's mask is one walk over it that steps over what has a dead beginning.
///
/// Every byte must be a token, so that tokens can complete what bytes can.
///
/// ```
/// use tokenstile_grammar::{Grammar, Limits};
/// use tokenstile_testkit::{Reference, SortedTokens, differing};
/// let grammar = Grammar::choice(&["ab", "ac"], &Limits::default())?;
/// let reference = Reference::new(&grammar);
/// let bytes: Vec<[u8; 1]> = (0..=255).map(|byte| [byte]).collect();
/// let tokens = SortedTokens::new((0..).zip(bytes.iter().map(|b| &b[..])), &[256], 257).expect("all bytes are there");
/// let mask = tokens.mask(&reference, reference.run(b"a"));
/// assert_eq!(differing(&mask.allowed, &[0; 9]).collect::<Vec<_>>(), [u32::from(b'b'), u32::from(b'c')]);
/// # Ok::<(), tokenstile_grammar::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct SortedTokens {
    tokens: Vec<(Vec<u8>, u32)>,
    end: Vec<u32>,
    words: usize,
}

/// The mask as the reference has it.
#[derive(Clone, Debug)]
pub struct ReferenceMask {
    /// The tokens that it allows.
    pub allowed: Vec<u32>,
    /// Tokens about which the reference cannot tell.
    pub unknown: Vec<u32>,
}

impl SortedTokens {
    /// The tokens that are text, the end tokens, and how many ids a mask has.
    ///
    /// # Errors
    /// A byte that is no token.
    pub fn new<'t>(
        tokens: impl IntoIterator<Item = (u32, &'t [u8])>,
        end: &[u32],
        width: usize,
    ) -> Result<Self, u8> {
        let mut tokens: Vec<(Vec<u8>, u32)> =
            tokens.into_iter().map(|(id, bytes)| (bytes.to_vec(), id)).collect();
        tokens.sort();
        let is_there = |byte: &u8| tokens.binary_search_by(|token| token.0.as_slice().cmp(&[*byte])).is_ok();
        match (0..=255).find(|byte| !is_there(byte)) {
            Some(byte) => Err(byte),
            None => Ok(SortedTokens { tokens, end: end.to_vec(), words: width.div_ceil(32) }),
        }
    }

    /// The tokens that are text, in order.
    pub fn iter(&self) -> impl Iterator<Item = (u32, &[u8])> {
        self.tokens.iter().map(|(bytes, id)| (*id, &bytes[..]))
    }

    /// The end tokens.
    pub fn end(&self) -> &[u32] {
        &self.end
    }

    /// The mask after the text that led to `state`.
    pub fn mask(&self, reference: &Reference<'_>, state: RefState) -> ReferenceMask {
        let mut mask = ReferenceMask { allowed: vec![0; self.words], unknown: vec![0; self.words] };
        let mut along = Along::new(reference, state);
        for (id, bytes) in self.iter() {
            match along.viability(bytes) {
                Viability::Yes => set(&mut mask.allowed, id),
                Viability::Unknown => set(&mut mask.unknown, id),
                Viability::No => {}
            }
        }
        if reference.is_accepting(state) {
            self.end.iter().for_each(|&id| set(&mut mask.allowed, id));
        }
        mask
    }
}

/// Whether a mask allows a token. What is past its end is not allowed.
pub fn bit(words: &[u32], token: u32) -> bool {
    words.get(token as usize / 32).is_some_and(|word| word >> (token % 32) & 1 == 1)
}

/// Allows a token.
///
/// # Panics
/// If the mask has no bit for it.
pub fn set(words: &mut [u32], token: u32) {
    words[token as usize / 32] |= 1 << (token % 32);
}

/// The ids about which two masks do not agree: all that have a bit in the first, so that those past the vocabulary count too.
pub fn differing<'m>(one: &'m [u32], other: &'m [u32]) -> impl Iterator<Item = u32> + 'm {
    (0..one.len() as u32 * 32).filter(|&token| bit(one, token) != bit(other, token))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_past_the_mask_are_not_set() {
        let mut words = [0; 1];
        set(&mut words, 5);
        assert!(bit(&words, 5) && !bit(&words, 6) && !bit(&words, 37));
    }

    #[test]
    fn a_byte_that_is_missing_is_named() {
        let bytes: Vec<[u8; 1]> = (0..=255).filter(|byte| *byte != 7).map(|byte| [byte]).collect();
        let tokens = SortedTokens::new((0..).zip(bytes.iter().map(|b| &b[..])), &[], 256);
        assert_eq!(tokens.err(), Some(7));
    }
}
