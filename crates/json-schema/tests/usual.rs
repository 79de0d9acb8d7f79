//! What the base of schemas says that is usual: texts that are of their grammars.

use tokenstile_engine::{Compiler, Vocab};

/// Grammars of which only the beginning of a text is given: strings of one class of characters.
const OF_CLASSES: usize = 32;

#[test]
fn usual_texts_are_of_their_grammars() {
    let vocab = Vocab::from_tokens((0..=255u8).map(|b| (b.into(), vec![b])), &[256]).unwrap();
    let compiler = Compiler::new(vocab);
    let all: Vec<_> = tokenstile_json_schema::base().unwrap().usual().collect();
    for (at, usual) in all.iter().enumerate() {
        let constraint = compiler.compile(&usual.grammar).unwrap();
        assert!(usual.grammar.has_base() && !usual.texts.is_empty(), "{}", usual.grammar);
        for text in &usual.texts {
            let mut matcher = constraint.matcher();
            matcher.commit_bytes(text.as_bytes()).unwrap_or_else(|error| panic!("{text}: {error}"));
            assert_eq!(matcher.is_accepting(), at + OF_CLASSES < all.len(), "{text}");
        }
    }
}
