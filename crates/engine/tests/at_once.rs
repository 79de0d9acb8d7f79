//! Bytes that are committed at once lead to where they lead one by one, also where literals and runs are passed over as a
//! whole.

use tokenstile_engine::{Compiler, Constraint, Grammar, Limits, Matcher, Vocab};

const GRAMMARS: [&str; 9] = [
    r#"root ::= [ \n]* "a" [ ]* "b""#,
    r#"root ::= [ ]{0,3} " b" | [ ]{2,4} "a""#,
    r#"root ::= "\n"? [ \n]{0,2} ("a" | " b")"#,
    r#"root ::= ([ ]* "a")* [ ]* "b"?"#,
    r#"root ::= [ ]{1,2} [ ]{0,2} "b""#,
    r#"root ::= [a ]* "b" | [a]* " b""#,
    "root ::= (\"a\" ws)* \"b\"\nws ::= (\"\\n\" | \" \\n\")? [ ]{0,2}",
    "root ::= x \"b\"\nx ::= \"a\" [ ]*\n",
    "root ::= [ ]* x\nx ::= [ ]* \"b\" | \"a\" root",
];

fn constraint(source: &str) -> Constraint {
    let tokens = (0..=255u8).map(|byte| (u32::from(byte), vec![byte]));
    let compiler = Compiler::new(Vocab::from_tokens(tokens, &[256]).unwrap());
    compiler.compile(Grammar::gbnf(source, &Limits::default()).unwrap()).unwrap()
}

/// All texts of some characters up to a length.
fn texts(longest: usize) -> Vec<Vec<u8>> {
    let mut all = vec![Vec::new()];
    let mut at = 0;
    while at < all.len() {
        if all[at].len() < longest {
            let longer = b" \nab".map(|byte| [&all[at][..], &[byte]].concat());
            all.extend(longer);
        }
        at += 1;
    }
    all
}

/// Whether the text is complete, and the mask there; `None` if it is refused.
fn outcome(mut matcher: Matcher, parts: &[&[u8]]) -> Option<(bool, Vec<u32>)> {
    parts.iter().try_for_each(|part| matcher.commit_bytes(part)).ok()?;
    Some((matcher.is_accepting(), matcher.mask().unwrap().to_vec()))
}

#[test]
fn at_once_is_one_by_one() {
    for source in GRAMMARS {
        let constraint = constraint(source);
        for text in texts(6) {
            let single: Vec<&[u8]> = text.chunks(1).collect();
            let expected = outcome(constraint.fresh().matcher(), &single);
            assert_eq!(outcome(constraint.fresh().matcher(), &[&text]), expected, "{source}\n{text:?}");
            let (start, end) = text.split_at(text.len() / 2);
            assert_eq!(outcome(constraint.matcher(), &[start, end]), expected, "{source}\n{text:?}");
        }
    }
}
