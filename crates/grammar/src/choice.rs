//! A list of strings to choose from.
