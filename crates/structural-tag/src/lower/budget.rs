//! Free text of so many characters.

use tokenstile_grammar::ir::CharSet;
use tokenstile_grammar::{Error, Grammar, GrammarBuilder, Limits};

/// At most so many characters, in which none of some texts are.
pub(super) fn any_chars(most: u32, excludes: &[&String], limits: &Limits) -> Result<Grammar, Error> {
    let mut builder = GrammarBuilder::new(limits);
    let root = builder.declare("root", None)?;
    let arena = &mut builder.arena;
    let any = arena.chars(&CharSet::all());
    let mut parts = vec![arena.repeat(any, 0, Some(most))];
    let text = arena.star(any);
    for excluded in excludes {
        let excluded = arena.literal(excluded.as_bytes());
        let with = arena.concat(&[text, excluded, text]);
        parts.push(arena.not(with));
    }
    let body = arena.and(&parts);
    builder.define(root, body);
    builder.build(root)
}
