//! The prepared grammar in the form the automaton reads: expressions, rule bodies, and what is known of them.

use std::sync::{Arc, OnceLock};

use rustc_hash::{FxHashMap, FxHashSet};
use tokenstile_grammar::ir::{Arena, Expr, Members, Tallies};
use tokenstile_grammar::{CharSetId, Error, ErrorKind, ExprId, Grammar, MembersId, RuleId};

use super::exceptions::Exceptions;
use super::lengths::lengths;
use super::shortest::ShortestTexts;
use crate::ablate::{Switch, is_off};
use crate::tokens::class::{CharClass, LackId};
use crate::tokens::runs::Lacks;
use crate::tokens::tables::Tables;
use crate::tuning::exprs::{CALLS_LOOKED, COUNTED};

/// See the module documentation.
pub(crate) struct Program {
    pub(crate) arena: Arena,
    pub(crate) bodies: Vec<ExprId>,
    pub(crate) root: ExprId,
    /// The rule that it is the body of, if there are rules.
    root_rule: Option<RuleId>,
    /// Whether rules call themselves, once that was asked.
    recursive: Vec<OnceLock<bool>>,
    /// Whether an expression matches the empty text.
    pub(crate) nullable: Vec<bool>,
    /// Any byte string.
    pub(crate) anything: ExprId,
    /// From this many bytes on, a counter cannot run out within one token.
    pub(crate) far: u32,
    /// The character sets as the vocabulary sees them, but for the first so many: those are the base's.
    classes: Vec<OnceLock<CharClass>>,
    shared_sets: usize,
    tallies: Vec<OnceLock<Tallies>>,
    shortest: OnceLock<ShortestTexts>,
    lengths: OnceLock<Vec<u32>>,
    /// For each members, whether its entries are frames; inside booleans and assertions there are none.
    framed: Vec<bool>,
    /// What character sets lack of the characters past ASCII that the vocabulary can spell.
    lacks: Arc<Lacks>,
    /// The lookbehinds of each region that has assertions; regions without any are not listed.
    regions: FxHashMap<ExprId, Vec<Behind>>,
    /// The conjunctions, in order; those that are texts of a loop but for a few with what there is to know of them.
    excepts: Vec<(ExprId, OnceLock<Option<Exceptions>>)>,
    /// Whether there are any booleans.
    pub(crate) booleans: bool,
    /// Whether there are loops whose rounds are counted, besides those of the base.
    pub(crate) counts: bool,
}

/// The bodies of all rules, and whether each expression matches the empty text, as far as it is known.
#[derive(Default)]
struct Rules {
    bodies: Vec<ExprId>,
    nullable: Vec<bool>,
    root: Option<RuleId>,
}

/// What kinds of expressions there are.
#[derive(Clone, Copy, Default)]
struct Kinds {
    booleans: bool,
    looks: bool,
    counts: bool,
    /// None of these are among the first so many expressions.
    start: usize,
}

impl Kinds {
    fn of(arena: &Arena) -> Self {
        let start = arena.base().filter(|base| !base.has_booleans()).map_or(0, |base| base.len());
        Kinds::from(arena, start)
    }

    /// Those of the expressions from the `start`-th on.
    fn from(arena: &Arena, start: usize) -> Self {
        let mut kinds = Kinds { start, ..Kinds::default() };
        for expr in (start..arena.len()).filter_map(ExprId::new).map(|id| arena.get(id)) {
            kinds.looks |= matches!(expr, Expr::Look { .. });
            kinds.booleans |= expr.is_boolean();
            kinds.counts |= matches!(expr, Expr::Repeat { max: Some(COUNTED..), .. });
        }
        kinds
    }

    /// The expressions of one kind.
    fn all(self, arena: &Arena, is_one: impl Fn(Expr) -> bool) -> Vec<ExprId> {
        let start = if self.booleans { self.start } else { arena.len() };
        (start..arena.len()).filter_map(ExprId::new).filter(|id| is_one(arena.get(*id))).collect()
    }
}

/// A lookbehind: the assertion, and "any text that ends with it".
#[derive(Clone, Copy)]
pub(crate) struct Behind {
    pub(crate) look: ExprId,
    pub(crate) ends_with: ExprId,
}

impl Program {
    pub(crate) fn new(grammar: Grammar, tables: &Tables) -> Result<Self, Error> {
        let bodies: Vec<ExprId> = grammar.rules().iter().map(|r| r.body).collect();
        let root = bodies[grammar.root().index()];
        let nullable = tokenstile_grammar::passes::nullable(&grammar);
        let rules = Rules { bodies, nullable, root: Some(grammar.root()) };
        let (arena, lacks) = (grammar.into_arena(), tables.profile.lacks.clone());
        let program = Program::build(arena, rules, root, tables.trie.longest, lacks)?;
        program.arena.all_members().try_for_each(Members::check)?;
        Ok(program)
    }

    /// A program that is just one regular expression, to find out something about it.
    pub(crate) fn of_expr(arena: Arena, expr: ExprId) -> Result<Self, Error> {
        let lacks = Arc::new(Lacks::none());
        Program::build(arena, Rules::default(), expr, 0, lacks)
    }

    fn build(
        mut arena: Arena,
        rules: Rules,
        root: ExprId,
        longest_token: usize,
        lacks: Arc<Lacks>,
    ) -> Result<Self, Error> {
        let anything = arena.anything();
        let (mut regions, mut nullable) = (FxHashMap::default(), rules.nullable);
        let mut framed = vec![true; arena.all_members().len()];
        let kinds = Kinds::of(&arena);
        if kinds.booleans {
            regions = find_regions(&mut arena, anything, kinds)?;
            find_framed(&arena, &mut framed, kinds);
        }
        if kinds.looks || nullable.len() != arena.len() {
            nullable = find_nullable(&arena, &rules.bodies, &nullable);
        }
        let shared_sets = arena.shared_char_sets();
        let classes = (shared_sets..arena.char_sets().len()).map(|_| OnceLock::new()).collect();
        let conjunctions = kinds.all(&arena, |expr| matches!(expr, Expr::And(_)));
        let excepts = conjunctions.into_iter().map(|id| (id, OnceLock::new())).collect();
        let tallies = arena.all_members().map(|_| OnceLock::new()).collect();
        let far = u32::try_from(longest_token).unwrap_or(u32::MAX - 2).saturating_add(1);
        Ok(Program {
            arena,
            recursive: rules.bodies.iter().map(|_| OnceLock::new()).collect(),
            bodies: rules.bodies,
            root,
            root_rule: rules.root,
            nullable,
            anything,
            far,
            classes,
            shared_sets,
            tallies,
            shortest: OnceLock::new(),
            lengths: OnceLock::new(),
            framed,
            lacks,
            regions,
            excepts,
            booleans: kinds.booleans,
            counts: kinds.counts,
        })
    }

    /// What the text matches from its start: a call of the root if that is called elsewhere too, so that it is one and the
    /// same frame everywhere.
    pub(crate) fn start(&self) -> ExprId {
        let Some(rule) = self.root_rule else { return self.root };
        let mut own = (self.arena.base_len()..self.arena.len()).filter_map(ExprId::new);
        let call = own.find(|&id| self.arena.get(id) == Expr::Rule(rule));
        call.filter(|_| self.is_recursive(rule)).unwrap_or(self.root)
    }

    /// Whether a rule calls itself, as far as that is soon found, or is one of the base, which many grammars call.
    pub(crate) fn is_recursive(&self, rule: RuleId) -> bool {
        let shared = self.arena.base().map_or(0, |base| base.rule_count());
        let known = || rule.index() < shared || self.reaches(rule, shared);
        *self.recursive[rule.index()].get_or_init(known)
    }

    fn reaches(&self, rule: RuleId, shared: usize) -> bool {
        let (mut seen, mut todo) = (FxHashSet::default(), vec![self.bodies[rule.index()]]);
        while let Some(id) = todo.pop() {
            if !seen.insert(id) {
                continue;
            }
            match self.arena.get(id) {
                Expr::Rule(called) if called == rule => return true,
                // The base calls nothing but its own.
                Expr::Rule(called) if called.index() < shared => {}
                Expr::Rule(called) => todo.push(self.bodies[called.index()]),
                _ => todo.extend_from_slice(self.arena.children(id)),
            }
            if seen.len() > CALLS_LOOKED {
                return false;
            }
        }
        false
    }

    /// What there is to know of a conjunction that is texts of a loop but for a few.
    pub(crate) fn exceptions(&self, id: ExprId) -> Option<&Exceptions> {
        if is_off(Switch::ExceptedCells) {
            return None;
        }
        let at = self.excepts.binary_search_by_key(&id, |known| known.0).ok()?;
        self.excepts[at].1.get_or_init(|| Exceptions::of(&self.arena, id)).as_ref()
    }

    /// What is known of the shortest texts of each expression.
    pub(crate) fn shortest_texts(&self) -> &ShortestTexts {
        self.shortest.get_or_init(|| ShortestTexts::new(&self.arena))
    }

    /// How the entries of some members are counted.
    #[inline]
    pub(crate) fn tallies(&self, members: MembersId) -> &Tallies {
        self.tallies[members.index()].get_or_init(|| Tallies::new(self.arena.members_of(members)))
    }

    /// About how many bytes the shortest text of each expression has: see [`lengths`].
    pub(crate) fn lengths(&self) -> &[u32] {
        self.lengths.get_or_init(|| lengths(&self.arena, &self.bodies))
    }

    /// Whether the entries of some members are frames of their own.
    #[inline]
    pub(crate) fn is_framed(&self, members: MembersId) -> bool {
        self.framed[members.index()]
    }

    /// A character set as the vocabulary's tables see it.
    pub(crate) fn class(&self, set: CharSetId) -> CharClass {
        let known = match set.index().checked_sub(self.shared_sets) {
            Some(at) => &self.classes[at],
            None => &self.lacks.base_classes(self.shared_sets)[set.index()],
        };
        *known.get_or_init(|| {
            let set = self.arena.char_set(set);
            let lack = self.lacks.of(set);
            CharClass { ascii: set.ascii(), wide: lack.is_some(), lack: lack.unwrap_or(LackId::NOTHING) }
        })
    }

    /// The lookbehinds of a region, or `None` if it has no assertion at all.
    pub(crate) fn region(&self, id: ExprId) -> Option<&[Behind]> {
        self.regions.get(&id).map(Vec::as_slice)
    }

    pub(crate) fn is_nullable(&self, id: ExprId) -> bool {
        self.nullable[id.index()]
    }
}

/// What an expression of a region stands in.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Inside {
    /// The region itself, or a lookahead in it.
    Region,
    Behind,
    Boolean,
}

impl Inside {
    /// Refuses an assertion that stands where its text cannot be known.
    fn check(self) -> Result<(), Error> {
        let what = match self {
            Inside::Region => return Ok(()),
            Inside::Behind => "an assertion inside a lookbehind cannot be enforced",
            Inside::Boolean => {
                "an assertion inside an intersection or complement needs a region of its own there"
            }
        };
        Err(Error::new(ErrorKind::Unsupported, what))
    }
}

/// For every region with assertions, its lookbehinds.
fn find_regions(
    arena: &mut Arena,
    anything: ExprId,
    kinds: Kinds,
) -> Result<FxHashMap<ExprId, Vec<Behind>>, Error> {
    let ids = kinds.all(arena, |expr| matches!(expr, Expr::Region(_)));
    let mut regions = FxHashMap::default();
    for id in ids {
        let Expr::Region(inner) = arena.get(id) else { continue };
        let mut found = false;
        let mut behinds: Vec<Behind> = Vec::new();
        let mut todo = vec![(inner, Inside::Region)];
        let mut seen = rustc_hash::FxHashSet::default();
        while let Some((expr, inside)) = todo.pop() {
            if !seen.insert((expr, inside)) {
                continue;
            }
            match arena.get(expr) {
                Expr::Region(_) => {}
                Expr::Look { expr: inner, behind, .. } => {
                    inside.check()?;
                    found = true;
                    if behind {
                        let ends_with = arena.concat(&[anything, inner]);
                        behinds.push(Behind { look: expr, ends_with });
                    }
                    todo.push((inner, if behind { Inside::Behind } else { Inside::Region }));
                }
                Expr::And(_) | Expr::Not(_) => {
                    todo.extend(arena.children(expr).iter().map(|&c| (c, Inside::Boolean)));
                }
                _ => todo.extend(arena.children(expr).iter().map(|&c| (c, inside))),
            }
        }
        if found {
            regions.insert(id, behinds);
        }
    }
    Ok(regions)
}

/// Takes the members that stand in booleans or assertions out of those whose entries are frames.
fn find_framed(arena: &Arena, framed: &mut [bool], kinds: Kinds) {
    let mut inside = vec![false; arena.len()];
    let mut todo = kinds.all(arena, Expr::is_boolean);
    while let Some(id) = todo.pop() {
        if std::mem::replace(&mut inside[id.index()], true) {
            continue;
        }
        if let Expr::Members(members) = arena.get(id) {
            framed[members.index()] = false;
        }
        todo.extend_from_slice(arena.children(id));
    }
}

/// Which expressions match the empty text wherever they stand, given which bodies do. An assertion does not: it
/// depends on the place. A region does if it matches as a whole.
fn find_nullable(arena: &Arena, bodies: &[ExprId], known: &[bool]) -> Vec<bool> {
    let rules: Vec<bool> =
        bodies.iter().map(|body| known.get(body.index()).copied().unwrap_or(false)).collect();
    let mut anywhere: Vec<bool> = Vec::with_capacity(arena.len());
    // The same for a region whose text is empty, where every assertion can be decided.
    let mut in_empty: Vec<bool> = Vec::with_capacity(arena.len());
    for (_, expr) in arena.iter() {
        let of = |known: &[bool]| match expr {
            Expr::Never
            | Expr::Bytes(_)
            | Expr::Chars(_)
            | Expr::Literal(_)
            | Expr::Tokens(_)
            | Expr::Look { .. } => false,
            Expr::Empty => true,
            Expr::Concat(l) | Expr::And(l) => arena.list(l).iter().all(|c| known[c.index()]),
            Expr::Alt(l) => arena.list(l).iter().any(|c| known[c.index()]),
            Expr::Repeat { expr, min, .. } => min == 0 || known[expr.index()],
            Expr::Rule(r) => rules.get(r.index()).copied().unwrap_or(false),
            Expr::Not(e) => !known[e.index()],
            Expr::Region(e) => in_empty[e.index()],
            Expr::Members(members) => arena.members_of(members).may_be_empty(),
            Expr::Machine(machine) => {
                let machine = &arena.machine_of(machine).0;
                machine.accepts(&machine.start())
            }
        };
        let empty = match expr {
            Expr::Look { expr, negated, .. } => in_empty[expr.index()] != negated,
            _ => of(&in_empty),
        };
        anywhere.push(of(&anywhere));
        in_empty.push(empty);
    }
    anywhere
}
