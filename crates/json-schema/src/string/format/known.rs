//! Formats that have been asked for before: each is made once in a process, and copied from there.

use std::sync::OnceLock;

use tokenstile_grammar::ir::Arena;
use tokenstile_grammar::{Error, ExprId, Limits, RuleId};

use super::super::super::options::{Draft, Spelling};
use super::super::{Speller, encode, encode_opened};
use super::build::Build;
use super::by_name::build_format;
use super::pattern;
use super::texts::Format;

/// The formats, and the drafts that named them. `date`, `time` and `regex` are in all drafts: they were in the third, and
/// were only left out in between. With each, texts in which much of it is seen, as in JSON without the quotes. That without
/// is not shared by schemas: every place in it takes so much room that others would soon have none, and few ask for it.
static FORMATS: [(&str, Draft, &[&str]); 19] = [
    (
        "date-time",
        Draft::Draft4,
        &[
            "2024-02-29T12:34:56.789Z",
            "1990-12-31T23:59:59-08:30",
            "2023-10-05T09:00:00Z",
            "2000-01-15T16:05:45+01:00",
            "1985-06-30T00:15:10-05:00",
        ],
    ),
    ("email", Draft::Draft4, &["john.doe+tag@mail.my-host1.example.com", "a@b.org", "user123@example.com"]),
    ("hostname", Draft::Draft4, &["www.my-host1.example.com", "localhost"]),
    ("ipv4", Draft::Draft4, &["192.168.10.1", "8.255.0.41", "10.0.0.255", "127.0.0.1", "203.0.113.64"]),
    (
        "ipv6",
        Draft::Draft4,
        &["2001:db8::ff00:42:8329", "fe80:0:0:0:202:b3ff:fe1e:8329", "::ffff:192.0.2.128"],
    ),
    (
        "uri",
        Draft::Draft4,
        &[
            "https://me@www.example.com:8080/a/b-c_d.html?x=1&y=%20z#top",
            "http://localhost:9090/api/v1",
            "http://10.0.0.1/a",
            "mailto:a@b.org",
            "urn:a:b-1",
        ],
    ),
    ("date", Draft::Draft4, &["2024-02-29", "1990-12-31", "2023-10-05", "2000-01-15", "1985-06-30"]),
    ("time", Draft::Draft4, &["12:34:56.789Z", "23:59:59+01:00", "09:00:00Z", "16:05:45-05:30", "00:15:10Z"]),
    (
        "regex",
        Draft::Draft4,
        &[
            r"^(?:[a-zA-Z0-9_-]{3,16}|\\d+(?<n>[^/]*)\\.(?=x))$",
            r"^\\S+@(([^\\s.]+\\.)*[A-F])?[^\\x00-\\x7F]\\u00e9$",
        ],
    ),
    (
        "uri-reference",
        Draft::Draft6,
        &["../a/b.html?x=1#top", "/a/b", "#top", "https://www.example.com/a", "http://localhost:9090/api"],
    ),
    ("uri-template", Draft::Draft6, &["https://example.com/a/{b,c:3}{/d*}{?x,y*}"]),
    ("json-pointer", Draft::Draft6, &["/a/0/b~1c"]),
    ("idn-email", Draft::Draft7, &["john.doe+tag@mail.my-host1.example.com", "jörg@bücher.example"]),
    ("idn-hostname", Draft::Draft7, &[]),
    ("iri", Draft::Draft7, &["https://www.example.com:8080/a/b-ü.html?x=1&y=%20z#top"]),
    ("iri-reference", Draft::Draft7, &["../a/ü.html?x=1#top", "/a/b", "https://www.example.com/a"]),
    ("relative-json-pointer", Draft::Draft7, &["1/a/0/b~1c", "0#"]),
    ("duration", Draft::Draft201909, &["P1Y2M3DT4H5M6S", "P4W", "PT30M", "P10DT12H"]),
    ("uuid", Draft::Draft201909, &["123e4567-e89b-12d3-a456-426614174000"]),
];

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
        let mut speller = Speller::new(Spelling::Canonical);
        let opened = encode_opened(format.written, &mut speller, &mut arena, &limits)?;
        Ok(Known { arena, format, opened })
    }
}

/// A format that nests, as rules of the base.
pub(crate) struct Nested {
    /// What the rules are: canonical spellings without quotes.
    pub(crate) bodies: [ExprId; Nested::RULES],
    /// What JSON writes, with the opening quote.
    pub(crate) opened: ExprId,
}

impl Nested {
    /// How many rules it takes.
    pub(crate) const RULES: usize = 3;

    /// The format `regex`, with the rules that it may have.
    pub(crate) fn new(
        rules: [RuleId; Self::RULES],
        arena: &mut Arena,
        limits: &Limits,
    ) -> Result<Self, Error> {
        let (mut bodies, top) = pattern::nested(&mut Build { arena, limits }, rules)?;
        let mut speller = Speller::new(Spelling::Canonical);
        for body in &mut bodies {
            *body = encode(*body, &mut speller, arena, limits)?;
        }
        Ok(Nested { bodies, opened: encode_opened(top, &mut speller, arena, limits)? })
    }
}

/// A format by name.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct FormatId(u8);

impl FormatId {
    /// The formats that are made once for all schemas.
    pub(crate) fn shared() -> impl Iterator<Item = FormatId> {
        (0..FORMATS.len() as u8).map(FormatId).filter(|format| !format.samples().is_empty())
    }

    /// Whether it is [`Nested`] in the base.
    pub(crate) fn nests(self) -> bool {
        self.name() == "regex"
    }

    pub(crate) fn name(self) -> &'static str {
        FORMATS[usize::from(self.0)].0
    }

    /// Texts in which much of it is seen, if it is shared.
    pub(crate) fn samples(self) -> &'static [&'static str] {
        FORMATS[usize::from(self.0)].2
    }

    /// The format of a name, or `None` if a draft does not know it: then it means nothing.
    ///
    /// A format belongs to the draft that named it and to later ones.
    pub(crate) fn of(name: &str, draft: Draft) -> Result<Option<FormatId>, Error> {
        let at = FORMATS.iter().position(|&(known, since, _)| known == name && since <= draft);
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
