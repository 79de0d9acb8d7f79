//! scratch
use tokenstile::*;
fn main() {
    let g = Grammar::gbnf(&std::env::args().nth(1).unwrap(), &Limits::default()).unwrap();
    let p = grammar::passes::prepare(&g, &mut grammar::limits::Budget::new(&Limits::default()), &mut |_, _| Ok(false)).unwrap();
    eprintln!("{p}");
    let v = Vocab::from_tokens((0..=255u32).map(|b| (b, vec![b as u8])), &[256]).unwrap();
    let c = Compiler::new(v).compile(&g).unwrap();
    let mut m = c.matcher();
    for i in 0..20 {
        let t = std::time::Instant::now();
        m.commit_bytes(b"b").unwrap();
        eprintln!("{i} {:?} {:?} {m:?}", t.elapsed(), c.stats());
    }
}
