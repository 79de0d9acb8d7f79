//! Regular expressions against two independent engines: `regex` and, for lookaround, `fancy-regex`.

use tokenstile_grammar::{ErrorKind, Grammar, Limits, RegexDialect, RegexOptions, RegexSemantics};
use tokenstile_testkit::plain::{Random, matches};

const SEMANTICS: [RegexSemantics; 2] = [RegexSemantics::WholeMatch, RegexSemantics::Search];

fn compile(pattern: &str, semantics: RegexSemantics, dialect: RegexDialect) -> Grammar {
    let options = RegexOptions::default().with_semantics(semantics).with_dialect(dialect);
    Grammar::regex(pattern, &options, &Limits::default()).unwrap_or_else(|e| panic!("{pattern:?}: {e}"))
}

/// How the other engine is asked about the whole text.
fn whole(pattern: &str) -> String {
    format!(r"\A(?:{pattern})\z")
}

struct Generator {
    random: Random,
    looks: bool,
}

impl Generator {
    fn atom(&mut self, depth: usize) -> String {
        const CHARS: [&str; 7] = ["a", "b", "1", " ", r"\n", "-", "é"];
        const CLASSES: [&str; 22] = [
            ".",
            "[ab]",
            "[^a]",
            r"\d",
            r"\w",
            r"\s",
            r"\W",
            r"\D",
            "[a-b1]",
            r"[^\w-]",
            "(?s:.)",
            "[é-ü]",
            "(?i:A)",
            "(?i:[B])",
            "[[:alpha:]]",
            r"[\w&&[^b]]",
            r"[\w--a]",
            "[[ab]~~[b1]]",
            r"\pL",
            r"\PL",
            "(?i:É)",
            r"(?-u:\w)",
        ];
        const ANCHORS: [&str; 12] =
            ["^", "$", "^", "$", "(?m:^)", "(?m:$)", r"\b", r"\B", r"\A", r"\z", r"\b{start}", r"(?-u:\b)"];
        match self.random.below(12) {
            0..5 => self.random.pick(&CHARS).to_owned(),
            5..7 if self.looks => self.random.pick(&CLASSES[..12]).to_owned(),
            5..7 => self.random.pick(&CLASSES).to_owned(),
            7 | 8 if self.looks => self.random.pick(&ANCHORS[..8]).to_owned(),
            7 | 8 => self.random.pick(&ANCHORS).to_owned(),
            _ if depth == 0 => "a".to_owned(),
            9 if self.looks => {
                // Lookbehind of fancy-regex wants a fixed width.
                match self.random.below(3) {
                    0 => format!("(?={})", self.pattern(depth - 1)),
                    1 => format!("(?!{})", self.pattern(depth - 1)),
                    _ => {
                        let kind = self.random.pick(&["<=", "<!"]);
                        format!(
                            "(?{kind}{})",
                            self.random.pick(&["a", "b", "ab", "[a1]", r"\n", "^", r"\b", "a|b"])
                        )
                    }
                }
            }
            _ => format!("(?:{})", self.pattern(depth - 1)),
        }
    }

    fn branch(&mut self, depth: usize) -> String {
        let mut out = String::new();
        for _ in 0..self.random.below(4) {
            let atom = self.atom(depth);
            let anchor = atom.starts_with(['^', '$']) || atom.starts_with("\\b") || atom.starts_with("\\B");
            let look = atom.starts_with("(?=") || atom.starts_with("(?!") || atom.starts_with("(?<");
            let quantifier = match self.random.below(10) {
                // Repeated assertions are a matter of taste in other engines.
                _ if self.looks && (anchor || look || atom.contains("(?")) => "",
                0 => "*",
                1 => "+",
                2 => "?",
                3 => "{2}",
                4 => "{1,3}",
                5 => "{0,2}?",
                _ => "",
            };
            out += &atom;
            out += quantifier;
        }
        out
    }

    fn pattern(&mut self, depth: usize) -> String {
        let mut out = self.branch(depth);
        while self.random.below(3) == 0 {
            out += "|";
            out += &self.branch(depth);
        }
        out
    }

    fn text(&mut self) -> String {
        let len = self.random.below(6);
        (0..len).map(|_| self.random.pick(&['a', 'b', '1', ' ', '\n', '-', 'é', 'B', 'É'])).collect()
    }
}

#[test]
fn random_patterns_match_what_the_regex_crate_matches() {
    let mut generator = Generator { random: Random::new(1), looks: false };
    let (mut accepted, mut rejected) = (0, 0);
    for _ in 0..6_000 {
        let pattern = generator.pattern(3);
        let oracles = [
            regex::Regex::new(&whole(&pattern)).unwrap_or_else(|e| panic!("{pattern:?}: {e}")),
            regex::Regex::new(&pattern).unwrap(),
        ];
        for (semantics, oracle) in SEMANTICS.into_iter().zip(&oracles) {
            let grammar = compile(&pattern, semantics, RegexDialect::Rust);
            for _ in 0..12 {
                let text = generator.text();
                let expected = oracle.is_match(&text);
                *(if expected { &mut accepted } else { &mut rejected }) += 1;
                assert_eq!(
                    matches(&grammar, text.as_bytes()),
                    expected,
                    "{pattern:?} {semantics:?} on {text:?}: {grammar}"
                );
            }
        }
    }
    assert!(accepted > 20_000 && rejected > 20_000, "{accepted} {rejected}");
}

#[test]
fn random_patterns_with_lookaround_match_what_fancy_regex_matches() {
    let mut generator = Generator { random: Random::new(2), looks: true };
    let mut compared = 0;
    for _ in 0..6_000 {
        let pattern = generator.pattern(3);
        let Ok(full) = fancy_regex::Regex::new(&whole(&pattern)) else { continue };
        let Ok(part) = fancy_regex::Regex::new(&pattern) else { continue };
        for (semantics, oracle) in SEMANTICS.into_iter().zip([full, part]) {
            let grammar = compile(&pattern, semantics, RegexDialect::Rust);
            for _ in 0..12 {
                let text = generator.text();
                let Ok(expected) = oracle.is_match(&text) else { continue };
                compared += 1;
                assert_eq!(
                    matches(&grammar, text.as_bytes()),
                    expected,
                    "{pattern:?} {semantics:?} on {text:?}: {grammar}"
                );
            }
        }
    }
    assert!(compared > 60_000, "{compared}");
}

/// Every character of the classes, not just a few.
#[test]
fn classes_have_just_the_characters_they_have_elsewhere() {
    let patterns = [
        r"\w",
        r"\W",
        r"\d",
        r"\s",
        r".",
        r"\p{Greek}",
        r"\P{Lu}",
        r"(?i)\p{Lu}",
        r"(?i)[k-s]",
        r"(?i)[^k]",
        r"(?i)ß",
        r"(?i)[\w--k]",
        r"[^\p{L}\d]",
        r"[[:^alpha:]]",
        r"(?i)[[:lower:]&&[^a]]",
        r"\p{scx=Grek}",
        r"[\x{1F600}-\U0001F64F]",
        r"[a-z--[aeiou]&&[^x]]",
        r"[--/]",
        r"[]a]",
        r"[^]a]",
        r"[a-]",
        r"[-a]",
        r"[\]\-]",
        r"[&~]",
        r"(?R).",
        r"\pZ",
        r"\p{Zl}",
        r"(?x)[ a - c ]",
        r"(?i)[s--ſ]",
        r"(?i)\PL",
    ];
    for pattern in patterns {
        let oracle = regex::Regex::new(&whole(pattern)).unwrap();
        let grammar = compile(pattern, RegexSemantics::WholeMatch, RegexDialect::Rust);
        let body = grammar.arena().get(grammar.rule(grammar.root()).body);
        let contains = |c: char| match body {
            tokenstile_grammar::ir::Expr::Chars(set) => grammar.arena().char_set(set).contains(c),
            _ => matches(&grammar, c.to_string().as_bytes()),
        };
        for c in '\0'..=char::MAX {
            if c as u32 > 0x3000 && !(c as u32).is_multiple_of(37) {
                continue;
            }
            assert_eq!(contains(c), oracle.is_match(c.encode_utf8(&mut [0; 4])), "{pattern} {c:?}");
        }
    }
}

#[test]
fn bytes_match_what_the_regex_crate_matches() {
    let texts: [&[u8]; 10] =
        [b"", b"a", b"\xFF", b"\xFF\xFE", b"\xC3\xA9", b"\xC3", b"\n", b"aa", b"A\xE9", b"\xA9"];
    for pattern in [
        r"(?-u:.)",
        r"(?-u:[^a])*",
        r"(?-u:\xFF)+",
        r"(?s-u:.)*",
        r"(?-u:\W)",
        r"(?i-u:a)\xE9?",
        r"(?-u)[\x80-\xFF]+",
        r"(?-u:\xC3\xA9?)",
        r"é",
        r"(?-u)é",
        r"(?i-u)[a\xE9]+",
    ] {
        let oracle = regex::bytes::Regex::new(&format!(r"\A(?:{pattern})\z")).unwrap();
        let grammar = compile(pattern, RegexSemantics::WholeMatch, RegexDialect::Rust);
        for text in texts {
            assert_eq!(matches(&grammar, text), oracle.is_match(text), "{pattern} on {text:?}: {grammar}");
        }
    }
    let grammar = compile(r"(?-u:\xC3)(?-u:\xA9)?", RegexSemantics::Search, RegexDialect::Rust);
    assert!(matches(&grammar, "né".as_bytes()));
}

/// Mutations of real patterns: no panic, and the Rust dialect takes what `regex-syntax` takes.
#[test]
fn mutated_patterns_are_accepted_where_regex_syntax_accepts_them() {
    let seeds = [
        r"^(?:[a-z]{2,3}|\d+)$",
        r"(?i)a[[:alpha:]&&[^b]]--c",
        r"\p{Greek}\pL[\w-]+",
        r"(?x) a b # c",
        r"\x{1F600}\u00e9\x41",
        r"(?P<n>a|b)*?(?<m>c)",
        r"[^\]\\]+\b{start}a{ 1 , 2 }",
        r"(?m-s:^.$)",
        r"a**b++?|()|\A\z\b\B",
        r"[a-c--[b]~~d]",
        r"\<a\>[]-]",
        r"(?-u:\xFF[\x80-\x90])",
    ];
    const PIECES: [&str; 44] = [
        "(", ")", "[", "]", "{", "}", "*", "+", "?", "|", "^", "$", "\\", ".", "-", "--", "&&", "~~", "a",
        "é", "0", "1", ",", ":", "[:", ":]", "(?", "(?i)", "(?x)", "(?-u)", "\\p", "\\x", "\\u", "{1}",
        "{2,1}", " ", "#", "\n", "<", ">", "P", "\\b", "\\d", "(?s:",
    ];
    let mut random = Random::new(3);
    let limits = Limits::default();
    let (mut good, mut bad) = (0, 0);
    for _ in 0..20_000 {
        let mut pattern: Vec<char> = random.pick(&seeds).chars().collect();
        for _ in 0..1 + random.below(4) {
            let at = random.below(pattern.len() + 1);
            match random.below(3) {
                0 if at < pattern.len() => drop(pattern.remove(at)),
                1 => drop(pattern.drain(at..(at + random.below(4)).min(pattern.len()))),
                _ => drop(pattern.splice(at..at, random.pick(&PIECES).chars()).count()),
            }
        }
        let pattern: String = pattern.into_iter().collect();
        let compile = |dialect, semantics| {
            let options = RegexOptions::default().with_dialect(dialect).with_semantics(semantics);
            let result = Grammar::regex(&pattern, &options, &limits);
            if let Err(error) = &result {
                assert!(error.place().is_some(), "{pattern:?}: {error}");
            }
            result
        };
        let _ = compile(RegexDialect::Ecma, SEMANTICS[random.below(2)]);
        let ours = compile(RegexDialect::Rust, SEMANTICS[random.below(2)]);
        if ["(?=", "(?!", "(?<=", "(?<!"].iter().any(|look| pattern.contains(look)) {
            continue;
        }
        let theirs = regex_syntax::ParserBuilder::new().utf8(false).build().parse(&pattern);
        *(if theirs.is_ok() { &mut good } else { &mut bad }) += 1;
        match (&ours, &theirs) {
            (Err(ours), Ok(_)) => panic!("refused {pattern:?}: {ours}"),
            (Ok(_), Err(theirs)) => panic!("accepted {pattern:?}: {theirs}"),
            _ => {}
        }
    }
    assert!(good > 4_000 && bad > 4_000, "{good} {bad}");
}

/// What JSON Schema users write: pattern, texts it is found in, texts it is not found in.
#[test]
fn patterns_of_json_schemas() {
    let cases: &[(&str, &[&str], &[&str])] = &[
        (
            r"^[^@\s]+@[^@\s]+\.[a-z]{2,}$",
            &["a@b.org", "x.y@é.example"],
            &["a@b", "a b@c.de", "@b.de", "a@b.d"],
        ),
        (
            r"^[0-9a-f]{8}-[0-9a-f]{4}-[1-5][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$",
            &["123e4567-e89b-12d3-a456-426614174000"],
            &["123e4567-e89b-62d3-a456-426614174000", "123e4567", " 123e4567-e89b-12d3-a456-426614174000"],
        ),
        (
            r"^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-((?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)(?:\.(?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*))*))?(?:\+([0-9a-zA-Z-]+(?:\.[0-9a-zA-Z-]+)*))?$",
            &["1.0.0", "1.2.3-beta.1+build.5", "0.0.4-0a"],
            &["1.0", "01.0.0", "1.0.0-01", "1.0.0-", "v1.0.0"],
        ),
        (
            r"^(?=.{1,253}$)(?!-)[a-z0-9-]{1,63}(?<!-)(\.(?!-)[a-z0-9-]{1,63}(?<!-))*$",
            &["example.com", "a", "a-b.c"],
            &["-a.com", "a-.com", "", "a..b", "a.b-"],
        ),
        (r"^(?!.*foo).*$", &["", "bar", "fo", "f oo"], &["foo", "a foo b", "xfoo"]),
        (r"^((?!mode)(?!Mode).)*$", &["", "mod", "nose"], &["mode", "a Mode"]),
        (r"^(?!^lucene\.|builtin\.).*", &["x", "a.lucene."], &["lucene.x", "builtin.y"]),
        (r"^(?=[^=]+$)(?!\s+$)(.|\n)+$", &["a", " a", "a\nb"], &["", "  ", "a=b"]),
        (r"^\S+$", &["abc", "é"], &["", "a b", "a\n", "\u{FEFF}"]),
        (r"\p{L}+", &["1é1", "a"], &["", "1 2"]),
        (r"^[^\\/]+$", &["a b"], &["a/b", "a\\b", ""]),
        (r"(?i)abc", &["xABCx", "aBc"], &["ab c"]),
        (r"[\w-]+", &["-", "é-"], &["", "é"]),
        (r"^[\w-\.]+$", &["a-b.c_1"], &["é", "a b"]),
        (r"\d{3}-\d{4}", &["555-1234", "x555-12345"], &["55-1234", "٣٣٣-٣٣٣٣"]),
        (r"^(https?|ftp):\/\/[^\s/$.?#].[^\s]*$", &["http://a.b/c"], &["http:/a", "http:// a"]),
        (r"^$|^\d+$", &["", "12"], &["a", "1a"]),
        (r"(^|,)x(,|$)", &["x", "a,x", "x,b", "a,x,b"], &["ax", "xb", "a,xb", ""]),
        (r"\bcat\b", &["cat", "a cat.", "cat-cat"], &["cats", "scat", "_cat"]),
        (r"^.{0,3}$", &["", "éaé", "😀😀😀"], &["abcd", "a\n", "a\u{2028}"]),
        (r"^[a-z]+(?:_[a-z]+)*$", &["a_b"], &["a__b", "_a"]),
        (r"^x-", &["x-", "x-a\nb"], &["ax-"]),
        (r"^\uD83D\uDE00$", &["😀"], &["😃", ""]),
        (r"^[\uD83D\uDE00-\uD83D\uDE02]$", &["😀", "😁"], &["😃", "a"]),
        (r"^[\s\S]*$", &["", "a\n\u{2028}é"], &[]),
        (r"^[^]$", &["\n", "é"], &["", "ab"]),
        (r"a[]|b", &["b", "xbx"], &["a"]),
        (r"^a{,2}$", &["a{,2}"], &["a", "aa"]),
        (r"^{a}]$", &["{a}]"], &["a"]),
        (r"^[[a]\]$", &["[]", "a]"], &["["]),
        (r"^\cJ\x41\0\/\-\_\v[\b]$", &["\nA\0/-_\u{B}\u{8}"], &["JA"]),
        (r"^(?=a)?b$", &["b"], &["ab"]),
        (r"^(?<year>\d{4})-(?<month>\d\d)$", &["2024-01"], &["2024-1"]),
        (r"(?<=\$)\d+", &["$1", "a$12"], &["1", "$"]),
        (r"(?m:^)a$", &["a", "b\na", "b\ra"], &["ba", "a\nb"]),
        (r"^(\d+(,|$))+$", &["1", "1,2", "1,", "12,3,"], &["", ",", "1,,2"]),
        (r"^\é\#$", &["é#"], &["é"]),
        (r"[\d-x]", &["-", "x", "1"], &["a"]),
        ("", &["", "a"], &[]),
    ];
    for &(pattern, accept, reject) in cases {
        let grammar = compile(pattern, RegexSemantics::Search, RegexDialect::Ecma);
        for (texts, expected) in [(accept, true), (reject, false)] {
            for text in texts {
                assert_eq!(matches(&grammar, text.as_bytes()), expected, "{pattern} on {text:?}: {grammar}");
            }
        }
    }
}

#[test]
fn options_set_the_flags() {
    let base = RegexOptions::default().with_semantics(RegexSemantics::Search);
    let found = |options: RegexOptions, pattern: &str, text: &str| {
        matches(&Grammar::regex(pattern, &options, &Limits::default()).unwrap(), text.as_bytes())
    };
    assert!(found(base.clone().with_case_insensitive(true), "^straße$", "STRAẞE"));
    assert!(found(base.clone().with_dot_all(true), "^a.b$", "a\nb"));
    assert!(!found(base.clone(), "^a.b$", "a\nb"));
    assert!(found(base.clone().with_multi_line(true), "^b$", "a\nb\nc"));
    assert!(!found(base, "^b$", "a\nb\nc"));
}

#[test]
fn large_patterns_meet_limits_and_not_the_stack() {
    let options = RegexOptions::default();
    let limits = Limits::default();
    let kind = |pattern: &str| Grammar::regex(pattern, &options, &limits).map(drop).map_err(|e| e.kind());
    assert_eq!(kind(&"(".repeat(50 << 20)), Err(ErrorKind::Limit { name: "source_bytes" }));
    assert_eq!(kind(&"(".repeat(10 << 20)), Err(ErrorKind::Limit { name: "nesting" }));
    assert_eq!(kind(&"[".repeat(10 << 20)), Err(ErrorKind::Limit { name: "nesting" }));
    assert_eq!(kind(&"(?=".repeat(1 << 20)), Err(ErrorKind::Limit { name: "nesting" }));
    assert_eq!(kind(&format!("a{}", "?+".repeat(1 << 20))), Err(ErrorKind::Limit { name: "nesting" }));
    assert_eq!(kind(&"a".repeat(10 << 20)), Ok(()));
    assert_eq!(kind(&"a|".repeat(1 << 20)), Ok(()));
    assert_eq!(kind(&r"\w\pL".repeat(1 << 18)), Ok(()));
    assert_eq!(kind(&format!("{}a{}", "(".repeat(1000), ")".repeat(1000))), Ok(()));
    assert_eq!(
        kind(&format!("{}a{}", "(".repeat(1001), ")".repeat(1001))),
        Err(ErrorKind::Limit { name: "nesting" })
    );
    // Deep nesting is only a matter of the limit, and a long tail in deep groups is not copied at each level.
    let deep = Limits::default().with_nesting(1 << 20);
    let pattern =
        format!("{}{}{}", "(^a|(?:b".repeat(100_000), "[ab][cd]".repeat(10_000), ")c)*$".repeat(100_000));
    let started = std::time::Instant::now();
    assert!(Grammar::regex(&pattern, &options, &deep).is_ok());
    assert!(started.elapsed().as_secs() < 30, "{:?}", started.elapsed());
}
