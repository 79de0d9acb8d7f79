//! JSON Schema: a schema in, the grammar of its instances out.

#[allow(dead_code)]
mod number;
mod options;

pub use options::{Draft, JsonOptions, MemberOrder, Spelling};

use crate::error::{Error, ErrorKind};
use crate::ir::Grammar;
use crate::limits::Limits;

impl Grammar {
    /// The grammar of the texts that are instances of a JSON Schema.
    pub fn json_schema(schema: &str, options: &JsonOptions, limits: &Limits) -> Result<Grammar, Error> {
        let _ = (schema, options, limits);
        Err(Error::new(ErrorKind::Unsupported, "JSON Schema is not supported yet"))
    }
}
