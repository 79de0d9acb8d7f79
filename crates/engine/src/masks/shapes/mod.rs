//! What makes masks quick: shapes of states and places whose tokens are known without a walk of all of the trie.
//!
//! [`order`] lists them in the order in which they are tried, and [`shape`] says what they have in common.

mod apart;
mod but_few;
mod but_matched;
mod chain;
mod children;
mod choice;
mod closed;
mod cover;
mod generic;
mod key;
mod literals;
mod loops;
mod machines;
mod order;
mod parts;
mod rows;
mod runs;
mod search;
mod shape;
mod shorter;
mod stripe;
mod watched;
mod white_space;
mod wide;
