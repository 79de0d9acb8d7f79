//! A recogniser written from the definition of the expressions, for short texts: which texts does a grammar
//! match? It knows nothing of how grammars are run.

use tokenstile_grammar::ExprId;
use tokenstile_grammar::Grammar;
use tokenstile_grammar::ir::Expr;

/// Positions of a text, as bits.
type Ends = u128;

/// Whether the whole of `text` matches the root of `grammar`.
pub fn matches(grammar: &Grammar, text: &str) -> bool {
    let text = text.as_bytes();
    assert!(text.len() < 127, "the recogniser is for short texts");
    let mut table = vec![vec![0 as Ends; text.len() + 1]; grammar.arena().len()];
    // What an expression matches depends on smaller ids and on rules: sweep until nothing is added.
    loop {
        let mut changed = false;
        for (id, expr) in grammar.arena().iter() {
            for start in 0..=text.len() {
                let ends = step(grammar, &table, text, expr, start);
                changed |= ends & !table[id.index()][start] != 0;
                table[id.index()][start] |= ends;
            }
        }
        if !changed {
            break;
        }
    }
    let root = grammar.rule(grammar.root()).body;
    table[root.index()][0] >> text.len() & 1 != 0
}

fn step(grammar: &Grammar, table: &[Vec<Ends>], text: &[u8], expr: Expr, start: usize) -> Ends {
    let arena = grammar.arena();
    let from = |ends: Ends, id: ExprId| -> Ends {
        (0..=text.len()).filter(|p| ends >> p & 1 != 0).fold(0, |all, p| all | table[id.index()][p])
    };
    match expr {
        Expr::Never => 0,
        Expr::Empty => 1 << start,
        Expr::Bytes(set) => match text.get(start) {
            Some(&byte) if grammar.arena().byte_set(set).contains(byte) => 1 << (start + 1),
            _ => 0,
        },
        Expr::Chars(set) => {
            let rest = &text[start..];
            (1..=rest.len().min(4))
                .find_map(|n| std::str::from_utf8(&rest[..n]).ok()?.chars().next())
                .filter(|&c| arena.char_set(set).contains(c))
                .map_or(0, |c| 1 << (start + c.len_utf8()))
        }
        Expr::Literal(literal) => {
            let bytes = arena.literal_bytes(literal);
            if text[start..].starts_with(bytes) { 1 << (start + bytes.len()) } else { 0 }
        }
        Expr::Concat(list) => arena.list(list).iter().fold(1 << start, |ends, &part| from(ends, part)),
        Expr::Alt(list) => arena.list(list).iter().fold(0, |ends, part| ends | table[part.index()][start]),
        Expr::Repeat { expr, min, max } => {
            let (mut at, mut all) = (1 << start, 0);
            for count in 0..=max.unwrap_or(u32::MAX) {
                if count >= min {
                    all |= at;
                }
                let next = from(at, expr);
                // Once a round changes nothing, no later one does.
                if next == at || next == 0 || (count >= min && next & !all == 0) {
                    return if next == at { all | at } else { all };
                }
                at = next;
            }
            all
        }
        Expr::Rule(rule) => table[grammar.rule(rule).body.index()][start],
        other => panic!("{other:?} is not made by these front ends"),
    }
}

/// Asserts what a grammar matches and what it does not.
#[track_caller]
pub fn check(grammar: &Grammar, accept: &[&str], reject: &[&str]) {
    tokenstile_harness::cases::check(grammar, |text| matches(grammar, text), accept, reject);
}
