//! Tools, and which of them may be called.

use std::sync::Arc;

use bumpalo::Bump;
use tokenstile_grammar::limits::Budget;
use tokenstile_grammar::{Error, ErrorKind, Limits};
use tokenstile_json_schema::Json;

use crate::path::{Path, syntax};
use crate::read::fields::{Fields, wrong};
use crate::read::schema_text;

/// A tool that a model may call.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Tool {
    /// What it is called.
    pub name: String,
    /// The JSON Schema of its arguments.
    pub parameters: Option<Arc<str>>,
    /// Whether its arguments are held to the schema; only `Some(false)` says that they are not.
    pub strict: Option<bool>,
    /// Whose tool it is.
    pub kind: ToolKind,
}

/// Whose tool it is.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum ToolKind {
    /// The caller's.
    Function,
    /// The server's, of a type that it knows.
    Builtin(String),
}

impl Tool {
    /// A function with the JSON Schema of its arguments.
    pub fn function(name: impl Into<String>, parameters: impl Into<Option<Arc<str>>>) -> Self {
        Tool { name: name.into(), parameters: parameters.into(), strict: None, kind: ToolKind::Function }
    }

    /// Reads a JSON array of tools, in the form of OpenAI's Chat Completions or Responses.
    ///
    /// ```
    /// use tokenstile_grammar::Limits;
    /// use tokenstile_structural_tag::Tool;
    /// let text = r#"[{"type": "function", "function": {"name": "now", "parameters": {"type": "object"}}}]"#;
    /// assert_eq!(Tool::read_all(text, &Limits::default())?[0].name, "now");
    /// # Ok::<(), tokenstile_grammar::Error>(())
    /// ```
    pub fn read_all(text: &str, limits: &Limits) -> Result<Vec<Tool>, Error> {
        let room = Bump::new();
        let value = Json::parse(text, &room, limits, &mut Budget::new(limits))?;
        match value {
            Json::Array(items) => {
                items.iter().enumerate().map(|(i, item)| Tool::read(item, &Path::ROOT.index(i))).collect()
            }
            other => Err(wrong("a list of tools", "an array", &other, &Path::ROOT)),
        }
    }

    fn read(value: &Json<'_>, at: &Path<'_>) -> Result<Tool, Error> {
        let tool = Fields::of(value, "a tool", at)?;
        let kind = tool.filled("type")?;
        if kind != "function" {
            let name = if tool.get("name").is_some() { tool.filled("name")? } else { kind };
            let kind = ToolKind::Builtin(kind.to_owned());
            return Ok(Tool { kind, ..Tool::with_fields(name, &tool)? });
        }
        match tool.get("function") {
            None => Tool::with_fields(tool.filled("name")?, &tool),
            Some(function) => {
                let at = at.field("function");
                let function = Fields::of(function, "a function", &at)?;
                Tool::with_fields(function.filled("name")?, &function)
            }
        }
    }

    fn with_fields(name: &str, fields: &Fields<'_, '_>) -> Result<Tool, Error> {
        let at = fields.at.field("parameters");
        let parameters = fields.get("parameters").map(|schema| schema_text(schema, &at)).transpose()?;
        let strict = match fields.get("strict") {
            None => None,
            Some(_) => Some(fields.flag("strict", false)?),
        };
        Ok(Tool { strict, ..Tool::function(name, parameters) })
    }

    /// What the arguments of a call are held to.
    pub(super) fn schema(&self) -> Arc<str> {
        let loose = self.kind == ToolKind::Function && self.strict == Some(false);
        self.parameters.clone().filter(|_| !loose).unwrap_or_else(|| "true".into())
    }
}

/// Which tools a model may or must call.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub enum ToolChoice {
    /// It writes text or calls.
    #[default]
    Auto,
    /// It writes text.
    None,
    /// It calls a tool.
    Required,
    /// It calls the function of this name.
    Function(String),
    /// It calls the server's tool of this type.
    Builtin(String),
    /// Some of the tools only.
    Allowed(AllowedTools),
}

/// Some of the tools.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct AllowedTools {
    /// One of them is called.
    pub required: bool,
    /// Names of functions.
    pub functions: Vec<String>,
    /// Types of the server's tools.
    pub builtins: Vec<String>,
}

impl ToolChoice {
    /// Reads a choice from JSON: `"auto"`, `"none"`, `"required"`, or an object that names tools.
    pub fn from_json(text: &str, limits: &Limits) -> Result<ToolChoice, Error> {
        let room = Bump::new();
        let value = Json::parse(text, &room, limits, &mut Budget::new(limits))?;
        let name = match value {
            Json::Null => return Ok(ToolChoice::Auto),
            Json::String(name) => name,
            _ => return ToolChoice::of_object(&value),
        };
        match name {
            "auto" => Ok(ToolChoice::Auto),
            "none" => Ok(ToolChoice::None),
            "required" => Ok(ToolChoice::Required),
            _ => Err(syntax(format!("there is no choice `{}`", name.escape_debug()), &Path::ROOT)),
        }
    }

    fn of_object(value: &Json<'_>) -> Result<ToolChoice, Error> {
        let choice = Fields::of(value, "a choice of tools", &Path::ROOT)?;
        if choice.filled("type")? != "allowed_tools" {
            return Ok(match reference(value, &Path::ROOT)? {
                Reference::Function(name) => ToolChoice::Function(name),
                Reference::Builtin(name) => ToolChoice::Builtin(name),
            });
        }
        let at = Path::ROOT.field("allowed_tools");
        let fields = match choice.get("allowed_tools") {
            Some(fields) => Fields::of(fields, "allowed_tools", &at)?,
            None => choice,
        };
        let required = match fields.text("mode")? {
            "auto" => false,
            "required" => true,
            _ => return Err(syntax("`mode` is \"auto\" or \"required\"", &fields.at.field("mode"))),
        };
        let mut allowed = AllowedTools { required, ..AllowedTools::default() };
        let at = fields.at.field("tools");
        for (i, tool) in fields.items("tools")?.iter().enumerate() {
            match reference(tool, &at.index(i))? {
                Reference::Function(name) => allowed.functions.push(name),
                Reference::Builtin(name) => allowed.builtins.push(name),
            }
        }
        Ok(ToolChoice::Allowed(allowed))
    }
}

/// A tool that is referred to.
enum Reference {
    Function(String),
    Builtin(String),
}

fn reference(value: &Json<'_>, at: &Path<'_>) -> Result<Reference, Error> {
    let fields = Fields::of(value, "a reference to a tool", at)?;
    let kind = fields.filled("type")?;
    if kind != "function" {
        return Ok(Reference::Builtin(kind.to_owned()));
    }
    let at = at.field("function");
    let named = match fields.get("function") {
        Some(function) => Fields::of(function, "a function", &at)?,
        None => fields,
    };
    Ok(Reference::Function(named.filled("name")?.to_owned()))
}

/// The tools that a choice leaves, and what must be done with them.
pub(super) struct Chosen<'a> {
    pub(super) functions: Vec<&'a Tool>,
    pub(super) builtins: Vec<&'a Tool>,
    pub(super) must: Must,
}

/// What must be done with tools.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Must {
    /// Nothing.
    Nothing,
    /// One of them is called.
    CallOne,
    /// The only one is called.
    CallThis,
}

/// Takes the tools that a choice leaves.
pub(super) fn choose<'a>(tools: &'a [Tool], choice: &ToolChoice) -> Result<Chosen<'a>, Error> {
    let with = |keep: &dyn Fn(&Tool) -> bool, must| {
        let kept = tools.iter().filter(|tool| keep(tool));
        let (functions, builtins) = kept.partition(|tool| tool.kind == ToolKind::Function);
        Chosen { functions, builtins, must }
    };
    let is_function = |tool: &Tool, name: &str| tool.kind == ToolKind::Function && tool.name == name;
    let is_builtin = |tool: &Tool, name: &str| matches!(&tool.kind, ToolKind::Builtin(kind) if kind == name);
    let missing =
        |what: &str, name: &str| syntax(format!("there is no {what} `{name}` among the tools"), &Path::ROOT);
    let chosen = match choice {
        ToolChoice::Auto => with(&|_| true, Must::Nothing),
        ToolChoice::None => with(&|_| false, Must::Nothing),
        ToolChoice::Required => with(&|_| true, Must::CallOne),
        ToolChoice::Function(name) => {
            let chosen = with(&|tool| is_function(tool, name), Must::CallThis);
            if chosen.functions.is_empty() {
                return Err(missing("function", name));
            }
            chosen
        }
        ToolChoice::Builtin(name) => {
            let chosen = with(&|tool| is_builtin(tool, name), Must::CallThis);
            if chosen.builtins.is_empty() {
                return Err(missing("tool of the type", name));
            }
            chosen
        }
        ToolChoice::Allowed(allowed) => {
            for name in &allowed.functions {
                tools.iter().find(|tool| is_function(tool, name)).ok_or_else(|| missing("function", name))?;
            }
            for name in &allowed.builtins {
                let found = tools.iter().find(|tool| is_builtin(tool, name));
                found.ok_or_else(|| missing("tool of the type", name))?;
            }
            let keep = |tool: &Tool| match &tool.kind {
                ToolKind::Function => allowed.functions.contains(&tool.name),
                ToolKind::Builtin(kind) => allowed.builtins.contains(kind),
            };
            with(&keep, if allowed.required { Must::CallOne } else { Must::Nothing })
        }
    };
    match (chosen.must, chosen.functions.len() + chosen.builtins.len()) {
        (Must::CallOne, 0) => Err(syntax("a tool must be called, and there is none", &Path::ROOT)),
        (Must::CallThis, 2..) => Err(syntax("the tool to call is there more than once", &Path::ROOT)),
        _ => Ok(chosen),
    }
}

/// The error that a model has no form for something.
pub(super) fn no_form(model: &str, what: &str) -> Error {
    Error::new(ErrorKind::Unsupported, format!("the chat format `{model}` has no form for {what}"))
}
