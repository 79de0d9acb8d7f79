//! What the automata of many constraints have in common, known before any of them is compiled.
//!
//! Grammars of one notation may begin with the same expressions and rules: their [`Base`]. What can be made of those
//! alone (cells, states, transitions, token sets) is the same for all of them, so it is made once for a vocabulary: in
//! a [`Store`] and a [`MaskStore`] of their own, which the stores of constraints refer to. Its objects have the lower ids.
//! A constraint's objects may be made of the library's, never the other way round.

use std::sync::Arc;

use tokenstile_grammar::ir::{Arena, Base, Expr};
use tokenstile_grammar::{CharSetId, ExprId, Limits, MachineId, MembersId};

use crate::automaton::{Head, Phase, Program, Store, first_literal};
use crate::mask::MaskStore;
use crate::tables::Tables;

/// A library that holds more is given up for a new one, unless a test wants it sooner. What is built ahead in it takes some
/// 23 MB with 128,000 tokens.
pub(crate) const BYTES: usize = 64 << 20;

/// See the module documentation.
pub(crate) struct Library {
    pub(crate) store: Store,
    pub(crate) masks: MaskStore,
    limit: usize,
    exprs: usize,
    char_sets: usize,
    machines: usize,
    members: usize,
    /// Members of which nothing is known but their separator.
    generic: Vec<(ExprId, MembersId)>,
    /// Repetitions without an end, by what they repeat and how often at least.
    endless: Vec<((ExprId, u32), ExprId)>,
}

impl Library {
    /// An empty one; `None` if the vocabulary lacks something that it takes.
    pub(crate) fn new(base: &Arc<Base>, tables: &Tables, limit: usize) -> Option<Self> {
        let program = Program::new(base.grammar(), tables).ok()?;
        let arena = base.arena();
        let generic = arena.iter().filter_map(|(id, expr)| match expr {
            Expr::Members(members) => Some((id, members)),
            _ => None,
        });
        let endless = arena.iter().filter_map(|(id, expr)| match expr {
            Expr::Repeat { expr, min, max: None } => Some(((expr, min), id)),
            _ => None,
        });
        Some(Library {
            limit,
            exprs: base.len(),
            char_sets: arena.char_sets().len(),
            machines: arena.iter().filter(|(_, expr)| matches!(expr, Expr::Machine(_))).count(),
            members: arena.all_members().len(),
            generic: generic.collect(),
            endless: endless.collect(),
            store: Store::new(Arc::new(program), &Limits::default(), None),
            masks: MaskStore::of_library(),
        })
    }

    /// Whether there is so much in it that a new one should be begun.
    pub(crate) fn is_full(&self) -> bool {
        self.store.is_full(self.limit)
    }

    /// The members that stand for some others, if nothing is known of those but their separator and whether all of
    /// their entries begin with a quote.
    pub(crate) fn members_like(&self, arena: &Arena, members: MembersId) -> Option<(ExprId, MembersId)> {
        let own = &self.store.program.arena;
        let (separator, quoted) = (arena.members_of(members).separator, are_quoted(arena, members));
        self.generic.iter().copied().find(|&(_, known)| {
            own.members_of(known).separator == separator && are_quoted(own, known) == quoted
        })
    }
}

/// Whether all entries of some members are seen to begin with a quote.
fn are_quoted(arena: &Arena, members: MembersId) -> bool {
    let mut slots = arena.members_of(members).slots.iter();
    slots.all(|slot| first_literal(arena, slot.entry).is_some_and(|literal| literal[0] == b'"'))
}

impl Store {
    /// The repetition of an expression at least so often and without an end, if the library has it.
    pub(crate) fn endless(&self, expr: ExprId, min: u32) -> Option<ExprId> {
        let known = self.library.as_ref()?.endless.iter().find(|known| known.0 == (expr, min));
        known.map(|known| known.1)
    }

    /// Whether the grammar begins with a base, as the library's does, which is nothing else.
    pub(crate) fn has_base(&self) -> bool {
        self.program.arena.base().is_some()
    }

    /// Whether the object with this number is the library's.
    #[inline]
    pub(crate) fn is_shared(&self, id: u32) -> bool {
        id < self.own
    }

    /// Whether the head of a cell is made of what the library has.
    pub(crate) fn is_shared_head(&self, head: Head) -> bool {
        let Some(library) = &self.library else { return false };
        match head {
            Head::Expr(expr, at) => {
                expr.index() < library.exprs
                    && match self.program.arena.get(expr) {
                        Expr::Members(_) => match Phase::of(at) {
                            Phase::Start => true,
                            Phase::AfterEntry(id) | Phase::AfterSeparator(id) | Phase::Before(id) => {
                                self.is_shared(id.0)
                            }
                        },
                        Expr::Machine(_) => at == 0 || self.is_shared(at - 1),
                        _ => true,
                    }
            }
            Head::Utf8(set, _) => CharSetId::index(set) < library.char_sets,
            Head::End(end) => self.has_shared_members(end.members),
            Head::Frame(cell) => self.is_shared(cell.0),
            Head::Bool(_) => false,
        }
    }

    /// Whether members are those of the library.
    pub(crate) fn has_shared_members(&self, members: MembersId) -> bool {
        self.library.as_ref().is_some_and(|library| members.index() < library.members)
    }

    /// Whether a machine is one of the library.
    pub(crate) fn has_shared_machine(&self, machine: MachineId) -> bool {
        self.library.as_ref().is_some_and(|library| machine.index() < library.machines)
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
        small.tables().library_limit.store(40_000, Ordering::Relaxed);
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
        let libraries = [base, tokenstile_json_schema::base().unwrap()].map(|base| {
            let tables = compiler.tables();
            (base.len(), tables.library(&base).unwrap().exprs)
        });
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
