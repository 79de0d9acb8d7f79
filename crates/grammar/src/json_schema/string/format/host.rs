//! Addresses and names of hosts.

use super::Build;
use crate::error::Error;
use crate::ids::ExprId;

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

/// A label of letters, digits and hyphens (RFC 1123): 1 to 63, no hyphen at its ends.
pub(super) fn label(build: &mut Build<'_>) -> Result<ExprId, Error> {
    build.re("[0-9A-Za-z](?:[-0-9A-Za-z]{0,61}[0-9A-Za-z])?")
}

/// RFC 1123, up to 253 characters. Labels that claim to be encoded ones (`xn--`) are left out.
pub(super) fn hostname(build: &mut Build<'_>) -> Result<ExprId, Error> {
    let rest = "(?:[-0-9A-Za-z]{0,60}[0-9A-Za-z])?";
    let plain = build.re(&format!(
        "[0-9A-WYZa-wyz](?:[-0-9A-Za-z]{{0,61}}[0-9A-Za-z])?\
         |[Xx](?:[0-9A-MO-Za-mo-z]{rest}|[Nn](?:[0-9A-Za-z](?:[-0-9A-Za-z]{{0,59}}[0-9A-Za-z])?\
         |-[0-9A-Za-z](?:[-0-9A-Za-z]{{0,58}}[0-9A-Za-z])?)?|-[-0-9A-Za-z]{{0,60}}[0-9A-Za-z])?"
    ))?;
    let dot = build.text(".");
    let next = build.seq(&[dot, plain]);
    let more = build.star(next);
    let name = build.seq(&[plain, more]);
    let length = build.length(1, 253);
    Ok(build.arena.and(&[name, length]))
}
