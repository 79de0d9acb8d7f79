//! A persistent set of symbol strings: what an object or an array has already.
//!
//! A trie whose nodes are shared. Adding a string copies the nodes on its way and nothing else, so every earlier
//! version stays as it was; a string that shares no more with others is one leaf, however long. A [`Cursor`]
//! stands at a prefix: it tells at once whether anything in the set goes on from there.

use std::sync::Arc;

use smallvec::SmallVec;

/// A byte of text, or one of the signs that [`symbol`] lists.
pub(crate) type Symbol = u16;

/// Symbols that are no bytes.
pub(crate) mod symbol {
    use super::Symbol;
    pub(crate) const STRING: Symbol = 0x100;
    /// Ends a string, a key or a number.
    pub(crate) const END: Symbol = 0x101;
    pub(crate) const NUMBER: Symbol = 0x102;
    pub(crate) const MINUS: Symbol = 0x103;
    pub(crate) const EXPONENT: Symbol = 0x104;
    pub(crate) const ARRAY: Symbol = 0x105;
    pub(crate) const END_ARRAY: Symbol = 0x106;
    /// An object; sixteen bytes follow that stand for its members.
    pub(crate) const OBJECT: Symbol = 0x107;
    pub(crate) const TRUE: Symbol = 0x108;
    pub(crate) const FALSE: Symbol = 0x109;
    pub(crate) const NULL: Symbol = 0x10A;
}

/// A set of strings, none of which begins another. Cloning is a pointer.
#[derive(Clone, Default)]
pub(crate) struct Set(Option<Arc<Node>>);

enum Node {
    /// The rest of one string.
    Leaf(Arc<[Symbol]>, usize),
    /// Sorted by symbol; and what strings there are.
    Inner(Edges, Strings),
}

/// Some strings.
#[derive(Clone, Copy)]
struct Strings {
    count: u32,
    /// Whether there are bytes past ASCII in any.
    wide: bool,
}

impl Strings {
    /// One more.
    fn with(self, string: &[Symbol]) -> Strings {
        Strings { count: self.count.saturating_add(1), wide: self.wide || is_wide(string) }
    }
}

/// Whether there are bytes past ASCII in a string.
fn is_wide(string: &[Symbol]) -> bool {
    string.iter().any(|symbol| (0x80..0x100).contains(symbol))
}

type Edges = SmallVec<[(Symbol, Arc<Node>); 2]>;

impl Drop for Node {
    /// In a loop: strings that share a long beginning must not use the call stack.
    fn drop(&mut self) {
        let Node::Inner(edges, _) = self else { return };
        let mut todo: Vec<Arc<Node>> = edges.drain(..).map(|e| e.1).collect();
        while let Some(node) = todo.pop() {
            if let Some(Node::Inner(edges, _)) = Arc::into_inner(node).as_mut() {
                todo.extend(edges.drain(..).map(|e| e.1));
            }
        }
    }
}

impl Set {
    /// The place before all strings of the set; `None` if it is empty.
    pub(crate) fn cursor(&self) -> Option<Cursor> {
        let node = self.0.clone()?;
        let at = node.start();
        Some(Cursor { node, at })
    }

    /// Where the set lies: equal for sets that are one and the same.
    pub(crate) fn address(&self) -> usize {
        self.0.as_ref().map_or(0, |node| Arc::as_ptr(node) as usize)
    }

    /// Adds a string; says whether it was new. If not, the set stays the very same.
    pub(crate) fn insert(&mut self, string: &[Symbol]) -> bool {
        let Some(root) = &self.0 else {
            self.0 = Some(Arc::new(Node::Leaf(string.into(), 0)));
            return true;
        };
        let mut path: Vec<Arc<Node>> = Vec::new();
        let mut node = root.clone();
        let mut at = 0;
        let mut new = loop {
            match &*node {
                Node::Leaf(rest, from) => {
                    if rest[*from..] == string[at.min(string.len())..] {
                        return false;
                    }
                    break split((rest, *from), (string.into(), at));
                }
                Node::Inner(edges, strings) => {
                    let Some(&symbol) = string.get(at) else { return false };
                    match edges.binary_search_by_key(&symbol, |e| e.0) {
                        Ok(i) => {
                            let next = edges[i].1.clone();
                            path.push(std::mem::replace(&mut node, next));
                            at += 1;
                        }
                        Err(i) => {
                            let mut edges = edges.clone();
                            edges.insert(i, (symbol, Arc::new(Node::Leaf(string[at + 1..].into(), 0))));
                            break Arc::new(Node::Inner(edges, strings.with(string)));
                        }
                    }
                }
            }
        };
        while let Some(above) = path.pop() {
            at = path.len();
            let Node::Inner(edges, strings) = &*above else { continue };
            let mut edges = edges.clone();
            if let Ok(i) = edges.binary_search_by_key(&string[at], |e| e.0) {
                edges[i].1 = new;
            }
            new = Arc::new(Node::Inner(edges, strings.with(string)));
        }
        self.0 = Some(new);
        true
    }
}

/// The node of two different strings.
fn split((a, from): (&Arc<[Symbol]>, usize), (b, at): (Arc<[Symbol]>, usize)) -> Arc<Node> {
    let shared = a[from..].iter().zip(&b[at..]).take_while(|(x, y)| x == y).count();
    let mut edges = Edges::new();
    for (string, at) in [(a, from + shared), (&b, at + shared)] {
        if let Some(&symbol) = string.get(at) {
            edges.push((symbol, Arc::new(Node::Leaf(string.clone(), at + 1))));
        }
    }
    edges.sort_unstable_by_key(|e| e.0);
    let strings = Strings { count: 2, wide: is_wide(&a[from..]) || is_wide(&b[at..]) };
    let mut node = Arc::new(Node::Inner(edges, strings));
    for &symbol in a[from..from + shared].iter().rev() {
        node = Arc::new(Node::Inner(SmallVec::from_iter([(symbol, node)]), strings));
    }
    node
}

impl Node {
    fn start(&self) -> usize {
        match self {
            Node::Leaf(_, from) => *from,
            Node::Inner(..) => 0,
        }
    }
}

/// A place in a set: the strings that go on from a prefix.
#[derive(Clone)]
pub(crate) struct Cursor {
    node: Arc<Node>,
    /// How far into a leaf.
    at: usize,
}

impl Cursor {
    /// Goes on by one symbol; answers `false`, and stays, if no string does.
    #[inline]
    pub(crate) fn step(&mut self, symbol: Symbol) -> bool {
        match &*self.node {
            Node::Leaf(rest, _) => {
                let found = rest.get(self.at) == Some(&symbol);
                self.at += found as usize;
                found
            }
            Node::Inner(edges, _) => match edges.binary_search_by_key(&symbol, |e| e.0) {
                Ok(i) => {
                    let node = edges[i].1.clone();
                    self.at = node.start();
                    self.node = node;
                    true
                }
                Err(_) => false,
            },
        }
    }

    /// Whether some string goes on with this symbol.
    #[inline]
    pub(crate) fn has(&self, symbol: Symbol) -> bool {
        self.view().has(symbol)
    }

    /// Whether a string ends here.
    pub(crate) fn at_end(&self) -> bool {
        matches!(&*self.node, Node::Leaf(rest, _) if self.at == rest.len())
    }

    /// The symbols that some string goes on with.
    pub(crate) fn next(&self) -> impl Iterator<Item = Symbol> + '_ {
        self.view().next()
    }

    /// Where it stands, in numbers.
    pub(crate) fn address(&self) -> (usize, usize) {
        (Arc::as_ptr(&self.node) as usize, self.at)
    }

    /// See [`View::has_unit`].
    pub(crate) fn has_unit(&self, low: u16, high: u16) -> bool {
        self.view().has_unit(low, high)
    }

    /// The same place, borrowed.
    #[inline]
    pub(crate) fn view(&self) -> View<'_> {
        View { node: &self.node, at: self.at }
    }
}

/// A [`Cursor`] that does not keep the set alive, and costs nothing to copy.
#[derive(Clone, Copy)]
pub(crate) struct View<'a> {
    node: &'a Node,
    at: usize,
}

impl<'a> View<'a> {
    /// Goes on by one symbol; answers `false`, and stays, if no string does.
    #[inline]
    pub(crate) fn step(&mut self, symbol: Symbol) -> bool {
        match self.node {
            Node::Leaf(rest, _) => {
                let found = rest.get(self.at) == Some(&symbol);
                self.at += found as usize;
                found
            }
            Node::Inner(edges, _) => match edges.binary_search_by_key(&symbol, |e| e.0) {
                Ok(i) => {
                    self.node = &edges[i].1;
                    self.at = self.node.start();
                    true
                }
                Err(_) => false,
            },
        }
    }

    /// Whether some string goes on with this symbol.
    #[inline]
    pub(crate) fn has(self, symbol: Symbol) -> bool {
        match self.node {
            Node::Leaf(rest, _) => rest.get(self.at) == Some(&symbol),
            Node::Inner(edges, _) => edges.binary_search_by_key(&symbol, |e| e.0).is_ok(),
        }
    }

    /// What is left of the only string that goes on from here.
    pub(crate) fn only(self) -> Option<&'a [Symbol]> {
        match self.node {
            Node::Leaf(rest, _) => Some(&rest[self.at..]),
            Node::Inner(..) => None,
        }
    }

    /// How many strings go on from here.
    pub(crate) fn count(self) -> u32 {
        match self.node {
            Node::Leaf(..) => 1,
            Node::Inner(_, strings) => strings.count,
        }
    }

    /// Whether there are bytes past ASCII in any of those, or before where they begin to differ.
    pub(crate) fn is_wide(self) -> bool {
        match self.node {
            Node::Leaf(rest, from) => is_wide(&rest[*from..]),
            Node::Inner(_, strings) => strings.wide,
        }
    }

    /// The symbols that some string goes on with.
    #[inline]
    pub(crate) fn next(self) -> impl Iterator<Item = Symbol> + 'a {
        let (leaf, inner) = match self.node {
            Node::Leaf(rest, _) => (rest.get(self.at).copied(), &[][..]),
            Node::Inner(edges, _) => (None, &edges[..]),
        };
        leaf.into_iter().chain(inner.iter().map(|e| e.0))
    }

    /// Whether some string goes on with a character (or half of a pair, as UTF-8 would spell it) that is written
    /// with an escape from `low` to `high`.
    pub(crate) fn has_unit(self, low: u16, high: u16) -> bool {
        let mut todo: SmallVec<[(View<'_>, u32, u32); 8]> = SmallVec::from_iter([(self, 0, 0)]);
        while let Some((view, code, left)) = todo.pop() {
            for symbol in view.next().filter(|&s| s < 0x100) {
                let byte = u32::from(symbol);
                let (code, left) = match byte {
                    0x80..=0xBF if left > 0 => (code << 6 | byte & 0x3F, left - 1),
                    _ if left > 0 => continue,
                    0..=0x7F => (byte, 0),
                    0xC0..=0xDF => (byte & 0x1F, 1),
                    0xE0..=0xEF => (byte & 0x0F, 2),
                    _ => (byte & 0x07, 3),
                };
                if left == 0 {
                    let unit = if code > 0xFFFF { 0xD7C0 + (code >> 10) } else { code };
                    if (u32::from(low)..=u32::from(high)).contains(&unit) {
                        return true;
                    }
                    continue;
                }
                let mut next = view;
                if next.step(symbol) {
                    todo.push((next, code, left));
                }
            }
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn symbols(text: &str) -> Vec<Symbol> {
        text.bytes().map(Symbol::from).chain([symbol::END]).collect()
    }

    fn holds(set: &Set, text: &str) -> bool {
        let Some(mut cursor) = set.cursor() else { return false };
        symbols(text).into_iter().all(|s| cursor.step(s)) && cursor.at_end()
    }

    #[test]
    fn a_set_keeps_its_earlier_versions() {
        let words = ["a", "ab", "abc", "b", "", "abd", "zebra", "zebras", "ab"];
        let mut versions = vec![Set::default()];
        for word in words {
            let mut next = versions[versions.len() - 1].clone();
            let known = holds(&next, word);
            assert_eq!(next.insert(&symbols(word)), !known, "{word}");
            versions.push(next);
        }
        for (n, set) in versions.iter().enumerate() {
            let different = words[..n].iter().collect::<std::collections::BTreeSet<_>>().len();
            assert_eq!(set.cursor().map_or(0, |cursor| cursor.view().count()), different as u32);
            assert!(set.cursor().is_none_or(|cursor| !cursor.view().is_wide()));
            for word in words.iter().chain(&["ac", "zebr", "abcd"]) {
                assert_eq!(holds(set, word), words[..n].contains(word), "{word} in version {n}");
            }
        }
        let before = versions[9].address();
        assert!(!versions[9].insert(&symbols("zebra")));
        assert_eq!(versions[9].address(), before);
    }

    #[test]
    fn long_strings_with_a_long_beginning_in_common() {
        let mut set = Set::default();
        let long = "x".repeat(300_000);
        assert!(set.insert(&symbols(&long)) && set.insert(&symbols(&(long.clone() + "y"))));
        assert!(holds(&set, &long) && !holds(&set, &long[1..]));
    }

    #[test]
    fn units_of_escapes() {
        let mut set = Set::default();
        for word in ["é", "日", "😀"] {
            set.insert(&symbols(word));
        }
        let cursor = set.cursor().unwrap();
        assert!(cursor.view().is_wide());
        for (low, high, found) in [
            (0xE9, 0xE9, true),
            (0x00, 0xFF, true),
            (0xEA, 0xFF, false),
            (0x65E5, 0x65E5, true),
            (0xD83D, 0xD83D, true),
            (0xD83E, 0xDFFF, false),
        ] {
            assert_eq!(cursor.has_unit(low, high), found, "{low:x}..{high:x}");
        }
    }
}
