//! Machines without the bytes that no token contains.

use std::sync::Arc;

use crate::tuning::constraint::MACHINE_STATES;
use rustc_hash::FxHashMap;
use tokenstile_grammar::ir::{ByteSet, Machine, MachineRef};
use tokenstile_grammar::{Error, ErrorKind};

/// The bytes of a machine's texts that are not `used` by any token, or more.
pub(crate) fn missing(machine: &MachineRef, used: &ByteSet) -> ByteSet {
    let missing = machine.0.alphabet().minus(used);
    if missing.is_empty() {
        return missing;
    }
    if machine.0.is_dispensable() {
        return missing;
    }
    match Explored::new(machine) {
        Some(explored) => missing.intersect(&explored.bytes()),
        None => missing,
    }
}

/// The texts of a machine that are made of `used` bytes; `None` if there are none.
pub(crate) fn restricted(machine: &MachineRef, used: &ByteSet) -> Result<Option<MachineRef>, Error> {
    if machine.0.alphabet().is_subset(used) {
        return Ok(Some(machine.clone()));
    }
    if machine.0.is_dispensable() {
        return Ok(None);
    }
    let Some(mut explored) = Explored::new(machine) else {
        let what = format!("{} needs bytes that are in no token of the vocabulary", machine.0.name());
        return Err(Error::new(ErrorKind::Unsupported, what));
    };
    if explored.bytes().is_subset(used) {
        return Ok(Some(machine.clone()));
    }
    explored.keep(used);
    let name = format!("{} of {used:?}", machine.0.name());
    let alive = explored.states[0].alive;
    Ok(alive.then(|| MachineRef(Arc::new(Table { name, used: *used, explored }))))
}

/// All states of a machine.
struct Explored {
    states: Vec<Row>,
}

#[derive(Default)]
struct Row {
    accepts: bool,
    edges: Vec<(u8, u32)>,
    /// Whether some text can be completed from here.
    alive: bool,
}

impl Explored {
    /// `None` if there are too many.
    fn new(machine: &MachineRef) -> Option<Self> {
        let machine = &*machine.0;
        let mut index: FxHashMap<Box<[u8]>, u32> = FxHashMap::default();
        let mut found = vec![machine.start()];
        index.insert(machine.start(), 0);
        let mut states = Vec::new();
        let mut next = Vec::new();
        while let Some(state) = found.get(states.len()).cloned() {
            let mut row = Row { accepts: machine.accepts(&state), ..Row::default() };
            for byte in machine.alphabet().iter() {
                next.clear();
                if !machine.step(&state, byte, &mut next) {
                    continue;
                }
                let target = *index.entry(next.as_slice().into()).or_insert_with(|| {
                    found.push(next.as_slice().into());
                    found.len() as u32 - 1
                });
                row.edges.push((byte, target));
            }
            states.push(row);
            if found.len() > MACHINE_STATES {
                return None;
            }
        }
        Some(Explored { states })
    }

    fn bytes(&self) -> ByteSet {
        self.states.iter().flat_map(|row| row.edges.iter().map(|e| e.0)).collect()
    }

    /// Takes out all other bytes, and what cannot be completed without them.
    fn keep(&mut self, used: &ByteSet) {
        let mut before: Vec<Vec<u32>> = vec![Vec::new(); self.states.len()];
        let mut todo: Vec<u32> = Vec::new();
        for (number, row) in (0..).zip(&mut self.states) {
            row.edges.retain(|e| used.contains(e.0));
            row.edges.iter().for_each(|e| before[e.1 as usize].push(number));
            if row.accepts {
                todo.push(number);
            }
        }
        while let Some(state) = todo.pop() {
            if !std::mem::replace(&mut self.states[state as usize].alive, true) {
                todo.append(&mut before[state as usize]);
            }
        }
        let alive: Vec<bool> = self.states.iter().map(|row| row.alive).collect();
        self.states.iter_mut().for_each(|row| row.edges.retain(|e| alive[e.1 as usize]));
    }
}

/// A machine that is looked up.
struct Table {
    name: String,
    used: ByteSet,
    explored: Explored,
}

impl Table {
    fn row(&self, state: &[u8]) -> Option<&Row> {
        let number = u32::from_le_bytes(state.try_into().ok()?);
        self.explored.states.get(number as usize)
    }
}

impl Machine for Table {
    fn name(&self) -> &str {
        &self.name
    }

    fn start(&self) -> Box<[u8]> {
        0u32.to_le_bytes().into()
    }

    fn step(&self, state: &[u8], byte: u8, next: &mut Vec<u8>) -> bool {
        let edges = self.row(state).map_or(&[][..], |row| &row.edges);
        match edges.binary_search_by_key(&byte, |e| e.0) {
            Ok(at) => {
                next.extend_from_slice(&edges[at].1.to_le_bytes());
                true
            }
            Err(_) => false,
        }
    }

    fn accepts(&self, state: &[u8]) -> bool {
        self.row(state).is_some_and(|row| row.accepts)
    }

    fn alphabet(&self) -> ByteSet {
        self.used
    }
}
