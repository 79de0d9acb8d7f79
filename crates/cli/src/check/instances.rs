//! Short instances of a JSON Schema.
//!
//! Most schemas allow members that they do not mention, and a walk that may write any key writes nothing else. So the
//! walks go through a smaller grammar: members in their order, only listed ones, no white space. What they find is held
//! against the constraint itself.

use tokenstile::{
    ByteSet, Compiler, Constraint, Grammar, JsonOptions, JsonWhitespace, Limits, Matcher, MemberOrder,
};

use super::examples::{Clock, WALKS};
use crate::rng::Rng;
use crate::source::Source;

/// Length at which a walk is given up.
const LONGEST: usize = 400;

/// Different instances, if the smaller grammar has any.
pub(super) fn find(source: &Source, compiler: &Compiler, all: &Constraint, clock: &Clock) -> Vec<Vec<u8>> {
    let mut options: JsonOptions = source.options.json.clone();
    options.order = MemberOrder::Declared;
    options.whitespace = JsonWhitespace::Compact;
    options.closed = true;
    let Ok(grammar) = Grammar::json_schema(&source.text, &options, &Limits::default()) else {
        return Vec::new();
    };
    let Ok(constraint) = compiler.compile(&grammar) else { return Vec::new() };
    let mut found: Vec<Vec<u8>> = Vec::new();
    for seed in 0..WALKS {
        if clock.is_over() {
            break;
        }
        // The first walks take the shortest way; later ones take what is optional too.
        let walk = Walk { text: Vec::new(), rng: Rng::new(seed), eager: seed as usize % 6 };
        if let Some(text) = walk.run(&mut constraint.matcher())
            && !found.contains(&text)
            && matches(all, &text)
        {
            found.push(text);
        }
    }
    found
}

fn matches(constraint: &Constraint, text: &[u8]) -> bool {
    let mut matcher = constraint.matcher();
    matcher.commit_bytes(text).is_ok() && matcher.is_accepting()
}

/// A walk through the bytes of one instance.
struct Walk {
    text: Vec<u8>,
    rng: Rng,
    /// How readily it writes more than it must, in tenths.
    eager: usize,
}

impl Walk {
    fn run(mut self, matcher: &mut Matcher) -> Option<Vec<u8>> {
        // Length of the string that is being written; within an escape sequence nothing is an end.
        let (mut string, mut escaped): (Option<usize>, bool) = (None, false);
        while self.text.len() < LONGEST {
            let allowed = matcher.allowed_bytes().ok()?;
            if matcher.is_accepting() && (allowed.is_empty() || self.stops()) {
                return Some(self.text);
            }
            let byte = match string {
                Some(length) => self.in_string(&allowed, length),
                None => self.between(&allowed),
            }?;
            matcher.commit_bytes(&[byte]).ok()?;
            self.text.push(byte);
            (string, escaped) = match (string, byte) {
                (None, b'"') => (Some(0), false),
                (None, _) => (None, false),
                (Some(_), b'"') if !escaped => (None, false),
                (Some(length), _) => (Some(length + 1), byte == b'\\' && !escaped),
            };
        }
        None
    }

    /// Whether to be content with a number, or a list, as it is.
    fn stops(&mut self) -> bool {
        !self.rng.chance(self.eager, 10)
    }

    /// The next byte of a string: some letters, then the end.
    fn in_string(&mut self, allowed: &ByteSet, length: usize) -> Option<u8> {
        let ends = allowed.contains(b'"') && length >= 2 && self.rng.chance(length, 6);
        if ends {
            return Some(b'"');
        }
        self.one_of(
            allowed,
            &[
                ByteSet::range(b'a', b'z'),
                ByteSet::range(b'A', b'Z').union(&ByteSet::range(b'0', b'9')),
                ByteSet::single(b'"'),
                ByteSet::range(b'!', b'[').union(&ByteSet::range(b']', b'~')),
            ],
        )
    }

    /// The next byte outside of strings.
    fn between(&mut self, allowed: &ByteSet) -> Option<u8> {
        let ends: ByteSet = (*b"}]").into_iter().collect();
        let more: ByteSet = (*b",\"{[").into_iter().collect();
        let digits = ByteSet::range(b'0', b'9');
        let number = self.text.last().is_some_and(u8::is_ascii_digit);
        // A list that may be empty says more with an item.
        let open = self.text.last() == Some(&b'[');
        let after_value = number && !allowed.intersect(&ends.union(&ByteSet::single(b','))).is_empty();
        let ends_now = !open || self.rng.chance(1, 3);
        if !allowed.intersect(&ends).is_empty() && ends_now && self.stops() {
            return self.one_of(allowed, &[ends]);
        }
        if after_value && self.rng.chance(2, 3) {
            return self.one_of(allowed, &[more, ends]);
        }
        let start = if self.rng.chance(1, 2) { more } else { digits };
        let words: ByteSet = (*b"tfn").into_iter().collect();
        self.one_of(allowed, &[start.union(&words), more.union(&digits), ByteSet::range(b'!', b'~')])
    }

    /// A byte of the first pool that has one that is allowed, or any.
    fn one_of(&mut self, allowed: &ByteSet, pools: &[ByteSet]) -> Option<u8> {
        let pool = pools.iter().map(|pool| allowed.intersect(pool)).find(|pool| !pool.is_empty());
        let pool = pool.unwrap_or(*allowed);
        self.rng.pick(&pool.iter().collect::<Vec<_>>()).copied()
    }
}

/// What an instance is made of: its keys and its brackets, without the values.
pub(super) fn shape(text: &[u8]) -> Vec<u8> {
    let (mut out, mut at) = (Vec::new(), 0);
    while let Some(&byte) = text.get(at) {
        let end = match byte {
            b'"' => at + 1 + string_length(&text[at + 1..]),
            _ => at + 1,
        };
        let is_key = text.get(end) == Some(&b':');
        match byte {
            b'"' if is_key => out.extend_from_slice(&text[at..end]),
            b'"' => out.push(b'"'),
            b'0'..=b'9' if out.last() == Some(&b'0') => {}
            b'0'..=b'9' => out.push(b'0'),
            other => out.push(other),
        }
        at = end;
    }
    out
}

/// How long a string is, with its closing quote.
fn string_length(text: &[u8]) -> usize {
    let mut escaped = false;
    let end = text.iter().position(|&byte| {
        let ends = byte == b'"' && !escaped;
        escaped = byte == b'\\' && !escaped;
        ends
    });
    end.map_or(text.len(), |end| end + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shape_of_an_instance_has_its_keys() {
        let shape = |text: &str| String::from_utf8(shape(text.as_bytes())).unwrap();
        assert_eq!(shape(r#"{"a":12,"b\"":["x","y\""],"c":-1.5}"#), r#"{"a":0,"b\"":[","],"c":-0.0}"#);
        assert_eq!(shape(r#""open"#), "\"");
    }
}
