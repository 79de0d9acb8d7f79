//! How a command answers about a constraint: in words for people, or with a JSON object for programs.

/// The option that says so, shared by the commands that look at a constraint.
#[derive(clap::Args, Debug)]
pub(crate) struct OutputFlag {
    /// How to answer: in words, or with one JSON object
    #[arg(long, value_enum, default_value_t = Form::Text)]
    output: Form,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
enum Form {
    Text,
    Json,
}

impl OutputFlag {
    /// Whether the answer is for a program.
    pub(crate) fn is_json(&self) -> bool {
        self.output == Form::Json
    }
}
