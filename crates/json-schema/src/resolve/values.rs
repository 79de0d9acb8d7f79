//! Keywords that say something about the value itself: from JSON to the fields of a [`Schema`].

use bumpalo::Bump;
use rustc_hash::FxHashSet;
use smallvec::SmallVec;

use crate::node::{Bound, Schema, Types};
use crate::reader::{Json, quoted};

/// Sets the field of a keyword. `Ok(false)` if it is not one of these; otherwise what is wrong with its value.
pub(super) fn set<'a>(
    schema: &mut Schema<'a>,
    keyword: &str,
    value: &'a Json<'a>,
    room: &'a Bump,
) -> Result<bool, String> {
    match keyword {
        "type" => schema.types = Some(types(value)?),
        "enum" => schema.values = Some(list(value)?),
        "const" => schema.constant = Some(value),
        "minimum" => schema.minimum = joined(schema.minimum, &[bound(value, false)?], room),
        "maximum" => schema.maximum = joined(schema.maximum, &[bound(value, false)?], room),
        "exclusiveMinimum" => schema.minimum = joined(schema.minimum, &[bound(value, true)?], room),
        "exclusiveMaximum" => schema.maximum = joined(schema.maximum, &[bound(value, true)?], room),
        "multipleOf" => schema.multiple_of = Some(positive(value)?),
        "minLength" => schema.min_length = Some(count(value)?),
        "maxLength" => schema.max_length = Some(count(value)?),
        "pattern" => schema.pattern = Some(string(value)?),
        "format" => schema.format = Some(string(value)?),
        "required" => schema.required = required(value, room)?,
        "minProperties" => schema.min_properties = Some(count(value)?),
        "maxProperties" => schema.max_properties = Some(count(value)?),
        "dependentRequired" => {
            let mut all = Vec::new();
            for (name, names) in object(value)? {
                all.push((*name, strings(names, room)?));
            }
            schema.dependent_required = joined(schema.dependent_required, &all, room);
        }
        "minContains" => schema.min_contains = Some(count(value)?),
        "maxContains" => schema.max_contains = Some(count(value)?),
        "minItems" => schema.min_items = Some(count(value)?),
        "maxItems" => schema.max_items = Some(count(value)?),
        "uniqueItems" => schema.unique_items = boolean(value)?,
        _ => return Ok(false),
    }
    Ok(true)
}

/// What keywords that say the same kind of thing say together. Hardly ever there are two.
pub(super) fn joined<'a, T: Copy>(some: &'a [T], more: &[T], room: &'a Bump) -> &'a [T] {
    let at = |at: usize| *some.get(at).unwrap_or_else(|| &more[at - some.len()]);
    room.alloc_slice_fill_with(some.len() + more.len(), at)
}

fn must(be: &str, value: &Json) -> String {
    format!("must be {be}, not {}", value.describe())
}

/// The text of a string.
pub(super) fn string<'a>(value: &'a Json<'_>) -> Result<&'a str, String> {
    value.as_str().ok_or_else(|| must("a string", value))
}

/// A boolean.
pub(super) fn boolean(value: &Json) -> Result<bool, String> {
    if let Json::Bool(value) = value { Ok(*value) } else { Err(must("true or false", value)) }
}

/// The members of an object.
pub(super) fn object<'a>(value: &'a Json<'a>) -> Result<&'a [(&'a str, Json<'a>)], String> {
    if let Json::Object(members) = value { Ok(members) } else { Err(must("an object", value)) }
}

/// The items of an array.
pub(super) fn list<'a>(value: &'a Json<'a>) -> Result<&'a [Json<'a>], String> {
    if let Json::Array(items) = value { Ok(items) } else { Err(must("an array", value)) }
}

/// An array of strings, each once.
pub(super) fn strings<'a>(value: &'a Json<'a>, room: &'a Bump) -> Result<&'a [&'a str], String> {
    let Json::Array(items) = value else { return Err(must("an array of strings", value)) };
    let mut seen = FxHashSet::default();
    let mut out: SmallVec<[&str; 16]> = SmallVec::with_capacity(items.len());
    for item in *items {
        let name = item
            .as_str()
            .ok_or_else(|| format!("must be an array of strings, but holds {}", item.describe()))?;
        let is_new = match items.len() {
            0..=8 => !out.contains(&name),
            _ => seen.insert(name),
        };
        if is_new {
            out.push(name);
        }
    }
    Ok(room.alloc_slice_copy(&out))
}

fn required<'a>(value: &'a Json<'a>, room: &'a Bump) -> Result<&'a [&'a str], String> {
    if let Json::Bool(_) = value {
        return Err("must be an array of strings: the object that has the property lists its name in its \
             own `required` (a boolean was the way of draft 3)"
            .to_owned());
    }
    strings(value, room)
}

fn types(value: &Json) -> Result<Types, String> {
    let one = |value: &Json| {
        let Json::String(name) = value else {
            return Err(must("the name of a type or an array of them", value));
        };
        Types::named(name).ok_or_else(|| {
            let known = "`null`, `boolean`, `integer`, `number`, `string`, `array` and `object`";
            format!("names {}, which is not a type: these are {known}", quoted(name))
        })
    };
    let Json::Array(items) = value else { return one(value) };
    if items.is_empty() {
        return Err("must not be empty: no value has no type".to_owned());
    }
    let mut types = Types::NONE;
    for item in *items {
        types |= one(item)?;
    }
    Ok(types)
}

fn number<'a>(value: &'a Json<'a>) -> Result<&'a str, String> {
    if let Json::Number(text) = value { Ok(text) } else { Err(must("a number", value)) }
}

fn bound<'a>(value: &'a Json<'a>, exclusive: bool) -> Result<Bound<'a>, String> {
    Ok(Bound { value: number(value)?, exclusive })
}

fn positive<'a>(value: &'a Json<'a>) -> Result<&'a str, String> {
    let text = number(value)?;
    let mantissa = text.split(['e', 'E']).next().unwrap_or_default();
    if text.starts_with('-') || !mantissa.bytes().any(|b| matches!(b, b'1'..=b'9')) {
        return Err(format!("must be above 0, not {}", quoted(text)));
    }
    Ok(text)
}

/// A number that counts something, however it is written; one that is too large for the type is the largest.
pub(super) fn count(value: &Json) -> Result<u64, String> {
    let Json::Number(text) = value else { return Err(must("an integer from 0 on", value)) };
    whole(text).ok_or_else(|| format!("must be an integer from 0 on, not {}", quoted(text)))
}

fn whole(text: &str) -> Option<u64> {
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let (digits, negative) = match mantissa.strip_prefix('-') {
        Some(digits) => (digits, true),
        None => (mantissa, false),
    };
    let (integer, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let all: String = [integer, fraction].concat();
    let significant = all.trim_start_matches('0');
    if significant.is_empty() {
        return Some(0);
    }
    if negative {
        return None;
    }
    let exponent = match exponent.parse::<i64>() {
        Ok(exponent) => exponent,
        Err(_) if exponent.starts_with('-') => i64::MIN / 2,
        Err(_) => i64::MAX / 2,
    };
    // Digits before the point.
    let point = (significant.len() as i64 - fraction.len() as i64).saturating_add(exponent);
    let significant = significant.trim_end_matches('0');
    if point < significant.len() as i64 {
        return None;
    }
    if point > 20 {
        return Some(u64::MAX);
    }
    let mut value: u128 = 0;
    for i in 0..point as usize {
        let digit = significant.as_bytes().get(i).map_or(0, |b| b - b'0');
        value = value * 10 + u128::from(digit);
    }
    Some(u64::try_from(value).unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_may_be_written_in_many_ways() {
        for (text, value) in [
            ("0", Some(0)),
            ("-0", Some(0)),
            ("0.000e99", Some(0)),
            ("2.0", Some(2)),
            ("1e3", Some(1000)),
            ("1.5e1", Some(15)),
            ("1500e-2", Some(15)),
            ("0.5e1", Some(5)),
            ("1550e-2", None),
            ("1.5", None),
            ("0.1", None),
            ("-1", None),
            ("18446744073709551615", Some(u64::MAX)),
            ("18446744073709551616", Some(u64::MAX)),
            ("1e400", Some(u64::MAX)),
            ("1e99999999999999999999", Some(u64::MAX)),
            ("1e-99999999999999999999", None),
        ] {
            assert_eq!(whole(text), value, "{text}");
        }
    }

    #[test]
    fn only_positive_numbers_divide() {
        let positive = |text: &str| super::positive(&Json::Number(text)).is_ok();
        assert!(positive("0.01") && positive("1e-8"));
        assert!(!positive("0") && !positive("0.0e5") && !positive("-1"));
    }
}
