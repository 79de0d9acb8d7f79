//! Whether the code points of a label are in normalization form C.

use std::sync::OnceLock;

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::idn_tables::{COMBINING, COMPOSED};

type Codes = SmallVec<[u32; 64]>;

/// Where a label differs from its normalization form C, at first.
pub(super) fn not_normalized(label: &[u32]) -> Option<usize> {
    let mut codes = decomposed(label);
    sort_marks(&mut codes);
    let normal = composed(&codes);
    let same = label.iter().zip(&normal).take_while(|(a, b)| a == b).count();
    (same < label.len().max(normal.len())).then_some(same)
}

/// The canonical combining class.
pub(super) fn class(code: u32) -> u8 {
    let at = COMBINING.partition_point(|range| range.1 < code);
    COMBINING.get(at).filter(|range| range.0 <= code).map_or(0, |range| range.2)
}

fn compose(first: u32, second: u32) -> Option<u32> {
    let at = COMPOSED.binary_search_by_key(&(second, first), |c| (c.1, c.0));
    at.ok().map(|at| COMPOSED[at].2)
}

/// Everything taken apart; syllables of Hangul stay, since none of their parts is in a label.
fn decomposed(label: &[u32]) -> Codes {
    static PARTS: OnceLock<FxHashMap<u32, (u32, u32)>> = OnceLock::new();
    let parts = PARTS.get_or_init(|| COMPOSED.iter().map(|&(a, b, both)| (both, (a, b))).collect());
    let mut codes = Codes::new();
    for &code in label {
        // The second part is never composed itself.
        let (mut first, mut seconds) = (code, SmallVec::<[u32; 4]>::new());
        while let Some(&(a, b)) = parts.get(&first) {
            seconds.push(b);
            first = a;
        }
        codes.push(first);
        codes.extend(seconds.into_iter().rev());
    }
    codes
}

/// Puts marks between two others in the order of their classes.
fn sort_marks(codes: &mut [u32]) {
    for marks in codes.split_mut(|&code| class(code) == 0) {
        marks.sort_by_key(|&code| class(code));
    }
}

fn composed(codes: &[u32]) -> Codes {
    let mut out = Codes::new();
    let mut starter: Option<usize> = None;
    for &code in codes {
        let own = class(code);
        if let Some(at) = starter {
            // What has no lower class in between stands in the way.
            let last = out.len() - 1;
            let free = at == last || own != 0 && class(out[last]) < own;
            if let Some(both) = compose(out[at], code).filter(|_| free) {
                out[at] = both;
                continue;
            }
        }
        if own == 0 {
            starter = Some(out.len());
        }
        out.push(code);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn composed_reordered_and_blocked() {
        let at = |text: &str| not_normalized(&text.chars().map(|c| c as u32).collect::<Vec<u32>>());
        for text in
            ["", "abc", "é", "x\u{323}\u{300}", "aж\u{300}", "q\u{300}", "한국", "ệ", "\u{9C7}a\u{9BE}"]
        {
            assert_eq!(at(text), None, "{text:?}");
        }
        assert_eq!(at("e\u{301}"), Some(0));
        assert_eq!(at("x\u{300}\u{323}"), Some(1));
        assert_eq!(at("ê\u{323}"), Some(0));
        assert_eq!(at("a\u{316}\u{300}"), Some(0));
        assert_eq!(at("ab\u{9C7}\u{9BE}"), Some(2));
        assert_eq!(at("c\u{3099}\u{94D}か\u{3099}"), Some(3));
    }
}
