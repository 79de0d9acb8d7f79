//! JSON Schema: a schema in, the grammar of its instances out.

mod algebra;
mod base;
mod keywords;
mod lower;
mod metaschema;
pub(crate) mod node;
mod number;
mod options;
mod place;
mod pointer;
pub(crate) mod reader;
mod resolve;
mod string;
mod uri;

pub(crate) use base::base;
pub use options::{Draft, JsonOptions, MemberOrder, Spelling};

use bumpalo::Bump;

use self::algebra::Algebra;
use self::lower::Lower;
use self::resolve::Documents;
use self::string::FormatId;
use crate::error::{Error, ErrorKind};
use crate::ids::ExprId;
use crate::ir::Grammar;
use crate::limits::{Budget, Limits};

/// What is read of most schemas takes so many times the room of their text.
const ROOM: usize = 8;
/// Room for what is read that is taken at once, at most.
const MOST_ROOM: usize = 1 << 13;

impl Grammar {
    /// The formats of JSON Schema that are in the [base](Grammar::base), each with texts in which much of it is seen, as they
    /// stand between the quotes of a JSON string.
    ///
    /// ```
    /// use tokenstile_grammar::Grammar;
    /// let mut formats = Grammar::shared_formats();
    /// assert!(formats.any(|(format, texts)| format == "date" && texts.contains(&"2024-02-29")));
    /// ```
    pub fn shared_formats() -> impl Iterator<Item = (&'static str, &'static [&'static str])> {
        FormatId::shared().map(|format| (format.name(), format.samples()))
    }

    /// The expressions of any text of a JSON string, without its quotes, in canonical and in any spelling, which are in the
    /// [base](Grammar::base).
    pub fn any_texts() -> Result<[ExprId; 2], Error> {
        base::Base::get().map(|base| base.any_texts())
    }

    /// The grammar of the texts that are instances of a JSON Schema.
    ///
    /// What cannot be enforced is refused, with the JSON pointer of the keyword. Unknown keywords and formats are
    /// [warnings](Grammar::warnings) of the grammar.
    ///
    /// ```
    /// use tokenstile_grammar::{Grammar, JsonOptions, Limits};
    /// let schema = r#"{"type": "object", "properties": {"age": {"type": "integer", "minimum": 0}}}"#;
    /// let grammar = Grammar::json_schema(schema, &JsonOptions::default(), &Limits::default())?;
    /// assert!(grammar.warnings().is_empty());
    ///
    /// let error = Grammar::json_schema(r#"{"minLength": -1}"#, &JsonOptions::default(), &Limits::default());
    /// assert_eq!(error.unwrap_err().pointer(), Some("/minLength"));
    /// # Ok::<(), tokenstile_grammar::Error>(())
    /// ```
    pub fn json_schema(schema: &str, options: &JsonOptions, limits: &Limits) -> Result<Grammar, Error> {
        let mut budget = Budget::new(limits);
        let room = Bump::with_capacity((schema.len() * ROOM).min(MOST_ROOM));
        let documents = Documents::new(schema, options, &room);
        let nodes = resolve::load(&documents, options, limits, &mut budget)?;
        let mut algebra = Algebra::new(&nodes, options, limits, budget)?;
        nodes.warnings.iter().for_each(|warning| algebra.builder.warn(warning.clone()));
        let goal = algebra.goal_of_node(nodes.root(), true);
        let (grammar, mut budget) = Lower::new(algebra)?.grammar(goal)?;
        crate::passes::without_dead_ends(grammar, &mut budget).map_err(|error| match error.kind() {
            ErrorKind::Unsatisfiable => {
                Error::new(ErrorKind::Unsatisfiable, "no JSON value is an instance of the schema")
                    .with_pointer("")
            }
            _ => error,
        })
    }
}
