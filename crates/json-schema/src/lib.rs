//! JSON Schema for Tokenstile: a schema in, the grammar of its instances out.
//!
//! This is an internal crate of `tokenstile`, of the same version, and it makes no promise of stability: use it through
//! `tokenstile`, as `Grammar::json_schema`.
//!
//! One direction: a schema is read (`reader`), its references are resolved to one form for all drafts (`resolve`), the
//! nodes become sets of values (`algebra`), and those are written as a grammar (`lower`), which begins with what all
//! schemas have in common ([`base()`]).

mod algebra;
mod base;
mod keywords;
mod lower;
mod markup;
mod metaschema;
mod node;
mod number;
mod options;
mod place;
mod pointer;
mod reader;
mod resolve;
mod string;
mod tuning;
mod uri;
mod usual;

pub use markup::{Between, Close, FREE_STRING, FreeKeys, Items, Kinds, Markup, Writing};
pub use options::{Draft, JsonOptions, MemberOrder, Spelling};
pub use place::place_of_pointer;
pub use reader::Json;

use std::sync::{Arc, LazyLock};

use bumpalo::Bump;
use tokenstile_grammar::ir::{Base, Usual};
use tokenstile_grammar::limits::Budget;
use tokenstile_grammar::{Error, ErrorKind, Grammar, Limits, passes};

use self::algebra::{Algebra, Judging};
use self::base::SchemaBase;
use self::lower::Lower;
use self::resolve::Documents;

/// What is read of most schemas takes so many times the room of their text.
const ROOM: usize = 8;
/// Room for what is read that is taken at once, at most.
const MOST_ROOM: usize = 1 << 13;

/// The base that the grammars of all schemas begin with.
///
/// ```
/// let base = tokenstile_json_schema::base()?;
/// let grammar = tokenstile_json_schema::json_schema("{}", &Default::default(), &Default::default())?;
/// assert!(grammar.has_base() && grammar.base().is_some_and(|known| known.id() == base.id()));
/// # Ok::<(), tokenstile_grammar::Error>(())
/// ```
pub fn base() -> Result<Arc<Base>, Error> {
    known().map(|known| known.base().clone())
}

/// What the grammars of all schemas begin with, made when it is first asked for.
fn known() -> Result<&'static SchemaBase, Error> {
    static BASE: LazyLock<Result<SchemaBase, Error>> = LazyLock::new(|| SchemaBase::new(usual_grammars));
    BASE.as_ref().map_err(Error::clone)
}

/// What is usually asked for. The grammars begin with the base too, so they are made after it.
fn usual_grammars() -> Box<dyn Iterator<Item = Usual>> {
    usual::grammars(|schema| json_schema(schema, &JsonOptions::default(), &Limits::default()))
}

/// The grammar of the texts that are instances of a JSON Schema.
///
/// What cannot be enforced is refused, with the JSON pointer of the keyword. Unknown keywords and formats are
/// [warnings](Grammar::warnings) of the grammar.
///
/// ```
/// use tokenstile_grammar::Limits;
/// use tokenstile_json_schema::{JsonOptions, json_schema};
/// let schema = r#"{"type": "object", "properties": {"age": {"type": "integer", "minimum": 0}}}"#;
/// let grammar = json_schema(schema, &JsonOptions::default(), &Limits::default())?;
/// assert!(grammar.warnings().is_empty());
///
/// let error = json_schema(r#"{"minLength": -1}"#, &JsonOptions::default(), &Limits::default());
/// assert_eq!(error.unwrap_err().pointer(), Some("/minLength"));
/// # Ok::<(), tokenstile_grammar::Error>(())
/// ```
pub fn json_schema(schema: &str, options: &JsonOptions, limits: &Limits) -> Result<Grammar, Error> {
    json_schema_written(schema, options, limits, &Writing::default())
}

/// The same for values that are written in another way, or without certain texts. With marks, the rule [`FREE_STRING`] is left
/// to the caller.
///
/// ```
/// use tokenstile_grammar::Limits;
/// use tokenstile_json_schema::{JsonOptions, Writing, json_schema_written};
/// let excludes = ["</call>".to_owned()];
/// let writing = Writing { excludes: &excludes, ..Writing::default() };
/// json_schema_written(r#"{"type": "string"}"#, &JsonOptions::default(), &Limits::default(), &writing)?;
/// # Ok::<(), tokenstile_grammar::Error>(())
/// ```
pub fn json_schema_written(
    schema: &str,
    options: &JsonOptions,
    limits: &Limits,
    writing: &Writing<'_>,
) -> Result<Grammar, Error> {
    // Many verdicts that are no few to each schema multiply further, mostly. Then alternatives are rather taken one by one.
    let few = Judging::of_few();
    let how = (options, writing);
    let error = match written(schema, how, limits, Some(&few)) {
        Err(error) if few.has_part.get() && error.kind() == ErrorKind::Unsupported => error,
        other => return other,
    };
    match written(schema, how, limits, None) {
        Err(_) if few.was_short.get() => {
            written(schema, how, limits, Some(&Judging::of_many())).map_err(|_| error)
        }
        other => other.map_err(|_| error),
    }
}

/// The same; with `judging`, many alternatives of objects are put together as formulas.
fn written(
    schema: &str,
    (options, writing): (&JsonOptions, &Writing<'_>),
    limits: &Limits,
    judging: Option<&Judging>,
) -> Result<Grammar, Error> {
    let mut budget = Budget::new(limits);
    let room = Bump::with_capacity((schema.len() * ROOM).min(MOST_ROOM));
    let documents = Documents::new(schema, options, &room);
    let nodes = resolve::load(&documents, options, limits, &mut budget)?;
    let mut algebra = Algebra::new(known()?, &nodes, (options, limits), budget)?;
    algebra.judging(judging.filter(|_| writing.markup.is_none()));
    nodes.warnings.iter().for_each(|warning| algebra.builder.warn(warning.clone()));
    let goal = algebra.goal_of_node(nodes.root(), true);
    let lower = Lower::new(algebra, writing.excludes)?;
    let (grammar, mut budget) = match writing.markup {
        None => lower.grammar(goal)?,
        Some(markup) => lower.marked_up(goal, markup)?,
    };
    passes::without_dead_ends(grammar, &mut budget).map_err(|error| match error.kind() {
        ErrorKind::Unsatisfiable => {
            Error::new(ErrorKind::Unsatisfiable, "no JSON value is an instance of the schema")
                .with_pointer("")
        }
        _ => error,
    })
}
