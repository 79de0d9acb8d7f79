//! The texts of a format, as exactly as each use of them asks for.

use tokenstile_grammar::ExprId;

/// The texts of a format.
///
/// What no plain expression can say is said by several.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Format {
    /// All of them: for whether a text is one. Machines may be in it, and below booleans too.
    pub(crate) exact: ExprId,
    /// As many as can be written down, with machines that stand below no boolean.
    pub(crate) written: ExprId,
    /// As many as a plain expression can say, and no others.
    pub(crate) least: ExprId,
    /// All of them, and others, as a plain expression.
    pub(crate) most: ExprId,
}

impl Format {
    pub(crate) fn plain(expr: ExprId) -> Self {
        Format { exact: expr, written: expr, least: expr, most: expr }
    }

    /// Whether one plain expression says it all.
    pub(crate) fn is_plain(&self) -> bool {
        *self == Format::plain(self.exact)
    }
}
