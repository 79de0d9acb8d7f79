//! From a grammar as written to one the engine runs: one pass per file, listed in order in [`prepare`].
