//! Rules that go by the name of a token, where a file's own flags are missing or wrong.
//!
//! Files say little about which tokens are control markers: Gemma flags neither `<unused7>` nor its runs of
//! spaces, Qwen does not flag `<think>`, Command R does not flag its end token. So an *added* token (one that
//! the tokenizer cuts out of the text before anything else) is
//!
//! 1. `Unused` if it is a numbered filler such as `<unused7>` or `[PAD151646]`;
//! 2. `Special` if the file flags it as special;
//! 3. `Text` if it is named like an HTML element and the vocabulary has several of them (Gemma's `<table>`);
//! 4. `Special` if it looks like a marker: `<…>` or `[…]` around a name without white space;
//! 5. `Text` otherwise: runs of spaces, tabs and newlines, and ordinary words.
//!
//! Whoever knows better says so with [`Vocab::with_special`](super::Vocab::with_special) and
//! [`Vocab::with_text`](super::Vocab::with_text).

use super::{TokenId, TokenKind, Vocab};

/// HTML elements that vocabularies list as whole tokens. `s` is one of them, and also the usual name of the
/// begin and end markers: hence the condition in [`AddedRule::new`].
const HTML: &[&str] = &[
    "a",
    "b",
    "blockquote",
    "body",
    "br",
    "caption",
    "code",
    "div",
    "em",
    "footer",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "html",
    "i",
    "iframe",
    "img",
    "li",
    "ol",
    "p",
    "s",
    "span",
    "strong",
    "sub",
    "sup",
    "table",
    "tbody",
    "td",
    "tfoot",
    "th",
    "thead",
    "tr",
    "u",
    "ul",
];

/// The name in `<name>` or `</name>` if it is that of an HTML element.
fn html_element(content: &str) -> Option<&str> {
    let inner = content.strip_prefix('<')?.strip_suffix('>')?;
    let inner = inner.strip_prefix('/').unwrap_or(inner);
    HTML.contains(&inner).then_some(inner)
}

/// Whether the token is a filler that no model was trained to emit.
pub(super) fn is_filler(content: &str) -> bool {
    const AROUND: &[(&str, &str)] = &[
        ("<unused", ">"),
        ("[unused", "]"),
        ("[UNUSED_TOKEN_", "]"),
        ("[PAD", "]"),
        ("<reserved", ">"),
        ("<｜place▁holder▁no▁", "｜>"),
    ];
    (content.starts_with('<') || content.starts_with('['))
        && AROUND.iter().any(|(before, after)| {
            let digits = content.strip_prefix(before).and_then(|rest| rest.strip_suffix(after));
            digits.is_some_and(|digits| !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()))
        })
}

/// Whether the token looks like a control marker.
fn is_marker(content: &str) -> bool {
    let inside = |open, close| content.strip_prefix(open).and_then(|rest| rest.strip_suffix(close));
    let Some(inner) = inside('<', '>').or_else(|| inside('[', ']')) else { return false };
    let named = inner.starts_with(['|', '｜']) || inner.chars().any(char::is_alphabetic);
    named && !inner.chars().any(char::is_whitespace)
}

/// The rule for added tokens, set up for one vocabulary.
pub(super) struct AddedRule {
    html: bool,
}

impl AddedRule {
    /// `unflagged`: the vocabulary's added tokens that are not flagged as special.
    pub(super) fn new<'a>(unflagged: impl IntoIterator<Item = &'a str>) -> Self {
        AddedRule { html: unflagged.into_iter().any(|c| html_element(c).is_some_and(|name| name != "s")) }
    }

    pub(super) fn kind(&self, content: &str, flagged: bool) -> TokenKind {
        if is_filler(content) {
            TokenKind::Unused
        } else if flagged {
            TokenKind::Special
        } else if self.html && html_element(content).is_some() {
            TokenKind::Text
        } else if is_marker(content) {
            TokenKind::Special
        } else {
            TokenKind::Text
        }
    }
}

/// Names of end tokens: ends of turns first, then ends of documents. All that a vocabulary has are taken, in
/// this order, so that the first one is what a chat model emits.
const END: &[&str] = &[
    "<|im_end|>",
    "<|eot_id|>",
    "<|eot|>",
    "<end_of_turn>",
    "<turn|>",
    "<|END_OF_TURN_TOKEN|>",
    "<|return|>",
    "<|call|>",
    "<|end|>",
    "<|eom_id|>",
    "<|eom|>",
    "<｜end▁of▁sentence｜>",
    "</s>",
    "<eos>",
    "<|endoftext|>",
    "<|end_of_text|>",
];

/// Names taken only where none of [`END`] is there: elsewhere they are leftovers that models do not emit.
const LAST_RESORT: &[&str] = &["<EOS_TOKEN>", "<|eos|>", "[EOS]", "<|EOT|>", "<|endofprompt|>"];

/// The end tokens of a vocabulary, guessed by name among its special tokens.
///
/// Where there is a `<|return|>`, `<|end|>` only separates messages and is left out. An end token too few
/// costs little, since another one is chosen; one too many can end a text that the caller does not see end.
pub(super) fn guess_end_tokens(vocab: &Vocab) -> Vec<TokenId> {
    let mut found = vec![None; END.len() + LAST_RESORT.len()];
    for (id, name) in vocab.special_tokens() {
        if let Some(at) = END.iter().chain(LAST_RESORT).position(|&end| end == name) {
            found[at].get_or_insert(id);
        }
    }
    let last_resort = found.split_off(END.len());
    let place = |name: &str| END.iter().position(|&end| end == name);
    if let (Some(end), Some(ret)) = (place("<|end|>"), place("<|return|>"))
        && found[ret].is_some()
    {
        found[end] = None;
    }
    let mut end: Vec<TokenId> = found.into_iter().flatten().collect();
    if end.is_empty() {
        end = last_resort.into_iter().flatten().collect();
    }
    end
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn added_tokens() {
        let plain = AddedRule::new(["<think>", "</s>", "  "]);
        for (content, flagged, kind) in [
            ("<think>", false, TokenKind::Special),
            ("</s>", false, TokenKind::Special),
            ("<table>", false, TokenKind::Special),
            ("<|\"|>", false, TokenKind::Special),
            ("[multimodal]", false, TokenKind::Special),
            ("<｜User｜>", false, TokenKind::Special),
            ("word", true, TokenKind::Special),
            ("<unused0>", false, TokenKind::Unused),
            ("[PAD151646]", true, TokenKind::Unused),
            ("<unused>", false, TokenKind::Special),
            ("\n\n", false, TokenKind::Text),
            ("▁▁", false, TokenKind::Text),
            ("word", false, TokenKind::Text),
            ("<>", false, TokenKind::Text),
            ("[0]", false, TokenKind::Text),
            ("<a b>", false, TokenKind::Text),
            ("<", false, TokenKind::Text),
        ] {
            assert_eq!(plain.kind(content, flagged), kind, "{content}");
        }
        let html = AddedRule::new(["<table>"]);
        assert_eq!(html.kind("<table>", false), TokenKind::Text);
        assert_eq!(html.kind("</s>", false), TokenKind::Text);
        assert_eq!(html.kind("</s>", true), TokenKind::Special);
        assert_eq!(html.kind("<think>", false), TokenKind::Special);
    }

    fn guessed(names: &[&str]) -> Vec<TokenId> {
        let mut builder = Vocab::builder();
        builder.add(0, TokenKind::Text, b"a").unwrap();
        for (i, name) in names.iter().enumerate() {
            builder.add(i as TokenId + 1, TokenKind::Special, name.as_bytes()).unwrap();
        }
        guess_end_tokens(&builder.build().unwrap())
    }

    #[test]
    fn end_tokens() {
        assert_eq!(guessed(&["<|endoftext|>", "<|im_start|>", "<|im_end|>"]), [3, 1]);
        assert_eq!(guessed(&["<EOS_TOKEN>", "<|END_OF_TURN_TOKEN|>"]), [2]);
        assert_eq!(guessed(&["<EOS_TOKEN>"]), [1]);
        assert_eq!(guessed(&["<|end|>", "<|return|>", "<|call|>"]), [2, 3]);
        assert_eq!(guessed(&["<|end|>"]), [1]);
        assert!(guessed(&["<pad>"]).is_empty());
    }
}
