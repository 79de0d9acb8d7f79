//! What the references answer about a text.

/// Whether some continuation of a text is a sentence.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Viability {
    /// There is none.
    No,
    /// It was not found out within the budget.
    Unknown,
    /// There is one.
    Yes,
}

impl Viability {
    /// The answer, if there is one.
    pub fn known(self) -> Option<bool> {
        match self {
            Viability::No => Some(false),
            Viability::Unknown => None,
            Viability::Yes => Some(true),
        }
    }
}

impl From<bool> for Viability {
    fn from(viable: bool) -> Self {
        if viable { Viability::Yes } else { Viability::No }
    }
}
