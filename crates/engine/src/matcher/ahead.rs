//! Looking ahead of a sequence: what must come, what may come.

use tokenstile_grammar::ir::ByteSet;

use super::Matcher;
use crate::error::MatchError;
use crate::session::{Piece, Refused};
use crate::vocab::TokenId;

/// The most bytes that [`Matcher::forced_bytes`] returns at once.
const FORCED: usize = 4_096;

impl Matcher {
    /// Which bytes may come next. Those of tokens that a token terminal takes are not among them.
    pub fn allowed_bytes(&mut self) -> Result<ByteSet, MatchError> {
        if self.is_finished() {
            return Ok(ByteSet::EMPTY);
        }
        self.renew_if_full()?;
        Ok(self.session.bytes_at(&self.here.place, 256)?.minus(&self.session.marks()))
    }

    /// The bytes that must come next, whatever is chosen: as far as there is only one way to go on.
    pub fn forced_bytes(&mut self) -> Result<Vec<u8>, MatchError> {
        let mut forced = Vec::new();
        if self.is_finished() {
            return Ok(forced);
        }
        self.renew_if_full()?;
        let mut place = self.here.place.clone();
        while forced.len() < FORCED && !self.session.accepts(&place.0) {
            let bytes = self.session.bytes_at(&place, 2)?;
            let (1, Some(byte)) = (bytes.len(), bytes.first()) else { break };
            if self.session.marks().contains(byte) {
                break;
            }
            match self.session.go_on(&place, &[byte]) {
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
    /// the tokenizer would have made of the finished text. Where a token terminal stands and takes one token only, it is that token.
    /// Nothing is committed.
    pub fn forced_tokens(
        &mut self,
        encode: impl FnOnce(&[u8]) -> Vec<TokenId>,
    ) -> Result<Vec<TokenId>, MatchError> {
        let forced = self.forced_bytes()?;
        if forced.is_empty() {
            let token =
                if self.is_finished() { None } else { self.session.forced_token(&self.here.place.0)? };
            return Ok(token.into_iter().collect());
        }
        let mut tokens = encode(&forced);
        let vocab = self.constraint().vocab();
        let spelled: Option<Vec<&[u8]>> = tokens.iter().map(|&t| vocab.bytes(t)).collect();
        let Some(spelled) = spelled.filter(|s| s.concat() == forced) else { return Ok(Vec::new()) };
        let trie = &self.session.inner().common.tables.trie;
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

    /// About how many bytes it takes to complete the text, rather too many than too few; 0 if it is complete.
    ///
    /// Cheap: looks at the stack only. For how it goes on, see
    /// [`shortest_completion`](Matcher::shortest_completion).
    pub fn completion_estimate(&self) -> usize {
        if self.is_finished() || self.is_accepting() {
            return 0;
        }
        self.session.completion_estimate(&self.here.place.0)
    }

    /// Bytes that complete the text, as few as can be found; empty if it is complete, `None` if the search was given up or
    /// a token terminal is in the way: [`shortest_pieces`](Matcher::shortest_pieces) goes through those.
    ///
    /// They are a shortest completion where the constraint is plain (rules, classes, literals, repetitions); with
    /// members, machines and booleans they may be longer by a little.
    ///
    /// ```
    /// use tokenstile::{Compiler, Grammar, Limits, Vocab};
    /// let vocab = Vocab::from_tokens((0..=255u8).map(|b| (u32::from(b), [b])), &[256])?;
    /// let grammar = Grammar::gbnf(r#"root ::= "(" root ")" | [0-9]{2,}"#, &Limits::default())?;
    /// let mut matcher = Compiler::new(vocab).compile(&grammar)?.matcher();
    /// matcher.commit_bytes(b"((7")?;
    /// assert_eq!(matcher.shortest_completion()?.as_deref(), Some(&b"0))"[..]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn shortest_completion(&mut self) -> Result<Option<Vec<u8>>, MatchError> {
        if self.is_finished() || self.is_accepting() {
            return Ok(Some(Vec::new()));
        }
        self.renew_if_full()?;
        self.session.shortest_completion(self.here.place.clone(), false)
    }

    /// The same with the tokens that token terminals take.
    ///
    /// ```
    /// use tokenstile::{Compiler, Grammar, Limits, Piece, TokenKind, Vocab};
    /// let mut vocab = Vocab::builder();
    /// for byte in 0..=255 {
    ///     vocab.add(u32::from(byte), TokenKind::Text, &[byte])?;
    /// }
    /// vocab.add(256, TokenKind::Special, b"</think>")?;
    /// let vocab = vocab.build()?;
    /// let grammar = Grammar::gbnf(r#"root ::= [a-z]* </think> "ok""#, &Limits::default())?;
    /// let mut matcher = Compiler::new(vocab).compile(&grammar)?.matcher();
    /// matcher.commit_bytes(b"hm")?;
    /// let rest = matcher.shortest_pieces()?;
    /// assert_eq!(rest, Some(vec![Piece::Token(256), Piece::Text(b"ok".to_vec())]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn shortest_pieces(&mut self) -> Result<Option<Vec<Piece>>, MatchError> {
        if self.is_finished() || self.is_accepting() {
            return Ok(Some(Vec::new()));
        }
        self.renew_if_full()?;
        let bytes = self.session.shortest_completion(self.here.place.clone(), true)?;
        Ok(bytes.map(|bytes| self.session.pieces(&bytes)))
    }
}
