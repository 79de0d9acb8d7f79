//! Cases: texts that are taken, and texts that are not.

use std::fmt::Display;

use tokenstile_engine::Constraint;

/// Fails unless all of one list are taken and none of the other; `what` says of what they are texts.
#[track_caller]
pub fn check(what: impl Display, takes: impl Fn(&str) -> bool, accepted: &[&str], rejected: &[&str]) {
    for text in accepted {
        assert!(takes(text), "should take {text:?}:\n{what}");
    }
    for text in rejected {
        assert!(!takes(text), "should not take {text:?}:\n{what}");
    }
}

/// Whether a constraint takes a text, byte by byte. The vocabulary has the bytes under their own numbers.
pub fn takes(constraint: &Constraint, text: &str) -> bool {
    let mut matcher = constraint.matcher();
    text.bytes().all(|byte| matcher.commit(u32::from(byte)).is_ok()) && matcher.is_accepting()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{byte_vocab, compile, regex};

    #[test]
    fn a_constraint_takes_its_texts() {
        let constraint = compile(&regex("a+b?"), &byte_vocab::<&str>(&[]));
        check("a+b?", |text| takes(&constraint, text), &["a", "aab"], &["", "b", "abb"]);
    }

    #[test]
    #[should_panic(expected = "should take \"b\"")]
    fn what_is_not_taken_is_told() {
        check("a", |text| text == "a", &["a", "b"], &[]);
    }

    #[test]
    #[should_panic(expected = "should not take \"b\"")]
    fn what_is_wrongly_taken_is_told() {
        check("a", |_| true, &["a"], &["b"]);
    }
}
