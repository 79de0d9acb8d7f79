//! From a grammar as written to one the engine runs: one pass per file, listed in order in [`prepare`].

mod boolean;
mod fixpoint;
mod graph;
mod nullable;
mod productive;
mod rewrite;

pub use nullable::nullable;
