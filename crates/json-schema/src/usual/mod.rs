//! What schemas usually ask for, and texts of it: so that whoever runs them can build ahead what they have in common.
//!
//! Out come small grammars over the base, one after the other, the commonest first.

mod shapes;

use tokenstile_grammar::ir::Usual;
use tokenstile_grammar::{Error, Grammar};

use crate::string::FormatId;
use shapes::{AROUND, CLASSES, IN_RANGES, PLAIN, RANGES, VALUES};

/// Reads a schema.
type Read = fn(&str) -> Result<Grammar, Error>;

/// Makes them as they are asked for, with what reads a schema.
pub(crate) fn grammars(read: Read) -> Box<dyn Iterator<Item = Usual>> {
    let plain = PLAIN.iter().map(move |(schema, text)| usual(read, schema, vec![(*text).to_owned()]));
    let values = VALUES.iter().flat_map(move |(value, texts)| {
        AROUND.iter().map(move |(schema, text)| usual(read, &schema.replace('@', value), around(text, texts)))
    });
    let ranges = RANGES.iter().flat_map(move |range| {
        let few = AROUND.iter().take(3);
        few.map(move |(schema, text)| usual(read, &schema.replace('@', range), around(text, &IN_RANGES)))
    });
    let formats = FormatId::shared().map(move |format| {
        let texts = format.samples().iter().map(|text| format!(r#"{{"a": "{text}"}}"#)).collect();
        usual(read, &schema_of("format", format.name()), texts)
    });
    let classes = CLASSES.iter().map(move |class| {
        let schema = schema_of("pattern", &format!("^{class}+$"));
        usual(read, &schema, vec![r#"{"a": ""#.to_owned()])
    });
    Box::new(plain.chain(values).chain(ranges).chain(formats).chain(classes).flatten())
}

/// The grammar of a schema, with its texts.
fn usual(read: Read, schema: &str, texts: Vec<String>) -> Option<Usual> {
    let grammar = read(schema).ok()?;
    Some(Usual { grammar, texts })
}

/// A text with each of some values.
fn around(text: &str, values: &[&str]) -> Vec<String> {
    values.iter().map(|value| text.replace('@', value)).collect()
}

/// An object of which a member is a string with a keyword.
fn schema_of(keyword: &str, value: &str) -> String {
    format!(r#"{{"type": "object", "properties": {{"a": {{"type": "string", "{keyword}": {value:?}}}}}}}"#)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_of_them_can_be_read() {
        let schemas = PLAIN.len() + (VALUES.len() * AROUND.len()) + (RANGES.len() * 3) + CLASSES.len();
        assert_eq!(crate::usual_grammars().count(), schemas + FormatId::shared().count());
    }
}
