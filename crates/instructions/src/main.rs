//! Work for `cargo xtask instructions`, which counts the instructions of each call of [`measured`] with callgrind.
//!
//! Prints the names of what it measured, in order. The cases and the vocabulary never change, so that counts can be
//! compared with those of another day.
#![allow(clippy::print_stdout, reason = "the names go to whoever counts")]

#[path = "../../tokenstile/benches/support/mod.rs"]
mod support;

use tokenstile::{Compiler, Limits};

/// What is counted: the instructions of this call and of what it calls.
#[inline(never)]
fn measured(work: &mut dyn FnMut()) {
    work();
}

fn count(name: &str, phase: &str, work: &mut dyn FnMut()) {
    println!("{name} {phase}");
    measured(work);
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let compiler = Compiler::new(support::vocabulary()?);
    let limits = Limits::default();
    for (name, grammar, text) in support::CASES {
        // Once before, so that what is built once for the vocabulary is not counted.
        let known = compiler.compile(&grammar(&limits)?)?;
        support::follow(&known, text, usize::MAX);
        let mut constraint = known;
        count(name, "compile", &mut || {
            if let Ok(compiled) =
                grammar(&limits).map_err(drop).and_then(|g| compiler.compile(&g).map_err(drop))
            {
                constraint = compiled;
            }
        });
        count(name, "first", &mut || support::follow(&constraint, text, 1));
        let fresh = constraint.fresh();
        count(name, "cold", &mut || support::follow(&fresh, text, usize::MAX));
        count(name, "warm", &mut || support::follow(&fresh, text, usize::MAX));
    }
    Ok(())
}
