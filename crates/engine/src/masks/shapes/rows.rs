//! Long walks, by a table.
//!
//! Where nothing is known of a class of characters, the trie is walked node by node. Most of such a walk is in few places
//! from which bytes lead on and nothing else happens. Once it is long, each such place gets a row that tells where every
//! byte leads, and what a node costs is to look that up.

use super::super::walk::{FIRST, Walk};
use super::loops::LoopSubtree;
use super::shape::{Place, PlaceShape};
use crate::ablate::{Switch, is_off};
use crate::automaton::LocalId;
use crate::tuning::rows::{ARRIVALS, ROWS, WHOLE};
use crate::work::Exceeded;

/// What a row says of a byte, if not the row of the place that it leads to.
const UNKNOWN: u16 = 0;
const NOWHERE: u16 = 1;
/// To a place that has no row.
const ELSEWHERE: u16 = 2;
impl Walk<'_> {
    /// Walks all below a node in a place, if that can have a row. Answers whether it could.
    pub(crate) fn by_rows(&mut self, node: u32, local: LocalId) -> Result<bool, Exceeded> {
        let row = self.row_of(local);
        if row == ELSEWHERE {
            return Ok(false);
        }
        let (nodes, bytes, tokens) = (&self.trie.nodes[..], &self.trie.byte[..], &self.trie.tokens[..]);
        let mut todo = vec![(node, row)];
        while let Some((node, row)) = todo.pop() {
            let at = &nodes[node as usize];
            let children = at.first_child as usize..(at.first_child + at.children) as usize;
            self.work.spend(1 + children.len())?;
            for (child, (at, &byte)) in
                (at.first_child..).zip(nodes[children.clone()].iter().zip(&bytes[children]))
            {
                let mut next = self.rows.rows[usize::from(row - FIRST)][usize::from(byte)];
                if next < FIRST {
                    if next == UNKNOWN {
                        next = self.fill_row(row, byte)?;
                    }
                    if next == ELSEWHERE {
                        self.arrive_by(child, row, byte)?;
                    }
                    if next < FIRST {
                        continue;
                    }
                }
                if at.own == 1 {
                    self.ids.push(tokens[at.tokens as usize]);
                } else if at.own > 1 {
                    self.trie.add_own(child, &mut self.ids);
                }
                if at.children > 0 && !(at.tokens_end - at.tokens > WHOLE && self.arrive_row(child, next)?) {
                    todo.push((child, next));
                }
            }
        }
        Ok(true)
    }

    /// Comes to a node with many tokens below it, in a place that has a row. Answers whether nothing is left to do there.
    fn arrive_row(&mut self, node: u32, row: u16) -> Result<bool, Exceeded> {
        if self.is_in_area(node, row)? {
            let own = self.trie.own(node).len();
            self.ids.extend_from_slice(&self.trie.subtree(node)[own..]);
            return Ok(true);
        }
        let local = self.rows.place(row);
        if self.tables.profile.anchor_at(node).is_some() {
            return self.visit(node, local).map(|()| true);
        }
        LoopSubtree::at(self, Place { node, local, here: self.store.local(local) })
    }

    /// Whether a place goes on with all characters below a node, as far as that is known: it is found out once the place
    /// was come to [`ARRIVALS`] times.
    #[inline]
    fn is_in_area(&mut self, node: u32, row: u16) -> Result<bool, Exceeded> {
        let at = usize::from(row - FIRST);
        self.rows.areas[at].0 += 1;
        if self.rows.areas[at].0 == ARRIVALS && !is_off(Switch::Areas) {
            self.rows.areas[at].1 = self.area(self.rows.places[at])?;
        }
        let below = &self.trie.below[node as usize];
        let Some(area) = self.rows.areas[at].1.filter(|area| area.has(below)) else { return Ok(false) };
        let lacking = if below.wide { self.tables.profile.lacking(self.trie, area.lack) } else { None };
        Ok(lacking.is_none_or(|lacking| !lacking.is_below(node)))
    }

    /// Goes on to a node where a byte leads to a place that has no row.
    fn arrive_by(&mut self, node: u32, row: u16, byte: u8) -> Result<(), Exceeded> {
        match self.after_byte(self.rows.place(row), byte)? {
            Some(next) => self.arrive(node, next),
            None => Ok(()),
        }
    }

    /// Finds out where a byte leads, and with it all those that lead to the same place.
    #[cold]
    fn fill_row(&mut self, row: u16, byte: u8) -> Result<u16, Exceeded> {
        let at = usize::from(row - FIRST);
        let expansion = self.store.split_expansion(self.rows.places[at]);
        let Some(class) = expansion.class_of(byte) else {
            self.rows.rows[at][usize::from(byte)] = NOWHERE;
            return Ok(NOWHERE);
        };
        let next = self.step(expansion, class)?;
        let next = self.row_of(next);
        for byte in expansion.classes[class].set.iter() {
            self.rows.rows[at][usize::from(byte)] = next;
        }
        Ok(next)
    }

    /// The row of a place, made if there is none and it can have one: bytes lead on from it, and no more happens there.
    fn row_of(&mut self, local: LocalId) -> u16 {
        if let Some(&row) = self.rows.known.get(&local) {
            return row;
        }
        let here = self.store.local(local);
        let is_plain = !here.in_literal && !here.has_literals && !here.in_machine;
        let row = match is_plain && self.rows.places.len() < ROWS && self.goes_on(local) {
            false => ELSEWHERE,
            true => {
                self.rows.places.push(local);
                self.rows.rows.push([UNKNOWN; 256]);
                self.rows.areas.push((0, None));
                FIRST + (self.rows.places.len() - 1) as u16
            }
        };
        self.rows.known.insert(local, row);
        row
    }
}
