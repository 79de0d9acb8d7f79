//! How long a search may take.

use crate::error::{Error, ErrorKind};

/// How many steps a search may take.
pub(super) const MOST: u64 = 1 << 18;

/// Counts the steps of one search.
#[derive(Default)]
pub(super) struct Effort(u64);

impl Effort {
    pub(super) fn spend(&mut self, steps: u64) -> Result<(), Error> {
        self.0 += steps;
        if self.0 > MOST { Err(too_hard()) } else { Ok(()) }
    }
}

pub(super) fn too_hard() -> Error {
    let what = "bounds on the number of members or items overlap in too many ways to be enforced";
    Error::new(ErrorKind::Unsupported, what)
}
