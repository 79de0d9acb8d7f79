//! Values in the styles of schemas are those that xgrammar accepts, but where a difference is meant.
//!
//! `data/styles.json` has texts for schemas in each style, and which of them xgrammar 0.2.8 accepts.

use serde_json::Value;
use tokenstile_grammar::Limits;
use tokenstile_structural_tag::StructuralTag;
use tokenstile_testkit::Reference;

#[test]
fn texts_in_the_styles() {
    let data: Value = serde_json::from_str(include_str!("data/styles.json")).unwrap();
    let limits = Limits::default();
    let (mut same, mut wrong) = (0, Vec::new());
    for case in data.as_array().unwrap() {
        let (style, schema) = (&case["style"], &case["schema"]);
        let format = format!(r#"{{"type": "json_schema", "json_schema": {schema}, "style": {style}}}"#);
        let text = format!(r#"{{"type": "structural_tag", "format": {format}}}"#);
        let made = StructuralTag::from_json(&text, &limits).and_then(|tag| tag.grammar(&limits));
        let grammar = match made {
            Ok(grammar) => grammar,
            Err(error) => {
                if case["refused"] != true {
                    wrong.push(format!("{style} {schema}: {error}"));
                }
                continue;
            }
        };
        let reference = Reference::new(&grammar);
        for (list, expected) in [("texts", true), ("not", false)] {
            for text in case[list].as_array().into_iter().flatten() {
                let found = reference.accepts(text.as_str().unwrap().as_bytes());
                same += usize::from(found == expected);
                if found != expected {
                    wrong.push(format!("{style} {schema}: {text} {}", if found { "ours" } else { "theirs" }));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{same} texts are judged alike, but not\n{}", wrong.join("\n"));
    assert!(same > 2_000, "{same}");
}
