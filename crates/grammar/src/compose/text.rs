//! Pieces of text for front ends that build their grammars themselves.

use std::mem;
use std::ops::Range;

use rustc_hash::FxHashMap;

use super::lower::Lowering;
use super::marks;
use crate::ids::ExprId;
use crate::ir::GrammarBuilder;
use crate::limits::Limits;

/// A text in which special tokens may be written for their names, as [`Composer::marked`](super::Composer::marked) has it.
pub fn marked_text(builder: &mut GrammarBuilder, text: &str, limits: &Limits) -> ExprId {
    lowered(builder, limits, |lowering| lowering.marked(text))
}

/// Where in a text names of special tokens may be.
pub fn special_names(text: &str) -> Vec<Range<usize>> {
    marks::names(text)
}

/// Runs a step of the lowering with a builder of someone else.
fn lowered<T>(builder: &mut GrammarBuilder, limits: &Limits, step: impl FnOnce(&mut Lowering) -> T) -> T {
    let borrowed = mem::replace(builder, GrammarBuilder::new(limits));
    let mut lowering = Lowering {
        builder: borrowed,
        limits: limits.clone(),
        repeats_allowed: false,
        made: Vec::new(),
        rules: FxHashMap::default(),
    };
    let made = step(&mut lowering);
    *builder = lowering.builder;
    made
}
