//! The vocabulary as a trie over bytes.
//!
//! Siblings lie next to each other, in the order of their bytes; the tokens of a subtree lie next to each
//! other in `tokens`, in lexicographic order, so a whole subtree is one slice. Several tokens may spell the
//! same bytes; all of them are there.

use tokenstile_grammar::ir::ByteSet;

use crate::vocab::{TokenId, Vocab};

/// A node: the bytes from the root to it are the prefix of at least one token.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TrieNode {
    pub(crate) first_child: u32,
    /// Where the tokens of this subtree start, those that end here first.
    pub(crate) tokens: u32,
    pub(crate) tokens_end: u32,
    pub(crate) children: u16,
    /// How many tokens end here.
    pub(crate) own: u32,
}

/// See the module documentation.
pub(crate) struct Trie {
    pub(crate) nodes: Vec<TrieNode>,
    /// The byte that leads to each node.
    pub(crate) byte: Vec<u8>,
    /// The node that it leads from.
    pub(crate) parent: Vec<u32>,
    pub(crate) tokens: Vec<TokenId>,
    /// Which bytes occur below each node, and how.
    pub(crate) below: Vec<Below>,
    /// Where each node stands in a UTF-8 text.
    pub(crate) utf8: Vec<Utf8State>,
    /// Child of the root by byte; 0 where there is none.
    root: [u32; 256],
    pub(crate) longest: usize,
    /// Bytes that occur in some token, and bytes that are tokens alone.
    pub(crate) bytes_used: ByteSet,
    pub(crate) single_bytes: ByteSet,
}

/// The bytes that occur strictly below a node.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Below {
    /// One bit for each ASCII byte.
    pub(crate) ascii: u128,
    /// Whether there are bytes past ASCII.
    pub(crate) wide: bool,
    /// Whether some of those do not continue a well-formed character.
    pub(crate) broken: bool,
    /// The most characters on any path down.
    pub(crate) chars: u32,
    /// Whether this node itself stands between characters.
    pub(crate) boundary: bool,
}

impl Below {
    /// Whether there are characters other than these.
    pub(crate) fn has_more_than(&self, ascii: &u128) -> bool {
        self.wide || self.ascii & !ascii != 0
    }
}

pub(crate) const ROOT: u32 = 0;

impl Trie {
    pub(crate) fn new(vocab: &Vocab) -> Self {
        let mut sorted: Vec<(&[u8], TokenId)> = (0..vocab.len().min(vocab.width()) as u32)
            .filter_map(|id| Some((vocab.bytes(id)?, id)))
            .filter(|(bytes, _)| !bytes.is_empty())
            .collect();
        sorted.sort_unstable();
        let mut trie = Trie {
            nodes: Vec::new(),
            byte: Vec::new(),
            parent: Vec::new(),
            tokens: sorted.iter().map(|t| t.1).collect(),
            below: Vec::new(),
            utf8: Vec::new(),
            root: [0; 256],
            longest: sorted.iter().map(|t| t.0.len()).max().unwrap_or(0),
            bytes_used: sorted.iter().flat_map(|t| t.0.iter().copied()).collect(),
            single_bytes: sorted.iter().filter(|t| t.0.len() == 1).map(|t| t.0[0]).collect(),
        };
        trie.build_nodes(&sorted);
        trie.build_below();
        for child in trie.children(ROOT) {
            trie.root[trie.byte[child as usize] as usize] = child;
        }
        trie
    }

    /// Breadth first, so that siblings are neighbours.
    fn build_nodes(&mut self, sorted: &[(&[u8], TokenId)]) {
        let mut depths = vec![0u32];
        self.nodes.push(TrieNode {
            first_child: 0,
            tokens: 0,
            tokens_end: sorted.len() as u32,
            children: 0,
            own: 0,
        });
        self.byte.push(0);
        self.parent.push(ROOT);
        let mut at = 0;
        while at < self.nodes.len() {
            let TrieNode { tokens, tokens_end, .. } = self.nodes[at];
            let depth = depths[at] as usize;
            let range = &sorted[tokens as usize..tokens_end as usize];
            let own = range.iter().take_while(|t| t.0.len() == depth).count();
            self.nodes[at].own = own as u32;
            self.nodes[at].first_child = self.nodes.len() as u32;
            let mut start = own;
            while start < range.len() {
                let byte = range[start].0[depth];
                let end = start + range[start..].partition_point(|t| t.0[depth] == byte);
                self.nodes.push(TrieNode {
                    first_child: 0,
                    tokens: tokens + start as u32,
                    tokens_end: tokens + end as u32,
                    children: 0,
                    own: 0,
                });
                self.byte.push(byte);
                self.parent.push(at as u32);
                depths.push(depth as u32 + 1);
                self.nodes[at].children += 1;
                start = end;
            }
            at += 1;
        }
    }

    /// Children come after their parents, so one pass backwards sees them first.
    fn build_below(&mut self) {
        let utf8 = self.utf8_states();
        self.below = vec![Below::default(); self.nodes.len()];
        for at in (0..self.nodes.len()).rev() {
            let mut below = Below::default();
            for child in self.children(at as u32) {
                let (byte, inner) = (self.byte[child as usize], self.below[child as usize]);
                below.ascii |= inner.ascii;
                below.wide |= inner.wide;
                below.broken |= inner.broken;
                let starts = byte & 0xC0 != 0x80;
                below.chars = below.chars.max(inner.chars + starts as u32);
                if byte < 0x80 {
                    below.ascii |= 1 << byte;
                    below.broken |= !utf8[at].may_be_boundary();
                } else {
                    below.wide = true;
                    let stray = !starts && utf8[at].may_be_boundary();
                    below.broken |= stray || utf8[child as usize] == Utf8State::Broken;
                }
            }
            below.boundary = utf8[at].may_be_boundary();
            self.below[at] = below;
        }
        self.utf8 = utf8;
    }

    /// Where each node stands in a UTF-8 text. A token may start inside a character: its first bytes are then
    /// taken to end that character.
    fn utf8_states(&self) -> Vec<Utf8State> {
        let mut states = vec![Utf8State::Broken; self.nodes.len()];
        states[0] = Utf8State::Boundary;
        for at in 0..self.nodes.len() {
            for child in self.children(at as u32) {
                states[child as usize] = states[at].next(self.byte[child as usize], at == 0);
            }
        }
        states
    }

    /// The ids of a node's children.
    #[inline]
    pub(crate) fn children(&self, node: u32) -> std::ops::Range<u32> {
        let n = &self.nodes[node as usize];
        n.first_child..n.first_child + n.children as u32
    }

    /// The child that `byte` leads to.
    #[inline]
    pub(crate) fn child(&self, node: u32, byte: u8) -> Option<u32> {
        if node == ROOT {
            return Some(self.root[byte as usize]).filter(|&c| c != 0);
        }
        let children = self.children(node);
        let bytes = &self.byte[children.start as usize..children.end as usize];
        let at = if bytes.len() <= 8 {
            bytes.iter().position(|&b| b == byte)
        } else {
            bytes.binary_search(&byte).ok()
        };
        at.map(|i| children.start + i as u32)
    }

    /// The tokens that end at a node.
    #[inline]
    pub(crate) fn own(&self, node: u32) -> &[TokenId] {
        let n = &self.nodes[node as usize];
        &self.tokens[n.tokens as usize..n.tokens as usize + n.own as usize]
    }

    /// All tokens of a node's subtree, its own included.
    #[inline]
    pub(crate) fn subtree(&self, node: u32) -> &[TokenId] {
        let n = &self.nodes[node as usize];
        &self.tokens[n.tokens as usize..n.tokens_end as usize]
    }

    /// The node that `bytes` lead to.
    pub(crate) fn find(&self, bytes: &[u8]) -> Option<u32> {
        bytes.iter().try_fold(ROOT, |node, &byte| self.child(node, byte))
    }

    pub(crate) fn bytes_held(&self) -> usize {
        self.nodes.len() * (size_of::<TrieNode>() + size_of::<Below>() + 1) + self.tokens.len() * 4
    }
}

/// Where a byte string stands as UTF-8.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Utf8State {
    /// Between characters.
    Boundary,
    /// Inside a character: the range of the next byte, and how many follow it.
    Inside { low: u8, high: u8, more: u8 },
    /// In the first bytes of a token that started inside a character.
    Leading(u8),
    /// Not UTF-8.
    Broken,
}

impl Utf8State {
    /// Whether a character may start here.
    pub(crate) fn may_be_boundary(self) -> bool {
        matches!(self, Utf8State::Boundary | Utf8State::Leading(_))
    }

    pub(crate) fn next(self, byte: u8, first: bool) -> Self {
        use Utf8State::*;
        match self {
            Boundary if byte < 0x80 => Boundary,
            Boundary if first && byte & 0xC0 == 0x80 => Leading(1),
            Boundary => match byte {
                0xC2..=0xDF => Inside { low: 0x80, high: 0xBF, more: 0 },
                0xE0 => Inside { low: 0xA0, high: 0xBF, more: 1 },
                0xED => Inside { low: 0x80, high: 0x9F, more: 1 },
                0xE1..=0xEF => Inside { low: 0x80, high: 0xBF, more: 1 },
                0xF0 => Inside { low: 0x90, high: 0xBF, more: 2 },
                0xF1..=0xF3 => Inside { low: 0x80, high: 0xBF, more: 2 },
                0xF4 => Inside { low: 0x80, high: 0x8F, more: 2 },
                _ => Broken,
            },
            Inside { low, high, more } if (low..=high).contains(&byte) => match more {
                0 => Boundary,
                _ => Inside { low: 0x80, high: 0xBF, more: more - 1 },
            },
            Leading(n) if byte & 0xC0 == 0x80 => {
                if n < 3 {
                    Leading(n + 1)
                } else {
                    Broken
                }
            }
            // The interrupted character is over; go on as at a boundary.
            Leading(_) => Boundary.next(byte, false),
            _ => Broken,
        }
    }
}
