//! "Completable" is a statement about tokens, not about bytes.
//!
//! Three cases, from common to rare:
//!
//! 1. Every byte is a token of its own. Then whatever bytes can complete, tokens can.
//! 2. Some bytes occur in no token at all. [`restrict`] takes them out of the grammar: what needs them is
//!    gone, and a constraint of which nothing is left is refused when it is compiled.
//! 3. Some bytes occur only inside longer tokens. Then a text may be completable by bytes and by no sequence of
//!    tokens. [`needs_proof`] tells whether the grammar can get into such a place at all; if so, every mask is
//!    checked token by token ([`proof`](super::proof)). Slow, and exact.

use tokenstile_grammar::ir::{Arena, ByteSet, Expr, List, Tracking};
use tokenstile_grammar::{Error, ExprId, Grammar, Limits, passes};

use super::machine;
use super::terminals::{MARKS, Terminals};
use crate::tokens::spellable::spellable_chars;
use crate::tokens::tables::Tables;
use crate::tokens::trie::{Trie, Utf8Place};
use crate::tracker::SPECIAL;

/// A grammar without the bytes that no token contains.
pub(crate) struct Restricted {
    pub(crate) grammar: Grammar,
    pub(crate) missing: Vec<u8>,
}

/// The bytes that stand for something other than themselves.
fn special(tracking: Tracking) -> ByteSet {
    if tracking.any() { ByteSet::range(*SPECIAL.start(), *SPECIAL.end()) } else { ByteSet::EMPTY }
}

/// The grammar without bytes that no token contains, and with bytes for its token terminals; `None` if it has neither.
pub(crate) fn restrict(
    grammar: &Grammar,
    terminals: Option<&Terminals>,
    trie: &Trie,
    limits: &Limits,
) -> Result<Option<Restricted>, Error> {
    let used = &trie.bytes_used.union(&special(grammar.tracking()));
    if terminals.is_some() {
        let used = used.minus(&MARKS);
        let grammar = rebuild(grammar, terminals, &used, limits)?;
        let missing = used.union(&MARKS).complement().iter().collect();
        return Ok(Some(Restricted { grammar, missing }));
    }
    if *used == ByteSet::ALL {
        return Ok(None);
    }
    let mut missing = ByteSet::EMPTY;
    for expr in reached(grammar) {
        match expr {
            Expr::Chars(set) => {
                let set = grammar.arena().char_set(set);
                if spellable_chars(set, used) != *set {
                    missing = missing.union(&used.complement());
                }
            }
            Expr::Bytes(set) => missing = missing.union(&grammar.arena().byte_set(set).minus(used)),
            Expr::Literal(l) => {
                let bytes: ByteSet = grammar.arena().literal_bytes(l).iter().copied().collect();
                missing = missing.union(&bytes.minus(used));
            }
            Expr::Not(_) => missing = missing.union(&used.complement()),
            Expr::Machine(id) => {
                missing = missing.union(&machine::missing(grammar.arena().machine_of(id), used));
            }
            _ => {}
        }
    }
    if missing.is_empty() {
        return Ok(None);
    }
    let grammar = rebuild(grammar, None, used, limits)?;
    Ok(Some(Restricted { grammar, missing: missing.iter().collect() }))
}

/// The expressions of which the grammar consists.
fn reached(grammar: &Grammar) -> impl Iterator<Item = Expr> {
    let reached = passes::reachable(grammar);
    grammar.arena().iter().filter(move |(id, _)| reached[id.index()]).map(|(_, expr)| expr)
}

fn rebuild(
    grammar: &Grammar,
    terminals: Option<&Terminals>,
    used: &ByteSet,
    limits: &Limits,
) -> Result<Grammar, Error> {
    let root = grammar.root();
    let old = grammar.arena();
    let mut builder = grammar.clone().into_builder(limits);
    let arena = &mut builder.arena;
    let any = arena.byte(*used);
    let universe = arena.star(any);
    let mut map: Vec<ExprId> = Vec::with_capacity(old.len());
    let reached = passes::reachable(grammar);
    for (id, expr) in old.iter() {
        if !reached[id.index()] {
            map.push(id);
            continue;
        }
        let of = |e: ExprId| map[e.index()];
        let children = old.children(id);
        if !children.is_empty() && !matches!(expr, Expr::Not(_)) && children.iter().all(|&e| of(e) == e) {
            map.push(id);
            continue;
        }
        let new = match expr {
            Expr::Never | Expr::Empty | Expr::Rule(_) => id,
            Expr::Bytes(set) => arena.byte(old.byte_set(set).intersect(used)),
            Expr::Chars(set) => arena.chars(&spellable_chars(old.char_set(set), used)),
            Expr::Literal(l) if old.literal_bytes(l).iter().all(|&b| used.contains(b)) => id,
            Expr::Literal(_) => arena.never(),
            Expr::Concat(l) => arena.concat(&old.list(l).iter().map(|&e| of(e)).collect::<Vec<_>>()),
            Expr::Alt(l) => arena.alt(&old.list(l).iter().map(|&e| of(e)).collect::<Vec<_>>()),
            Expr::And(l) => {
                let parts = within(old, l, &map, arena);
                arena.and(&parts)
            }
            Expr::Repeat { expr, min, max } => arena.repeat(of(expr), min, max),
            Expr::Not(e) => {
                let not = arena.not(of(e));
                arena.and(&[not, universe])
            }
            Expr::Look { expr, behind, negated } => arena.look(of(expr), behind, negated),
            Expr::Region(e) => arena.region(of(e)),
            Expr::Members(members) => {
                let children: Vec<ExprId> = old.children(id).iter().map(|&e| of(e)).collect();
                arena.members(old.members_of(members).with_children(&children))
            }
            Expr::Tokens(set) => terminals.map_or(arena.never(), |terminals| terminals.expr(set, arena)),
            Expr::Machine(machine) => match machine::restricted(old.machine_of(machine), used)? {
                Some(machine) => arena.machine(machine),
                None => arena.never(),
            },
        };
        map.push(new);
    }
    for (i, rule) in grammar.rules().iter().enumerate() {
        if !reached[rule.body.index()] {
            continue;
        }
        let Some(id) = tokenstile_grammar::RuleId::new(i) else { continue };
        builder.define(id, map[rule.body.index()]);
    }
    builder.build(root)
}

/// The parts of an intersection. Its complements need not be told which bytes there are as long as another part is.
fn within(old: &Arena, list: List, map: &[ExprId], arena: &mut Arena) -> Vec<ExprId> {
    let parts = old.list(list);
    let is_told = parts.iter().any(|&e| !matches!(old.get(e), Expr::Not(_)));
    let part = |&e: &ExprId| match old.get(e) {
        Expr::Not(inner) if is_told => arena.not(map[inner.index()]),
        _ => map[e.index()],
    };
    parts.iter().map(part).collect()
}

/// Whether the grammar can get to a place that bytes can complete and tokens perhaps cannot.
pub(crate) fn needs_proof(grammar: &Grammar, has_terminals: bool, tables: &Tables) -> bool {
    let trie = &tables.trie;
    let arena = grammar.arena();
    let special = special(grammar.tracking()).union(if has_terminals { &MARKS } else { &ByteSet::EMPTY });
    let single_bytes = trie.single_bytes.union(&special);
    let hard = trie.bytes_used.minus(&single_bytes);
    if hard.is_empty() {
        return false;
    }
    let hard = hard.intersect(&bytes_of(grammar));
    if hard.is_empty() {
        return false;
    }
    // Tokens that start or end inside a character leave places where only some bytes go on.
    let splits = trie
        .utf8
        .iter()
        .enumerate()
        .any(|(node, state)| *state != Utf8Place::BOUNDARY && !trie.own(node as u32).is_empty());
    if splits && hard.intersects(&ByteSet::PAST_ASCII) {
        return true;
    }
    let alone = |c: char| {
        let node = trie.find(c.encode_utf8(&mut [0; 4]).as_bytes());
        node.is_some_and(|n| !trie.own(n).is_empty())
    };
    reached(grammar).any(|expr| match expr {
        Expr::Bytes(set) => !arena.byte_set(set).intersects(&single_bytes),
        Expr::Chars(set) => {
            let set = arena.char_set(set);
            let mut chars =
                set.ranges().iter().flat_map(|&(a, b)| (a..=b).take(4_096)).filter_map(char::from_u32);
            !chars.any(alone)
        }
        Expr::Literal(l) => match std::str::from_utf8(arena.literal_bytes(l)) {
            Ok(text) => !text.chars().all(alone),
            Err(_) => arena.literal_bytes(l).iter().any(|&b| !single_bytes.contains(b)),
        },
        Expr::And(_) | Expr::Not(_) | Expr::Look { .. } => true,
        Expr::Machine(id) => arena.machine_of(id).0.alphabet().intersects(&hard),
        _ => false,
    })
}

/// The bytes that the expressions of a grammar use.
fn bytes_of(grammar: &Grammar) -> ByteSet {
    let arena = grammar.arena();
    let mut bytes = ByteSet::EMPTY;
    for expr in reached(grammar) {
        match expr {
            Expr::Bytes(set) => bytes = bytes.union(arena.byte_set(set)),
            Expr::Literal(l) => bytes = bytes.union(&arena.literal_bytes(l).iter().copied().collect()),
            Expr::Chars(set) => {
                let set = arena.char_set(set);
                bytes = bytes.union(&set.ascii());
                if !set.is_ascii() {
                    bytes = bytes.union(&ByteSet::PAST_ASCII);
                }
            }
            Expr::Not(_) => bytes = ByteSet::ALL,
            Expr::Machine(id) => bytes = bytes.union(&arena.machine_of(id).0.alphabet()),
            _ => {}
        }
    }
    bytes
}
