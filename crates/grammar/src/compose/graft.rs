//! Takes a whole grammar into one that is being built.

use crate::error::Error;
use crate::ids::RuleId;
use crate::ir::{Grammar, GrammarBuilder};
use crate::passes::reachable;

/// Adds what the root of a grammar reaches, and answers the rule that its root has become. What it has of the base that the
/// builder begins with is there already, and so are rules by the names that are `known`.
pub(super) fn graft(
    builder: &mut GrammarBuilder,
    grammar: &Grammar,
    known: &[(&str, RuleId)],
) -> Result<RuleId, Error> {
    let begun = builder.arena.base().map(|base| base.id());
    let (kept, kept_rules) =
        match grammar.base().filter(|base| grammar.has_base() && begun == Some(base.id())) {
            Some(base) => (base.len(), base.rule_count()),
            None => (0, 0),
        };
    let marked = reachable(grammar);
    let mut rules: Vec<Option<RuleId>> = vec![None; grammar.rules().len()];
    for (number, rule) in grammar.rules().iter().enumerate() {
        rules[number] = if number < kept_rules {
            RuleId::new(number)
        } else if let Some((_, rule)) = known.iter().find(|(name, _)| *name == &*rule.name) {
            Some(*rule)
        } else if marked[rule.body.index()] {
            Some(builder.declare(rule.name.clone(), rule.place)?)
        } else {
            None
        };
    }
    let map = builder.arena.graft_all(grammar.arena(), (kept, &marked), &|rule| rules[rule.index()]);
    for (number, rule) in grammar.rules().iter().enumerate().skip(kept_rules) {
        if let Some(id) = rules[number].filter(|id| !known.iter().any(|(_, rule)| rule == id)) {
            builder.define(id, map[rule.body.index()]);
        }
    }
    grammar.warnings().iter().for_each(|warning| builder.warn(warning.clone()));
    Ok(rules[grammar.root().index()].unwrap_or_else(|| unreachable!("a grammar reaches its root")))
}
