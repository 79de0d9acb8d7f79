//! From a conversation with tools and a constraint to a plan, for chats and responses alike.

use axum::body::Body;
use tokenstile::TokenId;
use tokenstile_runtime::Message;

use super::parts::Form;
use super::{App, Plan};
use crate::constraint::{Asked, Kind};
use crate::error::ApiError;
use crate::json::Fields;
use crate::messages::CALL;
use crate::params::Params;
use crate::tools::{Choice, Tools};

/// A conversation that is to be gone on with.
pub(crate) struct Conversation {
    pub(crate) messages: Vec<Message>,
    pub(crate) tools: Option<Tools>,
    pub(crate) asked: Option<Asked>,
    /// The text behind which the constraint begins.
    pub(crate) reasoning: Option<String>,
    pub(crate) params: Params,
}

/// Whether the model's template takes tools, and has calls in the form that is used here.
pub(crate) fn template_knows_tools(app: &App) -> bool {
    app.runtime.template().is_some_and(|t| t.source().contains(CALL) && t.source().contains("tools"))
}

/// Fields that change nothing in any of its forms.
const HARMLESS: [&str; 8] = [
    "user",
    "metadata",
    "store",
    "service_tier",
    "parallel_tool_calls",
    "safety_identifier",
    "prompt_cache_key",
    "prompt_cache_retention",
];

impl Conversation {
    /// The conversation of a request's body, as `read` takes it out of the fields; none may be left but those that change
    /// nothing: the ones above and `harmless`.
    pub(crate) async fn take(
        app: &App,
        body: Body,
        read: fn(&App, &mut Fields) -> Result<Conversation, ApiError>,
        harmless: &[&str],
    ) -> Result<Conversation, ApiError> {
        let mut fields = super::body(app, body).await?;
        let conversation = read(app, &mut fields)?;
        fields.finish(&[&HARMLESS[..], harmless].concat())?;
        Ok(conversation)
    }

    /// How to write the answer, and how to read it.
    pub(crate) fn plan(self, app: &App) -> Result<(Plan, Form), ApiError> {
        let Conversation { messages, tools, asked, reasoning, params } = self;
        let tools = tools.filter(|tools| tools.choice != Choice::None);
        let Some(tools) = tools else {
            let after = reasoning.filter(|_| asked.is_some());
            let form = Form::Content(after.clone());
            let plan = Plan { asked, after, ..Plan::new(app.runtime.prompt(&messages)?, params) };
            return Ok((plan, form));
        };
        if reasoning.is_some() {
            return Err(ApiError::field("reasoning", "`reasoning.until` and tools cannot be combined"));
        }
        let prompt = prompt(app, messages, &tools)?;
        let plan = Plan::new(prompt, params);
        let reader = tools.reader();
        match (tools.choice, asked) {
            (Choice::Required, _) => {
                let asked = Some(tools.constraint(None));
                Ok((Plan { asked, ..plan }, Form::Call(reader)))
            }
            (_, None) => {
                let (asked, after) = (Some(tools.constraint(None)), Some(CALL.to_owned()));
                let form = Form::ContentThenCall(reader, CALL.to_owned());
                Ok((Plan { asked, after, after_is_optional: true, ..plan }, form))
            }
            (_, Some(asked)) if asked.source.kind == Kind::JsonSchema => {
                let asked = Some(tools.constraint(Some(&asked.source)));
                Ok((Plan { asked, ..plan }, Form::CallOrContent(reader)))
            }
            (_, Some(asked)) => {
                let message =
                    format!("`{}` cannot be combined with tools unless they are required", asked.field);
                Err(ApiError::field(asked.field, message))
            }
        }
    }
}

/// The prompt, with the tools told the way that the template has for it, or in the first message.
fn prompt(app: &App, mut messages: Vec<Message>, tools: &Tools) -> Result<Vec<TokenId>, ApiError> {
    let tokenizer = app.runtime.tokenizer();
    let mut prompt = match app.runtime.template() {
        Some(template) if template_knows_tools(app) => {
            tokenizer.encode_prompt(&template.render(&messages, Some(&tools.told()))?)
        }
        _ => {
            tools.tell(&mut messages);
            app.runtime.prompt(&messages)?
        }
    };
    if tools.choice == Choice::Required {
        prompt.extend(tokenizer.encode(format!("{CALL}\n").as_bytes()));
    }
    Ok(prompt)
}
