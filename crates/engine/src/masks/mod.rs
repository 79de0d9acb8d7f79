//! From automaton states to sets of tokens.
//!
//! For a state q, [`Walked`] says which tokens can be consumed without leaving q's frame, and at which trie
//! nodes the frame may end with bytes of the token left over ([`Pending`]). The state to return to resolves
//! what is pending, and so on down the stack until nothing is. All of it is remembered: for a state from the
//! start of a token, for a (pending, state) pair after that. None of it depends on the rest of the stack, so
//! one answer serves every parse that passes by.

mod memory;
mod shapes;
mod walk;

pub(crate) use memory::{Kept, MaskStore, WholeId};
