//! x
#![allow(clippy::print_stdout)]
use std::time::Instant;
use tokenstile_runtime::{
    gguf::Gguf,
    model::{Model, Piece},
    tokenizer::Tokenizer,
};
fn main() {
    let path = std::env::args().nth(1).unwrap();
    let t = Instant::now();
    let g = Gguf::open(path.as_ref()).unwrap();
    println!("open {:?}", t.elapsed());
    let m = Model::load(&g, &candle_core::Device::Cpu, |_| {}).unwrap();
    println!("load {:?}", t.elapsed());
    let tok = Tokenizer::read(&g, m.config().vocab).unwrap();
    println!("tokenizer {:?}", t.elapsed());
    for prompt in [
        "The capital of France is",
        "<|im_start|>user\nWrite a haiku about the sea.<|im_end|>\n<|im_start|>assistant\n",
    ] {
        let ids = tok.encode_prompt(prompt);
        println!("{ids:?}");
        let mut cache = m.cache().unwrap();
        let t = Instant::now();
        let l = m.forward(&mut [Piece { tokens: &ids, cache: &mut cache }]).unwrap();
        println!("prefill {} {:?}", ids.len(), t.elapsed());
        let arg = |l: &[f32]| (0..l.len()).max_by(|&a, &b| l[a].total_cmp(&l[b])).unwrap() as u32;
        let mut top: Vec<usize> = (0..l[0].len()).collect();
        top.sort_by(|&a, &b| l[0][b].total_cmp(&l[0][a]));
        println!("{:?}", top[..5].iter().map(|&i| (i, l[0][i])).collect::<Vec<_>>());
        let mut next = arg(&l[0]);
        let mut out = vec![next];
        let t = Instant::now();
        for _ in 0..40 {
            let l = m.forward(&mut [Piece { tokens: &[next], cache: &mut cache }]).unwrap();
            next = arg(&l[0]);
            out.push(next);
        }
        println!(
            "{:.1} tok/s {:?}",
            40.0 / t.elapsed().as_secs_f64(),
            String::from_utf8_lossy(&tok.decode(&out))
        );
    }
}
