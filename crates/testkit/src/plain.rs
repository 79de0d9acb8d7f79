//! A slow, obvious matcher over the grammar's expressions, and a small random number generator.

use std::collections::HashMap;

use tokenstile_grammar::ir::{Arena, Expr};
use tokenstile_grammar::{ExprId, Grammar};

/// Whether the grammar, which has no recursive rules, matches the whole text (up to 120 bytes).
pub fn matches(grammar: &Grammar, text: &[u8]) -> bool {
    assert!(text.len() <= 120, "positions are bits of one word");
    let root = grammar.rule(grammar.root()).body;
    let mut matcher = Matcher { grammar, arena: grammar.arena(), text, memo: HashMap::new() };
    matcher.ends(root, 0, (0, text.len())) >> text.len() & 1 != 0
}

type Ends = u128;

struct Matcher<'a> {
    grammar: &'a Grammar,
    arena: &'a Arena,
    text: &'a [u8],
    memo: HashMap<(ExprId, usize, usize, usize), Ends>,
}

impl Matcher<'_> {
    /// The positions (as bits) at which a match that starts at `start` ends, inside of the region.
    fn ends(&mut self, expr: ExprId, start: usize, region: (usize, usize)) -> Ends {
        let key = (expr, start, region.0, region.1);
        if let Some(&ends) = self.memo.get(&key) {
            return ends;
        }
        let ends = self.compute(expr, start, region);
        self.memo.insert(key, ends);
        ends
    }

    fn compute(&mut self, expr: ExprId, start: usize, region: (usize, usize)) -> Ends {
        let (low, high) = region;
        let rest = &self.text[start..high];
        match self.arena.get(expr) {
            Expr::Never => 0,
            Expr::Empty => 1 << start,
            Expr::Bytes(set) => match rest.first() {
                Some(&byte) if self.arena.byte_set(set).contains(byte) => 1 << (start + 1),
                _ => 0,
            },
            Expr::Chars(set) => {
                let first = (1..=rest.len().min(4)).find_map(|len| std::str::from_utf8(&rest[..len]).ok());
                match first.and_then(|text| text.chars().next()) {
                    Some(c) if self.arena.char_set(set).contains(c) => 1 << (start + c.len_utf8()),
                    _ => 0,
                }
            }
            Expr::Literal(literal) => {
                let bytes = self.arena.literal_bytes(literal);
                if rest.starts_with(bytes) { 1 << (start + bytes.len()) } else { 0 }
            }
            Expr::Concat(list) => {
                let parts = self.arena.list(list).to_vec();
                parts.into_iter().fold(1 << start, |from, part| self.step(part, from, region))
            }
            Expr::Alt(list) => {
                let parts = self.arena.list(list).to_vec();
                parts.into_iter().fold(0, |ends, part| ends | self.ends(part, start, region))
            }
            Expr::Repeat { expr, min, max } => {
                // Past this many rounds, all but empty ones are over.
                let enough = self.text.len() as u32 + 2;
                let mut from = 1 << start;
                for _ in 0..min.min(enough) {
                    from = self.step(expr, from, region);
                }
                let mut all = from;
                for _ in 0..max.map_or(enough, |max| (max - min).min(enough)) {
                    from = self.step(expr, from, region);
                    all |= from;
                }
                all
            }
            Expr::Rule(rule) => self.ends(self.grammar.rule(rule).body, start, region),
            Expr::Members(_) | Expr::Machine(_) | Expr::Tokens(_) => {
                panic!("neither members nor machines nor tokens in a regex")
            }
            Expr::And(list) => {
                let parts = self.arena.list(list).to_vec();
                parts.into_iter().fold(Ends::MAX, |ends, part| ends & self.ends(part, start, region))
            }
            Expr::Not(expr) => {
                let ends = self.ends(expr, start, region);
                (start..=high).filter(|end| ends >> end & 1 == 0).fold(0, |all, end| all | 1 << end)
            }
            Expr::Look { expr, behind, negated } => {
                let found = if behind {
                    (low..=start).any(|from| self.ends(expr, from, region) >> start & 1 != 0)
                } else {
                    self.ends(expr, start, region) != 0
                };
                if found != negated { 1 << start } else { 0 }
            }
            Expr::Region(expr) => (start..=high)
                .filter(|&end| self.ends(expr, start, (start, end)) >> end & 1 != 0)
                .fold(0, |all, end| all | 1 << end),
        }
    }

    fn step(&mut self, expr: ExprId, from: Ends, region: (usize, usize)) -> Ends {
        let starts = (region.0..=region.1).filter(|start| from >> start & 1 != 0);
        starts.fold(0, |ends, start| ends | self.ends(expr, start, region))
    }
}

/// Numbers that look random and are the same in every run.
pub struct Random(u64);

impl Random {
    /// The numbers of a seed.
    pub fn new(seed: u64) -> Self {
        Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    /// A number below `n`.
    pub fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) as usize % n
    }

    /// One of them.
    pub fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }
}
