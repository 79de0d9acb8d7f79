//! Random texts through masks, on a real vocabulary.
//!
//! A text starts wild and ends tame: the longer it is, the more often a token is chosen that closes something, and past
//! a length only such tokens are, as far as the mask has any. Keys that the schema requires and words of its patterns are
//! then tried as they stand: an object that is open to other members, or a string that must contain a word, would
//! hardly ever end otherwise.

use serde_json::Value;
use tokenstile::{Constraint, MatchError, Matcher, TokenId};
use tokenstile_testkit::Rng;

use crate::vocabulary::Real;

/// Tokens after which only closing ones are chosen, and after which a text is given up.
const TAME: usize = 120;
const MOST: usize = 1_500;

/// How one text ended.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// An end token was allowed and taken.
    Complete(Vec<u8>),
    /// It grew too long. It can still be completed.
    Cut(Vec<u8>),
    /// No token is allowed.
    Stuck(Vec<u8>),
    /// A limit was reached.
    OverLimit(String),
}

/// Lists of tokens to choose from first.
pub(crate) struct Sampler {
    real: Real,
    /// Made of closing brackets; longer ones first.
    brackets: Vec<TokenId>,
    /// A quote and closing brackets; longer ones first.
    quotes: Vec<TokenId>,
    /// What starts or goes on with a short value, and then what opens or separates.
    starters: Vec<TokenId>,
    comma: Vec<TokenId>,
    /// Of one ASCII character that is no letter or digit.
    marks: Vec<TokenId>,
    /// Of one or two visible ASCII characters.
    short: Vec<TokenId>,
    blank: Vec<bool>,
    width: usize,
}

impl Sampler {
    pub(crate) fn new(real: Real) -> Self {
        let vocab = real.compiler.vocab();
        let made_of = |set: &[u8]| {
            let mut found: Vec<_> = vocab
                .text_tokens()
                .filter(|(_, bytes)| bytes.iter().all(|byte| set.contains(byte)))
                .collect();
            found.sort_by_key(|(id, bytes)| (usize::MAX - bytes.len(), *id));
            found.into_iter().map(|(id, _)| id).collect::<Vec<_>>()
        };
        let starters =
            ["\":", ":", "0", "1", "true", "false", "null", "5", "9", "[", ",", "{", "a", "A", "-", ".", "e"];
        let short = vocab
            .text_tokens()
            .filter(|(_, bytes)| bytes.len() <= 2 && bytes.iter().all(u8::is_ascii_graphic))
            .map(|(id, _)| id)
            .collect();
        let marks = (0x20..0x7f).filter(|byte: &u8| !byte.is_ascii_alphanumeric() && !b"\"\\".contains(byte));
        let marks = marks.filter_map(|byte| real.id(&[byte])).collect();
        let width = vocab.width();
        let mut blank = vec![false; width];
        made_of(b" \t\r\n").into_iter().for_each(|id| blank[id as usize] = true);
        let brackets = made_of(b"}]");
        let starts_with_quote = |token: &TokenId| vocab.bytes(*token).is_some_and(|bytes| bytes[0] == b'"');
        let quotes = made_of(b"\"}]").into_iter().filter(starts_with_quote).collect();
        let starters = starters.iter().filter_map(|text| real.id(text.as_bytes())).collect();
        let comma = real.id(b",").into_iter().collect();
        Sampler { comma, marks, brackets, quotes, starters, short, blank, width, real }
    }

    /// A random text.
    pub(crate) fn text(&self, constraint: &Constraint, hints: &Hints, rng: &mut Rng) -> End {
        let mut text = Text { matcher: constraint.matcher(), bytes: Vec::new(), place: Place::default() };
        match self.grow(&mut text, hints, rng) {
            Ok(End::Complete(_)) => End::Complete(text.bytes),
            Ok(End::Stuck(_)) => End::Stuck(text.bytes),
            Ok(_) => End::Cut(text.bytes),
            Err(error) => End::OverLimit(error.to_string()),
        }
    }

    fn grow(&self, text: &mut Text, hints: &Hints, rng: &mut Rng) -> Result<End, MatchError> {
        // Some texts are short from the start; some use common tokens, some any.
        let tame = rng.between(1, TAME);
        let wild = rng.below(4);
        for step in 0..MOST {
            if step > tame && text.place.key_is_due() && text.write_key(&hints.keys, rng)? {
                continue;
            }
            if step > tame
                && text.place.in_string
                && rng.chance(1, 4)
                && text.write_word(&hints.words, rng)?
            {
                continue;
            }
            let mask = text.matcher.mask()?.to_vec();
            let allowed = Allowed { mask: &mask, width: self.width };
            let accepting = text.matcher.is_accepting();
            if accepting && (step > tame || rng.chance(1, 2) || !self.goes_on(&allowed)) {
                return Ok(End::Complete(Vec::new()));
            }
            let number_is_long = text.place.last.is_ascii_digit() && rng.chance(1, 4);
            let token = if number_is_long || rng.below(tame) < step.saturating_sub(tame / 2) {
                self.closing(&allowed, &text.place, rng)
            } else {
                self.any(&allowed, wild, rng)
            };
            match token {
                Some(token) => text.commit(token)?,
                None if accepting => return Ok(End::Complete(Vec::new())),
                None => return Ok(End::Stuck(Vec::new())),
            }
        }
        let completable = text.matcher.mask()?.iter().any(|&word| word != 0);
        Ok(if completable { End::Cut(Vec::new()) } else { End::Stuck(Vec::new()) })
    }

    /// Whether anything but an end token is allowed.
    fn goes_on(&self, allowed: &Allowed) -> bool {
        allowed.ids().any(|id| self.is_text(id))
    }

    fn is_text(&self, token: TokenId) -> bool {
        self.real.compiler.vocab().bytes(token).is_some()
    }

    /// A token that brings the text closer to its end.
    fn closing(&self, allowed: &Allowed, place: &Place, rng: &mut Rng) -> Option<TokenId> {
        let (in_string, in_number) = (place.in_string, place.last.is_ascii_digit());
        let first = |list: &[TokenId]| list.iter().copied().find(|&token| allowed.has(token));
        let closer = if in_string {
            // Where a pattern wants a separator, words alone lead nowhere.
            first(&self.quotes)
                .or_else(|| if rng.chance(1, 2) { turned(&self.marks, allowed, rng) } else { None })
        } else {
            let closer = first(&self.brackets).or_else(|| first(&self.quotes));
            closer.or_else(|| first(if in_number { &self.comma } else { &self.starters }))
        };
        closer.or_else(|| self.any(allowed, 0, rng))
    }

    /// Any token; where `wild` is 1 a short one if there is one, where it is 2 often one that is structure. White space is
    /// everywhere and says little: it is chosen less often.
    fn any(&self, allowed: &Allowed, wild: usize, rng: &mut Rng) -> Option<TokenId> {
        let preferred = match wild {
            1 => turned(&self.short, allowed, rng),
            2 if rng.chance(1, 2) => turned(&self.starters, allowed, rng),
            _ => None,
        };
        let is_word = |token: &TokenId| self.is_text(*token) && !self.blank[*token as usize];
        preferred
            .or_else(|| {
                allowed.random(rng).filter(|token| is_word(token) || self.is_text(*token) && rng.chance(1, 5))
            })
            .or_else(|| {
                let words: Vec<_> = allowed.ids().filter(is_word).collect();
                if words.is_empty() { None } else { Some(*rng.pick(&words)) }
            })
            .or_else(|| allowed.ids().find(|&token| self.is_text(token)))
    }
}

/// The first allowed token of a list that is begun anywhere.
fn turned(list: &[TokenId], allowed: &Allowed, rng: &mut Rng) -> Option<TokenId> {
    let start = rng.below(list.len());
    let mut turned = list[start..].iter().chain(&list[..start]).copied();
    turned.find(|&token| allowed.has(token))
}

/// A mask to choose from.
struct Allowed<'a> {
    mask: &'a [u32],
    width: usize,
}

impl Allowed<'_> {
    fn has(&self, token: TokenId) -> bool {
        self.mask.get(token as usize / 32).is_some_and(|word| word >> (token % 32) & 1 == 1)
    }

    fn ids(&self) -> impl Iterator<Item = TokenId> {
        let bits = |word: u32| (0..32).filter(move |bit| word >> bit & 1 == 1);
        (0..)
            .zip(self.mask)
            .filter(|(_, word)| **word != 0)
            .flat_map(move |(at, &word)| bits(word).map(move |b| at * 32 + b))
    }

    /// One of the tokens, each as likely as the other.
    fn random(&self, rng: &mut Rng) -> Option<TokenId> {
        let guess = (0..64).map(|_| rng.below(self.width) as TokenId).find(|&token| self.has(token));
        guess.or_else(|| {
            let ids: Vec<_> = self.ids().collect();
            if ids.is_empty() { None } else { Some(*rng.pick(&ids)) }
        })
    }
}

/// A text as it grows.
struct Text {
    matcher: Matcher,
    bytes: Vec<u8>,
    place: Place,
}

impl Text {
    fn commit(&mut self, token: TokenId) -> Result<(), MatchError> {
        self.matcher.commit(token)?;
        let bytes = self.matcher.constraint().vocab().bytes(token).unwrap_or_default().to_vec();
        self.place.read(&bytes);
        self.bytes.extend(bytes);
        Ok(())
    }

    /// Writes one of the words, if it is possible and the string can end no sooner.
    fn write_word(&mut self, words: &[String], rng: &mut Rng) -> Result<bool, MatchError> {
        if words.is_empty() || self.write(b"\"")? {
            return Ok(!words.is_empty());
        }
        self.write(rng.pick(words).as_bytes())
    }

    /// Writes these bytes, if it is possible.
    fn write(&mut self, bytes: &[u8]) -> Result<bool, MatchError> {
        match self.matcher.commit_bytes(bytes) {
            Ok(()) => {
                self.place.read(bytes);
                self.bytes.extend_from_slice(bytes);
                Ok(true)
            }
            Err(error @ MatchError::Limit { .. }) => Err(error),
            Err(_) => Ok(false),
        }
    }

    /// Writes one of the keys, if one is possible.
    fn write_key(&mut self, keys: &[String], rng: &mut Rng) -> Result<bool, MatchError> {
        // The required ones come first; beginning anywhere gives others a chance.
        let start = if rng.chance(1, 4) { rng.below(keys.len()) } else { 0 };
        for key in keys.iter().cycle().skip(start).take(keys.len()) {
            let written = Value::from(key.as_str()).to_string() + ":";
            if self.write(written.as_bytes())? {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// Where in a JSON text it stands.
#[derive(Default)]
struct Place {
    /// Whether the open brackets are those of objects.
    open: Vec<bool>,
    in_string: bool,
    escaped: bool,
    /// The last byte that is neither in a string nor white space.
    last: u8,
}

impl Place {
    fn read(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            match byte {
                _ if self.escaped => self.escaped = false,
                b'\\' if self.in_string => self.escaped = true,
                b'"' => {
                    self.in_string = !self.in_string;
                    self.last = byte;
                }
                _ if self.in_string => {}
                b'{' | b'[' => {
                    self.open.push(byte == b'{');
                    self.last = byte;
                }
                b'}' | b']' => {
                    self.open.pop();
                    self.last = byte;
                }
                b' ' | b'\t' | b'\r' | b'\n' => {}
                _ => self.last = byte,
            }
        }
    }

    fn key_is_due(&self) -> bool {
        self.open.last() == Some(&true) && !self.in_string && matches!(self.last, b',' | b'{')
    }
}

/// What is tried as it stands.
#[derive(Default)]
pub(crate) struct Hints {
    /// All keys that a schema requires, then those it names, then its constants.
    keys: Vec<String>,
    /// Words of its patterns.
    words: Vec<String>,
}

impl Hints {
    pub(crate) fn of(schema: &Value) -> Hints {
        let (mut required, mut named, mut constants) = (Vec::new(), Vec::new(), Vec::new());
        let (mut words, mut open) = (Vec::new(), vec![schema]);
        let strings = |value: &Value| match value {
            Value::Array(items) => items.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
            Value::String(text) => vec![text.clone()],
            _ => Vec::new(),
        };
        while let Some(value) = open.pop() {
            if let Value::Array(items) = value {
                open.extend(items);
            }
            for (key, value) in value.as_object().into_iter().flatten() {
                let names = value.as_object().into_iter().flat_map(|members| members.keys());
                match key.as_str() {
                    "required" => required.extend(strings(value)),
                    "properties" => named.extend(names.cloned()),
                    "enum" | "const" => constants.extend(strings(value)),
                    "pattern" => words.extend(strings(value)),
                    "patternProperties" => words.extend(names.cloned()),
                    _ => {}
                }
                open.push(value);
            }
        }
        let parts =
            words.iter().flat_map(|pattern| pattern.split(|c: char| !c.is_ascii_alphanumeric() && c != '_'));
        let words = few(parts.filter(|part| part.len() > 1).map(str::to_owned));
        Hints { keys: few(required.into_iter().chain(named).chain(constants)), words }
    }
}

/// The first hundred, each once.
fn few(all: impl Iterator<Item = String>) -> Vec<String> {
    let mut kept = Vec::new();
    all.for_each(|text| {
        if !kept.contains(&text) && kept.len() < 100 {
            kept.push(text)
        }
    });
    kept
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use tokenstile::{Compiler, Grammar, Limits, Vocab};

    fn small() -> Real {
        let more = ["true", "false", "null", "\":", "\"}", "]}", "  ", "ab", "12", "\n "];
        let tokens = (0..=255u8).map(|byte| vec![byte]).chain(more.map(|text| text.as_bytes().to_vec()));
        Real::new(Vocab::from_tokens((0..).zip(tokens), &[300]).unwrap())
    }

    #[test]
    fn texts_end_and_are_json() {
        let real = small();
        let constraint = real.compiler.compile(Grammar::json(&Limits::default()).unwrap()).unwrap();
        let sampler = Sampler::new(real);
        let mut rng = Rng::new(1);
        let mut kinds = std::collections::BTreeSet::new();
        for _ in 0..200 {
            let end = sampler.text(&constraint, &Hints::default(), &mut rng);
            let text = match end {
                End::Complete(text) => text,
                end => panic!("it should end: {end:?}"),
            };
            kinds.insert(text[0]);
            let text = String::from_utf8(text).unwrap();
            // A lone surrogate is JSON, and yet no text; a number may be too large for anything.
            if let Err(error) = serde_json::from_str::<Value>(&text) {
                let why = error.to_string();
                assert!(why.contains("surrogate") || why.contains("hex escape"), "{why}: {text}");
            }
        }
        assert!(kinds.len() > 5, "{kinds:?}");
    }

    #[test]
    fn required_keys_are_found() {
        let real = small();
        let text = r#"root ::= "{" ("\"" [a-z]+ "\":1,")* "\"needed\":1}""#;
        let grammar = Grammar::gbnf(text, &Limits::default()).unwrap();
        let constraint = Compiler::new(real.compiler.vocab().clone()).compile(&grammar).unwrap();
        let sampler = Sampler::new(real);
        let hints =
            Hints::of(&json!({"properties": {"x": {"required": ["needed"], "pattern": "^a(word|_x9)+"}}}));
        assert_eq!(hints.keys, ["needed", "x"]);
        assert_eq!(hints.words, ["word", "_x9"]);
        let mut rng = Rng::new(2);
        for _ in 0..50 {
            let end = sampler.text(&constraint, &hints, &mut rng);
            assert!(matches!(end, End::Complete(_)), "{end:?}");
        }
    }

    #[test]
    fn words_of_patterns_are_found() {
        let real = small();
        let text = r#"root ::= "\"" [a-z]* "needed" [a-z]* "\"""#;
        let constraint = real.compiler.compile(Grammar::gbnf(text, &Limits::default()).unwrap()).unwrap();
        let sampler = Sampler::new(real);
        let (hints, mut rng) = (Hints::of(&json!({"pattern": "needed"})), Rng::new(2));
        for _ in 0..50 {
            let end = sampler.text(&constraint, &hints, &mut rng);
            assert!(matches!(end, End::Complete(_)), "{end:?}");
        }
    }

    #[test]
    fn a_key_is_due_at_the_start_and_after_a_comma_of_an_object() {
        let due = |text: &str| {
            let mut place = Place::default();
            place.read(text.as_bytes());
            place.key_is_due()
        };
        assert!(due("[{ ") && due(r#"{"a": [1], "#) && due(r#"[{"a,]\"": {}, "#));
        assert!(!due(r#"{"a": [1, "#) && !due(r#"{"a": "x, "#) && !due(r#"{"a": 1"#));
    }
}
