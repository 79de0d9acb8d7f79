//! How long a search may take.

use crate::error::{Error, ErrorKind};
use crate::tuning::ir::{JUDGED_STEPS, TALLY_STEPS};

/// The steps that a search may still take.
pub(super) struct Effort(u64);

impl Default for Effort {
    fn default() -> Self {
        Effort(TALLY_STEPS)
    }
}

impl Effort {
    /// What may be spent where a condition must hold.
    pub(super) fn judged() -> Self {
        Effort(JUDGED_STEPS)
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
