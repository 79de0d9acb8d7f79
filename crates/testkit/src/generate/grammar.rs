//! Random grammars: small, and full of what goes wrong (recursion of every kind, empty matches, ambiguity,
//! characters that share their first bytes, counts).

use tokenstile_grammar::ir::{ByteSet, CharSet, TokenName, TokenSet};
use tokenstile_grammar::{ExprId, Grammar, GrammarBuilder, Limits, RuleId};

use super::counted::{random_dfa, random_members};
use crate::Rng;

/// Characters of random literals: `é` and `è` share their first byte, `€` and `₭` their first two.
pub(super) const ALPHABET: [char; 8] = ['a', 'b', 'c', '(', 'é', 'è', '€', '₭'];

/// What a random grammar may have in it.
#[derive(Clone, Debug)]
pub struct GrammarOptions {
    /// Rules, at most.
    pub rules: usize,
    /// Depth of a rule's body, at most.
    pub depth: usize,
    /// Intersection and complement of regular expressions.
    pub boolean: bool,
    /// Regions with lookahead and lookbehind.
    pub lookaround: bool,
    /// Bytes and literals that are not UTF-8.
    pub raw_bytes: bool,
    /// Members and machines.
    pub counted: bool,
    /// Nothing but `a` and `b`, so that short texts say much.
    pub only_ab: bool,
    /// Token terminals, of the special tokens `<s0>` to `<s2>` and of others.
    pub tokens: bool,
}

impl Default for GrammarOptions {
    fn default() -> Self {
        GrammarOptions {
            rules: 5,
            depth: 4,
            boolean: true,
            lookaround: true,
            raw_bytes: true,
            counted: false,
            only_ab: false,
            tokens: false,
        }
    }
}

/// A random grammar. Its language may be empty, and some of its rules may be unreachable or match nothing.
pub fn random_grammar(rng: &mut Rng, options: &GrammarOptions) -> Grammar {
    let mut builder = GrammarBuilder::new(&Limits::default());
    let count = rng.between(1, options.rules.max(1));
    let rules: Vec<RuleId> = (0..count).filter_map(|i| builder.declare(format!("r{i}"), None).ok()).collect();
    let mut maker = Maker { rng, options, builder: &mut builder, rules: &rules };
    for &rule in &rules {
        let body = maker.expr(options.depth);
        maker.builder.define(rule, body);
    }
    builder.build(rules[0]).unwrap_or_else(|error| panic!("a random grammar is small: {error}"))
}

/// A random grammar of one rule that calls none: a region, full of assertions if there is `lookaround`.
pub fn random_region(rng: &mut Rng, options: &GrammarOptions) -> Grammar {
    let mut builder = GrammarBuilder::new(&Limits::default());
    let mut maker = Maker { rng, options, builder: &mut builder, rules: &[] };
    let inner = maker.regular(options.depth, options.lookaround);
    let body = builder.arena.region(inner);
    let grammar = builder.declare("root", None).and_then(|root| {
        builder.define(root, body);
        builder.build(root)
    });
    grammar.unwrap_or_else(|error| panic!("a random grammar is small: {error}"))
}

struct Maker<'a> {
    rng: &'a mut Rng,
    options: &'a GrammarOptions,
    builder: &'a mut GrammarBuilder,
    rules: &'a [RuleId],
}

impl Maker<'_> {
    fn expr(&mut self, depth: usize) -> ExprId {
        if depth == 0 {
            return self.leaf();
        }
        if self.options.counted && self.rng.chance(1, 4) {
            return self.counted(depth);
        }
        match self.rng.below(14) {
            0..=3 => {
                let parts = self.several(depth, Self::expr);
                self.builder.arena.concat(&parts)
            }
            4..=6 => {
                let parts = self.several(depth, Self::expr);
                self.builder.arena.alt(&parts)
            }
            7 | 8 => {
                let inner = self.expr(depth - 1);
                self.repeat(inner)
            }
            9 | 10 => {
                let rule = *self.rng.pick(self.rules);
                self.builder.arena.rule(rule)
            }
            11 if self.options.boolean => self.boolean(depth.min(3)),
            12 if self.options.lookaround => {
                let inner = self.regular(depth.min(3), true);
                self.builder.arena.region(inner)
            }
            _ => self.leaf(),
        }
    }

    /// Members, the entries of which may be alike, start alike or be ambiguous, but are never empty; or a machine.
    fn counted(&mut self, depth: usize) -> ExprId {
        if self.rng.chance(1, 6) {
            return self.builder.arena.machine(random_dfa(self.rng).machine());
        }
        let mut entries = Vec::new();
        for _ in 0..self.rng.below(6) {
            let some = self.rng.pick(&["a", "b", "ab", "c"]).as_bytes();
            let some = self.builder.arena.literal(some);
            let entry = match self.rng.below(8) {
                0..=3 => some,
                4 => {
                    let before = self.regular(depth.min(2), false);
                    self.builder.arena.concat(&[before, some])
                }
                _ => {
                    let rest = self.expr(depth - 1);
                    self.builder.arena.concat(&[some, rest])
                }
            };
            entries.push(entry);
        }
        let separator = match self.rng.below(8) {
            0 => self.builder.arena.empty(),
            1 => self.builder.arena.never(),
            2 => self.expr(depth - 1),
            _ => self.builder.arena.literal(b","),
        };
        let members = random_members(self.rng, separator, &entries);
        self.builder.arena.members(members)
    }

    /// An expression that calls no rule.
    fn regular(&mut self, depth: usize, lookaround: bool) -> ExprId {
        if depth == 0 {
            return self.leaf();
        }
        let regular = |maker: &mut Self, depth| maker.regular(depth, lookaround);
        match self.rng.below(11) {
            0..=2 => {
                let parts = self.several(depth, regular);
                self.builder.arena.concat(&parts)
            }
            3 | 4 => {
                let parts = self.several(depth, regular);
                self.builder.arena.alt(&parts)
            }
            5 | 6 => {
                let inner = regular(self, depth - 1);
                self.repeat(inner)
            }
            7 | 8 if lookaround => {
                let inner = regular(self, depth - 1);
                let (behind, negated) = (self.rng.chance(1, 2), self.rng.chance(1, 2));
                self.builder.arena.look(inner, behind, negated)
            }
            9 if lookaround && self.options.boolean && self.rng.chance(1, 2) => {
                let inner = regular(self, depth - 1);
                self.builder.arena.not(inner)
            }
            9 if lookaround && self.rng.chance(1, 3) => {
                let inner = regular(self, depth - 1);
                self.builder.arena.region(inner)
            }
            _ => self.leaf(),
        }
    }

    fn boolean(&mut self, depth: usize) -> ExprId {
        let mut parts = vec![self.regular(depth, false), self.regular(depth, false)];
        if self.rng.chance(1, 2) {
            parts[1] = self.builder.arena.not(parts[1]);
        }
        if self.rng.chance(1, 8) { parts[1] } else { self.builder.arena.and(&parts) }
    }

    fn several(&mut self, depth: usize, mut make: impl FnMut(&mut Self, usize) -> ExprId) -> Vec<ExprId> {
        (0..self.rng.between(2, 3)).map(|_| make(self, depth - 1)).collect()
    }

    fn repeat(&mut self, inner: ExprId) -> ExprId {
        let min = self.rng.below(4) as u32;
        let (min, max) = match self.rng.below(6) {
            0 => (0, Some(1)),
            1 => (0, None),
            2 => (1, None),
            3 => (min, None),
            4 => (min, Some(min)),
            _ => (min, Some(min + self.rng.below(4) as u32)),
        };
        self.builder.arena.repeat(inner, min, max)
    }

    /// A terminal that takes a token whole.
    fn tokens(&mut self) -> ExprId {
        let names: Vec<TokenName> = (0..self.rng.between(1, 3))
            .map(|_| match self.rng.below(12) {
                0..=6 => TokenName::text(*self.rng.pick(&["<s0>", "<s1>", "<s2>"])),
                7..=9 => TokenName::text(*self.rng.pick(&["a", "b", "("])),
                10 => TokenName::special("<s0>"),
                _ => TokenName::id(self.rng.between(20, 40) as u32),
            })
            .collect();
        let set = match self.rng.below(6) {
            0 => TokenSet::but(names),
            1 if self.rng.chance(1, 3) => TokenSet::any(),
            _ => TokenSet::of(names),
        };
        self.builder.arena.tokens(&set)
    }

    fn leaf(&mut self) -> ExprId {
        if self.options.tokens && self.rng.chance(1, 3) {
            return self.tokens();
        }
        let arena = &mut self.builder.arena;
        if self.options.only_ab {
            return match self.rng.below(9) {
                0 => arena.empty(),
                1 | 2 => arena.chars(&CharSet::of("ab")),
                _ => arena.literal(self.rng.pick(&["a", "b", "ab"]).as_bytes()),
            };
        }
        match self.rng.below(12) {
            0 => arena.empty(),
            1 if self.rng.chance(1, 4) => arena.never(),
            2 if self.options.raw_bytes => match self.rng.below(3) {
                0 => arena.byte(ByteSet::range(0xA0, 0xC3)),
                1 => arena.literal(&[0xC3]),
                _ => arena.literal(&[0xFF, b'a']),
            },
            3 | 4 => {
                let chars: String = (0..self.rng.between(2, 4)).map(|_| *self.rng.pick(&ALPHABET)).collect();
                let set = CharSet::of(&chars);
                let set = if self.rng.chance(1, 6) { set.complement() } else { set };
                arena.chars(&set)
            }
            5 => arena.chars(&CharSet::from_ranges([('a' as u32, 'c' as u32), (0xE8, 0x20AC)])),
            _ => {
                let text: String = (0..self.rng.between(1, 2)).map(|_| *self.rng.pick(&ALPHABET)).collect();
                arena.literal(text.as_bytes())
            }
        }
    }
}
