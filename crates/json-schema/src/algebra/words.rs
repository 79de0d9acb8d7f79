//! What a schema says, in pieces that can be compared.

use rustc_hash::FxHashMap;

use crate::node::{Bound, NodeId, Schema};
use crate::reader::Json;

/// A piece of what a schema says.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) enum Piece<'a> {
    Keyword(&'static str),
    Number(u64),
    Text(&'a str),
    Value(&'a Json<'a>),
    Schema(NodeId),
}

/// The schemas that stand for others: by number, and by what they say.
#[derive(Default)]
pub(super) struct Same<'a> {
    pub(super) known: FxHashMap<NodeId, NodeId>,
    pub(super) by_words: FxHashMap<Vec<Piece<'a>>, NodeId>,
}

/// What the keywords say that have no schemas as parts.
pub(super) fn plain_words<'a>(schema: &'a Schema<'a>) -> Vec<Piece<'a>> {
    let mut words = Vec::new();
    let mut say = |keyword, piece: Option<Piece<'a>>| {
        words.extend(piece.into_iter().flat_map(|piece| [Piece::Keyword(keyword), piece]));
    };
    let flags = [schema.only_values, schema.plain_integers, schema.unique_items, schema.contains_evaluates];
    say("flags", Some(Piece::Number(flags.into_iter().fold(0, |all, flag| all << 1 | u64::from(flag)))));
    say("type", schema.types.map(|types| Piece::Number(types.bits())));
    say("const", schema.constant.map(Piece::Value));
    say("multipleOf", schema.multiple_of.map(Piece::Text));
    say("pattern", schema.pattern.map(Piece::Text));
    say("format", schema.format.map(Piece::Text));
    let numbers = [
        ("minLength", schema.min_length),
        ("maxLength", schema.max_length),
        ("minProperties", schema.min_properties),
        ("maxProperties", schema.max_properties),
        ("minContains", schema.min_contains),
        ("maxContains", schema.max_contains),
        ("minItems", schema.min_items),
        ("maxItems", schema.max_items),
    ];
    numbers.into_iter().for_each(|(keyword, number)| say(keyword, number.map(Piece::Number)));
    for (keyword, bounds) in [("minimum", schema.minimum), ("maximum", schema.maximum)] {
        for &Bound { value, exclusive } in bounds {
            say(keyword, Some(Piece::Text(value)));
            say("exclusive", Some(Piece::Number(u64::from(exclusive))));
        }
    }
    if let Some(values) = schema.values {
        words.push(Piece::Keyword("enum"));
        words.extend(values.iter().map(Piece::Value));
    }
    if !schema.required.is_empty() {
        words.push(Piece::Keyword("required"));
        words.extend(schema.required.iter().map(|&name| Piece::Text(name)));
    }
    for (name, others) in schema.dependent_required {
        words.extend([Piece::Keyword("dependentRequired"), Piece::Text(name)]);
        words.extend(others.iter().map(|&other| Piece::Text(other)));
    }
    words
}
