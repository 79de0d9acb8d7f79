//! Masks for many sequences at once.

use super::Matcher;
use crate::error::MatchError;

/// Fills one mask for each matcher, row after row of `words_per_mask` words; with the `rayon` feature on all
/// threads of the current pool. The sequences may belong to different constraints.
///
/// Every matcher has a result of its own: one that fails does not stop the others. A row that is missing
/// because `masks` is too short is an error of its matcher.
///
/// ```
/// use tokenstile::{Compiler, Grammar, Limits, Vocab, fill_masks};
/// let vocab = Vocab::from_tokens([(0, "a"), (1, "b")], &[2])?;
/// let grammar = Grammar::gbnf("root ::= \"a\" \"b\"", &Limits::default())?;
/// let constraint = Compiler::new(vocab).compile(&grammar)?;
/// let mut batch = vec![constraint.matcher(), constraint.matcher()];
/// batch[1].commit(0)?;
/// let mut masks = [0; 2];
/// assert!(fill_masks(&mut batch, &mut masks, 1).iter().all(Result::is_ok));
/// assert_eq!(masks, [0b01, 0b10]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn fill_masks(
    matchers: &mut [Matcher],
    masks: &mut [u32],
    words_per_mask: usize,
) -> Vec<Result<(), MatchError>> {
    let width = words_per_mask.max(1);
    let mut rows: Vec<&mut [u32]> = masks.chunks_mut(width).collect();
    rows.resize_with(matchers.len().max(rows.len()), Default::default);
    run(matchers, rows)
}

#[cfg(feature = "rayon")]
fn run(matchers: &mut [Matcher], rows: Vec<&mut [u32]>) -> Vec<Result<(), MatchError>> {
    use rayon::prelude::*;
    matchers.par_iter_mut().zip(rows).map(|(matcher, row)| matcher.fill_mask(row)).collect()
}

#[cfg(not(feature = "rayon"))]
fn run(matchers: &mut [Matcher], rows: Vec<&mut [u32]>) -> Vec<Result<(), MatchError>> {
    matchers.iter_mut().zip(rows).map(|(matcher, row)| matcher.fill_mask(row)).collect()
}
