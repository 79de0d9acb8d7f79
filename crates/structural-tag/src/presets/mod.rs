//! Structural tags for the chat formats of models.
//!
//! Most formats are rows of a table (`table`), made into a tree by one function (`build`). Those that are put together in
//! a way of their own have a function each (`own`).

mod build;
mod own;
mod table;
mod tools;

use tokenstile_grammar::{Error, ErrorKind};

pub use self::tools::{AllowedTools, Tool, ToolChoice, ToolKind};
use crate::format::*;

/// Whether a model thinks before it answers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[non_exhaustive]
pub enum Reasoning {
    /// It does.
    #[default]
    Enabled,
    /// It does not.
    Disabled,
    /// It may.
    Auto,
}

/// How a structural tag for a model is made.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct PresetOptions {
    /// Which tools may or must be called.
    pub tool_choice: ToolChoice,
    /// Whether the model thinks first.
    pub reasoning: Reasoning,
    /// There may be more than one call.
    pub parallel_tool_calls: bool,
    /// The arguments of calls may come in any order.
    pub any_order: bool,
    /// Free text has none of the model's own marks.
    pub exclude_special_tokens: bool,
    /// The most characters of white space in a row in arguments.
    pub max_whitespace: Option<u32>,
    /// What the marks of `hy_v4` end with.
    pub token_suffix: String,
}

impl Default for PresetOptions {
    fn default() -> Self {
        PresetOptions {
            tool_choice: ToolChoice::Auto,
            reasoning: Reasoning::Enabled,
            parallel_tool_calls: true,
            any_order: false,
            exclude_special_tokens: true,
            max_whitespace: None,
            token_suffix: String::new(),
        }
    }
}

/// The names of the chat formats.
pub fn presets() -> impl Iterator<Item = &'static str> {
    table::PRESETS.iter().map(|preset| preset.name).chain(own::OWN.iter().map(|(name, _)| *name))
}

/// The structural tag for what a model writes, in the chat format of a name (see [`presets`]).
///
/// ```
/// use tokenstile_structural_tag::{PresetOptions, Tool, ToolChoice, structural_tag_for};
/// let tools = [Tool::function("now", None)];
/// let mut options = PresetOptions::default();
/// options.tool_choice = ToolChoice::Required;
/// let tag = structural_tag_for("hermes", &tools, &options)?;
/// assert!(tag.to_json().contains("<tool_call>"));
/// # Ok::<(), tokenstile_grammar::Error>(())
/// ```
pub fn structural_tag_for(
    model: &str,
    tools: &[Tool],
    options: &PresetOptions,
) -> Result<StructuralTag, Error> {
    let chosen = tools::choose(tools, &options.tool_choice)?;
    if let Some((_, make)) = own::OWN.iter().find(|(name, _)| *name == model) {
        return make(&chosen, options).map(StructuralTag::new);
    }
    let Some(preset) = table::PRESETS.iter().find(|preset| preset.name == model) else {
        let message = format!("there is no chat format `{}`", model.escape_debug());
        return Err(Error::new(ErrorKind::Unsupported, message));
    };
    match chosen.builtins.first() {
        Some(tool) => Err(tools::no_form(model, &format!("the tool `{}` of the server", tool.name))),
        None => Ok(StructuralTag::new(build::build(preset, &chosen, options))),
    }
}
