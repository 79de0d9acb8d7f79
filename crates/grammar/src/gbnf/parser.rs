//! Tokens to a grammar.
//!
//! One loop and three stacks: the open groups, the items of the sequences being read, and the finished
//! alternatives. Rules get their ids when they are first seen, used or defined; what is known of them is
//! declared to the builder at the end, when the places of all definitions are known.

use std::collections::HashMap;

use super::dialect::Dialect;
use super::lexer::{Lexer, Token, quoted};
use super::suggest::nearest;
use crate::error::{Error, ErrorKind, Place};
use crate::ids::{ExprId, RuleId};
use crate::ir::{CharSet, Grammar, GrammarBuilder, TokenSet};
use crate::limits::{Budget, Limits};

/// Reads a whole grammar.
pub(super) fn parse(source: &str, dialect: Dialect, root: &str, limits: &Limits) -> Result<Grammar, Error> {
    if source.len() > limits.source_bytes {
        return Err(Error::limit("source_bytes", limits.source_bytes));
    }
    let mut parser = Parser {
        lexer: Lexer::new(source, dialect),
        builder: GrammarBuilder::new(limits),
        limits,
        symbols: Vec::new(),
        // The default hasher is keyed: names come from whoever sent the grammar.
        ids: HashMap::new(),
        groups: Vec::new(),
        items: Vec::new(),
        alternatives: Vec::new(),
    };
    parser.rules()?;
    parser.finish(root)
}

/// A rule name and what is known of it so far.
struct Symbol<'s> {
    name: &'s str,
    /// Byte offset where it was first seen.
    first_seen: usize,
    definition: Option<(Place, ExprId)>,
}

/// A group, or the body of a rule, that is being read.
struct Group {
    /// Byte offset of its `(`.
    open: usize,
    /// Where its current sequence starts among the items.
    items: usize,
    /// Where its finished alternatives start.
    alternatives: usize,
}

struct Parser<'s, 'l> {
    lexer: Lexer<'s>,
    builder: GrammarBuilder,
    limits: &'l Limits,
    symbols: Vec<Symbol<'s>>,
    ids: HashMap<&'s str, RuleId>,
    /// Open groups, the outermost first; the body of the rule is not one of them.
    groups: Vec<Group>,
    items: Vec<ExprId>,
    alternatives: Vec<ExprId>,
}

impl<'s> Parser<'s, '_> {
    /// Reads rules to the end of the text.
    fn rules(&mut self) -> Result<(), Error> {
        let mut budget = Budget::new(self.limits);
        let mut token = self.lexer.next()?;
        if token == Token::End {
            return Err(self.error("expected a rule `name ::= …`, found end of input"));
        }
        while token != Token::End {
            let name = match token {
                Token::Define(name) => name,
                Token::Name(name) => {
                    let what = format!("`::=` after rule name {}", quoted(name));
                    return Err(match self.lexer.next() {
                        Ok(next) => {
                            self.error(format!("expected {what}, found {}", self.lexer.describe(next)))
                        }
                        Err(_) => {
                            self.lexer.at = self.lexer.start;
                            self.lexer.expected(&what)
                        }
                    });
                }
                other => {
                    let found = self.lexer.describe(other);
                    return Err(self.error(format!("expected a rule `name ::= …`, found {found}")));
                }
            };
            let (start, place) = (self.lexer.start, self.lexer.place());
            if !self.lexer.starts_line {
                return Err(
                    self.error(format!("expected a newline before the definition of {}", quoted(name)))
                );
            }
            let rule = self.symbol(name)?;
            if let Some((first, _)) = self.symbols[rule.index()].definition {
                let message = format!("rule {} is defined twice, first at {first}", quoted(name));
                return Err(self.lexer.error(ErrorKind::DuplicateRule, message, start));
            }
            let (body, next) = self.body(&mut budget)?;
            self.symbols[rule.index()].definition = Some((place, body));
            token = next;
        }
        Ok(())
    }

    /// Reads the body of a rule and the token after it.
    fn body(&mut self, budget: &mut Budget<'_>) -> Result<(ExprId, Token<'s>), Error> {
        let mut group = Group { open: self.lexer.start, items: 0, alternatives: 0 };
        // Whether the last token was something that can be repeated.
        let mut repeatable = false;
        loop {
            budget.tick().map_err(|e| self.placed(e))?;
            if self.builder.arena.overflowed() {
                return Err(self.placed(Error::limit("exprs", self.limits.exprs)));
            }
            let token = self.lexer.next()?;
            let item = match token {
                Token::Literal => self.builder.arena.literal(&self.lexer.literal),
                Token::Class { negated } => {
                    let set = CharSet::from_ranges(self.lexer.ranges.iter().copied());
                    self.builder.arena.chars(&if negated { set.complement() } else { set })
                }
                Token::Terminal { negated } => {
                    let names = [self.lexer.token.clone()];
                    let set = if negated { TokenSet::but(names) } else { TokenSet::of(names) };
                    let set = set.at(self.lexer.place());
                    self.builder.arena.tokens(&set)
                }
                Token::Any => self.builder.arena.chars(&CharSet::all()),
                Token::Name(name) => {
                    let rule = self.symbol(name)?;
                    self.builder.arena.rule(rule)
                }
                Token::Repeat { min, max } => match self.items.pop() {
                    Some(item) if repeatable => self.builder.arena.repeat(item, min, max),
                    _ => {
                        let found = self.lexer.describe(token);
                        return Err(self.error(format!("expected something to repeat before {found}")));
                    }
                },
                Token::Open => {
                    if self.groups.len() >= self.limits.nesting {
                        return Err(self.placed(Error::limit("nesting", self.limits.nesting)));
                    }
                    let (items, alternatives) = (self.items.len(), self.alternatives.len());
                    let inner = Group { open: self.lexer.start, items, alternatives };
                    self.groups.push(std::mem::replace(&mut group, inner));
                    repeatable = false;
                    continue;
                }
                Token::Close => {
                    let Some(outer) = self.groups.pop() else {
                        return Err(self.error("expected no `)` here: no group is open"));
                    };
                    let item = self.end_group(&group, budget)?;
                    group = outer;
                    item
                }
                Token::Or => {
                    self.end_sequence(&group);
                    repeatable = false;
                    continue;
                }
                Token::Define(_) | Token::End => {
                    if !self.groups.is_empty() {
                        let found = self.lexer.describe(token);
                        let message = format!("unclosed group: expected `)`, found {found}");
                        return Err(self.lexer.error(ErrorKind::Syntax, message, group.open));
                    }
                    return Ok((self.end_group(&group, budget)?, token));
                }
                Token::Assign => return Err(self.error("expected a rule name before `::=`")),
            };
            self.items.push(item);
            repeatable = true;
        }
    }

    /// Makes an alternative of the items that were read since the last one.
    fn end_sequence(&mut self, group: &Group) {
        let sequence = self.builder.arena.concat(&self.items[group.items..]);
        self.items.truncate(group.items);
        self.alternatives.push(sequence);
    }

    /// Makes one expression of a group.
    fn end_group(&mut self, group: &Group, budget: &Budget<'_>) -> Result<ExprId, Error> {
        self.end_sequence(group);
        let alternatives = &self.alternatives[group.alternatives..];
        if alternatives.len() > 1_000 {
            budget.check().map_err(|e| self.placed(e))?;
        }
        let expr = self.builder.arena.alt(alternatives);
        self.alternatives.truncate(group.alternatives);
        Ok(expr)
    }

    /// The id of a rule name, which is a new one if the name is.
    fn symbol(&mut self, name: &'s str) -> Result<RuleId, Error> {
        if let Some(&id) = self.ids.get(name) {
            return Ok(id);
        }
        let id = RuleId::new(self.symbols.len()).filter(|id| id.index() < self.limits.rules);
        let id = id.ok_or_else(|| self.placed(Error::limit("rules", self.limits.rules)))?;
        self.symbols.push(Symbol { name, first_seen: self.lexer.start, definition: None });
        self.ids.insert(name, id);
        Ok(id)
    }

    /// Declares and defines what was read.
    fn finish(mut self, root: &str) -> Result<Grammar, Error> {
        let root = match self.ids.get(root) {
            Some(&id) => id,
            None => {
                let message = self.undefined(root);
                let first = self.symbols.first().map_or(0, |s| s.first_seen);
                return Err(self.lexer.error(ErrorKind::UndefinedRule, message, first));
            }
        };
        // Symbols stand in the order in which they were first seen.
        if let Some(missing) = self.symbols.iter().find(|s| s.definition.is_none()) {
            let message = self.undefined(missing.name);
            return Err(self.lexer.error(ErrorKind::UndefinedRule, message, missing.first_seen));
        }
        for symbol in &self.symbols {
            let Some((place, body)) = symbol.definition else { continue };
            let rule = self.builder.declare(symbol.name, Some(place))?;
            self.builder.define(rule, body);
        }
        self.builder.build(root)
    }

    fn undefined(&self, name: &str) -> String {
        let defined = self.symbols.iter().filter(|s| s.definition.is_some()).map(|s| s.name);
        match nearest(name, defined) {
            Some(near) => format!("rule {} is not defined; did you mean `{near}`?", quoted(name)),
            None => format!("rule {} is not defined", quoted(name)),
        }
    }

    /// A syntax error at the last token.
    fn error(&self, message: impl Into<String>) -> Error {
        self.lexer.error(ErrorKind::Syntax, message, self.lexer.start)
    }

    /// The error, at the last token.
    fn placed(&self, error: Error) -> Error {
        error.with_place(self.lexer.source, self.lexer.start)
    }
}
