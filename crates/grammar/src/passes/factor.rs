//! Factors common beginnings out of choices: `"if" | "in" x | r y | r z` becomes `"i" ("f" | "n" x) | r (y | z)`.
//!
//! A choice of many literals becomes a trie. Literals may be split at any byte, even inside a character:
//! only the byte strings matter. The work is linear in the length of the alternatives.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::rewrite::rewrite;
use crate::error::Error;
use crate::ids::ExprId;
use crate::ir::{Arena, ByteSet, Expr, Grammar, Survey};
use crate::limits::Budget;

/// Writes common beginnings of alternatives once, in the same language; answers whether there may be any.
pub(super) fn factor(grammar: &mut Grammar, survey: &Survey, budget: &mut Budget<'_>) -> Result<bool, Error> {
    let arena = grammar.arena();
    if !survey
        .order
        .iter()
        .any(|&id| matches!(arena.get(id), Expr::Alt(list) if begin_alike(arena, arena.list(list))))
    {
        return Ok(false);
    }
    rewrite(grammar, survey, budget, |arena, _, rebuilt| {
        Ok(match arena.get(rebuilt) {
            Expr::Alt(list) if begin_alike(arena, arena.list(list)) => {
                let items = arena.list(list).iter().map(|&expr| Item { expr, part: 0, byte: 0 }).collect();
                factor_choice(arena, items).unwrap_or(rebuilt)
            }
            _ => rebuilt,
        })
    })
}

/// Whether two alternatives may begin alike.
fn begin_alike(arena: &Arena, list: &[ExprId]) -> bool {
    let mut bytes = ByteSet::EMPTY;
    let mut others: SmallVec<[ExprId; 16]> = SmallVec::new();
    for &expr in list {
        match head(arena, Item { expr, part: 0, byte: 0 }) {
            Head::Byte(byte) if bytes.contains(byte) => return true,
            Head::Byte(byte) => bytes.insert(byte),
            Head::Part(part) if others.len() == 16 || others.contains(&part) => return true,
            Head::Part(part) => others.push(part),
            Head::End => return true,
        }
    }
    false
}

/// What is left of an alternative: the parts of `expr` from `part` on, less some bytes of the first literal.
#[derive(Clone, Copy)]
struct Item {
    expr: ExprId,
    part: usize,
    byte: usize,
}

/// What an item starts with.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Head {
    End,
    Byte(u8),
    Part(ExprId),
}

/// A choice under construction: its common beginning, the groups still to do, the alternatives done.
struct Frame {
    prefix: ExprId,
    groups: Vec<Vec<Item>>,
    done: Vec<ExprId>,
}

/// The choice of `items`, factored; `None` if no two begin alike.
fn factor_choice(arena: &mut Arena, items: Vec<Item>) -> Option<ExprId> {
    let groups = group(arena, items);
    if groups.iter().all(|g| g.len() == 1) {
        return None;
    }
    let mut frames = vec![Frame { prefix: arena.empty(), groups, done: Vec::new() }];
    loop {
        let frame = frames.last_mut()?;
        if let Some(mut group) = frame.groups.pop() {
            let first = group[0];
            if group.len() == 1 || head(arena, first) == Head::End {
                frame.done.push(rest(arena, first));
                continue;
            }
            let shared = group[1..].iter().fold(usize::MAX, |most, &item| common(arena, first, item, most));
            let prefix = beginning(arena, first, shared);
            group.iter_mut().for_each(|item| *item = advance(arena, *item, shared).0);
            let groups = self::group(arena, group);
            frames.push(Frame { prefix, groups, done: Vec::new() });
        } else {
            let Frame { prefix, done, .. } = frames.pop()?;
            let choice = arena.alt(&done);
            let whole = arena.concat(&[prefix, choice]);
            match frames.last_mut() {
                Some(parent) => parent.done.push(whole),
                None => return Some(whole),
            }
        }
    }
}

/// The parts of a sequence; any other expression is its own only part.
fn parts<'a>(arena: &'a Arena, expr: &'a ExprId) -> &'a [ExprId] {
    match arena.get(*expr) {
        Expr::Concat(list) => arena.list(list),
        Expr::Empty => &[],
        _ => std::slice::from_ref(expr),
    }
}

/// The bytes at which an item stands, if it stands in a literal.
fn bytes(arena: &Arena, item: Item) -> Option<&[u8]> {
    match arena.get(*parts(arena, &item.expr).get(item.part)?) {
        Expr::Literal(literal) => Some(&arena.literal_bytes(literal)[item.byte..]),
        _ => None,
    }
}

fn head(arena: &Arena, item: Item) -> Head {
    match (bytes(arena, item), parts(arena, &item.expr).get(item.part)) {
        (Some(bytes), _) => Head::Byte(bytes[0]),
        (None, Some(&part)) => Head::Part(part),
        (None, None) => Head::End,
    }
}

/// Groups items by what they start with. A choice at the very end of an item counts as so many items.
fn group(arena: &Arena, items: Vec<Item>) -> Vec<Vec<Item>> {
    let mut groups: Vec<Vec<Item>> = Vec::new();
    let mut index: FxHashMap<Head, usize> = FxHashMap::default();
    let mut todo = items;
    todo.reverse();
    while let Some(item) = todo.pop() {
        let whole = |expr: ExprId| Item { expr, part: 0, byte: 0 };
        let last =
            parts(arena, &item.expr).get(item.part..).filter(|p| p.len() == 1).map(|p| arena.get(p[0]));
        match last {
            Some(Expr::Alt(list)) => todo.extend(arena.list(list).iter().rev().map(|&e| whole(e))),
            Some(Expr::Repeat { expr, min: 0, max: Some(1) }) => {
                todo.extend([whole(expr), whole(arena.empty())]);
            }
            _ => {
                let at = *index.entry(head(arena, item)).or_insert(groups.len());
                if at == groups.len() {
                    groups.push(Vec::new());
                }
                groups[at].push(item);
            }
        }
    }
    groups
}

/// How far two items are the same, at most `most`, counting a byte and a part that is no literal as one.
fn common(arena: &Arena, mut a: Item, mut b: Item, most: usize) -> usize {
    let mut steps = 0;
    while steps < most {
        let same = match (bytes(arena, a), bytes(arena, b)) {
            (Some(x), Some(y)) => x.iter().zip(y).take_while(|(x, y)| x == y).count().min(most - steps),
            _ => (head(arena, a) != Head::End && head(arena, a) == head(arena, b)) as usize,
        };
        if same == 0 {
            break;
        }
        steps += same;
        (a, b) = (advance(arena, a, same).0, advance(arena, b, same).0);
    }
    steps
}

/// The item after so many steps, and the parts that were passed whole or in part.
fn advance(arena: &Arena, mut item: Item, mut steps: usize) -> (Item, std::ops::Range<usize>) {
    let start = item.part;
    while steps > 0 {
        match bytes(arena, item).map(<[u8]>::len) {
            Some(len) if steps < len => {
                item.byte += steps;
                return (item, start..item.part + 1);
            }
            len => {
                steps -= len.unwrap_or(1);
                item = Item { part: item.part + 1, byte: 0, ..item };
            }
        }
    }
    (item, start..item.part)
}

/// The first `steps` steps of an item.
fn beginning(arena: &mut Arena, item: Item, steps: usize) -> ExprId {
    let (end, range) = advance(arena, item, steps);
    let mut passed: Vec<ExprId> = parts(arena, &item.expr)[range.clone()].to_vec();
    // The last first: if first and last are one literal, both ends are cut from it.
    for cut in [range.end.wrapping_sub(1), range.start] {
        if let Some(at) = cut.checked_sub(range.start).filter(|&at| at < passed.len())
            && let Expr::Literal(literal) = arena.get(parts(arena, &item.expr)[cut])
        {
            let whole = arena.literal_bytes(literal);
            let from = if cut == item.part { item.byte } else { 0 };
            let to = if cut == end.part { end.byte } else { whole.len() };
            let piece = whole[from..to].to_vec();
            passed[at] = arena.literal(&piece);
        }
    }
    arena.concat(&passed)
}

/// All that is left of an item.
fn rest(arena: &mut Arena, item: Item) -> ExprId {
    if item.part == 0 && item.byte == 0 {
        return item.expr;
    }
    let first = bytes(arena, item).filter(|_| item.byte > 0).map(<[u8]>::to_vec);
    let mut left: Vec<ExprId> = parts(arena, &item.expr)[item.part..].to_vec();
    if let Some(first) = first {
        left[0] = arena.literal(&first);
    }
    arena.concat(&left)
}
