//! Strings of JSON that are under two conditions, of which one no longer asks for anything.
//!
//! A URI that must begin with `https://` is one of any kind from there on. The pattern has come down to any text of a string
//! then, which the rest of a URI is anyhow, and what is left is what all other URIs are.

use smallvec::SmallVec;

use super::build::{Build, Here};
use super::objects::formula::{AnyTexts, Kind, TextKind};
use super::objects::ids::{CellId, FormulaId};
use super::store::Store;

impl Build<'_> {
    /// Takes out of a conjunction what says no more than that it is a text, if another part says so too.
    pub(super) fn drop_any_text(&mut self, parts: &mut SmallVec<[FormulaId; 4]>) {
        if self.any_texts().is_empty() {
            return; // of other notations nothing like that is known
        }
        let any = |texts: &TextKind| *texts == TextKind::Any;
        let texts: SmallVec<[TextKind; 4]> = parts.iter().map(|&part| self.texts_of(part)).collect();
        if texts.iter().any(any) && texts.contains(&TextKind::Plain) {
            let mut texts = texts.iter();
            parts.retain(|_| !texts.next().is_some_and(any));
        }
    }

    fn texts_of(&mut self, id: FormulaId) -> TextKind {
        let store = self.store;
        let formula = store.formula(id);
        if let Some(&known) = formula.texts.get() {
            return known;
        }
        let Kind::Leaf { state, region: None, .. } = &formula.kind else { return TextKind::Others };
        let kernel = &store.state(*state).kernel;
        let has_all = |cells: &[CellId]| cells.iter().all(|cell| kernel.binary_search(cell).is_ok());
        let is_plain = |&cell: &CellId| store.distance(cell).plain;
        let texts = if self.any_texts().iter().any(|cells| has_all(cells)) {
            TextKind::Any
        } else if kernel.iter().all(is_plain) {
            TextKind::Plain
        } else {
            TextKind::Others
        };
        *formula.texts.get_or_init(|| texts)
    }

    fn any_texts(&mut self) -> &AnyTexts {
        let store: &Store = self.store;
        if let Some(known) = store.any_texts.get() {
            return known;
        }
        let texts = store.program.arena.base().map_or(&[][..], |base| base.any_texts());
        let open = |&text| {
            let cell = self.push(text, CellId::NIL);
            let closure = self.closure(&[cell], Here { looks: &[], trackers: &[], assumed: &[] });
            let mut cells = closure.terminals;
            cells.push(CellId::NIL);
            cells.into_iter().collect()
        };
        let texts: AnyTexts = texts.iter().map(open).collect();
        store.any_texts.get_or_init(|| texts)
    }
}
