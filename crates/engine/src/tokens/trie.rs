//! The vocabulary as a trie over bytes.
//!
//! Siblings lie next to each other, in the order of their bytes; the tokens of a subtree lie next to each
//! other in `tokens`, in lexicographic order, so a whole subtree is one slice. Several tokens may spell the
//! same bytes; all of them are there.

use smallvec::SmallVec;
use tokenstile_grammar::ir::ByteSet;

use crate::stored::{Array, Reader, TablesError, Writer, plain};
use crate::vocab::{TokenId, Vocab};

plain! {
    /// A node: the bytes from the root to it are the prefix of at least one token.
    #[derive(Clone, Copy, Debug)]
    pub(crate) struct TrieNode {
        pub(crate) first_child: u32,
        /// Where the tokens of this subtree start, those that end here first.
        pub(crate) tokens: u32,
        pub(crate) tokens_end: u32,
        pub(crate) children: u32,
        /// How many tokens end here.
        pub(crate) own: u32,
    }

    /// The bytes that occur strictly below a node.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub(crate) struct Below {
        /// One bit for each ASCII byte.
        pub(crate) ascii: u128,
        /// The most characters on any path down.
        pub(crate) chars: u32,
        /// Whether there are bytes past ASCII.
        pub(crate) wide: bool,
        /// Whether some of those do not continue a well-formed character.
        pub(crate) broken: bool,
        /// Whether this node itself stands between characters.
        pub(crate) boundary: bool,
        unused: u8,
        /// The [`pair`]s of ASCII bytes, one behind the other, that occur from the byte of this node on.
        pub(crate) pairs: u64,
    }

    /// Where a node stands in a UTF-8 text: what is left of its [`Utf8State`] when the trie is built.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub(crate) struct Utf8Place {
        place: u8,
    }
}

/// The bit of a pair of ASCII bytes, which it has together with some others.
#[inline]
pub(crate) fn pair(one: u8, next: u8) -> u64 {
    1 << (one.wrapping_mul(7).wrapping_add(next.wrapping_mul(3)) & 63)
}

/// See the module documentation.
pub(crate) struct Trie {
    pub(crate) nodes: Array<TrieNode>,
    /// The byte that leads to each node.
    pub(crate) byte: Array<u8>,
    /// The node that it leads from.
    pub(crate) parent: Array<u32>,
    pub(crate) tokens: Array<TokenId>,
    /// Which bytes occur below each node, and how.
    pub(crate) below: Array<Below>,
    /// Where each node stands in a UTF-8 text.
    pub(crate) utf8: Array<Utf8Place>,
    /// Child of the root by byte; 0 where there is none.
    root: [u32; 256],
    pub(crate) longest: usize,
    /// Bytes that occur in some token, and bytes that are tokens alone.
    pub(crate) bytes_used: ByteSet,
    pub(crate) single_bytes: ByteSet,
}

impl Below {
    /// Whether there are characters other than these.
    pub(crate) fn has_more_than(&self, ascii: &u128) -> bool {
        self.wide || self.ascii & !ascii != 0
    }
}

/// Tokens that are being collected; most of the time there are few.
pub(crate) type Ids = SmallVec<[TokenId; 32]>;

pub(crate) const ROOT: u32 = 0;

impl Trie {
    pub(crate) fn new(vocab: &Vocab) -> Self {
        let mut sorted: Vec<(&[u8], TokenId)> = (0..vocab.len().min(vocab.width()) as u32)
            .filter_map(|id| Some((vocab.bytes(id)?, id)))
            .filter(|(bytes, _)| !bytes.is_empty())
            .collect();
        sorted.sort_unstable();
        let shape = Shape::new(&sorted);
        let utf8 = shape.utf8_states();
        let below = shape.below(&utf8);
        let trie = Trie {
            nodes: shape.nodes.into(),
            byte: shape.byte.into(),
            parent: shape.parent.into(),
            tokens: sorted.iter().map(|t| t.1).collect::<Vec<_>>().into(),
            below: below.into(),
            utf8: utf8.into_iter().map(Utf8Place::from).collect::<Vec<_>>().into(),
            root: [0; 256],
            longest: sorted.iter().map(|t| t.0.len()).max().unwrap_or(0),
            bytes_used: ByteSet::EMPTY,
            single_bytes: ByteSet::EMPTY,
        };
        trie.completed()
    }

    /// Fills in what the arrays tell.
    fn completed(mut self) -> Self {
        for child in self.children(ROOT) {
            self.root[self.byte[child as usize] as usize] = child;
        }
        self.bytes_used = self.byte[1..].iter().copied().collect();
        let singles = self.children(ROOT).filter(|&child| !self.own(child).is_empty());
        self.single_bytes = singles.map(|child| self.byte[child as usize]).collect();
        self
    }

    /// Adds the arrays to a file.
    pub(crate) fn save<'a>(&'a self, file: &mut Writer<'a>) {
        file.array(&self.nodes);
        file.array(&self.byte);
        file.array(&self.parent);
        file.array(&self.tokens);
        file.array(&self.below);
        file.array(&self.utf8);
    }

    /// The trie of which the arrays are in a file.
    pub(crate) fn load(file: &mut Reader, vocab: &Vocab) -> Result<Self, TablesError> {
        let mut trie = Trie {
            nodes: file.array()?,
            byte: file.array()?,
            parent: file.array()?,
            tokens: file.array()?,
            below: file.array()?,
            utf8: file.array()?,
            root: [0; 256],
            longest: 0,
            bytes_used: ByteSet::EMPTY,
            single_bytes: ByteSet::EMPTY,
        };
        let length = |&token: &TokenId| vocab.bytes(token).map(<[u8]>::len);
        let longest = trie.tokens.iter().map(length).try_fold(0, |longest, len| Some(longest.max(len?)));
        trie.longest = longest.ok_or(TablesError::Damaged { what: "a token is none" })?;
        let chars = trie.below.iter().map(|below| below.chars).max();
        if chars.is_some_and(|chars| chars as usize > trie.longest) || !trie.is_sound() {
            return Err(TablesError::Damaged { what: "the trie is none" });
        }
        Ok(trie.completed())
    }

    /// Whether the nodes are a tree in the order in which [`Shape`] makes it, with all tokens at its nodes.
    fn is_sound(&self) -> bool {
        let count = self.nodes.len();
        let lengths = [self.byte.len(), self.parent.len(), self.below.len(), self.utf8.len()];
        let Some(root) = self.nodes.first().filter(|_| lengths == [count; 4]) else { return false };
        if (root.tokens, root.tokens_end as usize) != (0, self.tokens.len())
            || !self.utf8.iter().all(|at| at.place <= Utf8Place::BROKEN.place)
        {
            return false;
        }
        // Each node is the child of one before it, and the tokens of a node are its own and then those of its children.
        let mut next = 1u64;
        for (at, node) in (0u32..).zip(self.nodes.iter()) {
            let end = next + u64::from(node.children);
            if u64::from(node.first_child) != next || end > count as u64 {
                return false;
            }
            let mut tokens = u64::from(node.tokens) + u64::from(node.own);
            for (child, inner) in self.nodes[next as usize..end as usize].iter().enumerate() {
                let child = next as usize + child;
                let ascending = child as u64 == next || self.byte[child - 1] < self.byte[child];
                let has_tokens = u64::from(inner.tokens) == tokens && inner.tokens < inner.tokens_end;
                if !ascending || !has_tokens || self.parent[child] != at {
                    return false;
                }
                tokens = u64::from(inner.tokens_end);
            }
            if tokens != u64::from(node.tokens_end) {
                return false;
            }
            next = end;
        }
        next == count as u64 && self.parent[0] == ROOT
    }

    /// The ids of a node's children.
    #[inline]
    pub(crate) fn children(&self, node: u32) -> std::ops::Range<u32> {
        let n = &self.nodes[node as usize];
        n.first_child..n.first_child + n.children
    }

    /// Where the tokens are that go on from a node with a byte of a range.
    pub(crate) fn tokens_by(&self, node: u32, low: u8, high: u8) -> std::ops::Range<u32> {
        let children = self.children(node);
        let bytes = &self.byte[children.start as usize..children.end as usize];
        let first = bytes.partition_point(|&byte| byte < low);
        let inside = &bytes[first..first + bytes[first..].partition_point(|&byte| byte <= high)];
        let tokens = |child: usize| &self.nodes[children.start as usize + child];
        match inside.len() {
            0 => 0..0,
            len => tokens(first).tokens..tokens(first + len - 1).tokens_end,
        }
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

    /// Adds the tokens that end at a node. Hardly any has more than one.
    #[inline]
    pub(crate) fn add_own(&self, node: u32, ids: &mut Ids) {
        match *self.own(node) {
            [] => {}
            [one] => ids.push(one),
            ref several => ids.extend_from_slice(several),
        }
    }

    /// All tokens of a node's subtree, its own included.
    #[inline]
    pub(crate) fn subtree(&self, node: u32) -> &[TokenId] {
        let n = &self.nodes[node as usize];
        &self.tokens[n.tokens as usize..n.tokens_end as usize]
    }

    /// Adds the tokens on the way along `bytes`; the node at its end if there is more below it.
    #[inline]
    pub(crate) fn along(&self, mut node: u32, bytes: &[u8], ids: &mut Ids) -> Option<u32> {
        for &byte in bytes {
            node = self.child(node, byte)?;
            self.add_own(node, ids);
        }
        (self.nodes[node as usize].children > 0).then_some(node)
    }

    /// The bytes that lead to a node, the last one first.
    pub(crate) fn path(&self, node: u32) -> impl Iterator<Item = u8> {
        let above = std::iter::successors(Some(node), |&at| Some(self.parent[at as usize]));
        above.take_while(|&at| at != ROOT).map(|at| self.byte[at as usize])
    }

    /// The bytes of the character that a node is inside of or at the end of, as far as it.
    pub(crate) fn in_char(&self, node: u32) -> SmallVec<[u8; 4]> {
        let mut bytes: SmallVec<[u8; 4]> = SmallVec::new();
        for byte in self.path(node) {
            bytes.push(byte);
            if byte & 0xC0 != 0x80 {
                break;
            }
        }
        bytes.reverse();
        bytes
    }

    /// The node that `bytes` lead to.
    pub(crate) fn find(&self, bytes: &[u8]) -> Option<u32> {
        bytes.iter().try_fold(ROOT, |node, &byte| self.child(node, byte))
    }

    pub(crate) fn bytes_held(&self) -> usize {
        self.nodes.len() * (size_of::<TrieNode>() + size_of::<Below>() + 1) + self.tokens.len() * 4
    }
}

/// The nodes of a trie while it is built.
struct Shape {
    nodes: Vec<TrieNode>,
    byte: Vec<u8>,
    parent: Vec<u32>,
}

impl Shape {
    /// Breadth first, so that siblings are neighbours.
    fn new(sorted: &[(&[u8], TokenId)]) -> Self {
        let node = |tokens, tokens_end| TrieNode { first_child: 0, tokens, tokens_end, children: 0, own: 0 };
        let mut depths = vec![0u32];
        let mut shape =
            Shape { nodes: vec![node(0, sorted.len() as u32)], byte: vec![0], parent: vec![ROOT] };
        let mut at = 0;
        while at < shape.nodes.len() {
            let TrieNode { tokens, tokens_end, .. } = shape.nodes[at];
            let depth = depths[at] as usize;
            let range = &sorted[tokens as usize..tokens_end as usize];
            let own = range.iter().take_while(|t| t.0.len() == depth).count();
            shape.nodes[at].own = own as u32;
            shape.nodes[at].first_child = shape.nodes.len() as u32;
            let mut start = own;
            while start < range.len() {
                let byte = range[start].0[depth];
                let end = start + range[start..].partition_point(|t| t.0[depth] == byte);
                shape.nodes.push(node(tokens + start as u32, tokens + end as u32));
                shape.byte.push(byte);
                shape.parent.push(at as u32);
                depths.push(depth as u32 + 1);
                shape.nodes[at].children += 1;
                start = end;
            }
            at += 1;
        }
        shape
    }

    fn children(&self, node: usize) -> std::ops::Range<usize> {
        let n = &self.nodes[node];
        n.first_child as usize..(n.first_child + n.children) as usize
    }

    /// Children come after their parents, so one pass backwards sees them first.
    fn below(&self, utf8: &[Utf8State]) -> Vec<Below> {
        let mut all = vec![Below::default(); self.nodes.len()];
        for at in (0..self.nodes.len()).rev() {
            let mut below = Below::default();
            for child in self.children(at) {
                let (byte, inner) = (self.byte[child], all[child]);
                below.ascii |= inner.ascii;
                below.wide |= inner.wide;
                below.broken |= inner.broken;
                let starts = byte & 0xC0 != 0x80;
                below.chars = below.chars.max(inner.chars + starts as u32);
                below.pairs |= inner.pairs;
                if byte < 0x80 {
                    below.ascii |= 1 << byte;
                    below.broken |= !utf8[at].may_be_boundary();
                    if at != 0 && self.byte[at] < 0x80 {
                        below.pairs |= pair(self.byte[at], byte);
                    }
                } else {
                    below.wide = true;
                    let stray = !starts && utf8[at].may_be_boundary();
                    below.broken |= stray || utf8[child] == Utf8State::Broken;
                }
            }
            below.boundary = utf8[at].may_be_boundary();
            all[at] = below;
        }
        all
    }

    /// Where each node stands in a UTF-8 text. A token may start inside a character: its first bytes are then
    /// taken to end that character.
    fn utf8_states(&self) -> Vec<Utf8State> {
        let mut states = vec![Utf8State::Broken; self.nodes.len()];
        states[0] = Utf8State::Boundary;
        for at in 0..self.nodes.len() {
            for child in self.children(at) {
                states[child] = states[at].next(self.byte[child], at == 0);
            }
        }
        states
    }
}

impl Utf8Place {
    /// Between characters.
    pub(crate) const BOUNDARY: Utf8Place = Utf8Place { place: 0 };
    /// Inside a character.
    pub(crate) const INSIDE: Utf8Place = Utf8Place { place: 1 };
    /// In the first bytes of a token that started inside a character.
    pub(crate) const LEADING: Utf8Place = Utf8Place { place: 2 };
    /// Not UTF-8.
    pub(crate) const BROKEN: Utf8Place = Utf8Place { place: 3 };

    /// Whether a character may start here.
    pub(crate) fn may_be_boundary(self) -> bool {
        matches!(self, Utf8Place::BOUNDARY | Utf8Place::LEADING)
    }
}

impl From<Utf8State> for Utf8Place {
    fn from(state: Utf8State) -> Self {
        match state {
            Utf8State::Boundary => Utf8Place::BOUNDARY,
            Utf8State::Inside { .. } => Utf8Place::INSIDE,
            Utf8State::Leading(_) => Utf8Place::LEADING,
            Utf8State::Broken => Utf8Place::BROKEN,
        }
    }
}

/// Where a byte string stands as UTF-8.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Utf8State {
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
    fn may_be_boundary(self) -> bool {
        matches!(self, Utf8State::Boundary | Utf8State::Leading(_))
    }

    fn next(self, byte: u8, first: bool) -> Self {
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

/// Texts that are followed down the trie one after the other. Those in a row often begin alike, and that is followed once.
pub(crate) struct Descent<'a> {
    before: &'a [u8],
    /// The nodes that the one before has led to, as far as there are any.
    way: SmallVec<[u32; 32]>,
}

impl<'a> Descent<'a> {
    /// From a node on.
    pub(crate) fn from(node: u32) -> Self {
        Descent { before: &[], way: SmallVec::from_slice(&[node]) }
    }

    /// The node that a text leads to; `pass` is told each on the way that the one before has not led to.
    pub(crate) fn to(&mut self, trie: &Trie, text: &'a [u8], mut pass: impl FnMut(u32)) -> Option<u32> {
        let alike = self.before.iter().zip(text).take_while(|(a, b)| a == b).count();
        self.before = text;
        if alike < self.way.len() {
            self.way.truncate(alike + 1);
            for &byte in &text[alike..] {
                let Some(next) = trie.child(self.way[self.way.len() - 1], byte) else { break };
                pass(next);
                self.way.push(next);
            }
        }
        self.way.get(text.len()).copied()
    }
}
