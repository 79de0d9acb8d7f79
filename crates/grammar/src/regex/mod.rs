//! Regular expressions.
