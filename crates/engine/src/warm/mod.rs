//! Building ahead what all constraints of a vocabulary have in common.
//!
//! Constraints fill what they share as they go: the library of their base, and what the vocabulary has of
//! sets of characters. The first that needs some of it pays for it, most of all for characters of many scripts. So here
//! some texts are gone through: a [`Base`] knows the grammars that are asked for most, and texts of theirs.

mod ahead;
mod text;

use std::sync::Arc;
use std::time::{Duration, Instant};

use tokenstile_grammar::ir::Base;

use crate::compile::Compiler;
use crate::constraint::Constraint;

impl Compiler {
    /// Builds ahead, for at most about `budget`, what constraints of this vocabulary have in common: classes of characters
    /// of many scripts, and for each of some bases what is [usually](Base::usual) asked for.
    ///
    /// Without it, the first constraints that need some of that build it as they go. Masks are the same with or without
    /// it. It is kept with the tables of the vocabulary, not in what [`save_tables`](Compiler::save_tables) writes.
    ///
    /// ```
    /// use std::time::Duration;
    /// use tokenstile_engine::{Compiler, Vocab};
    /// let vocab = Vocab::from_tokens((0..=255u8).map(|b| (b.into(), vec![b])), &[256])?;
    /// let compiler = Compiler::new(vocab);
    /// compiler.warm(&[tokenstile_json_schema::base()?], Duration::from_secs(1));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn warm(&self, bases: &[Arc<Base>], budget: Duration) {
        let start = Instant::now();
        let is_over = || start.elapsed() >= budget;
        let tables = &self.common.tables;
        tables.profile.make_texts(&tables.trie, &is_over);
        for usual in bases.iter().flat_map(|base| base.usual()) {
            if is_over() {
                return;
            }
            // What a vocabulary cannot spell is nothing to build ahead.
            let Ok(constraint) = self.compile(usual.grammar) else { continue };
            usual.texts.iter().for_each(|text| go_along(&constraint, text.as_bytes(), &is_over));
        }
    }
}

/// Makes the mask at each place of a text.
fn go_along(constraint: &Constraint, text: &[u8], is_over: &dyn Fn() -> bool) {
    let mut matcher = constraint.matcher();
    let mut bytes = text.iter();
    while !is_over() && matcher.mask().is_ok() {
        match bytes.next() {
            Some(&byte) if matcher.commit_bytes(&[byte]).is_ok() => {}
            _ => return,
        }
    }
}
