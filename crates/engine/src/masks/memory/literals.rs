//! What tokens do along literals.

use std::sync::{PoisonError, RwLock};

use crate::automaton::CellId;
use crate::collections::{MemoStats, Table};
use crate::tokens::trie::{Ids, ROOT, Trie};
use crate::vocab::TokenId;

/// See the module documentation.
#[derive(Default)]
pub(crate) struct LiteralMemo(pub(crate) RwLock<LiteralWays>);

#[derive(Default)]
pub(crate) struct LiteralWays {
    pub(crate) ways: Table<CellId, LiteralWay>,
    /// The tokens of all of them.
    pub(crate) tokens: Vec<TokenId>,
}

/// What came of following a literal from the root of the trie.
#[derive(Clone, Copy)]
pub(crate) struct LiteralWay {
    /// Its tokens: where they are, and how many.
    pub(crate) at: u32,
    pub(crate) len: u32,
    /// The node at its end if there is more below, and what follows the literal.
    pub(crate) end: Option<u32>,
    pub(crate) tail: CellId,
}

impl LiteralMemo {
    pub(super) fn stats(&self) -> MemoStats {
        self.0.read().unwrap_or_else(PoisonError::into_inner).ways.stats("literals")
    }
}

impl LiteralWays {
    /// Follows a literal down the trie.
    pub(crate) fn follow(&mut self, trie: &Trie, (literal, tail): (&[u8], CellId)) -> LiteralWay {
        let mut tokens = Ids::new();
        let end = trie.along(ROOT, literal, &mut tokens);
        let way = LiteralWay { at: self.tokens.len() as u32, len: tokens.len() as u32, end, tail };
        self.tokens.extend_from_slice(&tokens);
        way
    }
}
