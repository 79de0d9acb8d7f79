//! GBNF and EBNF.
