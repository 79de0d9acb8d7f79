//! One sequence: what it has committed, and what may come next.

mod ahead;
mod batch;
mod matcher;

pub use batch::fill_masks;
pub use matcher::Matcher;
