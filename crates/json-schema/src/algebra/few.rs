//! Patterns that have a few texts only, such as `^(a|b)$`: they are as good as a list, and a list is better.

use std::collections::BTreeSet;
use std::rc::Rc;

use tokenstile_grammar::ExprId;
use tokenstile_grammar::ir::{Arena, Expr};

use super::strings::Strings;
use crate::tuning::algebra::{FEW_DEPTH, FEW_LENGTH, FEW_TEXTS};

/// The strings of an expression over characters.
pub(super) fn strings_of(arena: &Arena, expr: ExprId) -> Strings {
    // Most patterns have too many texts, and that is mostly seen before any is written down.
    let may_be_few = arena.all_below(expr, |expr| is_plain(arena, expr));
    match may_be_few.then(|| texts(arena, expr, 0)).flatten() {
        Some(texts) => Strings::Only(texts.into_iter().map(Rc::from).collect()),
        None => Strings::Expr(expr),
    }
}

/// Whether an expression has few texts if its parts have: [`texts`] looks into no other.
fn is_plain(arena: &Arena, expr: Expr) -> bool {
    match expr {
        Expr::Never | Expr::Empty | Expr::Literal(_) | Expr::Concat(_) | Expr::Alt(_) | Expr::Region(_) => {
            true
        }
        Expr::Chars(set) => arena.char_set(set).len() <= FEW_TEXTS,
        Expr::Repeat { max, .. } => max.is_some_and(|max| max as usize <= FEW_TEXTS),
        _ => false,
    }
}

/// The texts of an expression, if they are plain to see and few.
fn texts(arena: &Arena, id: ExprId, depth: usize) -> Option<BTreeSet<String>> {
    if depth > FEW_DEPTH {
        return None;
    }
    match arena.get(id) {
        Expr::Never => Some(BTreeSet::new()),
        Expr::Empty => Some(BTreeSet::from([String::new()])),
        Expr::Literal(literal) => {
            let text = std::str::from_utf8(arena.literal_bytes(literal)).ok()?;
            checked(BTreeSet::from([text.to_owned()]))
        }
        Expr::Chars(set) => {
            let ranges = arena.char_set(set).ranges();
            let chars =
                ranges.iter().flat_map(|&(a, b)| a..=b).take(FEW_TEXTS + 1).filter_map(char::from_u32);
            checked(chars.map(String::from).collect())
        }
        Expr::Concat(list) => {
            let mut all = BTreeSet::from([String::new()]);
            for &part in arena.list(list) {
                all = product(&all, &texts(arena, part, depth + 1)?)?;
            }
            Some(all)
        }
        Expr::Alt(list) => {
            let mut all = BTreeSet::new();
            for &part in arena.list(list) {
                all.append(&mut texts(arena, part, depth + 1)?);
                all = checked(all)?;
            }
            Some(all)
        }
        Expr::Repeat { expr, min, max: Some(max) } if max as usize <= FEW_TEXTS => {
            let one = texts(arena, expr, depth + 1)?;
            let (mut all, mut rounds) = (BTreeSet::new(), BTreeSet::from([String::new()]));
            for round in 0..=max {
                if round >= min {
                    all.extend(rounds.iter().cloned());
                    all = checked(all)?;
                }
                rounds = if round < max { product(&rounds, &one)? } else { rounds };
            }
            Some(all)
        }
        Expr::Region(inner) => texts(arena, inner, depth + 1),
        _ => None,
    }
}

fn product(a: &BTreeSet<String>, b: &BTreeSet<String>) -> Option<BTreeSet<String>> {
    if a.len() * b.len() > FEW_TEXTS {
        return None;
    }
    checked(a.iter().flat_map(|a| b.iter().map(move |b| format!("{a}{b}"))).collect())
}

fn checked(texts: BTreeSet<String>) -> Option<BTreeSet<String>> {
    let few = texts.len() <= FEW_TEXTS && texts.iter().map(String::len).sum::<usize>() <= FEW_LENGTH;
    few.then_some(texts)
}

#[cfg(test)]
mod tests {
    use tokenstile_grammar::{Limits, RegexDialect, RegexOptions, RegexSemantics, regex_expr};

    use super::*;

    #[test]
    fn a_few_texts_are_a_list() {
        let options =
            RegexOptions::default().with_dialect(RegexDialect::Ecma).with_semantics(RegexSemantics::Search);
        let cases: [(&str, Option<&[&str]>); 8] = [
            ("^(a|bc)$", Some(&["a", "bc"])),
            ("^v[1-3]?$", Some(&["v", "v1", "v2", "v3"])),
            ("^x{1,2}(?:y|)$", Some(&["x", "xx", "xxy", "xy"])),
            ("^$", Some(&[""])),
            ("^(a|bc)", None),
            ("^[0-9]{2}$", None),
            ("^a+$", None),
            ("^(?!a)[ab]$", None),
        ];
        for (pattern, expected) in cases {
            let mut arena = Arena::new(1 << 16);
            let expr = regex_expr(pattern, &options, &mut arena, &Limits::default()).unwrap();
            let found = match strings_of(&arena, expr) {
                Strings::Only(texts) => Some(texts.iter().map(|text| text.to_string()).collect::<Vec<_>>()),
                _ => None,
            };
            let expected = expected.map(|texts| texts.iter().map(|text| text.to_string()).collect());
            assert_eq!(found, expected, "{pattern}");
        }
    }
}
