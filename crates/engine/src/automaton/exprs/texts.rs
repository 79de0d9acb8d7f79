//! Lists of texts that expressions spell.

use crate::tuning::exprs::{EXCEPTED_BYTES, EXCEPTED_CHARS, EXCEPTED_DEPTH};
use tokenstile_grammar::ExprId;
use tokenstile_grammar::ir::{Arena, Expr};

/// A few texts, one behind the other in one place.
#[derive(Default)]
pub(crate) struct Texts {
    bytes: Vec<u8>,
    /// Where each begins and ends.
    places: Vec<(u32, u32)>,
    /// Once they are in order: how many bytes at its beginning each has in common with the one before.
    alike: Vec<u32>,
}

impl Texts {
    /// All texts of an expression, if they are few.
    pub(crate) fn of_expr(arena: &Arena, expr: ExprId) -> Option<Self> {
        let mut texts = Texts::default();
        texts.add(arena, vec![(expr, 0)])?;
        Some(texts)
    }

    /// Adds all texts of some expressions one behind the other, of which the last comes first; with each, how much of it is
    /// done.
    pub(crate) fn add(&mut self, arena: &Arena, todo: Vec<(ExprId, u32)>) -> Option<()> {
        Spell { arena, texts: self, text: Vec::new(), todo, steps: 0 }.all(0)
    }

    pub(crate) fn len(&self) -> usize {
        self.places.len()
    }

    pub(crate) fn get(&self, index: usize) -> Option<&[u8]> {
        self.places.get(index).map(|place| self.at(place))
    }

    fn at(&self, &(start, end): &(u32, u32)) -> &[u8] {
        &self.bytes[start as usize..end as usize]
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &[u8]> {
        self.places.iter().map(|place| self.at(place))
    }

    /// Puts them in order, each once.
    pub(crate) fn sort(&mut self) {
        let mut places = std::mem::take(&mut self.places);
        places.sort_unstable_by(|a, b| self.at(a).cmp(self.at(b)));
        places.dedup_by(|a, b| self.at(a) == self.at(b));
        let alike = places.windows(2).map(|pair| {
            let (one, other) = (self.at(&pair[0]), self.at(&pair[1]));
            one.iter().zip(other).take_while(|(a, b)| a == b).count() as u32
        });
        self.alike = std::iter::once(0).chain(alike).take(places.len()).collect();
        self.places = places;
    }

    /// How many bytes at its beginning a text has in common with the one before; all is in order.
    pub(crate) fn alike(&self, index: usize) -> usize {
        self.alike[index] as usize
    }

    /// The next text that has no more than so many bytes in common with the one before.
    pub(crate) fn next_less_alike(&self, index: usize, most: usize) -> Option<usize> {
        let behind = self.alike.get(index + 1..)?;
        behind.iter().position(|&alike| alike as usize <= most).map(|at| index + 1 + at)
    }

    fn push(&mut self, text: &[u8]) -> Option<()> {
        let start = self.bytes.len();
        self.bytes.extend_from_slice(text);
        self.places.push((start as u32, self.bytes.len() as u32));
        (self.bytes.len() + 24 * self.len() <= EXCEPTED_BYTES).then_some(())
    }
}

/// The search for all texts.
struct Spell<'a> {
    arena: &'a Arena,
    texts: &'a mut Texts,
    /// What is spelled so far, and what is to come, the next last, with how much of it is done.
    text: Vec<u8>,
    todo: Vec<(ExprId, u32)>,
    steps: usize,
}

impl Spell<'_> {
    /// Spells what is to come in all ways. What is spelled and what is to come are the same afterwards as before.
    fn all(&mut self, depth: usize) -> Option<()> {
        self.steps += 1;
        if depth > EXCEPTED_DEPTH || self.steps > EXCEPTED_BYTES {
            return None;
        }
        let Some((expr, done)) = self.todo.pop() else { return self.texts.push(&self.text) };
        let (spelled, left) = (self.text.len(), self.todo.len());
        let arena = self.arena;
        match arena.get(expr) {
            Expr::Never => {}
            Expr::Empty => self.all(depth + 1)?,
            Expr::Literal(literal) => {
                self.text.extend_from_slice(arena.literal_bytes(literal).get(done as usize..)?);
                self.all(depth + 1)?;
                self.text.truncate(spelled);
            }
            Expr::Chars(set) => {
                let set = arena.char_set(set);
                if set.len() > EXCEPTED_CHARS {
                    return None;
                }
                let codes = set.ranges().iter().flat_map(|&(low, high)| low..=high);
                for c in codes.filter_map(char::from_u32) {
                    self.text.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
                    self.all(depth + 1)?;
                    self.text.truncate(spelled);
                }
            }
            Expr::Concat(list) => {
                let parts = arena.list(list).get(done as usize..)?;
                self.todo.extend(parts.iter().rev().map(|&part| (part, 0)));
                self.all(depth + 1)?;
                self.todo.truncate(left);
            }
            Expr::Alt(list) => {
                for &part in arena.list(list) {
                    self.todo.push((part, 0));
                    self.all(depth + 1)?;
                    self.todo.truncate(left);
                }
            }
            Expr::Repeat { expr: one, min, max: Some(max) } if max <= 64 => {
                if done >= min {
                    self.all(depth + 1)?;
                }
                if done < max {
                    self.todo.extend([(expr, done + 1), (one, 0)]);
                    self.all(depth + 1)?;
                    self.todo.truncate(left);
                }
            }
            _ => return None,
        }
        self.todo.push((expr, done));
        Some(())
    }
}
