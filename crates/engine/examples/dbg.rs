//! scratch
use tokenstile::*;
fn main() {
    let a: Vec<String> = std::env::args().collect();
    let v = Vocab::detect(&std::fs::read("/tmp/pb/data/vocab.jsonl").unwrap()).unwrap();
    let t = std::time::Instant::now();
    let comp = Compiler::new(v.clone());
    eprintln!("setup {:?} {} MB", t.elapsed(), comp.table_bytes() >> 20);
    for line in std::fs::read_to_string("/tmp/pb/data/micro.jsonl").unwrap().lines() {
        let j: serde_json::Value = serde_json::from_str(line).unwrap();
        if !j["id"].as_str().unwrap().contains(&a[1]) {
            continue;
        }
        let src = j["source"].as_str().unwrap();
        let mk = || {
            match j["kind"].as_str().unwrap() {
                "json" => Grammar::json(&Limits::default()),
                "gbnf" => Grammar::gbnf(src, &Limits::default()),
                _ => Grammar::regex(src, &Default::default(), &Limits::default()),
            }
            .unwrap()
        };
        for _ in 0..5 {
            let g = mk();
            comp.compile(&g).unwrap();
        }
        let t0 = std::time::Instant::now();
        let g = mk();
        let t1 = t0.elapsed();
        let c = comp.compile(&g).unwrap();
        eprintln!("parse {t1:?} compile {:?}", t0.elapsed() - t1);
        if a.len() > 4 {
            let p = grammar::passes::prepare(
                &g,
                &mut grammar::limits::Budget::new(&Limits::default()),
                &mut |_, _| Ok(false),
            )
            .unwrap();
            eprintln!("{p}");
        }
        {
            let mut m = c.fresh().matcher();
            let mut w = vec![0; m.mask_words()];
            m.fill_mask(&mut w).unwrap();
        }
        let reps: usize = a.get(2).map_or(1, |x| x.parse().unwrap());
        for rep in 0..reps {
            let c = c.fresh();
            if let Some(w) = a.get(3) {
                c.warm(std::time::Duration::from_micros(w.parse().unwrap()));
            }
            for test in j["tests"].as_array().unwrap() {
                let mut m = c.matcher();
                let mut w = vec![0; m.mask_words()];
                for tok in test["tokens"].as_array().unwrap() {
                    let tok = tok.as_u64().unwrap() as u32;
                    let s0 = c.stats();
                    let t = std::time::Instant::now();
                    m.fill_mask(&mut w).unwrap();
                    let f = t.elapsed();
                    let s1 = c.stats();
                    let t = std::time::Instant::now();
                    m.commit(tok).unwrap();
                    let k = t.elapsed();
                    let s2 = c.stats();
                    let tb = f + k;
                    if rep + 1 == reps && tb.as_nanos() > 3000 {
                        eprintln!(
                            "{:>16} mask {f:?} commit {k:?} states +{}+{} walks +{} bytes +{} n={}",
                            v.bytes(tok).unwrap().escape_ascii().to_string(),
                            s1.states - s0.states,
                            s2.states - s1.states,
                            s1.walks - s0.walks,
                            s1.cache_bytes - s0.cache_bytes,
                            w.iter().map(|x| x.count_ones()).sum::<u32>()
                        );
                    }
                }
            }
        }
    }
}
