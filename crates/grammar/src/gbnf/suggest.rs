//! "Did you mean …?"

use crate::tuning::suggest::{CANDIDATES, LENGTH};

/// The candidate that is nearest to `name`, if one is near enough to be a slip of the pen.
pub(super) fn nearest<'a>(name: &str, candidates: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    if name.len() > LENGTH {
        return None;
    }
    let bound = (name.len() / 3).max(1);
    candidates
        .take(CANDIDATES)
        .filter(|c| c.len() <= LENGTH && c.len().abs_diff(name.len()) <= bound)
        .map(|c| (distance(&name.to_ascii_lowercase(), &c.to_ascii_lowercase()), c))
        .filter(|&(d, c)| d <= bound && d < c.len())
        .min_by_key(|&(d, _)| d)
        .map(|(_, c)| c)
}

/// Edit distance in bytes; a swap of neighbours counts as one edit.
fn distance(a: &str, b: &str) -> usize {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 0..a.len() {
        let mut row = vec![i + 1; b.len() + 1];
        for j in 0..b.len() {
            let replace = last[j] + usize::from(a[i] != b[j]);
            row[j + 1] = replace.min(last[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && a[i] == b[j - 1] && a[i - 1] == b[j] {
                row[j + 1] = row[j + 1].min(before[j - 1] + 1);
            }
        }
        before = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_names_are_found_and_far_ones_are_not() {
        let names = ["value", "object", "string", "ws", "member"];
        let near = |name| nearest(name, names.into_iter());
        assert_eq!(near("vlaue"), Some("value"));
        assert_eq!(near("strings"), Some("string"));
        assert_eq!(near("WS"), Some("ws"));
        assert_eq!(near("number"), Some("member"));
        assert_eq!(near("array"), None);
        assert_eq!(near(&"x".repeat(1000)), None);
        assert_eq!(distance("", "abc"), 3);
        assert_eq!(distance("abc", ""), 3);
    }
}
