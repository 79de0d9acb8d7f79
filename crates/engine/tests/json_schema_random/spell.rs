//! Texts of a value: the plain one, and one of all that there are.

use std::collections::HashSet;
use std::fmt::Write;

use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::Value;
use tokenstile_testkit::Rng;

/// A text of `value`, with white space and spelling at random.
pub fn any_spelling(rng: &mut Rng, value: &Value) -> String {
    let mut out = String::new();
    write_value(rng, value, &mut out);
    out
}

fn blank(rng: &mut Rng, out: &mut String) {
    if rng.chance(1, 6) {
        let blank = *rng.pick(&[" ", "\n", "\t ", "\r\n  "]);
        out.push_str(blank);
    }
}

fn write_value(rng: &mut Rng, value: &Value, out: &mut String) {
    match value {
        Value::Number(number) => out.push_str(&number_text(rng, &number.to_string())),
        Value::String(text) => write_string(rng, text, out),
        Value::Array(items) => {
            out.push('[');
            blank(rng, out);
            for (i, item) in items.iter().enumerate() {
                if i > 0 {
                    out.push(',');
                    blank(rng, out);
                }
                write_value(rng, item, out);
                blank(rng, out);
            }
            out.push(']');
        }
        Value::Object(members) => {
            out.push('{');
            blank(rng, out);
            for (i, (name, member)) in members.iter().enumerate() {
                if i > 0 {
                    out.push(',');
                    blank(rng, out);
                }
                write_string(rng, name, out);
                blank(rng, out);
                out.push(':');
                blank(rng, out);
                write_value(rng, member, out);
                blank(rng, out);
            }
            out.push('}');
        }
        plain => out.push_str(&plain.to_string()),
    }
}

fn write_string(rng: &mut Rng, text: &str, out: &mut String) {
    out.push('"');
    for c in text.chars() {
        let must = matches!(c, '"' | '\\') || (c as u32) < 0x20;
        if must || rng.chance(1, 8) {
            for unit in c.encode_utf16(&mut [0; 2]) {
                let hex = if rng.chance(1, 2) { format!("{unit:04x}") } else { format!("{unit:04X}") };
                let _ = write!(out, "\\u{hex}");
            }
        } else {
            out.push(c);
        }
    }
    out.push('"');
}

/// The same number, maybe with zeros or an exponent.
fn number_text(rng: &mut Rng, text: &str) -> String {
    if text.contains(['e', 'E']) || !rng.chance(1, 4) {
        return text.to_owned();
    }
    let (sign, plain) = text.strip_prefix('-').map_or(("", text), |rest| ("-", rest));
    let (whole, fraction) = plain.split_once('.').unwrap_or((plain, ""));
    match rng.below(3) {
        0 => format!("{sign}{whole}.{fraction}0"),
        1 => format!("{text}e{}0", rng.pick(&["", "+", "-"])),
        _ => {
            let digits = format!("{whole}{fraction}0");
            let digits = digits.trim_start_matches('0');
            let digits = if digits.is_empty() { "0" } else { digits };
            format!("{sign}{digits}E-{}", fraction.len() + 1)
        }
    }
}

/// The value with the members of all objects in the order of their names.
pub fn sorted(value: &Value) -> Value {
    match value {
        Value::Array(items) => items.iter().map(sorted).collect(),
        Value::Object(members) => {
            let mut members: Vec<_> = members.iter().map(|(k, v)| (k.clone(), sorted(v))).collect();
            members.sort_by(|a, b| a.0.cmp(&b.0));
            Value::Object(members.into_iter().collect())
        }
        plain => plain.clone(),
    }
}

/// Whether no object in a JSON text has a key twice.
pub fn has_unique_keys(text: &str) -> bool {
    serde_json::from_str::<Unique>(text).is_ok()
}

/// A JSON value without repeated keys.
struct Unique;

impl<'de> Deserialize<'de> for Unique {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(Unique)
    }
}

impl<'de> Visitor<'de> for Unique {
    type Value = Unique;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("JSON without repeated keys")
    }

    fn visit_unit<E>(self) -> Result<Unique, E> {
        Ok(Unique)
    }

    fn visit_bool<E>(self, _: bool) -> Result<Unique, E> {
        Ok(Unique)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Unique, E> {
        Ok(Unique)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Unique, E> {
        Ok(Unique)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Unique, E> {
        Ok(Unique)
    }

    fn visit_str<E>(self, _: &str) -> Result<Unique, E> {
        Ok(Unique)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Unique, A::Error> {
        while items.next_element::<Unique>()?.is_some() {}
        Ok(Unique)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Unique, A::Error> {
        let mut seen = HashSet::new();
        while let Some(key) = members.next_key::<String>()? {
            if !seen.insert(key) {
                return Err(serde::de::Error::custom("a repeated key"));
            }
            members.next_value::<Unique>()?;
        }
        Ok(Unique)
    }
}
