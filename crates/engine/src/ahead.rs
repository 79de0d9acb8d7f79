//! Looking ahead of a sequence: what must come, what may come.

use tokenstile_grammar::ir::ByteSet;

use crate::advance::Refused;
use crate::error::MatchError;
use crate::matcher::Matcher;
use crate::vocab::TokenId;

/// The most bytes that [`Matcher::forced_bytes`] returns at once.
const FORCED: usize = 4_096;

impl Matcher {
    /// Which bytes may come next.
    pub fn allowed_bytes(&mut self) -> Result<ByteSet, MatchError> {
        if self.is_finished() {
            return Ok(ByteSet::EMPTY);
        }
        self.renew_if_full()?;
        let place = (self.last.config.clone(), self.last.tracker.clone());
        self.bytes_at(&place, 256)
    }

    /// The bytes that must come next, whatever is chosen: as far as there is only one way to go on.
    pub fn forced_bytes(&mut self) -> Result<Vec<u8>, MatchError> {
        let mut forced = Vec::new();
        if self.is_finished() {
            return Ok(forced);
        }
        self.renew_if_full()?;
        let mut place = (self.last.config.clone(), self.last.tracker.clone());
        while forced.len() < FORCED && !self.accepts(&place.0) {
            let bytes = self.bytes_at(&place, 2)?;
            let (1, Some(byte)) = (bytes.len(), bytes.first()) else { break };
            match self.go_on_from(&place.0, place.1.as_ref(), &[byte]) {
                Ok(next) => place = next,
                Err(Refused::At(_)) => break,
                Err(Refused::Limit(e)) => return Err(e.into()),
            }
            forced.push(byte);
        }
        Ok(forced)
    }

    /// The tokens that must come next, in the tokenizer's own segmentation.
    ///
    /// `encode` turns bytes into tokens as the model's tokenizer does. Tokens at the end of the forced text
    /// that could become part of a longer token with what follows are left out, so what is returned is what
    /// the tokenizer would have made of the finished text. Nothing is committed.
    pub fn forced_tokens(
        &mut self,
        encode: impl FnOnce(&[u8]) -> Vec<TokenId>,
    ) -> Result<Vec<TokenId>, MatchError> {
        let forced = self.forced_bytes()?;
        if forced.is_empty() {
            return Ok(Vec::new());
        }
        let mut tokens = encode(&forced);
        let vocab = self.constraint().vocab();
        let spelled: Option<Vec<&[u8]>> = tokens.iter().map(|&t| vocab.bytes(t)).collect();
        let Some(spelled) = spelled.filter(|s| s.concat() == forced) else { return Ok(Vec::new()) };
        let trie = &self.constraint().inner.tables.trie;
        let mut keep = tokens.len();
        for start in 0..spelled.len() {
            let tail = spelled[start..].concat();
            if trie.find(&tail).is_some_and(|node| !trie.children(node).is_empty()) {
                keep = start;
                break;
            }
        }
        tokens.truncate(keep);
        Ok(tokens)
    }
}
