//! Token terminals: `<[1000]>`, `<think>`, `!<[1001]>`, `!<think>`.

use super::lexer::{Lexer, Token};
use crate::error::{Error, ErrorKind};
use crate::ir::TokenName;

/// The longest name, in bytes.
const LONGEST: usize = 256;

impl<'s> Lexer<'s> {
    /// A token terminal, whose `<` or `!` is next.
    pub(super) fn token_terminal(&mut self) -> Result<Token<'s>, Error> {
        let negated = self.peek() == Some(b'!');
        self.at += usize::from(negated);
        if self.peek() != Some(b'<') {
            return Err(self.expected("`<` and a token after `!`"));
        }
        let start = self.at;
        self.at += 1;
        self.token = if self.peek() == Some(b'[') { self.token_id()? } else { self.token_name(start)? };
        Ok(Token::Terminal { negated })
    }

    /// `[1000]>`
    fn token_id(&mut self) -> Result<TokenName, Error> {
        self.at += 1;
        let start = self.at;
        while self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            self.at += 1;
        }
        if self.at == start {
            return Err(self.expected("the id of a token"));
        }
        let id = self.source[start..self.at].parse().map_err(|_| {
            self.error(ErrorKind::Unsupported, "ids of tokens past 32 bits are not supported", start)
        })?;
        if !self.bytes[self.at..].starts_with(b"]>") {
            return Err(self.expected("`]>` to end the token"));
        }
        self.at += 2;
        Ok(TokenName::id(id))
    }

    /// `think>`, of which the name is all from `<` on.
    fn token_name(&mut self, start: usize) -> Result<TokenName, Error> {
        let rest = &self.bytes[self.at..];
        let stop = rest.iter().take(LONGEST).position(|byte| matches!(byte, b'>' | b'\n' | b'\r' | 0));
        match stop {
            Some(0) => Err(self.expected("the name of a token")),
            Some(stop) if rest[stop] == b'>' => {
                self.at += stop + 1;
                Ok(TokenName::text(&self.source[start..self.at]))
            }
            _ => Err(self.error(ErrorKind::Syntax, "unterminated token: expected `>` after its name", start)),
        }
    }
}
