//! Built-in JSON: any value of RFC 8259.
//!
//! Five rules: `value`, `object`, `array`, `string`, `number`. Only objects and arrays recurse; strings and
//! numbers are rules of their own because whoever runs the grammar can prepare them once and for all.

use crate::error::Error;
use crate::ids::ExprId;
use crate::ir::{Arena, CharSet, Grammar, GrammarBuilder};
use crate::limits::Limits;
use crate::regex::{RegexOptions, regex_expr};

/// How much white space may stand between the tokens of a JSON text. There is never any around the whole of
/// it: a model that may start or end with white space may write nothing else.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub enum JsonWhitespace {
    /// As RFC 8259 has it: any number of spaces, tabs and newlines.
    Any,
    /// What a writer of JSON puts there, and no endless runs: at most one newline, then at most 256 spaces and
    /// tabs.
    #[default]
    Bounded,
    /// None.
    Compact,
    /// What this regular expression matches from start to end. It should match nothing but white space.
    Pattern(std::sync::Arc<str>),
}

/// The white space that may stand between two tokens.
pub fn white_space(kind: &JsonWhitespace, arena: &mut Arena, limits: &Limits) -> Result<ExprId, Error> {
    let blank = arena.chars(&CharSet::of(" \t"));
    Ok(match kind {
        JsonWhitespace::Any => {
            let any = arena.chars(&CharSet::of(" \t\n\r"));
            arena.star(any)
        }
        JsonWhitespace::Bounded => {
            let (lf, crlf) = (arena.literal(b"\n"), arena.literal(b"\r\n"));
            let newline = arena.alt(&[lf, crlf]);
            let newline = arena.optional(newline);
            // More than any token is long: a mask need not know how many there were.
            let blanks = arena.repeat(blank, 0, Some(256));
            arena.concat(&[newline, blanks])
        }
        JsonWhitespace::Compact => arena.empty(),
        JsonWhitespace::Pattern(pattern) => {
            let pattern = regex_expr(pattern, &RegexOptions::default(), arena, limits)?;
            let any = arena.chars(&CharSet::of(" \t\n\r"));
            let any = arena.star(any);
            arena.and(&[pattern, any])
        }
    })
}

impl Grammar {
    /// Any JSON value, with [bounded](JsonWhitespace::Bounded) white space between its tokens.
    ///
    /// ```
    /// use tokenstile_grammar::{Grammar, Limits};
    /// let grammar = Grammar::json(&Limits::default())?;
    /// assert_eq!(&*grammar.rule(grammar.root()).name, "value");
    /// # Ok::<(), tokenstile_grammar::Error>(())
    /// ```
    pub fn json(limits: &Limits) -> Result<Grammar, Error> {
        Grammar::json_with(JsonWhitespace::default(), limits)
    }

    /// Any JSON value (RFC 8259), with the white space of one's choice between its tokens.
    ///
    /// ```
    /// use tokenstile_grammar::{Grammar, JsonWhitespace, Limits};
    /// let grammar = Grammar::json_with(JsonWhitespace::Compact, &Limits::default())?;
    /// assert!(grammar.to_string().contains(r#"array ::= ("[" (value ("," value)*)? "]")"#));
    /// # Ok::<(), tokenstile_grammar::Error>(())
    /// ```
    pub fn json_with(whitespace: JsonWhitespace, limits: &Limits) -> Result<Grammar, Error> {
        let mut grammar = GrammarBuilder::new(limits);
        let rules = ["value", "object", "array", "string", "number"];
        let [value, object, array, string, number] = rules.map(|name| grammar.declare(name, None));
        let (value, object, array, string, number) = (value?, object?, array?, string?, number?);
        let arena = &mut grammar.arena;

        let ws = white_space(&whitespace, arena, limits)?;
        let calls = [object, array, string, number].map(|rule| arena.rule(rule));
        let words = ["true", "false", "null"].map(|word| arena.literal(word.as_bytes()));
        let value_body = arena.alt(&[&calls[..], &words[..]].concat());

        let (call_value, call_string, colon) = (arena.rule(value), arena.rule(string), arena.literal(b":"));
        let member = arena.concat(&[call_string, ws, colon, ws, call_value, ws]);
        let object_body = brackets(arena, b"{", member, b"}", ws);
        let item = arena.concat(&[call_value, ws]);
        let array_body = brackets(arena, b"[", item, b"]", ws);

        let string_body = string_expr(arena);
        let number_body = number_expr(arena);
        grammar.define(value, value_body);
        grammar.define(object, object_body);
        grammar.define(array, array_body);
        grammar.define(string, string_body);
        grammar.define(number, number_body);
        grammar.build(value)
    }
}

/// `open`, items with commas between them, `close`. White space after an item is part of it.
pub fn brackets(arena: &mut Arena, open: &[u8], item: ExprId, close: &[u8], ws: ExprId) -> ExprId {
    let (open, comma, close) = (arena.literal(open), arena.literal(b","), arena.literal(close));
    let next = arena.concat(&[comma, ws, item]);
    let more = arena.star(next);
    let items = arena.concat(&[item, more]);
    let items = arena.optional(items);
    arena.concat(&[open, ws, items, close])
}

/// A JSON string, with its quotes.
fn string_expr(arena: &mut Arena) -> ExprId {
    let raw = CharSet::from_ranges([(0, 0x1F), (0x22, 0x22), (0x5C, 0x5C)]).complement();
    let (raw, quote, backslash) = (arena.chars(&raw), arena.literal(b"\""), arena.literal(b"\\"));
    let hex = arena.chars(&CharSet::of("0123456789abcdefABCDEF"));
    let (u, hex) = (arena.literal(b"u"), arena.repeat(hex, 4, Some(4)));
    let short = arena.chars(&CharSet::of("\"\\/bfnrt"));
    let long = arena.concat(&[u, hex]);
    let escaped = arena.alt(&[short, long]);
    let escape = arena.concat(&[backslash, escaped]);
    let character = arena.alt(&[raw, escape]);
    let characters = arena.star(character);
    arena.concat(&[quote, characters, quote])
}

/// A JSON number.
pub fn number_expr(arena: &mut Arena) -> ExprId {
    let digit = arena.chars(&CharSet::from_ranges([(0x30, 0x39)]));
    let nonzero = arena.chars(&CharSet::from_ranges([(0x31, 0x39)]));
    let (digits, some_digits) = (arena.star(digit), arena.repeat(digit, 1, None));
    let (zero, positive) = (arena.literal(b"0"), arena.concat(&[nonzero, digits]));
    let (minus, integer) = (arena.literal(b"-"), arena.alt(&[zero, positive]));
    let minus = arena.optional(minus);
    let point = arena.literal(b".");
    let fraction = arena.concat(&[point, some_digits]);
    let fraction = arena.optional(fraction);
    let (e, sign) = (arena.chars(&CharSet::of("eE")), arena.chars(&CharSet::of("+-")));
    let sign = arena.optional(sign);
    let exponent = arena.concat(&[e, sign, some_digits]);
    let exponent = arena.optional(exponent);
    arena.concat(&[minus, integer, fraction, exponent])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rules_are_as_written_down() {
        let compact = Grammar::json_with(JsonWhitespace::Compact, &Limits::default()).unwrap().to_string();
        for rule in [
            r#"object ::= ("{" (string ":" value ("," string ":" value)*)? "}")"#,
            r#"number ::= ("-"? ("0" | ([1-9] [0-9]*)) ("." [0-9]+)? ([Ee] [+\u{2D}]? [0-9]+)?)"#,
        ] {
            assert!(compact.contains(rule), "{rule}\n{compact}");
        }
        let any = Grammar::json_with(JsonWhitespace::Any, &Limits::default()).unwrap().to_string();
        assert!(any.starts_with("value ::= ("), "{any}");
        assert!(Grammar::json(&Limits { rules: 3, ..Limits::default() }).is_err());
    }
}
