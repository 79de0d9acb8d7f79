//! Regular expressions of ECMA-262 with its `u` flag, as far as a regular expression can tell.
//!
//! The grammar is not regular: groups nest, names must differ, back-references need their group. So this is a part of
//! it, all of which is valid: groups (in a plain expression, to a depth of [`PATTERN_DEPTH`]), at most one of them with a name, no
//! back-references, no modifiers; ranges and counts where the order of their ends is plain to see; the properties that are commonly
//! asked for. The `u` flag refuses more than its absence, so what is valid with it is valid without it.

use tokenstile_grammar::ir::CharSet;
use tokenstile_grammar::{Error, ExprId, RuleId};

use super::build::Build;
use crate::tuning::format::PATTERN_DEPTH;

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

/// What a pattern is made of.
struct Parts {
    quantifier: ExprId,
    /// Terms without groups.
    simple: ExprId,
    open: ExprId,
    look: ExprId,
    named: ExprId,
    close: ExprId,
}

impl Parts {
    /// With what stands for a class of characters.
    fn new(build: &mut Build<'_>, class: ExprId) -> Result<Self, Error> {
        let quantifier = quantifier(build)?;
        let (plain, escape, class_escape) = (build.re(PLAIN)?, build.re(ESCAPE)?, build.re(CLASS_ESCAPE)?);
        let (dot, edge, bar) = (build.text("."), build.re(r"[\^$]|\\[bB]")?, build.text("|"));
        let counted = build.any(&[plain, escape, class_escape, class, dot]);
        let counted = build.seq(&[counted, quantifier]);
        Ok(Parts {
            quantifier,
            simple: build.any(&[counted, edge, bar]),
            open: build.re(r"\((?:\?:)?")?,
            look: build.re(r"\(\?<?[=!]")?,
            named: build.re(r"\(\?<[A-Za-z_$][0-9A-Za-z_$]*>")?,
            close: build.text(")"),
        })
    }

    /// Groups without a name and lookarounds, with what may be in them up to their end.
    fn groups(&self, build: &mut Build<'_>, closed: ExprId) -> [ExprId; 2] {
        [build.seq(&[self.open, closed, self.quantifier]), build.seq(&[self.look, closed])]
    }

    /// A group that has the only name, or in which it is: with what is in one without and in one with it.
    fn with_name(&self, build: &mut Build<'_>, none: ExprId, one: ExprId) -> ExprId {
        let named = build.seq(&[self.named, none, self.quantifier]);
        let [group, look] = self.groups(build, one);
        build.any(&[named, group, look])
    }
}

/// As a plain expression.
pub(super) fn pattern(build: &mut Build<'_>) -> Result<ExprId, Error> {
    let class = class(build)?;
    let parts = Parts::new(build, class)?;
    // Level by level from the innermost: without a named group, and with just one. What comes before that one is written
    // once, whether it comes or not.
    let (mut none, mut one, mut rest) = (build.arena.never(), build.arena.never(), build.arena.never());
    for depth in 0..=PATTERN_DEPTH {
        let [none_closed, one_closed] = [none, one].map(|inner| build.seq(&[inner, parts.close]));
        let mut terms = vec![parts.simple];
        if depth > 0 {
            terms.extend(parts.groups(build, none_closed));
        }
        let with_name = parts.with_name(build, none_closed, one_closed);
        let terms = build.any(&terms);
        none = build.star(terms);
        rest = build.seq(&[with_name, none]);
        one = build.seq(&[none, rest]);
    }
    let rest = build.opt(rest);
    Ok(build.seq(&[none, rest]))
}

/// The same as rules that call each other, so that groups may be nested to any depth: the bodies of what `rules` stands for (a
/// class of characters, what is in a group without a named one, what is in one that has it), and what calls them.
///
/// There are few places in it: what is inside a group or a class does not depend on what is around it. The end is part of
/// each, since what ends anywhere can be followed by anything.
pub(super) fn nested(build: &mut Build<'_>, rules: [RuleId; 3]) -> Result<([ExprId; 3], ExprId), Error> {
    let [class_rule, none_rule, one_rule] = rules.map(|rule| build.arena.rule(rule));
    let class = class(build)?;
    let parts = Parts::new(build, class_rule)?;
    let [group, look] = parts.groups(build, none_rule);
    let terms = build.any(&[parts.simple, group, look]);
    let none = build.star(terms);
    let with_name = parts.with_name(build, none_rule, one_rule);
    let rest = build.seq(&[with_name, none]);
    let [none_closed, one_closed] = [build.seq(&[none, parts.close]), build.seq(&[none, rest, parts.close])];
    let rest = build.opt(rest);
    Ok(([class, none_closed, one_closed], build.seq(&[none, rest])))
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

/// A range whose ends are surely in order: ASCII characters, characters of different rows past it, and escapes that
/// differ in the first digit, or in the first after some zeros.
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
    for (escape, more) in [("x", 1), ("u", 3), ("u0", 2), ("u00", 1)] {
        for (i, first) in digits.iter().enumerate().take(15) {
            let last = digits[i + 1..].concat();
            let end = |digit: &str| format!(r"\\{escape}[{digit}][0-9A-Fa-f]{{{more}}}");
            forms.push(build.re(&format!("{}-{}", end(first), end(&last)))?);
        }
    }
    Ok(build.any(&forms))
}
