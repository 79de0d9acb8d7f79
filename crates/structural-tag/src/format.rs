//! Structural tags as a tree.

use std::sync::Arc;

use tokenstile_grammar::ir::Warning;

/// What a whole text looks like.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct StructuralTag {
    /// What the text is made of.
    pub format: Format,
    /// The tag was written as `structures` and `triggers`, and errors show the places there.
    pub(crate) legacy: bool,
    pub(crate) warnings: Vec<Warning>,
}

impl StructuralTag {
    /// A tag of one format.
    pub fn new(format: Format) -> Self {
        StructuralTag { format, legacy: false, warnings: Vec::new() }
    }

    /// What its author should know about it.
    pub fn warnings(&self) -> &[Warning] {
        &self.warnings
    }
}

/// What a part of a text looks like.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Format {
    /// This text.
    ConstString(String),
    /// A value of a JSON Schema.
    JsonSchema(JsonSchema),
    /// A text of an EBNF grammar.
    Grammar(String),
    /// A text that a regular expression matches as a whole.
    Regex(String),
    /// Free text.
    AnyText(AnyText),
    /// All of these, one after the other.
    Sequence(Vec<Format>),
    /// One of these.
    Or(Vec<Format>),
    /// This or nothing.
    Optional(Box<Format>),
    /// This once or more often.
    Plus(Box<Format>),
    /// This any number of times.
    Star(Box<Format>),
    /// This, so many times.
    Repeat(Repeat),
    /// Something between a begin and an end.
    Tag(Box<Tag>),
    /// Free text in which tags begin with triggers.
    TriggeredTags(TriggeredTags),
    /// Free tokens in which tags begin with tokens.
    TokenTriggeredTags(TokenTriggeredTags),
    /// Tags with a separator between them, and nothing else.
    TagsWithSeparator(TagsWithSeparator),
    /// Free text in which something follows each of some texts.
    Dispatch(Dispatch),
    /// Free tokens in which something follows each of some tokens.
    TokenDispatch(TokenDispatch),
    /// One token.
    Token(Token),
    /// One token that is none of these.
    ExcludeToken(Vec<Token>),
    /// Any number of tokens.
    AnyTokens(AnyTokens),
}

/// A token of the vocabulary.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Token {
    /// By its number.
    Id(u32),
    /// By its text.
    Text(String),
}

/// A value of a JSON Schema, written in some way.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct JsonSchema {
    /// The text of the schema.
    pub schema: Arc<str>,
    /// How the value is written.
    pub style: Style,
    /// The members of objects may come in any order, instead of the order of the schema.
    pub any_order: bool,
    /// The most characters of white space in a row.
    pub max_whitespace: Option<u32>,
    /// Texts that may not be in what is written of strings and keys.
    pub excludes: Vec<String>,
}

impl JsonSchema {
    /// A value written as JSON, its members in the order of the schema.
    pub fn new(schema: Arc<str>) -> Self {
        JsonSchema {
            schema,
            style: Style::Json,
            any_order: false,
            max_whitespace: None,
            excludes: Vec::new(),
        }
    }
}

/// How a value is written.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[non_exhaustive]
pub enum Style {
    /// As JSON.
    #[default]
    Json,
    /// `<parameter=KEY>VALUE</parameter>`
    QwenXml,
    /// `<parameter name="KEY">VALUE</parameter>`
    MinimaxXml,
    /// `]<]minimax[>[<KEY>VALUE]<]minimax[>[</KEY>`, at all depths
    MinimaxM3Xml,
    /// `<｜DSML｜parameter name="KEY" string="true|false">VALUE</｜DSML｜parameter>`
    DeepseekXml,
    /// The same with a space before `parameter`.
    DeepseekV41Xml,
    /// `<arg_key>KEY</arg_key><arg_value>VALUE</arg_value>`
    GlmXml,
    /// `<cofl:value name="KEY" type="raw|json|dict|list">VALUE</cofl:value>`, at all depths
    CohereXml,
    /// `<|open|>argument key="KEY" type="TYPE"<|sep|>VALUE<|close|>argument<|sep|>`
    KimiK3Xml,
}

impl Style {
    /// All of them, with their names.
    pub(crate) const NAMES: [(&'static str, Style); 9] = [
        ("json", Style::Json),
        ("qwen_xml", Style::QwenXml),
        ("minimax_xml", Style::MinimaxXml),
        ("minimax_m3_xml", Style::MinimaxM3Xml),
        ("deepseek_xml", Style::DeepseekXml),
        ("deepseek_v4_1_xml", Style::DeepseekV41Xml),
        ("glm_xml", Style::GlmXml),
        ("cohere_xml", Style::CohereXml),
        ("kimi_k3_xml", Style::KimiK3Xml),
    ];

    /// The name that structural tags have for it.
    pub fn name(self) -> &'static str {
        Self::NAMES.iter().find(|(_, style)| *style == self).map_or("json", |(name, _)| name)
    }

    /// The style of a name.
    pub(crate) fn by_name(name: &str) -> Option<Self> {
        Self::NAMES.iter().find(|(known, _)| *known == name).map(|(_, style)| *style)
    }
}

/// Free text.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct AnyText {
    /// Texts that may not be in it.
    pub excludes: Vec<String>,
    /// The most tokens that it has.
    pub max_tokens: Option<u32>,
    /// The most characters that it has.
    pub max_chars: Option<u32>,
}

/// Something, so many times.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Repeat {
    /// At least so many times.
    pub min: u32,
    /// At most so many times.
    pub max: Option<u32>,
    /// What is repeated.
    pub content: Box<Format>,
}

/// Something between a begin and an end.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Tag {
    /// How it begins.
    pub begin: Begin,
    /// What is inside.
    pub content: Format,
    /// How it ends.
    pub end: End,
}

/// How a tag begins.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Begin {
    /// With a text.
    Text(String),
    /// With a token.
    Token(Token),
}

/// How a tag ends.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum End {
    /// With one of these texts, of which there is at least one.
    Texts(Vec<String>),
    /// With a token.
    Token(Token),
}

/// Free text in which tags begin with triggers. Each tag begins with exactly one of the triggers.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct TriggeredTags {
    /// What the tags begin with.
    pub triggers: Vec<String>,
    /// The tags.
    pub tags: Vec<Tag>,
    /// A tag comes first.
    pub at_least_one: bool,
    /// The text ends behind the first tag.
    pub stop_after_first: bool,
    /// Texts that may not be in the free text.
    pub excludes: Vec<String>,
}

/// Free tokens in which tags begin with tokens.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct TokenTriggeredTags {
    /// What the tags begin with.
    pub trigger_tokens: Vec<Token>,
    /// The tags.
    pub tags: Vec<Tag>,
    /// Tokens that may not be in the free text.
    pub exclude_tokens: Vec<Token>,
    /// A tag comes first.
    pub at_least_one: bool,
    /// The text ends behind the first tag.
    pub stop_after_first: bool,
}

/// Tags with a separator between them, and nothing else.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct TagsWithSeparator {
    /// The tags.
    pub tags: Vec<Tag>,
    /// What is between two of them.
    pub separator: String,
    /// There is at least one.
    pub at_least_one: bool,
    /// There is at most one.
    pub stop_after_first: bool,
}

/// Free text in which something follows each of some texts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Dispatch {
    /// The texts, and what follows them.
    pub rules: Vec<(String, Format)>,
    /// Free text goes on behind what follows a text.
    pub repeats: bool,
    /// Texts that may not be in the free text.
    pub excludes: Vec<String>,
}

/// Free tokens in which something follows each of some tokens.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TokenDispatch {
    /// The tokens, and what follows them.
    pub rules: Vec<(Token, Format)>,
    /// Free tokens go on behind what follows a token.
    pub repeats: bool,
    /// Tokens that may not be among the free ones.
    pub exclude_tokens: Vec<Token>,
}

/// Any number of tokens.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct AnyTokens {
    /// Tokens that may not be among them.
    pub exclude_tokens: Vec<Token>,
    /// The most there are.
    pub max_tokens: Option<u32>,
}
