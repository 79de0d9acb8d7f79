//! The JSON spellings of a plain regular expression.
//!
//! Every character is replaced by its spellings. They form a prefix code, so a spelled text can be read in one way
//! only, and the spellings of a language are the texts that are read as one of it: intersections, complements and
//! lookaheads stay what they were. A lookbehind is another matter: `\\n` ends with the bytes of `\n`, and how many
//! backslashes are before it decides what it is. What comes after a `"` byte, though, is always the start of a
//! character, be it the opening quote or an escaped one. So a lookbehind is spelled as "a quote, whole characters,
//! what was asked for", and its region has to begin with the opening quote: [`encode_opened`].

use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;
use tokenstile_grammar::ir::{Arena, ByteSet, CharSet, Expr};
use tokenstile_grammar::limits::Budget;
use tokenstile_grammar::{Error, ErrorKind, ExprId, Limits};

use super::spell::Speller;

/// The JSON spellings of the texts of a plain expression, without quotes. An expression that looks behind is refused:
/// it needs the opening quote.
pub(crate) fn encode(
    expr: ExprId,
    speller: &mut Speller,
    arena: &mut Arena,
    limits: &Limits,
) -> Result<ExprId, Error> {
    Encoder::new(speller, arena, limits).run(expr, Form::Body)
}

/// The JSON spellings of the texts of a plain expression, with the opening quote and without the closing one.
pub(crate) fn encode_opened(
    expr: ExprId,
    speller: &mut Speller,
    arena: &mut Arena,
    limits: &Limits,
) -> Result<ExprId, Error> {
    Encoder::new(speller, arena, limits).run(expr, Form::Opened)
}

/// The JSON spellings of one text, without quotes.
pub(crate) fn encode_literal(text: &str, speller: &mut Speller, arena: &mut Arena) -> ExprId {
    speller.text(text, arena)
}

/// Where in the string an expression stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    /// Anywhere: it is spelled without quotes.
    Body,
    /// At its start: the opening quote belongs to it.
    Opened,
}

struct Encoder<'a> {
    arena: &'a mut Arena,
    speller: &'a mut Speller,
    budget: Budget<'a>,
    /// What became of an expression. Regions that look behind are missing: they stand at the start only.
    bodies: FxHashMap<ExprId, ExprId>,
    /// The same with the opening quote, for expressions that look behind; others just get a quote.
    opened: FxHashMap<ExprId, Option<ExprId>>,
}

impl<'a> Encoder<'a> {
    fn new(speller: &'a mut Speller, arena: &'a mut Arena, limits: &'a Limits) -> Self {
        let budget = Budget::new(limits);
        Encoder { arena, speller, budget, bodies: FxHashMap::default(), opened: FxHashMap::default() }
    }

    /// Encodes `root` and all below it, children first.
    fn run(mut self, root: ExprId, form: Form) -> Result<ExprId, Error> {
        for expr in below(self.arena, root) {
            self.budget.tick()?;
            if let Some(body) = self.body(expr)? {
                self.bodies.insert(expr, body);
            }
            let own = matches!(self.arena.get(expr), Expr::Look { behind: true, .. });
            if own || self.arena.children(expr).iter().any(|child| self.opened.contains_key(child)) {
                let opened = self.open(expr);
                self.opened.insert(expr, opened);
            }
        }
        if self.arena.overflowed() {
            return Err(Error::limit("exprs", self.budget.limits().exprs));
        }
        self.get(root, form).ok_or_else(|| {
            let what = "a lookbehind in the middle of a string cannot be enforced";
            Error::new(ErrorKind::Unsupported, what)
        })
    }

    /// What an expression became, if it can stand there.
    fn get(&mut self, expr: ExprId, form: Form) -> Option<ExprId> {
        if form == Form::Body {
            return self.bodies.get(&expr).copied();
        }
        if let Some(&opened) = self.opened.get(&expr) {
            return opened;
        }
        let body = *self.bodies.get(&expr)?;
        Some(self.quoted(body))
    }

    fn all(&mut self, list: &[ExprId], form: Form) -> Option<SmallVec<[ExprId; 16]>> {
        list.iter().map(|&e| self.get(e, form)).collect()
    }

    fn quoted(&mut self, body: ExprId) -> ExprId {
        let quote = self.arena.literal(b"\"");
        self.arena.concat(&[quote, body])
    }

    /// Spells an expression whose children are spelled.
    fn body(&mut self, expr: ExprId) -> Result<Option<ExprId>, Error> {
        Ok(match self.arena.get(expr) {
            Expr::Never | Expr::Empty => Some(expr),
            Expr::Chars(set) => Some(self.speller.set(expr, set, self.arena)),
            Expr::Literal(literal) => {
                let Ok(text) = std::str::from_utf8(self.arena.literal_bytes(literal)) else {
                    return Err(not_plain());
                };
                if self.speller.is_plain(text) {
                    return Ok(Some(expr));
                }
                let text = text.to_owned();
                Some(self.speller.text(&text, self.arena))
            }
            kind @ (Expr::Concat(list) | Expr::Alt(list)) => {
                let list: SmallVec<[ExprId; 16]> = SmallVec::from_slice(self.arena.list(list));
                let Some(parts) = self.all(&list, Form::Body) else { return Ok(None) };
                Some(match kind {
                    _ if parts == list => expr,
                    Expr::Concat(_) => self.arena.concat(&parts),
                    _ => self.arena.alt(&parts),
                })
            }
            Expr::Repeat { expr, min, max } => {
                let inner = self.get(expr, Form::Body);
                inner.map(|inner| self.arena.repeat(inner, min, max))
            }
            Expr::And(_) | Expr::Not(_) => self.boolean(expr, Form::Body),
            Expr::Look { expr, behind, negated } => {
                let Some(mut inner) = self.get(expr, Form::Body) else { return Ok(None) };
                if behind {
                    let any = self.speller.any_text(self.arena);
                    inner = self.arena.concat(&[any, inner]);
                    inner = self.quoted(inner);
                }
                Some(self.arena.look(inner, behind, negated))
            }
            Expr::Region(inner) if self.opened.contains_key(&inner) => None,
            Expr::Region(inner) => {
                let inner = self.get(inner, Form::Body);
                inner.map(|inner| self.arena.region(inner))
            }
            // Machines read characters that need no escapes. Where these may be escaped all the same, it is not done.
            Expr::Machine(_) => Some(expr),
            // Rules are of texts that are spelled already.
            Expr::Rule(_) => Some(expr),
            Expr::Bytes(_) | Expr::Members(_) | Expr::Tokens(_) => return Err(not_plain()),
        })
    }

    /// Spells an expression that looks behind and stands at the start.
    fn open(&mut self, expr: ExprId) -> Option<ExprId> {
        match self.arena.get(expr) {
            Expr::Alt(list) => {
                let list: SmallVec<[ExprId; 16]> = SmallVec::from_slice(self.arena.list(list));
                let parts = self.all(&list, Form::Opened)?;
                Some(self.arena.alt(&parts))
            }
            Expr::And(_) | Expr::Not(_) => self.boolean(expr, Form::Opened),
            Expr::Region(inner) => {
                let inner = self.get(inner, Form::Body)?;
                let inner = self.quoted(inner);
                Some(self.arena.region(inner))
            }
            Expr::Concat(list) => {
                let list: SmallVec<[ExprId; 16]> = SmallVec::from_slice(self.arena.list(list));
                let mut parts = self.all(&list[1..], Form::Body)?;
                parts.insert(0, self.get(list[0], Form::Opened)?);
                Some(self.arena.concat(&parts))
            }
            Expr::Repeat { expr: inner, min, max } => {
                // Only the first round stands at the start.
                let mut some = self.get(inner, Form::Opened)?;
                if max != Some(1) {
                    let rest = self.get(inner, Form::Body)?;
                    let rest = self.arena.repeat(rest, min.saturating_sub(1), max.map(|max| max - 1));
                    some = self.arena.concat(&[some, rest]);
                }
                let quote = self.arena.literal(b"\"");
                Some(if min == 0 { self.arena.alt(&[quote, some]) } else { some })
            }
            _ => None,
        }
    }

    /// An intersection or complement. Texts that are no spelling at all must not come in: some part keeps them out.
    fn boolean(&mut self, expr: ExprId, form: Form) -> Option<ExprId> {
        let list: SmallVec<[ExprId; 4]> = match self.arena.get(expr) {
            Expr::And(list) => SmallVec::from_slice(self.arena.list(list)),
            _ => SmallVec::from_slice(&[expr]),
        };
        let mut parts: SmallVec<[ExprId; 4]> = SmallVec::new();
        let mut positive = false;
        for part in list {
            match self.arena.get(part) {
                Expr::Not(inner) => {
                    let inner = match self.too_long(inner, form) {
                        Some(too_long) => too_long,
                        None => self.get(inner, form)?,
                    };
                    parts.push(self.arena.not(inner));
                }
                _ => {
                    positive = true;
                    parts.push(self.get(part, form)?);
                }
            }
        }
        if !positive {
            let any = self.speller.any_text(self.arena);
            parts.push(if form == Form::Opened { self.quoted(any) } else { any });
        }
        Some(self.arena.and(&parts))
    }

    /// Where an expression is "so many characters or more": so many characters, then any bytes at all. As what must not
    /// match, among parts that keep to spellings, it means the same, and is decided with the last character counted.
    fn too_long(&mut self, expr: ExprId, form: Form) -> Option<ExprId> {
        let Expr::Repeat { expr: one, min, max: None } = self.arena.get(expr) else { return None };
        let is_any =
            matches!(self.arena.get(one), Expr::Chars(set) if *self.arena.char_set(set) == CharSet::all());
        if !is_any {
            return None;
        }
        let one = self.get(one, Form::Body)?;
        let counted = self.arena.repeat(one, min, Some(min));
        let byte = self.arena.byte(ByteSet::ALL);
        let rest = self.arena.star(byte);
        let body = self.arena.concat(&[counted, rest]);
        Some(if form == Form::Opened { self.quoted(body) } else { body })
    }
}

fn not_plain() -> Error {
    Error::new(ErrorKind::Unsupported, "the expression is not one of characters")
}

/// The expressions below `root`, itself included, children before parents.
fn below(arena: &Arena, root: ExprId) -> Vec<ExprId> {
    let mut seen = FxHashSet::from_iter([root]);
    let mut found = vec![root];
    let mut next = 0;
    while let Some(&expr) = found.get(next) {
        next += 1;
        found.extend(arena.children(expr).iter().copied().filter(|&child| seen.insert(child)));
    }
    found.sort_unstable();
    found
}
