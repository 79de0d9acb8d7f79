//! What a text consists of: reasoning, content, a call of a tool. Told apart while it is written.

use crate::tools::{CallPiece, CallReader};

/// How the text of an answer is to be read.
#[derive(Clone, Debug)]
pub(crate) enum Form {
    /// All of it is content. The free text before the constraint, up to this trigger, is reasoning.
    Content(Option<String>),
    /// All of it is a call.
    Call(CallReader),
    /// The free text is content; what comes behind the trigger is a call.
    ContentThenCall(CallReader, String),
    /// It is a call if it begins like one.
    CallOrContent(CallReader),
}

/// What a step has added.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Piece {
    pub(crate) reasoning: String,
    pub(crate) content: String,
    pub(crate) call: CallPiece,
}

/// Reads one text.
#[derive(Clone, Debug)]
pub(crate) struct Reader {
    form: Form,
    /// The end of the free text, which may be the start of the trigger.
    held: String,
    has_call: bool,
}

impl Reader {
    pub(crate) fn new(form: &Form) -> Reader {
        Reader { form: form.clone(), held: String::new(), has_call: false }
    }

    /// Whether a call was found.
    pub(crate) fn has_call(&self) -> bool {
        self.has_call
    }

    /// Takes what a step has added to the free text and to the text.
    pub(crate) fn push(&mut self, free: &str, text: &str) -> Piece {
        let mut piece = Piece::default();
        match &mut self.form {
            Form::Content(trigger) => {
                piece.reasoning = release(&mut self.held, free, trigger.as_deref());
                piece.content = text.to_owned();
            }
            Form::Call(reader) => piece.call = reader.push(text),
            Form::ContentThenCall(reader, trigger) => {
                piece.content = release(&mut self.held, free, Some(trigger));
                piece.call = reader.push(text);
            }
            Form::CallOrContent(reader) => {
                piece.call = reader.push(text);
                if !reader.may_be_call() {
                    piece.content = reader.text().to_owned();
                    self.form = Form::Content(None);
                }
            }
        }
        self.has_call |= piece.call.name.is_some();
        piece
    }

    /// What was held back and turned out to be content, when the text has ended.
    pub(crate) fn finish(&mut self) -> Piece {
        let mut piece = Piece::default();
        match &self.form {
            Form::Content(Some(trigger)) if self.held != *trigger => piece.reasoning.push_str(&self.held),
            Form::ContentThenCall(_, trigger) if self.held != *trigger => piece.content.push_str(&self.held),
            Form::CallOrContent(reader) if !self.has_call => piece.content.push_str(reader.text()),
            _ => {}
        }
        self.held.clear();
        piece
    }
}

/// Adds to what is held and gives out what cannot be the trigger.
fn release(held: &mut String, more: &str, trigger: Option<&str>) -> String {
    held.push_str(more);
    let trigger = trigger.unwrap_or_default();
    let most = held.len().min(trigger.len());
    let keep = (1..=most).rev().find(|&n| held.as_bytes().ends_with(&trigger.as_bytes()[..n])).unwrap_or(0);
    // Both ends are ends of characters: the trigger begins with one.
    let kept = held.split_off(held.len() - keep);
    std::mem::replace(held, kept)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn triggers_are_no_content() {
        let mut reader = Reader::new(&Form::Content(Some("</think>".into())));
        let pieces = [("a <", ""), ("/thi", ""), ("x</th", ""), ("ink>", "{"), ("", "}")];
        let read: Vec<Piece> = pieces.iter().map(|(free, text)| reader.push(free, text)).collect();
        let reasoning: String = read.iter().map(|piece| &*piece.reasoning).collect();
        let content: String = read.iter().map(|piece| &*piece.content).collect();
        assert_eq!((&*reasoning, &*content), ("a </thix", "{}"));
        assert_eq!(reader.finish(), Piece::default());
        let mut reader = Reader::new(&Form::Content(Some("é</think>".into())));
        assert_eq!(reader.push("é</", "").reasoning, "");
        assert_eq!(reader.finish().reasoning, "é</");
    }
}
