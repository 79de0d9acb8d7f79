//! The syntax tree of a regular expression, in flat pools.
//!
//! Children are made before their parents, so what a parent needs to know of them (can it match the empty
//! text, does it care about the edges of the text) is computed once, as it is made. Nothing here is a call
//! stack deep.

use rustc_hash::FxHashMap;

use super::tables::Set;
use crate::error::Error;

/// Index of a node.
pub(super) type NodeId = u32;
/// Index of an interned [`Set`].
pub(super) type SetId = u32;

/// Which characters end a line.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Lines {
    /// `\n`.
    Lf,
    /// `\r\n`, `\n` and `\r`, the first as one.
    Crlf,
    /// `\n`, `\r`, U+2028 and U+2029, each on its own.
    Ecma,
}

/// The assertions about words.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Boundary {
    /// `\b`.
    Any,
    /// `\B`.
    None,
    /// `\b{start}`.
    Start,
    /// `\b{end}`.
    End,
    /// `\b{start-half}`.
    StartHalf,
    /// `\b{end-half}`.
    EndHalf,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Node {
    Empty,
    /// Bytes of the pool, never none.
    Literal {
        start: u32,
        end: u32,
    },
    Set(SetId),
    Concat {
        start: u32,
        len: u32,
    },
    Alt {
        start: u32,
        len: u32,
    },
    Repeat {
        node: NodeId,
        min: u32,
        max: Option<u32>,
    },
    Look {
        node: NodeId,
        behind: bool,
        negated: bool,
    },
    TextStart,
    TextEnd,
    LineStart(Lines),
    LineEnd(Lines),
    Word {
        kind: Boundary,
        word: SetId,
    },
}

/// How much text a node takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Width {
    /// Always none.
    Zero,
    /// None or some.
    Maybe,
    /// Always some.
    Some,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Info {
    pub(super) width: Width,
    /// Whether something below asks where the text starts or ends.
    pub(super) edges: bool,
    /// How deep repetitions and assertions nest.
    depth: u32,
}

/// A parsed pattern.
#[derive(Debug)]
pub(super) struct Ast {
    nodes: Vec<Node>,
    infos: Vec<Info>,
    lists: Vec<NodeId>,
    /// The pool of literals.
    pub(super) bytes: Vec<u8>,
    /// Whether the pool has bytes that were written as such.
    pub(super) raw: bool,
    sets: Vec<Set>,
    set_ids: FxHashMap<Set, SetId>,
    max_depth: usize,
    max_nodes: usize,
}

impl Ast {
    /// The node that every tree starts with.
    pub(super) const EMPTY: NodeId = 0;

    pub(super) fn new(max_depth: usize, max_nodes: usize) -> Self {
        let info = Info { width: Width::Zero, edges: false, depth: 0 };
        Ast {
            nodes: vec![Node::Empty],
            infos: vec![info],
            lists: Vec::new(),
            bytes: Vec::new(),
            raw: false,
            sets: Vec::new(),
            set_ids: FxHashMap::default(),
            max_depth,
            max_nodes: max_nodes.min(u32::MAX as usize / 2),
        }
    }

    pub(super) fn node(&self, id: NodeId) -> Node {
        self.nodes[id as usize]
    }

    pub(super) fn info(&self, id: NodeId) -> Info {
        self.infos[id as usize]
    }

    pub(super) fn list(&self, start: u32, len: u32) -> &[NodeId] {
        &self.lists[start as usize..][..len as usize]
    }

    pub(super) fn set(&self, id: SetId) -> &Set {
        &self.sets[id as usize]
    }

    /// Whether some part of the pattern speaks of single bytes, so that it may match what is not UTF-8.
    pub(super) fn has_bytes(&self) -> bool {
        self.raw || self.sets.iter().any(|s| s.bytes && !s.chars.is_ascii())
    }

    pub(super) fn intern(&mut self, set: Set) -> SetId {
        if let Some(&id) = self.set_ids.get(&set) {
            return id;
        }
        let id = self.sets.len() as SetId;
        self.sets.push(set.clone());
        self.set_ids.insert(set, id);
        id
    }

    /// Makes a node; `Concat` and `Alt` are made by [`concat`](Ast::concat) and [`alt`](Ast::alt).
    pub(super) fn push(&mut self, node: Node) -> Result<NodeId, Error> {
        let info = match node {
            Node::Empty => return Ok(Ast::EMPTY),
            Node::Literal { .. } | Node::Set(_) => Info { width: Width::Some, edges: false, depth: 0 },
            Node::TextStart | Node::TextEnd | Node::LineStart(_) | Node::LineEnd(_) | Node::Word { .. } => {
                Info { width: Width::Zero, edges: true, depth: 0 }
            }
            Node::Look { node, .. } => {
                let body = self.info(node);
                // At the edge of the text there is nothing to see, whatever the body.
                Info { width: Width::Zero, edges: true, depth: body.depth + 1 }
            }
            Node::Repeat { node, min, max } => {
                let body = self.info(node);
                match (body.width, min, max) {
                    (_, _, Some(0)) | (Width::Zero, 0, _) => return Ok(Ast::EMPTY),
                    (_, 1, Some(1)) | (Width::Zero, _, _) => return Ok(node),
                    _ => {}
                }
                let width = if min == 0 { Width::Maybe } else { body.width };
                Info { width, edges: body.edges, depth: body.depth + 1 }
            }
            Node::Concat { start, len } => {
                let infos = || self.list(start, len).iter().map(|&n| self.info(n));
                let width = if infos().any(|i| i.width == Width::Some) {
                    Width::Some
                } else if infos().all(|i| i.width == Width::Zero) {
                    Width::Zero
                } else {
                    Width::Maybe
                };
                Info {
                    width,
                    edges: infos().any(|i| i.edges),
                    depth: infos().map(|i| i.depth).max().unwrap_or(0),
                }
            }
            Node::Alt { start, len } => {
                let infos = || self.list(start, len).iter().map(|&n| self.info(n));
                let first = infos().next().map_or(Width::Zero, |i| i.width);
                let width = if infos().all(|i| i.width == first) { first } else { Width::Maybe };
                Info {
                    width,
                    edges: infos().any(|i| i.edges),
                    depth: infos().map(|i| i.depth).max().unwrap_or(0),
                }
            }
        };
        if info.depth as usize > self.max_depth {
            return Err(Error::limit("nesting", self.max_depth));
        }
        if self.nodes.len() >= self.max_nodes {
            return Err(Error::limit("exprs", self.max_nodes));
        }
        self.nodes.push(node);
        self.infos.push(info);
        Ok((self.nodes.len() - 1) as NodeId)
    }

    fn push_list(&mut self, items: &[NodeId]) -> (u32, u32) {
        let start = self.lists.len() as u32;
        self.lists.extend_from_slice(items);
        (start, items.len() as u32)
    }

    pub(super) fn concat(&mut self, items: &[NodeId]) -> Result<NodeId, Error> {
        match *items {
            [] => Ok(Ast::EMPTY),
            [one] => Ok(one),
            _ => {
                let (start, len) = self.push_list(items);
                self.push(Node::Concat { start, len })
            }
        }
    }

    pub(super) fn alt(&mut self, items: &[NodeId]) -> Result<NodeId, Error> {
        match *items {
            [one] => Ok(one),
            _ => {
                let (start, len) = self.push_list(items);
                self.push(Node::Alt { start, len })
            }
        }
    }

    /// Makes the literal `id`, the last of the pool, end where the pool ends.
    pub(super) fn extend_literal(&mut self, id: NodeId) {
        let pool = self.bytes.len() as u32;
        if let Node::Literal { end, .. } = &mut self.nodes[id as usize] {
            *end = pool;
        }
    }

    /// Cuts the literal `id` at byte `at` of the pool and makes a literal of the rest.
    pub(super) fn split_literal(&mut self, id: NodeId, at: u32) -> Result<NodeId, Error> {
        if let Node::Literal { start, end } = self.node(id)
            && start < at
            && at < end
        {
            self.nodes[id as usize] = Node::Literal { start, end: at };
            return self.push(Node::Literal { start: at, end });
        }
        Ok(id)
    }
}
