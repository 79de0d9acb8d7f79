//! All short texts of a grammar, from the definition: a set of texts for every rule, grown until nothing is added.

use tokenstile_grammar::ir::{Arena, Expr};
use tokenstile_grammar::{ExprId, Grammar, RuleId};

/// Texts over `abc` are counted up to this length.
pub const LONGEST: usize = 6;

const LETTERS: &[u8; 3] = b"abc";

/// A set of texts, as a flag for every text of up to `LONGEST` letters.
#[derive(Clone, PartialEq, Eq)]
pub struct Texts(Vec<Vec<bool>>);

impl Texts {
    fn none() -> Self {
        Texts((0..=LONGEST).map(|len| vec![false; 3usize.pow(len as u32)]).collect())
    }

    fn only_empty() -> Self {
        let mut texts = Texts::none();
        texts.0[0][0] = true;
        texts
    }

    fn insert(&mut self, text: &[u8]) {
        let digits: Option<Vec<usize>> = text.iter().map(|b| LETTERS.iter().position(|l| l == b)).collect();
        if let Some(digits) = digits.filter(|d| d.len() <= LONGEST) {
            self.0[digits.len()][digits.iter().fold(0, |n, d| 3 * n + d)] = true;
        }
    }

    fn pairs(&self) -> Vec<(usize, usize)> {
        let of = |(len, flags): (usize, &Vec<bool>)| {
            flags.iter().enumerate().filter(|f| *f.1).map(|f| (len, f.0)).collect::<Vec<_>>()
        };
        self.0.iter().enumerate().flat_map(of).collect()
    }

    /// The texts, to be read.
    pub fn list(&self) -> Vec<String> {
        let letter = |n: usize, i: usize| LETTERS[n / 3usize.pow(i as u32) % 3] as char;
        self.pairs().iter().map(|&(len, n)| (0..len).rev().map(|i| letter(n, i)).collect()).collect()
    }

    pub fn is_empty(&self) -> bool {
        self.pairs().is_empty()
    }

    pub fn has_empty_text(&self) -> bool {
        self.0[0][0]
    }

    fn zip(&self, other: &Texts, f: impl Fn(bool, bool) -> bool) -> Texts {
        let row = |(a, b): (&Vec<bool>, &Vec<bool>)| a.iter().zip(b).map(|(&a, &b)| f(a, b)).collect();
        Texts(self.0.iter().zip(&other.0).map(row).collect())
    }

    fn then(&self, other: &Texts) -> Texts {
        let mut texts = Texts::none();
        let seconds = other.pairs();
        for (first_len, first) in self.pairs() {
            for &(len, second) in seconds.iter().take_while(|s| first_len + s.0 <= LONGEST) {
                texts.0[first_len + len][first * 3usize.pow(len as u32) + second] = true;
            }
        }
        texts
    }

    fn times(&self, min: u32, max: Option<u32>) -> Texts {
        let mut texts = Texts::only_empty();
        for _ in 0..min {
            texts = texts.then(self);
        }
        let optional = self.zip(&Texts::only_empty(), |a, b| a | b);
        for _ in min..max.unwrap_or(u32::MAX) {
            let more = texts.then(&optional);
            if more == texts {
                break;
            }
            texts = more;
        }
        texts
    }
}

/// The texts of one expression, given those of its children and of the bodies of rules.
fn of_expr(arena: &Arena, id: ExprId, texts: &[Texts], body: impl Fn(RuleId) -> Texts) -> Texts {
    let children = arena.children(id);
    let child = |i: usize| &texts[children[i].index()];
    let fold = |f: fn(&Texts, &Texts) -> Texts| {
        children[1..].iter().fold(child(0).clone(), |sum, c| f(&sum, &texts[c.index()]))
    };
    let mut found = Texts::none();
    match arena.get(id) {
        Expr::Never => {}
        Expr::Empty => found.insert(b""),
        Expr::Bytes(set) => arena.byte_set(set).iter().for_each(|b| found.insert(&[b])),
        Expr::Chars(set) => {
            let letters = LETTERS.iter().filter(|&&b| arena.char_set(set).contains(b as char));
            letters.for_each(|&b| found.insert(&[b]));
        }
        Expr::Literal(literal) => found.insert(arena.literal_bytes(literal)),
        Expr::Concat(_) => return fold(Texts::then),
        Expr::Alt(_) => return fold(|a, b| a.zip(b, |a, b| a | b)),
        Expr::And(_) => return fold(|a, b| a.zip(b, |a, b| a & b)),
        Expr::Not(_) => return child(0).zip(child(0), |a, _| !a),
        Expr::Repeat { min, max, .. } => return child(0).times(min, max),
        Expr::Rule(rule) => return body(rule),
        Expr::Region(_) => return child(0).clone(),
        Expr::Look { .. } => panic!("no assertions in these tests"),
        Expr::Members(_) | Expr::Machine(_) | Expr::Tokens(_) => {
            panic!("neither members nor machines nor tokens in these tests")
        }
    }
    found
}

/// The texts of every expression of a grammar.
pub fn of_grammar(grammar: &Grammar) -> Vec<Texts> {
    let arena = grammar.arena();
    let mut texts = vec![Texts::none(); arena.len()];
    let mut changed = vec![true; arena.len()];
    let mut first = true;
    while changed.contains(&true) {
        for (id, expr) in arena.iter() {
            let is_call = matches!(expr, Expr::Rule(_));
            let due = first || is_call || arena.children(id).iter().any(|c| changed[c.index()]);
            let next =
                due.then(|| of_expr(arena, id, &texts, |r| texts[grammar.rule(r).body.index()].clone()));
            changed[id.index()] = next.as_ref().is_some_and(|next| *next != texts[id.index()]);
            if let Some(next) = next {
                texts[id.index()] = next;
            }
        }
        first = false;
    }
    texts
}

/// Whether a regular expression has no short text.
pub fn is_never(arena: &Arena, expr: ExprId) -> bool {
    let mut texts: Vec<Texts> = Vec::new();
    for (id, _) in arena.iter().take(expr.index() + 1) {
        let found =
            if arena.is_regular(id) { of_expr(arena, id, &texts, |_| Texts::none()) } else { Texts::none() };
        texts.push(found);
    }
    texts[expr.index()].is_empty()
}
