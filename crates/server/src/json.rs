//! Bodies of requests: JSON in which nothing is said twice, and fields that are taken out one by one.
//!
//! A field that nobody took is refused: what cannot be honoured is never ignored. `null` is as good as no field.

use std::fmt;
use std::ops::RangeInclusive;

use serde::de::{Deserialize, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

use crate::error::ApiError;

/// How serde_json hands over a number whose digits it keeps.
const NUMBER: &str = "$serde_json::private::Number";

/// Reads a body.
pub(crate) fn parse(body: &[u8]) -> Result<Value, ApiError> {
    let text = std::str::from_utf8(body).map_err(|error| {
        ApiError::invalid(format!("the body is not UTF-8: the first bad byte is at {}", error.valid_up_to()))
    })?;
    let strict: Strict = serde_json::from_str(text)
        .map_err(|error| ApiError::invalid(format!("the body is not JSON: {error}")).code("invalid_json"))?;
    Ok(strict.0)
}

/// A value whose objects have no key twice. (serde_json would keep the last.)
struct Strict(Value);

impl<'de> Deserialize<'de> for Strict {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(StrictVisitor).map(Strict)
    }
}

struct StrictVisitor;

impl<'de> Visitor<'de> for StrictVisitor {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(Strict(item)) = items.next_element()? {
            list.push(item);
        }
        Ok(list.into())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Value, A::Error> {
        let mut map = Map::new();
        while let Some(key) = members.next_key::<String>()? {
            if key == NUMBER {
                let digits: String = members.next_value()?;
                return digits.parse::<Number>().map(Value::Number).map_err(A::Error::custom);
            }
            let Strict(value) = members.next_value()?;
            if map.contains_key(&key) {
                return Err(A::Error::custom(format!("the key {key:?} is given twice")));
            }
            map.insert(key, value);
        }
        Ok(map.into())
    }
}

/// The fields of an object that are still to be read.
#[derive(Debug)]
pub(crate) struct Fields {
    map: Map<String, Value>,
    /// Where the object is; empty for the body.
    path: String,
}

impl Fields {
    /// The fields of `value`, which is at `path`.
    pub(crate) fn of(value: Value, path: impl Into<String>) -> Result<Fields, ApiError> {
        let path = path.into();
        match value {
            Value::Object(map) => Ok(Fields { map, path }),
            _ if path.is_empty() => Err(ApiError::invalid("the body must be a JSON object")),
            _ => Err(ApiError::field(&path, format!("`{path}` must be an object"))),
        }
    }

    /// The full name of a field.
    pub(crate) fn path(&self, name: &str) -> String {
        if self.path.is_empty() { name.to_owned() } else { format!("{}.{name}", self.path) }
    }

    /// An error about a field.
    pub(crate) fn wrong(&self, name: &str, must: &str) -> ApiError {
        let path = self.path(name);
        ApiError::field(&path, format!("`{path}` {must}"))
    }

    /// Whether there is such a field.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.map.get(name).is_some_and(|value| !value.is_null())
    }

    /// Any value.
    pub(crate) fn take(&mut self, name: &str) -> Option<Value> {
        self.map.shift_remove(name).filter(|value| !value.is_null())
    }

    /// A string.
    pub(crate) fn text(&mut self, name: &str) -> Result<Option<String>, ApiError> {
        match self.take(name) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(_) => Err(self.wrong(name, "must be a string")),
        }
    }

    /// A string that must be there.
    pub(crate) fn needed_text(&mut self, name: &str) -> Result<String, ApiError> {
        self.text(name)?.ok_or_else(|| self.wrong(name, "is missing"))
    }

    /// True or false; false if not given.
    pub(crate) fn flag(&mut self, name: &str) -> Result<bool, ApiError> {
        match self.take(name) {
            None => Ok(false),
            Some(Value::Bool(value)) => Ok(value),
            Some(_) => Err(self.wrong(name, "must be true or false")),
        }
    }

    /// A number in a range.
    pub(crate) fn number(&mut self, name: &str, range: RangeInclusive<f64>) -> Result<Option<f32>, ApiError> {
        let Some(value) = self.take(name) else { return Ok(None) };
        let fits = value.as_f64().filter(|number| range.contains(number));
        let must = || format!("must be a number from {} to {}", range.start(), range.end());
        fits.map(|number| Some(number as f32)).ok_or_else(|| self.wrong(name, &must()))
    }

    /// A whole number in a range.
    pub(crate) fn count(
        &mut self,
        name: &str,
        range: RangeInclusive<u64>,
    ) -> Result<Option<usize>, ApiError> {
        let Some(value) = self.take(name) else { return Ok(None) };
        let fits = value.as_u64().filter(|number| range.contains(number));
        let must = || match *range.end() {
            u64::MAX => format!("must be a whole number from {}", range.start()),
            end => format!("must be a whole number from {} to {end}", range.start()),
        };
        fits.and_then(|n| usize::try_from(n).ok()).map(Some).ok_or_else(|| self.wrong(name, &must()))
    }

    /// A list.
    pub(crate) fn list(&mut self, name: &str) -> Result<Option<Vec<Value>>, ApiError> {
        match self.take(name) {
            None => Ok(None),
            Some(Value::Array(list)) => Ok(Some(list)),
            Some(_) => Err(self.wrong(name, "must be an array")),
        }
    }

    /// A list of strings, or a single string.
    pub(crate) fn texts(&mut self, name: &str) -> Result<Vec<String>, ApiError> {
        let list = match self.take(name) {
            None => return Ok(Vec::new()),
            Some(Value::String(text)) => return Ok(vec![text]),
            Some(Value::Array(list)) => list,
            Some(_) => return Err(self.wrong(name, "must be a string or an array of strings")),
        };
        let texts: Option<Vec<String>> = list.iter().map(|item| item.as_str().map(str::to_owned)).collect();
        texts.ok_or_else(|| self.wrong(name, "must be a string or an array of strings"))
    }

    /// An object.
    pub(crate) fn object(&mut self, name: &str) -> Result<Option<Fields>, ApiError> {
        let path = self.path(name);
        self.take(name).map(|value| Fields::of(value, path)).transpose()
    }

    /// Refuses what is left, but for fields that change nothing here.
    pub(crate) fn finish(self, harmless: &[&str]) -> Result<(), ApiError> {
        let mut left =
            self.map.iter().filter(|(name, value)| !value.is_null() && !harmless.contains(&&***name));
        match left.next() {
            None => Ok(()),
            Some((name, _)) => Err(self.wrong(name, "is not known here").code("unknown_field")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bodies_are_read_strictly() {
        assert!(parse(b"{\"a\":1,\"a\":2}").is_err());
        assert!(parse(b"{\"a\":{\"b\":[{\"c\":1,\"c\":1}]}}").is_err());
        assert!(parse(b"\xFF{}").is_err());
        assert!(parse(&[b'['; 100_000]).is_err());
        assert!(parse(b"{\"$serde_json::private::Number\":\"x\"}").is_err());
        let value = parse(br#"{"a":[1e400,-0.10,null,true,"x"],"b":{}}"#).unwrap();
        assert_eq!(value.to_string(), r#"{"a":[1e+400,-0.10,null,true,"x"],"b":{}}"#);
    }

    #[test]
    fn fields_are_taken_or_refused() {
        let value =
            parse(br#"{"n":2,"t":0.5,"s":"x","stop":["a","b"],"user":"u","null":null,"o":{"x":1}}"#).unwrap();
        let mut fields = Fields::of(value, "").unwrap();
        assert_eq!(fields.count("n", 1..=4).unwrap(), Some(2));
        assert_eq!(fields.number("t", 0.0..=2.0).unwrap(), Some(0.5));
        assert_eq!(fields.texts("s").unwrap(), ["x"]);
        assert_eq!(fields.texts("stop").unwrap(), ["a", "b"]);
        let object = fields.object("o").unwrap().unwrap();
        assert!(object.finish(&[]).unwrap_err().json().to_string().contains("o.x"));
        assert!(fields.finish(&["user"]).is_ok());
    }
}
