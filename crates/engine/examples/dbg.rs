//! scratch
use tokenstile::*;
fn main() {
    let g = Grammar::gbnf(&std::env::args().nth(1).unwrap(), &Limits::default()).unwrap();
    let mut toks: Vec<Vec<u8>> = (0..=255u8).map(|b| vec![b]).collect();
    for n in 2..12 { toks.push(vec![b'b'; n]); toks.push([vec![b'b'; n], b"cb".to_vec()].concat()); }
    let v = Vocab::from_tokens((0..).zip(toks), &[1000]).unwrap();
    let c = Compiler::new(v).compile(&g).unwrap();
    let mut m = c.matcher();
    let mut w = vec![0; m.mask_words()];
    for i in 0..10 {
        let t = std::time::Instant::now();
        m.fill_mask(&mut w).unwrap();
        let f = t.elapsed();
        m.commit_bytes(b"bbb").unwrap();
        eprintln!("{i} {f:?} {:?} {:?} {m:?}", t.elapsed(), c.stats());
    }
}
