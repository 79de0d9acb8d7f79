//! How likely tokens were, in OpenAI's forms.

use serde_json::{Map, Value, json};
use tokenstile::TokenId;
use tokenstile_runtime::{Runtime, Written};

/// A token in words: what it spells, or its name if it spells nothing.
pub(crate) fn token_text(runtime: &Runtime, token: TokenId) -> String {
    let vocab = runtime.tokenizer().vocab();
    match vocab.bytes(token) {
        Some(bytes) => String::from_utf8_lossy(bytes).into_owned(),
        None => vocab.name(token).unwrap_or_default().to_owned(),
    }
}

fn entry(runtime: &Runtime, token: TokenId, logprob: f32) -> Map<String, Value> {
    let bytes = runtime.tokenizer().vocab().bytes(token);
    let fields = [
        ("token", json!(token_text(runtime, token))),
        ("logprob", json!(finite(logprob))),
        ("bytes", json!(bytes)),
    ];
    fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

/// JSON has no infinity; OpenAI writes -9999 for what is as unlikely as can be.
fn finite(logprob: f32) -> f32 {
    logprob.max(-9_999.0)
}

/// In the form of chats.
pub(crate) fn for_chat(runtime: &Runtime, tokens: &[Written]) -> Value {
    let content = tokens.iter().map(|written| {
        let details = written.choice.as_ref().and_then(|choice| choice.details.as_ref());
        let mut fields = entry(runtime, written.token, details.map_or(0.0, |details| details.logprob));
        let top = details.map_or(&[][..], |details| &details.top[..]);
        let top: Vec<Value> =
            top.iter().map(|one| Value::Object(entry(runtime, one.token, one.logprob))).collect();
        fields.insert("top_logprobs".into(), top.into());
        Value::Object(fields)
    });
    json!({"content": content.collect::<Vec<_>>(), "refusal": null})
}

/// In the form of completions. `offset` is where in the text the tokens begin.
pub(crate) fn for_completion(runtime: &Runtime, tokens: &[Written], mut offset: usize) -> Value {
    let (mut texts, mut logprobs, mut tops, mut offsets) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for written in tokens {
        let text = token_text(runtime, written.token);
        let details = written.choice.as_ref().and_then(|choice| choice.details.as_ref());
        let top = details.map_or(&[][..], |details| &details.top[..]);
        let top: Map<String, Value> =
            top.iter().map(|one| (token_text(runtime, one.token), json!(finite(one.logprob)))).collect();
        offsets.push(offset);
        offset += text.chars().count();
        texts.push(text);
        logprobs.push(finite(details.map_or(0.0, |details| details.logprob)));
        tops.push(Value::Object(top));
    }
    json!({"tokens": texts, "token_logprobs": logprobs, "top_logprobs": tops, "text_offset": offsets})
}
