//! How refusals look: the message, the place, the line of source with a caret under the column.

use std::io::{self, Write};

use anstyle::{AnsiColor, Style};
use tokenstile::{CompileError, ErrorKind, Place, Warning};

use crate::failure::Failure;
use crate::source::{Kind, Reason, Refusal, Source};

/// Colour of what is wrong.
pub(crate) const ERROR: Style = AnsiColor::Red.on_default().bold();
/// Colour of remarks.
pub(crate) const WARNING: Style = AnsiColor::Yellow.on_default().bold();
/// Colour of what is well.
pub(crate) const GOOD: Style = AnsiColor::Green.on_default().bold();
/// Colour of line numbers and other frames.
pub(crate) const FRAME: Style = AnsiColor::Blue.on_default().bold();
/// Headings in output.
pub(crate) const BOLD: Style = Style::new().bold();

/// Widest part of a source line that is shown, in characters.
const WIDTH: usize = 100;

/// The name of a kind of refusal, as shown and as in `--output json`.
pub(crate) fn kind_name(kind: ErrorKind) -> &'static str {
    match kind {
        ErrorKind::Syntax => "syntax",
        ErrorKind::UndefinedRule => "undefined-rule",
        ErrorKind::DuplicateRule => "duplicate-rule",
        ErrorKind::Unsatisfiable => "unsatisfiable",
        ErrorKind::Unsupported => "unsupported",
        ErrorKind::Limit { .. } => "limit",
        ErrorKind::Cancelled => "cancelled",
        _ => "other",
    }
}

/// The parts of a refusal that its reason knows.
pub(crate) struct Details {
    /// Kind, by name.
    pub(crate) kind: &'static str,
    /// Message without place.
    pub(crate) message: String,
    /// Place in the text.
    pub(crate) place: Option<Place>,
    /// Place in a JSON document.
    pub(crate) pointer: Option<String>,
}

impl Details {
    /// What there is to say about a refusal.
    pub(crate) fn of(refusal: &Refusal) -> Details {
        let reason = &refusal.reason;
        let plain = |kind| Details { kind, message: reason.to_string(), place: None, pointer: None };
        match reason {
            Reason::Grammar(error) | Reason::Compile(CompileError::Grammar(error)) => Details {
                kind: kind_name(error.kind()),
                message: in_users_words(refusal.source.kind, error.message()),
                place: error.place().or_else(|| refusal.source.place_of(error.pointer()?)),
                pointer: error.pointer().map(str::to_owned),
            },
            Reason::Compile(error) => plain(kind_name(error.kind())),
            Reason::Match(_) if reason.is_limit() => plain("limit"),
            Reason::Match(_) => plain("other"),
            Reason::NotAChoice(_) => plain(kind_name(ErrorKind::Syntax)),
            Reason::NotYet(_) => plain(kind_name(ErrorKind::Unsupported)),
        }
    }
}

/// A message about the rule that a notation without rules was put into is about the constraint.
fn in_users_words(kind: Kind, message: &str) -> String {
    match (kind, message.strip_prefix("rule `root` ")) {
        (Kind::Regex | Kind::Choice | Kind::Json, Some(rest)) => format!("the constraint {rest}"),
        (Kind::JsonSchema, Some(rest)) => format!("the schema {rest}"),
        (Kind::StructuralTag, Some(rest)) => format!("the structural tag {rest}"),
        _ => message.to_owned(),
    }
}

/// What the user could do about a refusal.
fn help(refusal: &Refusal) -> Option<&'static str> {
    let Reason::Grammar(error) = &refusal.reason else { return None };
    let no_root = error.kind() == ErrorKind::UndefinedRule && error.message().contains("`root`");
    (no_root && refusal.source.kind == Kind::Ebnf && refusal.source.options.root.is_none())
        .then_some("a grammar that begins with another rule: --root RULE")
}

/// Writes why the command ends.
pub(crate) fn write_failure(out: &mut dyn Write, failure: &Failure) -> io::Result<()> {
    match failure {
        Failure::Refused(refusal) => write_refusal(out, refusal),
        other => writeln!(out, "{ERROR}error{ERROR:#}: {other}"),
    }
}

/// Writes a remark that is about no constraint.
#[cfg(feature = "generate")]
pub(crate) fn write_note(out: &mut dyn Write, message: &str) -> io::Result<()> {
    writeln!(out, "{BOLD}note{BOLD:#}: {message}")
}

/// Writes a refusal with the line it is about.
pub(crate) fn write_refusal(out: &mut dyn Write, refusal: &Refusal) -> io::Result<()> {
    let details = Details::of(refusal);
    writeln!(out, "{ERROR}error[{}]{ERROR:#}: {}", details.kind, details.message)?;
    write_place(out, &refusal.source, details.place, details.pointer.as_deref(), ERROR)?;
    match help(refusal) {
        Some(help) => writeln!(out, "{BOLD}help{BOLD:#}: {help}"),
        None => Ok(()),
    }
}

/// Writes a remark about an accepted constraint.
pub(crate) fn write_warning(out: &mut dyn Write, source: &Source, warning: &Warning) -> io::Result<()> {
    writeln!(out, "{WARNING}warning{WARNING:#}: {}", warning.message)?;
    write_place(out, source, place_of_warning(source, warning), warning.pointer.as_deref(), WARNING)
}

/// Where in the text what a warning is about stands.
pub(crate) fn place_of_warning(source: &Source, warning: &Warning) -> Option<Place> {
    warning.place.or_else(|| source.place_of(warning.pointer.as_deref()?))
}

fn write_place(
    out: &mut dyn Write,
    source: &Source,
    place: Option<Place>,
    pointer: Option<&str>,
    style: Style,
) -> io::Result<()> {
    write!(out, "  {FRAME}-->{FRAME:#} {}", source.name)?;
    if let Some(place) = place {
        write!(out, ":{place}")?;
    }
    if let Some(pointer) = pointer {
        write!(out, " at {}", if pointer.is_empty() { "(root)" } else { pointer })?;
    }
    writeln!(out)?;
    match place {
        Some(place) => write_excerpt(out, &source.text, place, style),
        None => Ok(()),
    }
}

/// Writes the line of `place` and a caret under its column; the line before it too, for orientation.
pub(crate) fn write_excerpt(out: &mut dyn Write, text: &str, place: Place, style: Style) -> io::Result<()> {
    let lines: Vec<&str> = text.split('\n').collect();
    let Some(line) = lines.get(place.line - 1) else { return Ok(()) };
    let gutter = place.line.to_string().len();
    writeln!(out, "{:gutter$} {FRAME}|{FRAME:#}", "")?;
    if place.line > 1 {
        let before = window(lines[place.line - 2], 1).0;
        writeln!(out, "{FRAME}{:gutter$} |{FRAME:#} {before}", place.line - 1)?;
    }
    let (shown, column) = window(line, place.column);
    writeln!(out, "{FRAME}{:gutter$} |{FRAME:#} {shown}", place.line)?;
    writeln!(out, "{:gutter$} {FRAME}|{FRAME:#} {:pad$}{style}^{style:#}", "", "", pad = column - 1)
}

/// The part of `line` around `column` that fits, and the column in it. Every character takes one column:
/// tabs and other controls become spaces.
fn window(line: &str, column: usize) -> (String, usize) {
    let plain = |c: char| if c.is_control() { ' ' } else { c };
    let length = line.trim_end_matches('\r').chars().count();
    if length <= WIDTH {
        return (line.trim_end_matches('\r').chars().map(plain).collect(), column);
    }
    let start = column.saturating_sub(WIDTH * 3 / 4).min(length.saturating_sub(WIDTH));
    let body = line.chars().skip(start).take(WIDTH).map(plain);
    let (left, right) = (if start > 0 { "…" } else { "" }, if start + WIDTH < length { "…" } else { "" });
    let shown: String = left.chars().chain(body).chain(right.chars()).collect();
    (shown, column - start + left.chars().count())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn excerpt(text: &str, offset: usize) -> String {
        let mut out = Vec::new();
        write_excerpt(&mut out, text, Place::of(text, offset), Style::new()).unwrap();
        anstream::adapter::strip_str(std::str::from_utf8(&out).unwrap()).to_string()
    }

    #[test]
    fn the_caret_stands_under_the_column() {
        let shown = excerpt("root ::= a\n\té ::= %\n", 19);
        assert_eq!(shown, "  |\n1 | root ::= a\n2 |  é ::= %\n  |        ^\n");
    }

    #[test]
    fn the_end_of_a_text_has_a_place() {
        assert_eq!(excerpt("ab", 2), "  |\n1 | ab\n  |   ^\n");
        assert_eq!(excerpt("", 0), "  |\n1 | \n  | ^\n");
    }

    #[test]
    fn long_lines_are_cut_around_the_column() {
        let line = format!("{}%{}", "a".repeat(500), "b".repeat(500));
        let shown = excerpt(&line, 500);
        let lines: Vec<&str> = shown.lines().collect();
        let column = lines[2].chars().position(|c| c == '^').unwrap();
        assert_eq!(lines[1].chars().nth(column), Some('%'));
        assert!(lines[1].chars().count() < 110);
    }
}
