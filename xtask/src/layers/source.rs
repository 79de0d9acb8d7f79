//! The words of a Rust file: what is left of it without comments, character literals and lifetimes.
//!
//! A text comes in and tokens go out. This is as much of the language as finding imports needs, and no more: numbers are
//! words too, and a sign is a single character.

/// A part of a source text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Token<'a> {
    /// A name, a keyword or a number.
    Word(&'a str),
    /// What a string literal has between its quotes.
    Text(&'a str),
    /// `::`
    Colons,
    /// Any other character.
    Sign(char),
}

/// The tokens of a source text.
pub(super) fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut reader = Reader { text, at: 0 };
    let mut found = Vec::new();
    while let Some(next) = reader.rest().chars().next() {
        match next {
            _ if next.is_whitespace() => reader.at += next.len_utf8(),
            '/' if reader.rest().starts_with("//") => reader.skip_line(),
            '/' if reader.rest().starts_with("/*") => reader.skip_comment(),
            '"' => found.push(Token::Text(reader.string())),
            '\'' => reader.skip_quote(),
            ':' if reader.rest().starts_with("::") => {
                reader.at += 2;
                found.push(Token::Colons);
            }
            _ if is_name(next) => found.push(reader.word()),
            _ => {
                reader.at += next.len_utf8();
                found.push(Token::Sign(next));
            }
        }
    }
    found
}

fn is_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Reader<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn skip_line(&mut self) {
        self.at += self.rest().find('\n').unwrap_or(self.rest().len());
    }

    /// Skips a block comment. They nest.
    fn skip_comment(&mut self) {
        let mut depth = 0;
        while let Some(next) = self.rest().chars().next() {
            let step = match () {
                () if self.rest().starts_with("/*") => (2, 1),
                () if self.rest().starts_with("*/") => (2, -1),
                () => (next.len_utf8(), 0),
            };
            self.at += step.0;
            depth += step.1;
            if depth == 0 {
                return;
            }
        }
    }

    /// A string literal from its first quote on.
    fn string(&mut self) -> &'a str {
        self.at += 1;
        let start = self.at;
        let mut escaped = false;
        for (offset, c) in self.rest().char_indices() {
            if c == '"' && !escaped {
                self.at = start + offset + 1;
                return &self.text[start..start + offset];
            }
            escaped = c == '\\' && !escaped;
        }
        self.at = self.text.len();
        &self.text[start..]
    }

    /// A raw string literal from the first of its `hashes` signs on, or from its quote.
    fn raw_string(&mut self, hashes: usize) -> &'a str {
        self.at += hashes + 1;
        let start = self.at;
        let end = format!("\"{}", "#".repeat(hashes));
        let length = self.rest().find(&end).unwrap_or(self.rest().len());
        self.at = (start + length + end.len()).min(self.text.len());
        &self.text[start..start + length]
    }

    /// Skips a character literal or a lifetime.
    fn skip_quote(&mut self) {
        self.at += 1;
        let mut chars = self.rest().char_indices();
        match (chars.next(), chars.next()) {
            (Some((_, '\\')), Some((after, escaped))) => {
                self.at += after + escaped.len_utf8();
                self.at += self.rest().find('\'').map_or(0, |end| end + 1);
            }
            (Some(_), Some((end, '\''))) => self.at += end + 1,
            _ => self.at += self.rest().find(|c| !is_name(c)).unwrap_or(self.rest().len()),
        }
    }

    /// A word, or the literal that it is the prefix of.
    fn word(&mut self) -> Token<'a> {
        let length = self.rest().find(|c| !is_name(c)).unwrap_or(self.rest().len());
        let word = &self.rest()[..length];
        self.at += length;
        let hashes = self.rest().len() - self.rest().trim_start_matches('#').len();
        let is_quoted = self.rest()[hashes..].starts_with('"');
        match word {
            "r" | "br" | "cr" if is_quoted => Token::Text(self.raw_string(hashes)),
            "b" | "c" if is_quoted && hashes == 0 => Token::Text(self.string()),
            // A raw name: `r#type`.
            "r" if hashes == 1 => {
                self.at += 1;
                self.word()
            }
            _ => Token::Word(word),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The tokens with spaces between them.
    fn shown(text: &str) -> String {
        let show = |token: Token<'_>| match token {
            Token::Word(word) => word.to_owned(),
            Token::Text(text) => format!("<{text}>"),
            Token::Colons => "::".to_owned(),
            Token::Sign(sign) => sign.to_string(),
        };
        tokens(text).into_iter().map(show).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn comments_and_literals_are_no_code() {
        assert_eq!(shown("a::b // c::d\n/* e /* f */ g */ h"), "a :: b h");
        assert_eq!(
            shown(r#"f("a \" // b", 'c', '\'', '"', b'\\', x)"#),
            r#"f ( <a \" // b> , , , , b , x )"#
        );
        assert_eq!(shown("r#\"a \" b\"# r\"\\\" b\"c\" r#type"), "<a \" b> <\\> <c> type");
        assert_eq!(shown("fn f<'a>(x: &'a str) -> Y<'_> {}"), "fn f < > ( x : & str ) - > Y < > { }");
        assert_eq!(shown("0x1f..2.5e3 'é' '\\u{1F}' ä"), "0x1f . . 2 . 5e3 ä");
    }
}
