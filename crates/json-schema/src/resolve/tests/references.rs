//! References beyond what the official suites ask.

use tokenstile_grammar::ErrorKind;

use super::*;
use crate::node::Types;

/// The types of what the only property of a schema is.
fn property(schema: &str, options: &JsonOptions) -> Result<Option<Types>, Error> {
    let nodes = load_with(schema, options)?;
    Ok(super::schema(&nodes, root(&nodes).properties[0].1).types)
}

#[test]
fn references_that_lead_nowhere_are_refused() {
    for (reference, kind, message) in [
        ("#/$defs/b", ErrorKind::UndefinedRule, "`#/$defs/b` leads nowhere"),
        ("#b", ErrorKind::UndefinedRule, "`#b` leads nowhere"),
        ("#/enum/01", ErrorKind::UndefinedRule, "`#/enum/01` leads nowhere"),
        ("#/enum/0", ErrorKind::Syntax, "`#/enum/0` leads to a number, which is not a schema"),
        ("#/%", ErrorKind::Syntax, "`#/%` is not a reference"),
        (
            "http://a.example/b.json#/c",
            ErrorKind::Unsupported,
            "`http://a.example/b.json#/c` is in `http://a.example/b.json`, which was not handed over",
        ),
    ] {
        let schema = format!(r#"{{"enum":[5],"properties":{{"a":{{"$ref":"{reference}"}}}}}}"#);
        let error = error(&schema);
        assert_eq!((error.kind(), error.pointer()), (kind, Some("/properties/a/$ref")), "{error}");
        assert!(error.message().starts_with(message), "{error}");
    }
}

#[test]
fn documents_are_read_only_when_something_refers_to_them() {
    let mut options = JsonOptions::default();
    options
        .documents
        .push(("http://a.example/b.json".into(), r#"{"$defs":{"c":{"type":"null","minLength":-1}}}"#.into()));
    options.documents.push(("http://a.example/bad.json".into(), "{".into()));
    options
        .documents
        .push(("rel/x.json".into(), r#"{"$id":"http://b.example/y","$anchor":"n","type":"string"}"#.into()));
    let refer = |to: &str| property(&format!(r#"{{"properties":{{"a":{{"$ref":"{to}"}}}}}}"#), &options);
    assert_eq!(refer("rel/x.json").unwrap(), Some(Types::STRING));
    assert_eq!(refer("./rel/z/../x.json#n").unwrap_err().kind(), ErrorKind::UndefinedRule);
    let bad = refer("http://a.example/bad.json").unwrap_err();
    assert_eq!(
        bad.to_string(),
        "1:2: in the document `http://a.example/bad.json`: the text ends where a key in double quotes is expected"
    );
    let inner = refer("http://a.example/b.json#/$defs/c").unwrap_err();
    assert_eq!(inner.pointer(), Some("http://a.example/b.json#/$defs/c/minLength"));
    options.documents.remove(1);
    let by_name = property(r#"{"properties":{"a":{"$ref":"http://b.example/y#n"}}}"#, &options);
    assert_eq!(by_name.unwrap(), Some(Types::STRING));
}

#[test]
fn chains_are_followed_and_circles_found() {
    let nodes = nodes(
        r##"{"$ref":"#/$defs/a","$defs":{"a":{"$ref":"#/$defs/b","title":"x"},"b":{"$ref":"#/$defs/c"},
             "c":{"type":"object","properties":{"again":{"$ref":"#"}}}}}"##,
    );
    assert_eq!(nodes.len(), 1);
    assert_eq!(root(&nodes).pointer.to_string(), "/$defs/c");
    assert_eq!(root(&nodes).properties[0].1, nodes.root());
    for circle in [
        r##"{"$ref":"#"}"##,
        r##"{"items":{"$ref":"#/$defs/a"},"$defs":{"a":{"$ref":"#/$defs/b"},"b":{"$ref":"#/$defs/a"}}}"##,
    ] {
        assert!(error(circle).message().contains("leads back to itself"), "{circle}");
    }
    // These say something on the way: whether anything is left is for others to find out.
    super::nodes(r##"{"allOf":[{"$ref":"#"}]}"##);
    super::nodes(r##"{"anyOf":[{"$ref":"#"},{"not":{"$ref":"#"}}]}"##);
}

#[test]
fn names_are_what_the_draft_says() {
    let plain = r##"{"$schema":"http://json-schema.org/draft-04/schema#","properties":{"a":{"$ref":"#x"}},
                     "definitions":{"b":{"id":"#x","type":"null"}}}"##;
    assert_eq!(property(plain, &JsonOptions::default()).unwrap(), Some(Types::NULL));
    // Without `$schema`, an `id` of draft 4 is found if nothing else is.
    let without = plain.replacen(r#""$schema":"http://json-schema.org/draft-04/schema#","#, "", 1);
    assert_eq!(property(&without, &JsonOptions::default()).unwrap(), Some(Types::NULL));
    let address =
        r#"{"properties":{"a":{"$ref":"y.json"}},"definitions":{"b":{"id":"y.json","type":"null"}}}"#;
    assert_eq!(property(address, &JsonOptions::default()).unwrap(), Some(Types::NULL));
    let twice = r#"{"properties":{"a":{"$ref":"y"}},"$defs":{"b":{"$id":"y"},"c":{"$id":"y"}}}"#;
    let error = error(twice);
    assert_eq!((error.kind(), error.pointer()), (ErrorKind::DuplicateRule, Some("/properties/a/$ref")));
    // An identifier that nobody meant as such.
    let meant = r##"{"$schema":"http://json-schema.org/draft-07/schema#",
        "properties":{"a":{"$id":"http://x/a","allOf":[{"$ref":"#/definitions/b"}]}},"definitions":{"b":{}}}"##;
    assert!(warnings(&nodes(meant))[0].contains("it is read as one into the whole document"));
}

#[test]
fn metaschemas_are_at_hand() {
    for address in [
        "http://json-schema.org/draft-04/schema#",
        "http://json-schema.org/draft-06/schema#",
        "http://json-schema.org/draft-07/schema#",
        "https://json-schema.org/draft-07/schema",
        "https://json-schema.org/draft/2019-09/schema",
        "https://json-schema.org/draft/2020-12/schema",
        "https://json-schema.org/draft/2020-12/meta/validation",
        "https://json-schema.org/draft/2020-12/meta/core#/$defs/anchorString",
    ] {
        let nodes = nodes(&format!(r#"{{"$ref":"{address}"}}"#));
        assert!(warnings(&nodes).is_empty(), "{address}: {:?}", warnings(&nodes));
    }
    // They accept each other and themselves, where they are meant to.
    for meta in &crate::metaschema::ALL {
        let nodes = nodes(&format!(r#"{{"$ref":"{}"}}"#, meta.address));
        assert!(validator::is_valid(&nodes, &json(meta.text)), "{}", meta.address);
        for wrong in [r#"{"type":"strng"}"#, r#"{"properties":{"a":{"minLength":-1}}}"#, r#"{"allOf":[]}"#] {
            assert!(!validator::is_valid(&nodes, &json(wrong)), "{} {wrong}", meta.address);
        }
    }
}

/// `$recursiveRef` of 2019-09: the outermost resource that asks for it.
#[test]
fn recursive_references_extend_schemas() {
    let schema = |anchor: &str| {
        format!(
            r##"{{"$schema":"https://json-schema.org/draft/2019-09/schema","$id":"http://x/strict","$ref":"tree",
                "$recursiveAnchor":{anchor},"unevaluatedProperties":false,"$defs":{{"tree":{{"$id":"tree",
                "$recursiveAnchor":true,"type":"object","properties":{{"children":{{"items":{{"$recursiveRef":"#"}}}}}}}}}}}}"##
        )
    };
    let instance = json(r#"{"children":[{"childern":[]}]}"#);
    assert!(!validator::is_valid(&nodes(&schema("true")), &instance));
    assert!(validator::is_valid(&nodes(&schema("false")), &instance));
}
