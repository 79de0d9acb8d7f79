//! Which texts belong to the name of a format.

use tokenstile_grammar::ir::Arena;
use tokenstile_grammar::{Error, Limits};

use super::build::Build;
use super::texts::Format;
use super::{host, idn, mail, pattern, time, uri};

/// The texts of a format that some draft knows.
pub(super) fn build_format(name: &str, arena: &mut Arena, limits: &Limits) -> Result<Format, Error> {
    let mut build = Build { arena, limits };
    let plain = match name {
        "hostname" | "idn-hostname" => build.arena.never(),
        "date-time" => time::date_time(&mut build)?,
        "date" => time::date(&mut build)?,
        "time" => time::time(&mut build)?,
        "duration" => build.re(time::DURATION)?,
        "email" => mail::email(&mut build, false)?,
        "idn-email" => mail::email(&mut build, true)?,
        "ipv4" => host::ipv4(&mut build)?,
        "ipv6" => host::ipv6(&mut build)?,
        "uri" => uri::uri(&mut build, uri::Kind::Uri)?,
        "uri-reference" => uri::reference(&mut build, uri::Kind::Uri)?,
        "iri" => uri::uri(&mut build, uri::Kind::Iri)?,
        "iri-reference" => uri::reference(&mut build, uri::Kind::Iri)?,
        "uri-template" => uri::template(&mut build)?,
        "uuid" => build.re("[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}")?,
        "json-pointer" => build.re("(?:/(?:[^/~]|~[01])*)*")?,
        "relative-json-pointer" => build.re("(?:0|[1-9][0-9]*)(?:#|(?:/(?:[^/~]|~[01])*)*)")?,
        _ => pattern::pattern(&mut build)?,
    };
    let format = match name {
        "hostname" => host::hostname(&mut build)?,
        "idn-hostname" => idn::hostname(&mut build)?,
        _ => Format::plain(plain),
    };
    if build.arena.overflowed() {
        return Err(Error::limit("exprs", limits.exprs));
    }
    Ok(format)
}
