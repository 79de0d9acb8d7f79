//! Drops part of an arena.

use std::sync::Arc;

use super::{Arena, Expr, List};
use crate::ids::{ExprId, MembersId, RuleId};

impl Arena {
    /// Drops all expressions but the first `kept` and the marked ones, and gives rules other ids; all children of what
    /// is marked must be marked too, and the first ones call rules that keep their ids. Answers the new id of each.
    ///
    /// The order stays as it was, and so do the bytes of literals and the character sets, used or not. This costs as
    /// much as what comes after the first ones.
    pub(crate) fn retain(&mut self, kept: usize, marked: &[bool], rules: &[Option<RuleId>]) -> Vec<ExprId> {
        let kept = kept.max(Self::STANDING).min(self.exprs.len());
        let mut map: Vec<ExprId> = Vec::with_capacity(self.exprs.len());
        map.extend((0..kept).map(|at| ExprId::new(at).unwrap_or(self.never())));
        map.resize(self.exprs.len(), self.never());
        let mut members = match kept == self.exprs.shared_len() {
            true => self.member_parts.shared_len(),
            false => self.exprs.iter().take(kept).filter(|e| matches!(e, Expr::Members(_))).count(),
        };
        let mut next = kept;
        for old in (kept..self.exprs.len()).filter(|&old| marked[old]) {
            let expr = self.moved(self.exprs.get(old), &mut members, rules, &map);
            self.exprs.set(next, expr);
            self.regular.set(next, self.regular.get(old));
            map[old] = ExprId::new(next).unwrap_or(map[old]);
            next += 1;
        }
        self.exprs.truncate(next);
        self.regular.truncate(next);
        self.members.truncate(members);
        self.member_parts.truncate(members);
        self.index.clear();
        self.indexed = self.exprs.shared_len();
        if self.indexed == 0 {
            self.shared = Arc::default();
        }
        map
    }

    /// An expression as it stands after the move. Its list is changed in place: no two expressions share one.
    fn moved(&mut self, expr: Expr, members: &mut usize, rules: &[Option<RuleId>], map: &[ExprId]) -> Expr {
        let at = |id: ExprId| map[id.index()];
        match expr {
            Expr::Concat(list) | Expr::Alt(list) | Expr::And(list) => self.map_list(list, map),
            Expr::Repeat { expr, min, max } => return Expr::Repeat { expr: at(expr), min, max },
            Expr::Not(expr) => return Expr::Not(at(expr)),
            Expr::Region(expr) => return Expr::Region(at(expr)),
            Expr::Look { expr, behind, negated } => return Expr::Look { expr: at(expr), behind, negated },
            Expr::Rule(rule) => {
                return rules.get(rule.index()).copied().flatten().map_or(Expr::Never, Expr::Rule);
            }
            Expr::Members(old) => {
                let parts = self.member_parts.get(old.index());
                self.map_list(parts, map);
                let children = self.lists.slice(parts.start as usize, parts.len as usize);
                self.members.swap(old.index(), *members);
                if !self.members.get(*members).has_children(children) {
                    self.members.get_mut(*members).set_children(children);
                }
                self.member_parts.set(*members, parts);
                *members += 1;
                return MembersId::new(*members - 1).map_or(Expr::Never, Expr::Members);
            }
            _ => {}
        }
        expr
    }

    fn map_list(&mut self, list: List, map: &[ExprId]) {
        let children = self.lists.slice_mut(list.start as usize, list.len as usize);
        children.iter_mut().for_each(|child| *child = map[child.index()]);
    }
}
