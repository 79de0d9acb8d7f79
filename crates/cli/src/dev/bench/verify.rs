//! `bench --verify`: masks of the measured pass against the reference matcher, token by token.
//!
//! The reference is another program: it goes over the grammar as the front end wrote it, byte by byte, and has nothing of
//! the engine in it, neither its passes nor its automaton nor its tables. Of keys and items that may not repeat it reads the
//! text anew for each token that may end one; whether such a text can then be completed is a search, so it is made for some
//! of the tokens only.
//!
//! It also goes through all sets of members that an object may have, so it cannot be asked about objects of many; nor about
//! long texts in which something may not repeat. There a mask is compared with what the engine itself says of each token
//! when it is taken byte by byte, on caches of its own: that checks the masks, not the automaton.

use std::fmt;

use tokenstile::{Constraint, Grammar, MatchError, Matcher, TokenId, Vocab};
use tokenstile_grammar::ir::Tracking;
use tokenstile_testkit::{
    Along, RefState, Reference, SortedTokens, TrackedReference, Viability, bit, differing, set,
};

use crate::bytes;

/// Where keys or items may not repeat, a completion is searched for after so many of the tokens that a mask allows, and of
/// those that it does not allow although the grammar does.
const SEARCHED: usize = 1;
/// So many texts are tried in such a search.
const TRIES: usize = 20;
/// The reference is not asked about objects of more members.
const MEMBERS: usize = 12;
/// Nor about longer texts in which something may not repeat.
const LONGEST: usize = 1_500;
/// What ends a key, an item or what they are in.
const ENDS: &[u8] = b"\",]}";

/// Checks every so many masks of a whole run.
pub(super) struct Verifier {
    every: u64,
    tokens: SortedTokens,
    /// Steps seen, over all tests.
    steps: u64,
    checked: u64,
    /// Masks among those that were compared with the reference's.
    by_reference: u64,
    /// Tokens about which the reference could not tell, or was not asked for all of it.
    unknown: u64,
    difference: Option<Difference>,
}

/// What the reference has to say of one constraint.
pub(super) struct Oracle<'g> {
    reference: Reference<'g>,
    /// Where keys or items may not repeat.
    tracked: Option<TrackedReference<'g>>,
}

/// The verifier at work on one test.
pub(super) struct Verifying<'a> {
    verifier: &'a mut Verifier,
    oracle: Option<&'a Oracle<'a>>,
    matcher: Matcher,
    test: usize,
    step: usize,
    text: Vec<u8>,
}

/// A token about which the mask is wrong, or what it was compared with.
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
    /// Checks every `every`-th mask, beginning with the first. In the vocabulary every byte must be a token: there, what bytes
    /// can complete, tokens can.
    pub(super) fn new(every: u64, vocab: &Vocab) -> Result<Self, String> {
        let tokens = SortedTokens::new(vocab.text_tokens(), vocab.end_tokens(), vocab.width());
        let tokens = tokens.map_err(|byte| {
            format!("--verify needs a vocabulary in which every byte is a token; 0x{byte:02X} is not")
        })?;
        Ok(Verifier { every, tokens, steps: 0, checked: 0, by_reference: 0, unknown: 0, difference: None })
    }

    /// What was done, in words.
    pub(super) fn report(&self) -> String {
        let doubt = match self.unknown {
            0 => String::new(),
            unknown => format!(" ({unknown} tokens that the grammar allows were not searched for an end)"),
        };
        format!(
            "verified {} masks token by token, {} of them against the reference{doubt}, {} against the engine byte by byte: \
             no difference",
            self.checked,
            self.by_reference,
            self.checked - self.by_reference
        )
    }

    /// The first difference that was found, if any.
    pub(super) fn take_difference(&mut self) -> Option<Difference> {
        self.difference.take()
    }

    /// Follows test number `test`.
    pub(super) fn test<'a>(
        &'a mut self,
        oracle: Option<&'a Oracle<'a>>,
        constraint: &Constraint,
        test: usize,
    ) -> Verifying<'a> {
        let matcher = constraint.fresh().matcher();
        Verifying { verifier: self, oracle, matcher, test, step: 0, text: Vec::new() }
    }
}

impl<'g> Oracle<'g> {
    /// That of a grammar, if the reference can be asked about it.
    pub(super) fn new(grammar: &'g Grammar) -> Option<Self> {
        let grammar: &tokenstile_grammar::Grammar = grammar.as_ref();
        if grammar.arena().all_members().any(|members| members.slots.len() > MEMBERS) {
            return None;
        }
        let tracked = grammar.tracking().any().then(|| TrackedReference::new(grammar).trying(TRIES));
        Some(Oracle { reference: Reference::new(grammar), tracked })
    }

    /// Whether it can be asked about what follows a text.
    fn knows(&self, text: &[u8]) -> bool {
        self.tracked.is_none() || text.len() <= LONGEST
    }

    /// Where the reference stands after a text.
    fn after(&self, text: &[u8]) -> RefState {
        match &self.tracked {
            Some(tracked) => self.reference.run(&tracked.translate(text)),
            None => self.reference.run(text),
        }
    }

    /// What it says of a token, but that what was written already may leave no way to an end.
    fn viability(&self, text: &[u8], along: &mut Along<'_, '_>, token: &[u8]) -> Viability {
        if self.tracked.is_none() {
            return along.viability(token);
        }
        if token.iter().any(|&byte| byte >= Tracking::REPEATED_KEY) {
            return Viability::No;
        }
        let Some(end) = token.iter().position(|byte| ENDS.contains(byte)) else {
            return along.viability(token);
        };
        // Up to there nothing is told apart.
        if along.viability(&token[..end]) == Viability::No {
            return Viability::No;
        }
        self.reference.viability(self.after(&[text, token].concat()))
    }

    fn is_complete(&self, text: &[u8]) -> bool {
        match &self.tracked {
            Some(tracked) => tracked.accepts(text),
            None => self.reference.accepts(text),
        }
    }
}

impl Verifying<'_> {
    /// Looks at the mask of this step, if it is one to look at, and goes on with `token`.
    pub(super) fn step(&mut self, words: &[u32], token: Option<TokenId>) -> Result<(), MatchError> {
        if self.verifier.steps.is_multiple_of(self.verifier.every) && self.verifier.difference.is_none() {
            let expected = match self.oracle.filter(|oracle| oracle.knows(&self.text)) {
                Some(oracle) => self.by_reference(oracle, words),
                None => self.byte_by_byte(words)?,
            };
            self.verifier.difference = self.difference(words, &expected);
            self.verifier.checked += 1;
        }
        self.verifier.steps += 1;
        self.step += 1;
        let Some(token) = token else { return Ok(()) };
        self.text.extend_from_slice(self.matcher.constraint().vocab().bytes(token).unwrap_or_default());
        self.matcher.commit(token)
    }

    /// What the engine says of each token when it is asked about it alone.
    fn byte_by_byte(&mut self, words: &[u32]) -> Result<Vec<u32>, MatchError> {
        let mut expected = vec![0u32; words.len()];
        for token in 0..self.matcher.constraint().vocab().width() as TokenId {
            if self.matcher.allows(token)? {
                set(&mut expected, token);
            }
        }
        Ok(expected)
    }

    /// What the reference says of each token; what the mask says of those about which it cannot tell.
    fn by_reference(&mut self, oracle: &Oracle<'_>, words: &[u32]) -> Vec<u32> {
        let mut expected = vec![0u32; words.len()];
        let mut along = Along::new(&oracle.reference, oracle.after(&self.text));
        let (mut searches, mut unknown) = ([SEARCHED; 2], 0);
        for (id, bytes) in self.verifier.tokens.iter() {
            let masked = bit(words, id);
            let mut says = oracle.viability(&self.text, &mut along, bytes);
            if says == Viability::Yes
                && let Some(tracked) = &oracle.tracked
                && (!masked || ends_something(bytes))
            {
                // Where the grammar goes on, what was written already may leave no way to an end.
                let left = &mut searches[usize::from(masked)];
                says = match left.checked_sub(1) {
                    Some(less) => {
                        *left = less;
                        tracked.viable(&[&self.text, bytes].concat())
                    }
                    None => Viability::Unknown,
                };
            }
            unknown += u64::from(says == Viability::Unknown);
            if says.known().unwrap_or(masked) {
                set(&mut expected, id);
            }
        }
        if oracle.is_complete(&self.text) {
            self.verifier.tokens.end().iter().for_each(|&end| set(&mut expected, end));
        }
        self.verifier.unknown += unknown;
        self.verifier.by_reference += 1;
        expected
    }

    /// The first token that is not as expected. Every id that has a bit is looked at: those past the vocabulary must be clear.
    fn difference(&self, words: &[u32], expected: &[u32]) -> Option<Difference> {
        let mut different = differing(words, expected);
        let token = different.next()?;
        let vocab = self.matcher.constraint().vocab();
        let text = vocab.bytes(token).map_or_else(|| "(no text)".into(), bytes::quote);
        let (test, step, masked) = (self.test, self.step, bit(words, token));
        Some(Difference { test, step, token, text, masked, count: 1 + different.count() })
    }
}

fn ends_something(token: &[u8]) -> bool {
    token.iter().any(|byte| ENDS.contains(byte))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokenstile::{Compiler, JsonOptions, Limits};

    #[test]
    fn a_wrong_bit_is_found() {
        let grammar = Grammar::choice(&["ab"], &Limits::default()).unwrap();
        let constraint = Compiler::new(crate::vocab::bytes()).compile(&grammar).unwrap();
        let oracle = Oracle::new(&grammar).unwrap();
        let mut words = vec![0u32; constraint.mask_words()];
        constraint.matcher().fill_mask(&mut words).unwrap();
        let mut verifier = Verifier::new(2, constraint.vocab()).unwrap();
        verifier.test(Some(&oracle), &constraint, 0).step(&words, None).unwrap();
        words[0] |= 1 << 9;
        words[8] |= 1 << 31; // an id past the vocabulary
        verifier.test(Some(&oracle), &constraint, 1).step(&words, None).unwrap();
        assert_eq!((verifier.checked, verifier.take_difference()), (1, None), "not a step to look at");
        verifier.test(Some(&oracle), &constraint, 2).step(&words, None).unwrap();
        let difference = verifier.take_difference().unwrap();
        let found = (difference.test, difference.token, difference.masked, difference.count);
        assert_eq!(found, (2, 9, true, 2));
        assert!(difference.to_string().contains("the mask allows token 9 \"\\t\""), "{difference}");
    }

    #[test]
    fn repeated_keys_are_seen() {
        let schema = r#"{"type": "object", "additionalProperties": {"type": "integer"}}"#;
        let grammar = Grammar::json_schema(schema, &JsonOptions::default(), &Limits::default()).unwrap();
        let constraint = Compiler::new(crate::vocab::bytes()).compile(&grammar).unwrap();
        let oracle = Oracle::new(&grammar).unwrap();
        let mut verifier = Verifier::new(1, constraint.vocab()).unwrap();
        let (mut verifying, mut matcher) =
            (verifier.test(Some(&oracle), &constraint, 0), constraint.matcher());
        for byte in br#"{"a": 1, "a"# {
            verifying.step(matcher.mask().unwrap(), Some((*byte).into())).unwrap();
            matcher.commit((*byte).into()).unwrap();
        }
        let mut words = matcher.mask().unwrap().to_vec();
        words[1] |= 1 << (b'"' - 32);
        verifying.step(&words, None).unwrap();
        let difference = verifier.take_difference().unwrap();
        assert_eq!((difference.step, difference.token, difference.count), (11, b'"'.into(), 1));
    }

    #[test]
    fn every_byte_must_be_a_token() {
        let vocab = Vocab::from_tokens([(0, "a"), (1, "b")], &[2]).unwrap();
        let refused = Verifier::new(1, &vocab).err().unwrap();
        assert!(refused.contains("0x00 is not"), "{refused}");
    }
}
