//! Bytes and sets of bytes in words that a person reads.

use tokenstile::ByteSet;

/// Bytes as text: UTF-8 as it is, line breaks and other controls escaped, broken UTF-8 as `\xNN`.
pub(crate) fn escape(bytes: &[u8]) -> String {
    let mut shown = String::new();
    for chunk in bytes.utf8_chunks() {
        for c in chunk.valid().chars() {
            match c {
                '\\' => shown.push_str("\\\\"),
                c if c.is_control() => shown.extend(c.escape_default()),
                c => shown.push(c),
            }
        }
        for byte in chunk.invalid() {
            shown.push_str(&format!("\\x{byte:02x}"));
        }
    }
    shown
}

/// Bytes between double quotes, escaped.
pub(crate) fn quote(bytes: &[u8]) -> String {
    format!("\"{}\"", escape(bytes).replace('"', "\\\""))
}

/// Where the character begins that byte `at` of `text` is a part of.
pub(crate) fn character_start(text: &str, at: usize) -> usize {
    (0..=at).rev().find(|&start| text.is_char_boundary(start)).unwrap_or(0)
}

/// One byte: `` `a` ``, `a space`, `byte 0xC3`.
pub(crate) fn name(byte: u8) -> String {
    match byte {
        b' ' => "a space".into(),
        b'\n' => "a line break (\\n)".into(),
        b'\t' => "a tab".into(),
        b'\r' => "a carriage return (\\r)".into(),
        b'`' => "a backquote".into(),
        0x21..=0x7e => format!("`{}`", char::from(byte)),
        _ => format!("byte 0x{byte:02X}"),
    }
}

/// A set of bytes as a short list of phrases, the most telling first.
///
/// `[0-9"]` is `` a digit ``, `` `"` ``; a string's inside is `any printable ASCII character except …`.
pub(crate) fn describe(set: &ByteSet) -> Vec<String> {
    if *set == ByteSet::ALL {
        return vec!["any byte".into()];
    }
    let mut rest = *set;
    let mut phrases = Vec::new();
    describe_nearly_all(&mut rest, &mut phrases);
    describe_printable(&mut rest, &mut phrases);
    describe_utf8(&mut rest, &mut phrases);
    // What can be read before what cannot.
    let readable = rest.intersect(&ByteSet::range(b' ', b'~'));
    describe_ranges(&readable, &mut phrases);
    describe_controls(rest.minus(&readable), &mut phrases);
    phrases
}

/// All first bytes of characters, but for a few.
fn describe_nearly_all(rest: &mut ByteSet, phrases: &mut Vec<String>) {
    const FEW: usize = 10;
    let ascii = ByteSet::range(0, 0x7f);
    let all = ascii.union(&ByteSet::range(0xc2, 0xf4));
    let missing = all.minus(rest);
    if missing.len() > FEW || !missing.is_subset(&ascii) {
        return;
    }
    phrases.push(all_but("any character", missing));
    *rest = rest.minus(&all);
}

/// `all`, with what is missing from it.
fn all_but(all: &str, mut missing: ByteSet) -> String {
    if missing.is_empty() {
        return all.to_owned();
    }
    let mut except = Vec::new();
    describe_classes(&mut missing, &mut except);
    format!("{all} except {}", list(&except, "and"))
}

/// Whole classes of ASCII: nearly everything, letters, digits.
fn describe_printable(rest: &mut ByteSet, phrases: &mut Vec<String>) {
    const MOST: usize = 70;
    let printable = ByteSet::range(b' ', b'~');
    let missing = printable.minus(rest);
    if printable.len() - missing.len() >= MOST {
        phrases.push(all_but("any printable ASCII character", missing));
        *rest = rest.minus(&printable);
    }
    take_classes(rest, phrases);
}

fn describe_classes(rest: &mut ByteSet, phrases: &mut Vec<String>) {
    take_classes(rest, phrases);
    describe_ranges(rest, phrases);
}

/// Named classes that are in the set as a whole.
fn take_classes(rest: &mut ByteSet, phrases: &mut Vec<String>) {
    let lower = ByteSet::range(b'a', b'z');
    let upper = ByteSet::range(b'A', b'Z');
    let digits = ByteSet::range(b'0', b'9');
    let hex_letters = ByteSet::range(b'a', b'f').union(&ByteSet::range(b'A', b'F'));
    let spaces: ByteSet = (*b" \t\n\r").into_iter().collect();
    let is_hex = digits.union(&hex_letters).is_subset(rest)
        && !lower.union(&upper).minus(&hex_letters).intersects(rest);
    let classes = [
        ("a hexadecimal digit", digits.union(&hex_letters), is_hex),
        ("a letter", lower.union(&upper), true),
        ("a lower-case letter", lower, true),
        ("an upper-case letter", upper, true),
        ("a digit", digits, true),
        ("white space", spaces, true),
    ];
    for (phrase, class, fits) in classes {
        if fits && class.is_subset(rest) {
            phrases.push(phrase.into());
            *rest = rest.minus(&class);
        }
    }
}

/// Bytes of longer UTF-8 sequences.
fn describe_utf8(rest: &mut ByteSet, phrases: &mut Vec<String>) {
    let leads = ByteSet::range(0xc2, 0xf4);
    let continuations = ByteSet::range(0x80, 0xbf);
    for (phrase, class) in [("a non-ASCII character", leads), ("a UTF-8 continuation byte", continuations)] {
        if class.is_subset(rest) {
            phrases.push(phrase.into());
            *rest = rest.minus(&class);
        }
    }
}

/// Control characters as one, if they are all there or nearly; else one by one, as the bytes past ASCII.
fn describe_controls(mut rest: ByteSet, phrases: &mut Vec<String>) {
    let controls = ByteSet::range(0, 0x1f).union(&ByteSet::single(0x7f));
    let missing = controls.minus(&rest);
    let blank: ByteSet = (*b"\t\n\r").into_iter().collect();
    if missing.is_subset(&blank) {
        let mut phrase = String::from("a control character");
        let mut except = Vec::new();
        describe_ranges(&missing, &mut except);
        if !except.is_empty() {
            phrase.push_str(" except ");
            phrase.push_str(&list(&except, "and"));
        }
        phrases.push(phrase);
        rest = rest.minus(&controls);
    }
    describe_ranges(&rest, phrases);
}

/// What has no name: runs of three or more as a range, the others one by one.
fn describe_ranges(rest: &ByteSet, phrases: &mut Vec<String>) {
    let mut bytes = rest.iter().peekable();
    while let Some(first) = bytes.next() {
        let mut last = first;
        // A range stays on one side of the borders between controls, ASCII and the rest.
        while let Some(next) =
            bytes.next_if(|&b| u16::from(b) == u16::from(last) + 1 && group(b) == group(first))
        {
            last = next;
        }
        if last - first >= 2 {
            phrases.push(format!("{} to {}", name(first), name(last)));
        } else {
            phrases.extend((first..=last).map(name));
        }
    }
}

fn group(byte: u8) -> u8 {
    match byte {
        b'0'..=b'9' => 0,
        b'a'..=b'z' => 1,
        b'A'..=b'Z' => 2,
        b' ' => 3,
        0x21..=0x7e => 4,
        b'\t' | b'\n' | b'\r' => 5,
        0..=0x1f | 0x7f => 6,
        _ => 7,
    }
}

/// `a, b or c`.
pub(crate) fn list(phrases: &[String], word: &str) -> String {
    match phrases {
        [] => "nothing".into(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} {word} {last}", first.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn described(set: ByteSet) -> String {
        list(&describe(&set), "or")
    }

    #[test]
    fn escapes() {
        assert_eq!(escape("é\n\\\t".as_bytes()), "é\\n\\\\\\t");
        assert_eq!(escape(b"a\xc3"), "a\\xc3");
        assert_eq!(quote(b"a\"b"), r#""a\"b""#);
        assert_eq!(name(0xc3), "byte 0xC3");
        assert_eq!(name(b'"'), "`\"`");
    }

    #[test]
    fn sets_in_words() {
        let digits = ByteSet::range(b'0', b'9');
        assert_eq!(described(digits), "a digit");
        assert_eq!(described(digits.union(&[b'"', b']'].into_iter().collect())), "a digit, `\"` or `]`");
        assert_eq!(described(ByteSet::range(b'1', b'9')), "`1` to `9`");
        assert_eq!(described(ByteSet::single(b' ')), "a space");
        assert_eq!(described(ByteSet::ALL), "any byte");
        assert_eq!(described(ByteSet::EMPTY), "nothing");
        let blanks = ByteSet::range(0, b' ').union(&ByteSet::single(0x7f)).minus(&ByteSet::single(b'\n'));
        assert_eq!(described(blanks), "a space or a control character except a line break (\\n)");
        let any = ByteSet::range(0, 0x7f).union(&ByteSet::range(0xc2, 0xf4));
        assert_eq!(described(any), "any character");
        assert_eq!(described(any.minus(&ByteSet::single(b'\n'))), "any character except a line break (\\n)");
        let hex: ByteSet = (*b"0123456789abcdefABCDEF").into_iter().collect();
        assert_eq!(described(hex), "a hexadecimal digit");
        let inside = ByteSet::range(b' ', b'~').minus(&[b'"', b'\\'].into_iter().collect());
        let inside = inside.union(&ByteSet::range(0xc2, 0xf4));
        assert_eq!(
            described(inside),
            "any printable ASCII character except `\"` and `\\` or a non-ASCII character"
        );
    }

    #[test]
    fn every_set_has_words_for_all_its_bytes() {
        for byte in 0..=255u8 {
            assert_eq!(describe(&ByteSet::single(byte)).len(), 1, "{byte}");
        }
        assert_eq!(describe(&ByteSet::range(0, 2)), ["byte 0x00 to byte 0x02"]);
    }
}
