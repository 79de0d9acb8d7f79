//! The left corner of an expression: which calls of a cycle it can start with, and what follows each.

use rustc_hash::FxHashMap;

use super::nonempty::NonEmpty;
use crate::error::Error;
use crate::ids::{ExprId, RuleId};
use crate::ir::Expr;

/// The non-empty texts of an expression, as `base | head₁⁺ rest₁ | …`.
#[derive(Clone)]
pub(super) struct Corner {
    /// Non-empty, and starts with no call of the cycle.
    pub base: ExprId,
    /// Calls of the cycle, of which only non-empty texts are meant, and what follows each; sorted, each once.
    pub heads: Vec<(RuleId, ExprId)>,
}

/// The corners of all expressions through which the rules of a cycle call each other.
pub(super) struct Corners(FxHashMap<ExprId, Corner>);

impl Corners {
    /// Works them out for the expressions of a cycle, given children first.
    pub(super) fn of(cycle: &[ExprId], exprs: &mut NonEmpty<'_, '_, '_>) -> Result<Self, Error> {
        let mut corners = Corners(FxHashMap::default());
        for &id in cycle {
            let children = exprs.builder.arena.children(id).to_vec();
            let corner = match exprs.builder.arena.get(id) {
                Expr::Rule(rule) => Corner {
                    base: exprs.builder.arena.never(),
                    heads: vec![(rule, exprs.builder.arena.empty())],
                },
                Expr::Concat(_) => corners.sequence(&children, exprs)?,
                Expr::Repeat { expr, min, max } => {
                    let rest = exprs.builder.arena.repeat(
                        expr,
                        min.saturating_sub(1),
                        max.map(|max| max.saturating_sub(1)),
                    );
                    corners.get(expr, exprs)?.followed_by(rest, exprs)?
                }
                _ => {
                    let parts: Result<Vec<Corner>, Error> =
                        children.iter().map(|&c| corners.get(c, exprs)).collect();
                    Corner::any(parts?, exprs)?
                }
            };
            corners.0.insert(id, corner);
        }
        Ok(corners)
    }

    /// The corner of an expression of the cycle. Two rules may have the same body.
    pub(super) fn body(&self, id: ExprId) -> Corner {
        self.0[&id].clone()
    }

    fn get(&self, id: ExprId, exprs: &mut NonEmpty<'_, '_, '_>) -> Result<Corner, Error> {
        match self.0.get(&id) {
            Some(corner) => Ok(corner.clone()),
            // Not on the cycle, so it does not lead there either.
            None => Ok(Corner { base: exprs.nonempty(id)?, heads: Vec::new() }),
        }
    }

    fn sequence(&self, parts: &[ExprId], exprs: &mut NonEmpty<'_, '_, '_>) -> Result<Corner, Error> {
        let head = parts.iter().position(|&p| !exprs.is_nullable(p)).map_or(parts.len(), |i| i + 1);
        let rest = exprs.concat(&parts[head..])?;
        self.optional_parts(&parts[..head], exprs)?.followed_by(rest, exprs)
    }

    /// The corner of a sequence in which all but the last part may be empty. Halving it keeps the result
    /// small; the depth is the logarithm of the length.
    fn optional_parts(&self, parts: &[ExprId], exprs: &mut NonEmpty<'_, '_, '_>) -> Result<Corner, Error> {
        if let &[part] = parts {
            return self.get(part, exprs);
        }
        let (left, right) = parts.split_at(parts.len() / 2);
        let rest = exprs.concat(right)?;
        let starts_left = self.optional_parts(left, exprs)?.followed_by(rest, exprs)?;
        let starts_right = self.optional_parts(right, exprs)?;
        Corner::any(vec![starts_left, starts_right], exprs)
    }
}

impl Corner {
    fn followed_by(mut self, rest: ExprId, exprs: &mut NonEmpty<'_, '_, '_>) -> Result<Corner, Error> {
        self.base = exprs.concat(&[self.base, rest])?;
        for head in &mut self.heads {
            head.1 = exprs.concat(&[head.1, rest])?;
        }
        Ok(self)
    }

    fn any(corners: Vec<Corner>, exprs: &mut NonEmpty<'_, '_, '_>) -> Result<Corner, Error> {
        let bases: Vec<ExprId> = corners.iter().map(|c| c.base).collect();
        let base = exprs.alt(&bases)?;
        let mut all: Vec<(RuleId, ExprId)> = corners.into_iter().flat_map(|c| c.heads).collect();
        all.sort_unstable();
        let mut heads = Vec::new();
        for same in all.chunk_by(|a, b| a.0 == b.0) {
            let rests: Vec<ExprId> = same.iter().map(|h| h.1).collect();
            heads.push((same[0].0, exprs.alt(&rests)?));
        }
        Ok(Corner { base, heads })
    }
}
