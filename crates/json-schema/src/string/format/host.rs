//! Addresses and names of hosts.

use tokenstile_grammar::ir::CharSet;
use tokenstile_grammar::{Error, ExprId};

use super::alabel;
use super::build::{Build, ENDLESS};
use super::texts::Format;
use super::ulabel::Direction;

/// Four numbers up to 255, without leading zeros.
pub(super) fn ipv4(build: &mut Build<'_>) -> Result<ExprId, Error> {
    let octet = build.re("25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9]")?;
    let dot = build.text(".");
    Ok(build.seq(&[octet, dot, octet, dot, octet, dot, octet]))
}

/// RFC 4291, section 2.2: eight groups, the last two of which may be an IPv4 address; one run of zeros left out.
pub(super) fn ipv6(build: &mut Build<'_>) -> Result<ExprId, Error> {
    let group = build.re("[0-9A-Fa-f]{1,4}")?;
    let (colon, gap) = (build.text(":"), build.text("::"));
    let led = build.seq(&[group, colon]);
    let (pair, v4) = (build.seq(&[led, group]), ipv4(build)?);
    let last = build.any(&[pair, v4]);
    let full = build.rep(led, 6, 6);
    let mut forms = vec![build.seq(&[full, last])];
    // With a gap, up to seven groups remain: so many before it, and no more than the others after it.
    for before in 0..8 {
        let start = if before == 0 {
            build.arena.empty()
        } else {
            let more = build.rep(led, before - 1, before - 1);
            build.seq(&[more, group])
        };
        let after = 7 - before;
        let mut ends = vec![build.arena.empty()];
        if after >= 1 {
            ends.push(group);
        }
        if after >= 2 {
            let more = build.rep(led, 0, after - 2);
            ends.push(build.seq(&[more, last]));
        }
        let end = build.any(&ends);
        forms.push(build.seq(&[start, gap, end]));
    }
    Ok(build.any(&forms))
}

/// At most so many labels of at most so many characters, as `label` gives them.
pub(super) fn labels(
    build: &mut Build<'_>,
    stop: ExprId,
    (most, length): (u32, u32),
    label: &dyn Fn(&mut Build<'_>, u32) -> Result<ExprId, Error>,
) -> Result<ExprId, Error> {
    let label = label(build, length)?;
    let next = build.seq(&[stop, label]);
    let more = build.rep(next, 0, if most == ENDLESS { ENDLESS } else { most - 1 });
    Ok(build.seq(&[label, more]))
}

/// The most labels that fit into a name, and how many characters each may have.
pub(super) const LOOSE: (u32, u32) = (127, 63);

/// RFC 1123, up to 253 characters. What begins with `xn--` has to be an A-label.
pub(super) fn hostname(build: &mut Build<'_>) -> Result<Format, Error> {
    let stop = build.text(".");
    let encoded = |build: &mut Build<'_>, most| {
        let labels = [label(build, most)?, a_label(build, most, Direction::Any)?];
        Ok(build.any(&labels))
    };
    let loose = |build: &mut Build<'_>, most: u32| {
        build.re(&format!("[0-9A-Za-z](?:[-0-9A-Za-z]{{0,{}}}[0-9A-Za-z])?", most - 2))
    };
    let exact = labels(build, stop, LOOSE, &encoded)?;
    Ok(Format {
        exact: of_length(build, exact),
        written: names(build, stop, &encoded)?,
        least: names(build, stop, &label)?,
        most: labels(build, stop, LOOSE, &loose)?,
    })
}

/// Those texts of an expression that are no longer than a name.
pub(super) fn of_length(build: &mut Build<'_>, expr: ExprId) -> ExprId {
    let any = build.arena.chars(&CharSet::all());
    let length = build.rep(any, 1, 253);
    build.arena.and(&[expr, length])
}

/// An A-label.
pub(super) fn a_label(build: &mut Build<'_>, most: u32, direction: Direction) -> Result<ExprId, Error> {
    let (prefix, rest) = (build.re("[Xx][Nn]--")?, alabel::after_prefix(build.arena, most, direction));
    Ok(build.seq(&[prefix, rest]))
}

/// Names of up to 253 characters.
///
/// To count both, each label and the whole, takes an intersection with thousands of states. So the lengths are shared
/// out beforehand: four long labels, one long one among others, or many short ones; no sum is more than 254, a full
/// stop counted for every label. Names that fit none of these are left out.
fn names(
    build: &mut Build<'_>,
    stop: ExprId,
    label: &dyn Fn(&mut Build<'_>, u32) -> Result<ExprId, Error>,
) -> Result<ExprId, Error> {
    let (four, many) = (labels(build, stop, (4, 62), label)?, labels(build, stop, (36, 6), label)?);
    // 64 + 6 * 31 = 250
    let (long, short) = (label(build, 63)?, label(build, 30)?);
    let (before, after) = (build.seq(&[short, stop]), build.seq(&[stop, short]));
    let (before, after) = (build.rep(before, 0, 2), build.rep(after, 0, 4));
    let one_long = build.seq(&[before, long, after]);
    Ok(build.any(&[four, many, one_long]))
}

/// Letters, digits and hyphens, no hyphen at the ends; `xn--` is not how it begins.
fn label(build: &mut Build<'_>, most: u32) -> Result<ExprId, Error> {
    let rest = |before: u32| format!("(?:[-0-9A-Za-z]{{0,{}}}[0-9A-Za-z])?", most - before - 1);
    build.re(&format!(
        "[0-9A-WYZa-wyz]{}|[Xx](?:[0-9A-MO-Za-mo-z]{}|-[-0-9A-Za-z]{{0,{}}}[0-9A-Za-z]\
         |[Nn](?:[0-9A-Za-z]{}|-[0-9A-Za-z]{})?)?",
        rest(1),
        rest(2),
        most - 3,
        rest(3),
        rest(4)
    ))
}
