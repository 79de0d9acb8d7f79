//! Random expressions and texts against a recogniser that is written from the definition of the expressions.

use tokenstile_grammar::ir::{Arena, CharSet};
use tokenstile_grammar::limits::Budget;
use tokenstile_grammar::{
    ExprId, GrammarBuilder, Limits, RegexDialect, RegexOptions, RegexSemantics, regex_expr,
};
use tokenstile_testkit::plain::{self, Random};

use super::Speller;
use super::{encode, encode_literal, encode_opened};
use crate::Spelling;

/// Characters that are easily taken for others once they are spelled.
const ALPHABET: [char; 14] =
    ['a', 'n', 'u', '0', '_', '\n', '"', '\\', '/', '\u{1}', '\u{1F}', 'é', '\u{FFFF}', '😀'];

/// The independent answer: whether `expr` matches just these bytes.
fn recognises(arena: &Arena, expr: ExprId, text: &[u8]) -> bool {
    let mut grammar = GrammarBuilder::new(&Limits::default());
    grammar.arena = arena.clone();
    let root = grammar.declare("root", None).unwrap();
    grammar.define(root, expr);
    plain::matches(&grammar.build(root).unwrap(), text)
}

/// How JSON Schema reads a pattern.
fn search() -> RegexOptions {
    RegexOptions::default().with_dialect(RegexDialect::Ecma).with_semantics(RegexSemantics::Search)
}

/// The answer under test.
fn matches(arena: &Arena, expr: ExprId, text: &str) -> bool {
    super::matches(arena, expr, text, &mut Budget::new(&Limits::default())).unwrap()
}

struct Generator {
    random: Random,
    /// A few characters, so that texts often match.
    alphabet: [char; 5],
    arena: Arena,
}

impl Generator {
    fn new(seed: u64) -> Self {
        let mut random = Random::new(seed);
        let alphabet = [(); 5].map(|_| random.pick(&ALPHABET));
        Generator { random, alphabet, arena: Arena::new(1 << 16) }
    }

    fn set(&mut self) -> ExprId {
        let set = match self.random.below(6) {
            0 => CharSet::all(),
            1 => CharSet::of("an0u_"),
            2 => CharSet::from_ranges([(0, 0x20), (0x5C, 0x6E), (0xFFF0, 0x1F600)]),
            _ => {
                let chars: String = (0..3).map(|_| self.random.pick(&self.alphabet)).collect();
                let set = CharSet::of(&chars);
                if self.random.below(3) == 0 { set.complement() } else { set }
            }
        };
        self.arena.chars(&set)
    }

    fn text(&mut self, most: usize) -> String {
        (0..self.random.below(most + 1)).map(|_| self.random.pick(&self.alphabet)).collect()
    }

    fn any_text(&mut self) -> ExprId {
        let any = self.arena.chars(&CharSet::all());
        self.arena.star(any)
    }

    /// An expression in the middle of a text; with assertions if it is in a region.
    fn expr(&mut self, depth: usize, looks: bool) -> ExprId {
        let below = depth.saturating_sub(1);
        match self.random.below(if depth == 0 { 3 } else { 11 }) {
            0 | 1 => self.set(),
            2 => {
                let text = self.text(2);
                self.arena.literal(text.as_bytes())
            }
            3..6 => {
                let parts: Vec<ExprId> = (0..3).map(|_| self.expr(below, looks)).collect();
                self.arena.concat(&parts)
            }
            6 => {
                let parts = [self.expr(below, looks), self.expr(below, looks)];
                self.arena.alt(&parts)
            }
            7 => {
                let (min, max) =
                    self.random.pick(&[(0, None), (1, None), (0, Some(1)), (2, Some(3)), (0, Some(9))]);
                let inner = self.expr(below, looks);
                self.arena.repeat(inner, min, max)
            }
            8 if looks => {
                let inner = self.expr(below, true);
                let negated = self.random.below(2) == 0;
                self.arena.look(inner, false, negated)
            }
            9 if looks => {
                let inner = self.expr(below, false);
                let negated = self.random.below(2) == 0;
                self.arena.look(inner, true, negated)
            }
            8 => {
                let parts = [self.expr(below, false), self.expr(below, false)];
                self.arena.and(&parts)
            }
            _ => {
                let (inner, any) = (self.expr(below, false), self.any_text());
                let not = self.arena.not(inner);
                self.arena.and(&[any, not])
            }
        }
    }

    /// A boolean combination of regions and other expressions: what schemas make of patterns.
    fn language(&mut self, depth: usize) -> ExprId {
        match self.random.below(if depth == 0 { 3 } else { 6 }) {
            0 => self.expr(3, false),
            1 | 2 => {
                let mut inner = self.expr(3, true);
                if self.random.below(2) == 0 {
                    let any = self.any_text();
                    inner = self.arena.concat(&[any, inner, any]);
                }
                self.arena.region(inner)
            }
            3 => {
                let parts = [self.language(depth - 1), self.language(depth - 1)];
                self.arena.and(&parts)
            }
            4 => {
                let parts = [self.language(depth - 1), self.language(depth - 1)];
                self.arena.alt(&parts)
            }
            _ => {
                let inner = self.language(depth - 1);
                self.arena.not(inner)
            }
        }
    }

    /// Some spelling of a text.
    fn spelled(&mut self, text: &str, spelling: Spelling) -> Vec<u8> {
        let mut out = Vec::new();
        for c in text.chars() {
            let short = "\"\\/\n\r\t\u{8}\u{C}".find(c).map(|i| b"\"\\/nrtbf"[i]);
            let raw = c >= ' ' && c != '"' && c != '\\';
            let any = spelling == Spelling::Any;
            match (self.random.below(3), short) {
                (0 | 1, _) if raw => out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
                (_, _) if raw && !any => out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
                (2, Some(short)) => out.extend_from_slice(&[b'\\', short]),
                (_, Some(short)) if !any => out.extend_from_slice(&[b'\\', short]),
                _ => {
                    for unit in c.encode_utf16(&mut [0; 2]) {
                        let upper = self.random.below(2) == 0;
                        let hex = if upper { format!("\\u{unit:04X}") } else { format!("\\u{unit:04x}") };
                        out.extend_from_slice(hex.as_bytes());
                    }
                }
            }
        }
        out
    }
}

#[test]
fn texts_match_as_defined() {
    let mut accepted = 0;
    for seed in 0..700 {
        let mut generator = Generator::new(seed);
        let language = generator.language(2);
        for _ in 0..8 {
            let text = generator.text(5);
            let expected = recognises(&generator.arena, language, text.as_bytes());
            assert_eq!(matches(&generator.arena, language, &text), expected, "seed {seed}: {text:?}");
            accepted += usize::from(expected);
        }
    }
    assert!((1000..4600).contains(&accepted), "{accepted} of 5600 accepted");
}

#[test]
fn spellings_match_just_where_their_texts_do() {
    for spelling in [Spelling::Canonical, Spelling::Any] {
        for seed in 0..700 {
            let mut generator = Generator::new(seed);
            let language = generator.language(2);
            let limits = Limits::default();
            let opened =
                encode_opened(language, &mut Speller::new(spelling), &mut generator.arena, &limits).unwrap();
            let body = encode(language, &mut Speller::new(spelling), &mut generator.arena, &limits).ok();
            for _ in 0..6 {
                let text = generator.text(5);
                let spelled = generator.spelled(&text, spelling);
                let expected = recognises(&generator.arena, language, text.as_bytes());
                let shown = String::from_utf8_lossy(&spelled).into_owned();
                if let Some(body) = body {
                    assert_eq!(
                        recognises(&generator.arena, body, &spelled),
                        expected,
                        "seed {seed}: {shown}"
                    );
                }
                let quoted = [b"\"", &spelled[..]].concat();
                assert_eq!(recognises(&generator.arena, opened, &quoted), expected, "seed {seed}: {shown}");
            }
        }
    }
}

/// All texts of up to four characters that look alike when spelled, with patterns that look around.
#[test]
fn a_lookbehind_sees_characters_rather_than_bytes() {
    const PATTERNS: [&str; 12] = [
        r"(?<=\n)n",
        r"(?<!\n)n",
        r"(?<=n)[^n]",
        r"\bn",
        r"n\B",
        r"(?<=\\)n",
        r"(?<!\\)[\s\S]$",
        r#"(?<=")n"#,
        r"(?<=n\n)\\",
        r"(?<=0a)n",
        r"(?m)^n",
        r"(?<=\\.)n",
    ];
    let limits = Limits::default();
    let options = search();
    let mut generator = Generator::new(3);
    for spelling in [Spelling::Canonical, Spelling::Any] {
        for pattern in PATTERNS {
            let plain = regex_expr(pattern, &options, &mut generator.arena, &limits).unwrap();
            let opened =
                encode_opened(plain, &mut Speller::new(spelling), &mut generator.arena, &limits).unwrap();
            for number in 0..5usize.pow(4) {
                let digits = (0..4).map(|i| number / 5usize.pow(i) % 5);
                let text: String = digits.map(|d| ['\\', 'n', '\n', '"', '0'][d]).collect();
                let quoted = [b"\"", &generator.spelled(&text, spelling)[..]].concat();
                let expected = recognises(&generator.arena, plain, text.as_bytes());
                let found = recognises(&generator.arena, opened, &quoted);
                assert_eq!(found, expected, "{pattern} on {}", String::from_utf8_lossy(&quoted));
            }
        }
    }
}

#[test]
fn what_is_no_spelling_never_matches() {
    let limits = Limits::default();
    let mut arena = Arena::new(1 << 16);
    let options = search();
    let x = regex_expr("(?<!x)x", &options, &mut arena, &limits).unwrap();
    let not_x = arena.not(x);
    let any = regex_expr("", &options, &mut arena, &limits).unwrap();
    for spelling in [Spelling::Canonical, Spelling::Any] {
        let canonical = spelling == Spelling::Canonical;
        for expr in [not_x, any] {
            let opened = encode_opened(expr, &mut Speller::new(spelling), &mut arena, &limits).unwrap();
            for (text, valid) in [
                (r#"""#, true),
                (r#""a"b"#, false),
                (r#""\"#, false),
                (r#""\a"#, false),
                (r#""\N"#, false),
                ("\"\n", false),
                ("\"\u{1f}", false),
                ("\"\u{7f}", true),
                (r#""\u001f\u001F\u0000"#, true),
                (r#""\u000a"#, !canonical),
                (r#""\/"#, !canonical),
                (r#""/"#, true),
                (r#""\u00e9\uFFFF"#, !canonical),
                (r#""\uD83D\uDE00"#, !canonical),
                (r#""\uDBFF\uDFFF\ud800\udc00"#, !canonical),
                (r#""\uD83D"#, false),
                (r#""\uDE00"#, false),
                (r#""\uD83D\u0041"#, false),
                (r#""\uDE00\uD83D"#, false),
                (r#""\u00"#, false),
                (r#""\U0041"#, false),
                (r#""\n\r\t\b\f\\\""#, true),
            ] {
                assert_eq!(recognises(&arena, opened, text.as_bytes()), valid, "{text:?} {spelling:?}");
            }
        }
    }
}

#[test]
fn one_text_is_one_literal() {
    let mut arena = Arena::new(1 << 16);
    let text = "a\"\\/\n\u{7F}é😀";
    let spelled = arena.literal("a\\\"\\\\/\\n\u{7F}é😀".as_bytes());
    assert_eq!(encode_literal(text, &mut Speller::new(Spelling::Canonical), &mut arena), spelled);
    let plain = arena.literal(text.as_bytes());
    let limits = Limits::default();
    assert_eq!(encode(plain, &mut Speller::new(Spelling::Canonical), &mut arena, &limits), Ok(spelled));
    let any = encode_literal(text, &mut Speller::new(Spelling::Any), &mut arena);
    assert_eq!(encode(plain, &mut Speller::new(Spelling::Any), &mut arena, &limits), Ok(any));
    let all = Speller::new(Spelling::Any).any_text(&mut arena);
    for spelled in [
        "a\\\"\\\\/\\n\u{7F}é😀",
        r"\u0061\u0022\u005C\u002F\u000A\u007F\u00e9\ud83D\uDE00",
        "a\\\"\\\\\\/\\n\u{7F}é😀",
    ] {
        assert!(recognises(&arena, any, spelled.as_bytes()), "{spelled}");
        assert!(recognises(&arena, all, spelled.as_bytes()), "{spelled}");
    }
    assert!(!recognises(&arena, any, b"a"));
}

#[test]
fn patterns_match_as_other_engines_say() {
    const PATTERNS: [&str; 22] = [
        "a",
        "^a",
        "a$",
        "^$",
        r"\bn\b",
        r"\Bn",
        r"(?<=a)n",
        r"(?<!a|u)n",
        r"(?<=\n)a",
        r"(?=a.u)",
        r"^(?!.*nn).*0",
        r"^(?:an?){2,3}$",
        r"(?:a|n\b|0)*_$",
        r"[^a-n]{3}",
        r"^(?=.*a)(?=.*n)[an0]*$",
        r"(?<![\s\S])a",
        "(?:a*n|a)*u",
        r"^(?:\b|a){3}$",
        r"(?<=\\)\w",
        r#"^"[^"]*"$"#,
        "^.{2,4}$",
        "(?:(?=a)|n){2}a",
    ];
    let mut random = Random::new(7);
    let options = search();
    let limits = Limits::default();
    for pattern in PATTERNS {
        let mut arena = Arena::new(1 << 16);
        let expr = regex_expr(pattern, &options, &mut arena, &limits).unwrap();
        let oracle = fancy_regex::Regex::new(&pattern.replace(r"\w", "[0-9A-Z_a-z]")).unwrap();
        let mut found = [0, 0];
        for _ in 0..300 {
            let len = random.below(7);
            let text: String =
                (0..len).map(|_| random.pick(&['a', 'n', 'u', '0', '_', '\n', '"', '\\', ' '])).collect();
            let expected = oracle.is_match(&text).unwrap();
            assert_eq!(matches(&arena, expr, &text), expected, "{pattern:?} on {text:?}");
            found[usize::from(expected)] += 1;
        }
        assert!(found[0] > 0 && found[1] > 0, "{pattern:?}: {found:?}");
    }
}

#[test]
fn long_texts_and_deep_expressions_are_no_trouble() {
    let started = std::time::Instant::now();
    let limits = Limits::default();
    let options = search();
    let long = "a".repeat(10_000);
    for (pattern, expected) in [
        ("(?:(?:(?:a*b|a)*c|a)*d|a)*$", true),
        ("^(?:a?){900}$", false),
        ("^(?:a?){0,20000}$", true),
        ("^(?:a|aa){50,99}b?$", false),
        ("^(?!.*b)(?=.*a$).{1,10000}$", true),
        ("(?<=a{5})a(?!a)", true),
        ("^(?:(?!b)a)*$", true),
        (r"b\b", false),
    ] {
        let mut arena = Arena::new(1 << 20);
        let expr = regex_expr(pattern, &options, &mut arena, &limits).unwrap();
        assert_eq!(matches(&arena, expr, &long), expected, "{pattern}");
    }
    let mut arena = Arena::new(1 << 20);
    let (a, b) = (arena.literal(b"a"), arena.literal(b"b"));
    let (mut deep, mut nested) = (a, a);
    for i in 0..100_000 {
        let other = arena.repeat(b, i, Some(i + 1));
        let either = arena.alt(&[deep, other]);
        deep = arena.not(either);
        if i < 20_000 {
            let group = arena.concat(&[nested, b]);
            nested = arena.repeat(group, 0, Some(1 + i % 3));
        }
    }
    assert!(matches(&arena, nested, ""));
    let endless = regex_expr("^(?:a|aa){5000,9999}$", &options, &mut arena, &limits).unwrap();
    let short = limits.clone().with_compile_time(std::time::Duration::from_millis(20));
    assert!(super::matches(&arena, endless, &long, &mut Budget::new(&short)).is_err());
    let even = matches(&arena, deep, "a");
    assert_eq!(matches(&arena, deep, "c"), !even);
    let not = arena.not(nested);
    assert!(encode(not, &mut Speller::new(Spelling::Any), &mut arena, &limits).is_ok());
    assert!(started.elapsed().as_secs() < 20, "{:?}", started.elapsed());
}
