//! Chat templates: from messages to the text that a model was trained to go on from.
//!
//! Templates are Jinja, written for Python. What they use of it beyond the language itself is added here: methods of
//! Python's strings and lists, `raise_exception`, `strftime_now`. They run with a bound on their work and cannot read files.

use std::time::{SystemTime, UNIX_EPOCH};

use minijinja::{Environment, ErrorKind, Value, context};

use crate::error::{GenerateError, LoadError};
use crate::gguf::Gguf;

/// Steps that a template may take.
const FUEL: u64 = 5_000_000;

/// One message of a conversation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// `system`, `user`, `assistant` or `tool`.
    pub role: String,
    /// What was said.
    pub content: String,
}

impl Message {
    /// A message of this role.
    pub fn new(role: impl Into<String>, content: impl Into<String>) -> Message {
        Message { role: role.into(), content: content.into() }
    }
}

/// The chat template of a model.
pub struct ChatTemplate {
    environment: Environment<'static>,
    source: String,
    begin: String,
    end: String,
}

impl ChatTemplate {
    /// The template in a file; none if the model has none.
    pub fn read(gguf: &Gguf) -> Result<Option<ChatTemplate>, LoadError> {
        let Some(source) = gguf.text("tokenizer.chat_template") else { return Ok(None) };
        let tokens = gguf.list("tokenizer.ggml.tokens").unwrap_or_default();
        let name = |key: &str| match tokens.get(gguf.count(key)?)? {
            crate::gguf::Value::Bytes(name) => String::from_utf8(name.clone()).ok(),
            _ => None,
        };
        let begin = name("tokenizer.ggml.bos_token_id").unwrap_or_default();
        let end = name("tokenizer.ggml.eos_token_id").unwrap_or_default();
        ChatTemplate::new(source, begin, end).map(Some)
    }

    /// A template from its source and the names of the tokens that begin and end a text.
    pub fn new(
        source: &str,
        begin: impl Into<String>,
        end: impl Into<String>,
    ) -> Result<ChatTemplate, LoadError> {
        let mut environment = Environment::new();
        environment.set_fuel(Some(FUEL));
        environment.set_trim_blocks(true);
        environment.set_lstrip_blocks(true);
        environment.set_unknown_method_callback(minijinja_contrib::pycompat::unknown_method_callback);
        environment.add_function("raise_exception", raise_exception);
        environment.add_function("strftime_now", strftime_now);
        environment
            .add_template_owned("chat", source.to_owned())
            .map_err(|error| LoadError::Template { message: in_words(&error) })?;
        Ok(ChatTemplate { environment, source: source.to_owned(), begin: begin.into(), end: end.into() })
    }

    /// The template as the file has it.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// The text of a conversation, up to where the model's answer begins.
    ///
    /// `tools` is a list of tools as the template wants it, in the form of OpenAI's, or nothing.
    pub fn render(
        &self,
        messages: &[Message],
        tools: Option<&serde_json::Value>,
    ) -> Result<String, GenerateError> {
        let wrong = |error: minijinja::Error| GenerateError::Template { message: in_words(&error) };
        let messages: Vec<Value> = messages
            .iter()
            .map(|message| context! { role => message.role, content => message.content })
            .collect();
        self.environment
            .get_template("chat")
            .and_then(|template| {
                template.render(context! {
                    messages,
                    tools => tools.map(Value::from_serialize),
                    add_generation_prompt => true,
                    bos_token => self.begin,
                    eos_token => self.end,
                })
            })
            .map_err(wrong)
    }
}

impl std::fmt::Debug for ChatTemplate {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ChatTemplate").finish_non_exhaustive()
    }
}

/// The message of an error without the trace of the templates it went through.
fn in_words(error: &minijinja::Error) -> String {
    match (error.detail(), error.line()) {
        (Some(detail), Some(line)) => format!("{detail} (line {line})"),
        (Some(detail), None) => detail.to_owned(),
        _ => error.to_string(),
    }
}

fn raise_exception(message: String) -> Result<Value, minijinja::Error> {
    Err(minijinja::Error::new(ErrorKind::InvalidOperation, message))
}

/// Today's date (UTC) in the form that Python's `strftime` has for it.
fn strftime_now(form: String) -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    strftime(&form, now)
}

const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];
const DAYS: [&str; 7] = ["Thursday", "Friday", "Saturday", "Sunday", "Monday", "Tuesday", "Wednesday"];

fn strftime(form: &str, seconds: u64) -> String {
    let (days, time) = (seconds / 86_400, seconds % 86_400);
    let (year, month, day) = civil(days);
    let month_name = MONTHS[month as usize - 1];
    let day_name = DAYS[(days % 7) as usize];
    let mut text = String::new();
    let mut characters = form.chars();
    while let Some(character) = characters.next() {
        if character != '%' {
            text.push(character);
            continue;
        }
        match characters.next() {
            Some('Y') => text.push_str(&year.to_string()),
            Some('m') => text.push_str(&format!("{month:02}")),
            Some('d') => text.push_str(&format!("{day:02}")),
            Some('B') => text.push_str(month_name),
            Some('b') => text.push_str(&month_name[..3]),
            Some('A') => text.push_str(day_name),
            Some('a') => text.push_str(&day_name[..3]),
            Some('H') => text.push_str(&format!("{:02}", time / 3_600)),
            Some('M') => text.push_str(&format!("{:02}", time / 60 % 60)),
            Some('S') => text.push_str(&format!("{:02}", time % 60)),
            Some('%') | None => text.push('%'),
            Some(other) => text.extend(['%', other]),
        }
    }
    text
}

/// Year, month and day of a number of days after 1 January 1970.
fn civil(mut days: u64) -> (u64, u64, u64) {
    let leap = |year: u64| year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let mut year = 1970;
    while days >= 365 + u64::from(leap(year)) {
        days -= 365 + u64::from(leap(year));
        year += 1;
    }
    let lengths = [31, 28 + u64::from(leap(year)), 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let mut month = 1;
    for length in lengths {
        if days < length {
            break;
        }
        days -= length;
        month += 1;
    }
    (year, month, days + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn render(source: &str, messages: &[Message]) -> Result<String, String> {
        let template = ChatTemplate::new(source, "<s>", "</s>").map_err(|e| e.to_string())?;
        template.render(messages, None).map_err(|e| e.to_string())
    }

    #[test]
    fn templates_use_pythons_strings() {
        let source = "{{ bos_token }}\n{%- for m in messages %}\n    {% if m['role'] == 'user' %}\n\
                      [{{ m.content.strip().upper() }}]\n    {% endif %}\n{% endfor %}";
        assert_eq!(render(source, &[Message::new("user", " hi ")]).unwrap(), "<s>[HI]\n");
    }

    #[test]
    fn refusals_are_errors() {
        let source = "{% if messages|length > 1 %}{{ raise_exception('only one') }}{% endif %}";
        let message = Message::new("user", "x");
        assert!(render(source, &[message.clone(), message]).unwrap_err().contains("only one"));
        assert!(render("{% if %}", &[]).is_err());
        assert!(
            render("{% for i in range(10000) %}{% for j in range(10000) %}{% endfor %}{% endfor %}", &[])
                .is_err()
        );
    }

    #[test]
    fn dates() {
        assert_eq!(
            strftime("%d %b %Y, %A %H:%M:%S 100%%", 1_709_210_096),
            "29 Feb 2024, Thursday 12:34:56 100%"
        );
        assert_eq!(strftime("%Y-%m-%d %q%", 0), "1970-01-01 %q%");
    }
}
