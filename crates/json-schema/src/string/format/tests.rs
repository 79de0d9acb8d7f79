//! Formats against the test suite of JSON Schema, and against what other implementations say.

use serde_json::Value;
use tokenstile_grammar::Limits;
use tokenstile_grammar::ir::Arena;
use tokenstile_grammar::limits::Budget;
use tokenstile_harness::data::{Shared, files};

use super::FormatId;
use crate::Draft;
use crate::string::matches;

/// What is asked of the formats, by name.
const NAMES: [&str; 19] = [
    "date-time",
    "date",
    "time",
    "duration",
    "email",
    "idn-email",
    "hostname",
    "idn-hostname",
    "ipv4",
    "ipv6",
    "uri",
    "uri-reference",
    "iri",
    "iri-reference",
    "uri-template",
    "uuid",
    "json-pointer",
    "relative-json-pointer",
    "regex",
];

/// Valid texts of the suite that are left out, for the reasons that the module gives.
fn is_left_out(name: &str, text: &str) -> bool {
    match name {
        "regex" => text.contains("\\k<"),
        _ => false,
    }
}

#[test]
fn the_test_suite_agrees() {
    let shared = Shared::find();
    let root = shared.path("json-schema-test-suite");
    let mut wrong = Vec::new();
    let mut count = 0;
    for (folder, draft) in [("draft2020-12", Draft::Draft202012), ("draft7", Draft::Draft7)] {
        for file in files(&root.join(folder).join("optional/format"), ".json") {
            let groups: Value = serde_json::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
            for group in groups.as_array().unwrap() {
                let Some(name) = group["schema"]["format"].as_str().filter(|n| NAMES.contains(n)) else {
                    continue;
                };
                let format = Format::new(name, draft);
                for test in group["tests"].as_array().unwrap() {
                    let Some(text) = test["data"].as_str() else { continue };
                    let valid = test["valid"].as_bool().unwrap() && !is_left_out(name, text);
                    count += 1;
                    if format.accepts(text) != valid {
                        wrong.push(format!("{draft:?} {name} {text:?} {valid}: {}", test["description"]));
                    }
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {count}:\n{}", wrong.len(), wrong.join("\n"));
    assert!(count > if shared.is_real { 900 } else { 150 }, "{count}");
}

/// A format that is built once and asked often.
struct Format {
    arena: Arena,
    texts: super::Format,
}

impl Format {
    fn new(name: &str, draft: Draft) -> Self {
        let mut arena = Arena::new(1 << 20);
        let id = FormatId::of(name, draft).unwrap().unwrap_or_else(|| panic!("{name}"));
        let texts = id.texts(&mut arena);
        Format { arena, texts }
    }

    /// Whether a text is written. What is said of it otherwise must agree.
    fn accepts(&self, text: &str) -> bool {
        let [exact, written, least, most] =
            [self.texts.exact, self.texts.written, self.texts.least, self.texts.most]
                .map(|expr| matches(&self.arena, expr, text, &mut Budget::new(&Limits::default())).unwrap());
        assert!(least <= written && written <= exact && exact <= most, "{text:?}");
        written
    }

    fn check(name: &str, valid: &[&str], invalid: &[&str]) {
        let format = Format::new(name, Draft::Draft202012);
        for text in valid {
            assert!(format.accepts(text), "{name}: {text:?}");
        }
        for text in invalid {
            assert!(!format.accepts(text), "{name}: {text:?}");
        }
    }
}

#[test]
fn dates_are_days_of_the_calendar() {
    let date = Format::new("date", Draft::Draft202012);
    for year in [0, 1, 4, 96, 100, 400, 1600, 1900, 1996, 1999, 2000, 2004, 2012, 2100, 2400, 9999] {
        let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
        for month in 0..=13 {
            let days = match month {
                2 => 28 + i32::from(leap),
                4 | 6 | 9 | 11 => 30,
                1..=12 => 31,
                _ => 0,
            };
            for day in 0..=32 {
                let text = format!("{year:04}-{month:02}-{day:02}");
                assert_eq!(date.accepts(&text), (1..=days).contains(&day), "{text}");
            }
        }
    }
}

#[test]
fn a_leap_second_is_at_the_end_of_the_day_in_utc() {
    let time = Format::new("time", Draft::Draft7);
    for clock in (0..24 * 60).step_by(7).chain((14..24 * 60).step_by(15)) {
        for offset in (-(23 * 60 + 45i32)..=23 * 60 + 45).step_by(45) {
            let (sign, size) = if offset < 0 { ('-', -offset) } else { ('+', offset) };
            let text =
                format!("{:02}:{:02}:60.5{sign}{:02}:{:02}", clock / 60, clock % 60, size / 60, size % 60);
            let utc = (clock - offset).rem_euclid(24 * 60);
            assert_eq!(time.accepts(&text), utc == 23 * 60 + 59, "{text}");
        }
    }
    Format::check("time", &["23:59:60z", "23:59:60.25-00:00"], &["23:59:60", "23:59:60+00:07", "23:59:60.Z"]);
}

#[test]
fn addresses_are_what_the_standard_library_reads() {
    let (v4, v6) = (Format::new("ipv4", Draft::Draft4), Format::new("ipv6", Draft::Draft4));
    let mut state = 1u64;
    let mut below = |n: usize| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) as usize % n
    };
    let mut found = [0; 4];
    for _ in 0..6000 {
        let groups = 1 + below(9);
        let mut text = String::new();
        for i in 0..groups {
            let piece = ["1", "ffff", "a", "", "0db8", "12345", "1.2.3.4", "255.0.10.256"];
            text += piece[below(if i + 1 == groups { 8 } else { 5 })];
            if i + 1 < groups || below(8) == 0 {
                text += [":", ":", ":", ":", "::"][below(5)];
            }
        }
        let valid = text.parse::<std::net::Ipv6Addr>().is_ok();
        assert_eq!(v6.accepts(&text), valid, "{text}");
        found[usize::from(valid)] += 1;
        let numbers: Vec<&str> = (0..3 + below(6) / 3)
            .map(|_| ["0", "9", "10", "99", "100", "199", "249", "255", "256", "01", ""][below(11)])
            .collect();
        let text = numbers.join(".");
        let valid = text.parse::<std::net::Ipv4Addr>().is_ok();
        assert_eq!(v4.accepts(&text), valid, "{text}");
        found[2 + usize::from(valid)] += 1;
    }
    assert!(found.iter().all(|&n| n > 200), "{found:?}");
}

#[test]
fn names_and_addresses_of_mail() {
    let label = "a".repeat(63);
    let longest = [&label[..62]; 4].join(".");
    let one_long = format!("a.{label}.{}.us-east-1.example.com", &label[..30]);
    let reversed = format!("{}ip6.arpa", "0.".repeat(32));
    Format::check(
        "hostname",
        &["x", "xn", "xn-a", "x-n--a", "XN", "ab--c", "0", &label, &longest, &one_long, &reversed, "a.b-c.d"],
        &[
            "xn--a",
            "Xn--abc",
            "a.xn--b",
            "-",
            "a-",
            "a.-b",
            "a..b",
            &format!("a{label}"),
            &[&label[..]; 4].join("."),
            &format!("{longest}.aa"),
            "é",
        ],
    );
    let sharp = "ß".repeat(59);
    Format::check(
        "idn-hostname",
        &[
            "ß",
            "A.b",
            "ñandú.example",
            &sharp[..116],
            "l·l·l",
            "בא.com",
            "ب9",
            "a--b",
            "é--é",
            "ס׳״ם",
            "か・a",
            "・x・か",
        ],
        &[
            "",
            "Ñ",
            "ab--c",
            "éé--é",
            "é-",
            "-é",
            "・x",
            "ب۰٠",
            &sharp,
            "ﬁ",
            "a_b",
            "\u{200C}",
            "a\u{200C}b",
            "ב.9a",
            "·",
            "\u{E000}",
            "😀",
        ],
    );
    Format::check(
        "email",
        &["a@b", "a.b+c@d-e.f", r#""\"\ "@a"#, r#"""@a"#, "a@[ipv6:1::2]", "a@xn--x"],
        &[
            "a@-b",
            "a@b-",
            r#""""@a"#,
            r#"a"b"@c"#,
            "a@[1.2.3]",
            "a@[x:y]",
            "é@a",
            "a@é",
            "a@b.",
            "a@b@c",
            "a@_",
        ],
    );
    Format::check("idn-email", &["é@é", "\"é \"@a.b", "a@[1.2.3.4]"], &["é@É", "é@", "a b@c", "@a"]);
}

#[test]
fn references_and_templates() {
    Format::check(
        "uri",
        &["a:", "a:b", "a:/", "a://", "a:///b", "a://:1", "a://[v1.x:]", "a:b:c@d/e//f?g/?#h/?", "A+.-1:%41"],
        &[
            "",
            ":",
            "1:",
            "a",
            "a:[",
            "a://[1::2",
            "a:#b#c",
            "a:%4",
            "a://b:c",
            "a://[v.x]",
            "a://[::1]b",
            "a:é",
        ],
    );
    Format::check(
        "uri-reference",
        &["", "a", "a/b:c", "/a:b", "?", "#", "//", "///", "a:b", "@", "?a=/?&b"],
        &[":", ":a", "1a:b", "a b", "##", "//[", "/[", "%"],
    );
    Format::check(
        "iri",
        &["a:é", "a:?\u{E000}", "http://é@é:8/é?é#é"],
        &["é", "a:\u{E000}", "a:#\u{E000}", "é:a", "a:\u{FFFE}"],
    );
    Format::check(
        "iri-reference",
        &["é", "é/a:b", "\u{10000}", "\u{E1000}"],
        &["é:a", "\u{1FFFE}", "\u{E0001}", "\u{85}"],
    );
    Format::check(
        "uri-template",
        &["{a_1.%41}", "{=a}", "x{?a,b*,c:9}y", "[é]"],
        &["{a.}", "{.}", "{a:}", "{a:1*}", "{a b}", "{{a}}", "<", "%", "\u{80}"],
    );
}

#[test]
fn other_formats() {
    Format::check("json-pointer", &["", "//", "/~0~1"], &["~", "/~", "/~3"]);
    Format::check("relative-json-pointer", &["0", "10#", "0/~1"], &["#", "00", "1~0", "0#/"]);
    Format::check(
        "duration",
        &["PT1S", "P1W", "P1M1DT1M1S"],
        &["P1W1D", "PT", "P1DT", "P1H", "p1d", "P1.5D"],
    );
    for (name, draft, known) in [
        ("date", Draft::Draft4, true),
        ("iri", Draft::Draft6, false),
        ("iri", Draft::Draft7, true),
        ("uuid", Draft::Draft7, false),
        ("uuid", Draft::Draft201909, true),
        ("color", Draft::Draft202012, false),
        ("Date", Draft::Draft202012, false),
    ] {
        assert_eq!(FormatId::of(name, draft).unwrap().is_some(), known, "{name} {draft:?}");
    }
}

#[test]
fn patterns_are_those_of_ecma_262() {
    let valid = [
        "",
        "|",
        r"^[\w.+-]+@[a-z\d-]+(?:\.[a-z\d-]+)*$",
        r"(a|(b(c(?:d))))",
        r"[\x00-\x7F\u00C0-\u00ff\u0100-\u02AF]",
        r"(?<year>\d{4})-(?:\d{2}){1,2}?",
        r"[\u4e00-\u9fa5а-яA-Z -~]{0,10}",
        r"(?!x)(?<!y)[^\]\\-]",
        r"\p{L}\P{Script=Greek}\u{1F600}\x41\cJ\/",
        "[]|[^]|[-]|[^-a-]|[[]",
        "a{2}b{3,}c{12,15}d{99,100}",
    ];
    let invalid = [
        "(",
        ")",
        "[",
        "]",
        "{",
        "}",
        "a{",
        "*",
        "a**",
        "a{2,1}",
        "a{15,12}",
        "[z-a]",
        r"[\x7F-\x00]",
        r"[\u0200-\u0100]",
        r"[\u00C0-\u00b1]",
        r"\",
        r"\a",
        r"\8",
        r"\1",
        r"\k<a>",
        r"\u{110000}",
        r"\xg0",
        r"\p{Foo}",
        r"[\w-z]",
        "(?=a)*",
        "^*",
        "(?<a>)(?<a>)",
        "(?<1>)",
        "(?i)a",
        "(?P<a>b)",
        "a{,2}",
        "[а-б-в]",
        "(?)",
        r"\_",
        "((((((a))))))",
    ];
    Format::check("regex", &valid, &invalid);
    let options =
        tokenstile_grammar::RegexOptions::default().with_dialect(tokenstile_grammar::RegexDialect::Ecma);
    for text in valid {
        let parsed =
            tokenstile_grammar::regex_expr(text, &options, &mut Arena::new(1 << 20), &Limits::default());
        assert!(parsed.is_ok(), "{text}: {parsed:?}");
    }
}
