//! What is no longer used, dropped little by little.
//!
//! To drop hundreds of thousands of objects at once takes as long as many steps of a sequence.

use super::AppendVec;

/// Objects that nobody refers to any more.
#[derive(Default)]
pub(crate) struct Retired(Vec<Box<dyn Shrink + Send>>);

/// Something that is dropped in parts.
trait Shrink {
    /// Drops at most so many objects; says whether there are more.
    fn shrink(&mut self, many: usize) -> bool;
}

impl<T> Shrink for Vec<T> {
    fn shrink(&mut self, many: usize) -> bool {
        self.truncate(self.len().saturating_sub(many));
        !self.is_empty()
    }
}

impl Retired {
    /// Adds the elements of a vector.
    pub(crate) fn add<T: Send + 'static>(&mut self, list: AppendVec<T>) {
        for chunk in list.into_chunks() {
            self.0.push(Box::new(chunk));
        }
    }

    /// Drops at most so many objects; says whether there are more.
    pub(crate) fn shrink(&mut self, many: usize) -> bool {
        if let Some(last) = self.0.last_mut()
            && !last.shrink(many)
        {
            self.0.pop();
        }
        !self.0.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collections::Writer;

    #[test]
    fn all_is_dropped_in_the_end() {
        let mut writer = Writer::default();
        let list = AppendVec::new(&writer);
        let one = std::sync::Arc::new(());
        for _ in 0..1_000 {
            list.push(one.clone(), &mut writer);
        }
        let mut retired = Retired::default();
        retired.add(list);
        let mut steps = 0;
        while retired.shrink(10) {
            steps += 1;
        }
        assert!((100..110).contains(&steps), "{steps}");
        assert_eq!(std::sync::Arc::strong_count(&one), 1);
    }
}
