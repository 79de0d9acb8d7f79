//! Steering: when the tokens run out, the text takes its shortest way to an end.
//!
//! A token may be written only if the text can be completed afterwards within the tokens that are left. As long as that
//! holds nothing is changed; the first token for which it does not is dropped, and the text goes its shortest way from
//! there. So a text that can be completed at all within its limit is complete in the end.

use tokenstile::{Matcher, TokenId};

use crate::error::GenerateError;
use crate::guide::Guide;
use crate::tokenizer::Tokenizer;

/// Refuses a limit that the shortest text does not fit into.
pub(crate) fn check_start(
    guide: &mut Guide,
    tokenizer: &Tokenizer,
    limit: usize,
) -> Result<(), GenerateError> {
    let (before, matcher) = match guide {
        Guide::Free => return Ok(()),
        Guide::Waiting(trigger, _) if trigger.is_optional() => return Ok(()),
        Guide::Waiting(trigger, matcher) => (tokenizer.encode(trigger.text()).len(), matcher),
        Guide::Held(matcher) => (0, matcher),
    };
    match shortest(matcher, tokenizer)? {
        // Not known: the limit may do.
        None => Ok(()),
        Some(way) if before + way.len() <= limit => Ok(()),
        Some(way) => Err(GenerateError::CannotComplete { left: limit, needed: Some(before + way.len()) }),
    }
}

/// If `token` would lead too far from the end with `left` tokens left, the shortest way there from here.
pub(crate) fn way_home(
    guide: &mut Guide,
    tokenizer: &Tokenizer,
    token: TokenId,
    left: usize,
) -> Result<Option<Vec<TokenId>>, GenerateError> {
    let after = left.saturating_sub(1);
    match guide {
        Guide::Free => Ok(None),
        Guide::Waiting(trigger, _) if trigger.is_optional() => Ok(None),
        Guide::Waiting(trigger, matcher) => {
            // Before the trigger nothing needs to be completed but the trigger and what follows it.
            if matcher.completion_estimate() + trigger.text().len() < after {
                return Ok(None);
            }
            let way = tokenizer.encode(trigger.text());
            let needed = way.len() + shortest(matcher, tokenizer)?.map_or(0, |way| way.len());
            Ok((needed > after).then_some(way))
        }
        Guide::Held(matcher) => {
            if tokenizer.vocab().end_tokens().contains(&token) {
                return Ok(None);
            }
            matcher.commit(token)?;
            let fits = fits(matcher, tokenizer, after);
            matcher.rollback(1)?;
            if fits? {
                return Ok(None);
            }
            let way = shortest(matcher, tokenizer)?;
            // Where even this does not fit, nothing better is known: the text may still come to an end.
            Ok(way.filter(|way| !way.is_empty() && way.len() <= left))
        }
    }
}

/// Whether the text can be completed in `limit` tokens. If that is not known it may be.
fn fits(matcher: &mut Matcher, tokenizer: &Tokenizer, limit: usize) -> Result<bool, GenerateError> {
    if matcher.is_accepting() || matcher.completion_estimate() <= limit {
        return Ok(true);
    }
    Ok(shortest(matcher, tokenizer)?.is_none_or(|way| way.len() <= limit))
}

/// The tokens of a shortest completion; none if none is known. An end token, if the text is complete already.
fn shortest(matcher: &mut Matcher, tokenizer: &Tokenizer) -> Result<Option<Vec<TokenId>>, GenerateError> {
    if matcher.is_accepting() {
        return Ok(Some(tokenizer.vocab().end_tokens().first().copied().into_iter().collect()));
    }
    let Some(bytes) = matcher.shortest_completion()? else { return Ok(None) };
    let tokens = tokenizer.encode(&bytes);
    let mut there = matcher.fork();
    for &token in &tokens {
        if there.commit(token).is_err() {
            return Ok(None);
        }
    }
    Ok(there.is_accepting().then_some(tokens))
}
