//! Regular expressions of ECMA-262 with its `u` flag, as far as a regular expression can tell.
//!
//! The grammar is not regular: groups nest, names must differ, back-references need their group. So this is a part of
//! it, all of which is valid: groups to a depth of [`DEPTH`], at most one of them with a name, no back-references,
//! no modifiers; ranges and counts where the order of their ends is plain to see; the properties that are commonly
//! asked for. The `u` flag refuses more than its absence, so what is valid with it is valid without it.

use super::Build;
use crate::error::Error;
use crate::ids::ExprId;
use crate::ir::CharSet;

/// How deep groups may be nested.
const DEPTH: usize = 4;

/// What stands for itself outside of classes.
const PLAIN: &str = r"[^\^$\\.*+?()\[\]{}|]";
/// Escapes that are alike inside and outside of classes and stand for one character.
const ESCAPE: &str = concat!(
    r"\\(?:[\^$\\.*+?()\[\]{}|/tnvfr]|c[A-Za-z]|x[0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4}",
    r"|u\{0*(?:[0-9A-Fa-f]{1,5}|10[0-9A-Fa-f]{4})\})",
);
const CLASS_ESCAPE: &str = concat!(
    r"\\(?:[dDsSwW]|[pP]\{(?:(?:General_Category=|gc=)?(?:L[ultmo]?|M[nce]?|N[dlo]?|P[cdseifo]?|S[mcko]?|Z[slp]?",
    r"|C[cfsno]?|Letter|Mark|Number|Punctuation|Symbol|Separator|Other)",
    r"|(?:Script|sc|Script_Extensions|scx)=(?:Latin|Greek|Cyrillic|Han|Hiragana|Katakana|Hangul|Arabic|Hebrew",
    r"|Thai|Devanagari|Bengali|Tamil|Armenian|Georgian|Ethiopic|Common)",
    r"|Any|ASCII|Alphabetic|Alpha|Uppercase|Upper|Lowercase|Lower|White_Space|Emoji|ID_Start|ID_Continue",
    r"|ASCII_Hex_Digit|Hex_Digit)\})",
);

/// Rows of characters past ASCII: from, to (not included), how long each is.
const ROWS: [(u32, u32, usize); 6] = [
    (0x80, 0x530, 0x10),
    (0x530, 0x3030, 0x2B00),
    (0x3030, 0x3100, 0x10),
    (0x3100, 0x4E00, 0x1D00),
    (0x4E00, 0xAE00, 0x1000),
    (0xAE00, 0x10000, 0x5200),
];

pub(super) fn pattern(build: &mut Build<'_>) -> Result<ExprId, Error> {
    let (quantifier, class) = (quantifier(build)?, class(build)?);
    let (plain, escape, class_escape) = (build.re(PLAIN)?, build.re(ESCAPE)?, build.re(CLASS_ESCAPE)?);
    let (dot, edge) = (build.text("."), build.re(r"[\^$]|\\[bB]")?);
    let (bar, close) = (build.text("|"), build.text(")"));
    let (open, look) = (build.re(r"\((?:\?:)?")?, build.re(r"\(\?<?[=!]")?);
    let named = build.re(r"\(\?<[A-Za-z_$][0-9A-Za-z_$]*>")?;
    let simple = build.any(&[plain, escape, class_escape, class, dot]);
    let simple = build.seq(&[simple, quantifier]);

    // Level by level from the innermost: without a named group, and with just one.
    let (mut none, mut one) = (build.arena.never(), build.arena.never());
    for depth in 0..=DEPTH {
        let mut around = |open: ExprId, inner: ExprId, end: &[ExprId]| {
            let parts = [&[open, inner, close], end].concat();
            build.seq(&parts)
        };
        let groups = [around(open, none, &[quantifier]), around(look, none, &[])];
        let with_name =
            [around(named, none, &[quantifier]), around(open, one, &[quantifier]), around(look, one, &[])];
        let mut terms = vec![simple, edge, bar];
        if depth > 0 {
            terms.extend(groups);
        }
        let terms = build.any(&terms);
        let with_name = build.any(&with_name);
        none = build.star(terms);
        one = build.seq(&[none, with_name, none]);
    }
    Ok(build.any(&[none, one]))
}

/// How often, or nothing; the greater of two counts must come last.
fn quantifier(build: &mut Build<'_>) -> Result<ExprId, Error> {
    let mut counts =
        String::from("[0-9]+,?|[0-9],[1-9][0-9]+|[1-9][0-9],[1-9][0-9]{2,}|[1-9][0-9]{2},[1-9][0-9]{3,}");
    for digit in 0..10 {
        counts += &format!("|{digit},[{digit}-9]");
        if digit == 0 {
            continue;
        }
        if digit < 9 {
            let more = digit + 1;
            counts += &format!("|{digit}[0-9],[{more}-9][0-9]|{digit}[0-9]{{2}},[{more}-9][0-9]{{2}}");
        }
        counts += &format!("|{digit}(?:0,{digit}[0-9]");
        for last in 1..10 {
            counts += &format!("|{last},{digit}[{last}-9]");
        }
        counts += ")";
    }
    build.re(&format!(r"(?:(?:[*+?]|\{{(?:{counts})\}})\??)?"))
}

fn class(build: &mut Build<'_>) -> Result<ExprId, Error> {
    let (open, close, hyphen) = (build.re(r"\[\^?")?, build.text("]"), build.text("-"));
    let (plain, edge) = (build.re(r"[^\\\]\-\^]")?, build.re(r"\\[-b]")?);
    let (escape, class_escape, range) = (build.re(ESCAPE)?, build.re(CLASS_ESCAPE)?, range(build)?);
    let item = build.any(&[plain, edge, escape, class_escape, range]);
    let (items, hyphen) = (build.star(item), build.opt(hyphen));
    Ok(build.seq(&[open, hyphen, items, hyphen, close]))
}

/// A range whose ends are surely in order: ASCII characters, characters of different rows past it, and escapes with
/// different first digits.
fn range(build: &mut Build<'_>) -> Result<ExprId, Error> {
    let special = CharSet::of(r"\]-^");
    let hyphen = build.text("-");
    let mut forms = Vec::new();
    let ascii = (0x20..0x7F)
        .map(|c| (c, c))
        .filter(|&(c, _)| !char::from_u32(c).is_some_and(|c| special.contains(c)));
    let ends = ROWS
        .into_iter()
        .flat_map(|(start, end, step)| (start..end).step_by(step).map(move |a| (a, a + step as u32 - 1)));
    for (low, high) in ascii.chain(ends) {
        let after = if high < 0x7F { low } else { high + 1 };
        let last = CharSet::from_ranges([(after, 0x10FFFF)]).minus(&special);
        let parts = [build.chars(&[(low, high)]), hyphen, build.arena.chars(&last)];
        forms.push(build.seq(&parts));
    }
    let digits = ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "Aa", "Bb", "Cc", "Dd", "Ee", "Ff"];
    for (i, first) in digits.iter().enumerate().take(15) {
        let last = digits[i + 1..].concat();
        forms.push(build.re(&format!(r"\\u[{first}][0-9A-Fa-f]{{3}}-\\u[{last}][0-9A-Fa-f]{{3}}"))?);
    }
    Ok(build.any(&forms))
}
