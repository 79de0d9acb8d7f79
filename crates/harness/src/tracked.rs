//! Grammars of JSON texts in which repetitions are noticed, and vocabularies with tokens made of structure.

use tokenstile_engine::{Grammar, Limits, Vocab};
use tokenstile_grammar::ir::{ByteSet, Tracking};
use tokenstile_grammar::{ExprId, GrammarBuilder, JsonWhitespace, RegexOptions, regex_expr};

use crate::byte_vocab;

/// Puts a grammar of JSON together.
#[derive(Debug)]
pub struct Json {
    /// What it is put together in.
    pub builder: GrammarBuilder,
    /// White space between tokens.
    pub ws: ExprId,
}

impl Json {
    /// Begins one.
    pub fn new(whitespace: JsonWhitespace) -> Self {
        let mut json = Json { builder: GrammarBuilder::new(&Limits::default()), ws: ExprId::new(1).unwrap() };
        json.ws = match whitespace {
            JsonWhitespace::Compact => json.builder.arena.empty(),
            _ => json.regex("[ \\n]{0,3}"),
        };
        json
    }

    /// What a regular expression matches.
    pub fn regex(&mut self, pattern: &str) -> ExprId {
        regex_expr(pattern, &RegexOptions::default(), &mut self.builder.arena, &Limits::default()).unwrap()
    }

    /// A string whose spelling between the quotes matches `pattern`.
    pub fn string(&mut self, pattern: &str) -> ExprId {
        self.regex(&format!("\"(?:{pattern})\""))
    }

    fn one_of(&mut self, bytes: &[u8]) -> ExprId {
        self.builder.arena.byte(bytes.iter().copied().collect::<ByteSet>())
    }

    fn separated(&mut self, entry: ExprId, comma: ExprId, (min, max): (u32, Option<u32>)) -> ExprId {
        let arena = &mut self.builder.arena;
        let next = arena.concat(&[comma, self.ws, entry]);
        let more = arena.repeat(next, min.saturating_sub(1), max.map(|m| m - 1));
        let some = arena.concat(&[entry, more]);
        if min == 0 { arena.optional(some) } else { some }
    }

    /// An array of `count` items, all different if `unique`.
    pub fn array(&mut self, item: ExprId, unique: bool, count: (u32, Option<u32>)) -> ExprId {
        let (comma, close) = if unique {
            (self.one_of(b","), self.one_of(b"]"))
        } else {
            let comma = self.one_of(&[b',', Tracking::COMMA_AFTER_REPEATED]);
            (comma, self.one_of(&[b']', Tracking::BRACKET_AFTER_REPEATED]))
        };
        let item = self.builder.arena.concat(&[item, self.ws]);
        let items = self.separated(item, comma, count);
        // What has no items repeats none.
        let empty = self.builder.arena.literal(b"]");
        let open = self.builder.arena.literal(b"[");
        let filled = match count.0 {
            0 => {
                let some = self.separated(item, comma, (1, count.1));
                let some = self.builder.arena.concat(&[some, close]);
                self.builder.arena.alt(&[some, empty])
            }
            _ => self.builder.arena.concat(&[items, close]),
        };
        self.builder.arena.concat(&[open, self.ws, filled])
    }

    /// An object of `count` members, the keys all different.
    pub fn object(&mut self, key: ExprId, value: ExprId, count: (u32, Option<u32>)) -> ExprId {
        let (open, close) = (self.one_of(b"{"), self.one_of(b"}"));
        let (comma, colon) = (self.one_of(b","), self.one_of(b":"));
        let ws = self.ws;
        let member = self.builder.arena.concat(&[key, ws, colon, ws, value, ws]);
        let members = self.separated(member, comma, count);
        self.builder.arena.concat(&[open, ws, members, close])
    }

    /// The grammar of `root`, in which neither keys nor items may repeat.
    pub fn finish(self, root: ExprId) -> Grammar {
        self.finish_with(root, Tracking { keys: true, items: true, keys_abound: 0 })
    }

    /// The grammar of `root`, in which what `tracking` says may not repeat.
    pub fn finish_with(mut self, root: ExprId, tracking: Tracking) -> Grammar {
        self.builder.track(tracking);
        let rule = self.builder.declare("root", None).unwrap();
        self.builder.define(rule, root);
        self.builder.build(rule).unwrap()
    }
}

/// Any JSON number.
pub const NUMBER: &str = r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?";
/// What stands between the quotes of any JSON string.
pub const TEXT: &str = r#"(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"#;

/// All bytes, and tokens with much structure in them.
pub fn structure_vocab() -> Vocab {
    byte_vocab(&[
        "\":",
        "\",",
        "\",\"",
        "\":\"",
        "\":1",
        "\":1,\"",
        "\":1,\"a",
        "\":1,\"a\"",
        ",\"",
        ",\"a\"",
        ",\"a\":",
        ",\"b\":1",
        "{\"",
        "{\"a\":",
        "{\"a\":1,\"a\":",
        "[\"",
        "\"]",
        "\"],[\"",
        "],[",
        "[[",
        "]]",
        "},{",
        "}]",
        ",1",
        ",1,",
        "1,1",
        "1,1,",
        ",1,1",
        "1]",
        "10",
        ".0",
        "0e",
        "e-1",
        "1.0",
        "1.0,",
        ",1.0]",
        "[1,1]",
        "[1,2",
        "aa",
        "ab",
        "ba",
        "a\"",
        "b\"",
        "a\",\"",
        "a\",\"b\"",
        "b\":",
        "\\u",
        "006",
        "\\u0061",
        "\\u0061\"",
        "61\"",
        "{}",
        ",{}",
        "[]",
        ",[]",
        "[],[]",
        "{\"x\":0}",
        "{\"x\":0,",
        "\"y\":1",
        "\"x\":0}",
        ", ",
        ", \"",
        " ]",
        "\n",
        "true",
        "true,",
        ",true",
        "null,null",
    ])
}
