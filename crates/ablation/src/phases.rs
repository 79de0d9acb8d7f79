//! What is counted, each in a function that callgrind knows by name: its instructions and those of what it calls.
//!
//! There are many such functions that differ in their names alone. Whoever goes through a workload gives each sum that is
//! asked for, and each step that is counted by itself, one of its own ([`Slot`]); then a single dump at the end has it all.

use std::hint::black_box;

/// Work that is counted; whether it went well.
pub type Work<'w> = &'w mut dyn FnMut() -> bool;

/// A function that does some work, and its name in a dump.
#[derive(Clone, Copy)]
pub struct Slot {
    /// Behind the name of this module.
    pub name: &'static str,
    /// Never inlined, since callgrind collects from where it is entered to where it is left.
    pub call: fn(Work<'_>) -> bool,
}

macro_rules! slots {
    ($($module:ident)*) => {
        /// All of them.
        pub fn slots() -> impl Iterator<Item = Slot> {
            [$($module::SLOTS),*].into_iter().flatten()
        }

        $(slots!($module: a b c d e f g h i j k l m n o p);)*
    };
    ($module:ident: $($slot:ident)*) => {
        mod $module {
            use super::{Slot, Work, black_box};

            pub(super) const SLOTS: [Slot; 16] = [$(Slot { name: concat!(stringify!($module), "::", stringify!($slot)), call: $slot }),*];

            $(
                #[inline(never)]
                fn $slot(work: Work<'_>) -> bool {
                    // Else the same code would be made of all of them, and they would be one.
                    black_box(concat!(stringify!($module), stringify!($slot)));
                    work()
                }
            )*
        }
    };
}

slots!(a b c d e f g h i j k l m n o p);
