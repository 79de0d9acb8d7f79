//! Built-in JSON.
