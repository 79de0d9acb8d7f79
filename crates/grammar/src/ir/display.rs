//! A readable form of a grammar, for people who debug one.

use std::fmt;

use super::{Expr, Grammar, Members, Slot};
use crate::ids::ExprId;
use crate::tuning::ir::SHOWN_DEPTH;

impl fmt::Display for Grammar {
    /// Writes the rules in a notation close to GBNF, the root first. Deep expressions are cut off with `…`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let root = self.root().index();
        let order = std::iter::once(root).chain((0..self.rules().len()).filter(|&i| i != root));
        for rule in order.map(|i| &self.rules()[i]) {
            write!(f, "{} ::= ", rule.name)?;
            self.write_expr(f, rule.body, 0)?;
            writeln!(f)?;
        }
        Ok(())
    }
}

impl Grammar {
    fn write_expr(&self, f: &mut fmt::Formatter<'_>, id: ExprId, depth: usize) -> fmt::Result {
        if depth > SHOWN_DEPTH {
            return f.write_str("…");
        }
        match self.arena().get(id) {
            Expr::Never => f.write_str("<never>"),
            Expr::Empty => f.write_str("\"\""),
            Expr::Bytes(set) => write!(f, "<bytes {:?}>", self.arena().byte_set(set)),
            Expr::Chars(set) => write!(f, "{:?}", self.arena().char_set(set)),
            Expr::Literal(l) => write!(f, "\"{}\"", self.arena().literal_bytes(l).escape_ascii()),
            Expr::Concat(l) => self.write_list(f, self.arena().list(l), " ", depth),
            Expr::Alt(l) => self.write_list(f, self.arena().list(l), " | ", depth),
            Expr::And(l) => self.write_list(f, self.arena().list(l), " & ", depth),
            Expr::Repeat { expr, min, max } => {
                self.write_expr(f, expr, depth + 1)?;
                match (min, max) {
                    (0, None) => f.write_str("*"),
                    (1, None) => f.write_str("+"),
                    (0, Some(1)) => f.write_str("?"),
                    (min, None) => write!(f, "{{{min},}}"),
                    (min, Some(max)) => write!(f, "{{{min},{max}}}"),
                }
            }
            Expr::Rule(rule) => f.write_str(&self.rule(rule).name),
            Expr::Not(expr) => {
                f.write_str("~")?;
                self.write_expr(f, expr, depth + 1)
            }
            Expr::Look { expr, behind, negated } => {
                write!(f, "(?{}{} ", if behind { "<" } else { "" }, if negated { "!" } else { "=" })?;
                self.write_expr(f, expr, depth + 1)?;
                f.write_str(")")
            }
            Expr::Machine(machine) => write!(f, "<{}>", self.arena().machine_of(machine).0.name()),
            Expr::Tokens(set) => write!(f, "{}", self.arena().token_set(set)),
            Expr::Members(members) => self.write_members(f, self.arena().members_of(members), depth),
            Expr::Region(expr) => {
                f.write_str("<")?;
                self.write_expr(f, expr, depth + 1)?;
                f.write_str(">")
            }
        }
    }

    /// As `<members separator: 0 entry, 1 entry; 0+1{1,2} if #0 0>=1>`, with `@from..to` after an entry with a window.
    fn write_members(&self, f: &mut fmt::Formatter<'_>, members: &Members, depth: usize) -> fmt::Result {
        f.write_str(if members.in_order { "<members in order " } else { "<members " })?;
        self.write_expr(f, members.separator, depth + 1)?;
        for (number, slot) in members.slots.iter().enumerate() {
            write!(f, "{} {number} ", if number == 0 { ":" } else { "," })?;
            self.write_expr(f, slot.entry, depth + 1)?;
            match *slot {
                Slot { from: 0, to: u32::MAX, .. } => {}
                Slot { from, to: u32::MAX, .. } => write!(f, "@{from}..")?,
                Slot { from, to, .. } => write!(f, "@{from}..{to}")?,
            }
        }
        for (number, count) in members.counts.iter().enumerate() {
            let slots: Vec<String> = count.slots.iter().map(u32::to_string).collect();
            write!(f, "{} {}{{{},", if number == 0 { ";" } else { "" }, slots.join("+"), count.min)?;
            count.max.map_or(Ok(()), |max| write!(f, "{max}"))?;
            f.write_str("}")?;
        }
        if let Some(condition) = &members.condition {
            write!(f, " if {condition}")?;
        }
        f.write_str(">")
    }

    fn write_list(
        &self,
        f: &mut fmt::Formatter<'_>,
        list: &[ExprId],
        between: &str,
        depth: usize,
    ) -> fmt::Result {
        f.write_str("(")?;
        for (i, &part) in list.iter().enumerate() {
            if i > 0 {
                f.write_str(between)?;
            }
            self.write_expr(f, part, depth + 1)?;
        }
        f.write_str(")")
    }
}
