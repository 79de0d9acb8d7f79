//! Addresses of mail: RFC 5321, and RFC 6531 for those with characters of any script.

use tokenstile_grammar::{Error, ExprId};

use super::build::Build;
use super::{host, idn};

const NON_ASCII: (u32, u32) = (0x80, 0x10FFFF);

/// `Mailbox`. An address literal is one of IPv4 or, after its tag, of IPv6: no other tag is registered.
pub(super) fn email(build: &mut Build<'_>, international: bool) -> Result<ExprId, Error> {
    let wide: &[(u32, u32)] = if international { &[NON_ASCII] } else { &[] };
    let letters = [&[(0x30, 0x39), (0x41, 0x5A), (0x61, 0x7A)], wide].concat();
    let atom = build.one_of("!#$%&'*+-/=?^_`{|}~", &letters);
    let atom = build.plus(atom);
    let dot = build.text(".");
    let next = build.seq(&[dot, atom]);
    let more = build.star(next);
    let dotted = build.seq(&[atom, more]);

    let plain = build.chars(&[&[(0x20, 0x21), (0x23, 0x5B), (0x5D, 0x7E)], wide].concat());
    let escaped = build.re(r"\\[ -~]")?;
    let quoted = build.any(&[plain, escaped]);
    let (quote, quoted) = (build.text("\""), build.star(quoted));
    let quoted = build.seq(&[quote, quoted, quote]);
    let local = build.any(&[dotted, quoted]);

    let domain = if international {
        idn::domain(build)?
    } else {
        let label = build.re("[0-9A-Za-z](?:[-0-9A-Za-z]*[0-9A-Za-z])?")?;
        let next = build.seq(&[dot, label]);
        let more = build.star(next);
        build.seq(&[label, more])
    };
    let (v4, v6) = (host::ipv4(build)?, host::ipv6(build)?);
    let tag = build.re("[Ii][Pp][Vv]6:")?;
    let v6 = build.seq(&[tag, v6]);
    let literal = build.any(&[v4, v6]);
    let (open, close) = (build.text("["), build.text("]"));
    let literal = build.seq(&[open, literal, close]);
    let (at, place) = (build.text("@"), build.any(&[domain, literal]));
    Ok(build.seq(&[local, at, place]))
}
