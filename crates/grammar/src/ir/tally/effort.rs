//! How long a search may take.

use crate::error::{Error, ErrorKind};

/// How many steps a search may take.
pub(super) const MOST: u64 = 1 << 18;

/// The same for all slots of members under a condition together.
const MOST_JUDGED: u64 = 1 << 22;

/// The steps that a search may still take.
pub(super) struct Effort(u64);

impl Default for Effort {
    fn default() -> Self {
        Effort(MOST)
    }
}

impl Effort {
    /// What may be spent where a condition must hold.
    pub(super) fn judged() -> Self {
        Effort(MOST_JUDGED)
    }

    pub(super) fn spend(&mut self, steps: u64) -> Result<(), Error> {
        self.0 = self.0.checked_sub(steps).ok_or_else(too_hard)?;
        Ok(())
    }
}

pub(super) fn too_hard() -> Error {
    let what = "bounds on the number of members or items overlap in too many ways to be enforced";
    Error::new(ErrorKind::Unsupported, what)
}
