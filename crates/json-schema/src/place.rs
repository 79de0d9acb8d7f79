//! From a JSON pointer to the place in the text: for whoever shows an error.

use bumpalo::Bump;
use tokenstile_grammar::limits::Budget;
use tokenstile_grammar::{Limits, Place};

use super::reader::Json;

/// Where in a JSON text the value of a JSON pointer (RFC 6901) stands: at its key, if it is a member. `None` if
/// the text has no such value.
///
/// ```
/// use tokenstile_json_schema::place_of_pointer;
/// let text = "{\n  \"a\": [1, {\"b/c\": 2}]\n}";
/// let place = place_of_pointer(text, "/a/1/b~1c").unwrap();
/// assert_eq!((place.line, place.column), (2, 13));
/// assert_eq!(place_of_pointer(text, "/a/2"), None);
/// ```
pub fn place_of_pointer(text: &str, pointer: &str) -> Option<Place> {
    let mut scan = Scan { text: text.as_bytes(), at: 0 };
    scan.blank();
    let mut place = scan.at;
    for step in pointer.split('/').skip(1) {
        let step = step.replace("~1", "/").replace("~0", "~");
        place = match scan.text.get(scan.at)? {
            b'{' => scan.member(text, &step)?,
            b'[' => scan.item(step.parse().ok()?)?,
            _ => return None,
        };
    }
    Some(Place::of(text, place))
}

/// A place in a JSON text. What is no JSON leads to some other place, never further.
struct Scan<'a> {
    text: &'a [u8],
    at: usize,
}

impl Scan<'_> {
    fn blank(&mut self) {
        while self.text.get(self.at).is_some_and(|b| b" \t\r\n".contains(b)) {
            self.at += 1;
        }
    }

    /// Moves to the value of a member; answers where its key is.
    fn member(&mut self, text: &str, key: &str) -> Option<usize> {
        self.at += 1;
        loop {
            self.blank();
            let start = self.at;
            self.value()?;
            let name = text.get(start..self.at)?;
            self.blank();
            self.at += 1; // the colon
            self.blank();
            if unquoted(name).as_deref() == Some(key) {
                return Some(start);
            }
            self.next()?;
        }
    }

    /// Moves to an item; answers where it is.
    fn item(&mut self, index: usize) -> Option<usize> {
        self.at += 1;
        for _ in 0..index {
            self.blank();
            self.next()?;
        }
        self.blank();
        (self.text.get(self.at) != Some(&b']')).then_some(self.at)
    }

    /// Moves past a value and the comma after it.
    fn next(&mut self) -> Option<()> {
        self.value()?;
        self.blank();
        self.at += 1;
        (self.text.get(self.at - 1) == Some(&b',')).then_some(())
    }

    /// Moves past a value.
    fn value(&mut self) -> Option<()> {
        let mut depth = 0usize;
        loop {
            match self.text.get(self.at)? {
                b'"' => {
                    self.at += 1;
                    while *self.text.get(self.at)? != b'"' {
                        self.at += if self.text[self.at] == b'\\' { 2 } else { 1 };
                    }
                }
                b'{' | b'[' => depth += 1,
                b'}' | b']' | b',' if depth == 0 => return Some(()),
                b'}' | b']' => depth -= 1,
                b':' | b',' | b' ' | b'\t' | b'\r' | b'\n' if depth > 0 => {
                    self.at += 1;
                    continue;
                }
                _ => {
                    while self
                        .text
                        .get(self.at + 1)
                        .is_some_and(|b| b.is_ascii_alphanumeric() || b"+-.".contains(b))
                    {
                        self.at += 1;
                    }
                }
            }
            self.at += 1;
            if depth == 0 {
                return Some(());
            }
        }
    }
}

/// The text of a JSON string.
fn unquoted(string: &str) -> Option<String> {
    let limits = Limits::default();
    match Json::parse(string, &Bump::new(), &limits, &mut Budget::new(&limits)).ok()? {
        Json::String(text) => Some(text.to_owned()),
        _ => None,
    }
}
