//! Formats that have been asked for before: each is made once in a process, and copied from there.

use std::sync::OnceLock;

use super::super::super::options::{Draft, Spelling};
use super::super::{Speller, encode_opened};
use super::{Format, build_format};
use crate::error::Error;
use crate::ids::ExprId;
use crate::ir::Arena;
use crate::limits::Limits;

/// The formats, and the drafts that named them. `date`, `time` and `regex` are in all drafts: they were in the third, and
/// were only left out in between.
static FORMATS: [(&str, Draft); 19] = [
    ("date-time", Draft::Draft4),
    ("email", Draft::Draft4),
    ("hostname", Draft::Draft4),
    ("ipv4", Draft::Draft4),
    ("ipv6", Draft::Draft4),
    ("uri", Draft::Draft4),
    ("date", Draft::Draft4),
    ("time", Draft::Draft4),
    ("regex", Draft::Draft4),
    ("uri-reference", Draft::Draft6),
    ("uri-template", Draft::Draft6),
    ("json-pointer", Draft::Draft6),
    ("idn-email", Draft::Draft7),
    ("idn-hostname", Draft::Draft7),
    ("iri", Draft::Draft7),
    ("iri-reference", Draft::Draft7),
    ("relative-json-pointer", Draft::Draft7),
    ("duration", Draft::Draft201909),
    ("uuid", Draft::Draft201909),
];

/// Those of which every place takes so much room that others would soon have none, if they were shared; and few ask for them.
const LARGE: [&str; 2] = ["regex", "idn-hostname"];

/// What was made of each.
static KNOWN: [OnceLock<Result<Known, Error>>; 19] = [const { OnceLock::new() }; 19];

/// A format in an arena of its own.
struct Known {
    arena: Arena,
    format: Format,
    /// What JSON writes, canonically and with the opening quote.
    opened: ExprId,
}

impl Known {
    fn new(name: &str) -> Result<Known, Error> {
        let limits = Limits::default();
        let mut arena = Arena::new(limits.exprs);
        let format = build_format(name, &mut arena, &limits)?;
        let mut speller = Speller::new(Spelling::Canonical, None);
        let opened = encode_opened(format.written, &mut speller, &mut arena, &limits)?;
        Ok(Known { arena, format, opened })
    }
}

/// A format by name.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct FormatId(u8);

impl FormatId {
    /// The formats that are best made once for all schemas.
    pub(crate) fn shared() -> impl Iterator<Item = FormatId> {
        let is_large = |format: &FormatId| LARGE.contains(&format.name());
        (0..FORMATS.len() as u8).map(FormatId).filter(move |format| !is_large(format))
    }

    pub(crate) fn name(self) -> &'static str {
        FORMATS[usize::from(self.0)].0
    }

    /// The format of a name, or `None` if a draft does not know it: then it means nothing.
    ///
    /// A format belongs to the draft that named it and to later ones.
    pub(crate) fn of(name: &str, draft: Draft) -> Result<Option<FormatId>, Error> {
        let at = FORMATS.iter().position(|&(known, since)| known == name && since <= draft);
        let Some(id) = at.map(|at| FormatId(at as u8)) else { return Ok(None) };
        id.known().as_ref().map(|_| Some(id)).map_err(Error::clone)
    }

    fn known(self) -> &'static Result<Known, Error> {
        KNOWN[usize::from(self.0)].get_or_init(|| Known::new(self.name()))
    }

    /// Its texts, in an arena.
    pub(crate) fn texts(self, arena: &mut Arena) -> Format {
        let Ok(known) = self.known() else { return Format::plain(arena.never()) };
        let Format { exact, written, least, most } = known.format;
        let exact_here = arena.graft(&known.arena, exact);
        if known.format.is_plain() {
            return Format::plain(exact_here);
        }
        let [written, least, most] = [written, least, most].map(|expr| arena.graft(&known.arena, expr));
        Format { exact: exact_here, written, least, most }
    }

    /// Its strings as JSON writes them canonically, with the opening quote.
    pub(crate) fn opened(self, arena: &mut Arena) -> ExprId {
        match self.known() {
            Ok(known) => arena.graft(&known.arena, known.opened),
            Err(_) => arena.never(),
        }
    }
}
