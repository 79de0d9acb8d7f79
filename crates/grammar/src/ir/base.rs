//! What many grammars begin with: expressions and rules that are the same in all of them.
//!
//! A notation that needs much of the same in every grammar (JSON Schema: any string, any value, the formats) makes it
//! once, as a [`Base`]. Its grammars begin with a copy that shares the memory, and the ids of its expressions and rules
//! stay what they are through all passes. So the passes skip what they know, and whoever runs such grammars can keep
//! what it found out about the base for all of them.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use super::{Arena, ByteSet, Grammar, Rule};

/// Tells bases apart. No two bases of a process have the same, not even one after the other.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct BaseId(u64);

/// A grammar as it is often asked for, and texts of it that models usually write.
#[derive(Clone, Debug)]
pub struct Usual {
    /// A grammar that begins with the base.
    pub grammar: Grammar,
    /// Its texts, or beginnings of them.
    pub texts: Vec<String>,
}

/// Makes them one after the other, so that whoever has enough can stop.
pub type UsualGrammars = fn() -> Box<dyn Iterator<Item = Usual>>;

/// A grammar that others begin with. See the module documentation.
///
/// ```
/// use tokenstile_grammar::ir::{Base, BaseParts};
/// use tokenstile_grammar::{GrammarBuilder, Limits};
/// let limits = Limits::default();
/// let mut first = GrammarBuilder::new(&limits);
/// let word = first.declare("word", None)?;
/// let text = first.arena.literal(b"so");
/// first.define(word, text);
/// let base = Base::new(first.build(word)?, BaseParts::default());
///
/// let mut own = base.builder(&limits, 10)?;
/// assert_eq!((own.rule_count(), own.name(word)), (1, "word"));
/// let (root, call) = (own.declare("root", None)?, own.arena.rule(word));
/// own.define(root, call);
/// let grammar = own.build(root)?;
/// assert!(grammar.has_base() && grammar.base().is_some_and(|known| known.id() == base.id()));
/// # Ok::<(), tokenstile_grammar::Error>(())
/// ```
pub struct Base {
    id: BaseId,
    /// Its arena refers to no base, so that nothing refers to itself.
    grammar: Grammar,
    has_booleans: bool,
    parts: BaseParts,
    nullable: OnceLock<Vec<bool>>,
    sizes: OnceLock<Vec<(u32, bool)>>,
}

/// What a notation says of its base beside the grammar itself.
#[derive(Clone)]
pub struct BaseParts {
    /// What is usually asked for.
    pub usual: UsualGrammars,
    /// The bytes that its texts are divided by: where a guessed text does not fit, it is taken up again at the next of them.
    pub signs: ByteSet,
}

impl Default for BaseParts {
    /// Nothing is usual, and all signs of ASCII divide texts.
    fn default() -> Self {
        let signs = (0..0x80).filter(u8::is_ascii_punctuation).collect();
        BaseParts { usual: || Box::new(std::iter::empty()), signs }
    }
}

impl Base {
    /// A base of all expressions and rules of a grammar. The passes do not go into it when they prepare what begins with it,
    /// so each of its rules must match some text, none may be left recursive, and what else they would do for speed should
    /// have been done.
    pub fn new(grammar: Grammar, parts: BaseParts) -> Arc<Base> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let mut grammar = grammar.without_base();
        grammar.arena = grammar.arena.for_copies();
        let has_booleans = grammar.arena.iter().any(|(_, expr)| expr.is_boolean());
        Arc::new(Base {
            id: BaseId(NEXT.fetch_add(1, Ordering::Relaxed)),
            grammar,
            has_booleans,
            parts,
            nullable: OnceLock::new(),
            sizes: OnceLock::new(),
        })
    }

    /// Which base it is.
    pub fn id(&self) -> BaseId {
        self.id
    }

    /// How many expressions it has: the first ones of every grammar that begins with it.
    pub fn len(&self) -> usize {
        self.grammar.arena.len()
    }

    /// Never: every arena holds a few expressions.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many rules it has: the first ones of every grammar that begins with it.
    pub fn rule_count(&self) -> usize {
        self.grammar.rules.len()
    }

    /// Its expressions.
    pub fn arena(&self) -> &Arena {
        &self.grammar.arena
    }

    /// Whether there are booleans or assertions among its expressions.
    pub fn has_booleans(&self) -> bool {
        self.has_booleans
    }

    /// What is usually asked for, made one by one.
    pub fn usual(&self) -> Box<dyn Iterator<Item = Usual>> {
        (self.parts.usual)()
    }

    /// The bytes that texts of its grammars are divided by.
    pub fn signs(&self) -> &ByteSet {
        &self.parts.signs
    }

    /// The grammar that is the base and nothing else.
    pub fn grammar(self: &Arc<Self>) -> Grammar {
        let mut grammar = self.grammar.clone();
        grammar.arena.base = Some(self.clone());
        grammar
    }

    /// The rules, in the order of their ids.
    pub(super) fn rules(&self) -> &[Rule] {
        &self.grammar.rules
    }

    /// Whether each expression matches the empty text, found out once.
    pub(crate) fn nullable(&self, find: impl FnOnce(&Grammar) -> Vec<bool>) -> &[bool] {
        self.nullable.get_or_init(|| find(&self.grammar))
    }

    /// How large the expressions are, and whether there are long runs in them, found out once.
    pub(crate) fn sizes(&self, find: impl FnOnce(&Arena) -> Vec<(u32, bool)>) -> &[(u32, bool)] {
        self.sizes.get_or_init(|| find(&self.grammar.arena))
    }
}

impl fmt::Debug for Base {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Base").field("id", &self.id).field("exprs", &self.len()).finish_non_exhaustive()
    }
}
