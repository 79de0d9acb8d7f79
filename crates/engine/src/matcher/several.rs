//! Several tokens at once: how many hold, and committing them.

use super::Matcher;
use crate::error::MatchError;
use crate::vocab::TokenId;

/// What [`Matcher::commit_all`] does with tokens that do not all hold.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Commit {
    /// None of them is committed.
    AllOrNone,
    /// Those before the first that is forbidden are committed.
    Longest,
}

impl Matcher {
    /// How many of `tokens` may follow one after the other, from the first on. The matcher stays where it is.
    ///
    /// Behind an end token nothing may follow.
    ///
    /// ```
    /// use tokenstile::{Compiler, Grammar, Limits, Vocab};
    /// let vocab = Vocab::from_tokens([(0, "a"), (1, "b")], &[2])?;
    /// let grammar = Grammar::gbnf(r#"root ::= "a" "b"+"#, &Limits::default())?;
    /// let mut matcher = Compiler::new(vocab).compile(&grammar)?.matcher();
    /// assert_eq!(matcher.validate(&[0, 1, 0])?, 2);
    /// assert_eq!(matcher.validate(&[0, 1, 2, 1])?, 3);
    /// assert_eq!(matcher.steps(), 0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn validate(&mut self, tokens: &[TokenId]) -> Result<usize, MatchError> {
        let (held, refused) = self.go_along(tokens);
        self.rollback(held)?;
        match refused {
            Some(error) if !is_refusal(error) => Err(error),
            _ => Ok(held),
        }
    }

    /// Commits `tokens` one after the other, and says how many were committed.
    ///
    /// With [`Commit::AllOrNone`] the error of the first that cannot be committed is returned, and the matcher is unchanged; with
    /// [`Commit::Longest`] that is where it ends, and only an error that is not about the token is returned.
    ///
    /// ```
    /// use tokenstile::{Commit, Compiler, Grammar, Limits, Vocab};
    /// let vocab = Vocab::from_tokens([(0, "a"), (1, "b")], &[2])?;
    /// let grammar = Grammar::gbnf(r#"root ::= "a" "b"+"#, &Limits::default())?;
    /// let mut matcher = Compiler::new(vocab).compile(&grammar)?.matcher();
    /// assert!(matcher.commit_all(&[0, 1, 0], Commit::AllOrNone).is_err());
    /// assert_eq!(matcher.steps(), 0);
    /// assert_eq!(matcher.commit_all(&[0, 1, 0], Commit::Longest)?, 2);
    /// assert_eq!(matcher.steps(), 2);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn commit_all(&mut self, tokens: &[TokenId], how: Commit) -> Result<usize, MatchError> {
        let (held, refused) = self.go_along(tokens);
        match (refused, how) {
            (None, _) => Ok(held),
            (Some(error), Commit::Longest) if is_refusal(error) => Ok(held),
            (Some(error), _) => {
                self.rollback(held)?;
                Err(error)
            }
        }
    }

    /// The only token that may come next, if there is only one. An end token counts as the others do.
    pub fn single_token(&mut self) -> Result<Option<TokenId>, MatchError> {
        let mut single = None;
        for (index, &word) in self.mask()?.iter().enumerate().filter(|(_, word)| **word != 0) {
            if single.is_some() || !word.is_power_of_two() {
                return Ok(None);
            }
            single = Some((32 * index) as TokenId + word.trailing_zeros());
        }
        Ok(single)
    }

    /// Commits as many of the tokens as hold; says how many, and why it was not more.
    fn go_along(&mut self, tokens: &[TokenId]) -> (usize, Option<MatchError>) {
        for (held, &token) in tokens.iter().enumerate() {
            if let Err(error) = self.commit(token) {
                return (held, Some(error));
            }
        }
        (tokens.len(), None)
    }
}

/// Whether an error is about the token, not about how much work it is.
fn is_refusal(error: MatchError) -> bool {
    matches!(error, MatchError::Forbidden { .. } | MatchError::UnknownToken { .. } | MatchError::Finished)
}
