//! The grammar that users see: made of a text in some notation, given to a compiler.

use std::borrow::Cow;
use std::fmt;

use tokenstile_grammar::ir::Warning;
use tokenstile_grammar::{Composer, Error, JsonWhitespace, Limits, Part, RegexOptions, Trigger};
#[cfg(feature = "json-schema")]
use tokenstile_json_schema::JsonOptions;

/// Which texts are wanted: a constraint that has been read, for any vocabulary.
///
/// There is a function for each notation. What a notation asks for and cannot be enforced is refused, with the place.
///
/// ```
/// use tokenstile::{Grammar, Limits};
/// let limits = Limits::default();
/// let colour = Grammar::choice(&["red", "green"], &limits)?;
/// assert_eq!(colour.to_string(), "root ::= (\"green\" | \"red\")\n");
/// # Ok::<(), tokenstile::GrammarError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Grammar(tokenstile_grammar::Grammar);

impl Grammar {
    /// The grammar of a text in GBNF, the notation of llama.cpp. Whole texts match the rule `root`.
    ///
    /// Supported are literals, character classes, `.`, groups, alternatives (empty ones too), `?`, `*`, `+`,
    /// `{m}`, `{m,}`, `{,n}`, `{m,n}` and `#` comments. Escapes are `\n \t \r \" \\ \[ \] \xHH \uHHHH
    /// \UHHHHHHHH`; each denotes a code point, so `\xE9` is `é`. Rules may be left recursive.
    ///
    /// `<think>`, `<[1000]>` and `!<think>` take one token whole: the special token or text of that name, the token of that id, and
    /// any token but that one (and but the end tokens).
    ///
    /// ```
    /// use tokenstile::{Grammar, Limits};
    /// let grammar = Grammar::gbnf("root ::= item+\nitem ::= \"- \" [^\\n]+ \"\\n\"", &Limits::default())?;
    ///
    /// let error = Grammar::gbnf("root ::= itme+\nitem ::= [a-z]", &Limits::default()).unwrap_err();
    /// assert_eq!(error.to_string(), "1:10: rule `itme` is not defined; did you mean `item`?");
    /// # Ok::<(), tokenstile::GrammarError>(())
    /// ```
    pub fn gbnf(source: &str, limits: &Limits) -> Result<Grammar, Error> {
        tokenstile_grammar::Grammar::gbnf(source, limits).map(Grammar)
    }

    /// The grammar of a text in EBNF as xgrammar and vLLM users write it. Whole texts match the rule `root`.
    ///
    /// That is [GBNF](Grammar::gbnf) with some additions: `'…'` literals, the escapes of C, `\d \w \s \D \W \S`
    /// (of ASCII) and escaped punctuation in character classes, and names with dots in them. Lookahead
    /// (`(= …)`) and macros such as `TagDispatch(…)` are refused.
    ///
    /// ```
    /// use tokenstile::{ErrorKind, Grammar, Limits};
    /// let grammar = Grammar::ebnf("main ::= 'id-' [\\d]{4}", "main", &Limits::default())?;
    /// assert_eq!(grammar.to_string(), "main ::= (\"id-\" [0-9]{4,4})\n");
    ///
    /// let error = Grammar::ebnf("main ::= \"a\" (= \"b\")", "main", &Limits::default()).unwrap_err();
    /// assert_eq!(error.kind(), ErrorKind::Unsupported);
    /// # Ok::<(), tokenstile::GrammarError>(())
    /// ```
    pub fn ebnf(source: &str, root: &str, limits: &Limits) -> Result<Grammar, Error> {
        tokenstile_grammar::Grammar::ebnf(source, root, limits).map(Grammar)
    }

    /// The grammar of the texts that a regular expression matches.
    ///
    /// ```
    /// use tokenstile::{ErrorKind, Grammar, Limits, RegexOptions};
    /// let (options, limits) = (RegexOptions::default(), Limits::default());
    /// let grammar = Grammar::regex(r"^[0-9]{3}-(?:a|b)+$", &options, &limits)?;
    ///
    /// let error = Grammar::regex(r"(a+)\1", &options, &limits).unwrap_err();
    /// assert_eq!(error.kind(), ErrorKind::Unsupported);
    /// # Ok::<(), tokenstile::GrammarError>(())
    /// ```
    pub fn regex(pattern: &str, options: &RegexOptions, limits: &Limits) -> Result<Grammar, Error> {
        tokenstile_grammar::Grammar::regex(pattern, options, limits).map(Grammar)
    }

    /// Just one of `options`. They may be prefixes of each other, and may be listed more than once.
    pub fn choice<S: AsRef<str>>(options: &[S], limits: &Limits) -> Result<Grammar, Error> {
        tokenstile_grammar::Grammar::choice(options, limits).map(Grammar)
    }

    /// Any JSON value, with [bounded](JsonWhitespace::Bounded) white space between its tokens.
    pub fn json(limits: &Limits) -> Result<Grammar, Error> {
        tokenstile_grammar::Grammar::json(limits).map(Grammar)
    }

    /// Any JSON value (RFC 8259), with the white space of one's choice between its tokens.
    pub fn json_with(whitespace: JsonWhitespace, limits: &Limits) -> Result<Grammar, Error> {
        tokenstile_grammar::Grammar::json_with(whitespace, limits).map(Grammar)
    }

    /// The grammar of the texts that are instances of a JSON Schema, of drafts 4 to 2020-12.
    ///
    /// Each keyword is enforced or refused, with its JSON pointer. Unknown keywords and formats are
    /// [warnings](Grammar::warnings).
    ///
    /// ```
    /// use tokenstile::{Grammar, JsonOptions, Limits};
    /// let schema = r#"{"type": "object", "properties": {"age": {"type": "integer", "minimum": 0}}}"#;
    /// let grammar = Grammar::json_schema(schema, &JsonOptions::default(), &Limits::default())?;
    /// assert!(grammar.warnings().is_empty());
    ///
    /// let error = Grammar::json_schema(r#"{"minLength": -1}"#, &JsonOptions::default(), &Limits::default());
    /// assert_eq!(error.unwrap_err().pointer(), Some("/minLength"));
    /// # Ok::<(), tokenstile::GrammarError>(())
    /// ```
    #[cfg(feature = "json-schema")]
    pub fn json_schema(schema: &str, options: &JsonOptions, limits: &Limits) -> Result<Grammar, Error> {
        tokenstile_json_schema::json_schema(schema, options, limits).map(Grammar)
    }

    /// The grammar of a structural tag, in the JSON that vLLM and SGLang are sent: free text with calls of tools in it.
    ///
    /// What is wrong with it has a JSON pointer. [`structural_tag`](crate::structural_tag) has its formats, and makes the tags
    /// of many models' chat formats.
    ///
    /// ```
    /// use tokenstile::{Grammar, Limits};
    /// let tag = r#"{"type": "structural_tag", "format": {
    ///     "type": "triggered_tags", "triggers": ["<call>"],
    ///     "tags": [{"begin": "<call>", "content": {"type": "json_schema", "json_schema": {"type": "integer"}}, "end": "</call>"}]
    /// }}"#;
    /// let grammar = Grammar::structural_tag(tag, &Limits::default())?;
    ///
    /// let error = Grammar::structural_tag(r#"{"type": "structural_tag"}"#, &Limits::default()).unwrap_err();
    /// assert!(error.to_string().contains("format"));
    /// # Ok::<(), tokenstile::GrammarError>(())
    /// ```
    #[cfg(feature = "structural-tag")]
    pub fn structural_tag(text: &str, limits: &Limits) -> Result<Grammar, Error> {
        tokenstile_structural_tag::StructuralTag::from_json(text, limits)?.grammar(limits).map(Grammar)
    }

    /// A grammar put together from parts: texts, patterns, other grammars, tokens, and free text up to a trigger.
    ///
    /// ```
    /// use tokenstile::{Grammar, Limits, Trigger, Triggered};
    /// let limits = Limits::default();
    /// let call = Grammar::gbnf(r#"root ::= [a-z]+ "(" [0-9]* ")""#, &limits)?;
    /// // Free text, in which `<call>` begins a call that `</call>` ends.
    /// let grammar = Grammar::compose(&limits, |c| {
    ///     let (call, end) = (c.grammar(call), c.marked("</call>"));
    ///     let rest = c.concat(&[call, end]);
    ///     Ok(c.triggered(Triggered::new([(Trigger::marked("<call>"), rest)])))
    /// })?;
    /// # Ok::<(), tokenstile::GrammarError>(())
    /// ```
    pub fn compose(
        limits: &Limits,
        make: impl FnOnce(&mut Composer) -> Result<Part, Error>,
    ) -> Result<Grammar, Error> {
        let mut composer = Composer::new(limits);
        let root = make(&mut composer)?;
        composer.build(root).map(Grammar)
    }

    /// Free text, then one of `begins`, then a text of this grammar: what a model writes that thinks first.
    ///
    /// A mark like `</think>` may be text or the special token of that name. The first that is complete counts.
    ///
    /// ```
    /// use tokenstile::{Compiler, Grammar, Limits, Trigger, Vocab};
    /// let limits = Limits::default();
    /// let answer = Grammar::choice(&["yes", "no"], &limits)?.after([Trigger::marked("</think>")], &limits)?;
    /// let vocab = Vocab::from_tokens((0..=255u8).map(|b| (u32::from(b), [b])), &[256])?;
    /// let mut matcher = Compiler::new(vocab).compile(answer)?.matcher();
    /// matcher.commit_bytes(b"Well, no? </thin </think>n")?;
    /// assert_eq!(matcher.forced_bytes()?, b"o");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn after(self, begins: impl IntoIterator<Item = Trigger>, limits: &Limits) -> Result<Grammar, Error> {
        Grammar::compose(limits, |c| {
            let (free, rest) = (c.through(begins, []), c.grammar(self));
            Ok(c.concat(&[free, rest]))
        })
    }

    /// What there is to say about a constraint that was accepted.
    pub fn warnings(&self) -> &[Warning] {
        self.0.warnings()
    }

    /// How many rules it has: what [`Limits::rules`] bounds.
    pub fn rule_count(&self) -> usize {
        self.0.rules().len()
    }

    /// How many expressions it has: what [`Limits::exprs`] bounds.
    pub fn expr_count(&self) -> usize {
        self.0.arena().len()
    }
}

/// In a notation close to GBNF, the root first, for people to read.
impl fmt::Display for Grammar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl From<Grammar> for Cow<'_, Grammar> {
    fn from(grammar: Grammar) -> Self {
        Cow::Owned(grammar)
    }
}

impl<'g> From<&'g Grammar> for Cow<'g, Grammar> {
    fn from(grammar: &'g Grammar) -> Self {
        Cow::Borrowed(grammar)
    }
}

/// For crates of the same version that make grammars themselves. The type is of an internal crate, which makes no promise
/// of stability.
impl From<tokenstile_grammar::Grammar> for Grammar {
    fn from(grammar: tokenstile_grammar::Grammar) -> Self {
        Grammar(grammar)
    }
}

/// For crates of the same version that take grammars apart. The type is of an internal crate, which makes no promise of
/// stability.
impl From<Grammar> for tokenstile_grammar::Grammar {
    fn from(grammar: Grammar) -> Self {
        grammar.0
    }
}

/// For crates of the same version that look into grammars. The type is of an internal crate, which makes no promise of
/// stability.
impl AsRef<tokenstile_grammar::Grammar> for Grammar {
    fn as_ref(&self) -> &tokenstile_grammar::Grammar {
        &self.0
    }
}
