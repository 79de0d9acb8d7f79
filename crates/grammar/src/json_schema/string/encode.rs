//! The JSON spellings of a plain regular expression.
//!
//! Every character is replaced by its spellings. They form a prefix code, so a spelled text can be read in one way
//! only, and the spellings of a language are the texts that are read as one of it: intersections, complements and
//! lookaheads stay what they were. A lookbehind is another matter: `\\n` ends with the bytes of `\n`, and how many
//! backslashes are before it decides what it is. What comes after a `"` byte, though, is always the start of a
//! character, be it the opening quote or an escaped one. So a lookbehind is spelled as "a quote, whole characters,
//! what was asked for", and its region has to begin with the opening quote: [`encode_opened`].

use rustc_hash::{FxHashMap, FxHashSet};

use super::super::options::Spelling;
use super::spell::Speller;
use crate::error::{Error, ErrorKind};
use crate::ids::ExprId;
use crate::ir::{Arena, Expr};
use crate::limits::{Budget, Limits};

/// The JSON spellings of the texts of a plain expression, without quotes. An expression that looks behind is refused:
/// it needs the opening quote.
pub(crate) fn encode(
    expr: ExprId,
    spelling: Spelling,
    arena: &mut Arena,
    limits: &Limits,
) -> Result<ExprId, Error> {
    Encoder::new(expr, spelling, arena, limits).run(expr, Form::Body)
}

/// The JSON spellings of the texts of a plain expression, with the opening quote and without the closing one.
pub(crate) fn encode_opened(
    expr: ExprId,
    spelling: Spelling,
    arena: &mut Arena,
    limits: &Limits,
) -> Result<ExprId, Error> {
    Encoder::new(expr, spelling, arena, limits).run(expr, Form::Opened)
}

/// The JSON spellings of one text, without quotes.
pub(crate) fn encode_literal(text: &str, spelling: Spelling, arena: &mut Arena) -> ExprId {
    Speller::new(spelling).text(text, arena)
}

/// The body of any string, without quotes.
pub(crate) fn any_string(spelling: Spelling, arena: &mut Arena) -> ExprId {
    Speller::new(spelling).any_text(arena)
}

/// Which part of the string an expression stands for.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Form {
    /// Just its spelling.
    Body,
    /// The opening quote and its spelling; the expression is what the string starts with.
    Opened,
}

struct Encoder<'a> {
    arena: &'a mut Arena,
    speller: Speller,
    budget: Budget<'a>,
    /// Expressions that look behind, those with one in a region below included.
    behind: FxHashSet<ExprId>,
    done: FxHashMap<(ExprId, Form), ExprId>,
}

impl<'a> Encoder<'a> {
    fn new(expr: ExprId, spelling: Spelling, arena: &'a mut Arena, limits: &'a Limits) -> Self {
        let behind = looking_behind(arena, expr);
        let (speller, budget) = (Speller::new(spelling), Budget::new(limits));
        Encoder { arena, speller, budget, behind, done: FxHashMap::default() }
    }

    /// Encodes `root` and all below it, children first.
    fn run(mut self, root: ExprId, form: Form) -> Result<ExprId, Error> {
        let mut todo = vec![(root, form)];
        let mut missing = Vec::new();
        while let Some(&(expr, form)) = todo.last() {
            self.budget.tick()?;
            if self.done.contains_key(&(expr, form)) {
                todo.pop();
                continue;
            }
            missing.clear();
            let built = match form {
                Form::Body => self.body(expr, &mut missing)?,
                Form::Opened => self.opened(expr, &mut missing)?,
            };
            if missing.is_empty() {
                self.done.insert((expr, form), built);
                todo.pop();
            } else {
                todo.append(&mut missing);
            }
        }
        if self.arena.overflowed() {
            return Err(Error::limit("exprs", self.budget.limits().exprs));
        }
        Ok(self.done[&(root, form)])
    }

    /// What a child became; noted as missing if that is not known yet.
    fn child(&self, expr: ExprId, form: Form, missing: &mut Vec<(ExprId, Form)>) -> ExprId {
        self.done.get(&(expr, form)).copied().unwrap_or_else(|| {
            missing.push((expr, form));
            self.arena.never()
        })
    }

    fn children(&self, list: &[ExprId], form: Form, missing: &mut Vec<(ExprId, Form)>) -> Vec<ExprId> {
        list.iter().map(|&e| self.child(e, form, missing)).collect()
    }

    fn body(&mut self, expr: ExprId, missing: &mut Vec<(ExprId, Form)>) -> Result<ExprId, Error> {
        Ok(match self.arena.get(expr) {
            Expr::Never | Expr::Empty => expr,
            Expr::Chars(set) => self.speller.set(set, self.arena),
            Expr::Literal(literal) => {
                let Ok(text) = std::str::from_utf8(self.arena.literal_bytes(literal)) else {
                    return Err(not_plain());
                };
                let text = text.to_owned();
                self.speller.text(&text, self.arena)
            }
            Expr::Concat(list) => {
                let parts = self.children(self.arena.list(list), Form::Body, missing);
                if missing.is_empty() { self.arena.concat(&parts) } else { expr }
            }
            Expr::Alt(list) => {
                let parts = self.children(self.arena.list(list), Form::Body, missing);
                if missing.is_empty() { self.arena.alt(&parts) } else { expr }
            }
            Expr::Repeat { expr, min, max } => {
                let inner = self.child(expr, Form::Body, missing);
                self.arena.repeat(inner, min, max)
            }
            Expr::And(_) | Expr::Not(_) => self.boolean(expr, Form::Body, missing),
            Expr::Look { expr, behind, negated } => {
                let inner = self.child(expr, Form::Body, missing);
                let inner = if behind {
                    let (quote, any) = (self.arena.literal(b"\""), self.speller.any_text(self.arena));
                    self.arena.concat(&[quote, any, inner])
                } else {
                    inner
                };
                self.arena.look(inner, behind, negated)
            }
            Expr::Region(inner) if !self.behind.contains(&expr) => {
                let inner = self.child(inner, Form::Body, missing);
                self.arena.region(inner)
            }
            Expr::Region(_) => {
                let what = "a lookbehind in the middle of a string cannot be enforced";
                return Err(Error::new(ErrorKind::Unsupported, what));
            }
            Expr::Bytes(_) | Expr::Rule(_) | Expr::Members(_) | Expr::Machine(_) => return Err(not_plain()),
        })
    }

    fn opened(&mut self, expr: ExprId, missing: &mut Vec<(ExprId, Form)>) -> Result<ExprId, Error> {
        if !self.behind.contains(&expr) {
            let body = self.child(expr, Form::Body, missing);
            let quote = self.arena.literal(b"\"");
            return Ok(self.arena.concat(&[quote, body]));
        }
        Ok(match self.arena.get(expr) {
            Expr::Alt(list) => {
                let parts = self.children(self.arena.list(list), Form::Opened, missing);
                if missing.is_empty() { self.arena.alt(&parts) } else { expr }
            }
            Expr::And(_) | Expr::Not(_) => self.boolean(expr, Form::Opened, missing),
            Expr::Region(inner) => {
                let body = self.child(inner, Form::Body, missing);
                let quote = self.arena.literal(b"\"");
                let inner = self.arena.concat(&[quote, body]);
                self.arena.region(inner)
            }
            Expr::Concat(list) => {
                let list = self.arena.list(list);
                let mut parts = vec![self.child(list[0], Form::Opened, missing)];
                parts.extend(self.children(&list[1..], Form::Body, missing));
                if missing.is_empty() { self.arena.concat(&parts) } else { expr }
            }
            Expr::Repeat { expr: inner, min, max } => {
                // Only the first round stands at the start.
                let first = self.child(inner, Form::Opened, missing);
                let mut some = first;
                if max != Some(1) {
                    let rest = self.child(inner, Form::Body, missing);
                    let rest = self.arena.repeat(rest, min.saturating_sub(1), max.map(|max| max - 1));
                    some = self.arena.concat(&[first, rest]);
                }
                let quote = self.arena.literal(b"\"");
                if min == 0 { self.arena.alt(&[quote, some]) } else { some }
            }
            _ => return Err(not_plain()),
        })
    }

    /// An intersection or complement. Texts that are no spelling at all must not come in: some part keeps them out.
    fn boolean(&mut self, expr: ExprId, form: Form, missing: &mut Vec<(ExprId, Form)>) -> ExprId {
        let list = match self.arena.get(expr) {
            Expr::And(list) => self.arena.list(list).to_vec(),
            _ => vec![expr],
        };
        let mut parts = Vec::with_capacity(list.len() + 1);
        let mut positive = false;
        for part in list {
            match self.arena.get(part) {
                Expr::Not(inner) => {
                    let inner = self.child(inner, form, missing);
                    parts.push(self.arena.not(inner));
                }
                _ => {
                    positive = true;
                    parts.push(self.child(part, form, missing));
                }
            }
        }
        if !missing.is_empty() {
            return expr;
        }
        if !positive {
            let any = self.speller.any_text(self.arena);
            let quote = self.arena.literal(b"\"");
            parts.push(if form == Form::Opened { self.arena.concat(&[quote, any]) } else { any });
        }
        self.arena.and(&parts)
    }
}

fn not_plain() -> Error {
    Error::new(ErrorKind::Unsupported, "the expression is not one of characters")
}

/// The expressions below `root`, itself included, that have a lookbehind below them.
fn looking_behind(arena: &Arena, root: ExprId) -> FxHashSet<ExprId> {
    let mut seen = FxHashSet::from_iter([root]);
    let mut todo = vec![root];
    while let Some(expr) = todo.pop() {
        todo.extend(arena.children(expr).into_iter().filter(|&child| seen.insert(child)));
    }
    let mut order: Vec<ExprId> = seen.into_iter().collect();
    order.sort_unstable();
    let mut found = FxHashSet::default();
    for expr in order {
        let own = matches!(arena.get(expr), Expr::Look { behind: true, .. });
        if own || arena.children(expr).iter().any(|child| found.contains(child)) {
            found.insert(expr);
        }
    }
    found
}
