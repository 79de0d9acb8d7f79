//! Trees of draft tokens, as engines give them.

use smallvec::SmallVec;

use super::report::PlanError;
use crate::vocab::TokenId;

/// A tree of tokens that may come next. Each node has a row, whose mask is that behind the tokens from the root to it.
#[derive(Clone, Copy, Debug)]
pub struct DraftTree<'a> {
    tokens: &'a [TokenId],
    form: Form<'a>,
}

#[derive(Clone, Copy, Debug)]
enum Form<'a> {
    Links { next_token: &'a [i64], next_sibling: &'a [i64] },
    Parents(&'a [i64]),
}

impl<'a> DraftTree<'a> {
    /// A tree as EAGLE has it: of each node its first child (`retrieve_next_token`) and the next child of its parent
    /// (`retrieve_next_sibling`), or -1. Node 0 is the root: its token is committed already, and is not looked at. There are as many
    /// rows as nodes.
    pub fn eagle(tokens: &'a [TokenId], next_token: &'a [i64], next_sibling: &'a [i64]) -> Self {
        DraftTree { tokens, form: Form::Links { next_token, next_sibling } }
    }

    /// A tree of which the parent of each token is given, or -1 for those that may come first. There is one row more than
    /// tokens: the first is that of where the sequence stands.
    pub fn parents(tokens: &'a [TokenId], parents: &'a [i64]) -> Self {
        DraftTree { tokens, form: Form::Parents(parents) }
    }

    /// How many rows its masks take.
    pub(super) fn rows(&self) -> usize {
        match self.form {
            Form::Links { .. } => self.tokens.len().max(1),
            Form::Parents(_) => self.tokens.len() + 1,
        }
    }

    /// The token of the node with this row. The root has none.
    pub(super) fn token(&self, row: usize) -> TokenId {
        match self.form {
            Form::Links { .. } => self.tokens[row],
            Form::Parents(_) => self.tokens[row - 1],
        }
    }

    /// Its nodes by their rows, each with its first child and its next sibling.
    pub(super) fn links(&self) -> Result<Links, PlanError> {
        let rows = self.rows();
        let mut links =
            Links { first: SmallVec::from_elem(NONE, rows), next: SmallVec::from_elem(NONE, rows) };
        match self.form {
            Form::Links { next_token, next_sibling } => {
                let nodes = self.tokens.len();
                if next_token.len() != nodes || next_sibling.len() != nodes || nodes == 0 {
                    return Err(PlanError::TreeLengths {
                        tokens: nodes,
                        links: next_token.len().min(next_sibling.len()),
                    });
                }
                for node in 0..nodes {
                    links.first[node] = index(next_token[node], nodes).ok_or(PlanError::TreeLink { node })?;
                    links.next[node] =
                        index(next_sibling[node], nodes).ok_or(PlanError::TreeLink { node })?;
                }
                links.next[0] = NONE;
            }
            Form::Parents(parents) => {
                if parents.len() != self.tokens.len() {
                    return Err(PlanError::TreeLengths { tokens: self.tokens.len(), links: parents.len() });
                }
                for (node, &parent) in parents.iter().enumerate().rev() {
                    let parent = match index(parent, parents.len()).ok_or(PlanError::TreeLink { node })? {
                        NONE => 0,
                        parent => parent as usize + 1,
                    };
                    links.next[node + 1] = links.first[parent];
                    links.first[parent] = node as u32 + 1;
                }
            }
        }
        links.check()?;
        Ok(links)
    }
}

/// No node.
pub(super) const NONE: u32 = u32::MAX;

/// A link as engines write it: the index of a node, or [`NONE`] for a negative one.
fn index(link: i64, nodes: usize) -> Option<u32> {
    match usize::try_from(link) {
        Err(_) => Some(NONE),
        Ok(node) => (node < nodes).then_some(node as u32),
    }
}

/// Of each node, by its row, the first child and the next sibling, or [`NONE`].
pub(super) struct Links {
    pub(super) first: SmallVec<[u32; 64]>,
    pub(super) next: SmallVec<[u32; 64]>,
}

impl Links {
    /// No node is come to on two ways, and none is below itself.
    fn check(&self) -> Result<(), PlanError> {
        let mut seen: SmallVec<[bool; 64]> = SmallVec::from_elem(false, self.first.len());
        let mut open: SmallVec<[u32; 64]> = SmallVec::from_iter([0]);
        while let Some(node) = open.pop() {
            if std::mem::replace(&mut seen[node as usize], true) {
                return Err(PlanError::TreeLink { node: node as usize });
            }
            open.extend(
                [self.first[node as usize], self.next[node as usize]].into_iter().filter(|&n| n != NONE),
            );
        }
        Ok(())
    }
}
