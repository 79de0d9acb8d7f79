//! Reading JSON objects straight into structs, without building a tree of the whole file.

use super::error::{VocabError, VocabErrorKind};

/// Declares a struct that is read from a JSON object: the named keys, in any order, each absent or present;
/// other keys are skipped. A small stand-in for `serde`'s derive, which would bring a macro compiler along.
macro_rules! json_object {
    ($(#[$doc:meta])* $name:ident { $($key:literal => $field:ident: $type:ty,)* }) => {
        $(#[$doc])*
        #[derive(Default)]
        struct $name { $($field: $type,)* }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
                struct Visitor;
                impl<'de> serde::de::Visitor<'de> for Visitor {
                    type Value = $name;

                    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                        f.write_str("an object")
                    }

                    fn visit_map<A: serde::de::MapAccess<'de>>(self, mut map: A) -> Result<$name, A::Error> {
                        let mut object = $name::default();
                        while let Some(key) = map.next_key::<String>()? {
                            match key.as_str() {
                                $($key => object.$field = map.next_value()?,)*
                                _ => { map.next_value::<serde::de::IgnoredAny>()?; }
                            }
                        }
                        Ok(object)
                    }
                }
                input.deserialize_map(Visitor)
            }
        }
    };
}
pub(super) use json_object;

/// The error for JSON that could not be read. `line` is where the text starts in the file, from 1.
pub(super) fn json_error(error: &serde_json::Error, line: usize) -> VocabError {
    let kind = match error.classify() {
        serde_json::error::Category::Eof => VocabErrorKind::Truncated,
        _ => VocabErrorKind::Syntax,
    };
    let place = line + error.line().saturating_sub(1);
    VocabError::new(kind, format!("cannot read JSON: {error}")).at_line(place)
}
