//! Tests of reading and resolving.

mod suite;
mod validator;

use super::*;
use crate::json_schema::node::{Node, Schema};

fn json(text: &str) -> Json {
    let limits = Limits::default();
    Json::parse(text, &limits, &mut Budget::new(&limits)).unwrap_or_else(|error| panic!("{error}"))
}

fn load_with(schema: &str, options: &JsonOptions) -> Result<Nodes, Error> {
    let limits = Limits::default();
    load(schema, options, &limits, &mut Budget::new(&limits))
}

/// A value as text.
fn written(value: &Json) -> String {
    let string = |text: &str| serde_json::to_string(text).unwrap();
    match value {
        Json::Null => "null".into(),
        Json::Bool(value) => value.to_string(),
        Json::Number(text) => text.clone(),
        Json::String(text) => string(text),
        Json::Array(items) => format!("[{}]", items.iter().map(written).collect::<Vec<_>>().join(",")),
        Json::Object(members) => {
            let member = |(key, value): &(String, Json)| format!("{}:{}", string(key), written(value));
            format!("{{{}}}", members.iter().map(member).collect::<Vec<_>>().join(","))
        }
    }
}
