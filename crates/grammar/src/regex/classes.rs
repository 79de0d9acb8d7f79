//! Bracketed classes: `[a-z]`, in the Rust dialect nested and with set operations.
//!
//! As everywhere in this front end, open classes are frames on a stack and not calls.

use super::ast::SetId;
use super::escapes::Escape;
use super::parser::Parser;
use super::tables::{self, Set};
use crate::error::Error;

/// `&&`, `--` and `~~`; all bind alike, to the left, and weaker than standing side by side.
#[derive(Clone, Copy)]
enum Op {
    And,
    Minus,
    Xor,
}

impl Op {
    fn apply(self, a: &Set, b: &Set) -> Set {
        let chars = match self {
            Op::And => a.chars.intersect(&b.chars),
            Op::Minus => a.chars.minus(&b.chars),
            Op::Xor => a.chars.minus(&b.chars).union(&b.chars.minus(&a.chars)),
        };
        Set { chars, bytes: a.bytes }
    }
}

/// A class that is still open.
struct Open {
    at: usize,
    negated: bool,
    /// What stands side by side since the start or the last operator.
    ranges: Vec<(u32, u32)>,
    left: Option<(Op, Set)>,
}

/// One member of a class: a single code, or a whole set.
enum Item {
    Code(u32),
    Set(SetId),
}

impl Parser<'_> {
    /// Parses a class; the bracket comes next.
    pub(super) fn bracketed(&mut self) -> Result<SetId, Error> {
        let set = if self.ecma { self.ecma_class()? } else { self.rust_class()? };
        Ok(self.ast.intern(set))
    }

    /// The set of a finished side of an operator or class.
    fn class_side(&self, ranges: Vec<(u32, u32)>) -> Set {
        let set = Set::ranges(ranges, !self.flags.unicode);
        if self.flags.case_insensitive { set.fold() } else { set }
    }

    fn class_value(&self, open: &mut Open) -> Set {
        let right = self.class_side(std::mem::take(&mut open.ranges));
        match open.left.take() {
            Some((op, left)) => {
                let set = op.apply(&left, &right);
                if self.flags.case_insensitive { set.fold() } else { set }
            }
            None => right,
        }
    }

    fn rust_class(&mut self) -> Result<Set, Error> {
        let start = self.pos;
        let mut stack = vec![self.open_class(start)?];
        loop {
            self.budget.tick()?;
            self.skip_space();
            let at = self.pos;
            let depth = stack.len();
            let (Some(c), Some(open)) = (self.peek(), stack.last_mut()) else {
                return Err(self.syntax("`[` is never closed", stack.last().map_or(start, |o| o.at)));
            };
            let op = match (c, self.rest().as_bytes().get(1)) {
                ('&', Some(b'&')) => Some(Op::And),
                ('-', Some(b'-')) => Some(Op::Minus),
                ('~', Some(b'~')) => Some(Op::Xor),
                _ => None,
            };
            match c {
                '[' => {
                    if let Some(ranges) = self.posix_class() {
                        open.ranges.extend(ranges);
                        continue;
                    }
                    if depth >= self.limits.nesting {
                        return Err(Error::limit("nesting", self.limits.nesting).with_place(self.source, at));
                    }
                    stack.push(self.open_class(at)?);
                }
                ']' => {
                    self.pos += 1;
                    let mut set = self.class_value(open);
                    if open.negated {
                        set = set.negate();
                    }
                    stack.pop();
                    match stack.last_mut() {
                        Some(outer) => outer.ranges.extend_from_slice(set.chars.ranges()),
                        None => return Ok(set),
                    }
                }
                _ => match op {
                    Some(op) => {
                        self.pos += 2;
                        let left = self.class_value(open);
                        open.left = Some((op, left));
                    }
                    None => self.rust_range(open)?,
                },
            }
        }
    }

    /// The start of a class, with the characters that are plain only there.
    fn open_class(&mut self, at: usize) -> Result<Open, Error> {
        self.pos = at + 1;
        self.skip_space();
        let negated = self.eat("^");
        self.skip_space();
        let mut open = Open { at, negated, ranges: Vec::new(), left: None };
        while self.eat("-") {
            open.ranges.push((0x2D, 0x2D));
            self.skip_space();
        }
        if open.ranges.is_empty() && self.eat("]") {
            open.ranges.push((0x5D, 0x5D));
        }
        Ok(open)
    }

    /// `[:alpha:]` and its like, inside of a class.
    fn posix_class(&mut self) -> Option<Vec<(u32, u32)>> {
        let inner = self.rest().strip_prefix("[:")?;
        let (negated, name) = match inner.strip_prefix('^') {
            Some(name) => (true, name),
            None => (false, inner),
        };
        // The longest name has six letters.
        let len = name.bytes().take(8).position(|b| b == b':')?;
        let found = tables::posix(name.get(..len)?)?;
        name[len..].starts_with(":]").then_some(())?;
        self.pos += 2 + negated as usize + len + 2;
        let set = Set::ranges(found.iter().copied(), !self.flags.unicode);
        let set = if negated { set.negate() } else { set };
        Some(set.chars.ranges().to_vec())
    }

    /// One member, or a range between two.
    fn rust_range(&mut self, open: &mut Open) -> Result<(), Error> {
        let at = self.pos;
        let first = self.class_item(at)?;
        self.skip_space();
        let dash = self.pos;
        if !self.eat("-") {
            self.add_item(open, first);
            return Ok(());
        }
        self.skip_space();
        match self.peek() {
            None => return Err(self.syntax("`[` is never closed", open.at)),
            Some(']' | '-') => {
                self.pos = dash;
                self.add_item(open, first);
                return Ok(());
            }
            Some(_) => {}
        }
        let last_at = self.pos;
        let last = self.class_item(last_at)?;
        match (first, last) {
            (Item::Code(a), Item::Code(b)) if a <= b => open.ranges.push((a, b)),
            (Item::Code(_), Item::Code(_)) => return Err(self.out_of_order(at)),
            (Item::Set(_), _) => return Err(self.syntax("a class cannot be the end of a range", at)),
            (_, Item::Set(_)) => return Err(self.syntax("a class cannot be the end of a range", last_at)),
        }
        Ok(())
    }

    fn out_of_order(&self, at: usize) -> Error {
        self.syntax("the ends of the range are out of order", at)
    }

    fn add_item(&self, open: &mut Open, item: Item) {
        match item {
            Item::Code(code) => open.ranges.push((code, code)),
            Item::Set(set) => open.ranges.extend_from_slice(self.ast.set(set).chars.ranges()),
        }
    }

    fn class_item(&mut self, at: usize) -> Result<Item, Error> {
        let code = match self.peek() {
            Some('\\') => match self.escape(true)? {
                Escape::Char(code) => code,
                Escape::Byte(byte) => return Ok(Item::Code(byte.into())),
                Escape::Set(set) => return Ok(Item::Set(set)),
                Escape::Assertion(_) => return Err(self.syntax("an assertion is no member of a class", at)),
            },
            Some(c) => {
                self.pos += c.len_utf8();
                c as u32
            }
            None => return Err(self.syntax("`[` is never closed", at)),
        };
        if !self.flags.unicode && code > 0x7F {
            return Err(self.syntax("characters past ASCII are not allowed without the flag `u`", at));
        }
        Ok(Item::Code(code))
    }

    fn ecma_class(&mut self) -> Result<Set, Error> {
        let start = self.pos;
        self.pos += 1;
        let negated = self.eat("^");
        let mut open = Open { at: start, negated, ranges: Vec::new(), left: None };
        while !self.eat("]") {
            self.budget.tick()?;
            if self.peek().is_none() {
                return Err(self.syntax("`[` is never closed", start));
            }
            let at = self.pos;
            let first = self.class_item(at)?;
            if !self.rest().starts_with('-') || self.rest().starts_with("-]") {
                self.add_item(&mut open, first);
                continue;
            }
            self.pos += 1;
            let last_at = self.pos;
            if self.peek().is_none() {
                return Err(self.syntax("`[` is never closed", start));
            }
            let last = self.class_item(last_at)?;
            match (first, last) {
                (Item::Code(a), Item::Code(b)) if a <= b => open.ranges.push((a, b)),
                (Item::Code(_), Item::Code(_)) => return Err(self.out_of_order(at)),
                // With a class at either end, the dash is just a dash.
                (first, last) => {
                    self.add_item(&mut open, first);
                    self.add_item(&mut open, Item::Code(0x2D));
                    self.add_item(&mut open, last);
                }
            }
        }
        let set = self.class_value(&mut open);
        Ok(if negated { set.negate() } else { set })
    }
}
