//! A copy of part of an arena.

use super::{Arena, Expr, List, Literal, Row};
use crate::ids::{ByteSetId, CharSetId, ExprId, MachineId, MembersId, RuleId, TokenSetId};

impl Arena {
    /// Some expressions in an arena of their own, with other rule ids; they come in ascending order, with all children of
    /// theirs. Also answers the new id of each.
    ///
    /// Nothing is normalised again, and the order stays as it was, so this costs little more than the copy.
    pub(crate) fn compact(&self, ids: &[ExprId], rules: &[Option<RuleId>]) -> (Arena, Vec<ExprId>) {
        let mut copy = Arena {
            exprs: Row::default().to_grow(Self::STANDING + ids.len()),
            overflowed: self.overflowed,
            ..Arena::bare(self.capacity)
        };
        let mut map = vec![self.never(); self.exprs.len()];
        let standing = (0..Self::STANDING).filter_map(ExprId::new);
        let others = ids.iter().copied().filter(|id| id.index() >= Self::STANDING);
        for id in standing.chain(others) {
            let expr = self.copied(self.get(id), &mut copy, rules, &map);
            map[id.index()] = ExprId::new(copy.exprs.len()).unwrap_or(id);
            copy.exprs.push(expr);
            copy.regular.push(self.regular.get(id.index()));
        }
        (copy, map)
    }

    /// An expression as it stands in the copy.
    fn copied(&self, expr: Expr, copy: &mut Arena, rules: &[Option<RuleId>], map: &[ExprId]) -> Expr {
        let at = |id: ExprId| map[id.index()];
        let mut list = |l: List| {
            let start = copy.lists.len() as u32;
            copy.lists.extend(self.list(l).iter().map(|&child| at(child)));
            List { start, len: l.len }
        };
        match expr {
            Expr::Never | Expr::Empty => expr,
            Expr::Concat(l) => Expr::Concat(list(l)),
            Expr::Alt(l) => Expr::Alt(list(l)),
            Expr::And(l) => Expr::And(list(l)),
            Expr::Repeat { expr, min, max } => Expr::Repeat { expr: at(expr), min, max },
            Expr::Not(expr) => Expr::Not(at(expr)),
            Expr::Region(expr) => Expr::Region(at(expr)),
            Expr::Look { expr, behind, negated } => Expr::Look { expr: at(expr), behind, negated },
            Expr::Literal(literal) => {
                let start = copy.bytes.len() as u32;
                copy.bytes.extend_from_slice(self.literal_bytes(literal));
                Expr::Literal(Literal { start, len: literal.len })
            }
            Expr::Rule(rule) => rules.get(rule.index()).copied().flatten().map_or(Expr::Never, Expr::Rule),
            Expr::Bytes(set) => {
                let number = copy.byte_sets.share(&self.byte_sets, set.index());
                ByteSetId::new(number).map_or(Expr::Never, Expr::Bytes)
            }
            Expr::Chars(set) => {
                let number = copy.char_sets.share(&self.char_sets, set.index());
                CharSetId::new(number).map_or(Expr::Never, Expr::Chars)
            }
            Expr::Machine(machine) => {
                let number = copy.machines.share(&self.machines, machine.index());
                MachineId::new(number).map_or(Expr::Never, Expr::Machine)
            }
            Expr::Tokens(set) => {
                let number = copy.token_sets.share(&self.token_sets, set.index());
                TokenSetId::new(number).map_or(Expr::Never, Expr::Tokens)
            }
            Expr::Members(members) => {
                let parts = list(self.member_parts.get(members.index()));
                let members = self.members_of(members).with_children(copy.list(parts));
                let number = copy.members.add(members);
                copy.member_parts.push(parts);
                MembersId::new(number).map_or(Expr::Never, Expr::Members)
            }
        }
    }
}
