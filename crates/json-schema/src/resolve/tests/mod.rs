//! Tests of reading and resolving.

mod hostile;
mod keywords;
mod reader;
mod references;
mod suite;
mod validator;

use bumpalo::Bump;

use super::*;
use crate::node::{Node, Schema};

/// Room that is kept for good.
fn room() -> &'static Bump {
    Box::leak(Box::default())
}

fn parse(text: &str) -> Result<Json<'_>, Error> {
    let limits = Limits::default();
    Json::parse(text, room(), &limits, &mut Budget::new(&limits))
}

fn json(text: &str) -> Json<'_> {
    parse(text).unwrap_or_else(|error| panic!("{error}"))
}

fn load_with(schema: &str, options: &JsonOptions) -> Result<Nodes<'static>, Error> {
    load_within(schema, options, &Limits::default())
}

/// Nodes are about a text; here it is kept for good.
fn load_within(schema: &str, options: &JsonOptions, limits: &Limits) -> Result<Nodes<'static>, Error> {
    let schema: &str = Box::leak(schema.into());
    let (options, limits) = (Box::leak(Box::new(options.clone())), Box::leak(Box::new(limits.clone())));
    load(
        Box::leak(Box::new(Documents::new(schema, options, room()))),
        options,
        limits,
        &mut Budget::new(limits),
    )
}

fn nodes(schema: &str) -> Nodes<'static> {
    load_with(schema, &JsonOptions::default()).unwrap_or_else(|error| panic!("{schema}: {error}"))
}

fn error(schema: &str) -> Error {
    load_with(schema, &JsonOptions::default()).map(|_| ()).expect_err(schema)
}

/// The keywords of a node.
fn schema<'n>(nodes: &'n Nodes<'static>, id: NodeId) -> &'n Schema<'static> {
    match nodes.get(id) {
        Node::Schema(schema) => schema,
        node => panic!("{node:?}"),
    }
}

fn root<'n>(nodes: &'n Nodes<'static>) -> &'n Schema<'static> {
    schema(nodes, nodes.root())
}

/// The warnings, each with its pointer.
fn warnings(nodes: &Nodes) -> Vec<String> {
    let line = |w: &tokenstile_grammar::ir::Warning| {
        format!("{}: {}", w.pointer.as_deref().unwrap_or("-"), w.message)
    };
    nodes.warnings.iter().map(line).collect()
}

/// A value as text.
fn written(value: &Json) -> String {
    let string = |text: &str| serde_json::to_string(text).unwrap();
    match value {
        Json::Null => "null".into(),
        Json::Bool(value) => value.to_string(),
        Json::Number(text) => (*text).to_owned(),
        Json::String(text) => string(text),
        Json::Array(items) => format!("[{}]", items.iter().map(written).collect::<Vec<_>>().join(",")),
        Json::Object(members) => {
            let member = |(key, value): &(&str, Json<'_>)| format!("{}:{}", string(key), written(value));
            format!("{{{}}}", members.iter().map(member).collect::<Vec<_>>().join(","))
        }
    }
}
