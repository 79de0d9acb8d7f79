//! The schemas that stand for what is usual: schemas that say what many say, and texts in which much of it is seen.
//!
//! Places that begin alike lead to the same masks, so what counts is which values there are, what stands around them, and
//! where in a text a token may end. The values are those of the base of all schemas, and what the schemas in the wild ask
//! for most: ranges of numbers that ports, percentages, degrees and sizes have, lengths, lists and dictionaries.

/// Schemas of which constraints have much in common with many others, and texts.
pub(super) const PLAIN: [(&str, &str); 6] = [
    ("true", r#"{"a": [1, -2.5e3, true, false, null, "b\n", [], {}], "c": {"d": {"e": [{}]}}}"#),
    ("true", "{\n  \"a\": [\n    1,\n    \"b\"\n  ],\n  \"c\": {\n    \"d\": true\n  }\n}"),
    (r#"{"type": "string", "format": "uri", "pattern": "^https?://"}"#, r#""https://a.org/b""#),
    (r#"{"type": "object", "additionalProperties": false}"#, "{}"),
    (r#"{"type": "object", "properties": {"a": {"type": "array", "maxItems": 0}}}"#, r#"{"a": [], "b": 1}"#),
    (
        r#"{"type": "object", "properties": {"a": {"type": "object", "maxProperties": 0}}}"#,
        r#"{"a": {}, "b": 1}"#,
    ),
];

/// What a value may stand in: a schema and a text, with `@` for the value's.
pub(super) const AROUND: [(&str, &str); 9] = [
    (r#"{"type": "object", "properties": {"a": @, "b": @}}"#, r#"{"a": @, "b": @, "c": 1}"#),
    (
        r#"{"type": "object", "properties": {"a": @, "b": @}, "required": ["a", "b"], "additionalProperties": false}"#,
        r#"{"a": @, "b": @}"#,
    ),
    (r#"{"type": "object", "properties": {"a": {"type": "array", "items": @}}}"#, r#"{"a": [@, @], "b": 1}"#),
    (
        r#"{"type": "object", "properties": {"a": {"type": "array", "items": @, "minItems": 1}}}"#,
        r#"{"a": [@, @], "b": 1}"#,
    ),
    (r#"{"type": "array", "items": @}"#, "[@, @]"),
    (
        r#"{"type": "object", "properties": {"a": {"type": "object", "additionalProperties": @}}}"#,
        r#"{"a": {"b": @, "cd": @}, "b": 1}"#,
    ),
    (r#"{"type": "object", "additionalProperties": @}"#, r#"{"a": @, "bc": @}"#),
    (
        r#"{"type": "object", "properties": {"a": {"type": "boolean"}}, "additionalProperties": @}"#,
        r#"{"b": @, "ab": @}"#,
    ),
    (
        r#"{"type": "object", "patternProperties": {"^[a-z]+$": @}, "additionalProperties": false}"#,
        r#"{"a": @, "bc": @}"#,
    ),
];

const ANY: &[&str] = &["0.5", r#""a""#, "{}", "[]", "true", r#"{"a": [1]}"#];
const STRINGS: &[&str] = &[r#""a b""#, r#""""#];
const WORDS: &[&str] = &[r#""a b""#];
const NUMBERS: &[&str] = &["0", "-1", "10", "-12.25", "0.5", "3e-1"];
const INTEGERS: &[&str] = &["0", "-1", "10", "-12", "1234567"];
const OBJECTS: &[&str] = &[r#"{"a": 1, "b": "c"}"#, "{}"];
const ARRAYS: &[&str] = &["[]", r#"["a", 1]"#];

/// Values that many schemas ask for, with texts of them.
pub(super) const VALUES: [(&str, &[&str]); 48] = [
    (r#"{}"#, ANY),
    (r#"{"type": "string"}"#, STRINGS),
    (r#"{"type": "string", "minLength": 1}"#, WORDS),
    (r#"{"type": "string", "minLength": 2}"#, WORDS),
    (r#"{"type": "string", "maxLength": 99}"#, STRINGS),
    (r#"{"type": "string", "minLength": 1, "maxLength": 99}"#, WORDS),
    (r#"{"type": "number"}"#, NUMBERS),
    (r#"{"type": "integer"}"#, INTEGERS),
    (r#"{"type": "integer", "minimum": 0}"#, &["0", "10", "1234567"]),
    (r#"{"type": "integer", "minimum": 1}"#, &["1", "10", "1234567"]),
    (r#"{"type": "number", "minimum": 0}"#, &["0", "0.5", "10", "12.25", "3e-1"]),
    (r#"{"type": "number", "exclusiveMinimum": 0}"#, &["1", "0.5", "10", "12.25", "3e-1"]),
    (r#"{"type": "number", "minimum": 1}"#, &["1", "10", "12.25", "3e1"]),
    (r#"{"type": "number", "minimum": 0, "maximum": 1}"#, &["0", "0.5", "0.25", "1", "1.0"]),
    (r#"{"type": "boolean"}"#, &["true", "false"]),
    (r#"{"type": "null"}"#, &["null"]),
    (r#"{"type": "object"}"#, OBJECTS),
    (r#"{"type": "array"}"#, ARRAYS),
    (r#"{"type": "array", "items": {"type": "string"}}"#, &["[]", r#"["a", "b c"]"#]),
    (r#"{"type": "array", "items": {"type": "string"}, "minItems": 1}"#, &[r#"["a", "b c"]"#]),
    (r#"{"type": "array", "items": {"type": "number"}}"#, &["[]", "[0.5, 12, -1]"]),
    (r#"{"type": "array", "items": {"type": "integer"}}"#, &["[]", "[5, 12, -1]"]),
    (r#"{"type": "array", "items": {"type": "object"}}"#, &["[]", r#"[{"a": 1}, {}]"#]),
    (r#"{"type": "array", "items": {"enum": ["ab", "cd", "xyz"]}}"#, &["[]", r#"["ab", "xyz"]"#]),
    (r#"{"type": "object", "additionalProperties": {"type": "string"}}"#, &[r#"{"a": "b", "c": ""}"#, "{}"]),
    (r#"{"type": "object", "additionalProperties": {"type": "boolean"}}"#, &[r#"{"a": true, "c": false}"#]),
    (r#"{"type": "object", "properties": {"ab": {"type": "string"}}}"#, &[r#"{"ab": "b", "c": 1}"#, "{}"]),
    (
        r#"{"type": "object", "properties": {"ab": {"type": "string"}, "cd": {}}, "required": ["ab"], "additionalProperties": false}"#,
        &[r#"{"ab": "b"}"#, r#"{"cd": 1, "ab": "b"}"#],
    ),
    (r#"{"enum": ["ab", "cd", "xyz"]}"#, &[r#""ab""#, r#""xyz""#]),
    (r#"{"enum": ["ab", "xyz", null]}"#, &[r#""ab""#, "null"]),
    (r#"{"const": "abc"}"#, &[r#""abc""#]),
    (r#"{"const": 1}"#, &["1"]),
    (r#"{"type": ["boolean", "null"]}"#, &["true", "null"]),
    (r#"{"type": ["string", "null"]}"#, &[r#""a""#, "null"]),
    (r#"{"type": ["number", "null"]}"#, &["12.5", "null"]),
    (r#"{"type": ["integer", "null"]}"#, &["12", "null"]),
    (r#"{"type": ["object", "null"]}"#, &[r#"{"a": 1}"#, "null"]),
    (r#"{"type": ["array", "null"], "items": {"type": "string"}}"#, &[r#"["a"]"#, "null"]),
    (r#"{"type": ["number", "string"]}"#, &["12.5", r#""a""#]),
    (r#"{"type": ["integer", "string"]}"#, &["12", r#""a""#]),
    (r#"{"type": ["number", "string", "null"]}"#, &["12.5", r#""a""#, "null"]),
    (r#"{"type": ["boolean", "string"]}"#, &["true", r#""a""#]),
    (r#"{"type": ["boolean", "number"]}"#, &["true", "12.5"]),
    (r#"{"type": ["boolean", "number", "string", "null"]}"#, &["true", "12.5", r#""a""#, "null"]),
    (r#"{"type": ["array", "string"], "items": {"type": "string"}}"#, &[r#"["a"]"#, r#""a""#]),
    (r#"{"type": ["object", "string"]}"#, &[r#"{"a": 1}"#, r#""a""#]),
    (r#"{"type": ["boolean", "object"]}"#, &[r#"{"a": 1}"#, "true"]),
    (r#"{"type": ["array", "object"]}"#, &[r#"{"a": 1}"#, "[1]"]),
];

/// Ranges of numbers.
pub(super) const RANGES: [&str; 34] = [
    r#"{"type": "integer", "minimum": 0, "maximum": 1}"#,
    r#"{"type": "integer", "minimum": 0, "maximum": 5}"#,
    r#"{"type": "integer", "minimum": 1, "maximum": 5}"#,
    r#"{"type": "integer", "minimum": 0, "maximum": 10}"#,
    r#"{"type": "integer", "minimum": 1, "maximum": 12}"#,
    r#"{"type": "integer", "minimum": 0, "maximum": 59}"#,
    r#"{"type": "integer", "minimum": 0, "maximum": 100}"#,
    r#"{"type": "integer", "minimum": 1, "maximum": 100}"#,
    r#"{"type": "integer", "minimum": 0, "maximum": 255}"#,
    r#"{"type": "integer", "minimum": 0, "maximum": 1000}"#,
    r#"{"type": "integer", "minimum": 100, "maximum": 599}"#,
    r#"{"type": "integer", "minimum": 1, "maximum": 3600}"#,
    r#"{"type": "integer", "minimum": 0, "maximum": 65535}"#,
    r#"{"type": "integer", "minimum": 1, "maximum": 65535}"#,
    r#"{"type": "integer", "minimum": 1, "maximum": 86400}"#,
    r#"{"type": "integer", "minimum": 0, "maximum": 2147483647}"#,
    r#"{"type": "integer", "minimum": 2}"#,
    r#"{"type": "integer", "minimum": -1}"#,
    r#"{"type": "number", "minimum": 0, "maximum": 100}"#,
    r#"{"type": "number", "minimum": 0, "maximum": 1000}"#,
    r#"{"type": "number", "minimum": -90, "maximum": 90}"#,
    r#"{"type": "number", "minimum": -180, "maximum": 180}"#,
    r#"{"type": "number", "minimum": 0.1}"#,
    r#"{"type": "number", "minimum": 100}"#,
    r#"{"type": "number", "minimum": 1, "maximum": 5}"#,
    r#"{"type": "number", "minimum": 0, "maximum": 10}"#,
    r#"{"type": "number", "minimum": 0, "maximum": 255}"#,
    r#"{"type": "number", "minimum": 1, "maximum": 65535}"#,
    r#"{"type": "integer", "minimum": 0, "maximum": 3}"#,
    r#"{"type": "integer", "minimum": 0, "maximum": 23}"#,
    r#"{"type": "integer", "minimum": 1, "maximum": 31}"#,
    r#"{"type": "integer", "minimum": 1, "maximum": 1000}"#,
    r#"{"type": "integer", "minimum": 1024, "maximum": 65535}"#,
    r#"{"type": "integer", "minimum": 60}"#,
];

/// Numbers of which some are in each of them.
pub(super) const IN_RANGES: [&str; 16] =
    ["0", "1", "-1", "3", "5", "8", "12", "45", "75", "100", "179.5", "0.5", "200", "443", "3000", "65535"];

/// Classes of characters that patterns have often: those of names and paths, and the categories of Unicode.
pub(super) const CLASSES: [&str; 32] = [
    r"\d",
    "[a-z]",
    "[A-Z]",
    "[A-Za-z]",
    "[A-Za-z0-9]",
    "[A-Z0-9_]",
    "[a-z0-9]",
    "[a-z0-9-]",
    "[a-z0-9_]",
    "[A-Za-z0-9_-]",
    "[A-Za-z0-9._-]",
    "[A-Za-z ]",
    "[0-9A-Fa-f]",
    "[^/]",
    r"\w",
    r"[\w-]",
    r"[\w.-]",
    r"\S",
    r"\p{L}",
    r"\p{Lu}",
    r"\p{Ll}",
    r"\p{Lo}",
    r"\p{N}",
    r"\p{Nd}",
    r"\p{P}",
    r"\p{S}",
    r"\p{M}",
    r"[\p{L}\p{N}]",
    r"[\p{L}\p{M}]",
    r"[\p{L}\p{M}\p{N}]",
    r"[\p{L}\p{M}\p{Nd}]",
    r"\P{C}",
];
