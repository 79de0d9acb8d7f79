//! Patterns and the expressions or errors that they become.

use super::*;
use crate::error::ErrorKind;

fn shown(pattern: &str, semantics: RegexSemantics, dialect: RegexDialect) -> String {
    let options = RegexOptions { dialect, semantics, ..RegexOptions::default() };
    let grammar = Grammar::regex(pattern, &options, &Limits::default()).unwrap();
    let text = grammar.to_string().replace("[\\u{0}-\\u{D7FF}\\u{E000}-\\u{10FFFF}]", "Σ");
    text.trim_end().trim_start_matches("root ::= ").to_owned()
}

#[test]
fn anchors_at_the_edges_leave_no_assertions() {
    let whole = |pattern| shown(pattern, RegexSemantics::WholeMatch, RegexDialect::Rust);
    assert_eq!(whole("^abc$"), "\"abc\"");
    assert_eq!(whole("^(a|b)$"), "[a-b]");
    assert_eq!(whole("^a|b$"), "[a-b]");
    assert_eq!(whole("(^ab|cd)ef"), "((\"cd\" | \"ab\") \"ef\")");
    assert_eq!(whole("(ab^|cd)ef"), "\"cdef\"");
    assert_eq!(whole("a$b"), "<never>");
    assert_eq!(whole(""), "\"\"");
    assert_eq!(whole("^*$+"), "\"\"");
    assert_eq!(whole("a{3,7}?"), "\"a\"{3,7}");
    assert_eq!(whole("abc+d"), "(\"ab\" \"c\"+ \"d\")");
    assert!(!whole("(?:[0-9](?:,|$))+").contains("(?"));
}

#[test]
fn any_number_of_characters_takes_in_those_beside_it() {
    let whole = |pattern| shown(pattern, RegexSemantics::WholeMatch, RegexDialect::Rust);
    assert_eq!(whole("[0-9]+[0-9a-f]*"), "([0-9] [0-9a-f]*)");
    assert_eq!(whole("-[0-9a-f]*[0-9]{2,}"), "(\"-\" [0-9a-f]* [0-9]{2,2})");
    assert_eq!(whole("[0-9]*[0-9a-f]*[a-f]*"), "[0-9a-f]*");
    assert_eq!(whole("[0-9]+[a-f]*"), "([0-9]+ [a-f]*)");
    assert_eq!(whole("[0-9]+[0-9a-f]+"), "([0-9]+ [0-9a-f]+)");
}

#[test]
fn search_adds_any_text_only_where_it_is_wanted() {
    let search = |pattern| shown(pattern, RegexSemantics::Search, RegexDialect::Rust);
    assert_eq!(search("^abc"), "(\"abc\" Σ*)");
    assert_eq!(search("abc$"), "(Σ* \"abc\")");
    assert_eq!(search("^abc$"), "\"abc\"");
    assert_eq!(search("abc"), "(Σ* \"abc\" Σ*)");
    assert_eq!(search("^(?:a|b)$"), "[a-b]");
    assert_eq!(search("x+"), "(Σ* \"x\" Σ*)");
    assert_eq!(search("^x{2,}.*"), "(\"x\"{2,2} Σ*)");
    for all in ["", "^", "$", ".*", "^.*", "a?$", "(?:ab*)?"] {
        assert_eq!(search(all), "Σ*", "{all}");
    }
    for (pattern, parts) in
        [("^ab|cd$", ["(\"ab\" Σ*)", "(Σ* \"cd\")"]), ("^ab$|^cd", ["\"ab\"", "(\"cd\" Σ*)"])]
    {
        let text = search(pattern);
        assert!(parts.iter().all(|part| text.contains(part)) && !text.contains("(?"), "{text}");
    }
    assert!(!search("(^|,)x(,|$)").contains("(?"));
}

#[test]
fn what_remains_is_asserted_in_one_region() {
    let whole = |pattern| shown(pattern, RegexSemantics::WholeMatch, RegexDialect::Ecma);
    let search = |pattern| shown(pattern, RegexSemantics::Search, RegexDialect::Ecma);
    assert_eq!(whole("a?^b"), "<(\"a\"? (?<! Σ) \"b\")>");
    assert_eq!(whole("b$a?"), "<(\"b\" (?! Σ) \"a\"?)>");
    assert_eq!(search("^(?!a)b"), "<((?! \"a\") \"b\" Σ*)>");
    assert_eq!(search("\\bab\\b"), "<(Σ* (?<! [0-9A-Z_a-z]) \"ab\" (?! [0-9A-Z_a-z]) Σ*)>");
    assert_eq!(whole("\\bab\\b"), "\"ab\"");
    assert_eq!(whole("a(?!$)b"), "\"ab\"");
    assert_eq!(whole("ab(?=c)"), "<never>");
    assert_eq!(whole("^(?!ab|cd)$"), "\"\"");
    assert_eq!(search("^ab\\b"), "<(\"ab\" (?! [0-9A-Z_a-z]) Σ*)>");
    assert_eq!(whole("(?<!x)ab(?!x)"), "\"ab\"");
}

#[test]
fn refusals_name_their_place() {
    use ErrorKind::{Syntax, Unsupported};
    use RegexDialect::{Ecma, Rust};
    let cases = [
        (Rust, r"(a+)\1", Unsupported, 1, 5),
        (Ecma, r"(?=(a+))\1", Unsupported, 1, 9),
        (Ecma, r"(?<n>a)\k<n>", Unsupported, 1, 8),
        (Ecma, "a++", Unsupported, 1, 3),
        (Ecma, "a{2}+", Unsupported, 1, 5),
        (Rust, "(?>a)", Unsupported, 1, 1),
        (Rust, "a(?(1)b)", Unsupported, 1, 2),
        (Rust, "(?&x)", Unsupported, 1, 1),
        (Ecma, "(?R)", Unsupported, 1, 1),
        (Rust, "(?P=n)", Unsupported, 1, 1),
        (Rust, r"a\Z", Unsupported, 1, 2),
        (Ecma, r"\Aa", Unsupported, 1, 1),
        (Ecma, r"[\1]", Unsupported, 1, 2),
        (Ecma, "(?x)a", Unsupported, 1, 3),
        (Rust, "a{99999999999}", Unsupported, 1, 3),
        (Rust, "[z-a]", Syntax, 1, 2),
        (Ecma, "é[z-a]", Syntax, 1, 3),
        (Rust, "a{5,2}", Syntax, 1, 2),
        (Ecma, "a{5,2}", Syntax, 1, 2),
        (Ecma, "a**", Syntax, 1, 3),
        (Ecma, "^*", Syntax, 1, 2),
        (Ecma, "(?<=a)*", Syntax, 1, 7),
        (Rust, "*", Syntax, 1, 1),
        (Rust, "a|+", Syntax, 1, 3),
        (Rust, "(?i)*", Syntax, 1, 5),
        (Ecma, "{1}", Syntax, 1, 1),
        (Rust, "a{", Syntax, 1, 3),
        (Rust, "a{1", Syntax, 1, 2),
        (Rust, "a{,2}", Syntax, 1, 3),
        (Rust, "a\n(b", Syntax, 2, 1),
        (Rust, "a\nb)", Syntax, 2, 2),
        (Rust, "[a", Syntax, 1, 1),
        (Ecma, "x[a-", Syntax, 1, 2),
        (Rust, "[]", Syntax, 1, 1),
        (Rust, "ab\\", Syntax, 1, 3),
        (Ecma, "[\\", Syntax, 1, 2),
        (Rust, r"\xZZ", Syntax, 1, 1),
        (Rust, r"\x{110000}", Syntax, 1, 1),
        (Rust, r"\uD800", Syntax, 1, 1),
        (Rust, r"\p{Nothing}", Syntax, 1, 1),
        (Rust, r"a\y", Syntax, 1, 2),
        (Ecma, r"\c1", Syntax, 1, 1),
        (Rust, "(?<1a>b)", Syntax, 1, 4),
        (Rust, "(?<a>b)(?<a>c)", Syntax, 1, 11),
        (Rust, "(?ii)", Syntax, 1, 4),
        (Rust, "(?i-)", Syntax, 1, 5),
        (Rust, "(?)", Syntax, 1, 1),
        (Rust, "(?z)", Syntax, 1, 3),
        (Rust, r"(?-u)\pL", Syntax, 1, 6),
        (Rust, "(?-u)[é]", Syntax, 1, 7),
        (Rust, r"[a-\d]", Syntax, 1, 4),
        (Rust, r"[\b]", Syntax, 1, 2),
    ];
    for (dialect, pattern, kind, line, column) in cases {
        let options = RegexOptions { dialect, ..RegexOptions::default() };
        let error = match Grammar::regex(pattern, &options, &Limits::default()) {
            Ok(grammar) => panic!("{pattern:?} is accepted: {grammar}"),
            Err(error) => error,
        };
        let place = error.place().map(|p| (p.line, p.column));
        assert_eq!((error.kind(), place), (kind, Some((line, column))), "{pattern:?}: {error}");
    }
}

#[test]
fn limits_are_typed() {
    let options = RegexOptions::default();
    let limits = Limits { nesting: 3, source_bytes: 20, exprs: 40, ..Limits::default() };
    let kind = |pattern: &str| Grammar::regex(pattern, &options, &limits).map(drop).map_err(|e| e.kind());
    assert_eq!(kind("(((a)))"), Ok(()));
    assert_eq!(kind("((((a))))"), Err(ErrorKind::Limit { name: "nesting" }));
    assert_eq!(kind("[[[[a]]]]"), Err(ErrorKind::Limit { name: "nesting" }));
    assert_eq!(kind("a?+?+?+"), Err(ErrorKind::Limit { name: "nesting" }));
    assert_eq!(kind("aaaaaaaaaaaaaaaaaaaaa"), Err(ErrorKind::Limit { name: "source_bytes" }));
    let few = Limits { exprs: 16, ..Limits::default() };
    let many = Grammar::regex("[ab]1[cd]2[ef]3[gh]4[ij]5[kl]6[mn]7[op]8", &options, &few);
    assert_eq!(many.unwrap_err().kind(), ErrorKind::Limit { name: "exprs" });
}
