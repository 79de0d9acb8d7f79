//! What tests and measures: the commands `test`, `bench` and `scaling`, behind the feature `dev`.

pub(crate) mod bench;
mod case_options;
pub(crate) mod scaling;
pub(crate) mod test;
