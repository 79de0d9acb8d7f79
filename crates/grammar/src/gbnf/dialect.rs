//! The two notations: where they part, the lexer asks which one it reads.

/// Which notation is read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Dialect {
    /// llama.cpp's.
    Gbnf,
    /// xgrammar's: also `'…'` literals, C escapes, `\d` and its like in classes, dots in names.
    Ebnf,
}
