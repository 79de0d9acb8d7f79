//! What a text is held to while it is written: nothing, a constraint, or a constraint that begins behind a trigger.

use tokenstile::{Matcher, TokenId, Vocab};

use crate::error::GenerateError;
use crate::sample::set_bits;
use crate::tokenizer::Tokenizer;

/// Where a sequence stands with its constraint.
pub(crate) enum Guide {
    /// There is none.
    Free,
    /// It begins behind the trigger, which the free text does not have yet.
    Waiting(Trigger, Matcher),
    /// It holds.
    Held(Matcher),
}

/// A text that is waited for, and the end of what was written, as far as it may be the start of it.
pub(crate) struct Trigger {
    text: Vec<u8>,
    tail: Vec<u8>,
    /// Whether the free text may end without it.
    optional: bool,
}

impl Trigger {
    pub(crate) fn new(text: &str, optional: bool) -> Trigger {
        Trigger { text: text.as_bytes().to_vec(), tail: Vec::new(), optional }
    }

    pub(crate) fn is_optional(&self) -> bool {
        self.optional
    }

    pub(crate) fn text(&self) -> &[u8] {
        &self.text
    }

    /// How many of `bytes` follow the trigger, if they complete it.
    fn rest(&self, bytes: &[u8]) -> Option<usize> {
        let joined = [&self.tail[..], bytes].concat();
        let at = joined.windows(self.text.len()).position(|window| window == self.text)?;
        Some(joined.len() - at - self.text.len())
    }

    fn push(&mut self, bytes: &[u8]) {
        self.tail.extend_from_slice(bytes);
        let keep = self.tail.len().min(self.text.len().saturating_sub(1));
        self.tail.drain(..self.tail.len() - keep);
    }
}

/// What taking a token led to.
pub(crate) struct Taken {
    /// How many of the token's bytes are free text; the others are under the constraint.
    pub(crate) free: usize,
}

impl Guide {
    /// The constraint, where it holds.
    pub(crate) fn held(&mut self) -> Option<&mut Matcher> {
        match self {
            Guide::Held(matcher) => Some(matcher),
            _ => None,
        }
    }

    /// Writes the mask of the next token into `mask`; false if everything is allowed.
    pub(crate) fn mask(&mut self, vocab: &Vocab, mask: &mut Vec<u32>) -> Result<bool, GenerateError> {
        let words = vocab.width().div_ceil(32);
        match self {
            Guide::Free => return Ok(false),
            Guide::Waiting(trigger, _) if trigger.optional => return Ok(false),
            Guide::Waiting(..) => {
                // The text cannot end before its constraint has begun.
                mask.clear();
                mask.resize(words, u32::MAX);
                for &end in vocab.end_tokens() {
                    mask[end as usize / 32] &= !(1 << (end % 32));
                }
            }
            Guide::Held(matcher) => {
                mask.resize(matcher.mask_words(), 0);
                matcher.fill_mask(mask)?;
            }
        }
        Ok(true)
    }

    /// Takes a token; none, with nothing changed, if it completes the trigger with bytes that the constraint refuses.
    pub(crate) fn take(&mut self, vocab: &Vocab, token: TokenId) -> Result<Option<Taken>, GenerateError> {
        let bytes = vocab.bytes(token).unwrap_or_default();
        match self {
            Guide::Free => Ok(Some(Taken { free: 0 })),
            Guide::Held(matcher) => {
                matcher.commit(token)?;
                Ok(Some(Taken { free: 0 }))
            }
            Guide::Waiting(trigger, matcher) => {
                // A trigger such as `</think>` may be a special token, which has a name in place of bytes.
                let spelled = spelled(vocab, token);
                let Some(rest) = trigger.rest(spelled) else {
                    trigger.push(spelled);
                    return Ok(Some(Taken { free: bytes.len() }));
                };
                if matcher.commit_bytes(&spelled[spelled.len() - rest..]).is_err() {
                    return Ok(None);
                }
                let held = Guide::Held(matcher.clone());
                *self = held;
                Ok(Some(Taken { free: bytes.len().saturating_sub(rest) }))
            }
        }
    }

    /// Tokens that must come next, as the tokenizer would write them.
    pub(crate) fn forced(&mut self, tokenizer: &Tokenizer) -> Result<Vec<TokenId>, GenerateError> {
        let Guide::Held(matcher) = self else { return Ok(Vec::new()) };
        let tokens = matcher.forced_tokens(|bytes| tokenizer.encode(bytes))?;
        if !tokens.is_empty() || matcher.forced_bytes()?.is_empty() {
            return Ok(tokens);
        }
        // The end of forced text is left open, since it may become part of a longer token. Not so if one token is all
        // that is allowed.
        let mut allowed = set_bits(matcher.mask()?);
        Ok(allowed.next().filter(|_| allowed.next().is_none()).into_iter().collect())
    }

    /// Whether the text is complete and nothing can follow it.
    pub(crate) fn is_complete(&mut self) -> Result<bool, GenerateError> {
        match self {
            Guide::Held(matcher) => Ok(matcher.is_accepting() && matcher.allowed_bytes()?.is_empty()),
            _ => Ok(false),
        }
    }

    /// Another sequence at the same place.
    pub(crate) fn fork(&self) -> Guide {
        match self {
            Guide::Free => Guide::Free,
            Guide::Waiting(trigger, matcher) => {
                let Trigger { text, tail, optional } = trigger;
                let trigger = Trigger { text: text.clone(), tail: tail.clone(), optional: *optional };
                Guide::Waiting(trigger, matcher.fork())
            }
            Guide::Held(matcher) => Guide::Held(matcher.fork()),
        }
    }
}

fn spelled(vocab: &Vocab, token: TokenId) -> &[u8] {
    vocab.bytes(token).or_else(|| vocab.name(token).map(str::as_bytes)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn triggers_span_pieces() {
        let mut trigger = Trigger::new("</think>", false);
        for piece in ["a </", "thi", "<", "/th"] {
            assert_eq!(trigger.rest(piece.as_bytes()), None);
            trigger.push(piece.as_bytes());
        }
        assert_eq!(trigger.rest(b"ink"), None);
        assert_eq!(trigger.rest(b"ink>{\""), Some(2));
    }
}
