//! Masks are the same whatever is turned off.
//!
//! The cases are small ones of our own, chosen so that each way is decided on by one of them at least.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokenstile::{Compiler, Vocab};
use tokenstile_ablation::workload::{self, Source, longest_tokens};
use tokenstile_ablation::{Case, Workload, run};
use tokenstile_engine::ablate;

/// Schemas, each with a text.
const SCHEMAS: [(&str, &str); 14] = [
    // Names of which one begins another, another member, a limit to their number.
    (
        r#"{"type": "object", "properties": {"id": {"type": "integer", "minimum": 3, "maximum": 12345}, "ident": {"type":
            "string", "maxLength": 40}, "in": {"enum": ["one", "once", "on", 1]}}, "required": ["id"], "maxProperties": 3}"#,
        r#"{"in": "once", "idx": [1, {"a": 2, "b": {}}], "id": 1234}"#,
    ),
    // A union of objects.
    (
        r#"{"anyOf": [{"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "number"}}, "required": ["a"]},
            {"type": "object", "properties": {"a": {"type": "boolean"}, "c": {"type": "null"}}, "required": ["c"]}]}"#,
        r#"{"a": true, "c": null, "other": -1.5e3}"#,
    ),
    // Items that differ, values of all kinds among them.
    (
        r#"{"type": "array", "items": {"type": ["object", "integer", "string"]}, "uniqueItems": true}"#,
        r#"[{"a": 1, "b": [2]}, "one", 17, {"b": [2], "a": 3}, "once", {}]"#,
    ),
    (
        r#"{"type": "array", "items": {"enum": ["an", "and", "be", "ben", "co", "de", "er", "in", "lo", "me", "on", "ra",
            "st", "th", "un", "vi", "w", "s", "ed", "1"]}, "uniqueItems": true, "maxItems": 5}"#,
        r#"["ben", "and", "un", "vi"]"#,
    ),
    // Many words that no token has whole.
    (
        r#"{"type": "array", "items": {"enum": ["Alfa", "Bravo", "Coca", "Delta", "Echo", "Fox", "Golf", "Hotel", "India",
            "Juli", "Kilo", "Lima", "Mike", "Nov", "Oscar", "Papa", "Quebec", "Romeo", "Sierra", "Tango"]}, "uniqueItems": true}"#,
        r#"["Romeo", "Juli"]"#,
    ),
    // A search, a password, a pattern with a length, a plain part of a format.
    (
        r#"{"type": "object", "properties": {"k": {"type": "string", "pattern": "read|write", "maxLength": 60}, "p": {"type":
            "string", "pattern": "^(?=.*[0-9])(?!.*secret)[a-z0-9]{8,24}$"}}, "additionalProperties": false}"#,
        r#"{"k": "what to read is \"this\"", "p": "anbe1contest"}"#,
    ),
    (
        r#"{"type": "object", "properties": {"u": {"type": "string", "format": "uri", "pattern": "^https://"}, "d": {"type":
            "string", "format": "date-time"}, "r": {"type": "string", "format": "regex", "pattern": "^/.+/$"}}}"#,
        r#"{"u": "https://an.be/co?de=er", "d": "2024-01-02T03:04:05Z", "r": "/^TOTAL.+?(d+)$/"}"#,
    ),
    // Keys by patterns, and those that match none of them.
    (
        r#"{"type": "object", "patternProperties": {"^an_[a-z]+$": {"type": "integer"}, "_id$": true}, "additionalProperties":
            {"type": "string"}}"#,
        r#"{"an_be": 1, "the_id": [], "other": "text"}"#,
    ),
    // Short keys, too many to be listed, so that what comes behind a value may be one that was there.
    (
        r#"{"type": "object", "patternProperties": {"^[a-f]{1,7}$": {"type": "string"}}, "additionalProperties": false}"#,
        r#"{"abcabca": "an be co", "ab": "st"}"#,
    ),
    // Conditions.
    (
        r#"{"type": "object", "properties": {"type": {"enum": ["an", "be", "co"]}}, "required": ["type"], "allOf": [{"if":
            {"properties": {"type": {"const": "an"}}}, "then": {"required": ["x"]}}, {"not": {"required": ["y", "z"]}}]}"#,
        r#"{"type": "an", "y": 1, "x": "two"}"#,
    ),
    (
        r#"{"type": "object", "properties": {"k": {"type": "string", "not": {"enum": ["an", "and", "be"]}}, "h": {"type":
            "string", "format": "idn-hostname"}}, "minProperties": 1, "maxProperties": 4}"#,
        r#"{"k": "ander", "h": "be.example.co"}"#,
    ),
    // Lengths beside a pattern, characters past ASCII, numbers with bounds.
    (
        r#"{"type": "object", "properties": {"q": {"type": "string", "pattern": "^\\S+(-\\S+)*$", "maxLength": 50}, "w":
            {"type": "string", "pattern": "^\\p{L}{2,30}$"}, "n": {"type": "number", "minimum": -3.5, "multipleOf": 0.25}}}"#,
        r#"{"q": "an-be-con", "w": "Größe", "n": 12.75}"#,
    ),
    (
        r##"{"type": "object", "properties": {"v": {"type": "array", "items": {"$ref": "#"}, "maxItems": 3}, "n": {"type":
            "integer"}}, "required": ["n"], "additionalProperties": false}"##,
        r#"{"v": [{"n": 1}, {"v": [], "n": 22}], "n": 333}"#,
    ),
    ("true", r#"[{"text": "Some words, \"quoted\" ....... and --------", "n": -1.5e3}, null, [[]]]"#),
];

/// Grammars, each with a text.
const GRAMMARS: [(&str, &str); 5] = [
    (
        "root ::= (stmt \";\" ws)* \nstmt ::= \"if\" ws \"(\" expr \")\" ws stmt | \"return\" ws expr | name ws \"=\" ws expr\n\
         expr ::= term ((\"+\" | \"-\") ws term)*\nterm ::= fact (\"*\" ws fact)*\nfact ::= name | num | \"(\" expr \")\"\n\
         name ::= [a-z_] [a-z0-9_]*\nnum ::= [0-9]+\nws ::= [ \\t\\n]*",
        "if (an+be*2) return x;\n count = (1- (two));",
    ),
    // A row of one sign that may be no longer.
    ("root ::= \"=\"{3,21} \"|\" [a-z]+", "=======|an"),
    ("root ::= line{1,40}\nline ::= \"-\"{0,30} [^\\n]{1,200} \"\\n\"", "-------- some words\nother: 12\n"),
    (
        "root ::= [a-z]{2,3} | [a-z]{5,8} \"!\" | \"[\" [0-9]{1,12} \"]\" | (\"an\" | \"and\") \" \" [^x]+",
        "and be co",
    ),
    // Frames that are left at different depths.
    ("root ::= t\nt ::= \"an\" t \"b\" | \"anan\" t \"b\" | \"c\"", "ananananancbbb"),
];

const EXPRESSIONS: [(&str, &str); 4] = [
    ("[a-zA-Z0-9._%+-]{1,64}@([a-z0-9-]{1,63}\\.){1,4}[a-z]{2,}", "an.be@the-st.one.co"),
    ("(.{1,63}\\.){1,127}[a-z]{1,9}", "an.be..th un.in"),
    ("([a-z]+ )*read( [a-z]+){0,12}", "an be read the"),
    // Long walks by places from which all characters of some area go on.
    ("([a-z]{9}|[a-z -]{11}e|[^e]{13}n)+", "abcdefghiabcdefghi"),
];

/// The vocabulary of the micro-benchmarks, and what real ones have beside words: rows of one sign, letters past ASCII.
fn vocabulary() -> Vocab {
    let words = workload::vocabulary().expect("it is one");
    let known = (0..words.len() as u32).filter_map(|id| words.bytes(id).map(<[u8]>::to_vec));
    let mut tokens: Vec<Vec<u8>> = known.collect();
    for sign in ["-", ".", " ", "=", "\n", "*"] {
        tokens.extend((2..48).map(|count| sign.repeat(count).into_bytes()));
        tokens.extend((2..12).map(|count| format!("{}an", sign.repeat(count)).into_bytes()));
    }
    tokens.extend(
        ["é", "ß", "ö", "öße", "Größe", "日本", "日", " über", "ñ\"", "ü\":"]
            .map(|text| text.as_bytes().to_vec()),
    );
    let end = u32::try_from(tokens.len()).expect("there are few");
    Vocab::from_tokens((0..).zip(tokens), &[end]).expect("it is one")
}

/// The cases, and the tables of a small vocabulary.
struct Cases {
    vocab: Vocab,
    tables: Vec<u8>,
}

impl Cases {
    fn new() -> Self {
        let vocab = vocabulary();
        let mut tables = Vec::new();
        Compiler::new(vocab.clone()).save_tables(&mut tables).expect("there is memory");
        Cases { vocab, tables }
    }

    /// A compiler whose caches are empty.
    fn compiler(&self) -> Compiler {
        Compiler::from_tables(self.vocab.clone(), self.tables.clone()).expect("they fit")
    }

    /// All of the cases.
    fn all(&self) -> Vec<Case> {
        let parse = |line: String| Case::parse("micro", &line, usize::MAX).expect("it is a case");
        let mut cases: Vec<Case> = workload::micro(&self.vocab).filter_map(parse).collect();
        let schemas = SCHEMAS.iter().map(|(source, text)| (Source::Schema((*source).to_owned()), *text));
        let grammars = GRAMMARS.iter().map(|(source, text)| (Source::Gbnf((*source).to_owned()), *text));
        let regexes = EXPRESSIONS.iter().map(|(source, text)| (Source::Regex((*source).to_owned()), *text));
        for (source, text) in schemas.chain(grammars).chain(regexes) {
            assert!(source.grammar().is_some(), "{text}: its constraint is refused");
            let tokens = longest_tokens(&self.vocab, text.as_bytes());
            cases.push(Case { workload: "own".to_owned(), name: text.to_owned(), source, tokens });
        }
        cases
    }

    /// A hash of the masks of a case, with caches that were empty before it; `None` if its text is refused.
    fn masks(&self, case: &Case) -> Option<u64> {
        let workload = Workload { compiler: self.compiler(), cases: vec![case.clone()] };
        let found = run::timed(&workload, Duration::from_secs(3600));
        found.failed.is_empty().then(|| found.masks[0])
    }
}

/// How many cases each way is turned off for, of those that reach it, where a test is to be quick.
const FEW: usize = 3;

/// Ways are turned off for the whole process.
static ALONE: Mutex<()> = Mutex::new(());

/// Turns off one way after the other, each for no more than so many of the cases that decide on it: without it others are
/// the same.
fn turn_off_each(most: usize) {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    ablate::turn_off(&[]).expect("there is nothing to know");
    let cases = Cases::new();
    ablate::asked();
    let known: Vec<_> =
        cases.all().into_iter().map(|case| (cases.masks(&case), ablate::asked(), case)).collect();
    let failed: Vec<&str> = known.iter().filter(|case| case.0.is_none()).map(|case| &*case.2.name).collect();
    assert!(failed.is_empty(), "these texts are refused: {failed:?}");
    let (mut wrong, mut never) = (Vec::new(), Vec::new());
    for (at, (name, _)) in ablate::ways().enumerate() {
        ablate::turn_off(&[name]).expect("it is one of them");
        // Each way begins with another case, so that all are used.
        let (before, from) = known.split_at(at % known.len());
        let mut coming = from.iter().chain(before).filter(|case| case.1.contains(&name)).peekable();
        if coming.peek().is_none() {
            never.push(name);
        }
        let coming = coming.take(most);
        wrong.extend(coming.filter(|case| cases.masks(&case.2) != case.0).map(|case| (name, &*case.2.name)));
    }
    assert!(
        wrong.is_empty() && never.is_empty(),
        "without these masks are others: {wrong:#?}; none of the cases reaches these: {never:?}"
    );
    assert_eq!(ablate::turn_off(&["no such way"]), Err("no such way"));
}

#[test]
fn masks_are_the_same_whatever_is_turned_off() {
    turn_off_each(FEW);
}

#[test]
#[ignore = "takes minutes"]
fn masks_of_all_cases_are_the_same_whatever_is_turned_off() {
    turn_off_each(usize::MAX);
}
