//! A list of strings to choose from.
//!
//! The strings become a trie whose edges are literals: at each branch the alternatives start with different
//! bytes, so a choice of a hundred thousand strings is as quick to follow as a choice of ten. The trie
//! branches at bytes, which may be in the middle of a character.

use crate::error::{Error, ErrorKind};
use crate::ids::ExprId;
use crate::ir::{Arena, Grammar, GrammarBuilder};
use crate::limits::Limits;

impl Grammar {
    /// Just one of `options`. They may be prefixes of each other, and may be listed more than once.
    ///
    /// ```
    /// use tokenstile_grammar::{Grammar, Limits};
    /// let grammar = Grammar::choice(&["yes", "no", "not yet"], &Limits::default())?;
    /// assert_eq!(grammar.to_string(), "root ::= ((\"no\" \"t yet\"?) | \"yes\")\n");
    /// # Ok::<(), tokenstile_grammar::Error>(())
    /// ```
    pub fn choice<S: AsRef<str>>(options: &[S], limits: &Limits) -> Result<Grammar, Error> {
        if options.is_empty() {
            return Err(Error::new(
                ErrorKind::Unsatisfiable,
                "expected at least one option, found an empty list",
            ));
        }
        let size = options.iter().fold(0usize, |sum, o| sum.saturating_add(o.as_ref().len()));
        if size > limits.source_bytes {
            return Err(Error::limit("source_bytes", limits.source_bytes));
        }
        let options: Vec<&[u8]> = options.iter().map(|o| o.as_ref().as_bytes()).collect();
        let mut grammar = GrammarBuilder::new(limits);
        let root = grammar.declare("root", None)?;
        let body = trie_of_literals(&mut grammar.arena, &options);
        grammar.define(root, body);
        grammar.build(root)
    }
}

/// A node of the trie on the path to the current string.
struct Node {
    /// How many bytes lead to it.
    depth: usize,
    /// Where its finished edges start.
    edges: usize,
    /// Whether a string ends here.
    ends: bool,
}

/// One of `strings`, as a trie of literals: the edges of a node start with different characters. No strings at
/// all give `Never`.
pub fn trie_of_literals(arena: &mut Arena, strings: &[&[u8]]) -> ExprId {
    let mut strings = strings.to_vec();
    strings.sort_unstable();
    strings.dedup();
    // Nodes are finished bottom-up while walking the sorted strings: all that the next string does not share.
    let mut path = Vec::with_capacity(8);
    path.push(Node { depth: 0, edges: 0, ends: false });
    let mut edges: Vec<ExprId> = Vec::with_capacity(strings.len() + 1);
    let mut previous: &[u8] = &[];
    for string in strings {
        let mut shared = previous.iter().zip(string).take_while(|(a, b)| a == b).count();
        while shared > 0 && string.get(shared).is_some_and(|byte| byte & 0xC0 == 0x80) {
            shared -= 1; // inside a character
        }
        close(arena, &mut path, &mut edges, previous, shared);
        match path.last_mut() {
            Some(node) if node.depth == string.len() => node.ends = true,
            _ => path.push(Node { depth: string.len(), edges: edges.len(), ends: true }),
        }
        previous = string;
    }
    close(arena, &mut path, &mut edges, previous, 0);
    match path.pop() {
        Some(root) => branch(arena, &root, &mut edges),
        None => arena.never(),
    }
}

/// Finishes the nodes below `depth` on the path to `string`, so that the path ends with a node at `depth`.
fn close(arena: &mut Arena, path: &mut Vec<Node>, edges: &mut Vec<ExprId>, string: &[u8], depth: usize) {
    while let Some(node) = path.pop_if(|node| node.depth > depth) {
        let rest = branch(arena, &node, edges);
        let above = path.last().map_or(0, |parent| parent.depth).max(depth);
        let label = arena.literal(&string[above..node.depth]);
        let edge = if rest == arena.empty() { label } else { arena.concat(&[label, rest]) };
        if path.last().is_none_or(|parent| parent.depth < above) {
            path.push(Node { depth: above, edges: edges.len(), ends: false });
        }
        edges.push(edge);
    }
}

/// The choice between the edges of a finished node.
fn branch(arena: &mut Arena, node: &Node, edges: &mut Vec<ExprId>) -> ExprId {
    if node.ends {
        edges.push(arena.empty());
    }
    let choice = match edges[node.edges..] {
        [only] => only,
        ref several => arena.alt(several),
    };
    edges.truncate(node.edges);
    choice
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::{Duration, Instant};

    fn shown(options: &[&str]) -> String {
        let text = Grammar::choice(options, &Limits::default()).unwrap().to_string();
        text.trim_end().trim_start_matches("root ::= ").to_string()
    }

    #[test]
    fn shared_prefixes_are_written_once() {
        assert_eq!(shown(&["a"]), r#""a""#);
        assert_eq!(shown(&[""]), r#""""#);
        assert_eq!(shown(&["", "a"]), r#""a"?"#);
        assert_eq!(shown(&["ab", "ab", "ab"]), r#""ab""#);
        assert_eq!(shown(&["abc", "ab", "abcd"]), r#"("ab" ("c" "d"?)?)"#);
        assert_eq!(shown(&["abx", "aby", "ac"]), r#"("a" (("b" [x-y]) | "c"))"#);
    }

    #[test]
    fn characters_are_not_split() {
        assert_eq!(shown(&["aé", "aè"]), r#"("a" [\u{E8}-\u{E9}])"#);
        assert_eq!(shown(&["aéx", "aèx"]), r#"("a" ("\xc3\xa8x" | "\xc3\xa9x"))"#);
    }

    #[test]
    fn bad_lists_are_refused() {
        let none: [&str; 0] = [];
        assert_eq!(Grammar::choice(&none, &Limits::default()).unwrap_err().kind(), ErrorKind::Unsatisfiable);
        let limits = Limits { source_bytes: 3, ..Limits::default() };
        let error = Grammar::choice(&["ab", "cd"], &limits).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Limit { name: "source_bytes" });
        let limits = Limits { exprs: 16, ..Limits::default() };
        let many: Vec<String> = (0..100).map(|i| format!("{i}{i}")).collect();
        assert_eq!(Grammar::choice(&many, &limits).unwrap_err().kind(), ErrorKind::Limit { name: "exprs" });
    }

    #[test]
    fn many_and_deep_lists_are_quick() {
        let many: Vec<String> =
            (0..100_000u32).map(|i| format!("option {}", i.wrapping_mul(2_654_435_761))).collect();
        let deep: Vec<String> = (0..4_000).map(|i| "a".repeat(i)).collect();
        for options in [many, deep] {
            let started = Instant::now();
            let grammar = Grammar::choice(&options, &Limits::default()).unwrap();
            assert!(started.elapsed() < Duration::from_secs(2), "{:?}", started.elapsed());
            for (id, expr) in grammar.arena().iter() {
                if let crate::ir::Expr::Alt(list) = expr {
                    assert!(grammar.arena().list(list).len() <= 256, "{id:?}");
                }
            }
        }
    }
}
