//! Languages given by a procedure: what no expression can say, or none of a sensible size.

use std::fmt;
use std::sync::Arc;

use super::ByteSet;

/// A deterministic machine that reads bytes. It may have any number of states, as long as one step is cheap:
/// whoever runs it keeps the states that were visited.
///
/// What must hold: [`step`](Machine::step) only ever leads to states from which some text can be completed, there
/// is some text from the start, and what it answers depends on its arguments alone.
pub trait Machine: Send + Sync {
    /// What tells this machine from others: two machines with the same name are taken to be the same.
    fn name(&self) -> &str;

    /// The state before any byte was read.
    fn start(&self) -> Box<[u8]>;

    /// The state after `byte`, written to `next` (which is empty); `false` if no text goes on so.
    fn step(&self, state: &[u8], byte: u8, next: &mut Vec<u8>) -> bool;

    /// Whether the text may end here.
    fn accepts(&self, state: &[u8]) -> bool;

    /// Whether the text may end after more bytes.
    fn ends_after(&self, state: &[u8], bytes: &[u8]) -> bool {
        let (mut state, mut next) = (state.to_vec(), Vec::new());
        let goes_on = bytes.iter().all(|&byte| {
            next.clear();
            let goes_on = self.step(&state, byte, &mut next);
            std::mem::swap(&mut state, &mut next);
            goes_on
        });
        goes_on && self.accepts(&state)
    }

    /// The bytes that its texts are made of, or more: no other byte is ever tried.
    fn alphabet(&self) -> ByteSet {
        ByteSet::ALL
    }

    /// For machines with more states than can be kept: how many bytes of the alphabet may follow a state, whatever they
    /// are; 0 if that is not known. Masks are then made without keeping the states inside of tokens.
    fn any(&self, state: &[u8]) -> Option<u32> {
        let _ = state;
        None
    }

    /// Whether this machine goes on from every state by which another one, of this name, has come there and goes on.
    fn covers(&self, name: &str) -> bool {
        let _ = name;
        false
    }

    /// Whether the machine is left out, and its texts with it, where some byte of its alphabet cannot be written.
    /// Otherwise its states are listed to find what can be written still, and if they are too many it is refused.
    fn is_dispensable(&self) -> bool {
        false
    }
}

/// A [`Machine`] that is shared and compared by its name.
#[derive(Clone)]
pub struct MachineRef(pub Arc<dyn Machine>);

impl PartialEq for MachineRef {
    fn eq(&self, other: &Self) -> bool {
        self.0.name() == other.0.name()
    }
}

impl Eq for MachineRef {}

impl std::hash::Hash for MachineRef {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.0.name().hash(state);
    }
}

impl fmt::Debug for MachineRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Machine({})", self.0.name())
    }
}

impl MachineRef {
    /// The same without the empty text; `None` if nothing is left.
    pub(crate) fn nonempty(&self) -> Option<MachineRef> {
        let (start, mut next) = (self.0.start(), Vec::new());
        let goes_on = self.0.alphabet().iter().any(|byte| {
            next.clear();
            self.0.step(&start, byte, &mut next)
        });
        let name = format!("nonempty {}", self.0.name());
        goes_on.then(|| MachineRef(Arc::new(NonEmpty { name, inner: self.clone() })))
    }
}

/// A machine without the empty text: a byte before its states says whether something was read.
struct NonEmpty {
    name: String,
    inner: MachineRef,
}

impl Machine for NonEmpty {
    fn name(&self) -> &str {
        &self.name
    }

    fn start(&self) -> Box<[u8]> {
        [&[0], &*self.inner.0.start()].concat().into()
    }

    fn step(&self, state: &[u8], byte: u8, next: &mut Vec<u8>) -> bool {
        let mut inner = Vec::new();
        let goes_on = self.inner.0.step(state.get(1..).unwrap_or_default(), byte, &mut inner);
        next.push(1);
        next.append(&mut inner);
        goes_on
    }

    fn accepts(&self, state: &[u8]) -> bool {
        state.first() == Some(&1) && self.inner.0.accepts(&state[1..])
    }

    fn alphabet(&self) -> ByteSet {
        self.inner.0.alphabet()
    }

    fn any(&self, state: &[u8]) -> Option<u32> {
        self.inner.0.any(state.get(1..).unwrap_or_default())
    }

    fn covers(&self, name: &str) -> bool {
        name.strip_prefix("nonempty ").is_some_and(|name| self.inner.0.covers(name))
    }

    fn is_dispensable(&self) -> bool {
        self.inner.0.is_dispensable()
    }
}
