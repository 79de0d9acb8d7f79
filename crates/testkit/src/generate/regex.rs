//! Random regular expressions, as text in Rust's syntax and as a grammar: two spellings of the same language.

use tokenstile_grammar::ir::{Arena, CharSet};
use tokenstile_grammar::{ExprId, Grammar, GrammarBuilder, Limits};

use super::grammar::ALPHABET;
use crate::Rng;

/// One language, twice.
#[derive(Clone, Debug)]
pub struct RegexCase {
    /// In the syntax of the `regex` crate, Unicode on; not anchored.
    pub pattern: String,
    /// Whole texts that the pattern matches, as one rule. Assertions are lookaround in a region.
    pub grammar: Grammar,
}

/// A random regular expression of at most this depth, with `\b`, `\B`, `^` and `$` if `assertions`.
pub fn random_regex(rng: &mut Rng, depth: usize, assertions: bool) -> RegexCase {
    let mut builder = GrammarBuilder::new(&Limits::default());
    let mut maker = Maker { rng, builder: &mut builder, assertions };
    let (pattern, expr) = maker.expr(depth);
    let body = builder.arena.region(expr);
    let grammar = builder.declare("root", None).and_then(|root| {
        builder.define(root, body);
        builder.build(root)
    });
    let grammar = grammar.unwrap_or_else(|error| panic!("a random expression is small: {error}"));
    RegexCase { pattern, grammar }
}

struct Maker<'a> {
    rng: &'a mut Rng,
    builder: &'a mut GrammarBuilder,
    assertions: bool,
}

impl Maker<'_> {
    fn expr(&mut self, depth: usize) -> (String, ExprId) {
        if depth == 0 {
            return self.leaf();
        }
        match self.rng.below(8) {
            0..=2 => {
                let (patterns, parts) = self.several(depth);
                (patterns.concat(), self.builder.arena.concat(&parts))
            }
            3 | 4 => {
                let (patterns, parts) = self.several(depth);
                (format!("(?:{})", patterns.join("|")), self.builder.arena.alt(&parts))
            }
            5 | 6 => self.repeat(depth),
            _ if self.assertions => self.assertion(),
            _ => self.leaf(),
        }
    }

    fn several(&mut self, depth: usize) -> (Vec<String>, Vec<ExprId>) {
        (0..self.rng.between(2, 3)).map(|_| self.expr(depth - 1)).unzip()
    }

    fn repeat(&mut self, depth: usize) -> (String, ExprId) {
        let (pattern, inner) = self.expr(depth - 1);
        let min = self.rng.below(3) as u32;
        let max = min + self.rng.below(3) as u32;
        let (suffix, min, max) = match self.rng.below(6) {
            0 => ("?".into(), 0, Some(1)),
            1 => ("*".into(), 0, None),
            2 => ("+".into(), 1, None),
            3 => (format!("{{{min}}}"), min, Some(min)),
            4 => (format!("{{{min},}}"), min, None),
            _ => (format!("{{{min},{max}}}"), min, Some(max)),
        };
        (format!("(?:{pattern}){suffix}"), self.builder.arena.repeat(inner, min, max))
    }

    fn assertion(&mut self) -> (String, ExprId) {
        let arena = &mut self.builder.arena;
        let any = arena.chars(&CharSet::all());
        match self.rng.below(4) {
            0 => ("^".into(), arena.look(any, true, true)),
            1 => ("$".into(), arena.look(any, false, true)),
            kind => {
                let word = arena.chars(&CharSet::from_ranges([(48, 57), (65, 90), (95, 95), (97, 122)]));
                let side = |arena: &mut Arena, behind: bool, ahead: bool| {
                    let (behind, ahead) = (arena.look(word, true, !behind), arena.look(word, false, !ahead));
                    arena.concat(&[behind, ahead])
                };
                let boundary = kind == 2;
                let sides = [side(arena, true, !boundary), side(arena, false, boundary)];
                let pattern = if boundary { r"(?-u:\b)" } else { r"(?-u:\B)" };
                (pattern.into(), arena.alt(&sides))
            }
        }
    }

    fn leaf(&mut self) -> (String, ExprId) {
        let arena = &mut self.builder.arena;
        match self.rng.below(8) {
            0 => ("(?:)".into(), arena.empty()),
            1 => (".".into(), arena.chars(&CharSet::of("\n").complement())),
            2 | 3 => {
                let chars: String = (0..self.rng.between(1, 3)).map(|_| *self.rng.pick(&ALPHABET)).collect();
                let (set, negated) = (CharSet::of(&chars), self.rng.chance(1, 4));
                let pattern = format!("[{}{}]", if negated { "^" } else { "" }, escaped(&chars));
                (pattern, arena.chars(&if negated { set.complement() } else { set }))
            }
            _ => {
                let c = self.rng.pick(&ALPHABET).to_string();
                (escaped(&c), arena.literal(c.as_bytes()))
            }
        }
    }
}

fn escaped(chars: &str) -> String {
    chars.replace('(', r"\(")
}
