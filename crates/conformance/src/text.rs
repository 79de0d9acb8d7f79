//! JSON texts as Python writes them, and what a parsed value no longer tells: repeated keys.

use std::io;

use serde_json::Value;
use serde_json::ser::{Formatter, Serializer};

/// The text of a value as Python's `json.dumps(value, ensure_ascii=False)` writes it: `, ` and `: ` between tokens, no
/// escapes but the necessary ones. Numbers keep the text they were read with, but for the form of exponents.
pub(crate) fn dumps(value: &Value) -> String {
    let mut text = Vec::new();
    let mut serializer = Serializer::with_formatter(&mut text, Spaced);
    // Writing to a vector does not fail, and every value can be written.
    let _ = serde::Serialize::serialize(value, &mut serializer);
    String::from_utf8(text).unwrap_or_default()
}

struct Spaced;

impl Formatter for Spaced {
    fn begin_array_value<W: ?Sized + io::Write>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        if first { Ok(()) } else { writer.write_all(b", ") }
    }

    fn begin_object_key<W: ?Sized + io::Write>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        if first { Ok(()) } else { writer.write_all(b", ") }
    }

    fn begin_object_value<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        writer.write_all(b": ")
    }
}

/// Whether some object in `text` has a key twice. `value` is what was read from it: there, of each key one is left.
pub(crate) fn repeats_key(text: &str, value: &Value) -> bool {
    written_members(text) != members(value)
}

/// Colons outside of strings: one for each member.
fn written_members(text: &str) -> usize {
    let (mut count, mut in_string, mut escaped) = (0, false, false);
    for byte in text.bytes() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = in_string,
            b'"' => in_string = !in_string,
            b':' if !in_string => count += 1,
            _ => {}
        }
    }
    count
}

fn members(value: &Value) -> usize {
    let (mut count, mut open) = (0, vec![value]);
    while let Some(value) = open.pop() {
        match value {
            Value::Array(items) => open.extend(items),
            Value::Object(members) => {
                count += members.len();
                open.extend(members.values());
            }
            _ => {}
        }
    }
    count
}

/// At most the first `most` characters of a text, in one line.
pub(crate) fn excerpt(text: &str, most: usize) -> String {
    let mut short: String = text.chars().take(most).map(|c| if c == '\n' { '⏎' } else { c }).collect();
    if text.chars().nth(most).is_some() {
        short.push('…');
    }
    short
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_as_python_writes_them() {
        // What `json.dumps(json.loads(text), ensure_ascii=False)` prints for each.
        for (text, dumped) in [
            (r#"{"a":[1,2.5,-1.0,1e+16],"b":{}}"#, r#"{"a": [1, 2.5, -1.0, 1e+16], "b": {}}"#),
            (r#"[]"#, "[]"),
            (r#"[[],{"":null}]"#, r#"[[], {"": null}]"#),
            (r#""\u00e9\ud83d\ude00\u007f""#, "\"é😀\u{7f}\""),
            (r#""\u0000\b\f\n\r\t\"\\\/\u001f""#, r#""\u0000\b\f\n\r\t\"\\/\u001f""#),
            (r#"{"z":true,"a":false}"#, r#"{"z": true, "a": false}"#),
            ("123456789012345678901234567890", "123456789012345678901234567890"),
            // But for this one: the text of a number stays.
            ("2.50", "2.50"),
        ] {
            let value: Value = serde_json::from_str(text).unwrap();
            assert_eq!(dumps(&value), dumped);
        }
    }

    #[test]
    fn repeated_keys_are_found() {
        let repeats = |text: &str| repeats_key(text, &serde_json::from_str(text).unwrap());
        assert!(repeats(r#"{"a": 1, "a": 2}"#));
        assert!(repeats(r#"[{"x": {"a": 1, "b": [], "\u0061": 2}}]"#));
        assert!(!repeats(r#"{"a": {"a": 1}, "b:": ":\":", "\\": 1, ":": [":"]}"#));
        assert!(!repeats("[1, 2]"));
    }
}
