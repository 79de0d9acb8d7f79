//! Strings: their languages as *plain* regular expressions, over the characters that a string has once it is
//! read, and how such a language is spelled in JSON.
//!
//! A plain expression is regular, made of characters and UTF-8 literals. `Not` in it means any text but those of
//! its operand. Plain expressions are what `pattern`, `format` and the lengths become, and what the algebra of
//! schemas combines; [`encode_opened`] turns the result into JSON.

mod encode;
mod format;
mod matches;
mod spell;
#[cfg(test)]
mod tests;

use encode::encode;
pub(crate) use encode::{encode_literal, encode_opened};
pub(crate) use format::{Format, FormatId, Nested};
pub(crate) use matches::matches;
pub(crate) use spell::{Speller, control_escapes};
