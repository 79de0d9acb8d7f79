//! What a format without a `type` is.
//!
//! It is the first of the formats that has all that it needs and knows all that is there. So nothing that was written is
//! lost by a guess.

use super::fields::Fields;
use tokenstile_json_schema::Json;

/// A format by what it needs and what it may have.
struct Shape {
    name: &'static str,
    needs: &'static [&'static str],
    may: &'static [&'static str],
}

const fn shape(name: &'static str, needs: &'static [&'static str], may: &'static [&'static str]) -> Shape {
    Shape { name, needs, may }
}

/// The formats that are guessed, in the order in which they are tried.
const SHAPES: [Shape; 14] = [
    shape("tag", &["begin", "content", "end"], &[]),
    shape("const_string", &["value"], &[]),
    shape("json_schema", &["json_schema"], &["style", "any_order", "max_whitespace_cnt", "excludes"]),
    shape("any_text", &["excludes"], &["max_tokens", "max_chars"]),
    shape("sequence", &["elements"], &[]),
    shape("triggered_tags", &["triggers", "tags"], &["at_least_one", "stop_after_first", "excludes"]),
    shape(
        "token_triggered_tags",
        &["trigger_tokens", "tags"],
        &["at_least_one", "stop_after_first", "exclude_tokens"],
    ),
    shape("tags_with_separator", &["tags", "separator"], &["at_least_one", "stop_after_first"]),
    shape("optional", &["content"], &[]),
    shape("repeat", &["min", "max", "content"], &[]),
    shape("dispatch", &["rules"], &["loop", "excludes"]),
    shape("token_dispatch", &["rules"], &["loop", "exclude_tokens"]),
    shape("grammar", &["grammar"], &[]),
    shape("regex", &["pattern"], &[]),
];

/// The name of the format that these fields make, if there is one.
pub(super) fn guess(fields: &Fields<'_, '_>) -> Option<&'static str> {
    let fits = |shape: &&Shape| {
        let known = |name: &str| shape.needs.contains(&name) || shape.may.contains(&name);
        shape.needs.iter().all(|name| fields.has(name)) && fields.names().all(known)
    };
    match SHAPES.iter().find(fits)?.name {
        "dispatch" if begins_with_token(fields) => Some("token_dispatch"),
        name => Some(name),
    }
}

/// Whether the first rule of a dispatch is about a token by its number.
fn begins_with_token(fields: &Fields<'_, '_>) -> bool {
    let Some(Json::Array([Json::Array([pattern, ..]), ..])) = fields.get("rules") else { return false };
    matches!(pattern, Json::Number(_))
}
