//! Pattern text to syntax tree: groups, alternation, repetition and flags.
//!
//! Open groups are frames on a stack of their own, never calls, so nesting costs memory that
//! [`Limits::nesting`](crate::Limits) bounds and not the call stack. Escapes and bracketed classes have
//! files of their own.

use rustc_hash::{FxHashMap, FxHashSet};

use super::ast::{Ast, Lines, Node, NodeId, SetId};
use super::escapes::Escape;
use super::options::{RegexDialect, RegexOptions};
use super::tables::{self, Set};
use crate::error::{Error, ErrorKind};
use crate::ir::CharSet;
use crate::limits::{Budget, Limits};

/// What the flags in force mean, after options and `(?…)`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Flags {
    pub(super) case_insensitive: bool,
    pub(super) dot_all: bool,
    pub(super) multi_line: bool,
    pub(super) crlf: bool,
    pub(super) spaced: bool,
    pub(super) unicode: bool,
}

/// What came last in a group, as far as a quantifier after it is concerned.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Last {
    /// Nothing yet, or a change of flags.
    Nothing,
    /// A run of plain characters; the last one starts at this byte of the pool.
    Run(u32),
    /// Something that may be repeated.
    Atom,
    /// An assertion, which ECMA-262 does not let be repeated.
    Assertion,
    /// A quantifier.
    Quantifier,
}

/// A group that is still open.
struct Frame {
    open: usize,
    flags: Flags,
    /// Behind and negated, for an assertion.
    look: Option<(bool, bool)>,
    /// Where its parts start on the stacks of items and of alternatives.
    items: usize,
    alts: usize,
    last: Last,
}

pub(super) struct Parser<'a> {
    pub(super) source: &'a str,
    pub(super) pos: usize,
    pub(super) flags: Flags,
    pub(super) ecma: bool,
    pub(super) ast: Ast,
    pub(super) limits: &'a Limits,
    pub(super) budget: Budget<'a>,
    /// Classes already looked up, by how they are written.
    pub(super) classes: FxHashMap<String, SetId>,
    folded: FxHashMap<char, Option<SetId>>,
    names: FxHashSet<&'a str>,
    frames: Vec<Frame>,
    items: Vec<NodeId>,
    alts: Vec<NodeId>,
}

/// Parses `source`; the tree and its root.
pub(super) fn parse<'a>(
    source: &'a str,
    options: &RegexOptions,
    limits: &'a Limits,
) -> Result<(Ast, NodeId), Error> {
    if source.len() > limits.source_bytes {
        return Err(Error::limit("source_bytes", limits.source_bytes).with_place(source, limits.source_bytes));
    }
    let flags = Flags {
        case_insensitive: options.case_insensitive,
        dot_all: options.dot_all,
        multi_line: options.multi_line,
        crlf: false,
        spaced: false,
        unicode: true,
    };
    let mut parser = Parser {
        source,
        pos: 0,
        flags,
        ecma: options.dialect == RegexDialect::Ecma,
        ast: Ast::new(limits.nesting, limits.exprs),
        limits,
        budget: Budget::new(limits),
        classes: FxHashMap::default(),
        folded: FxHashMap::default(),
        names: FxHashSet::default(),
        frames: Vec::new(),
        items: Vec::new(),
        alts: Vec::new(),
    };
    let root = match parser.pattern() {
        Ok(root) => root,
        // Limits met below the parser know no place; where it stood is the best there is.
        Err(error) => return Err(error.with_place(source, parser.pos)),
    };
    Ok((parser.ast, root))
}

impl<'a> Parser<'a> {
    pub(super) fn rest(&self) -> &'a str {
        &self.source[self.pos..]
    }

    pub(super) fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    /// Takes the next character.
    pub(super) fn bump(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.pos += c.len_utf8();
        Some(c)
    }

    pub(super) fn eat(&mut self, text: &str) -> bool {
        let found = self.rest().starts_with(text);
        if found {
            self.pos += text.len();
        }
        found
    }

    pub(super) fn error(&self, kind: ErrorKind, message: impl Into<String>, offset: usize) -> Error {
        Error::at(kind, message, self.source, offset)
    }

    pub(super) fn syntax(&self, message: impl Into<String>, offset: usize) -> Error {
        self.error(ErrorKind::Syntax, message, offset)
    }

    pub(super) fn unsupported(&self, message: impl Into<String>, offset: usize) -> Error {
        self.error(ErrorKind::Unsupported, message, offset)
    }

    /// Skips what the flag `x` makes insignificant.
    pub(super) fn skip_space(&mut self) {
        while self.flags.spaced {
            match self.peek() {
                Some(c) if c.is_whitespace() => self.pos += c.len_utf8(),
                Some('#') => self.pos += self.rest().find('\n').map_or(self.rest().len(), |i| i + 1),
                _ => return,
            }
        }
    }

    fn frame(&mut self) -> &mut Frame {
        self.frames.last_mut().unwrap_or_else(|| unreachable!("the frame of the whole pattern stays"))
    }

    fn push_frame(&mut self, open: usize, look: Option<(bool, bool)>) -> Result<(), Error> {
        if self.frames.len() > self.limits.nesting {
            return Err(Error::limit("nesting", self.limits.nesting).with_place(self.source, open));
        }
        let (items, alts) = (self.items.len(), self.alts.len());
        self.frames.push(Frame { open, flags: self.flags, look, items, alts, last: Last::Nothing });
        Ok(())
    }

    fn pattern(&mut self) -> Result<NodeId, Error> {
        self.push_frame(0, None)?;
        loop {
            self.budget.tick()?;
            self.skip_space();
            let at = self.pos;
            let Some(c) = self.peek() else { break };
            match c {
                '(' => self.open_group()?,
                ')' if self.frames.len() == 1 => return Err(self.syntax("`)` without `(`", at)),
                ')' => {
                    self.pos += 1;
                    self.close_group()?;
                }
                '|' => {
                    self.pos += 1;
                    self.end_branch()?;
                    self.frame().last = Last::Nothing;
                }
                '[' => {
                    let set = self.bracketed()?;
                    self.push_set(set)?;
                }
                '*' | '+' | '?' => {
                    self.pos += 1;
                    let (min, max) = match c {
                        '*' => (0, None),
                        '+' => (1, None),
                        _ => (0, Some(1)),
                    };
                    self.quantify(at, min, max)?;
                }
                '{' => self.counted()?,
                '.' => {
                    self.pos += 1;
                    let set = self.dot();
                    self.push_set(set)?;
                }
                '^' | '$' => {
                    self.pos += 1;
                    let lines = match (self.ecma, self.flags.crlf) {
                        (true, _) => Lines::Ecma,
                        (_, true) => Lines::Crlf,
                        _ => Lines::Lf,
                    };
                    self.push_assertion(match (c, self.flags.multi_line) {
                        ('^', false) => Node::TextStart,
                        ('^', true) => Node::LineStart(lines),
                        (_, false) => Node::TextEnd,
                        (_, true) => Node::LineEnd(lines),
                    })?;
                }
                '\\' => match self.escape(false)? {
                    Escape::Char(c) => self.push_code(c)?,
                    Escape::Byte(byte) => {
                        self.ast.raw = true;
                        self.push_bytes(&[byte])?;
                    }
                    Escape::Set(set) => self.push_set(set)?,
                    Escape::Assertion(node) => self.push_assertion(node)?,
                },
                _ => {
                    self.pos += c.len_utf8();
                    self.push_char(c)?;
                }
            }
        }
        if self.frames.len() > 1 {
            let open = self.frame().open;
            return Err(self.syntax("`(` is never closed", open));
        }
        let root = self.end_frame()?;
        Ok(root)
    }

    /// Ends the current alternative.
    fn end_branch(&mut self) -> Result<(), Error> {
        let base = self.frame().items;
        let branch = self.ast.concat(&self.items[base..])?;
        self.items.truncate(base);
        self.alts.push(branch);
        Ok(())
    }

    /// Ends the innermost group; what it contains.
    fn end_frame(&mut self) -> Result<NodeId, Error> {
        self.end_branch()?;
        let base = self.frame().alts;
        let node = self.ast.alt(&self.alts[base..])?;
        self.alts.truncate(base);
        Ok(node)
    }

    fn close_group(&mut self) -> Result<(), Error> {
        let mut node = self.end_frame()?;
        let Some(frame) = self.frames.pop() else { return Ok(()) };
        self.flags = frame.flags;
        let mut last = Last::Atom;
        if let Some((behind, negated)) = frame.look {
            node = self.ast.push(Node::Look { node, behind, negated })?;
            if behind {
                last = Last::Assertion;
            }
        }
        self.push_node(node, last);
        Ok(())
    }

    fn push_node(&mut self, node: NodeId, last: Last) {
        self.items.push(node);
        self.frame().last = last;
    }

    fn push_assertion(&mut self, node: Node) -> Result<(), Error> {
        let node = self.ast.push(node)?;
        self.push_node(node, Last::Assertion);
        Ok(())
    }

    fn push_set(&mut self, set: SetId) -> Result<(), Error> {
        let node = self.ast.push(Node::Set(set))?;
        self.push_node(node, Last::Atom);
        Ok(())
    }

    /// Adds one plain character of these bytes to the run of them.
    fn push_bytes(&mut self, bytes: &[u8]) -> Result<(), Error> {
        let start = self.ast.bytes.len() as u32;
        self.ast.bytes.extend_from_slice(bytes);
        match (self.frame().last, self.items.last()) {
            (Last::Run(_), Some(&literal)) => self.ast.extend_literal(literal),
            _ => {
                let end = start + bytes.len() as u32;
                let node = self.ast.push(Node::Literal { start, end })?;
                self.items.push(node);
            }
        }
        self.frame().last = Last::Run(start);
        Ok(())
    }

    fn push_char(&mut self, c: char) -> Result<(), Error> {
        if self.flags.case_insensitive
            && (self.flags.unicode || c.is_ascii())
            && let Some(set) = self.fold_char(c)
        {
            return self.push_set(set);
        }
        self.push_bytes(c.encode_utf8(&mut [0; 4]).as_bytes())
    }

    /// Adds a character by its code; a lone surrogate matches no text.
    fn push_code(&mut self, code: u32) -> Result<(), Error> {
        match char::from_u32(code) {
            Some(c) => self.push_char(c),
            None => {
                let nothing = self.ast.intern(Set::chars(CharSet::empty()));
                self.push_set(nothing)
            }
        }
    }

    /// The set of the characters that differ from `c` only in case, if there are others.
    fn fold_char(&mut self, c: char) -> Option<SetId> {
        if !self.flags.unicode {
            let ranges = [c.to_ascii_lowercase(), c.to_ascii_uppercase()].map(|c| (c as u32, c as u32));
            return c.is_ascii_alphabetic().then(|| self.ast.intern(Set::ranges(ranges, false)));
        }
        if let Some(&set) = self.folded.get(&c) {
            return set;
        }
        let set = Set::chars(CharSet::single(c)).fold();
        let id = (set.chars.len() > 1).then(|| self.ast.intern(set));
        self.folded.insert(c, id);
        id
    }

    fn dot(&mut self) -> SetId {
        let bytes = !self.flags.unicode;
        let lines: &[(u32, u32)] = match (self.flags.dot_all, self.ecma, self.flags.crlf) {
            (true, ..) => &[],
            (_, true, _) => tables::ECMA_LINES,
            (_, _, true) => &[(0x0A, 0x0A), (0x0D, 0x0D)],
            _ => &[(0x0A, 0x0A)],
        };
        let set = Set::ranges(lines.iter().copied(), bytes).negate();
        self.ast.intern(set)
    }

    /// Repeats what came last.
    fn quantify(&mut self, at: usize, min: u32, max: Option<u32>) -> Result<(), Error> {
        let refused = match self.frame().last {
            Last::Nothing => true,
            Last::Assertion | Last::Quantifier => self.ecma,
            Last::Run(_) | Last::Atom => false,
        };
        if refused {
            if self.frame().last == Last::Quantifier && self.source[at..].starts_with('+') {
                return Err(self.unsupported("possessive quantifiers are not supported", at));
            }
            return Err(self.syntax("nothing to repeat before the quantifier", at));
        }
        if max.is_some_and(|max| max < min) {
            return Err(self.syntax("the bounds of the repetition are out of order", at));
        }
        // A lazy quantifier prefers other matches, but has the same ones.
        self.eat("?");
        let mut node = self.items.pop().unwrap_or(Ast::EMPTY);
        if let Last::Run(last) = self.frame().last {
            let one = self.ast.split_literal(node, last)?;
            if one != node {
                self.items.push(node);
            }
            node = one;
        }
        let node = self.ast.push(Node::Repeat { node, min, max })?;
        self.push_node(node, Last::Quantifier);
        Ok(())
    }

    /// `{m}`, `{m,}` or `{m,n}`; in ECMA-262, a brace that starts none of these is just a character.
    fn counted(&mut self) -> Result<(), Error> {
        let at = self.pos;
        self.pos += 1;
        if self.ecma && !self.is_ecma_count() {
            return self.push_char('{');
        }
        if self.frame().last == Last::Nothing {
            return Err(self.syntax("nothing to repeat before the quantifier", at));
        }
        let unclosed = "the repetition has no closing `}`";
        self.skip_space();
        let min = self.decimal()?;
        let max = if self.eat(",") {
            self.skip_space();
            if self.peek() == Some('}') { None } else { Some(self.decimal()?) }
        } else {
            Some(min)
        };
        if !self.eat("}") {
            return Err(self.syntax(unclosed, at));
        }
        self.skip_space();
        self.quantify(at, min, max)
    }

    /// Whether digits, perhaps a comma and digits, and `}` follow.
    fn is_ecma_count(&self) -> bool {
        let digits = |text: &'a str| text.trim_start_matches(|c: char| c.is_ascii_digit());
        let after = digits(self.rest());
        let after_max = after.strip_prefix(',').map_or(after, digits);
        after.len() < self.rest().len() && after_max.starts_with('}')
    }

    /// Blanks around the numbers of a repetition mean nothing, whatever the flags.
    fn skip_count_space(&mut self) {
        self.skip_space();
        while let Some(c) = self.peek().filter(|c| c.is_whitespace()) {
            self.pos += c.len_utf8();
            self.skip_space();
        }
    }

    fn decimal(&mut self) -> Result<u32, Error> {
        self.skip_count_space();
        let start = self.pos;
        let mut value = Some(0u32);
        let mut any = false;
        while let Some(digit) = self.peek().and_then(|c| c.to_digit(10)) {
            value = value.and_then(|v| v.checked_mul(10)?.checked_add(digit));
            any = true;
            self.pos += 1;
            self.skip_space();
        }
        self.skip_count_space();
        match value {
            Some(value) if any => Ok(value),
            None => Err(self.unsupported("a repetition count beyond 4294967295 is not supported", start)),
            _ => Err(self.syntax("a repetition count must be a decimal number", start)),
        }
    }

    fn open_group(&mut self) -> Result<(), Error> {
        let open = self.pos;
        self.pos += 1;
        self.skip_space();
        if !self.eat("?") {
            return self.push_frame(open, None);
        }
        for (prefix, behind, negated) in
            [("=", false, false), ("!", false, true), ("<=", true, false), ("<!", true, true)]
        {
            if self.eat(prefix) {
                return self.push_frame(open, Some((behind, negated)));
            }
        }
        if self.eat("P<") || self.eat("<") {
            self.group_name()?;
            return self.push_frame(open, None);
        }
        let refused = match self.peek() {
            Some('>') => "atomic groups are not supported",
            Some('(') => "conditional groups are not supported",
            Some('#') => "comments in groups are not supported",
            Some('|') => "branch reset groups are not supported",
            Some('P') if self.rest().starts_with("P=") => "back-references are not supported",
            Some('&' | '+' | '0'..='9' | 'P') => "recursion is not supported",
            Some('R') if self.ecma => "recursion is not supported",
            _ => return self.flag_group(open),
        };
        Err(self.unsupported(refused, open))
    }

    /// The name of a group and the `>` after it.
    fn group_name(&mut self) -> Result<(), Error> {
        let start = self.pos;
        let Some(len) = self.rest().find('>') else {
            return Err(self.syntax("the name of the group has no closing `>`", start));
        };
        let name = &self.rest()[..len];
        let first = |c: char| c == '_' || c.is_alphabetic() || (self.ecma && c == '$');
        let later = |c: char| first(c) || c.is_alphanumeric() || (!self.ecma && matches!(c, '.' | '[' | ']'));
        if !name.chars().next().is_some_and(first) {
            return Err(self.syntax("a group name must start with a letter or `_`", start));
        }
        if let Some(bad) = name.find(|c| !later(c)) {
            return Err(self.syntax("invalid character in the name of a group", start + bad));
        }
        // ECMA-262 allows a name in several alternatives; none of this changes what is matched.
        if !self.names.insert(name) && !self.ecma {
            return Err(self.syntax(format!("there are two groups named `{name}`"), start));
        }
        self.pos += len + 1;
        Ok(())
    }

    /// `(?flags)` or `(?flags:`, after the question mark.
    fn flag_group(&mut self, open: usize) -> Result<(), Error> {
        let mut flags = self.flags;
        let (mut seen, mut on, mut dangling) = (Vec::new(), true, false);
        loop {
            let at = self.pos;
            let c = self.bump().ok_or_else(|| self.syntax("`(` is never closed", open))?;
            if matches!(c, ':' | ')') {
                if dangling {
                    return Err(self.syntax("no flag after `-`", at));
                }
                if c == ':' {
                    self.push_frame(open, None)?;
                } else if seen.is_empty() {
                    return Err(self.syntax("no flags between `(?` and `)`", open));
                } else {
                    self.frame().last = Last::Nothing;
                }
                self.flags = flags;
                return Ok(());
            }
            if seen.contains(&c) {
                return Err(self.syntax(format!("`{c}` appears twice among the flags"), at));
            }
            seen.push(c);
            dangling = c == '-';
            match c {
                '-' => on = false,
                'i' => flags.case_insensitive = on,
                's' => flags.dot_all = on,
                'm' => flags.multi_line = on,
                'x' | 'u' | 'U' | 'R' if self.ecma => {
                    return Err(self.unsupported(format!("ECMA-262 has no inline flag `{c}`"), at));
                }
                'x' => flags.spaced = on,
                'u' => flags.unicode = on,
                'R' => flags.crlf = on,
                // Swaps greedy and lazy, which have the same matches.
                'U' => {}
                _ => return Err(self.syntax(format!("unknown flag or kind of group `(?{c}`"), at)),
            }
        }
    }
}
