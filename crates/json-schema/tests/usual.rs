//! What the base of schemas says that is usual: texts that are of their grammars.

use tokenstile_engine::{Compiler, Constraint, Vocab};

/// Grammars of which only the beginning of a text is given: strings of one class of characters.
const OF_CLASSES: usize = 32;
/// So many numbers are given for each range of numbers, of which some are in it, and there are so many such grammars.
const OF_RANGES: usize = 16;
const RANGES: usize = 34 * 3;

/// Whether a text is of a constraint's grammar, or may become one; none if it cannot.
fn ends(constraint: &Constraint, text: &str) -> Option<bool> {
    let mut matcher = constraint.matcher();
    matcher.commit_bytes(text.as_bytes()).ok().map(|()| matcher.is_accepting())
}

#[test]
fn usual_texts_are_of_their_grammars() {
    let vocab = Vocab::from_tokens((0..=255u8).map(|b| (b.into(), vec![b])), &[256]).unwrap();
    let compiler = Compiler::new(vocab);
    let all: Vec<_> = tokenstile_json_schema::base().unwrap().usual().collect();
    let mut ranges = 0;
    for (at, usual) in all.iter().enumerate() {
        let constraint = compiler.compile(&usual.grammar).unwrap();
        assert!(usual.grammar.has_base() && !usual.texts.is_empty(), "{}", usual.grammar);
        let is_whole = at + OF_CLASSES < all.len();
        let fits = |text: &String| ends(&constraint, text) == Some(is_whole);
        if usual.texts.len() == OF_RANGES {
            assert!(usual.texts.iter().any(fits), "{:?}", usual.texts);
            ranges += 1;
            continue;
        }
        for text in &usual.texts {
            assert!(fits(text), "{text}");
        }
    }
    assert_eq!(ranges, RANGES, "of all other grammars every text is asked");
}
