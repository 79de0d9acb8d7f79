//! Masks applied to logits on the CPU.
//!
//! A mask has one bit for each token id, 32 to a word, lowest bit first: 1 is allowed. [`forbid`] sets the logits of all other
//! tokens to minus infinity, in place. [`best`] finds the allowed token with the largest logit in one read and writes nothing.
//! Tokens past the end of the mask are forbidden; bits past the last logit do not count.
//!
//! Logits are `f32`, or the bits of `f16` and `bf16` as they lie in an engine's tensors.
//!
//! ```
//! use tokenstile_logits::{Logits, LogitsMut, best, forbid};
//! let mask = [0b1010];
//! let mut logits = [4.0, 1.0, 3.0, 2.0];
//! assert_eq!(best(&mask, Logits::F32(&logits)), Some(3));
//! forbid(&mask, LogitsMut::F32(&mut logits));
//! assert_eq!(logits, [f32::NEG_INFINITY, 1.0, f32::NEG_INFINITY, 2.0]);
//! ```
//!
//! The loops are compiled once for each set of instructions that processors have (AVX2 and AVX-512; NEON is part of every
//! 64-bit ARM), and the one to use is chosen at run time. All have the same bits as a result.

mod kernels;
mod number;

use kernels::{best_of, forbid_in};
use number::{Bf16, F16, F32};

/// Logits to be read.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Logits<'a> {
    /// In single precision.
    F32(&'a [f32]),
    /// In half precision, as bits.
    F16(&'a [u16]),
    /// In the upper half of single precision, as bits.
    Bf16(&'a [u16]),
}

/// Logits to be changed in place.
#[derive(Debug)]
#[non_exhaustive]
pub enum LogitsMut<'a> {
    /// In single precision.
    F32(&'a mut [f32]),
    /// In half precision, as bits.
    F16(&'a mut [u16]),
    /// In the upper half of single precision, as bits.
    Bf16(&'a mut [u16]),
}

/// Sets the logits of all tokens that the mask forbids to minus infinity. The others keep their bits.
pub fn forbid(mask: &[u32], logits: LogitsMut<'_>) {
    match logits {
        LogitsMut::F32(logits) => forbid_in::<F32>(mask, logits),
        LogitsMut::F16(logits) => forbid_in::<F16>(mask, logits),
        LogitsMut::Bf16(logits) => forbid_in::<Bf16>(mask, logits),
    }
}

/// The allowed token with the largest logit; of several that are as large, the first. None if no token is allowed.
///
/// What is not a number comes after everything else.
pub fn best(mask: &[u32], logits: Logits<'_>) -> Option<u32> {
    match logits {
        Logits::F32(logits) => best_of::<F32>(mask, logits),
        Logits::F16(logits) => best_of::<F16>(mask, logits),
        Logits::Bf16(logits) => best_of::<Bf16>(mask, logits),
    }
}
