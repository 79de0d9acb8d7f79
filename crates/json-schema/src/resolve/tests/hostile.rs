//! Schemas that nobody writes by accident: each ends soon, with an answer or a limit.

use std::time::{Duration, Instant};

use tokenstile_grammar::ErrorKind;

use super::*;

fn limit(error: &Error) -> &'static str {
    match error.kind() {
        ErrorKind::Limit { name } => name,
        kind => panic!("{kind:?}: {error}"),
    }
}

#[test]
fn depth_and_size_are_bounded() {
    let deep = |n: usize| format!("{}true{}", "{\"not\":".repeat(n), "}".repeat(n));
    assert_eq!(nodes(&deep(1_000)).len(), 1_001);
    assert_eq!(limit(&error(&deep(1_001))), "nesting");
    assert_eq!(limit(&error(&deep(10_000))), "nesting");
    assert_eq!(limit(&error(&"[".repeat(1 << 20))), "nesting");
    assert_eq!(limit(&error(&" ".repeat(100 << 20))), "source_bytes");
    // Even without such a limit, a value has to be dropped again.
    let limits = Limits::default().with_nesting(usize::MAX);
    let text = format!("{{\"const\":{}{}}}", "[".repeat(1_999), "]".repeat(1_999));
    assert!(load_within(&text, &JsonOptions::default(), &limits).is_ok());
    let error = load_within(&deep(100_000), &JsonOptions::default(), &limits).map(|_| ());
    assert_eq!(limit(&error.unwrap_err()), "nesting");
}

#[test]
fn many_schemas_take_little_time() {
    let started = Instant::now();
    let list = |n: usize, one: &dyn Fn(usize) -> String| (0..n).map(one).collect::<Vec<_>>().join(",");
    // A long chain, from its end and from its start.
    for order in [0, 1] {
        let links = list(20_000, &|i| format!(r##""{i}":{{"$ref":"#/$defs/{}"}}"##, i + 1));
        let uses = list(2, &|i| format!(r##"{{"$ref":"#/$defs/{}"}}"##, if i == order { 0 } else { 10_000 }));
        let nodes = nodes(&format!(r#"{{"allOf":[{uses}],"$defs":{{{links},"20000":{{"type":"null"}}}}}}"#));
        assert_eq!(nodes.len(), 2);
    }
    // Many properties, many references to one, many identifiers.
    nodes(&format!(r#"{{"properties":{{{}}}}}"#, list(50_000, &|i| format!(r#""{i}":{{"minLength":{i}}}"#))));
    nodes(&format!(
        r#"{{"allOf":[{}],"$defs":{{"a":{{}}}}}}"#,
        list(50_000, &|_| r##"{"$ref":"#/$defs/a"}"##.into())
    ));
    nodes(&format!(
        r#"{{"$defs":{{{}}}}}"#,
        list(20_000, &|i| format!(r#""{i}":{{"$id":"a/{i}","$anchor":"b"}}"#))
    ));
    assert!(started.elapsed() < Duration::from_secs(10), "{:?}", started.elapsed());
}

/// Every order in which resources with dynamic anchors are entered is a scope: there are more than can be held.
#[test]
fn dynamic_scopes_are_bounded() {
    let n = 24;
    let resources: Vec<String> = (0..n)
        .map(|i| {
            let others: Vec<String> = (0..n).map(|j| format!(r#"{{"$ref":"r{j}"}}"#)).collect();
            format!(
                r##""{i}":{{"$id":"r{i}","$defs":{{"x":{{"$dynamicAnchor":"x{i}","$dynamicRef":"#x{i}"}},
                    "y":{{"$dynamicAnchor":"y"}}}},"items":{{"anyOf":[{}]}}}}"##,
                others.join(",")
            )
        })
        .collect();
    let schema = format!(r#"{{"$id":"http://a/","$ref":"r0","$defs":{{{}}}}}"#, resources.join(","));
    let limits = Limits::default().with_rules(20_000);
    let error = load_within(&schema, &JsonOptions::default(), &limits).map(|_| ());
    assert_eq!(limit(&error.unwrap_err()), "rules");
}

#[test]
fn long_pointers_are_bounded() {
    let key = "k".repeat(4_000);
    let deep = format!("{}true{}", format!("{{\"properties\":{{\"{key}\":").repeat(490), "}}".repeat(490));
    let limits = Limits::default().with_source_bytes(4 << 20);
    let error = load_within(&deep, &JsonOptions::default(), &limits).map(|_| ());
    assert_eq!(limit(&error.unwrap_err()), "source_bytes");
    let long = format!(r#"{{"{}":1,"$ref":"{}"}}"#, "x".repeat(1 << 20), "y".repeat(1 << 20));
    assert!(super::error(&long).to_string().len() < 1_000);
}
