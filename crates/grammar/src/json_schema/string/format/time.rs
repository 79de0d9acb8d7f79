//! Dates, times and durations of RFC 3339.

use super::Build;
use crate::error::Error;
use crate::ids::ExprId;

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
    let mut hours = Vec::with_capacity(24);
    for hour in 0..24 {
        let mut minutes = Vec::with_capacity(4);
        for minute in [14, 29, 44, 59] {
            let (later, earlier) = (minute + 1, 59 - minute);
            let plus = format!("+{:02}:{:02}", (hour + later / 60) % 24, later % 60);
            let minus = format!("-{:02}:{earlier:02}", 23 - hour);
            let mut offsets = vec![build.text(&plus), build.text(&minus)];
            if (hour, minute) == (23, 59) {
                offsets.push(build.one_of("Zz", &[]));
            }
            let shown = build.text(&format!("{minute}:60"));
            let offset = build.any(&offsets);
            minutes.push(build.seq(&[shown, fraction, offset]));
        }
        let (shown, rest) = (build.text(&format!("{hour:02}:")), build.any(&minutes));
        hours.push(build.seq(&[shown, rest]));
    }
    build.any(&hours)
}
