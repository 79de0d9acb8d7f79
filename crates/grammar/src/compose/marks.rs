//! Names of special tokens in texts.
//!
//! A model that has a token for `<think>` writes that token where a template shows the text. Which names a vocabulary has is not
//! known here, so all that reads like one is found.

use std::ops::Range;

/// What may open the name of a special token, and what closes it.
const BRACKETS: [(char, char); 2] = [('<', '>'), ('[', ']')];
/// The longest name, in bytes.
const LONGEST: usize = 64;

/// Where in a text names of special tokens may be, one after the other.
pub(super) fn names(text: &str) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    let mut open: Option<(usize, char)> = None;
    for (at, c) in text.char_indices() {
        if let Some(&(_, close)) = BRACKETS.iter().find(|(open, _)| *open == c) {
            open = Some((at, close));
        } else if c.is_whitespace() {
            open = None;
        } else if let Some((start, close)) = open
            && c == close
        {
            let end = at + c.len_utf8();
            if (3..=LONGEST).contains(&(end - start)) {
                found.push(start..end);
            }
            open = None;
        }
    }
    found
}

/// A piece of a text: a special token, or what is written out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Piece<'a> {
    Text(&'a str),
    Name(&'a str),
}

/// The pieces of a text: each name by itself, and what is between.
pub(super) fn pieces(text: &str) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    let mut done = 0;
    for name in names(text) {
        if done < name.start {
            pieces.push(Piece::Text(&text[done..name.start]));
        }
        done = name.end;
        pieces.push(Piece::Name(&text[name]));
    }
    if done < text.len() {
        pieces.push(Piece::Text(&text[done..]));
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_in_texts() {
        let text = "a <think>\n<|im_start|>b[TOOL_CALLS]< c><d\u{ff5c}e><>[x";
        let found: Vec<&str> = names(text).into_iter().map(|range| &text[range]).collect();
        assert_eq!(found, ["<think>", "<|im_start|>", "[TOOL_CALLS]", "<d\u{ff5c}e>"]);
        assert_eq!(pieces("<a><b>c"), [Piece::Name("<a>"), Piece::Name("<b>"), Piece::Text("c")]);
    }
}
