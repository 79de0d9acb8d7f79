//! One pass over one test, timed: mask, look the token up, commit it.

use tokenstile::{Constraint, MatchError};
use tokenstile_testkit::bit;

use super::case::Test;
use super::clock;
use super::verify::Verifying;

/// What a pass found. Times are in nanoseconds, one per step.
pub(super) struct Pass {
    /// Whether the test was taken to its end and is complete there.
    pub(super) accepted: bool,
    /// Why not.
    pub(super) why: Option<String>,
    /// Times of the masks.
    pub(super) mask: Vec<u64>,
    /// Times between masks: mask and commit.
    pub(super) tbm: Vec<u64>,
}

impl Pass {
    /// Keeps of each step the lower time.
    pub(super) fn lower(&mut self, other: &Pass) {
        for (mine, theirs) in [(&mut self.mask, &other.mask), (&mut self.tbm, &other.tbm)] {
            for (time, other) in mine.iter_mut().zip(theirs) {
                *time = (*time).min(*other);
            }
        }
    }
}

/// Takes `test` through `constraint`. What `verifying` does is not timed.
pub(super) fn run(
    constraint: &Constraint,
    test: &Test,
    words: &mut [u32],
    mut verifying: Option<&mut Verifying>,
) -> Result<Pass, MatchError> {
    let mut matcher = constraint.matcher();
    let length = test.tokens.len();
    let mut pass =
        Pass { accepted: true, why: None, mask: Vec::with_capacity(length), tbm: Vec::with_capacity(length) };
    let mut cpu_before = clock::thread_cpu_ns();
    for (position, &token) in test.tokens.iter().enumerate() {
        let masking = clock::wall();
        matcher.fill_mask(words)?;
        let mask = clock::since(masking);
        if !bit(words, token) {
            let mask = mask.min(clock::thread_cpu_ns() - cpu_before);
            pass.mask.push(mask);
            pass.tbm.push(mask);
            pass.accepted = false;
            pass.why = Some(format!("rejected at {position}"));
            if let Some(verifying) = &mut verifying {
                verifying.step(words, None)?;
            }
            break;
        }
        let committing = clock::wall();
        let committed = matcher.commit(token);
        let commit = clock::since(committing);
        let cpu = clock::thread_cpu_ns();
        let used = cpu - cpu_before;
        cpu_before = cpu;
        pass.mask.push(mask.min(used));
        pass.tbm.push((mask + commit).min(used));
        match committed {
            Ok(()) => {}
            Err(error @ MatchError::Limit { .. }) => return Err(error),
            Err(_) => {
                pass.accepted = false;
                pass.why = Some(format!("MISMATCH mask allows, commit refuses at {position}"));
                break;
            }
        }
        if let Some(verifying) = &mut verifying {
            verifying.step(words, Some(token))?;
            cpu_before = clock::thread_cpu_ns();
        }
    }
    if pass.accepted && !matcher.is_accepting() {
        pass.accepted = false;
        pass.why = Some("no EOS at end".into());
    }
    Ok(pass)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lower_time_of_each_step_is_kept() {
        let pass = |mask: &[u64], tbm: &[u64]| Pass {
            accepted: true,
            why: None,
            mask: mask.to_vec(),
            tbm: tbm.to_vec(),
        };
        let mut lowest = pass(&[5, 1, 9], &[6, 2, 10]);
        lowest.lower(&pass(&[4, 3, 9], &[7, 1, 8]));
        assert_eq!((lowest.mask, lowest.tbm), (vec![4, 1, 9], vec![6, 1, 8]));
    }
}
