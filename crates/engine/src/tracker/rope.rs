//! The symbols of what is being written, as a list of shared pieces that grows at its end.

use std::sync::Arc;

use smallvec::SmallVec;

use super::set::Symbol;

/// Symbols in a piece, if it was not cut short by a clone.
const PIECE: usize = 256;

/// A growing string of symbols. Cloning is a pointer; what is shared is never changed.
#[derive(Clone, Default)]
pub(crate) struct Rope {
    last: Option<Arc<Piece>>,
}

#[derive(Clone)]
struct Piece {
    before: Option<Arc<Piece>>,
    /// Symbols before this piece.
    start: usize,
    symbols: SmallVec<[Symbol; 12]>,
}

impl Drop for Piece {
    /// In a loop: a long text must not use the call stack.
    fn drop(&mut self) {
        let mut before = self.before.take();
        while let Some(piece) = before {
            before = Arc::into_inner(piece).and_then(|mut p| p.before.take());
        }
    }
}

impl Rope {
    pub(crate) fn len(&self) -> usize {
        self.last.as_ref().map_or(0, |p| p.start + p.symbols.len())
    }

    pub(crate) fn push(&mut self, symbol: Symbol) {
        if let Some(piece) = self.last.as_mut().and_then(Arc::get_mut)
            && piece.symbols.len() < PIECE
        {
            piece.symbols.push(symbol);
            return;
        }
        let (start, before) = (self.len(), self.last.take());
        self.last = Some(Arc::new(Piece { before, start, symbols: SmallVec::from_iter([symbol]) }));
    }

    /// The symbols from `start` on.
    pub(crate) fn since(&self, start: usize) -> Vec<Symbol> {
        let mut out = vec![0; self.len().saturating_sub(start)];
        let mut piece = &self.last;
        while let Some(p) = piece {
            let skip = start.saturating_sub(p.start).min(p.symbols.len());
            let part = &p.symbols[skip..];
            let at = (p.start + skip).saturating_sub(start);
            if let Some(target) = out.get_mut(at..at + part.len()) {
                target.copy_from_slice(part);
            }
            if p.start <= start {
                break;
            }
            piece = &p.before;
        }
        out
    }

    /// Forgets the symbols from `len` on.
    pub(crate) fn truncate(&mut self, len: usize) {
        while let Some(piece) = &mut self.last {
            if piece.start >= len {
                let before = piece.before.clone();
                self.last = before;
                continue;
            }
            if piece.start + piece.symbols.len() > len {
                let keep = len - piece.start;
                match Arc::get_mut(piece) {
                    Some(piece) => piece.symbols.truncate(keep),
                    None => {
                        let symbols = SmallVec::from_slice(&piece.symbols[..keep]);
                        let (before, start) = (piece.before.clone(), piece.start);
                        *piece = Arc::new(Piece { before, start, symbols });
                    }
                }
            }
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rope_is_a_string() {
        let (mut rope, mut plain) = (Rope::default(), Vec::new());
        let mut kept = Vec::new();
        let mut seed = 1u32;
        for i in 0..5_000u32 {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            match seed >> 24 {
                0..=3 => {
                    let len = (seed >> 4) as usize % (plain.len() + 1);
                    rope.truncate(len);
                    plain.truncate(len);
                }
                4..=40 => kept.push((rope.clone(), plain.clone())),
                _ => {
                    rope.push(i as Symbol);
                    plain.push(i as Symbol);
                }
            }
            assert_eq!(rope.len(), plain.len());
        }
        kept.push((rope, plain));
        for (rope, plain) in kept {
            for start in [0, plain.len() / 3, plain.len() / 2, plain.len()] {
                assert_eq!(rope.since(start), plain[start..]);
            }
        }
    }
}
