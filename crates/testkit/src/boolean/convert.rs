//! From an IR expression to a labelled boolean expression: assertions become labels, inner regions automata.

use rustc_hash::FxHashMap;
use tokenstile_grammar::ir::{ByteSet, Expr, Utf8Dfa, Utf8Next};
use tokenstile_grammar::{ExprId, Grammar};

use super::re::{Pool, ReId};
use super::{Look, SpanAutomaton};

/// A converted region.
pub(super) struct Converted {
    pub(super) pool: Pool,
    pub(super) re: ReId,
    /// Assertions; those inside another one come before it.
    pub(super) looks: Vec<Look>,
    pub(super) class: [u8; 256],
}

/// Converts `expr` as a region of its own.
pub(super) fn convert(grammar: &Grammar, expr: ExprId) -> Converted {
    let mut converter = Converter {
        grammar,
        pool: Pool::new(),
        looks: Vec::new(),
        labels: FxHashMap::default(),
        sets: Vec::new(),
        nested_classes: Vec::new(),
    };
    // The region that is converted is `expr` itself; a region further in is another one.
    let inner = if let Expr::Region(inner) = grammar.arena().get(expr) { inner } else { expr };
    let re = converter.expr(inner);
    let class = converter.classes();
    Converted { pool: converter.pool, re, looks: converter.looks, class }
}

struct Converter<'g> {
    grammar: &'g Grammar,
    pool: Pool,
    looks: Vec<Look>,
    labels: FxHashMap<(ExprId, bool), u32>,
    sets: Vec<ByteSet>,
    nested_classes: Vec<[u8; 256]>,
}

impl Converter<'_> {
    fn expr(&mut self, id: ExprId) -> ReId {
        let grammar = self.grammar;
        let arena = grammar.arena();
        match arena.get(id) {
            Expr::Never => Pool::NEVER,
            Expr::Empty => Pool::EMPTY,
            Expr::Bytes(set) => self.set(*arena.byte_set(set)),
            Expr::Chars(set) => self.utf8(&Utf8Dfa::new(arena.char_set(set)), 0),
            Expr::Literal(literal) => {
                let bytes = arena.literal_bytes(literal).iter().map(|&byte| self.set(ByteSet::single(byte)));
                let bytes: Vec<ReId> = bytes.collect();
                bytes.into_iter().rev().fold(Pool::EMPTY, |rest, byte| self.pool.concat(byte, rest))
            }
            Expr::Concat(list) => {
                let parts = self.all(arena.list(list));
                parts.into_iter().rev().fold(Pool::EMPTY, |rest, part| self.pool.concat(part, rest))
            }
            Expr::Alt(list) => {
                let parts = self.all(arena.list(list));
                self.pool.or(parts)
            }
            Expr::And(list) => {
                let parts = self.all(arena.list(list));
                self.pool.and(parts)
            }
            Expr::Not(inner) => {
                let inner = self.expr(inner);
                self.pool.not(inner)
            }
            Expr::Repeat { expr, min, max } => {
                let inner = self.expr(expr);
                self.pool.repeat(inner, min, max)
            }
            Expr::Look { expr, behind, negated } => self.look(expr, behind, !negated),
            Expr::Region(_) => self.nested(id),
            Expr::Members(_) | Expr::Machine(_) | Expr::Tokens(_) => {
                panic!("members, a machine or tokens in a boolean expression")
            }
            Expr::Rule(rule) => {
                panic!("rule `{}` is called in a boolean expression", grammar.rule(rule).name)
            }
        }
    }

    fn all(&mut self, list: &[ExprId]) -> Vec<ReId> {
        list.iter().map(|&part| self.expr(part)).collect()
    }

    fn set(&mut self, set: ByteSet) -> ReId {
        self.sets.push(set);
        self.pool.set(set)
    }

    fn utf8(&mut self, dfa: &Utf8Dfa, node: u32) -> ReId {
        let mut parts = Vec::new();
        for &(set, next) in dfa.edges(node) {
            let first = self.set(set);
            let rest = match next {
                Utf8Next::Done => Pool::EMPTY,
                Utf8Next::Node(next) => self.utf8(dfa, next),
            };
            parts.push(self.pool.concat(first, rest));
        }
        self.pool.or(parts)
    }

    fn look(&mut self, expr: ExprId, behind: bool, holds: bool) -> ReId {
        let label = match self.labels.get(&(expr, behind)) {
            Some(&label) => label,
            None => {
                let inner = self.expr(expr);
                let re = if behind {
                    self.pool.concat(Pool::ALL, inner)
                } else {
                    self.pool.concat(inner, Pool::ALL)
                };
                assert!(self.looks.len() < 64, "more than 64 different assertions in one region");
                self.looks.push(Look { behind, re });
                self.labels.insert((expr, behind), self.looks.len() as u32 - 1);
                self.looks.len() as u32 - 1
            }
        };
        self.pool.label(label, holds)
    }

    fn nested(&mut self, region: ExprId) -> ReId {
        let automaton = SpanAutomaton::new(self.grammar, region);
        self.nested_classes.push(automaton.class);
        self.pool.nested.push(automaton);
        self.pool.nested(self.pool.nested.len() as u32 - 1, SpanAutomaton::START)
    }

    /// For each byte the smallest one that is in the same sets.
    fn classes(&self) -> [u8; 256] {
        let mut first: FxHashMap<(Vec<bool>, Vec<u8>), u8> = FxHashMap::default();
        std::array::from_fn(|byte| {
            let sets = self.sets.iter().map(|set| set.contains(byte as u8)).collect();
            let nested = self.nested_classes.iter().map(|class| class[byte]).collect();
            *first.entry((sets, nested)).or_insert(byte as u8)
        })
    }
}

/// Whether there is an assertion in `expr` that belongs to the region around it.
pub(crate) fn has_open_look(grammar: &Grammar, expr: ExprId) -> bool {
    let mut todo = vec![expr];
    let mut seen = rustc_hash::FxHashSet::default();
    while let Some(id) = todo.pop() {
        match grammar.arena().get(id) {
            _ if !seen.insert(id) => {}
            Expr::Look { .. } => return true,
            Expr::Region(_) => {}
            _ => todo.extend(grammar.arena().children(id)),
        }
    }
    false
}
