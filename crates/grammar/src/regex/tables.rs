//! Character sets: the predefined classes of both dialects, Unicode properties, case folding.
//!
//! The Unicode data is that of `regex-syntax`, read by having it parse one class at a time.

use std::sync::OnceLock;

use regex_syntax::hir::{Class, ClassUnicode, ClassUnicodeRange, HirKind};

use crate::ir::{ByteSet, CharSet};

/// A set of characters or, in byte mode, of bytes: then `chars` holds just values up to 255.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Set {
    pub(super) chars: CharSet,
    pub(super) bytes: bool,
}

impl Set {
    pub(super) fn chars(chars: CharSet) -> Self {
        Set { chars, bytes: false }
    }

    pub(super) fn ranges(ranges: impl IntoIterator<Item = (u32, u32)>, bytes: bool) -> Self {
        Set { chars: CharSet::from_ranges(ranges), bytes }
    }

    pub(super) fn negate(&self) -> Self {
        let rest = self.chars.complement();
        let chars = if self.bytes { rest.intersect(&CharSet::from_ranges([(0, 0xFF)])) } else { rest };
        Set { chars, bytes: self.bytes }
    }

    /// The set with everything that differs from a member only in case.
    pub(super) fn fold(&self) -> Self {
        if self.bytes {
            let flip = |(from, to): (u8, u8), by: i32| {
                let letters = CharSet::from_ranges([(from.into(), to.into())]);
                let both: Vec<_> = self.chars.intersect(&letters).ranges().to_vec();
                both.into_iter().map(move |(a, b)| (a.wrapping_add_signed(by), b.wrapping_add_signed(by)))
            };
            let (upper, lower) = (flip((b'a', b'z'), -32), flip((b'A', b'Z'), 32));
            let ranges = self.chars.ranges().iter().copied().chain(upper).chain(lower);
            return Set::ranges(ranges, true);
        }
        let ranges = self
            .chars
            .ranges()
            .iter()
            .filter_map(|&(a, b)| Some(ClassUnicodeRange::new(char::from_u32(a)?, char::from_u32(b)?)));
        let mut class = ClassUnicode::new(ranges);
        class.case_fold_simple();
        Set::chars(of_class(&class))
    }

    /// The bytes of a set in byte mode.
    pub(super) fn byte_set(&self) -> ByteSet {
        self.chars.ranges().iter().flat_map(|&(a, b)| a..=b).map(|b| b as u8).collect()
    }
}

fn of_class(class: &ClassUnicode) -> CharSet {
    CharSet::from_ranges(class.iter().map(|r| (r.start() as u32, r.end() as u32)))
}

/// The set of one class as `regex-syntax` writes it, such as `\p{Greek}` or `\w`; in words, why there is none.
pub fn unicode(class: &str) -> Result<CharSet, String> {
    let hir = regex_syntax::parse(class).map_err(|error| match error {
        regex_syntax::Error::Parse(e) => e.kind().to_string(),
        regex_syntax::Error::Translate(e) => e.kind().to_string(),
        _ => "unknown class".to_owned(),
    })?;
    match hir.kind() {
        HirKind::Class(Class::Unicode(class)) => Ok(of_class(class)),
        // A class of one character is read as that character.
        HirKind::Literal(literal) => match std::str::from_utf8(&literal.0) {
            Ok(text) => Ok(CharSet::of(text)),
            Err(_) => Err("not a class of characters".to_owned()),
        },
        HirKind::Class(Class::Bytes(class)) if class.ranges().is_empty() => Ok(CharSet::empty()),
        _ => Err("not a class of characters".to_owned()),
    }
}

const DIGIT: &[(u32, u32)] = &[(0x30, 0x39)];
const WORD: &[(u32, u32)] = &[(0x30, 0x39), (0x41, 0x5A), (0x5F, 0x5F), (0x61, 0x7A)];
const ASCII_SPACE: &[(u32, u32)] = &[(0x09, 0x0D), (0x20, 0x20)];
const ECMA_SPACE: &[(u32, u32)] = &[
    (0x09, 0x0D),
    (0x20, 0x20),
    (0xA0, 0xA0),
    (0x1680, 0x1680),
    (0x2000, 0x200A),
    (0x2028, 0x2029),
    (0x202F, 0x202F),
    (0x205F, 0x205F),
    (0x3000, 0x3000),
    (0xFEFF, 0xFEFF),
];

/// `\d`, `\w` or `\s` of Unicode, each looked up once in the life of the process.
pub(super) fn unicode_perl(class: char) -> &'static CharSet {
    static SETS: [OnceLock<CharSet>; 3] = [const { OnceLock::new() }; 3];
    let (slot, name) = match class {
        'd' => (0, r"\d"),
        'w' => (1, r"\w"),
        _ => (2, r"\s"),
    };
    SETS[slot].get_or_init(|| unicode(name).unwrap_or_else(|why| unreachable!("{name}: {why}")))
}

/// `\d`, `\w` or `\s` of ASCII.
pub(super) fn ascii_perl(class: char) -> &'static [(u32, u32)] {
    match class {
        'd' => DIGIT,
        'w' => WORD,
        _ => ASCII_SPACE,
    }
}

/// `\d`, `\w` or `\s` of ECMA-262.
pub(super) fn ecma_perl(class: char) -> &'static [(u32, u32)] {
    if class == 's' { ECMA_SPACE } else { ascii_perl(class) }
}

/// The line terminators of ECMA-262.
pub(super) const ECMA_LINES: &[(u32, u32)] = &[(0x0A, 0x0A), (0x0D, 0x0D), (0x2028, 0x2029)];

/// A POSIX class, by the name between `[:` and `:]`.
pub(super) fn posix(name: &str) -> Option<&'static [(u32, u32)]> {
    Some(match name {
        "alnum" => &[(0x30, 0x39), (0x41, 0x5A), (0x61, 0x7A)],
        "alpha" => &[(0x41, 0x5A), (0x61, 0x7A)],
        "ascii" => &[(0x00, 0x7F)],
        "blank" => &[(0x09, 0x09), (0x20, 0x20)],
        "cntrl" => &[(0x00, 0x1F), (0x7F, 0x7F)],
        "digit" => DIGIT,
        "graph" => &[(0x21, 0x7E)],
        "lower" => &[(0x61, 0x7A)],
        "print" => &[(0x20, 0x7E)],
        "punct" => &[(0x21, 0x2F), (0x3A, 0x40), (0x5B, 0x60), (0x7B, 0x7E)],
        "space" => ASCII_SPACE,
        "upper" => &[(0x41, 0x5A)],
        "word" => WORD,
        "xdigit" => &[(0x30, 0x39), (0x41, 0x46), (0x61, 0x66)],
        _ => return None,
    })
}
