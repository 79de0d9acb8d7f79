//! A response piece by piece: items are announced, grow, and are closed, each event with a number.

use serde_json::{Value, json};
use tokenstile_runtime::Finish;

use super::{Head, part};
use crate::api::Meter;
use crate::api::parts::{Form, Piece, Reader};
use crate::api::sse::{Lines, Out};
use crate::engine::Step;
use crate::error::ApiError;

/// An item that is being written.
enum Open {
    Message(String),
    Call { name: String, arguments: String },
}

pub(super) struct Events {
    head: Head,
    reader: Reader,
    number: u64,
    /// Items that are closed.
    items: Vec<Value>,
    open: Option<Open>,
    finish: Finish,
}

impl Events {
    pub(super) fn new(head: Head, form: &Form) -> Events {
        let reader = Reader::new(form);
        Events { head, reader, number: 0, items: Vec::new(), open: None, finish: Finish::End }
    }

    fn send(&mut self, name: &str, mut value: Value, out: &mut Out) {
        value["type"] = json!(name);
        value["sequence_number"] = json!(self.number);
        self.number += 1;
        out.event(name, &value);
    }

    /// The place of the open item, with more of what its event says.
    fn about(&self, mut value: Value) -> Value {
        let id = match &self.open {
            Some(Open::Call { .. }) => format!("fc_{}", self.head.id),
            _ => format!("msg_{}", self.head.id),
        };
        value["item_id"] = json!(id);
        value["output_index"] = json!(self.items.len());
        if matches!(self.open, Some(Open::Message(_))) {
            value["content_index"] = json!(0);
        }
        value
    }

    fn grow(&mut self, piece: Piece, out: &mut Out) {
        if !piece.content.is_empty() {
            if !matches!(self.open, Some(Open::Message(_))) {
                self.open_message(out);
            }
            if let Some(Open::Message(text)) = &mut self.open {
                text.push_str(&piece.content);
            }
            let value = self.about(json!({"delta": piece.content, "logprobs": []}));
            self.send("response.output_text.delta", value, out);
        }
        if let Some(name) = piece.call.name {
            self.close(out);
            let item = self.head.call("in_progress", &name, "");
            self.open = Some(Open::Call { name, arguments: String::new() });
            self.send(
                "response.output_item.added",
                json!({"output_index": self.items.len(), "item": item}),
                out,
            );
        }
        if !piece.call.arguments.is_empty() {
            if let Some(Open::Call { arguments, .. }) = &mut self.open {
                arguments.push_str(&piece.call.arguments);
            }
            let value = self.about(json!({"delta": piece.call.arguments}));
            self.send("response.function_call_arguments.delta", value, out);
        }
    }

    fn open_message(&mut self, out: &mut Out) {
        let item = self.head.message("in_progress", None);
        self.open = Some(Open::Message(String::new()));
        self.send("response.output_item.added", json!({"output_index": self.items.len(), "item": item}), out);
        let value = self.about(json!({"part": part("")}));
        self.send("response.content_part.added", value, out);
    }

    fn close(&mut self, out: &mut Out) {
        let item = match &self.open {
            None => return,
            Some(Open::Message(text)) => {
                let (item, text) = (self.head.message("completed", Some(text)), text.clone());
                let value = self.about(json!({"text": text, "logprobs": []}));
                self.send("response.output_text.done", value, out);
                let value = self.about(json!({"part": part(&text)}));
                self.send("response.content_part.done", value, out);
                item
            }
            Some(Open::Call { name, arguments }) => {
                let item = self.head.call("completed", name, arguments);
                let value = self.about(json!({"name": name, "arguments": arguments}));
                self.send("response.function_call_arguments.done", value, out);
                item
            }
        };
        self.open = None;
        self.send("response.output_item.done", json!({"output_index": self.items.len(), "item": item}), out);
        self.items.push(item);
    }
}

impl Lines for Events {
    fn begin(&mut self, out: &mut Out) {
        let response = self.head.value("in_progress", json!([]), None);
        self.send("response.created", json!({"response": response}), out);
        self.send("response.in_progress", json!({"response": response}), out);
    }

    fn step(&mut self, step: Step, out: &mut Out) {
        let piece = self.reader.push(&step.free, &step.text);
        self.grow(piece, out);
    }

    fn done(&mut self, _index: usize, finish: &Finish, out: &mut Out) {
        let rest = self.reader.finish();
        self.grow(rest, out);
        if self.open.is_none() && self.items.is_empty() {
            self.open_message(out);
        }
        self.close(out);
        self.finish = finish.clone();
    }

    fn end(&mut self, meter: &Meter, out: &mut Out) {
        let items = std::mem::take(&mut self.items);
        let response = self.head.ended(&self.finish, items.into(), &meter.stats);
        let name = if self.finish == Finish::Length { "response.incomplete" } else { "response.completed" };
        self.send(name, json!({"response": response}), out);
    }

    fn failed(&mut self, error: &ApiError, out: &mut Out) {
        let mut response = self.head.value("failed", json!([]), None);
        let message = error.json()["error"]["message"].clone();
        response["error"] = json!({"code": "server_error", "message": message});
        self.send("response.failed", json!({"response": response}), out);
    }
}
