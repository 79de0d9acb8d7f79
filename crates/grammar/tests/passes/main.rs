//! The passes keep the language of a grammar, and their result has the form that the engine relies on.

mod cases;
mod random;
mod scale;
mod texts;

use texts::Texts;
use tokenstile_grammar::ir::Expr;
use tokenstile_grammar::limits::Budget;
use tokenstile_grammar::{Error, ExprId, Grammar, GrammarBuilder, Limits, Place, RuleId, passes};

/// A grammar in a tiny notation: one rule a line, `A = A b | (c | A)* | ~(a b) & c{2,3}`. Capitals are rules (the
/// first is the root), small letters match themselves, `!` matches nothing, an empty alternative the empty text.
pub fn grammar(source: &str) -> Grammar {
    let mut builder = GrammarBuilder::new(&Limits::default());
    let lines: Vec<(char, &str)> = source
        .lines()
        .map(str::trim)
        .filter(|l| !l.is_empty())
        .map(|l| (l.as_bytes()[0] as char, &l[3..]))
        .collect();
    let place = |line: usize| Some(Place { offset: 0, line: line + 1, column: 3 });
    let ids: Vec<(char, RuleId)> = lines
        .iter()
        .enumerate()
        .map(|(i, &(name, _))| (name, builder.declare(name.to_string(), place(i)).unwrap()))
        .collect();
    for (&(_, body), &(_, id)) in lines.iter().zip(&ids) {
        let text: Vec<char> = body.chars().filter(|c| !c.is_whitespace()).collect();
        let mut reader = Reader { builder: &mut builder, ids: &ids, text, at: 0 };
        let body = reader.choice();
        builder.define(id, body);
    }
    builder.build(ids[0].1).unwrap()
}

struct Reader<'a> {
    builder: &'a mut GrammarBuilder,
    ids: &'a [(char, RuleId)],
    text: Vec<char>,
    at: usize,
}

impl Reader<'_> {
    fn peek(&self) -> Option<char> {
        self.text.get(self.at).copied()
    }

    fn eat(&mut self, c: char) -> bool {
        let found = self.peek() == Some(c);
        self.at += found as usize;
        found
    }

    fn number(&mut self) -> Option<u32> {
        let start = self.at;
        while self.peek().is_some_and(|c| c.is_ascii_digit()) {
            self.at += 1;
        }
        self.text[start..self.at].iter().collect::<String>().parse().ok()
    }

    fn choice(&mut self) -> ExprId {
        let mut parts = vec![self.both()];
        while self.eat('|') {
            parts.push(self.both());
        }
        self.builder.arena.alt(&parts)
    }

    fn both(&mut self) -> ExprId {
        let mut parts = vec![self.sequence()];
        while self.eat('&') {
            parts.push(self.sequence());
        }
        if parts.len() == 1 { parts[0] } else { self.builder.arena.and(&parts) }
    }

    fn sequence(&mut self) -> ExprId {
        let mut parts = Vec::new();
        while self.peek().is_some_and(|c| !"|&)".contains(c)) {
            parts.push(self.repeat());
        }
        self.builder.arena.concat(&parts)
    }

    fn repeat(&mut self) -> ExprId {
        let expr = self.atom();
        let (min, max) = match self.peek() {
            Some('*') => (0, None),
            Some('+') => (1, None),
            Some('?') => (0, Some(1)),
            Some('{') => {
                self.at += 1;
                let min = self.number().unwrap();
                let max = if self.eat(',') { self.number() } else { Some(min) };
                (min, max)
            }
            _ => return expr,
        };
        self.at += 1;
        self.builder.arena.repeat(expr, min, max)
    }

    fn atom(&mut self) -> ExprId {
        let c = self.peek().unwrap();
        self.at += 1;
        match c {
            '(' => {
                let inner = self.choice();
                assert!(self.eat(')'));
                inner
            }
            '~' => {
                let inner = self.atom();
                self.builder.arena.not(inner)
            }
            '!' => self.builder.arena.never(),
            'A'..='Z' => {
                let id = self.ids.iter().find(|r| r.0 == c).unwrap().1;
                self.builder.arena.rule(id)
            }
            _ => self.builder.arena.literal(c.to_string().as_bytes()),
        }
    }
}

/// Prepares a grammar under the default limits.
pub fn prepare(grammar: &Grammar) -> Result<Grammar, Error> {
    let limits = Limits::default();
    passes::prepare(grammar, &mut Budget::new(&limits), &mut |arena, expr| Ok(texts::is_never(arena, expr)))
}

/// Prepares a grammar and checks all that is promised about the result.
pub fn check(raw: &Grammar) -> Grammar {
    let prepared = prepare(raw).unwrap_or_else(|e| panic!("{e}\n{raw}"));
    let (before, after) = (texts::of_grammar(raw), texts::of_grammar(&prepared));
    let of_root = |g: &Grammar, texts: &[Texts]| texts[g.rule(g.root()).body.index()].list();
    assert_eq!(of_root(raw, &before), of_root(&prepared, &after), "raw:\n{raw}\nprepared:\n{prepared}");
    assert_eq!(passes::left_recursive(&prepared), [], "raw:\n{raw}\nprepared:\n{prepared}");
    assert_no_left_recursion(&prepared, &after);
    let arena = prepared.arena();
    assert!(prepared.rules().iter().all(|r| r.body != arena.never()), "raw:\n{raw}\nprepared:\n{prepared}");
    for (id, expr) in arena.iter() {
        let never = arena.children(id).contains(&arena.never());
        assert!(!never || matches!(expr, Expr::Not(_)), "raw:\n{raw}\nprepared:\n{prepared}");
    }
    prepared
}

/// The same question as `passes::left_recursive`, asked in the most direct way.
fn assert_no_left_recursion(grammar: &Grammar, texts: &[Texts]) {
    let arena = grammar.arena();
    for start in grammar.rules() {
        let mut seen = vec![false; arena.len()];
        let mut todo = vec![start.body];
        while let Some(id) = todo.pop() {
            assert!(
                arena.get(id) != Expr::Rule(rule_named(grammar, &start.name)),
                "{}\n{grammar}",
                start.name
            );
            if std::mem::replace(&mut seen[id.index()], true) {
                continue;
            }
            match arena.get(id) {
                Expr::Rule(rule) => todo.push(grammar.rule(rule).body),
                Expr::Concat(list) => {
                    for &part in arena.list(list) {
                        todo.push(part);
                        if !texts[part.index()].has_empty_text() {
                            break;
                        }
                    }
                }
                _ => todo.extend(arena.children(id)),
            }
        }
    }
}

fn rule_named(grammar: &Grammar, name: &str) -> RuleId {
    RuleId::new(grammar.rules().iter().position(|r| &*r.name == name).unwrap()).unwrap()
}
