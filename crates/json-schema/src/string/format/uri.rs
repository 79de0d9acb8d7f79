//! URIs (RFC 3986), IRIs (RFC 3987) and URI templates (RFC 6570).

use tokenstile_grammar::{Error, ExprId};

use super::build::Build;
use super::host;

/// Whether characters past ASCII may be written as themselves.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Uri,
    Iri,
}

const UNRESERVED: &str = "-._~";
const SUB_DELIMS: &str = "!$&'()*+,;=";
const ALNUM: [(u32, u32); 3] = [(0x30, 0x39), (0x41, 0x5A), (0x61, 0x7A)];
/// `ucschar`: planes 1 to 14 without their last two characters are put in by [`ucs`].
const UCS: [(u32, u32); 3] = [(0xA0, 0xD7FF), (0xF900, 0xFDCF), (0xFDF0, 0xFFEF)];
const PRIVATE: [(u32, u32); 3] = [(0xE000, 0xF8FF), (0xF0000, 0xFFFFD), (0x100000, 0x10FFFD)];

fn ucs() -> Vec<(u32, u32)> {
    let planes = (1..=14).map(|plane| (plane << 16, plane << 16 | 0xFFFD));
    let planes = planes.map(|(a, b)| if a == 0xE0000 { (0xE1000, b) } else { (a, b) });
    UCS.into_iter().chain(planes).collect()
}

/// The parts of which both whole and relative references are made.
struct Parts {
    /// `:` and `@` included.
    path: ExprId,
    /// The same without `:`.
    path_no_colon: ExprId,
    /// `//`, the authority, and a path that is empty or begins with `/`.
    network: ExprId,
    /// `?…` and `#…`, each of which may be missing.
    tail: ExprId,
}

fn parts(build: &mut Build<'_>, kind: Kind) -> Result<Parts, Error> {
    let wide = if kind == Kind::Iri { ucs() } else { Vec::new() };
    let percent = build.re("%[0-9A-Fa-f]{2}")?;
    let common = [&ALNUM[..], &wide].concat();
    let unit = |build: &mut Build<'_>, more: &str, ranges: &[(u32, u32)]| {
        let one = build.one_of(&[UNRESERVED, SUB_DELIMS, more].concat(), ranges);
        build.any(&[one, percent])
    };
    let path = unit(build, ":@", &common);
    let path_no_colon = unit(build, "@", &common);
    let segments = unit(build, ":@/", &common);
    let user = unit(build, ":", &common);
    let name = unit(build, "", &common);
    let fragment = unit(build, ":@/?", &common);
    let private: &[(u32, u32)] = if kind == Kind::Iri { &PRIVATE } else { &[] };
    let query = unit(build, ":@/?", &[&common[..], private].concat());

    let (slash, slashes, at) = (build.text("/"), build.text("//"), build.text("@"));
    let user = build.star(user);
    let user = build.seq(&[user, at]);
    let user = build.opt(user);
    let (open, close, v6) = (build.text("["), build.text("]"), host::ipv6(build)?);
    let future = build.re(r"[Vv][0-9A-Fa-f]+\.[-._~!$&'()*+,;=:0-9A-Za-z]+")?;
    let literal = build.any(&[v6, future]);
    let literal = build.seq(&[open, literal, close]);
    // An IPv4 address is a name as well.
    let name = build.star(name);
    let host = build.any(&[literal, name]);
    let port = build.re("(?::[0-9]*)?")?;
    let segments = build.star(segments);
    let rooted = build.seq(&[slash, segments]);
    let rooted = build.opt(rooted);
    let network = build.seq(&[slashes, user, host, port, rooted]);

    let (query, fragment) = (build.star(query), build.star(fragment));
    let (ask, hash) = (build.text("?"), build.text("#"));
    let (query, fragment) = (build.seq(&[ask, query]), build.seq(&[hash, fragment]));
    let (query, fragment) = (build.opt(query), build.opt(fragment));
    let tail = build.seq(&[query, fragment]);
    Ok(Parts { path, path_no_colon, network, tail })
}

/// What may follow the first character of a path without authority: more of the segment, then further segments.
fn rest_of_path(build: &mut Build<'_>, parts: &Parts) -> ExprId {
    let slash = build.text("/");
    let any = build.any(&[parts.path, slash]);
    build.star(any)
}

/// A path that begins with one slash.
fn absolute(build: &mut Build<'_>, parts: &Parts) -> ExprId {
    let (slash, rest) = (build.text("/"), rest_of_path(build, parts));
    let segments = build.seq(&[parts.path, rest]);
    let segments = build.opt(segments);
    build.seq(&[slash, segments])
}

/// With a scheme.
pub(super) fn uri(build: &mut Build<'_>, kind: Kind) -> Result<ExprId, Error> {
    let parts = parts(build, kind)?;
    whole(build, &parts)
}

fn whole(build: &mut Build<'_>, parts: &Parts) -> Result<ExprId, Error> {
    let scheme = build.re("[A-Za-z][-+.0-9A-Za-z]*:")?;
    let rest = rest_of_path(build, parts);
    let rootless = build.seq(&[parts.path, rest]);
    let absolute = absolute(build, parts);
    let empty = build.arena.empty();
    let body = build.any(&[parts.network, absolute, rootless, empty]);
    Ok(build.seq(&[scheme, body, parts.tail]))
}

/// With or without a scheme.
pub(super) fn reference(build: &mut Build<'_>, kind: Kind) -> Result<ExprId, Error> {
    let parts = parts(build, kind)?;
    let whole = whole(build, &parts)?;
    let first = build.plus(parts.path_no_colon);
    let (slash, rest) = (build.text("/"), rest_of_path(build, &parts));
    let more = build.seq(&[slash, rest]);
    let more = build.opt(more);
    let no_scheme = build.seq(&[first, more]);
    let absolute = absolute(build, &parts);
    let empty = build.arena.empty();
    let body = build.any(&[parts.network, absolute, no_scheme, empty]);
    let relative = build.seq(&[body, parts.tail]);
    Ok(build.any(&[whole, relative]))
}

/// RFC 6570, the operators that it sets aside and the apostrophe included.
pub(super) fn template(build: &mut Build<'_>) -> Result<ExprId, Error> {
    let ascii = [(0x23, 0x24), (0x26, 0x3B), (0x3F, 0x5B), (0x61, 0x7A)];
    let literal = build.one_of("!=]_~", &[&ascii[..], &ucs(), &PRIVATE].concat());
    let percent = build.re("%[0-9A-Fa-f]{2}")?;
    let variable = build.re(r"(?:[0-9A-Z_a-z]|%[0-9A-Fa-f]{2})(?:\.?(?:[0-9A-Z_a-z]|%[0-9A-Fa-f]{2}))*")?;
    let modifier = build.re(r"(?::[1-9][0-9]{0,3}|\*)?")?;
    let (open, close, comma) = (build.re("[{][+#./;?&=,!@|]?")?, build.text("}"), build.text(","));
    let spec = build.seq(&[variable, modifier]);
    let next = build.seq(&[comma, spec]);
    let more = build.star(next);
    let expression = build.seq(&[open, spec, more, close]);
    let any = build.any(&[literal, percent, expression]);
    Ok(build.star(any))
}
