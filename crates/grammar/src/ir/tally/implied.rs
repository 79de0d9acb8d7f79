//! Slots that imply others, where counts are of one slot or of all.

use smallvec::SmallVec;

use super::parts::{Tally, pair};
use super::tallies::Tallies;
use super::tree::Tree;

/// More than any number of entries, and small enough for sums.
const MANY: u64 = 1 << 40;

/// How many entries each slot needs, and can take.
struct Needs {
    least: SmallVec<[u64; 64]>,
    most: SmallVec<[u64; 64]>,
    /// The same for all slots together.
    total: (u64, u64),
}

impl Tallies {
    /// Whether a tally can be completed; `None` if that is not as simple as this.
    pub(super) fn completable_if_implied(&self, tree: &Tree, tally: &Tally) -> Option<bool> {
        if !tree.flat {
            return None;
        }
        let mut needs = self.needs(tally);
        self.add_implied(tally, &mut needs.least);
        if needs.least.iter().zip(&needs.most).any(|(least, most)| least > most) {
            return Some(false);
        }
        let least: u64 = needs.least.iter().sum();
        let (low, high) = needs.total;
        if least > high {
            return Some(false);
        }
        if least >= low {
            return Some(true);
        }
        self.remove_unusable(tally, &mut needs.most);
        let most: u64 = needs.most.iter().sum();
        if most < low {
            return Some(false);
        }
        // Entries are added one at a time, each with what it implies: too few to step over a wide gap.
        let step = self.pairs.len() as u64 + 1;
        (most <= high || high - low + 1 >= step).then_some(true)
    }

    fn needs(&self, tally: &Tally) -> Needs {
        let usable = |slot| if self.is_open(tally, slot) { MANY } else { 0 };
        let slots = self.slots.len();
        let mut needs = Needs {
            least: SmallVec::from_elem(0, slots),
            most: (0..slots as u32).map(usable).collect(),
            total: (0, MANY * (slots as u64 + 1)),
        };
        for count in &self.counts {
            let now = count.field.get(tally);
            let low = count.min.saturating_sub(now) as u64;
            let high = count.max.map(|max| max.saturating_sub(now) as u64);
            // A count of one slot where there is just one is both.
            if let [slot] = count.slots[..] {
                needs.least[slot as usize] = low;
                let most = &mut needs.most[slot as usize];
                *most = (*most).min(high.unwrap_or(MANY));
            } else {
                needs.total = (low, high.unwrap_or(needs.total.1));
            }
        }
        needs
    }

    /// What is needed because something else is.
    fn add_implied(&self, tally: &Tally, least: &mut [u64]) {
        let mut todo: SmallVec<[u32; 16]> = SmallVec::new();
        for pair in self.pairs.iter().filter(|p| p.field.get(tally) == pair::PENDING) {
            least[pair.b as usize] = least[pair.b as usize].max(1);
        }
        todo.extend((0..least.len() as u32).filter(|&s| least[s as usize] > 0));
        while let Some(slot) = todo.pop() {
            for &number in &self.slots[slot as usize].implies {
                let pair = &self.pairs[number as usize];
                if pair.field.get(tally) == pair::OPEN && least[pair.b as usize] == 0 {
                    least[pair.b as usize] = 1;
                    todo.push(pair.b);
                }
            }
        }
    }

    /// What cannot be used because it implies what cannot.
    fn remove_unusable(&self, tally: &Tally, most: &mut [u64]) {
        let mut todo: SmallVec<[u32; 16]> =
            (0..most.len() as u32).filter(|&s| most[s as usize] == 0).collect();
        while let Some(slot) = todo.pop() {
            for &number in &self.slots[slot as usize].implied_by {
                let pair = &self.pairs[number as usize];
                if pair.field.get(tally) == pair::OPEN && most[pair.a as usize] > 0 {
                    most[pair.a as usize] = 0;
                    todo.push(pair.a);
                }
            }
        }
    }
}
