//! What one walk from the root shows of a grammar: which passes have something to do, and in which order.

use crate::ids::ExprId;

/// See the module documentation. What is below boolean expressions is not looked at.
#[derive(Debug)]
pub(crate) struct Survey {
    /// The expressions that the root reaches, each after its parts and after what it calls, but for calls of `heads`.
    pub(crate) order: Vec<ExprId>,
    pub(crate) rules: Vec<bool>,
    /// The root, and rules that the walk reached inside themselves. Around every cycle of calls there is one.
    pub(crate) heads: Vec<bool>,
    /// How many expressions and bodies call each rule.
    pub(crate) calls: Vec<u32>,
    /// Whether some rule calls itself, by whatever way.
    pub(crate) recursive: bool,
    /// Whether there are boolean expressions.
    pub(crate) booleans: bool,
    /// Whether the walk reached `Never`.
    pub(crate) never: bool,
    /// So many of the first expressions are those of the base: they and its rules have been through all passes, and the
    /// walk does not go into them.
    pub(crate) settled: usize,
}
