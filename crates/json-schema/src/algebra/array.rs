//! Sets of arrays: conjunctions of what is said about items, and their complements.

use tokenstile_grammar::{Error, ErrorKind};

use super::goal::GoalId;
use super::{Algebra, Unions};

/// A set of arrays. An array is in it if
/// - each item has the goal of its place: those of `prefix`, then `rest`;
/// - it has `min` to `max` items;
/// - for each entry of `contains`, the number of items that have its goal is within its bounds;
/// - if it is `unique`, no two items are equal; if it is `repeated`, some two are.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Array {
    pub(crate) prefix: Vec<GoalId>,
    pub(crate) rest: GoalId,
    pub(crate) min: u64,
    pub(crate) max: u64,
    pub(crate) contains: Vec<Contains>,
    pub(crate) unique: bool,
    pub(crate) repeated: bool,
    /// Items that count as evaluated; filled in only where `unevaluatedItems` asks for it.
    pub(crate) seen: SeenItems,
}

/// How many items have a goal, of those at an index or after it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Contains {
    pub(crate) from: usize,
    pub(crate) goal: GoalId,
    pub(crate) min: u64,
    pub(crate) max: u64,
}

/// Items that some schema has evaluated: the first few, and those that have one of the goals.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub(crate) struct SeenItems {
    pub(crate) first: usize,
    pub(crate) all: bool,
    pub(crate) goals: Vec<GoalId>,
}

impl Array {
    pub(crate) fn any() -> Self {
        Array {
            prefix: Vec::new(),
            rest: GoalId::ANY,
            min: 0,
            max: u64::MAX,
            contains: Vec::new(),
            unique: false,
            repeated: false,
            seen: SeenItems::default(),
        }
    }

    pub(crate) fn goal_at(&self, index: usize) -> GoalId {
        self.prefix.get(index).copied().unwrap_or(self.rest)
    }
}

impl Algebra<'_> {
    fn intersect_arrays(&mut self, a: &Array, b: &Array) -> Array {
        let len = a.prefix.len().max(b.prefix.len());
        let prefix = (0..len).map(|i| self.goals.and(a.goal_at(i), b.goal_at(i))).collect();
        let mut contains = a.contains.clone();
        contains.extend(b.contains.iter().filter(|c| !a.contains.contains(c)));
        let mut seen = a.seen.clone();
        seen.first = seen.first.max(b.seen.first);
        seen.all |= b.seen.all;
        seen.goals.extend_from_slice(&b.seen.goals);
        Array {
            prefix,
            rest: self.goals.and(a.rest, b.rest),
            min: a.min.max(b.min),
            max: a.max.min(b.max),
            contains,
            unique: a.unique || b.unique,
            repeated: a.repeated || b.repeated,
            seen,
        }
    }

    fn complement_of_array(&mut self, array: &Array) -> Result<Vec<Array>, Error> {
        let mut out = Vec::new();
        for (i, &goal) in array.prefix.iter().enumerate() {
            for literal in self.violations(goal) {
                let mut prefix = vec![GoalId::ANY; i];
                prefix.push(literal);
                out.push(Array { prefix, min: i as u64 + 1, ..Array::any() });
            }
        }
        for goal in self.violations(array.rest) {
            let some = Contains { from: array.prefix.len(), goal, min: 1, max: u64::MAX };
            out.push(Array { contains: vec![some], ..Array::any() });
        }
        if array.min > 0 {
            out.push(Array { max: array.min - 1, ..Array::any() });
        }
        if array.max < u64::MAX {
            out.push(Array { min: array.max + 1, ..Array::any() });
        }
        for &contains in &array.contains {
            if contains.min > 0 {
                let fewer = Contains { min: 0, max: contains.min - 1, ..contains };
                out.push(Array { contains: vec![fewer], ..Array::any() });
            }
            if contains.max < u64::MAX {
                let more = Contains { min: contains.max + 1, max: u64::MAX, ..contains };
                out.push(Array { contains: vec![more], ..Array::any() });
            }
        }
        if array.unique {
            out.push(Array { repeated: true, min: 2, ..Array::any() });
        }
        if array.repeated {
            out.push(Array { unique: true, ..Array::any() });
        }
        Ok(out)
    }

    fn no_arrays(&mut self, array: &Array, depth: usize) -> Result<bool, Error> {
        if array.min > array.max || array.unique && array.repeated {
            return Ok(true);
        }
        for i in 0..array.prefix.len().min(usize::try_from(array.min).unwrap_or(usize::MAX)) {
            if self.no_values(array.prefix[i], depth)? {
                return Ok(true);
            }
        }
        if array.min > array.prefix.len() as u64 && self.no_values(array.rest, depth)? {
            return Ok(true);
        }
        for &Contains { from, goal, min, max } in &array.contains {
            let goal = if from >= array.prefix.len() { self.goals.and(goal, array.rest) } else { goal };
            let room = array.max.saturating_sub(from as u64);
            if min > max || min > room || min > 0 && self.no_values(goal, depth)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Refuses what no grammar says.
    pub(crate) fn check_array(&self, array: &Array) -> Result<(), Error> {
        if array.repeated {
            let what = "`not` of `uniqueItems` (an array that repeats an item) cannot be enforced";
            return Err(Error::new(ErrorKind::Unsupported, what));
        }
        Ok(())
    }
}

impl Unions for Array {
    fn intersect(algebra: &mut Algebra<'_>, a: &Self, b: &Self) -> Result<Self, Error> {
        Ok(algebra.intersect_arrays(a, b))
    }

    fn complement(algebra: &mut Algebra<'_>, of: &Self) -> Result<Vec<Self>, Error> {
        algebra.complement_of_array(of)
    }

    fn is_none(algebra: &mut Algebra<'_>, of: &Self, depth: usize) -> Result<bool, Error> {
        algebra.no_arrays(of, depth)
    }

    fn any() -> Self {
        Array::any()
    }

    fn is_any(&self) -> bool {
        *self == Array::any()
    }
}
