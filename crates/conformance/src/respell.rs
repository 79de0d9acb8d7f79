//! The same value in other words: members in another order, white space, escapes, numbers as `1.0` or `10e-1`.

use serde_json::Value;
use tokenstile_testkit::Rng;

/// A text of `value`, one of very many.
pub(crate) fn respell(value: &Value, rng: &mut Rng) -> String {
    let mut text = String::new();
    // Half of the texts are without extra white space, half without escapes.
    let style = Style { spaced: rng.chance(1, 2), escaped: rng.chance(1, 2) };
    write(value, &style, rng, &mut text);
    text
}

struct Style {
    spaced: bool,
    escaped: bool,
}

/// Values were read by a parser that bounds their depth: this may recurse.
fn write(value: &Value, style: &Style, rng: &mut Rng, text: &mut String) {
    match value {
        Value::Null | Value::Bool(_) => *text += &value.to_string(),
        Value::Number(number) => *text += &respell_number(&number.to_string(), rng),
        Value::String(string) => write_string(string, style, rng, text),
        Value::Array(items) => {
            text.push('[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    text.push(',');
                }
                space(style, rng, text);
                write(item, style, rng, text);
                space(style, rng, text);
            }
            if items.is_empty() {
                space(style, rng, text);
            }
            text.push(']');
        }
        Value::Object(members) => {
            text.push('{');
            let mut members: Vec<_> = members.iter().collect();
            shuffle(&mut members, rng);
            for (index, (key, value)) in members.iter().enumerate() {
                if index > 0 {
                    text.push(',');
                }
                space(style, rng, text);
                write_string(key, style, rng, text);
                space(style, rng, text);
                text.push(':');
                space(style, rng, text);
                write(value, style, rng, text);
                space(style, rng, text);
            }
            if members.is_empty() {
                space(style, rng, text);
            }
            text.push('}');
        }
    }
}

fn shuffle<T>(items: &mut [T], rng: &mut Rng) {
    for last in (1..items.len()).rev() {
        items.swap(last, rng.between(0, last));
    }
}

fn space(style: &Style, rng: &mut Rng, text: &mut String) {
    if style.spaced {
        let blank = *rng.pick(&["", " ", "\n", "\t ", "\r\n   ", "\n\n"]);
        text.push_str(blank);
    }
}

fn write_string(string: &str, style: &Style, rng: &mut Rng, text: &mut String) {
    text.push('"');
    for character in string.chars() {
        if style.escaped && rng.chance(1, 6) {
            for unit in character.encode_utf16(&mut [0; 2]) {
                *text += &if rng.chance(1, 2) { format!("\\u{unit:04x}") } else { format!("\\u{unit:04X}") };
            }
        } else if style.escaped && character == '/' {
            *text += "\\/";
        } else {
            let written = Value::from(character.to_string()).to_string();
            *text += &written[1..written.len() - 1];
        }
    }
    text.push('"');
}

/// Another text of the same number.
fn respell_number(number: &str, rng: &mut Rng) -> String {
    let has_exponent = number.contains(['e', 'E']);
    let is_zero = matches!(number, "0" | "-0");
    match rng.below(5) {
        _ if has_exponent => number.to_owned(),
        1 if number.contains('.') => format!("{number}0"),
        1 => format!("{number}.0"),
        2 if !number.contains('.') && !is_zero => format!("{number}0e-1"),
        3 => format!("{number}E+0"),
        4 if number == "0" => "-0.0".to_owned(),
        _ => number.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use std::collections::BTreeSet;

    #[test]
    fn other_texts_have_the_same_value() {
        let value = json!({"a/b": [1, 0, -2, 2.5, "x\"\\\n😀\u{1}"], "é": {}, "": [[], null, true]});
        let mut rng = Rng::new(7);
        let texts: BTreeSet<String> = (0..200).map(|_| respell(&value, &mut rng)).collect();
        assert!(texts.len() > 150);
        // Numbers keep their text when read: they are compared as numbers.
        let plain = |value: &Value| {
            let mut numbers = Vec::new();
            let mut open = vec![value.clone()];
            let mut rest = BTreeSet::new();
            while let Some(value) = open.pop() {
                match value {
                    Value::Number(n) => {
                        numbers.push((n.as_f64().unwrap() + 0.0).to_string().replace("-0", "0"))
                    }
                    Value::Array(items) => open.extend(items),
                    Value::Object(members) => members.into_iter().for_each(|(key, value)| {
                        rest.insert(key);
                        open.push(value);
                    }),
                    other => drop(rest.insert(other.to_string())),
                }
            }
            numbers.sort();
            (numbers, rest)
        };
        for text in &texts {
            let read: Value = serde_json::from_str(text).unwrap();
            assert_eq!(plain(&read), plain(&value), "{text}");
        }
        let all = texts.into_iter().collect::<String>();
        assert!(
            all.contains("10e-1") && all.contains("1.0") && all.contains("\\ud83d") && all.contains("-0.0")
        );
    }
}
