//! What may follow a text, in words: characters where they can be told, else bytes.

use tokenstile::{ByteSet, MatchError, Matcher};

use crate::bytes;

/// Up to so many characters are looked up; where there are more, it is said that there are many.
const MOST: usize = 128;
/// Up to so many phrases about them are given.
const PHRASES: usize = 12;

/// What the sequence may go on with, as a list of phrases; its text must end between two characters.
pub(super) fn describe(matcher: &mut Matcher) -> Result<Vec<String>, MatchError> {
    let all = matcher.allowed_bytes()?;
    let ascii = all.intersect(&ByteSet::range(0, 0x7f));
    let others = all.minus(&ascii);
    // A class of all characters has all first bytes; so has a text of any bytes.
    if others.is_empty() || ByteSet::range(0xc2, 0xf4).is_subset(&others) {
        return Ok(bytes::describe(&all));
    }
    let mut phrases = if ascii.is_empty() { Vec::new() } else { bytes::describe(&ascii) };
    match characters(matcher, &others)? {
        Found::All(characters) => phrases.extend(ranges(&characters)),
        Found::Many => phrases.push("one of many non-ASCII characters".into()),
        Found::NoText => phrases.extend(bytes::describe(&others)),
    }
    if phrases.len() > PHRASES {
        let more = phrases.len() - PHRASES;
        phrases.truncate(PHRASES);
        phrases.push(format!("{more} more"));
    }
    Ok(phrases)
}

enum Found {
    All(Vec<char>),
    Many,
    /// Some of the bytes begin no UTF-8.
    NoText,
}

/// The characters that begin with one of `first`, in order.
fn characters(matcher: &Matcher, first: &ByteSet) -> Result<Found, MatchError> {
    let mut found = Vec::new();
    let mut open: Vec<(Matcher, Vec<u8>)> = Vec::new();
    let push = |open: &mut Vec<_>, matcher: &Matcher, prefix: &[u8], next: &ByteSet| {
        // The lowest byte comes off the stack first.
        for byte in next.iter().collect::<Vec<_>>().into_iter().rev() {
            let mut fork = matcher.fork();
            fork.commit_bytes(&[byte])?;
            open.push((fork, [prefix, &[byte]].concat()));
        }
        Ok::<(), MatchError>(())
    };
    push(&mut open, matcher, b"", first)?;
    while let Some((mut matcher, prefix)) = open.pop() {
        match std::str::from_utf8(&prefix) {
            Ok(text) => found.extend(text.chars()),
            Err(error) if error.error_len().is_none() => {
                let next = matcher.allowed_bytes()?;
                push(&mut open, &matcher, &prefix, &next)?;
            }
            Err(_) => return Ok(Found::NoText),
        }
        if found.len() > MOST {
            return Ok(Found::Many);
        }
    }
    Ok(Found::All(found))
}

/// Runs of three or more as a range, the others one by one.
fn ranges(characters: &[char]) -> Vec<String> {
    let shown = |c: char| format!("`{}`", bytes::escape(c.to_string().as_bytes()));
    let mut phrases = Vec::new();
    let mut rest = characters;
    while let Some(&first) = rest.first() {
        let run = (u32::from(first)..).zip(rest).take_while(|(code, c)| *code == u32::from(**c)).count();
        if run >= 3 {
            phrases.push(format!("{} to {}", shown(first), shown(rest[run - 1])));
        } else {
            phrases.extend(rest[..run].iter().map(|&c| shown(c)));
        }
        rest = &rest[run..];
    }
    phrases
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokenstile::{Compiler, Grammar, Limits, RegexOptions};

    fn after(pattern: &str, text: &str) -> String {
        let grammar = Grammar::regex(pattern, &RegexOptions::default(), &Limits::default()).unwrap();
        let mut matcher = Compiler::new(crate::vocab::bytes()).compile(&grammar).unwrap().matcher();
        matcher.commit_bytes(text.as_bytes()).unwrap();
        bytes::list(&describe(&mut matcher).unwrap(), "or")
    }

    #[test]
    fn characters_are_told() {
        assert_eq!(after("ü+", "ü"), "`ü`");
        assert_eq!(after("[ü-þab€]x", ""), "`a`, `b`, `ü` to `þ` or `€`");
        assert_eq!(after("[0-9]x", ""), "a digit");
        assert_eq!(after("日本|日曜", "日"), "`曜` or `本`");
    }

    #[test]
    fn large_sets_are_told_in_a_few_words() {
        assert_eq!(after(r"\p{Cyrillic}", ""), "one of many non-ASCII characters");
        assert_eq!(after("(?s).", ""), "any character");
        assert_eq!(after(".", ""), "any character except a line break (\\n)");
        let many = after("[àâäæçéèêëîïñôœùûüÿ]", "");
        assert!(many.starts_with("`à`, `â`, ") && many.ends_with(" or 1 more"), "{many}");
    }
}
