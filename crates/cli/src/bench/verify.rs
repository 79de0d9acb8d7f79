//! `bench --verify`: masks of the measured pass against the slow way to ask, token by token.
//!
//! The asking is done by a second sequence on caches of its own, so that it warms nothing that is measured.

use std::fmt;

use tokenstile::{Constraint, MatchError, Matcher, TokenId};

use super::pass::bit;
use crate::bytes;

/// Checks every so many masks of a whole run.
pub(super) struct Verifier {
    every: u64,
    /// Steps seen, over all tests.
    steps: u64,
    checked: u64,
    difference: Option<Difference>,
}

/// The verifier at work on one test.
pub(super) struct Verifying<'a> {
    verifier: &'a mut Verifier,
    matcher: Matcher,
    test: usize,
    step: usize,
}

/// A token about which the mask is wrong, or `allows` is.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Difference {
    test: usize,
    step: usize,
    token: TokenId,
    text: String,
    masked: bool,
    /// How many tokens differ at this step.
    count: usize,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (mask, alone) = if self.masked { ("allows", "forbidden") } else { ("forbids", "allowed") };
        write!(
            f,
            "WRONG MASK in test {}, step {}: the mask {mask} token {} {}, asked alone it is {alone} \
             (tokens that differ: {})",
            self.test, self.step, self.token, self.text, self.count
        )
    }
}

impl Verifier {
    /// Checks every `every`-th mask, beginning with the first.
    pub(super) fn every(every: u64) -> Self {
        Verifier { every, steps: 0, checked: 0, difference: None }
    }

    /// How many masks were checked.
    pub(super) fn checked(&self) -> u64 {
        self.checked
    }

    /// The first difference that was found, if any.
    pub(super) fn take_difference(&mut self) -> Option<Difference> {
        self.difference.take()
    }

    /// Follows test number `test`.
    pub(super) fn test(&mut self, constraint: &Constraint, test: usize) -> Verifying<'_> {
        Verifying { verifier: self, matcher: constraint.fresh().matcher(), test, step: 0 }
    }
}

impl Verifying<'_> {
    /// Looks at the mask of this step, if it is one to look at, and goes on with `token`.
    pub(super) fn step(&mut self, words: &[u32], token: Option<TokenId>) -> Result<(), MatchError> {
        if self.verifier.steps.is_multiple_of(self.verifier.every) && self.verifier.difference.is_none() {
            self.verifier.difference = self.compare(words)?;
            self.verifier.checked += 1;
        }
        self.verifier.steps += 1;
        self.step += 1;
        token.map_or(Ok(()), |token| self.matcher.commit(token))
    }

    fn compare(&mut self, words: &[u32]) -> Result<Option<Difference>, MatchError> {
        let vocab = self.matcher.constraint().vocab().clone();
        let mut found: Option<Difference> = None;
        // Every id that has a bit: those past the vocabulary must be clear.
        for token in 0..words.len() as TokenId * 32 {
            let masked = bit(words, token);
            let allowed = (token as usize) < vocab.width() && self.matcher.allows(token)?;
            if masked != allowed {
                let text = vocab.bytes(token).map_or_else(|| "(no text)".into(), bytes::quote);
                let (test, step) = (self.test, self.step);
                found.get_or_insert(Difference { test, step, token, text, masked, count: 0 }).count += 1;
            }
        }
        Ok(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokenstile::{Compiler, Grammar, Limits};

    #[test]
    fn a_wrong_bit_is_found() {
        let grammar = Grammar::choice(&["ab"], &Limits::default()).unwrap();
        let constraint = Compiler::new(crate::vocab::bytes()).compile(&grammar).unwrap();
        let mut words = vec![0u32; constraint.mask_words()];
        constraint.matcher().fill_mask(&mut words).unwrap();
        let mut verifier = Verifier::every(2);
        verifier.test(&constraint, 0).step(&words, None).unwrap();
        words[0] |= 1 << 9;
        words[8] |= 1 << 31; // an id past the vocabulary
        verifier.test(&constraint, 1).step(&words, None).unwrap();
        assert_eq!((verifier.checked(), verifier.take_difference()), (1, None), "not a step to look at");
        verifier.test(&constraint, 2).step(&words, None).unwrap();
        let difference = verifier.take_difference().unwrap();
        let found = (difference.test, difference.token, difference.masked, difference.count);
        assert_eq!(found, (2, 9, true, 2));
        assert!(difference.to_string().contains("the mask allows token 9 \"\\t\""), "{difference}");
    }
}
