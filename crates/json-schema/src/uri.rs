//! Addresses: resolving a reference against a base (RFC 3986, section 5), as far as schemas need it.

/// The parts of a reference. A part that is absent differs from one that is empty.
struct Parts<'a> {
    scheme: Option<&'a str>,
    authority: Option<&'a str>,
    path: &'a str,
    query: Option<&'a str>,
    fragment: Option<&'a str>,
}

fn parts(text: &str) -> Parts<'_> {
    let (text, fragment) = split(text, '#');
    let (text, query) = split(text, '?');
    let is_scheme = |s: &str| {
        s.starts_with(|c: char| c.is_ascii_alphabetic())
            && s.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.'))
    };
    let (scheme, rest) = match text.split_once(':') {
        Some((scheme, rest)) if is_scheme(scheme) => (Some(scheme), rest),
        _ => (None, text),
    };
    let (authority, path) = match rest.strip_prefix("//") {
        Some(rest) => {
            let end = rest.find('/').unwrap_or(rest.len());
            (Some(&rest[..end]), &rest[end..])
        }
        None => (None, rest),
    };
    Parts { scheme, authority, path, query, fragment }
}

fn split(text: &str, at: char) -> (&str, Option<&str>) {
    match text.split_once(at) {
        Some((before, after)) => (before, Some(after)),
        None => (text, None),
    }
}

/// The address that `reference` means at `base`: without its fragment, and the fragment, empty if there is none.
pub(super) fn resolve(base: &str, reference: &str) -> (String, String) {
    let (from, to) = (parts(base), parts(reference));
    let fragment = to.fragment.unwrap_or("").to_owned();
    let (scheme, authority, path, query);
    if to.scheme.is_some() {
        (scheme, authority, path, query) = (to.scheme, to.authority, without_dots(to.path), to.query);
    } else if to.authority.is_some() {
        (scheme, authority, path, query) = (from.scheme, to.authority, without_dots(to.path), to.query);
    } else if to.path.is_empty() {
        let kept = to.query.or(from.query);
        (scheme, authority, path, query) = (from.scheme, from.authority, from.path.to_owned(), kept);
    } else {
        let joined = if to.path.starts_with('/') {
            to.path.to_owned()
        } else if from.authority.is_some() && from.path.is_empty() {
            format!("/{}", to.path)
        } else {
            let folder = from.path.rfind('/').map_or("", |i| &from.path[..=i]);
            format!("{folder}{}", to.path)
        };
        (scheme, authority, path, query) = (from.scheme, from.authority, without_dots(&joined), to.query);
    }
    let mut out = String::with_capacity(base.len() + reference.len());
    if let Some(scheme) = scheme {
        out.push_str(&scheme.to_ascii_lowercase());
        out.push(':');
    }
    if let Some(authority) = authority {
        out.push_str("//");
        out.push_str(&authority.to_ascii_lowercase());
    }
    out.push_str(&path);
    if let Some(query) = query {
        out.push('?');
        out.push_str(query);
    }
    (out, fragment)
}

/// A path with its `.` and `..` steps taken.
fn without_dots(path: &str) -> String {
    if !path.starts_with('.') && !path.as_bytes().windows(2).any(|two| two == b"/.") {
        return path.to_owned();
    }
    let absolute = path.starts_with('/');
    let mut out: Vec<&str> = Vec::new();
    let mut steps = path.strip_prefix('/').unwrap_or(path).split('/').peekable();
    while let Some(step) = steps.next() {
        let last = steps.peek().is_none();
        match step {
            "." | ".." => {
                if step == ".." {
                    out.pop();
                }
                if last {
                    out.push("");
                }
            }
            step => out.push(step),
        }
    }
    let joined = out.join("/");
    if absolute { format!("/{joined}") } else { joined }
}

/// A fragment with its percent escapes resolved; `None` if it is malformed.
pub(super) fn decode(fragment: &str) -> Option<String> {
    if !fragment.contains('%') {
        return Some(fragment.to_owned());
    }
    let bytes = fragment.as_bytes();
    let (mut out, mut i) = (Vec::with_capacity(bytes.len()), 0);
    while i < bytes.len() {
        if bytes[i] == b'%' {
            let digit = |at: usize| bytes.get(at).and_then(|&b| char::from(b).to_digit(16));
            out.push((digit(i + 1)? << 4 | digit(i + 2)?) as u8);
            i += 3;
        } else {
            out.push(bytes[i]);
            i += 1;
        }
    }
    String::from_utf8(out).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_resolve_as_the_examples_of_the_specification_say() {
        let base = "http://a/b/c/d;p?q";
        for (reference, target) in [
            ("g:h", "g:h"),
            ("g", "http://a/b/c/g"),
            ("./g", "http://a/b/c/g"),
            ("g/", "http://a/b/c/g/"),
            ("/g", "http://a/g"),
            ("//g", "http://g"),
            ("?y", "http://a/b/c/d;p?y"),
            ("g?y", "http://a/b/c/g?y"),
            (";x", "http://a/b/c/;x"),
            ("", "http://a/b/c/d;p?q"),
            (".", "http://a/b/c/"),
            ("./", "http://a/b/c/"),
            ("..", "http://a/b/"),
            ("../g", "http://a/b/g"),
            ("../..", "http://a/"),
            ("../../g", "http://a/g"),
            ("../../../g", "http://a/g"),
            ("/./g", "http://a/g"),
            ("/../g", "http://a/g"),
            ("g.", "http://a/b/c/g."),
            ("..g", "http://a/b/c/..g"),
            ("./../g", "http://a/b/g"),
            ("./g/.", "http://a/b/c/g/"),
            ("g/../h", "http://a/b/c/h"),
            ("g;x=1/./y", "http://a/b/c/g;x=1/y"),
        ] {
            assert_eq!(resolve(base, reference).0, target, "{reference}");
        }
        assert_eq!(resolve(base, "g#s"), ("http://a/b/c/g".into(), "s".into()));
        assert_eq!(resolve("", "a/b.json#/c"), ("a/b.json".into(), "/c".into()));
        assert_eq!(resolve("urn:uuid:1", "#x"), ("urn:uuid:1".into(), "x".into()));
        assert_eq!(resolve("HTTP://Example.com", "x").0, "http://example.com/x");
    }

    #[test]
    fn fragments_are_decoded() {
        assert_eq!(decode("a%25b%22").as_deref(), Some("a%b\""));
        assert_eq!(decode("%E2%82%AC").as_deref(), Some("€"));
        assert_eq!(decode("%"), None);
        assert_eq!(decode("%4"), None);
        assert_eq!(decode("%ff"), None);
    }
}
