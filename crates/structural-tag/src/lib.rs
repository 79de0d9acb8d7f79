//! Structural tags for Tokenstile: free text with calls of tools in it.
//!
//! This is an internal crate of `tokenstile`, of the same version, and it makes no promise of stability: use it through
//! `tokenstile`.
//!
//! A structural tag is what vLLM and SGLang are sent to say what a text with strict calls of tools looks like: JSON with
//! formats in formats. It is read (`read`) into a tree ([`Format`]), or made for the chat format of a model
//! ([`structural_tag_for`]), checked (`check`), and becomes a grammar (`lower`).

mod check;
mod format;
mod lower;
mod path;
mod presets;
mod read;
mod write;

pub use format::{
    AnyText, AnyTokens, Begin, Dispatch, End, Format, JsonSchema, Repeat, StructuralTag, Style, Tag,
    TagsWithSeparator, Token, TokenDispatch, TokenTriggeredTags, TriggeredTags,
};
pub use presets::{
    AllowedTools, PresetOptions, Reasoning, Tool, ToolChoice, ToolKind, presets, structural_tag_for,
};

use tokenstile_grammar::{Error, Limits};

impl StructuralTag {
    /// Reads a structural tag from its JSON: `{"type": "structural_tag", "format": …}`, or the older form with
    /// `structures` and `triggers`.
    ///
    /// An error has the JSON pointer of its place.
    ///
    /// ```
    /// use tokenstile_grammar::Limits;
    /// use tokenstile_structural_tag::StructuralTag;
    /// let text = r#"{"type": "structural_tag", "format": {"type": "tag", "begin": "<a>", "content": {}, "end": "</a>"}}"#;
    /// let error = StructuralTag::from_json(text, &Limits::default()).unwrap_err();
    /// assert_eq!(error.pointer(), Some("/format/content"));
    /// ```
    pub fn from_json(text: &str, limits: &Limits) -> Result<Self, Error> {
        let mut tag = read::read(text, limits)?;
        check::check_all(&mut tag)?;
        Ok(tag)
    }
}
