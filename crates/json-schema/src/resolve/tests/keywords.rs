//! Keywords: their forms in the drafts, what is refused, what is warned of.

use super::*;
use crate::node::{Types, Word};

#[test]
fn what_says_nothing_is_any() {
    for schema in ["true", "{}", r#"{"title":"x","$defs":{"a":false},"x-mine":1}"#] {
        let nodes = nodes(schema);
        assert!(matches!(nodes.get(nodes.root()), Node::Any), "{schema}");
    }
    let never = nodes("false");
    assert!(matches!(never.get(never.root()), Node::Never));
}

#[test]
fn fields_hold_what_was_written() {
    let nodes = nodes(
        r#"{"type":["integer","null"],"minimum":1.50,"exclusiveMinimum":1e2,"maximum":3,"multipleOf":0.10,
            "minLength":2.0,"maxLength":1e3,"maxItems":1e99,"properties":{"b":true,"a/~":{"const":{"x":[1.0]}}},
            "required":["b","a","b"],"enum":[1,"1"]}"#,
    );
    let schema = root(&nodes);
    assert_eq!(schema.types, Some(Types::INTEGER | Types::NULL));
    let bounds: Vec<_> = schema.minimum.iter().map(|b| (b.value, b.exclusive)).collect();
    assert_eq!(bounds, [("1.50", false), ("1e2", true)]);
    assert_eq!(schema.multiple_of, Some("0.10"));
    assert_eq!((schema.min_length, schema.max_length), (Some(2), Some(1000)));
    assert_eq!((schema.max_items, schema.min_items), (Some(u64::MAX), None));
    assert_eq!(schema.required, ["b", "a"]);
    assert_eq!(schema.properties.iter().map(|(name, _)| *name).collect::<Vec<_>>(), ["b", "a/~"]);
    let inner = super::schema(&nodes, schema.properties[1].1);
    assert_eq!(inner.pointer_of("const"), "/properties/a~1~0/const");
    assert_eq!(inner.constant, Some(&json(r#"{"x":[1.0]}"#)));
    assert!(warnings(&nodes).is_empty());
}

#[test]
fn malformed_keywords_are_refused() {
    for (schema, message) in [
        ("5", "(root): a schema must be an object, true or false, not a number"),
        (r#"{"type":"strng"}"#, "/type: `type` names `strng`, which is not a type"),
        (r#"{"type":5}"#, "/type: `type` must be the name of a type"),
        (r#"{"type":[]}"#, "/type: `type` must not be empty"),
        (
            r#"{"properties":{"a":{"required":true}}}"#,
            "/properties/a/required: `required` must be an array of strings",
        ),
        (r#"{"required":[1]}"#, "/required: `required` must be an array of strings, but holds a number"),
        (r#"{"properties":[]}"#, "/properties: `properties` must be an object, not an array"),
        (r#"{"properties":{"a":1}}"#, "/properties/a: `properties` needs a schema here"),
        (r#"{"minLength":-1}"#, "/minLength: `minLength` must be an integer from 0 on, not `-1`"),
        (r#"{"maxItems":1.5}"#, "/maxItems: `maxItems` must be an integer from 0 on, not `1.5`"),
        (r#"{"minimum":"1"}"#, "/minimum: `minimum` must be a number, not a string"),
        (r#"{"multipleOf":0}"#, "/multipleOf: `multipleOf` must be above 0, not `0`"),
        (r#"{"pattern":5}"#, "/pattern: `pattern` must be a string, not a number"),
        (r#"{"enum":{}}"#, "/enum: `enum` must be an array, not an object"),
        (r#"{"anyOf":[]}"#, "/anyOf: `anyOf` must not be empty"),
        (r#"{"allOf":{}}"#, "/allOf: `allOf` must be an array, not an object"),
        (r#"{"allOf":[true,null]}"#, "/allOf/1: `allOf` needs a schema here"),
        (r#"{"uniqueItems":1}"#, "/uniqueItems: `uniqueItems` must be true or false, not a number"),
        (r#"{"$ref":1}"#, "/$ref: `$ref` must be a string, not a number"),
        (r#"{"$schema":1}"#, "/$schema: `$schema` must be a string, not a number"),
        (
            r#"{"dependentRequired":{"a":"b"}}"#,
            "/dependentRequired: `dependentRequired` must be an array of strings",
        ),
        (r#"{"prefixItems":[true],"items":[true]}"#, "/items: `items` must be a schema"),
    ] {
        let error = error(schema).to_string();
        assert!(error.starts_with(message), "{schema}: {error}");
    }
}

#[test]
fn old_forms_are_read_as_they_were_meant() {
    let nodes = nodes(
        r#"{"minimum":1,"exclusiveMinimum":true,"maximum":9,"exclusiveMaximum":false,
            "items":[{"type":"null"},{"type":"string"}],"additionalItems":false,
            "dependencies":{"a":["b"],"c":{"type":"object"}}}"#,
    );
    let schema = root(&nodes);
    assert!(schema.minimum[0].exclusive && !schema.maximum[0].exclusive);
    assert_eq!(schema.prefix_items.len(), 2);
    assert!(matches!(nodes.get(schema.items.unwrap()), Node::Never));
    assert_eq!(schema.dependent_required, [("a", &["b"][..])]);
    assert_eq!(schema.dependent_schemas[0].0, "c");
    let warned = warnings(&nodes);
    for start in ["/exclusiveMinimum: ", "/exclusiveMaximum: ", "/items: ", "/dependencies: "] {
        assert_eq!(warned.iter().filter(|w| w.starts_with(start)).count(), 1, "{start} {warned:?}");
    }
}

#[test]
fn each_draft_has_its_keywords() {
    let with = |address: &str, rest: &str| nodes(&format!(r#"{{"$schema":"{address}",{rest}}}"#));
    let four =
        with("http://json-schema.org/draft-04/schema#", r#""const":1,"if":false,"then":false,"minimum":1"#);
    assert!(root(&four).constant.is_none() && root(&four).condition.is_none() && root(&four).plain_integers);
    let warned = warnings(&four);
    assert_eq!(warned.len(), 3, "{warned:?}");
    assert!(warned[0].contains("`const` is ignored: it came with draft 6"), "{warned:?}");
    let hidden = r##""$ref":"#/definitions/a","type":"null","definitions":{"a":{"type":"string"}}"##;
    let seven = with("http://json-schema.org/draft-07/schema", hidden);
    assert!(matches!(seven.get(seven.root()), Node::Word(Word { types: Types::STRING, .. })));
    assert!(warnings(&seven)[0].contains("`type` is ignored: `$ref` stands beside it"));
    let now = nodes(r##"{"$ref":"#/$defs/a","type":"null","$defs":{"a":{"type":"string"}}}"##);
    assert_eq!((root(&now).types, root(&now).references.len()), (Some(Types::NULL), 1));
    let odd = with("http://example.com/mine", r#""const":1"#);
    assert!(root(&odd).constant.is_some());
    assert!(
        warnings(&odd)[0].starts_with("/$schema: `$schema` is `http://example.com/mine`, which is not known")
    );
}

#[test]
fn unknown_keywords_are_told_once() {
    let nodes = nodes(
        r#"{"properties":{"a":{"requried":[]},"b":{"requried":[],"x-a":1}},"additionalproperties":false}"#,
    );
    assert_eq!(
        warnings(&nodes),
        [
            "/additionalproperties: `additionalproperties` is not a keyword and is ignored; did you mean \
             `additionalProperties`?",
            "/properties/a/requried: `requried` is not a keyword and is ignored; did you mean `required`?",
            "/properties/b/x-a: `x-a` is not a keyword and is ignored",
        ]
    );
    let many: Vec<String> = (0..1000).map(|i| format!("\"x{i}\":0")).collect();
    let many = super::nodes(&format!("{{{}}}", many.join(",")));
    assert_eq!(many.warnings.len(), 21);
    assert_eq!(warnings(&many)[20], "-: there are 980 more warnings like these");
}
