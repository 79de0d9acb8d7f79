//! How the styles of schemas are written, as data.

use tokenstile_json_schema::{Between, Close, FreeKeys, Items, Kinds, Markup};

use crate::format::Style;

/// Words between marks of angle brackets.
const USUAL: Markup = Markup {
    before_key: "",
    escape: &[],
    between: Between::Text(""),
    close: Close::Text("</parameter>"),
    raw_end: "</parameter>",
    blank_strings: true,
    blank_values: true,
    items: None,
    free_keys: FreeKeys::Words,
};

/// The words of DeepSeek, which are true for strings and false for all else.
const IS_STRING: Kinds = Kinds {
    string: "true",
    number: "false",
    boolean: "false",
    null: "false",
    object: "false",
    array: "false",
};

static QWEN: Markup = Markup { before_key: "<parameter=", between: Between::Text(">"), ..USUAL };

static MINIMAX: Markup = Markup { before_key: "<parameter name=\"", between: Between::Text("\">"), ..USUAL };

static DEEPSEEK: Markup = Markup {
    before_key: "<｜DSML｜parameter name=\"",
    between: Between::Kind { before: "\" string=\"", kinds: IS_STRING, after: "\">" },
    close: Close::Text("</｜DSML｜parameter>"),
    raw_end: "</｜DSML｜parameter>",
    blank_strings: false,
    ..USUAL
};

static DEEPSEEK_V4_1: Markup = Markup {
    before_key: "<｜DSML｜ parameter name=\"",
    between: Between::Kind { before: "\" string=\"", kinds: IS_STRING, after: "\">" },
    close: Close::Text("</｜DSML｜ parameter>"),
    raw_end: "</｜DSML｜ parameter>",
    blank_strings: false,
    ..USUAL
};

static GLM: Markup = Markup {
    before_key: "<arg_key>",
    between: Between::Gap("</arg_key>", "<arg_value>"),
    close: Close::Text("</arg_value>"),
    raw_end: "</arg_value>",
    ..USUAL
};

static KIMI_K3: Markup = Markup {
    before_key: "<|open|>argument key=\"",
    escape: &[('&', "&amp;"), ('"', "&quot;")],
    between: Between::Kind {
        before: "\" type=\"",
        kinds: Kinds {
            string: "string",
            number: "number",
            boolean: "boolean",
            null: "null",
            object: "object",
            array: "array",
        },
        after: "\"<|sep|>",
    },
    close: Close::Text("<|close|>argument<|sep|>"),
    raw_end: "<|close|>argument<|sep|>",
    ..USUAL
};

static COHERE: Markup = Markup {
    before_key: "<cofl:value name=\"",
    escape: &[('&', "&amp;"), ('<', "&lt;"), ('>', "&gt;"), ('"', "&quot;")],
    between: Between::Kind {
        before: "\" type=\"",
        kinds: Kinds {
            string: "raw",
            number: "json",
            boolean: "json",
            null: "json",
            object: "dict",
            array: "list",
        },
        after: "\">",
    },
    close: Close::Text("</cofl:value>"),
    raw_end: "</cofl:value>",
    items: Some(Items::Unnamed("<cofl:value")),
    free_keys: FreeKeys::Plain,
    ..USUAL
};

static MINIMAX_M3: Markup = Markup {
    before_key: "]<]minimax[>[<",
    between: Between::Text(">"),
    close: Close::Key("]<]minimax[>[</", ">"),
    raw_end: "]<]minimax[>[",
    blank_strings: false,
    blank_values: false,
    items: Some(Items::Named("item")),
    free_keys: FreeKeys::Refused,
    ..USUAL
};

/// The marks of a style; none for JSON.
pub(super) fn markup(style: Style) -> Option<&'static Markup> {
    match style {
        Style::Json => None,
        Style::QwenXml => Some(&QWEN),
        Style::MinimaxXml => Some(&MINIMAX),
        Style::MinimaxM3Xml => Some(&MINIMAX_M3),
        Style::DeepseekXml => Some(&DEEPSEEK),
        Style::DeepseekV41Xml => Some(&DEEPSEEK_V4_1),
        Style::GlmXml => Some(&GLM),
        Style::CohereXml => Some(&COHERE),
        Style::KimiK3Xml => Some(&KIMI_K3),
    }
}
