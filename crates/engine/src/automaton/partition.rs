//! Classes of bytes.

use crate::tuning::partition::{LISTED, SEEN};
use smallvec::SmallVec;
use tokenstile_grammar::ir::ByteSet;

/// The coarsest classes of bytes such that every set is a union of classes; bytes in no set are left out.
pub(crate) fn partition<'a>(sets: impl Iterator<Item = &'a ByteSet>) -> SmallVec<[ByteSet; 8]> {
    let mut partition = Partition { classes: SmallVec::new(), of: [NONE; 256], all: ByteSet::EMPTY };
    // Where there are many sets, most of them have been there before.
    let mut seen = [ByteSet::EMPTY; SEEN];
    for set in sets {
        let place = &mut seen[place_of(set)];
        if place != set {
            *place = *set;
            partition.refine(*set);
        }
    }
    partition.classes
}

fn place_of(set: &ByteSet) -> usize {
    let mixed = set.words().iter().fold(0u64, |mixed, word| mixed.rotate_left(5) ^ word);
    (mixed.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 60) as usize
}

/// The class of bytes that are in none, or in one that is soon found. There are no more than 256, and then each has one byte
/// and none is split.
const NONE: u8 = u8::MAX;

struct Partition {
    classes: SmallVec<[ByteSet; 8]>,
    /// The class of each byte, for classes past the first few.
    of: [u8; 256],
    /// The bytes that are in one.
    all: ByteSet,
}

impl Partition {
    /// Splits classes until a set is a union of some. Only those are looked at that have a byte of it.
    fn refine(&mut self, set: ByteSet) {
        let fresh = set.minus(&self.all);
        let mut rest = set.minus(&fresh);
        self.all = self.all.union(&fresh);
        while let Some(byte) = rest.first() {
            let class = self.class_of(byte);
            let shared = self.classes[class].intersect(&rest);
            rest = rest.minus(&shared);
            if shared != self.classes[class] {
                self.classes[class] = self.classes[class].minus(&shared);
                self.add(shared);
            }
        }
        if !fresh.is_empty() {
            self.add(fresh);
        }
    }

    fn class_of(&self, byte: u8) -> usize {
        match self.of[usize::from(byte)] {
            NONE => self.classes.iter().position(|class| class.contains(byte)).unwrap_or_default(),
            class => usize::from(class),
        }
    }

    fn add(&mut self, class: ByteSet) {
        if self.classes.len() >= LISTED {
            let number = u8::try_from(self.classes.len()).unwrap_or(NONE);
            class.iter().for_each(|byte| self.of[usize::from(byte)] = number);
        }
        self.classes.push(class);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use tokenstile_testkit::Rng;

    use super::*;

    /// Bytes are in one class just if they are in the same sets.
    fn check(sets: &[ByteSet]) {
        let classes = partition(sets.iter());
        let signature = |byte: u8| sets.iter().map(|set| set.contains(byte)).collect::<Vec<_>>();
        let mut seen = BTreeSet::new();
        for class in &classes {
            let first = signature(class.first().expect("no class is empty"));
            assert!(class.iter().all(|byte| signature(byte) == first && first.contains(&true)));
            assert!(seen.insert(first), "two classes are one");
        }
        let all = sets.iter().fold(ByteSet::EMPTY, |all, set| all.union(set));
        assert_eq!(classes.iter().fold(ByteSet::EMPTY, |all, class| all.union(class)), all);
        assert_eq!(classes.iter().map(ByteSet::len).sum::<usize>(), all.len());
    }

    #[test]
    fn classes_are_told_apart_by_their_sets() {
        let mut rng = Rng::new(7);
        for round in 0..300 {
            let sets: Vec<ByteSet> = (0..round % 40)
                .map(|_| match rng.below(3) {
                    0 => ByteSet::single(rng.byte()),
                    1 => ByteSet::range(rng.byte(), rng.byte()),
                    _ => (0..rng.below(60)).map(|_| rng.byte()).collect(),
                })
                .collect();
            check(&sets);
        }
        check(&(0..=255).map(ByteSet::single).collect::<Vec<_>>());
        check(&(0..=255).map(|last| ByteSet::range(0, last)).collect::<Vec<_>>());
    }
}
