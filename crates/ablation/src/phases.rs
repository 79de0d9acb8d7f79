//! What is counted, as functions that callgrind knows by name: the instructions of each of them and of what they call.
//!
//! None of them is ever inlined, since callgrind collects from where one is entered to where it is left.

use std::hint::black_box;

use tokenstile::{CompileError, Compiler, Constraint, Grammar, MatchError, Matcher, TokenId};

/// Compiles a grammar that was read already.
#[inline(never)]
pub fn compile(compiler: &Compiler, grammar: Grammar) -> Result<Constraint, CompileError> {
    black_box(compiler.compile(grammar))
}

/// A mask for which the caches are cold.
#[inline(never)]
pub fn cold_mask(matcher: &mut Matcher, words: &mut [u32]) -> Result<(), MatchError> {
    black_box(matcher.fill_mask(words))
}

/// The commit behind it.
#[inline(never)]
pub fn cold_commit(matcher: &mut Matcher, token: TokenId) -> Result<(), MatchError> {
    black_box(matcher.commit(token))
}

/// A mask of a text that was gone along before.
#[inline(never)]
pub fn warm_mask(matcher: &mut Matcher, words: &mut [u32]) -> Result<(), MatchError> {
    // Not the same code as that of the cold one, or the linker may make one of the two.
    black_box(&mut *matcher);
    black_box(matcher.fill_mask(words))
}

/// The commit behind it.
#[inline(never)]
pub fn warm_commit(matcher: &mut Matcher, token: TokenId) -> Result<(), MatchError> {
    black_box(&mut *matcher);
    black_box(matcher.commit(token))
}

/// Ends what is counted together: callgrind writes down what was collected, and begins at 0.
#[inline(never)]
pub fn mark() {
    black_box(());
}
