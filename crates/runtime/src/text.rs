//! The text of a sequence: what was written, what of it is settled, and whether a stop text has appeared.

/// A text that grows by bytes.
#[derive(Clone, Debug)]
pub(crate) struct Text {
    reasoning: Part,
    answer: Part,
    stops: Vec<String>,
    /// Whether stop texts count in the free text too.
    everywhere: bool,
}

#[derive(Clone, Debug, Default)]
struct Part {
    bytes: Vec<u8>,
    /// How many bytes were taken.
    taken: usize,
}

impl Text {
    pub(crate) fn new(stops: &[String]) -> Text {
        let stops = stops.iter().filter(|stop| !stop.is_empty()).cloned().collect();
        Text { reasoning: Part::default(), answer: Part::default(), stops, everywhere: false }
    }

    /// The same text, ended by stop texts in its free part too.
    pub(crate) fn stopping_everywhere(self, everywhere: bool) -> Text {
        Text { everywhere, ..self }
    }

    pub(crate) fn answer(&self) -> &[u8] {
        &self.answer.bytes
    }

    pub(crate) fn reasoning(&self) -> &[u8] {
        &self.reasoning.bytes
    }

    /// Adds bytes to the free text. If a stop text ends it, that is returned.
    pub(crate) fn push_reasoning(&mut self, bytes: &[u8]) -> Option<String> {
        let stops: &[String] = if self.everywhere { &self.stops } else { &[] };
        self.reasoning.push(bytes, stops)
    }

    /// Adds bytes. If a stop text appears the text ends before it, and it is returned.
    pub(crate) fn push_answer(&mut self, bytes: &[u8]) -> Option<String> {
        self.answer.push(bytes, &self.stops)
    }

    /// What is settled and was not taken yet; all that is left once the text is `done`.
    pub(crate) fn take_answer(&mut self, done: bool) -> String {
        self.answer.take(&self.stops, done)
    }

    /// The same of the free text.
    pub(crate) fn take_reasoning(&mut self, done: bool) -> String {
        let stops: &[String] = if self.everywhere { &self.stops } else { &[] };
        self.reasoning.take(stops, done)
    }
}

/// How many bytes at the end of `bytes` are the start of `stop`.
fn overlap(bytes: &[u8], stop: &str) -> usize {
    let most = bytes.len().min(stop.len() - 1);
    (1..=most).rev().find(|&n| bytes.ends_with(&stop.as_bytes()[..n])).unwrap_or(0)
}

impl Part {
    /// Adds bytes. If a stop text appears the part ends before it, and it is returned.
    fn push(&mut self, bytes: &[u8], stops: &[String]) -> Option<String> {
        let before = self.bytes.len();
        self.bytes.extend_from_slice(bytes);
        let found = stops.iter().filter_map(|stop| {
            let from = (before + 1).saturating_sub(stop.len());
            let windows = self.bytes.get(from..)?.windows(stop.len());
            let at = from + windows.into_iter().position(|window| window == stop.as_bytes())?;
            Some((at, stop))
        });
        let (at, stop) = found.min_by_key(|(at, stop)| (*at, std::cmp::Reverse(stop.len())))?;
        self.bytes.truncate(at);
        Some(stop.clone())
    }

    /// Takes what is there, but no start of a stop text and no character that is cut off unless all is `done`.
    fn take(&mut self, stops: &[String], done: bool) -> String {
        let held =
            if done { 0 } else { stops.iter().map(|stop| overlap(&self.bytes, stop)).max().unwrap_or(0) };
        let end = self.bytes.len() - held;
        let Some(fresh) = self.bytes.get(self.taken..end) else { return String::new() };
        let mut text = String::new();
        let mut used = 0;
        for chunk in fresh.utf8_chunks() {
            text.push_str(chunk.valid());
            used += chunk.valid().len();
            let is_last = used + chunk.invalid().len() == fresh.len();
            if chunk.invalid().is_empty() || (is_last && !done && may_go_on(chunk.invalid())) {
                break;
            }
            text.push(char::REPLACEMENT_CHARACTER);
            used += chunk.invalid().len();
        }
        self.taken += used;
        text
    }
}

/// Whether bytes that are no character may be the start of one.
fn may_go_on(bytes: &[u8]) -> bool {
    std::str::from_utf8(bytes).is_err_and(|error| error.error_len().is_none())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(stops: &[&str]) -> Text {
        Text::new(&stops.iter().map(|&stop| stop.to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn characters_are_whole() {
        let mut text = text(&[]);
        text.push_answer(b"a\xC3");
        assert_eq!(text.take_answer(false), "a");
        text.push_answer(b"\xA9\xFFb\xE2\x82");
        assert_eq!(text.take_answer(false), "é\u{FFFD}b");
        assert_eq!(text.take_answer(true), "\u{FFFD}");
        assert_eq!(text.take_answer(true), "");
    }

    #[test]
    fn stops_are_found_across_pieces_and_held_back() {
        let mut text = text(&["END", "N!"]);
        assert_eq!(text.push_answer(b"one E"), None);
        assert_eq!(text.take_answer(false), "one ");
        assert_eq!(text.push_answer(b"ND"), Some("END".into()));
        assert_eq!(text.take_answer(true), "");
        assert_eq!(text.answer(), b"one ");
        let mut text = Text::new(&["END".into()]);
        assert_eq!(text.push_answer(b"EN"), None);
        assert_eq!(text.push_answer(b"x"), None);
        assert_eq!(text.take_answer(false), "ENx");
    }
}
