//! Copies expressions from one arena to another.

use smallvec::SmallVec;

use super::{Arena, Expr};
use crate::ids::{ExprId, MachineId, RuleId};

impl Arena {
    /// Puts an expression of another arena here, with all below it, and answers its id. Rules are not copied: whatever
    /// needs one is `Never`.
    pub fn graft(&mut self, from: &Arena, root: ExprId) -> ExprId {
        let mut marked = vec![false; root.index() + 1];
        marked[root.index()] = true;
        // Children come before their parents.
        for id in (0..=root.index()).rev().filter_map(ExprId::new) {
            if marked[id.index()] {
                from.children(id).iter().for_each(|child| marked[child.index()] = true);
            }
        }
        let mut map = vec![self.never(); root.index() + 1];
        for id in (0..=root.index()).filter(|&id| marked[id]).filter_map(ExprId::new) {
            map[id.index()] = self.grafted(from, id, &map, &|_| None);
        }
        map[root.index()]
    }

    /// Puts the marked expressions of another arena here, with all that rules and members among them are, and answers where
    /// each is. The first `kept` are here already, in the same places; the children of what is marked are marked too.
    pub(crate) fn graft_all(
        &mut self,
        from: &Arena,
        (kept, marked): (usize, &[bool]),
        rules: &dyn Fn(RuleId) -> Option<RuleId>,
    ) -> Vec<ExprId> {
        let mut map = vec![self.never(); from.len()];
        for id in (0..from.len()).filter_map(ExprId::new) {
            if id.index() < kept.max(Self::STANDING) {
                map[id.index()] = id;
            } else if marked[id.index()] {
                map[id.index()] = self.grafted(from, id, &map, rules);
            }
        }
        map
    }

    /// The copy of one expression whose children have been copied. It is as normal as it was, but for the order of
    /// choices, which is that of the ids.
    fn grafted(
        &mut self,
        from: &Arena,
        id: ExprId,
        map: &[ExprId],
        rules: &dyn Fn(RuleId) -> Option<RuleId>,
    ) -> ExprId {
        let at = |id: ExprId| map[id.index()];
        match from.get(id) {
            Expr::Never => self.never(),
            Expr::Rule(rule) => match rules(rule) {
                Some(rule) => self.rule(rule),
                None => self.never(),
            },
            Expr::Members(members) => {
                let children: Vec<ExprId> = from.children(id).iter().map(|&child| at(child)).collect();
                self.members(from.members_of(members).with_children(&children))
            }
            Expr::Tokens(set) => self.tokens(from.token_set(set)),
            Expr::Empty => self.empty(),
            Expr::Literal(literal) => self.literal(from.literal_bytes(literal)),
            Expr::Chars(set) => self.char_class(from.char_set(set)),
            Expr::Machine(machine) => {
                match self.machines.put(from.machine_of(machine), 1, self.capacity).and_then(MachineId::new) {
                    Some(machine) => self.intern(Expr::Machine(machine), &[], &[]),
                    None => self.overflow(),
                }
            }
            expr @ (Expr::Concat(list) | Expr::Alt(list) | Expr::And(list)) => {
                let mut children: SmallVec<[ExprId; 16]> = from.list(list).iter().map(|&c| at(c)).collect();
                if !matches!(expr, Expr::Concat(_)) {
                    children.sort_unstable();
                }
                self.intern(expr, &children, &[])
            }
            Expr::Repeat { expr, min, max } => {
                self.intern(Expr::Repeat { expr: at(expr), min, max }, &[], &[])
            }
            Expr::Not(expr) => self.intern(Expr::Not(at(expr)), &[], &[]),
            Expr::Region(expr) => self.intern(Expr::Region(at(expr)), &[], &[]),
            Expr::Look { expr, behind, negated } => {
                self.intern(Expr::Look { expr: at(expr), behind, negated }, &[], &[])
            }
            Expr::Bytes(set) => self.byte(*from.byte_set(set)),
        }
    }
}
