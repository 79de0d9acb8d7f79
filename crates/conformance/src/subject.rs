//! What is put to the test: a schema, compiled, and its verdicts on texts.

use std::sync::OnceLock;
use std::time::{Duration, Instant};

use tokenstile::{
    CompileError, Compiler, Constraint, ErrorKind, Grammar, GrammarError, JsonOptions, Limits, MatchError,
};

use crate::report::{Finding, Kind, Outcome};
use crate::vocabulary::Real;

/// Time that a compile may take.
const COMPILE_TIME: Duration = Duration::from_secs(2);

/// The outcome of a compile.
pub(crate) enum Compiled {
    Ready(Constraint),
    /// The schema has no instances: every text is rejected.
    Empty,
    Refused(Finding),
}

/// How schemas become grammars.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Reading {
    /// As schemas.
    Schema,
    /// All as any JSON value: shows what the sweeps find where nothing is enforced.
    AnyJson,
}

/// Compiles a schema under the limits of the sweeps.
pub(crate) fn compile(
    name: &str,
    schema: &str,
    options: &JsonOptions,
    reading: Reading,
    compiler: &Compiler,
) -> Compiled {
    let attempt = |time: Duration| {
        let limits = Limits::default().with_compile_time(time);
        let grammar = match reading {
            Reading::Schema => Grammar::json_schema(schema, options, &limits),
            Reading::AnyJson => Grammar::json_with(options.whitespace.clone(), &limits),
        };
        compiler.clone().with_limits(limits).compile(&grammar.map_err(CompileError::Grammar)?)
    };
    let started = cpu_time();
    let mut compiled = attempt(COMPILE_TIME);
    let too_late = |error: &CompileError| error.kind() == ErrorKind::Limit { name: "compile_time" };
    if compiled.as_ref().is_err_and(too_late) && cpu_time() - started < COMPILE_TIME * 9 / 10 {
        // The machine was busy with something else.
        compiled = attempt(COMPILE_TIME * 3);
    }
    let took = cpu_time() - started;
    let error = match compiled {
        // The limit holds for each of two parts, and looking at the clock takes a while: some lateness is fine.
        Ok(_) if took > COMPILE_TIME * 2 => {
            return over(name, format!("compiled in {:.1} s", took.as_secs_f64()));
        }
        Ok(constraint) => return Compiled::Ready(constraint),
        Err(error) => error,
    };
    match error.kind() {
        ErrorKind::Unsatisfiable => Compiled::Empty,
        ErrorKind::Limit { .. } => over(name, error.to_string()),
        kind => {
            let group = match &error {
                CompileError::Grammar(error) => reason(error),
                other => format!("{kind:?}: {}", without_names(&other.to_string())),
            };
            Compiled::Refused(Finding {
                kind: Kind::Refused,
                name: name.to_owned(),
                group,
                detail: error.to_string(),
            })
        }
    }
}

/// Time that this thread was at work; where the system does not say, the time that passed.
fn cpu_time() -> Duration {
    static START: OnceLock<Instant> = OnceLock::new();
    let schedule = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let worked = schedule.and_then(|text| text.split(' ').next()?.parse().ok()).map(Duration::from_nanos);
    worked.unwrap_or_else(|| START.get_or_init(Instant::now).elapsed())
}

fn over(name: &str, detail: String) -> Compiled {
    Compiled::Refused(Finding { kind: Kind::OverLimit, name: name.to_owned(), group: String::new(), detail })
}

/// What refusals are grouped by: kind, keyword, and the message without what differs from schema to schema.
fn reason(error: &GrammarError) -> String {
    let kind = match error.kind() {
        ErrorKind::Unsupported => "unsupported".to_owned(),
        ErrorKind::Syntax => "syntax".to_owned(),
        other => format!("{other:?}"),
    };
    let keyword = error.pointer().and_then(keyword).unwrap_or("-");
    format!("{kind}: {keyword}: {}", without_names(error.message()))
}

/// The last part of a pointer that can be a keyword.
fn keyword(pointer: &str) -> Option<&str> {
    let keywords = [
        "$ref",
        "$dynamicRef",
        "$recursiveRef",
        "$schema",
        "$id",
        "additionalItems",
        "additionalProperties",
        "allOf",
        "anyOf",
        "const",
        "contains",
        "dependencies",
        "dependentRequired",
        "dependentSchemas",
        "else",
        "enum",
        "exclusiveMaximum",
        "exclusiveMinimum",
        "format",
        "if",
        "items",
        "maxContains",
        "maxItems",
        "maxLength",
        "maxProperties",
        "maximum",
        "minContains",
        "minItems",
        "minLength",
        "minProperties",
        "minimum",
        "multipleOf",
        "not",
        "oneOf",
        "pattern",
        "patternProperties",
        "prefixItems",
        "properties",
        "propertyNames",
        "required",
        "then",
        "type",
        "unevaluatedItems",
        "unevaluatedProperties",
        "uniqueItems",
    ];
    pointer.rsplit('/').find(|part| keywords.contains(part))
}

/// A message without quoted parts and digits, shortened.
fn without_names(message: &str) -> String {
    let mut kept = String::new();
    let mut quoted_by = None;
    for character in message.chars() {
        match (quoted_by, character) {
            (None, '`' | '"') => {
                quoted_by = Some(character);
                kept.push('…');
            }
            (Some(quote), _) if quote == character => quoted_by = None,
            (Some(_), _) => {}
            (None, '0'..='9') if kept.ends_with('#') => {}
            (None, '0'..='9') => kept.push('#'),
            (None, _) => kept.push(character),
        }
    }
    crate::text::excerpt(&kept, 100)
}

/// What a matcher says of a text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Verdict {
    Accepted,
    /// Rejected at this byte; at the end if the text is a part of an accepted one.
    Rejected(usize),
    /// A limit was reached.
    OverLimit(String),
}

impl Compiled {
    /// The verdict on a text, byte by byte. The vocabulary must be the one of bytes.
    pub(crate) fn judge(&self, text: &str) -> Verdict {
        match self {
            Compiled::Ready(constraint) => judge_bytes(constraint, text.as_bytes()),
            Compiled::Empty | Compiled::Refused(_) => Verdict::Rejected(0),
        }
    }
}

fn judge_bytes(constraint: &Constraint, text: &[u8]) -> Verdict {
    let mut matcher = constraint.matcher();
    for (at, &byte) in text.iter().enumerate() {
        match matcher.commit(u32::from(byte)) {
            Ok(()) => {}
            Err(MatchError::Limit { name, value }) => return Verdict::OverLimit(format!("{name} = {value}")),
            Err(_) => return Verdict::Rejected(at),
        }
    }
    if matcher.is_accepting() { Verdict::Accepted } else { Verdict::Rejected(text.len()) }
}

/// Goes over a text in the longest tokens of a real vocabulary. Mask, `allows` and `commit` must agree on each of them
/// and on some others, and the verdict must be `expected`; what does not is a finding.
pub(crate) fn agree(
    name: &str,
    constraint: &Constraint,
    real: &Real,
    text: &str,
    expected: &Verdict,
    outcome: &mut Outcome,
) -> Result<(), MatchError> {
    let mut matcher = constraint.matcher();
    let mut at = 0;
    let mut disagree = |what: String| outcome.find(Kind::Disagree, name, what);
    while let Some((token, length)) = real.longest(&text.as_bytes()[at..]) {
        let mask = matcher.mask()?.to_vec();
        let in_mask =
            |token: u32| mask.get(token as usize / 32).is_some_and(|word| word >> (token % 32) & 1 == 1);
        for other in
            (0..8).map(|k| (token + at as u32).wrapping_mul(2_654_435_761).wrapping_add(k * 16_001) % 128_000)
        {
            if matcher.allows(other)? != in_mask(other) {
                disagree(format!("at byte {at}: the mask says {} of token {other}", in_mask(other)));
            }
        }
        let (allowed, committed) = (matcher.allows(token)?, matcher.commit(token).is_ok());
        if allowed != in_mask(token) || committed != in_mask(token) {
            let masked = in_mask(token);
            disagree(format!(
                "at byte {at}, token {token}: mask {masked}, allows {allowed}, commit {committed}"
            ));
        }
        if !committed {
            break;
        }
        at += length;
    }
    let accepted = at == text.len() && matcher.is_accepting();
    if accepted != (*expected == Verdict::Accepted) {
        disagree(format!("bytes say {expected:?}; in tokens accepted = {accepted}, up to byte {at}"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_are_grouped() {
        let error =
            GrammarError::new(ErrorKind::Unsupported, "the format `x-y` of 12 characters is not known")
                .with_pointer("/properties/format/items/3/format");
        assert_eq!(reason(&error), "unsupported: format: the format … of # characters is not known");
        assert_eq!(keyword("/properties/a/allOf/0/x"), Some("allOf"));
        assert_eq!(keyword(""), None);
    }

    #[test]
    fn verdicts_on_texts() {
        let compiler = crate::vocabulary::bytes().unwrap();
        let compiled = compile("any", "true", &JsonOptions::default(), Reading::AnyJson, &compiler);
        assert_eq!(compiled.judge("[1, 2]"), Verdict::Accepted);
        assert_eq!(compiled.judge("[1, }"), Verdict::Rejected(4));
        assert_eq!(compiled.judge("[1, 2"), Verdict::Rejected(5));
        assert_eq!(Compiled::Empty.judge("1"), Verdict::Rejected(0));
    }

    #[test]
    fn tokens_and_bytes_agree_on_a_made_up_vocabulary() {
        let tokens =
            (0..=255u8).map(|byte| vec![byte]).chain([b"tr".to_vec(), b"ue]".to_vec(), b"[1".to_vec()]);
        let vocab = tokenstile::Vocab::from_tokens((0..).zip(tokens), &[300]).unwrap();
        let real = Real::new(vocab);
        let compiled = compile("any", "true", &JsonOptions::default(), Reading::AnyJson, &real.compiler);
        let Compiled::Ready(constraint) = compiled else { panic!("any JSON compiles") };
        let mut outcome = Outcome::default();
        agree("x", &constraint, &real, "[1, true]", &Verdict::Accepted, &mut outcome).unwrap();
        agree("x", &constraint, &real, "[1, trua]", &Verdict::Rejected(7), &mut outcome).unwrap();
        assert!(outcome.findings.is_empty(), "{:?}", outcome.findings);
        agree("x", &constraint, &real, "[1, true]", &Verdict::Rejected(1), &mut outcome).unwrap();
        assert_eq!(outcome.findings[0].kind, Kind::Disagree);
    }
}
