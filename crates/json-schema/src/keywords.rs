//! The keywords of JSON Schema: in which drafts each is one, what vocabulary it is of, and where its schemas are.

use super::options::Draft;

/// Where a keyword holds schemas.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Holds {
    /// Nowhere.
    Nothing,
    /// It is one.
    One,
    /// It is a list of them.
    List,
    /// Its members are.
    Map,
    /// It is one, or a list of them.
    OneOrList,
}

/// What a keyword is for. A metaschema may leave out all keywords of one kind (`$vocabulary`).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Vocabulary {
    /// Names and references.
    Core,
    /// Applies other schemas.
    Applicator,
    /// Applies schemas to what no other did.
    Unevaluated,
    /// Says something about the value itself.
    Validation,
    /// Says nothing about validity.
    Annotation,
}

/// One keyword.
#[derive(Debug)]
pub(super) struct Keyword {
    pub(super) name: &'static str,
    pub(super) since: Draft,
    pub(super) until: Draft,
    pub(super) vocabulary: Vocabulary,
    pub(super) holds: Holds,
}

impl Keyword {
    /// Whether it is a keyword of `draft`.
    pub(super) fn is_in(&self, draft: Draft) -> bool {
        self.since <= draft && draft <= self.until
    }
}

const D4: Draft = Draft::Draft4;
const D6: Draft = Draft::Draft6;
const D7: Draft = Draft::Draft7;
const D2019: Draft = Draft::Draft201909;
const D2020: Draft = Draft::Draft202012;

const fn keyword(
    name: &'static str,
    (since, until): (Draft, Draft),
    vocabulary: Vocabulary,
    holds: Holds,
) -> Keyword {
    Keyword { name, since, until, vocabulary, holds }
}

use Holds::{List, Map, Nothing, One, OneOrList};
use Vocabulary::{Annotation, Applicator, Core, Unevaluated, Validation};

/// All of them, by name.
static KEYWORDS: [Keyword; 64] = ALL;

const ALL: [Keyword; 64] = [
    keyword("$anchor", (D2019, D2020), Core, Nothing),
    keyword("$comment", (D4, D2020), Core, Nothing),
    // Both names of the place for definitions are known to all drafts: they say nothing, and are often mixed up.
    keyword("$defs", (D4, D2020), Core, Map),
    keyword("$dynamicAnchor", (D2020, D2020), Core, Nothing),
    keyword("$dynamicRef", (D2020, D2020), Core, Nothing),
    keyword("$id", (D6, D2020), Core, Nothing),
    keyword("$recursiveAnchor", (D2019, D2019), Core, Nothing),
    keyword("$recursiveRef", (D2019, D2019), Core, Nothing),
    keyword("$ref", (D4, D2020), Core, Nothing),
    keyword("$schema", (D4, D2020), Core, Nothing),
    keyword("$vocabulary", (D2019, D2020), Core, Nothing),
    keyword("additionalItems", (D4, D2019), Applicator, One),
    keyword("additionalProperties", (D4, D2020), Applicator, One),
    keyword("allOf", (D4, D2020), Applicator, List),
    keyword("anyOf", (D4, D2020), Applicator, List),
    keyword("const", (D6, D2020), Validation, Nothing),
    keyword("contains", (D6, D2020), Applicator, One),
    keyword("contentEncoding", (D4, D2020), Annotation, Nothing),
    keyword("contentMediaType", (D4, D2020), Annotation, Nothing),
    keyword("contentSchema", (D4, D2020), Annotation, One),
    keyword("default", (D4, D2020), Annotation, Nothing),
    keyword("definitions", (D4, D2020), Core, Map),
    // Split in two by 2019-09, whose specification leaves it to the implementation to go on with it.
    keyword("dependencies", (D4, D2020), Applicator, Map),
    keyword("dependentRequired", (D2019, D2020), Validation, Nothing),
    keyword("dependentSchemas", (D2019, D2020), Applicator, Map),
    keyword("deprecated", (D4, D2020), Annotation, Nothing),
    keyword("description", (D4, D2020), Annotation, Nothing),
    keyword("else", (D7, D2020), Applicator, One),
    keyword("enum", (D4, D2020), Validation, Nothing),
    keyword("example", (D4, D2020), Annotation, Nothing),
    keyword("examples", (D4, D2020), Annotation, Nothing),
    keyword("exclusiveMaximum", (D4, D2020), Validation, Nothing),
    keyword("exclusiveMinimum", (D4, D2020), Validation, Nothing),
    keyword("format", (D4, D2020), Validation, Nothing),
    keyword("id", (D4, D4), Core, Nothing),
    keyword("if", (D7, D2020), Applicator, One),
    keyword("items", (D4, D2020), Applicator, OneOrList),
    keyword("maxContains", (D2019, D2020), Validation, Nothing),
    keyword("maxItems", (D4, D2020), Validation, Nothing),
    keyword("maxLength", (D4, D2020), Validation, Nothing),
    keyword("maxProperties", (D4, D2020), Validation, Nothing),
    keyword("maximum", (D4, D2020), Validation, Nothing),
    keyword("minContains", (D2019, D2020), Validation, Nothing),
    keyword("minItems", (D4, D2020), Validation, Nothing),
    keyword("minLength", (D4, D2020), Validation, Nothing),
    keyword("minProperties", (D4, D2020), Validation, Nothing),
    keyword("minimum", (D4, D2020), Validation, Nothing),
    keyword("multipleOf", (D4, D2020), Validation, Nothing),
    keyword("not", (D4, D2020), Applicator, One),
    keyword("oneOf", (D4, D2020), Applicator, List),
    keyword("pattern", (D4, D2020), Validation, Nothing),
    keyword("patternProperties", (D4, D2020), Applicator, Map),
    keyword("prefixItems", (D2020, D2020), Applicator, List),
    keyword("properties", (D4, D2020), Applicator, Map),
    keyword("propertyNames", (D6, D2020), Applicator, One),
    keyword("readOnly", (D4, D2020), Annotation, Nothing),
    keyword("required", (D4, D2020), Validation, Nothing),
    keyword("then", (D7, D2020), Applicator, One),
    keyword("title", (D4, D2020), Annotation, Nothing),
    keyword("type", (D4, D2020), Validation, Nothing),
    keyword("unevaluatedItems", (D2019, D2020), Unevaluated, One),
    keyword("unevaluatedProperties", (D2019, D2020), Unevaluated, One),
    keyword("uniqueItems", (D4, D2020), Validation, Nothing),
    keyword("writeOnly", (D4, D2020), Annotation, Nothing),
];

/// The keyword of a name, if it is one in any draft.
pub(super) fn known(name: &str) -> Option<&'static Keyword> {
    let first = usize::from(*name.as_bytes().first()?);
    let (&from, &to) = (STARTS.get(first)?, STARTS.get(first + 1)?);
    KEYWORDS[usize::from(from)..usize::from(to)].iter().find(|keyword| keyword.name == name)
}

/// Where in the table the names begin that start with each letter, or a later one.
static STARTS: [u8; 129] = starts();

const fn starts() -> [u8; 129] {
    let mut starts = [0; 129];
    let (mut letter, mut at) = (0, 0);
    while letter < starts.len() {
        while at < ALL.len() && (ALL[at].name.as_bytes()[0] as usize) < letter {
            at += 1;
        }
        starts[letter] = at as u8;
        letter += 1;
    }
    starts
}

/// Longest word that is compared with the keywords.
const MAX_WORD: usize = 30;

/// The keyword that someone who wrote `name` may have meant.
pub(super) fn similar(name: &str) -> Option<&'static str> {
    if !(4..=MAX_WORD).contains(&name.len()) || !name.is_ascii() {
        return None;
    }
    let meant = Letters::of(name);
    let allowed = if meant.word().len() < 6 { 1 } else { 2 };
    KEYWORDS
        .iter()
        .zip(&LETTERS)
        .map(|(keyword, letters)| (letters, keyword.name))
        .filter(|(_, name)| name.len() >= 4 && name.len().abs_diff(meant.word().len()) <= allowed + 1)
        .filter(|(letters, _)| meant.may_become(letters, allowed))
        .map(|(letters, name)| (edits(meant.word(), letters.word()), name))
        .filter(|&(edits, _)| edits <= allowed)
        .min()
        .map(|(_, name)| name)
}

/// The letters of a word that count when it is compared, in small.
#[derive(Clone, Copy)]
struct Letters {
    bytes: [u8; MAX_WORD],
    len: usize,
    /// Which letters there are.
    set: u64,
}

/// Those of all keywords.
static LETTERS: [Letters; ALL.len()] = {
    let mut letters = [Letters::of(""); ALL.len()];
    let mut at = 0;
    while at < ALL.len() {
        letters[at] = Letters::of(ALL[at].name);
        at += 1;
    }
    letters
};

impl Letters {
    const fn of(word: &str) -> Self {
        let mut letters = Letters { bytes: [0; MAX_WORD], len: 0, set: 0 };
        let (word, mut at) = (word.as_bytes(), 0);
        while at < word.len() && letters.len < MAX_WORD {
            let byte = word[at].to_ascii_lowercase();
            at += 1;
            if !matches!(byte, b'$' | b'_' | b'-') {
                letters.bytes[letters.len] = byte;
                letters.len += 1;
                letters.set |= 1 << (byte % 64);
            }
        }
        letters
    }

    fn word(&self) -> &[u8] {
        &self.bytes[..self.len]
    }

    /// Whether so many edits may be enough, going by which letters there are: one adds or takes away a letter at most.
    fn may_become(&self, other: &Letters, edits: usize) -> bool {
        let only_one_has = |a: u64, b: u64| (a & !b).count_ones() as usize;
        only_one_has(self.set, other.set) <= edits && only_one_has(other.set, self.set) <= edits
    }
}

/// Letters to add, leave out, change or swap to make one word of the other.
fn edits(a: &[u8], b: &[u8]) -> usize {
    let mut rows = [[0u8; MAX_WORD + 1]; MAX_WORD + 1];
    for i in 0..=a.len() {
        for j in 0..=b.len() {
            if i == 0 || j == 0 {
                rows[i][j] = (i + j) as u8;
                continue;
            }
            let changed = rows[i - 1][j - 1] + u8::from(a[i - 1] != b[j - 1]);
            let mut best = changed.min(rows[i - 1][j] + 1).min(rows[i][j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                best = best.min(rows[i - 2][j - 2] + 1);
            }
            rows[i][j] = best;
        }
    }
    rows[a.len()][b.len()].into()
}

/// The name of a draft, for messages.
pub(super) fn draft_name(draft: Draft) -> &'static str {
    match draft {
        Draft::Draft4 => "draft 4",
        Draft::Draft6 => "draft 6",
        Draft::Draft7 => "draft 7",
        Draft::Draft201909 => "draft 2019-09",
        Draft::Draft202012 => "draft 2020-12",
    }
}

/// The draft of a `$schema`, if it is one of the official ones.
pub(super) fn draft_of(address: &str) -> Option<Draft> {
    let address = address.strip_suffix('#').unwrap_or(address);
    let path = address.strip_prefix("http://").or_else(|| address.strip_prefix("https://"))?;
    let path = path.strip_prefix("json-schema.org/")?;
    Some(match path.trim_end_matches('/') {
        "draft-04/schema" => Draft::Draft4,
        "draft-06/schema" => Draft::Draft6,
        "draft-07/schema" => Draft::Draft7,
        "draft/2019-09/schema" => Draft::Draft201909,
        "draft/2020-12/schema" | "schema" => Draft::Draft202012,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_sorted() {
        assert!(KEYWORDS.windows(2).all(|pair| pair[0].name < pair[1].name));
        assert!(known("not").is_some() && known("Not").is_none());
    }

    #[test]
    fn misspellings_are_recognized() {
        for (written, meant) in [
            ("requried", Some("required")),
            ("additionalproperties", Some("additionalProperties")),
            ("additional_properties", Some("additionalProperties")),
            ("minlength", Some("minLength")),
            ("pattrn", Some("pattern")),
            ("oneof", Some("oneOf")),
            ("$definitions", Some("definitions")),
            ("ref", None),
            ("x-order", None),
            ("nullable", None),
            ("name", None),
        ] {
            assert_eq!(similar(written), meant, "{written}");
        }
    }

    #[test]
    fn drafts_are_known_by_their_addresses() {
        assert_eq!(draft_of("http://json-schema.org/draft-04/schema#"), Some(Draft::Draft4));
        assert_eq!(draft_of("https://json-schema.org/draft-07/schema"), Some(Draft::Draft7));
        assert_eq!(draft_of("https://json-schema.org/draft/2019-09/schema"), Some(Draft::Draft201909));
        assert_eq!(draft_of("http://json-schema.org/draft-03/schema#"), None);
        assert_eq!(draft_of("http://example.com/draft-07/schema#"), None);
    }
}
