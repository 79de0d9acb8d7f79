//! How byte-level tokenizers cut a text into words, which are then encoded one by one.
//!
//! GGUF names the way (`tokenizer.ggml.pre`) and does not spell it. The patterns state what each family of models was
//! trained with; the test vectors of an independent runtime hold them to it.

use fancy_regex::Regex;

/// The ways that are known.
pub(super) const NAMES: [&str; 8] =
    ["gpt-2", "default", "llama-bpe", "llama3", "smollm", "qwen2", "deepseek-r1-qwen", "refact"];

/// Words as GPT-2 has them: contractions, letters, digits or other signs with a space in front, white space.
const GPT2: &str = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+";

/// Contractions in any case, and words that take one sign in front, shared by what came after GPT-2.
const LATER: (&str, &str) = (
    r"'(?i:s|t|re|ve|m|ll|d)|[^\r\n\p{L}\p{N}]?\p{L}+|",
    r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+",
);

/// Cuts text into words.
pub(super) struct Splitter {
    /// One after the other: each cuts what the one before left, into its matches and what lies between.
    patterns: Vec<Regex>,
}

impl Splitter {
    /// The splitter of a name; none if it is not known.
    pub(super) fn named(name: &str) -> Option<Splitter> {
        let later = |digits: &str| format!("{}{digits}{}", LATER.0, LATER.1);
        let patterns: Vec<String> = match name {
            "gpt-2" | "default" => vec![GPT2.into()],
            "smollm" | "refact" => vec![r"\p{N}".into(), GPT2.into()],
            "llama-bpe" | "llama3" => vec![later(r"\p{N}{1,3}")],
            "qwen2" | "deepseek-r1-qwen" => vec![later(r"\p{N}")],
            _ => return None,
        };
        let patterns: Option<Vec<Regex>> = patterns.iter().map(|pattern| Regex::new(pattern).ok()).collect();
        Some(Splitter { patterns: patterns? })
    }

    /// Calls `word` with each word of `text`, in order; together they are the text.
    pub(super) fn split<'t>(&self, text: &'t str, word: &mut dyn FnMut(&'t str)) {
        split_by(&self.patterns, text, word);
    }
}

fn split_by<'t>(patterns: &[Regex], text: &'t str, word: &mut dyn FnMut(&'t str)) {
    let Some((pattern, rest)) = patterns.split_first() else {
        if !text.is_empty() {
            word(text);
        }
        return;
    };
    let mut at = 0;
    // A match can only fail by going past the backtracking limit: what is left is then one word.
    for found in pattern.find_iter(text).map_while(Result::ok) {
        split_by(rest, &text[at..found.start()], word);
        split_by(rest, found.as_str(), word);
        at = found.end();
    }
    split_by(rest, &text[at..], word);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(name: &str, text: &str) -> Vec<String> {
        let mut words = Vec::new();
        Splitter::named(name).unwrap().split(text, &mut |word| words.push(word.to_owned()));
        words
    }

    #[test]
    fn every_name_has_a_splitter() {
        for name in NAMES {
            assert_eq!(words(name, "a  b\n\n é12 ' x").concat(), "a  b\n\n é12 ' x", "{name}");
        }
        assert!(Splitter::named("other").is_none());
    }

    #[test]
    fn digits_and_space() {
        assert_eq!(words("gpt-2", "in 2024  it's"), ["in", " 2024", " ", " it", "'s"]);
        assert_eq!(words("smollm", "in 2024"), ["in", " ", "2", "0", "2", "4"]);
        assert_eq!(words("llama3", "in 20245 (x)"), ["in", " ", "202", "45", " (", "x", ")"]);
        assert_eq!(words("qwen2", "\"a\":\n"), ["\"a", "\":\n"]);
    }
}
