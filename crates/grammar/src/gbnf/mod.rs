//! GBNF, the grammar notation of llama.cpp, and its sister dialect EBNF as xgrammar and vLLM users write it.
//!
//! Text comes in, a [`Grammar`] with the same rules goes out; nothing is unrolled or rewritten here. The lexer
//! hands out one token at a time and the parser keeps its own stack, so that the depth of the source costs
//! heap and not call stack, and memory grows with the grammar rather than with its text. Both dialects share
//! all of it; `Dialect` says where they part.
//!
//! Newlines are white space. A rule ends where the next one starts, and a rule starts with `name ::=` on a
//! line of its own. That accepts all that llama.cpp accepts (which ends a rule at a newline outside of groups)
//! and layouts that it does not.

mod dialect;
mod escape;
mod lexer;
mod parser;
mod suggest;
mod token;

use self::dialect::Dialect;
use crate::error::Error;
use crate::ir::Grammar;
use crate::limits::Limits;

impl Grammar {
    /// Reads a grammar in GBNF, the notation of llama.cpp. Whole texts match the rule `root`.
    ///
    /// Supported are literals, character classes, `.`, groups, alternatives (empty ones too), `?`, `*`, `+`,
    /// `{m}`, `{m,}`, `{,n}`, `{m,n}` and `#` comments. Escapes are `\n \t \r \" \\ \[ \] \xHH \uHHHH
    /// \UHHHHHHHH`; each denotes a code point, so `\xE9` is `é`. Rules may be left recursive.
    ///
    /// `<think>`, `<[1000]>` and `!<think>` take one token whole: the special token or text of that name, the token of that id, and
    /// any token but that one (and but the end tokens).
    ///
    /// ```
    /// use tokenstile_grammar::{Grammar, Limits};
    /// let grammar = Grammar::gbnf("root ::= item+\nitem ::= \"- \" [^\\n]+ \"\\n\"", &Limits::default())?;
    /// assert_eq!(grammar.rules().len(), 2);
    ///
    /// let error = Grammar::gbnf("root ::= itme+\nitem ::= [a-z]", &Limits::default()).unwrap_err();
    /// assert_eq!(error.to_string(), "1:10: rule `itme` is not defined; did you mean `item`?");
    /// # Ok::<(), tokenstile_grammar::Error>(())
    /// ```
    pub fn gbnf(source: &str, limits: &Limits) -> Result<Grammar, Error> {
        parser::parse(source, Dialect::Gbnf, "root", limits)
    }

    /// Reads a grammar in EBNF as xgrammar and vLLM users write it. Whole texts match the rule `root`.
    ///
    /// That is [GBNF](Grammar::gbnf) with some additions: `'…'` literals, the escapes of C, `\d \w \s \D \W \S`
    /// (of ASCII) and escaped punctuation in character classes, and names with dots in them. Lookahead
    /// (`(= …)`) and macros such as `TagDispatch(…)` are refused.
    ///
    /// ```
    /// use tokenstile_grammar::{ErrorKind, Grammar, Limits};
    /// let grammar = Grammar::ebnf("main ::= 'id-' [\\d]{4}", "main", &Limits::default())?;
    /// assert_eq!(grammar.to_string(), "main ::= (\"id-\" [0-9]{4,4})\n");
    ///
    /// let error = Grammar::ebnf("main ::= \"a\" (= \"b\")", "main", &Limits::default()).unwrap_err();
    /// assert_eq!(error.kind(), ErrorKind::Unsupported);
    /// # Ok::<(), tokenstile_grammar::Error>(())
    /// ```
    pub fn ebnf(source: &str, root: &str, limits: &Limits) -> Result<Grammar, Error> {
        parser::parse(source, Dialect::Ebnf, root, limits)
    }
}
