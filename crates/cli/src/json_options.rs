//! The options of JSON Schema, as flags.

use std::path::PathBuf;

use tokenstile::{Draft, JsonOptions, JsonWhitespace, MemberOrder};

use crate::failure::Failure;

/// Flags about JSON Schemas.
#[derive(clap::Args, Debug, Default)]
#[command(next_help_heading = "JSON Schema")]
pub(crate) struct JsonFlags {
    /// Which texts of an instance: canonical (what a model should write) or exact (all of them)
    #[arg(long, value_parser = ["canonical", "exact"])]
    profile: Option<String>,
    /// Order of members: declared (as the schema lists them) or any
    #[arg(long, value_parser = ["declared", "any"])]
    order: Option<String>,
    /// White space between tokens: compact, bounded, any, or a regular expression for it
    #[arg(long, value_name = "HOW")]
    whitespace: Option<String>,
    /// Objects have no members but the listed ones, unless the schema says so
    #[arg(long)]
    closed: bool,
    /// Do not enforce `format`
    #[arg(long)]
    no_formats: bool,
    /// Leave out what cannot be enforced, with a warning, instead of refusing the schema
    #[arg(long)]
    lenient: bool,
    /// How to read a schema without `$schema`: 4, 6, 7, 2019-09 or 2020-12
    #[arg(long, value_name = "DRAFT")]
    draft: Option<String>,
    /// A schema that `$ref` may name (repeatable)
    #[arg(long, value_name = "ADDRESS=FILE")]
    document: Vec<String>,
}

impl JsonFlags {
    /// A flag that was given, if one was.
    pub(crate) fn used(&self) -> Option<&'static str> {
        let used = [
            (self.profile.is_some(), "--profile"),
            (self.order.is_some(), "--order"),
            (self.whitespace.is_some(), "--whitespace"),
            (self.closed, "--closed"),
            (self.no_formats, "--no-formats"),
            (self.lenient, "--lenient"),
            (self.draft.is_some(), "--draft"),
            (!self.document.is_empty(), "--document"),
        ];
        used.iter().find(|(used, _)| *used).map(|(_, flag)| *flag)
    }

    /// The options that the flags ask for, where a model writes: unless they say otherwise, members come as declared and
    /// without white space, so that there is less to choose and more to skip.
    #[cfg(feature = "generate")]
    pub(crate) fn options_for_writing(&self) -> Result<JsonOptions, Failure> {
        let mut options = self.options()?;
        if self.profile.is_none() && self.order.is_none() {
            options.order = MemberOrder::Declared;
        }
        if self.profile.is_none() && self.whitespace.is_none() {
            options.whitespace = JsonWhitespace::Compact;
        }
        Ok(options)
    }

    /// The options that the flags ask for.
    pub(crate) fn options(&self) -> Result<JsonOptions, Failure> {
        let usage = Failure::Usage;
        let mut options = profile(self.profile.as_deref().unwrap_or("canonical")).map_err(usage)?;
        if let Some(name) = &self.order {
            options.order = order(name).map_err(usage)?;
        }
        if let Some(name) = &self.whitespace {
            options.whitespace = whitespace(name);
        }
        options.closed = self.closed;
        options.ignore_formats = self.no_formats;
        options.lenient = self.lenient;
        if let Some(name) = &self.draft {
            options.draft = draft(name).map_err(usage)?;
        }
        for document in &self.document {
            let (address, file) = document
                .split_once('=')
                .ok_or_else(|| usage(format!("--document is ADDRESS=FILE, and `{document}` has no `=`")))?;
            let path = PathBuf::from(file);
            let text = std::fs::read_to_string(&path).map_err(|error| Failure::io(&path, error))?;
            options.documents.push((address.to_owned(), text));
        }
        Ok(options)
    }
}

/// The profile by name.
pub(crate) fn profile(name: &str) -> Result<JsonOptions, String> {
    match name {
        "canonical" => Ok(JsonOptions::canonical()),
        "exact" => Ok(JsonOptions::exact()),
        _ => Err(format!("unknown profile `{name}`: canonical or exact")),
    }
}

/// The order by name.
pub(crate) fn order(name: &str) -> Result<MemberOrder, String> {
    match name {
        "declared" => Ok(MemberOrder::Declared),
        "any" => Ok(MemberOrder::Any),
        _ => Err(format!("unknown order `{name}`: declared or any")),
    }
}

/// The white space by name; what is no name is a pattern for it.
pub(crate) fn whitespace(name: &str) -> JsonWhitespace {
    match name {
        "compact" => JsonWhitespace::Compact,
        "bounded" => JsonWhitespace::Bounded,
        "any" => JsonWhitespace::Any,
        pattern => JsonWhitespace::Pattern(pattern.into()),
    }
}

/// The draft by name.
pub(crate) fn draft(name: &str) -> Result<Draft, String> {
    Ok(match name.trim_start_matches("draft") {
        "4" => Draft::Draft4,
        "6" => Draft::Draft6,
        "7" => Draft::Draft7,
        "2019-09" => Draft::Draft201909,
        "2020-12" => Draft::Draft202012,
        _ => return Err(format!("unknown draft `{name}`: 4, 6, 7, 2019-09 or 2020-12")),
    })
}
