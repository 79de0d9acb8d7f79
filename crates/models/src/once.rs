//! An id that several threads look for at once, and what it stands for.

use loom::sync::{Arc, Mutex};
use loom::thread;

use crate::append::{AppendVec, Writer};
use crate::memo::OnceId;

/// Finds an element through an id, or makes it: what the automaton does with every object.
struct Interned {
    list: AppendVec<u32>,
    writer: Mutex<Writer>,
    id: OnceId<u32>,
}

impl Interned {
    fn find(&self) -> u32 {
        let id = self.id.get().unwrap_or_else(|| {
            let mut writer = self.writer.lock().unwrap();
            // As an index that is kept with the writer does.
            let known = self.list.len().checked_sub(1);
            let id = known.unwrap_or_else(|| self.list.push(7, &mut writer));
            self.id.set(id as u32)
        });
        *self.list.get(id as usize)
    }
}

#[test]
fn an_id_leads_to_what_it_stands_for() {
    loom::model(|| {
        let writer = Writer::default();
        let list = AppendVec::new(&writer);
        let interned = Arc::new(Interned { list, writer: Mutex::new(writer), id: OnceId::new() });
        let others = [(); 2].map(|()| {
            let interned = interned.clone();
            thread::spawn(move || interned.find())
        });
        assert_eq!(interned.find(), 7);
        assert!(others.into_iter().all(|other| other.join().unwrap() == 7));
        assert_eq!(interned.list.len(), 1, "it was made once");
    });
}
