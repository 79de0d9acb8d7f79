//! Automata for the boolean nodes of the IR: intersection, complement and regions with lookaround.
//!
//! In: a regular expression of a grammar. Out: a [`SpanAutomaton`], which reads the text of one match byte by
//! byte and says whether it is a match and whether it can become one.
//!
//! An assertion is a *label*: a claim about every position of the region. A *world* is one consistent story
//! about the labels of the text read so far. Whether a lookbehind holds is known at once, from a second
//! expression that reads the same text (`.*A`). A lookahead is guessed both ways; the guess (`A.*`, or its
//! complement) joins the goal that the rest of the text has to meet, so a wrong guess dies. At each position
//! exactly one guess is right: the worlds that survive are right about everything, also below a complement.
//!
//! Rejected: a bounded search over continuations. It can say "yes" but never "no", and the masks of a grammar
//! with `\b` in it could not be checked.

mod convert;
mod re;

use rustc_hash::{FxHashMap, FxHashSet};
use tokenstile_grammar::{ExprId, Grammar};

use self::re::{Labels, Pool, ReId};
use crate::Viability;

pub(crate) use self::convert::has_open_look;

/// Worlds that one emptiness test may visit before it answers [`Viability::Unknown`].
const MAX_WORLDS: usize = 20_000;

/// An assertion of the region.
#[derive(Debug)]
struct Look {
    behind: bool,
    /// `A.*` for a lookahead, `.*A` for a lookbehind.
    re: ReId,
}

/// A story about the text so far: what the rest of the text must match, and, for every lookbehind, what must
/// be empty for it to hold here.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
struct World {
    goal: ReId,
    behind: Vec<ReId>,
}

#[derive(Debug)]
struct State {
    worlds: Vec<World>,
    accepting: bool,
    viability: Viability,
}

/// A lazily built deterministic automaton for one regular expression of a grammar. Membership is exact;
/// viability is exact unless the emptiness test runs out of its budget.
#[derive(Debug)]
pub struct SpanAutomaton {
    pool: Pool,
    looks: Vec<Look>,
    /// For each byte, the smallest byte that no set of the expression tells from it.
    class: [u8; 256],
    states: Vec<State>,
    ids: FxHashMap<Vec<World>, u32>,
    steps: FxHashMap<(u32, u8), u32>,
    emptiness: FxHashMap<World, Viability>,
}

impl SpanAutomaton {
    /// The state from which nothing is matched.
    pub const DEAD: u32 = 0;
    /// The state before any text.
    pub const START: u32 = 1;

    /// The automaton of `expr`. The text it reads is the whole region of assertions that are directly in it.
    ///
    /// # Panics
    /// If `expr` calls a rule, or has more than 64 different assertions in one region.
    pub fn new(grammar: &Grammar, expr: ExprId) -> Self {
        let converted = convert::convert(grammar, expr);
        let mut automaton = SpanAutomaton {
            pool: converted.pool,
            looks: converted.looks,
            class: converted.class,
            states: Vec::new(),
            ids: FxHashMap::default(),
            steps: FxHashMap::default(),
            emptiness: FxHashMap::default(),
        };
        automaton.add_state(Vec::new());
        let behind = automaton.looks.iter().map(|l| if l.behind { l.re } else { Pool::NEVER }).collect();
        let start = automaton.live(vec![World { goal: converted.re, behind }]);
        automaton.add_state(start);
        automaton
    }

    /// Whether the text that led to `state` is a match.
    pub fn is_accepting(&self, state: u32) -> bool {
        self.states[state as usize].accepting
    }

    /// Whether some continuation of the text that led to `state` is a match.
    pub fn viability(&self, state: u32) -> Viability {
        self.states[state as usize].viability
    }

    /// The state after one more byte.
    pub fn step(&mut self, state: u32, byte: u8) -> u32 {
        let byte = self.class[byte as usize];
        if let Some(&known) = self.steps.get(&(state, byte)) {
            return known;
        }
        let worlds = self.states[state as usize].worlds.clone();
        let next = worlds.iter().flat_map(|world| self.successors(world, byte)).collect();
        let next = self.live(next);
        let next = match self.ids.get(&next) {
            Some(&id) => id,
            None => self.add_state(next),
        };
        self.steps.insert((state, byte), next);
        next
    }

    fn add_state(&mut self, worlds: Vec<World>) -> u32 {
        let id = self.states.len() as u32;
        let viability = worlds.iter().map(|w| self.emptiness[w]).max().unwrap_or(Viability::No);
        let accepting = worlds.iter().any(|world| self.accepts(world));
        self.states.push(State { worlds: worlds.clone(), accepting, viability });
        self.ids.entry(worlds).or_insert(id);
        id
    }

    /// The worlds that may still end well, sorted.
    fn live(&mut self, mut worlds: Vec<World>) -> Vec<World> {
        worlds.sort_unstable();
        worlds.dedup();
        worlds.retain(|world| self.can_end(world) != Viability::No);
        worlds
    }

    /// Whether the text may end here: every label is known then, inner ones first.
    fn accepts(&self, world: &World) -> bool {
        let mut labels: Labels = 0;
        for (i, look) in self.looks.iter().enumerate() {
            let re = if look.behind { world.behind[i] } else { look.re };
            labels |= Labels::from(self.pool.nullable(re, labels)) << i;
        }
        self.pool.nullable(world.goal, labels)
    }

    /// The worlds after one more byte, one for each guess about the lookaheads that matter here.
    fn successors(&mut self, world: &World, byte: u8) -> Vec<World> {
        let asked = self.asked(world);
        let guessed: Vec<usize> =
            (0..self.looks.len()).filter(|&i| !self.looks[i].behind && asked >> i & 1 == 1).collect();
        let mut next = Vec::new();
        for guess in 0..1u64 << guessed.len() {
            let mut labels: Labels =
                guessed.iter().enumerate().fold(0, |all, (bit, &i)| all | (guess >> bit & 1) << i);
            for i in 0..self.looks.len() {
                if self.looks[i].behind {
                    labels |= Labels::from(self.pool.nullable(world.behind[i], labels)) << i;
                }
            }
            let mut goals = vec![world.goal];
            for &i in &guessed {
                let ahead = self.looks[i].re;
                goals.push(if labels >> i & 1 == 1 { ahead } else { self.pool.not(ahead) });
            }
            let goal = self.pool.and(goals);
            let goal = self.pool.derivative(goal, labels, byte);
            if goal == Pool::NEVER {
                continue;
            }
            let behind = world.behind.iter().map(|&re| self.pool.derivative(re, labels, byte)).collect();
            next.push(World { goal, behind });
        }
        next
    }

    /// The labels that matter for a step: those asked for by the goal or a lookbehind, and by lookaheads that
    /// are themselves asked for.
    fn asked(&self, world: &World) -> Labels {
        let mut asked =
            world.behind.iter().fold(self.pool.asked(world.goal), |all, &re| all | self.pool.asked(re));
        for (i, look) in self.looks.iter().enumerate().rev() {
            if !look.behind && asked >> i & 1 == 1 {
                asked |= self.pool.asked(look.re);
            }
        }
        asked
    }

    /// Whether some text leads from `world` to a world that accepts: breadth-first search over all bytes that
    /// the expression can tell apart.
    fn can_end(&mut self, world: &World) -> Viability {
        if let Some(&known) = self.emptiness.get(world) {
            return known;
        }
        let bytes: Vec<u8> = (0..=255).filter(|&b| self.class[b as usize] == b).collect();
        let mut queue = vec![(world.clone(), 0)];
        let mut seen: FxHashSet<World> = FxHashSet::from_iter([world.clone()]);
        let mut at = 0;
        while let Some((here, _)) = queue.get(at).cloned() {
            match self.emptiness.get(&here) {
                Some(Viability::No) => {}
                known if known == Some(&Viability::Yes) || self.accepts(&here) => {
                    self.mark_path(&queue, at);
                    return Viability::Yes;
                }
                _ if queue.len() > MAX_WORLDS => {
                    self.emptiness.insert(world.clone(), Viability::Unknown);
                    return Viability::Unknown;
                }
                _ => {
                    for &byte in &bytes {
                        let fresh =
                            self.successors(&here, byte).into_iter().filter(|w| seen.insert(w.clone()));
                        queue.extend(fresh.map(|w| (w, at)));
                    }
                }
            }
            at += 1;
        }
        self.emptiness.extend(queue.into_iter().map(|(w, _)| (w, Viability::No)));
        Viability::No
    }

    /// Everything on the way to a world that ends well ends well.
    fn mark_path(&mut self, queue: &[(World, usize)], mut at: usize) {
        loop {
            self.emptiness.insert(queue[at].0.clone(), Viability::Yes);
            if at == 0 {
                return;
            }
            at = queue[at].1;
        }
    }
}
