//! Token terminals: where a token leads, and which may come.
//!
//! A token is read as its text and, where a terminal takes it, as its code. Where both are possible, the sequence stands in both
//! places at once.

use tokenstile_grammar::ir::ByteSet;

use super::{Refused, Session};
use crate::constraint::Terminals;
use crate::constraint::terminals::{Code, MARKS};
use crate::error::MatchError;
use crate::stack::{Config, Stacks, normalize};
use crate::tokens::accept::Accept;
use crate::vocab::TokenId;
use crate::work::Exceeded;

/// A part of what is written: text, or a token whole.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Piece {
    /// Text, for any tokens that spell it.
    Text(Vec<u8>),
    /// This token, or another one that the same terminals take.
    Token(TokenId),
}

impl Session {
    pub(crate) fn terminals(&self) -> Option<&Terminals> {
        self.inner().terminals.as_deref()
    }

    /// The bytes that are no text: those that stand for tokens.
    pub(crate) fn marks(&self) -> ByteSet {
        if self.terminals().is_some() { MARKS } else { ByteSet::EMPTY }
    }

    /// Where a token leads from `config`.
    pub(crate) fn advance_by(&self, config: &Config, token: TokenId) -> Result<Config, Refused> {
        let vocab = self.constraint.vocab();
        let bytes = vocab.bytes(token);
        let Some(terminals) = self.terminals() else {
            return bytes.map_or(Err(Refused::At(0)), |bytes| self.advance(config, bytes));
        };
        let text = bytes.filter(|bytes| !bytes.iter().any(|&byte| MARKS.contains(byte)));
        let text = text.map_or(Err(Refused::At(0)), |bytes| self.advance(config, bytes));
        let Some(code) = terminals.code_of(token, vocab) else { return text };
        match (text, self.advance(config, &code)) {
            (Ok(text), Ok(code)) => self.both(text, code),
            (Err(Refused::Limit(e)), _) | (_, Err(Refused::Limit(e))) => Err(e.into()),
            (Err(Refused::At(_)), code) => code,
            (text, Err(Refused::At(_))) => text,
        }
    }

    /// One configuration that is both.
    fn both(&self, one: Config, other: Config) -> Result<Config, Refused> {
        let mut stacks = Stacks::new(&self.generation.store);
        let both = normalize(&mut stacks, one.into_iter().chain(other).collect());
        self.work().spend(stacks.work())?;
        let limit = self.inner().limits.heads;
        if both.len() > limit {
            return Err(Exceeded { name: "heads", value: limit }.into());
        }
        self.is_sound()?;
        Ok(both)
    }

    /// The codes that may come next.
    pub(crate) fn codes(&self, config: &Config) -> Result<Vec<Code>, MatchError> {
        let Some(terminals) = self.terminals() else { return Ok(Vec::new()) };
        let mut codes: Vec<(Code, Config)> = vec![(Code::new(), config.clone())];
        for at in 1..=terminals.width() {
            let mut longer = Vec::new();
            for (code, config) in codes {
                for mark in self.next_bytes(&config).intersect(&MARKS).iter() {
                    let mut code = code.clone();
                    code.push(mark);
                    let next = if at < terminals.width() {
                        match self.advance(&config, &[mark]) {
                            Ok(next) => next,
                            Err(Refused::At(_)) => continue,
                            Err(Refused::Limit(e)) => return Err(e.into()),
                        }
                    } else {
                        Config::new()
                    };
                    longer.push((code, next));
                }
            }
            codes = longer;
        }
        self.is_sound()?;
        Ok(codes.into_iter().map(|(code, _)| code).collect())
    }

    /// The one token that may come, if nothing else may: only a terminal takes a token whatever its text is.
    pub(crate) fn forced_token(&self, config: &Config) -> Result<Option<TokenId>, MatchError> {
        let Some(terminals) = self.terminals() else { return Ok(None) };
        if self.accepts(config) || !self.next_bytes(config).is_subset(&MARKS) {
            return Ok(None);
        }
        Ok(match &self.codes(config)?[..] {
            [code] => terminals.only_token(code),
            _ => None,
        })
    }

    /// Bytes, some of which stand for tokens, as texts and tokens.
    pub(crate) fn pieces(&self, bytes: &[u8]) -> Vec<Piece> {
        let mut pieces = Vec::new();
        let mut rest = bytes;
        while let Some(first) = rest.first() {
            let is_code = self.marks().contains(*first);
            let end = match self.terminals().filter(|_| is_code) {
                Some(terminals) => terminals.width(),
                None => rest.iter().position(|&b| self.marks().contains(b)).unwrap_or(rest.len()),
            };
            let (piece, after) = rest.split_at(end.min(rest.len()));
            let token = || self.terminals()?.tokens(piece)?.first();
            pieces.push(match is_code.then(token).flatten() {
                Some(token) => Piece::Token(token),
                None => Piece::Text(piece.to_vec()),
            });
            rest = after;
        }
        pieces
    }

    /// The token sets of a mask: those of the automaton's texts, without tokens that have marks in their text, and those of
    /// the codes that may come next.
    pub(crate) fn with_codes(
        &self,
        terminals: &Terminals,
        config: &Config,
        sets: &[&Accept],
    ) -> Result<Vec<Accept>, MatchError> {
        let marked = self.inner().common.marked();
        let is_marked = |token: TokenId| marked.binary_search(&token).is_ok();
        let mut all: Vec<Accept> = sets.iter().map(|set| set.without(marked, is_marked)).collect();
        for code in self.codes(config)? {
            all.extend(terminals.tokens(&code).cloned());
        }
        Ok(all)
    }
}
