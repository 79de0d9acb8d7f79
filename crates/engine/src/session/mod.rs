//! One sequence and the caches of its constraint: where bytes lead, which tokens may come, what is repeated.
//!
//! A [`Session`] remembers nothing of the text: whoever asks says where the sequence stands.

mod advance;
mod collect;
mod completable;
mod repeats;
mod session;
mod shortest;
mod skip;

pub(crate) use session::{Place, Refused, Session};
pub(crate) use shortest::plainest;
