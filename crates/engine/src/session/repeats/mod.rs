//! Masks and texts where something may not be repeated: the automaton's answer, corrected by what the tracker has seen.

mod choices;
mod correct;
mod search;
mod spots;
