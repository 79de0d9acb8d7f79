//! The text of a sequence: what was written, what of it is settled, and whether a stop text has appeared.

/// A text that grows by bytes.
#[derive(Clone, Debug)]
pub(crate) struct Text {
    reasoning: Part,
    answer: Part,
    stops: Vec<String>,
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
        Text { reasoning: Part::default(), answer: Part::default(), stops }
    }

    pub(crate) fn answer(&self) -> &[u8] {
        &self.answer.bytes
    }

    pub(crate) fn reasoning(&self) -> &[u8] {
        &self.reasoning.bytes
    }

    pub(crate) fn push_reasoning(&mut self, bytes: &[u8]) {
        self.reasoning.bytes.extend_from_slice(bytes);
    }

    /// Adds bytes. If a stop text appears the text ends before it, and it is returned.
    pub(crate) fn push_answer(&mut self, bytes: &[u8]) -> Option<String> {
        let before = self.answer.bytes.len();
        self.answer.bytes.extend_from_slice(bytes);
        let found = self.stops.iter().filter_map(|stop| {
            let from = (before + 1).saturating_sub(stop.len());
            let windows = self.answer.bytes.get(from..)?.windows(stop.len());
            let at = from + windows.into_iter().position(|window| window == stop.as_bytes())?;
            Some((at, stop))
        });
        let (at, stop) = found.min_by_key(|(at, stop)| (*at, std::cmp::Reverse(stop.len())))?;
        let stop = stop.clone();
        self.answer.bytes.truncate(at);
        Some(stop)
    }

    /// What is settled and was not taken yet; all that is left once the text is `done`.
    pub(crate) fn take_answer(&mut self, done: bool) -> String {
        let bytes = &self.answer.bytes;
        let held =
            if done { 0 } else { self.stops.iter().map(|stop| overlap(bytes, stop)).max().unwrap_or(0) };
        self.answer.take(held, done)
    }

    pub(crate) fn take_reasoning(&mut self) -> String {
        self.reasoning.take(0, false)
    }
}

/// How many bytes at the end of `bytes` are the start of `stop`.
fn overlap(bytes: &[u8], stop: &str) -> usize {
    let most = bytes.len().min(stop.len() - 1);
    (1..=most).rev().find(|&n| bytes.ends_with(&stop.as_bytes()[..n])).unwrap_or(0)
}

impl Part {
    /// Takes what is there but the last `held` bytes, and but a character that is cut off unless all is `done`.
    fn take(&mut self, held: usize, done: bool) -> String {
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
