//! Dates, times and durations of RFC 3339.

use tokenstile_grammar::{Error, ExprId};

use super::build::Build;

/// Appendix A: units in order, none left out in between; weeks alone.
pub(super) const DURATION: &str = concat!(
    "P(?:[0-9]+W|(?:[0-9]+D|[0-9]+M(?:[0-9]+D)?|[0-9]+Y(?:[0-9]+M(?:[0-9]+D)?)?)",
    "(?:T(?:[0-9]+S|[0-9]+M(?:[0-9]+S)?|[0-9]+H(?:[0-9]+M(?:[0-9]+S)?)?))?",
    "|T(?:[0-9]+S|[0-9]+M(?:[0-9]+S)?|[0-9]+H(?:[0-9]+M(?:[0-9]+S)?)?))",
);

/// A day that there is, in the Gregorian calendar carried back to the year 0000.
const DATE: &str = concat!(
    "[0-9]{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])",
    "|(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)",
    "|02-(?:0[1-9]|1[0-9]|2[0-8]))",
    "|(?:[0-9]{2}(?:0[48]|[2468][048]|[13579][26])|(?:0[048]|[2468][048]|[13579][26])00)-02-29",
);

pub(super) fn date(build: &mut Build<'_>) -> Result<ExprId, Error> {
    build.re(DATE)
}

pub(super) fn date_time(build: &mut Build<'_>) -> Result<ExprId, Error> {
    let (date, time) = (date(build)?, time(build)?);
    let t = build.one_of("Tt", &[]);
    Ok(build.seq(&[date, t, time]))
}

pub(super) fn time(build: &mut Build<'_>) -> Result<ExprId, Error> {
    let clock = build.re("(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]")?;
    let fraction = build.re(r"(?:\.[0-9]+)?")?;
    let offset = build.re("[Zz]|[+-](?:[01][0-9]|2[0-3]):[0-5][0-9]")?;
    let common = build.seq(&[clock, fraction, offset]);
    let leap = leap_second(build, fraction);
    Ok(build.any(&[common, leap]))
}

/// `23:59:60` in UTC, told in any offset of whole quarters of an hour. What the clock shows and the offset come in
/// pairs.
fn leap_second(build: &mut Build<'_>, fraction: ExprId) -> ExprId {
    let z = build.one_of("Zz", &[]);
    let mut hours: [ExprId; 24] = [z; 24];
    for (hour, expr) in (0..).zip(&mut hours) {
        let mut minutes = [z; 4];
        for (minute, expr) in [14, 29, 44, 59].into_iter().zip(&mut minutes) {
            let later = minute + 1;
            let plus = build.arena.literal(&pair(b'+', (hour + later / 60) % 24, later % 60));
            let minus = build.arena.literal(&pair(b'-', 23 - hour, 59 - minute));
            let utc = if (hour, minute) == (23, 59) { z } else { plus };
            let offset = build.any(&[plus, minus, utc]);
            let shown = build.arena.literal(&pair(b' ', minute, 60)[1..]);
            *expr = build.seq(&[shown, fraction, offset]);
        }
        let (shown, rest) = (build.arena.literal(&pair(b' ', hour, 0)[1..4]), build.any(&minutes));
        *expr = build.seq(&[shown, rest]);
    }
    build.any(&hours)
}

/// A character and two numbers of two digits with a colon between them.
fn pair(first: u8, a: u8, b: u8) -> [u8; 6] {
    [first, b'0' + a / 10, b'0' + a % 10, b':', b'0' + b / 10, b'0' + b % 10]
}
