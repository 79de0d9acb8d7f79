//! Taking the keys that an object has out of a mask, where keys abound.
//!
//! If whatever is written of a key can still become a new one ([`Tracking::keys_abound`]), the only wrong tokens are
//! those in which a repeated key ends. Nearly all of them are found by spelling the keys that the object has down the
//! trie; the automaton is not asked. Tokens that begin a key behind a comma of their own and end it too are a handful
//! in any vocabulary, and read as they are.

use smallvec::SmallVec;
use tokenstile_grammar::ir::Tracking;

use super::reading::{Mode, Tracker};
use super::set::{Cursor, View, symbol};
use super::strings::Text;
use super::tables::StructureTables;
use crate::tokens::bits::{clear, has};
use crate::tokens::tables::Tables;
use crate::tokens::trie::{ROOT, Trie};
use crate::work::{Exceeded, Work};

/// A place inside a key on the way down the trie.
#[derive(Clone, Copy)]
struct Place<'a> {
    node: u32,
    text: Text,
    keys: View<'a>,
}

/// Takes out of `words` the tokens in which a key ends that its object has already.
pub(crate) fn clear_repeated_keys(
    (tables, structure): (&Tables, &StructureTables),
    tracker: &Tracker,
    words: &mut [u32],
    work: &mut Work,
) -> Result<(), Exceeded> {
    let trie = &tables.trie;
    if let Some(keys) = tracker.key.as_ref().map(Cursor::view) {
        let mut todo: SmallVec<[Place<'_>; 8]> = match tracker.mode {
            Mode::Key(text) => SmallVec::from_iter([Place { node: ROOT, text, keys }]),
            Mode::Member => {
                structure.openings.iter().map(|&node| Place { node, text: Text::PLAIN, keys }).collect()
            }
            _ => SmallVec::new(),
        };
        while let Some(place) = todo.pop() {
            // Few tokens have a quote behind other text: this is where most ways end.
            if trie.below[place.node as usize].ascii >> b'"' & 1 == 0 {
                continue;
            }
            work.spend(1)?;
            for_each_way(trie, place, |child| todo.extend(arrive(trie, place, child, words)));
        }
    }
    for &token in &structure.further_keys {
        let Some(bytes) = tables.vocab.bytes(token).filter(|_| has(words, token)) else { continue };
        let mut after = tracker.clone();
        if bytes.iter().any(|&byte| after.step(byte) == Tracking::REPEATED_KEY) {
            clear(words, token);
        }
    }
    Ok(())
}

/// The children of a place that a key of the object may lead to.
fn for_each_way(trie: &Trie, place: Place<'_>, mut visit: impl FnMut(u32)) {
    if place.text != Text::PLAIN && !place.text.after_backslash() {
        return trie.children(place.node).for_each(visit);
    }
    let mut go = |byte: u8| {
        if let Some(child) = trie.child(place.node, byte) {
            visit(child);
        }
    };
    if place.text.after_backslash() {
        return b"\"\\/bfnrtu".iter().for_each(|&byte| go(byte));
    }
    for symbol in place.keys.next() {
        match u8::try_from(symbol) {
            Ok(b'"' | b'\\') => {} // not written as they are
            Ok(byte) => go(byte),
            Err(_) if symbol == symbol::END => go(b'"'),
            Err(_) => {}
        }
    }
    go(b'\\');
}

/// Goes to a child of a place; the place there, if a key of the object goes on.
fn arrive<'a>(trie: &Trie, place: Place<'a>, child: u32, words: &mut [u32]) -> Option<Place<'a>> {
    let byte = trie.byte[child as usize];
    let Place { text, mut keys, .. } = place;
    if text == Text::PLAIN && byte != b'"' && byte != b'\\' {
        return keys.step(byte.into()).then_some(Place { node: child, text, keys });
    }
    match text.step(byte) {
        Some((text, piece)) => {
            let stands = piece.into_iter().all(|b| keys.step(b.into()))
                && text.units().is_none_or(|(low, high)| keys.has_unit(low, high));
            stands.then_some(Place { node: child, text, keys })
        }
        None => {
            let ends = byte == b'"' && text.rest().into_iter().all(|b| keys.step(b.into()));
            if ends && keys.has(symbol::END) {
                trie.subtree(child).iter().for_each(|&t| clear(words, t));
            }
            None
        }
    }
}
