//! The README tells the truth: its library example runs, its commands print what it shows.

mod support;

use support::tokenstile;

const README: &str = include_str!("../../../README.md");
const THIS_FILE: &str = include_str!("readme.rs");

#[rustfmt::skip]
#[test]
fn the_library_example_runs() -> Result<(), Box<dyn std::error::Error>> {
// example
use tokenstile::{Compiler, Grammar, Limits, Vocab};

let vocab = Vocab::from_tokens([(0, "re"), (1, "red"), (2, "d"), (3, "green"), (4, "</s>")], &[4])?;
let grammar = Grammar::choice(&["red", "green"], &Limits::default())?;
let constraint = Compiler::new(vocab).compile(&grammar)?;

let mut matcher = constraint.matcher();
let mut mask = vec![0u32; matcher.mask_words()];
matcher.fill_mask(&mut mask)?;
assert_eq!(mask, [0b0_1011]); // bit i is token i: `re`, `red`, `green`

matcher.commit(0)?;
matcher.fill_mask(&mut mask)?;
assert_eq!(mask, [0b0_0100]); // after `re` only `d`
assert_eq!(matcher.forced_bytes()?, b"d");

matcher.commit(2)?;
assert!(matcher.is_accepting()); // `red` is complete: now the end token is allowed, and nothing else
matcher.fill_mask(&mut mask)?;
assert_eq!(mask, [0b1_0000]);

matcher.rollback(2)?; // as if nothing had been written
// end
Ok(())
}

/// The fenced blocks of `language`.
fn blocks(language: &str) -> Vec<&'static str> {
    let fence = format!("```{language}\n");
    README.split(fence.as_str()).skip(1).filter_map(|rest| rest.split("```").next()).collect()
}

#[test]
fn the_library_example_is_the_one_that_runs() {
    let example = THIS_FILE.split("// example\n").nth(1).and_then(|rest| rest.split("// end\n").next());
    assert_eq!(blocks("rust"), [example.expect("the example is in this file")]);
}

#[test]
fn commands_print_what_the_readme_shows() {
    let blocks = blocks("console");
    assert!(!blocks.is_empty());
    for block in blocks {
        let (command, shown) = block.split_once('\n').expect("a command and its output");
        let arguments =
            command.strip_prefix("$ cargo run --release -- ").expect("a command from a fresh clone");
        let arguments: Vec<&str> = arguments.split(' ').map(|argument| argument.trim_matches('\'')).collect();
        assert_eq!(tokenstile(&arguments).out, shown, "{command}");
    }
}

#[test]
fn links_lead_somewhere() {
    for link in README.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
        assert!(link.starts_with("http") || support::root().join(link).exists(), "{link}");
    }
}
