//! Tests of what is stored.

use super::*;

#[test]
fn a_long_run_of_literals_is_stored_once() {
    let mut arena = Arena::new(1 << 20);
    let (a, b, dot) = (arena.literal(b"a"), arena.literal(b"b"), arena.chars(&CharSet::all()));
    let mut parts = vec![a; 100_000];
    parts.extend([dot, b, dot, a, b]);
    let id = arena.concat(&parts);
    let Expr::Concat(list) = arena.get(id) else { panic!("{:?}", arena.get(id)) };
    assert_eq!(arena.list(list).len(), 5);
    assert_eq!(arena.list(list)[2], b);
    assert!(arena.bytes.len() < 101_000, "{} bytes", arena.bytes.len());
}

#[test]
fn copied_lists_are_bounded() {
    let mut arena = Arena::new(1 << 16);
    let items: Vec<ExprId> = (0..30_000u32).map(|i| arena.literal(format!("x{i}").as_bytes())).collect();
    let mut alt = arena.alt(&items);
    for i in 0..1_000 {
        let more = arena.literal(format!("y{i}").as_bytes());
        alt = arena.alt(&[alt, more]);
    }
    assert!(arena.overflowed());
    assert!(arena.lists.len() <= arena.pool_capacity());
}
