//! The reference along many tokens.

use crate::{RefState, Reference, Viability};

/// A [`Reference`] going along tokens, best in the order of their bytes: beginnings that one has in common with the one before
/// it are gone along once, and what has a dead one is not gone along at all.
///
/// ```
/// use tokenstile_grammar::{Grammar, Limits};
/// use tokenstile_testkit::{Along, Reference, Viability};
/// let grammar = Grammar::choice(&["abc", "abd"], &Limits::default())?;
/// let reference = Reference::new(&grammar);
/// let mut along = Along::new(&reference, reference.run(b"a"));
/// let says = [&b"a"[..], b"b", b"bc", b"bcd"].map(|token| along.viability(token));
/// assert_eq!(says, [Viability::No, Viability::Yes, Viability::Yes, Viability::No]);
/// # Ok::<(), tokenstile_grammar::Error>(())
/// ```
#[derive(Debug)]
pub struct Along<'r, 'g> {
    reference: &'r Reference<'g>,
    /// Where it is after each byte of a token, as far as it got.
    path: Vec<RefState>,
    spelled: Vec<u8>,
    /// How long the beginning is that leads nowhere.
    dead: Option<usize>,
}

impl<'r, 'g> Along<'r, 'g> {
    /// Each token is gone along from this state.
    pub fn new(reference: &'r Reference<'g>, from: RefState) -> Self {
        Along { reference, path: vec![from], spelled: Vec::new(), dead: None }
    }

    /// Whether some text that begins with a token can follow.
    pub fn viability(&mut self, token: &[u8]) -> Viability {
        let common = self.spelled.iter().zip(token).take_while(|(a, b)| a == b).count();
        if self.dead.is_some_and(|dead| common >= dead) {
            return Viability::No;
        }
        let common = common.min(self.path.len() - 1);
        self.path.truncate(common + 1);
        self.spelled.clear();
        self.spelled.extend_from_slice(token);
        self.dead = None;
        for (at, &byte) in token.iter().enumerate().skip(common) {
            let next = self.reference.step(self.path[at], byte);
            if self.reference.viability(next) == Viability::No {
                self.dead = Some(at + 1);
                return Viability::No;
            }
            self.path.push(next);
        }
        self.reference.viability(self.path[token.len()])
    }
}
