//! What makes masks quick: shapes of states and places whose tokens are known without a walk of all of the trie.
//!
//! [`order`] lists them in the order in which they are tried.

mod below;
mod but_few;
mod chain;
mod choice;
mod closed;
mod cover;
mod free;
mod literals;
mod machines;
mod order;
mod rows;
mod shorter;
mod stripe;
mod watched;
mod wide;
