//! A vector is read while it grows.

use std::panic::{AssertUnwindSafe, catch_unwind};

use loom::cell::UnsafeCell;
use loom::sync::{Arc, Mutex};
use loom::thread;

use crate::append::{AppendVec, Writer};

/// A value that loom watches: it complains when a thread reads it that need not see that it was written.
struct Watched(UnsafeCell<usize>);

// SAFETY: nothing writes to it after it was made. That no thread reads it before is what loom checks here.
unsafe impl Sync for Watched {}

impl Watched {
    fn new(value: usize) -> Self {
        Watched(UnsafeCell::new(value))
    }

    fn get(&self) -> usize {
        // SAFETY: as above.
        self.0.with(|value| unsafe { *value })
    }
}

/// A vector, and its writer behind a lock.
struct Shared {
    list: AppendVec<Watched>,
    writer: Mutex<Writer>,
}

impl Shared {
    /// A vector of so many elements, each of which is its own number.
    fn of(len: usize) -> Arc<Self> {
        let mut writer = Writer::default();
        let list = AppendVec::new(&writer);
        for value in 0..len {
            list.push(Watched::new(value), &mut writer);
        }
        Arc::new(Shared { list, writer: Mutex::new(writer) })
    }

    fn push(&self) -> usize {
        let mut writer = self.writer.lock().unwrap();
        let value = self.list.len();
        assert_eq!(self.list.push(Watched::new(value), &mut writer), value);
        value
    }

    /// Reads an element that may be there or not, and knows of it from nobody else.
    fn read(&self, index: usize) {
        let found = catch_unwind(AssertUnwindSafe(|| self.list.get(index)));
        if let Ok(found) = found {
            assert_eq!(found.get(), index);
        }
    }

    /// Reads the last element that is known of.
    fn read_last(&self) {
        if let Some(last) = self.list.len().checked_sub(1) {
            assert_eq!(self.list.get(last).get(), last);
        }
    }
}

/// Two threads read while a third appends twice. `before` elements are there at the start.
fn read_while_one_appends(before: usize) {
    loom::model(move || {
        let shared = Shared::of(before);
        let (first, second) = (shared.clone(), shared.clone());
        let readers =
            [thread::spawn(move || first.read(before + 1)), thread::spawn(move || second.read_last())];
        shared.push();
        shared.push();
        readers.into_iter().for_each(|reader| reader.join().unwrap());
        assert_eq!(shared.list.len(), before + 2);
    });
}

#[test]
fn an_empty_vector_is_read_while_it_grows() {
    read_while_one_appends(0);
}

#[test]
fn a_new_chunk_is_read_as_soon_as_it_is_there() {
    // The first chunk has room for two in a model.
    read_while_one_appends(1);
}

#[test]
fn two_threads_append() {
    loom::model(|| {
        let shared = Shared::of(0);
        let other = {
            let shared = shared.clone();
            thread::spawn(move || shared.push())
        };
        let here = shared.push();
        let there = other.join().unwrap();
        assert_eq!(here + there, 1, "each has an element of its own");
        assert_eq!((shared.list.get(here).get(), shared.list.get(there).get()), (here, there));
    });
}
