//! Token terminals: which tokens they take, and the bytes that stand for them in the automaton.
//!
//! The tokens that the sets of a grammar tell apart are divided into *classes*. Each class has a code of its own, made of
//! [`MARKS`], bytes that never occur in UTF-8, and a terminal becomes a choice of codes. So the automaton reads a token terminal as it
//! reads a text: passes, states, stacks and caches need not know of them. What must be known is that a token is read as
//! its text or as its code, that codes begin where a token ends, and that tokens with marks in their text are read as
//! their code alone: the texts of a grammar with token terminals are made of the other bytes.

use std::ops::Range;

use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use tokenstile_grammar::choice::trie_of_literals;
use tokenstile_grammar::ir::{Arena, ByteSet, Expr, TokenName, TokenSet};
use tokenstile_grammar::{Error, ErrorKind, ExprId, Grammar, TokenSetId, passes};

use super::Common;
use crate::tokens::accept::Accept;
use crate::tokens::tables::Tables;
use crate::tuning::accept::DENSE;
use crate::vocab::{TokenId, TokenKind, Vocab};

/// The bytes that codes are made of.
pub(crate) const MARKS: ByteSet = ByteSet::range(FIRST_MARK, 0xFF);
const FIRST_MARK: u8 = 0xF5;
const MARK_COUNT: usize = 11;

/// The bytes that stand for a token.
pub(crate) type Code = SmallVec<[u8; 4]>;

/// See the module documentation.
pub(crate) struct Terminals {
    /// The tokens of each class.
    classes: Vec<Accept>,
    /// The class of every token that the sets name.
    named: FxHashMap<TokenId, u32>,
    /// The class of all other tokens, if they have one.
    other: Option<u32>,
    /// The classes of each set, by the number of the set.
    sets: FxHashMap<TokenSetId, Vec<u32>>,
    /// How many marks a code has.
    width: usize,
}

/// Sets of tokens as ids.
struct Found {
    id: TokenSetId,
    negated: bool,
    ids: Vec<TokenId>,
}

/// What the tokens of a class have in common: the sets that name them, and whether they are end tokens.
type Alike = (Vec<u32>, bool);

impl Terminals {
    /// Those of a grammar, if it has any. A token that the vocabulary does not have is refused.
    pub(crate) fn of(grammar: &Grammar, common: &Common) -> Result<Option<Terminals>, Error> {
        let arena = grammar.arena();
        if arena.token_sets().len() == 0 {
            return Ok(None);
        }
        let reached = passes::reachable(grammar);
        let ids = arena.iter().filter(|(id, _)| reached[id.index()]);
        let ids = ids.filter_map(|(_, expr)| if let Expr::Tokens(id) = expr { Some(id) } else { None });
        let mut sets = Vec::new();
        for id in ids {
            let set = arena.token_set(id);
            if grammar.tracking().any() {
                let what = "token terminals in JSON whose repetitions must be told";
                return Err(set.error(ErrorKind::Unsupported, what));
            }
            sets.push(Found { id, negated: set.negated, ids: ids_of(set, common)? });
        }
        Ok((!sets.is_empty()).then(|| Terminals::new(&sets, &common.tables)))
    }

    fn new(sets: &[Found], tables: &Tables) -> Terminals {
        let vocab = &tables.vocab;
        let mut lists: FxHashMap<TokenId, Vec<u32>> = FxHashMap::default();
        for (number, set) in (0..).zip(sets) {
            set.ids.iter().for_each(|&id| lists.entry(id).or_default().push(number));
        }
        // Tokens that the same sets name are alike, but that no other set means an end token.
        let is_end = |id: &TokenId| vocab.end_tokens().contains(id);
        let mut classes: Vec<(Alike, Vec<TokenId>)> = Vec::new();
        let mut numbers: FxHashMap<Alike, u32> = FxHashMap::default();
        let mut named = FxHashMap::default();
        let mut ids: Vec<(TokenId, Vec<u32>)> = lists.into_iter().collect();
        ids.sort_unstable_by_key(|(id, _)| *id);
        for (id, list) in ids {
            let key = (list, is_end(&id));
            let number = *numbers.entry(key.clone()).or_insert_with(|| {
                classes.push((key, Vec::new()));
                classes.len() as u32 - 1
            });
            classes[number as usize].1.push(id);
            named.insert(id, number);
        }
        let mut other = None;
        if sets.iter().any(|set| set.negated) {
            let is_other =
                |id: &TokenId| vocab.kind(*id) != TokenKind::Unused && !named.contains_key(id) && !is_end(id);
            let ids: Vec<TokenId> = (0..vocab.len() as TokenId).filter(is_other).collect();
            if !ids.is_empty() {
                other = Some(classes.len() as u32);
                classes.push(((Vec::new(), false), ids));
            }
        }
        let of_set = |(number, set): (u32, &Found)| {
            let is_in = |(list, is_end): &Alike| {
                if set.negated { !list.contains(&number) && !is_end } else { list.contains(&number) }
            };
            let numbers = (0..).zip(&classes).filter(|(_, (alike, _))| is_in(alike)).map(|(class, _)| class);
            (set.id, numbers.collect())
        };
        let sets = (0..).zip(sets).map(of_set).collect();
        let mut width = 1;
        while MARK_COUNT.pow(width) < classes.len() {
            width += 1;
        }
        let accept = |ids: &Vec<TokenId>| Accept::new(SmallVec::new(), ids, (tables.words, DENSE));
        let classes = classes.iter().map(|(_, ids)| accept(ids)).collect();
        Terminals { classes, named, other, sets, width: width as usize }
    }

    /// What the automaton reads for a set.
    pub(super) fn expr(&self, set: TokenSetId, arena: &mut Arena) -> ExprId {
        let classes = self.sets.get(&set).map_or(&[][..], |classes| classes);
        if self.width == 1 {
            return arena.byte(classes.iter().map(|&class| FIRST_MARK + class as u8).collect());
        }
        let codes: Vec<Code> = classes.iter().map(|&class| self.code(class)).collect();
        let codes: Vec<&[u8]> = codes.iter().map(|code| &code[..]).collect();
        trie_of_literals(arena, &codes)
    }

    fn code(&self, class: u32) -> Code {
        let mut rest = class as usize;
        let mut code = Code::from_elem(FIRST_MARK, self.width);
        for mark in code.iter_mut().rev() {
            *mark += (rest % MARK_COUNT) as u8;
            rest /= MARK_COUNT;
        }
        code
    }

    /// The code of a token; `None` if no terminal takes it.
    pub(crate) fn code_of(&self, token: TokenId, vocab: &Vocab) -> Option<Code> {
        if let Some(&class) = self.named.get(&token) {
            return Some(self.code(class));
        }
        let is_other = vocab.kind(token) != TokenKind::Unused && !vocab.end_tokens().contains(&token);
        self.other.filter(|_| is_other).map(|class| self.code(class))
    }

    /// How many marks a code has.
    pub(crate) fn width(&self) -> usize {
        self.width
    }

    /// The tokens of a code.
    pub(crate) fn tokens(&self, code: &[u8]) -> Option<&Accept> {
        let digit = |class: usize, &mark: &u8| class * MARK_COUNT + usize::from(mark - FIRST_MARK);
        self.classes.get(code.iter().fold(0, digit))
    }

    /// The one token of a code, if it has no others.
    pub(crate) fn only_token(&self, code: &[u8]) -> Option<TokenId> {
        self.tokens(code).and_then(Accept::only)
    }
}

/// The tokens of a set, or those that its complement lacks.
fn ids_of(set: &TokenSet, common: &Common) -> Result<Vec<TokenId>, Error> {
    let mut ids = Vec::new();
    for name in &set.names {
        let found = named(name, common);
        if found.is_empty() && !set.lenient {
            let what = format!("the vocabulary has no token {name}");
            return Err(set.error(ErrorKind::UnknownToken, what));
        }
        ids.extend(found);
    }
    ids.sort_unstable();
    ids.dedup();
    Ok(ids)
}

/// The tokens of a name.
fn named(name: &TokenName, common: &Common) -> Vec<TokenId> {
    let Tables { vocab, trie, .. } = &common.tables;
    match name {
        TokenName::Ids(first, last) => {
            let range: Range<u64> = u64::from(*first)..u64::from(*last) + 1;
            let whole = range.end <= vocab.len() as u64;
            let used = |id: &TokenId| vocab.kind(*id) != TokenKind::Unused;
            let range = range.start.min(range.end) as TokenId..range.end.min(vocab.len() as u64) as TokenId;
            if whole { range.filter(used).collect() } else { Vec::new() }
        }
        TokenName::Special(name) => common.special(name).into_iter().collect(),
        TokenName::Text(text) => match common.special(text) {
            Some(id) => vec![id],
            None => trie.find(text.as_bytes()).map_or(Vec::new(), |node| trie.own(node).to_vec()),
        },
    }
}
