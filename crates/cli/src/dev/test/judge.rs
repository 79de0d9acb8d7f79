//! Whether a constraint matches a text, asked in several ways that must agree.
//!
//! The whole text at once; byte by byte; and cut at random into tokens, where at every step the mask, `allows`
//! and `commit` must say the same, and the end token must be allowed exactly where the text is complete.

use std::collections::HashMap;

use tokenstile::{Constraint, MatchError, Matcher, TokenId, Vocab};
use tokenstile_testkit::bit;

use crate::bytes;
use crate::rng::Rng;

/// How many ways a text is cut into tokens.
const CUTS: usize = 4;
/// Random tokens looked up beside the text's own, at each step.
const PROBES: usize = 8;

/// What was found about a text.
pub(super) struct Verdict {
    /// Whether the text is a sentence of the constraint.
    pub(super) accepted: bool,
    /// Offset of the refused byte, else the length of the text.
    pub(super) at: usize,
    /// In words, if two ways to ask did not agree.
    pub(super) disagreement: Option<String>,
}

/// Judges texts for one vocabulary.
pub(super) struct Judge {
    vocab: Vocab,
    /// Ids by bytes; some byte strings have several.
    tokens: HashMap<Vec<u8>, Vec<TokenId>>,
    longest: usize,
    /// Whether tokens are more than single bytes, so that there is more than one way to cut a text.
    cuts: usize,
}

/// What a walk that checks masks ends with.
enum Walk {
    Accepted(bool),
    /// Some byte of the text has no token.
    NoToken,
    Disagreement(String),
}

impl Judge {
    /// A judge for `vocab`.
    pub(super) fn new(vocab: Vocab) -> Self {
        let mut tokens: HashMap<Vec<u8>, Vec<TokenId>> = HashMap::new();
        for id in 0..u32::try_from(vocab.len()).unwrap_or(u32::MAX) {
            if let Some(text) = vocab.bytes(id).filter(|text| !text.is_empty())
                && !vocab.end_tokens().contains(&id)
            {
                tokens.entry(text.to_vec()).or_default().push(id);
            }
        }
        let longest = tokens.keys().map(Vec::len).max().unwrap_or(0);
        Judge { vocab, tokens, longest, cuts: if longest > 1 { CUTS } else { 1 } }
    }

    /// Judges one text. An error is a limit, never an answer.
    pub(super) fn text(&self, constraint: &Constraint, text: &[u8]) -> Result<Verdict, MatchError> {
        let (accepted, at) = whole(&mut constraint.matcher(), text)?;
        let disagreement = self.cross_check(constraint, text, accepted, at)?;
        Ok(Verdict { accepted, at, disagreement })
    }

    fn cross_check(
        &self,
        constraint: &Constraint,
        text: &[u8],
        accepted: bool,
        at: usize,
    ) -> Result<Option<String>, MatchError> {
        let stepwise = bytewise(&mut constraint.matcher(), text)?;
        if stepwise != (accepted, at) {
            return Ok(Some(format!(
                "the text at once: {}, byte by byte: {}",
                outcome((accepted, at)),
                outcome(stepwise)
            )));
        }
        let mut rng = Rng::from_text(text);
        for _ in 0..self.cuts {
            match self.tokenwise(&mut constraint.matcher(), text, &mut rng)? {
                Walk::NoToken => break,
                Walk::Disagreement(message) => return Ok(Some(message)),
                Walk::Accepted(walked) if walked != accepted => {
                    let (now, then) = if walked { ("accepted", "refused") } else { ("refused", "accepted") };
                    return Ok(Some(format!("{now} token by token, {then} as bytes")));
                }
                Walk::Accepted(_) => {}
            }
        }
        Ok(None)
    }

    /// One walk over `text`, cut into tokens at random.
    fn tokenwise(&self, matcher: &mut Matcher, text: &[u8], rng: &mut Rng) -> Result<Walk, MatchError> {
        let mut words = vec![0u32; matcher.mask_words()];
        let mut at = 0;
        loop {
            matcher.fill_mask(&mut words)?;
            if let Some(message) = self.probe(matcher, &words, rng)? {
                return Ok(Walk::Disagreement(format!("{message} after byte {at}")));
            }
            if at == text.len() {
                return Ok(Walk::Accepted(matcher.is_accepting()));
            }
            let Some((token, length)) = self.cut(&text[at..], rng) else { return Ok(Walk::NoToken) };
            let masked = bit(&words, token);
            let allowed = matcher.allows(token)?;
            let committed = match matcher.commit(token) {
                Ok(()) => true,
                Err(error @ MatchError::Limit { .. }) => return Err(error),
                Err(_) => false,
            };
            if masked != committed || allowed != committed {
                let shown = bytes::quote(&text[at..at + length]);
                return Ok(Walk::Disagreement(format!(
                    "token {token} {shown} after byte {at}: mask {masked}, allows {allowed}, commit {committed}"
                )));
            }
            if !committed {
                return Ok(Walk::Accepted(false));
            }
            at += length;
        }
    }

    /// Looks up the end tokens and some random ones.
    fn probe(
        &self,
        matcher: &mut Matcher,
        words: &[u32],
        rng: &mut Rng,
    ) -> Result<Option<String>, MatchError> {
        let complete = matcher.is_accepting();
        for &end in self.vocab.end_tokens() {
            if bit(words, end) != complete {
                let masked = bit(words, end);
                return Ok(Some(format!("end token {end}: mask {masked}, text complete {complete}")));
            }
        }
        for _ in 0..PROBES {
            let token = rng.below(self.vocab.len()) as TokenId;
            let (masked, allowed) = (bit(words, token), matcher.allows(token)?);
            if masked != allowed {
                return Ok(Some(format!("token {token}: mask {masked}, allows {allowed}")));
            }
        }
        Ok(None)
    }

    /// A random token that `text` begins with, and its length.
    fn cut(&self, text: &[u8], rng: &mut Rng) -> Option<(TokenId, usize)> {
        let fitting: Vec<&Vec<TokenId>> = (1..=self.longest.min(text.len()))
            .filter_map(|length| self.tokens.get(&text[..length]))
            .collect();
        let ids = rng.pick(&fitting)?;
        let token = *rng.pick(ids)?;
        Some((token, self.vocab.bytes(token)?.len()))
    }
}

fn outcome((accepted, at): (bool, usize)) -> String {
    format!("{} at byte {at}", if accepted { "accepted" } else { "refused" })
}

/// The text in one piece.
fn whole(matcher: &mut Matcher, text: &[u8]) -> Result<(bool, usize), MatchError> {
    match matcher.commit_bytes(text) {
        Ok(()) => Ok((matcher.is_accepting(), text.len())),
        Err(MatchError::ForbiddenByte { at, .. }) => Ok((false, at)),
        Err(error) => Err(error),
    }
}

/// The text byte by byte.
fn bytewise(matcher: &mut Matcher, text: &[u8]) -> Result<(bool, usize), MatchError> {
    for (at, &byte) in text.iter().enumerate() {
        match matcher.commit_bytes(&[byte]) {
            Ok(()) => {}
            Err(MatchError::ForbiddenByte { .. }) => return Ok((false, at)),
            Err(error) => return Err(error),
        }
    }
    Ok((matcher.is_accepting(), text.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cuts_are_tokens_of_the_text() {
        let judge = Judge::new(crate::vocab::bytes());
        let mut rng = Rng::new(1);
        assert_eq!(judge.cut(b"abc", &mut rng), Some((u32::from(b'a'), 1)));
        assert_eq!(judge.cut(b"", &mut rng), None);
    }
}
