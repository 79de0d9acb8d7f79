//! Why a token was refused, in words.
//!
//! A second matcher follows the text beside the one that made the masks. For a refused token it tells how far the token's
//! bytes fit and what would have been expected where they do not.

use tokenstile::{ByteSet, Constraint, Matcher, TokenId, Vocab};

/// Ranges of bytes that are named before the rest is left out.
const NAMED: usize = 6;

/// Follows a text.
pub(super) struct Why {
    matcher: Option<Matcher>,
    vocab: Vocab,
}

impl Why {
    pub(super) fn new(constraint: Option<&Constraint>, vocab: Vocab) -> Why {
        Why { matcher: constraint.map(Constraint::matcher), vocab }
    }

    /// Takes a token that was written.
    pub(super) fn take(&mut self, token: TokenId) {
        if self.matcher.as_mut().is_some_and(|matcher| matcher.commit(token).is_err()) {
            // What is not understood is not explained.
            self.matcher = None;
        }
    }

    /// Why a token is refused here.
    pub(super) fn refused(&self, token: TokenId) -> String {
        let Some(matcher) = &self.matcher else { return String::new() };
        if self.vocab.end_tokens().contains(&token) {
            return "the text is not complete yet".into();
        }
        let Some(bytes) = self.vocab.bytes(token) else {
            return "a special token, which is no text".into();
        };
        let mut there = matcher.fork();
        let fits = bytes.iter().take_while(|&&byte| there.commit_bytes(&[byte]).is_ok()).count();
        let expected = match there.allowed_bytes() {
            Ok(allowed) if allowed.is_empty() => "the text to end".to_owned(),
            Ok(allowed) => in_words(&allowed),
            Err(_) => return "past a limit".into(),
        };
        match (fits, bytes.get(fits)) {
            (_, None) => "it cannot be completed by tokens".into(),
            (0, Some(&byte)) => format!("{} does not fit; expected {expected}", shown(byte)),
            (_, Some(&byte)) => {
                let head = String::from_utf8_lossy(&bytes[..fits]).replace(' ', "·").replace('\n', "↵");
                format!("after `{head}`, {} does not fit; expected {expected}", shown(byte))
            }
        }
    }
}

/// A byte as it is written.
fn shown(byte: u8) -> String {
    match byte {
        b' ' => "a space".into(),
        b'\n' => "a line break".into(),
        b'\t' => "a tab".into(),
        b'!'..=b'~' => format!("`{}`", char::from(byte)),
        0x80.. => "a character beyond ASCII".into(),
        _ => format!("byte {byte:#04x}"),
    }
}

/// A set of bytes in words.
fn in_words(set: &ByteSet) -> String {
    let ascii: Vec<u8> = set.iter().filter(u8::is_ascii).collect();
    if ascii.len() > 90 {
        return "almost anything".into();
    }
    let mut ranges: Vec<(u8, u8)> = Vec::new();
    for &byte in &ascii {
        match ranges.last_mut() {
            // Ranges that cross from digits to letters say little.
            Some((_, last)) if *last + 1 == byte && sort(*last) == sort(byte) => *last = byte,
            _ => ranges.push((byte, byte)),
        }
    }
    let range = |&(first, last): &(u8, u8)| match last - first {
        0 => shown(first),
        1 => format!("{}, {}", shown(first), shown(last)),
        _ => format!("{} to {}", shown(first), shown(last)),
    };
    let mut words: Vec<String> = ranges.iter().take(NAMED).map(range).collect();
    if ranges.len() > NAMED {
        words.push("…".into());
    } else if ascii.len() < set.len() {
        words.push("characters beyond ASCII".into());
    }
    words.join(", ")
}

fn sort(byte: u8) -> u8 {
    match byte {
        b'0'..=b'9' => 0,
        b'a'..=b'z' => 1,
        b'A'..=b'Z' => 2,
        _ => 3,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokenstile::{Compiler, Grammar, Limits, RegexOptions};

    #[test]
    fn reasons_name_the_place() {
        let vocab = Vocab::from_tokens([(0, "1"), (1, "2a"), (2, "x"), (3, "22")], &[4]).unwrap();
        let grammar = Grammar::regex("1[0-9]2", &RegexOptions::default(), &Limits::default()).unwrap();
        let constraint = Compiler::new(vocab.clone()).compile(&grammar).unwrap();
        let mut why = Why::new(Some(&constraint), vocab);
        assert_eq!(why.refused(2), "`x` does not fit; expected `1`");
        assert_eq!(why.refused(4), "the text is not complete yet");
        why.take(0);
        assert_eq!(why.refused(1), "after `2`, `a` does not fit; expected `2`");
    }

    #[test]
    fn sets_in_words() {
        let set: ByteSet = (*b"0123456789abcXY\"").into_iter().collect();
        assert_eq!(in_words(&set), "`\"`, `0` to `9`, `X`, `Y`, `a` to `c`");
    }
}
