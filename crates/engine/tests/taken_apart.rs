//! Places that are taken apart to make their masks: loops under conditions, keywords beside identifiers, loops that only
//! count. Masks against the definition, over a vocabulary large enough for the tables of runs.

use std::sync::OnceLock;

use tokenstile_engine::Limits;
use tokenstile_harness::{Words, byte_vocab, gbnf, masks_agree};
use tokenstile_json_schema::{JsonOptions, json_schema};

/// Short words of letters and digits, some with what may follow them; parts of keywords; rules of dashes, dots and blanks.
fn words() -> &'static Words {
    static WORDS: OnceLock<Words> = OnceLock::new();
    WORDS.get_or_init(|| {
        let letters = || "abdefinoprstwx".chars();
        let mut tokens: Vec<String> = Vec::new();
        for (a, b) in letters().flat_map(|a| letters().map(move |b| (a, b))) {
            let upper = a.to_ascii_uppercase();
            tokens.extend(
                ["", "\"", "(", "1", " ", "-", "_a", ".b", "\":"].map(|tail| format!("{a}{b}{tail}")),
            );
            tokens.extend([format!("{upper}{b}"), format!("{upper}{b}{a}\""), format!("{a}{upper}1")]);
            tokens.extend([
                format!(" {a}{b}"),
                format!("\"{a}{b}"),
                format!(" {upper}{b}"),
                format!("({a}{b}"),
            ]);
            tokens.push(format!("{a}{b}{a}{b}{a}{b}{a}{b}"));
        }
        tokens.extend(
            (0..100).flat_map(|n| [format!("{n}"), format!("{n}\""), format!("a{n}"), format!("A{n}b")]),
        );
        let parts = [
            "pass",
            "word",
            "password",
            "passw",
            "ssword",
            "ord",
            "xpasswordx",
            "password\"",
            "passwor",
            "if",
            "int",
            "int ",
            "return",
            "return ",
            "in",
            "inti",
            "for",
            "for(",
            "not ",
            "nota",
            "intern",
            "else",
        ];
        tokens.extend(parts.map(str::to_owned));
        for n in 2..40 {
            for c in ["-", ".", " ", "a", "0"] {
                tokens.push(c.repeat(n));
            }
            tokens.extend(["a", ".", "\"", "-a", "Z"].map(|tail| format!("{}{tail}", "-".repeat(n))));
        }
        // Longer than any that is of letters alone.
        tokens.extend([36, 42].map(|n| format!("{}!", "x".repeat(n))));
        tokens.sort();
        tokens.dedup();
        tokens.retain(|token| token.len() > 1);
        Words::new(&tokens)
    })
}

fn check_pattern(pattern: &str, texts: &[&str]) {
    let schema = format!(r#"{{"type":"string","pattern":{pattern:?}}}"#);
    let grammar = json_schema(&schema, &JsonOptions::default(), &Limits::default()).expect("a good schema");
    words().check_along(&grammar, &texts.iter().map(|text| format!("\"{text}\"")).collect::<Vec<_>>());
}

#[test]
fn loops_under_conditions() {
    check_pattern(
        "^(?=.*[0-9])(?=.*[A-Z])(?!.*password)[A-Za-z0-9!#%]{8,24}$",
        &["abcdefgh1X", "Xpasswor1dabcdefghijklm", "aaaaaaaaaaaaaaaaaaaaaa", "aaaaaaaaaaaaaaaaaaaaaaX"],
    );
    // Next to no room, none at all, any amount of it, and none that must be taken.
    check_pattern("^(?=.*[0-9])[a-z0-9]{2,4}$", &["abc", "a1b", "abx4"]);
    check_pattern("^(?=.*[0-9])(?=.*[A-Z])[A-Za-z0-9]{2}$", &["aX", "1X"]);
    check_pattern("^(?=.*[0-9])(?!.*x)[a-z0-9]+$", &["abpasswordw", "a1b", "x"]);
    check_pattern("^(?!.*password)[a-z]{0,30}$", &["passwor", "passpassw", ""]);
    check_pattern("^(?!.*pass)(?!.*word)[a-z]{3,20}$", &["wor", "paswordx", "passs"]);
    // Conditions that take more than one character, that come undone, or that others rule out.
    check_pattern("^(?=.*pass)[a-z]{4,12}$", &["aaapass", "aaaaaaaapas", "passaaaaaaaa"]);
    check_pattern("^(?=.*[0-9]$)[a-z0-9]{3,9}$", &["ab1", "1abcdefg", "aaaaaaaa"]);
    check_pattern("^(?=.*[0-9])(?!.*1)(?!.*[02-8])[a-z0-9]{3,9}$", &["ab9", "abcdefgh"]);
    check_pattern("^(?!(aa)*$)[a-z]{1,9}$", &["aaaa", "aab", "aaaaaaaaa"]);
    check_pattern("^(?=.{4,6}$)(?!.*d)[a-f]{1,9}$", &["abcabc", "abc"]);
}

#[test]
fn loops_that_only_count() {
    check_pattern(
        "^([a-zA-Z0-9]([a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?\\.)+[a-zA-Z]{2,63}$",
        &["www.a--b.org", "a-------------------------------b.aa", "-"],
    );
    check_pattern("^[a-z]([a-z0-9-]{0,12}[a-z0-9])?$", &["a", "a--", "abcabcabcabca", "a-----------b"]);
    check_pattern("^[a-z0-9-]{3,20}x?$", &["--", "-------------------", "aaaaaaaaaaaaaaaaaaaax"]);
    check_pattern("^(-{0,9}|\\.{5,30})!$", &["-----", ".....", ".............................."]);
    check_pattern("^(-|--|-a){9,30}$", &["--------", "-a-a-a-a-a", "---------------------------"]);
    check_pattern("^([b-z]{2,30}|[b-z]{40,50})!$", &["xxxxx", &"x".repeat(29), &"x".repeat(39)]);
    check_pattern("^[b-z]([b-z.]{0,60}[b-z])?!$", &["xxxxx", &"x".repeat(29)]);
    check_pattern("^[a.-]{2,30}(-{3}|\\.)b$", &["a-----", "---------------------------b"]);
}

#[test]
fn keywords_beside_identifiers() {
    let texts: Vec<String> =
        ["if (in) in1(nota)", "return int_a", "for(int intern)", "not not nota", "else ifx"]
            .map(str::to_owned)
            .to_vec();
    for rules in [
        // An identifier in its place, called, called in several ways, and of another alphabet.
        r#"item ::= "if " | "int " | "return " | "not " item | [a-z_] [a-z0-9_]*"#,
        r#"item ::= "if " | "int " item | name "(" | name
           name ::= [a-zA-Z] [a-zA-Z0-9_]*"#,
        r#"item ::= type name | name "(" item ")" | "return " item | name
           type ::= ("int" | "for") " "
           name ::= [a-z] [a-z0-9]*"#,
        r#"item ::= ("in" | "int" | [a-z]{2,5}) "(" | "not"? name
           name ::= [^ ()]+"#,
    ] {
        words().check_along(&gbnf(&format!("root ::= (item | [ ()])+\n{rules}")), &texts);
    }
}

/// A token may have any length of white space before what follows it, which leads on from some of those lengths only.
#[test]
fn white_space_of_many_lengths_before_anything() {
    let blanks = (1..30usize).map(|count| " ".repeat(count));
    let behind =
        ["{", "{\"", "\"ab", "\"cd\"", "[", "[1", "]", "}", ",", ",\"", ":", ": {", "(", "(a", "x", "true"];
    let ahead = ["", ",", ":", "{", "[", "(", "a"];
    let longer = |blank: &String| {
        let count = blank.len();
        let on = behind.iter().enumerate().filter(move |(at, _)| (count + at).is_multiple_of(3));
        on.map(|(at, on)| format!("{}{blank}{on}", ahead[(count + at) % ahead.len()])).collect::<Vec<_>>()
    };
    let tokens: Vec<String> = blanks.clone().chain(blanks.flat_map(|blank| longer(&blank))).collect();
    let vocab = byte_vocab(&tokens);
    let schema = r##"{"type": "object", "additionalProperties": false, "properties": {
        "ab": {"$ref": "#"}, "cd": {"type": "array", "items": {"anyOf": [{"$ref": "#"}, {"type": "integer"}]}},
        "ef": {"type": "boolean"}}}"##;
    let grammar = json_schema(schema, &Default::default(), &Limits::default()).unwrap();
    let text = "{   \"ab\":  {  \"ef\" :   true,    \"cd\": [  1,   {     \"ef\": false}  ,  2 ]  }  ,  \"cd\":[ ]   }";
    masks_agree(&grammar, &vocab, text, schema);
    let source = "root ::= sum\nsum ::= term ([ ]* \",\" [ ]* term)*\nterm ::= \"(\" [ ]* sum [ ]* \")\" | [a-z]+ [ ]* call?\n\
                  call ::= \"[\" [ ]* sum [ ]* \"]\"";
    masks_agree(&gbnf(source), &vocab, "(  a ,   (b  [   x ],  c)  )  ,   y [ z  ]", source);
    // Where a rule ends after any of them, another one may be called.
    let source = "root ::= list+\nlist ::= \"(\" list* \")\" [ ]* | [a-z] [ ]*";
    masks_agree(&gbnf(source), &vocab, "(a   b  ((c )   x)  a)   (a) ", source);
}
