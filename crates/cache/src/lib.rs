//! What is kept on disk between runs: the tables of vocabularies, in the user's cache folder.
//!
//! The engine does no I/O. Here is what a command or a server wants around it: a [`TableCache`] makes a
//! [`Compiler`](tokenstile::Compiler) for a vocabulary from a memory map of the tables that an earlier process saved, or
//! builds and saves them. Nothing here fails: without a folder, or with a file that does not fit, tables are built.

mod map;
mod tables;

use std::path::PathBuf;

pub use tables::{Origin, TableCache};

/// The user's cache folder for what this project keeps; none if the machine does not say where.
pub fn folder() -> Option<PathBuf> {
    let folder = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let base = match folder("XDG_CACHE_HOME").filter(|path| path.is_absolute()) {
        Some(base) => base,
        None if cfg!(target_os = "macos") => folder("HOME")?.join("Library/Caches"),
        None if cfg!(windows) => folder("LOCALAPPDATA")?,
        None => folder("HOME")?.join(".cache"),
    };
    Some(base.join("tokenstile"))
}
