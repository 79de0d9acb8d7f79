//! What the automata and the masks of many constraints have in common, known before any of them is compiled.
//!
//! Grammars of one notation may begin with the same expressions and rules: their [`Base`]. What can be made of those
//! alone (cells, states, transitions, token sets) is the same for all of them, so it is made once for a vocabulary: in
//! a [`SharedStore`] and a [`MaskStore`] of their own, which those of constraints refer to.

use std::sync::Arc;

use tokenstile_grammar::ir::Base;

use crate::automaton::{Program, SharedStore};
use crate::masks::MaskStore;
use crate::tokens::tables::Tables;

/// See the module documentation.
pub(crate) struct Library {
    pub(crate) automaton: Arc<SharedStore>,
    pub(crate) masks: Arc<MaskStore>,
    limit: usize,
}

impl Library {
    /// An empty one; `None` if the vocabulary lacks something that it takes.
    pub(crate) fn new(base: &Arc<Base>, tables: &Tables, limit: usize) -> Option<Self> {
        let program = Program::new(base.grammar(), tables).ok()?;
        Some(Library {
            automaton: Arc::new(SharedStore::new(program)),
            masks: Arc::new(MaskStore::of_library()),
            limit,
        })
    }

    /// Whether there is so much in it that a new one should be begun.
    pub(crate) fn is_full(&self) -> bool {
        self.automaton.store.is_full(self.limit)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::Ordering;

    use tokenstile_grammar::ir::{Base, BaseParts};
    use tokenstile_grammar::{Grammar, GrammarBuilder, Limits, RuleId};
    use tokenstile_json_schema::{JsonOptions, json_schema};

    use crate::{Compiler, Vocab};

    /// Words of JSON, and all single bytes.
    fn vocab() -> Vocab {
        let words =
            ["{\"", "\":", "\",\"", "ab", "[[", "]]", "},", "tru", "12", "null", "\"}", "a\":\"", "\\u00"];
        let bytes = (0..=255u8).map(|byte| (u32::from(byte), vec![byte]));
        let words = words.iter().zip(256..).map(|(word, id)| (id, word.as_bytes().to_vec()));
        Vocab::from_tokens(bytes.chain(words), &[300]).unwrap()
    }

    #[test]
    fn a_full_library_is_begun_anew() {
        let schema = r#"{"properties":{"ab":{"type":"string"},"a":{"type":"boolean"}},"required":["a"]}"#;
        let grammar = json_schema(schema, &JsonOptions::default(), &Limits::default()).unwrap();
        let (small, large) = (Compiler::new(vocab()), Compiler::new(vocab()));
        small.common.library_limit.store(40_000, Ordering::Relaxed);
        let constraints = [&small, &large].map(|compiler| compiler.compile(&grammar).unwrap());
        for text in
            [r#"{"ab":"x1","c":[[{}],{"a":null}],"a":true}"#, r#"{"a":false,"abc":{"ab":[12,{"":[]}]}}"#]
        {
            let mut matchers = [0, 1].map(|i| constraints[i].matcher());
            for &byte in text.as_bytes() {
                let [one, other] = matchers.each_mut().map(|matcher| matcher.mask().unwrap().to_vec());
                assert_eq!(one, other, "before {} of {text}", byte as char);
                matchers.iter_mut().for_each(|matcher| matcher.commit(byte.into()).unwrap());
            }
            assert!(matchers.iter().all(|matcher| matcher.is_accepting()));
        }
        assert!(constraints[0].stats().renewals > 0);
        assert_eq!(constraints[1].stats().renewals, 0);
    }

    /// A JSON value between angle brackets.
    fn in_brackets(mut grammar: GrammarBuilder) -> Grammar {
        let value = RuleId::new(0).unwrap();
        let root = grammar.declare("root", None).unwrap();
        let (open, call, close) =
            (grammar.arena.literal(b"<"), grammar.arena.rule(value), grammar.arena.literal(b">"));
        let body = grammar.arena.concat(&[open, call, close]);
        grammar.define(root, body);
        grammar.build(root).unwrap()
    }

    #[test]
    fn each_base_has_a_library_of_its_own() {
        let limits = Limits::default();
        let json = Grammar::json(&limits).unwrap();
        let base = Base::new(json.clone(), BaseParts::default());
        let based = in_brackets(base.builder(&limits, 8).unwrap());
        let plain = in_brackets(json.into_builder(&limits));
        let schema = json_schema("{}", &JsonOptions::default(), &limits).unwrap();
        assert!(based.has_base() && !plain.has_base());
        let compiler = Compiler::new(vocab());
        // In turn: each would take what the other has made, if they were not told apart.
        let _other = compiler.compile(&schema).unwrap();
        let mut matchers = [&based, &plain].map(|grammar| compiler.compile(grammar).unwrap().matcher());
        assert!(compiler.compile(&schema).unwrap().matcher().commit_bytes(b"[1]").is_ok());
        for byte in *br#"<{"ab": [1, "x", null]}>"# {
            let [one, other] = matchers.each_mut().map(|matcher| matcher.mask().unwrap().to_vec());
            assert_eq!(one, other, "before {}", byte as char);
            matchers.iter_mut().for_each(|matcher| matcher.commit(byte.into()).unwrap());
        }
        assert!(matchers.iter().all(|matcher| matcher.is_accepting()));
        let libraries = [base, tokenstile_json_schema::base().unwrap()]
            .map(|base| (base.len(), compiler.common.library(&base).unwrap().automaton.exprs()));
        assert!(libraries.iter().all(|(exprs, known)| exprs == known), "{libraries:?}");
    }

    #[test]
    fn what_one_constraint_found_serves_another() {
        let compiler = Compiler::new(vocab());
        let cold = |schema: &str| {
            let grammar = json_schema(schema, &JsonOptions::default(), &Limits::default()).unwrap();
            let constraint = compiler.compile(&grammar).unwrap();
            let mut matcher = constraint.matcher();
            for &byte in br#""some text"# {
                matcher.mask().unwrap();
                matcher.commit(byte.into()).unwrap();
            }
            constraint.stats().cold_masks
        };
        let (first, second) = (cold(r#"{"type":"string"}"#), cold(r#"{"type":["string","null"]}"#));
        assert!(second < first, "{second} of {first}");
    }
}
