//! Removes left recursion: direct, indirect, and hidden behind parts that may be empty.
//!
//! The rules A₁…Aₙ of one cycle of calls that come before any byte are a linear system: with Aₖ⁺ for the
//! non-empty texts of Aₖ,
//!
//! ```text
//! Aₖ⁺ = Cₖ | A₁⁺ B₁ₖ | … | Aₙ⁺ Bₙₖ        where no Cₖ starts with a call of the cycle
//! ```
//!
//! whose least solution is `A⁺ = C B*`. The star of the matrix becomes rules of its own, right recursive:
//!
//! ```text
//! Aᵢ⁺ = C₁ X₁ᵢ | … | Cₙ Xₙᵢ        Xᵢᵢ ∋ ε        Xⱼᵢ = Bⱼ₁ X₁ᵢ | … | Bⱼₙ Xₙᵢ
//! ```
//!
//! A Bⱼₖ that may be empty would make the X left recursive again, so rules that are equal because of such
//! steps in both directions are first merged into classes; between classes those steps have no cycle.
//! Only rules that are still called get a body: most X are never made.
//!
//! Inlining left calls until the recursion is direct (Paull's algorithm) was not chosen: it squares the grammar
//! with every rule of the cycle, and the order of the rules decides how large the result is.

use rustc_hash::FxHashMap;

use super::corner::{Corner, Corners};
use super::graph::components;
use super::nonempty::NonEmpty;
use super::nullable::nullable;
use super::rewrite::{Reach, keep_reachable, rule_ids};
use crate::error::{Error, ErrorKind};
use crate::ids::{ExprId, RuleId};
use crate::ir::{Arena, Expr, Grammar, Survey};
use crate::limits::Budget;

/// The rules of the grammar that can call themselves before any byte is read.
///
/// Empty for what [`prepare`](super::prepare) returns.
pub fn left_recursive(grammar: &Grammar) -> Vec<RuleId> {
    let mut rules: Vec<RuleId> =
        cycles(grammar, &nullable(grammar)).into_iter().flat_map(|c| c.rules).collect();
    rules.sort_unstable();
    rules
}

/// Rules that call each other before any byte, and the expressions through which they do.
struct Cycle {
    rules: Vec<RuleId>,
    exprs: Vec<ExprId>,
}

fn cycles(grammar: &Grammar, nullable: &[bool]) -> Vec<Cycle> {
    let arena = grammar.arena();
    let roots = grammar.rules().iter().map(|r| r.body.index());
    let found = components(arena.len(), roots, |node, out| {
        if let Some(id) = ExprId::new(node) {
            out.extend(left_children(grammar, nullable, id).iter().map(|c| c.index()));
        }
    });
    let as_cycle = |members: &[usize]| {
        let mut exprs: Vec<ExprId> = members.iter().filter_map(|&i| ExprId::new(i)).collect();
        exprs.sort_unstable();
        let rules =
            exprs.iter().filter_map(|&e| if let Expr::Rule(r) = arena.get(e) { Some(r) } else { None });
        Cycle { rules: rules.collect(), exprs }
    };
    let is_cycle = |c: &Cycle| match (&c.exprs[..], &c.rules[..]) {
        ([call], [rule]) => grammar.rule(*rule).body == *call,
        (_, rules) => !rules.is_empty(),
    };
    found.iter().map(as_cycle).filter(is_cycle).collect()
}

/// Whether some expression can start with itself.
fn has_cycle(grammar: &Grammar, nullable: &[bool]) -> bool {
    const OPEN: u8 = 1;
    const DONE: u8 = 2;
    let mut marks = vec![0; grammar.arena().len()];
    let mut path: Vec<(ExprId, usize)> = Vec::new();
    for rule in grammar.rules() {
        path.push((rule.body, 0));
        while let Some((id, next)) = path.last_mut() {
            let at = id.index();
            if *next == 0 && marks[at] == OPEN {
                return true;
            }
            let starts = left_children(grammar, nullable, *id);
            if marks[at] == DONE || *next == starts.len() {
                marks[at] = DONE;
                path.pop();
                continue;
            }
            marks[at] = OPEN;
            let start = starts[*next];
            *next += 1;
            path.push((start, 0));
        }
    }
    false
}

/// What an expression can start with; for a call, the body of the rule.
fn left_children<'a>(grammar: &'a Grammar, nullable: &[bool], id: ExprId) -> &'a [ExprId] {
    let arena = grammar.arena();
    match arena.get(id) {
        Expr::Concat(list) => {
            let list = arena.list(list);
            let head = list.iter().position(|c| !nullable[c.index()]).map_or(list.len(), |i| i + 1);
            &list[..head]
        }
        Expr::Rule(_) | Expr::Alt(_) | Expr::Repeat { .. } => grammar.parts(id),
        // Entries are never empty, so no separator comes first.
        Expr::Members(_) => &arena.children(id)[1..],
        _ => &[],
    }
}

/// Takes out left recursion, in the same language; answers whether there is any.
pub(super) fn remove(
    grammar: &mut Grammar,
    survey: &Survey,
    budget: &mut Budget<'_>,
    is_never: &mut dyn FnMut(&Arena, ExprId) -> Result<bool, Error>,
) -> Result<bool, Error> {
    if !survey.recursive {
        return Ok(false);
    }
    let nullable = nullable(grammar);
    if !has_cycle(grammar, &nullable) {
        return Ok(false);
    }
    let cycles = cycles(grammar, &nullable);
    if cycles.is_empty() {
        return Ok(false);
    }
    let is_members = |id: &ExprId| matches!(grammar.arena().get(*id), Expr::Members(_));
    if let Some(cycle) = cycles.iter().find(|c| c.exprs.iter().any(is_members)) {
        let rule = grammar.rule(cycle.rules[0]);
        let message = format!("rule `{}` calls itself at the start of counted members", rule.name);
        return Err(Error::at_place(ErrorKind::Unsupported, message, rule.place));
    }
    let root = grammar.root();
    let mut solver = Solver {
        kinds: vec![Kind::Plain; grammar.rules().len()],
        systems: Vec::new(),
        tails: FxHashMap::default(),
        todo: vec![root],
        exprs: NonEmpty::new(grammar.take(), nullable, budget, is_never),
    };
    for (number, cycle) in cycles.into_iter().enumerate() {
        cycle.rules.iter().for_each(|rule| solver.kinds[rule.index()] = Kind::Cyclic(number));
        solver.systems.push(System::Open(cycle));
    }
    solver.run()?;
    let solved = solver.exprs.finish(root)?;
    let survey = Survey::of(&solved);
    *grammar = keep_reachable(solved, &survey, budget)?;
    Ok(true)
}

/// Where a rule's new body comes from.
#[derive(Clone, Copy)]
enum Kind {
    /// It stays as it was.
    Plain,
    /// It is one of the unknowns of a system.
    Cyclic(usize),
    /// X of a system: what follows a text of class `from` to make one of class `to`.
    Tail { system: usize, from: usize, to: usize },
}

enum System {
    Open(Cycle),
    Closed(Classes),
}

/// A system after rules that are equal to each other were merged.
#[derive(Default)]
struct Classes {
    class_of: FxHashMap<RuleId, usize>,
    /// A rule of each class, for its name and place.
    names: Vec<RuleId>,
    /// What each class matches without going through the cycle.
    bases: Vec<ExprId>,
    /// What can follow a text of each class, and the class this makes.
    steps: Vec<Vec<(ExprId, usize)>>,
}

struct Solver<'a, 'b, 'l> {
    exprs: NonEmpty<'a, 'b, 'l>,
    kinds: Vec<Kind>,
    systems: Vec<System>,
    tails: FxHashMap<(usize, usize, usize), RuleId>,
    todo: Vec<RuleId>,
}

impl Solver<'_, '_, '_> {
    /// Gives a body to every rule that the root reaches.
    fn run(&mut self) -> Result<(), Error> {
        let mut reach = Reach::default();
        let mut done: Vec<bool> = Vec::new();
        while let Some(rule) = self.todo.pop() {
            done.resize(self.exprs.builder.rule_count(), false);
            if std::mem::replace(&mut done[rule.index()], true) {
                continue;
            }
            let body = self.body(rule)?;
            self.exprs.builder.define(rule, body);
            reach.visit(&self.exprs.builder.arena, body, |called| self.todo.push(called));
        }
        let never = self.exprs.builder.arena.never();
        for rule in rule_ids(self.exprs.builder.rule_count()) {
            if self.exprs.builder.body(rule).is_none() {
                self.exprs.builder.define(rule, never);
            }
        }
        Ok(())
    }

    fn kind(&self, rule: RuleId) -> Kind {
        self.kinds.get(rule.index()).copied().unwrap_or(Kind::Plain)
    }

    fn body(&mut self, rule: RuleId) -> Result<ExprId, Error> {
        if let Some(whole) = self.exprs.whole_of(rule) {
            return match self.kind(whole) {
                Kind::Cyclic(system) => self.solution(system, whole),
                _ => self.exprs.nonempty(self.exprs.original_body(whole)),
            };
        }
        match self.kind(rule) {
            Kind::Plain => Ok(self.exprs.original_body(rule)),
            Kind::Cyclic(_) if self.exprs.is_nullable_rule(rule) => {
                let some = self.exprs.nonempty_rule(rule)?;
                Ok(self.exprs.builder.arena.optional(some))
            }
            Kind::Cyclic(system) => self.solution(system, rule),
            Kind::Tail { system, from, to } => self.tail_body(system, from, to),
        }
    }

    /// The non-empty texts of an unknown: Σ Cⱼ Xⱼᵢ.
    fn solution(&mut self, system: usize, rule: RuleId) -> Result<ExprId, Error> {
        self.close(system)?;
        let to = self.classes(system).class_of[&rule];
        let bases = self.classes(system).bases.clone();
        let mut parts = Vec::new();
        for (from, base) in bases.into_iter().enumerate() {
            if base != self.exprs.builder.arena.never() {
                let tail = self.tail(system, from, to)?;
                parts.push(self.exprs.concat(&[base, tail])?);
            }
        }
        Ok(self.exprs.builder.arena.alt(&parts))
    }

    /// The body of X: Σ Bⱼₖ Xₖᵢ, and nothing if both classes are the same.
    fn tail_body(&mut self, system: usize, from: usize, to: usize) -> Result<ExprId, Error> {
        let steps = self.classes(system).steps[from].clone();
        let mut parts = Vec::new();
        if from == to {
            parts.push(self.exprs.builder.arena.empty());
        }
        for (step, next) in steps {
            let tail = self.tail(system, next, to)?;
            parts.push(self.exprs.concat(&[step, tail])?);
        }
        Ok(self.exprs.builder.arena.alt(&parts))
    }

    /// A call of X.
    fn tail(&mut self, system: usize, from: usize, to: usize) -> Result<ExprId, Error> {
        let key = (system, from, to);
        let rule = match self.tails.get(&key) {
            Some(&rule) => rule,
            None => {
                let names = &self.classes(system).names;
                let (from_rule, to_rule) = (names[from], names[to]);
                let rule = self.exprs.declare_like(to_rule, |builder| {
                    format!("{}<{}", builder.name(to_rule), builder.name(from_rule))
                })?;
                self.kinds.resize(rule.index() + 1, Kind::Plain);
                self.kinds[rule.index()] = Kind::Tail { system, from, to };
                self.tails.insert(key, rule);
                rule
            }
        };
        Ok(self.exprs.builder.arena.rule(rule))
    }

    fn classes(&self, system: usize) -> &Classes {
        match &self.systems[system] {
            System::Closed(classes) => classes,
            System::Open(_) => unreachable!("a system is closed before it is read"),
        }
    }

    /// Writes down the equations of a system, once.
    fn close(&mut self, system: usize) -> Result<(), Error> {
        if let System::Open(cycle) = &self.systems[system] {
            let corners = Corners::of(&cycle.exprs, &mut self.exprs)?;
            let rules = &cycle.rules;
            let corners: Vec<Corner> =
                rules.iter().map(|&r| corners.body(self.exprs.original_body(r))).collect();
            let classes = classes(rules, corners, &mut self.exprs)?;
            self.systems[system] = System::Closed(classes);
        }
        Ok(())
    }
}

/// Merges rules that lead to each other by steps that may be empty, and adds up their equations.
fn classes(
    rules: &[RuleId],
    corners: Vec<Corner>,
    exprs: &mut NonEmpty<'_, '_, '_>,
) -> Result<Classes, Error> {
    let numbers: FxHashMap<RuleId, usize> = rules.iter().enumerate().map(|(i, &r)| (r, i)).collect();
    // A text of rule j followed by B makes one of rule k.
    let mut empty_steps: Vec<Vec<usize>> = vec![Vec::new(); rules.len()];
    let mut real_steps: Vec<(usize, ExprId, usize)> = Vec::new();
    for (k, corner) in corners.iter().enumerate() {
        for &(head, rest) in &corner.heads {
            let j = numbers[&head];
            if exprs.is_nullable(rest) && j != k {
                empty_steps[j].push(k);
            }
            let rest = exprs.nonempty(rest)?;
            if rest != exprs.builder.arena.never() {
                real_steps.push((j, rest, k));
            }
        }
    }
    let found = components(rules.len(), 0..rules.len(), |j, out| out.extend_from_slice(&empty_steps[j]));
    let mut class = vec![0; rules.len()];
    let mut sums = Classes::default();
    for (number, members) in found.iter().enumerate() {
        members.iter().for_each(|&j| class[j] = number);
        sums.names.push(rules[members[0]]);
        let bases: Vec<ExprId> = members.iter().map(|&j| corners[j].base).collect();
        sums.bases.push(exprs.builder.arena.alt(&bases));
    }
    sums.class_of = rules.iter().zip(&class).map(|(&r, &c)| (r, c)).collect();
    sums.steps = add_up_steps(&class, sums.names.len(), &empty_steps, real_steps, exprs);
    Ok(sums)
}

fn add_up_steps(
    class: &[usize],
    classes: usize,
    empty_steps: &[Vec<usize>],
    real_steps: Vec<(usize, ExprId, usize)>,
    exprs: &mut NonEmpty<'_, '_, '_>,
) -> Vec<Vec<(ExprId, usize)>> {
    let empty = exprs.builder.arena.empty();
    let mut sums: FxHashMap<(usize, usize), Vec<ExprId>> = FxHashMap::default();
    for (j, rest, k) in real_steps {
        sums.entry((class[j], class[k])).or_default().push(rest);
    }
    for (j, nexts) in empty_steps.iter().enumerate() {
        for &k in nexts.iter().filter(|&&k| class[k] != class[j]) {
            sums.entry((class[j], class[k])).or_default().push(empty);
        }
    }
    let mut sums: Vec<_> = sums.into_iter().collect();
    sums.sort_unstable_by_key(|s| s.0);
    let mut steps = vec![Vec::new(); classes];
    for ((from, to), parts) in sums {
        steps[from].push((exprs.builder.arena.alt(&parts), to));
    }
    steps
}
