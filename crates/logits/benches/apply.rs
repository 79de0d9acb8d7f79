//! What it takes to apply a mask to the logits of 128,256 tokens, beside copying them.

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use tokenstile_logits::{Logits, LogitsMut, best, forbid};
use tokenstile_testkit::Rng;

const TOKENS: usize = 128_256;

/// Masks as they come: nearly all, about half, and hardly any token.
fn masks() -> [(&'static str, Vec<u32>); 3] {
    let mut rng = Rng::new(1);
    let mut words = |make: fn(&mut Rng) -> u32| (0..TOKENS / 32).map(|_| make(&mut rng)).collect();
    [
        ("most", words(|rng| if rng.chance(1, 8) { rng.next_u64() as u32 } else { u32::MAX })),
        ("half", words(|rng| rng.next_u64() as u32)),
        ("few", words(|rng| u32::from(rng.chance(1, 50)))),
    ]
}

fn all(c: &mut Criterion) {
    let mut rng = Rng::new(2);
    let half: Vec<u16> = (0..TOKENS).map(|_| rng.next_u64() as u16 & 0xBFFF).collect();
    let single: Vec<f32> = half.iter().map(|&bits| f32::from_bits(u32::from(bits) << 16)).collect();
    let (mut half_out, mut single_out) = (half.clone(), single.clone());

    let mut group = c.benchmark_group("f32");
    group.throughput(Throughput::Bytes(4 * TOKENS as u64));
    group.bench_function("copy", |b| {
        b.iter(|| black_box(&mut single_out).copy_from_slice(black_box(&single)))
    });
    for (name, mask) in masks() {
        group.bench_function(format!("forbid, {name}"), |b| {
            b.iter(|| forbid(black_box(&mask), LogitsMut::F32(black_box(&mut single_out))));
        });
        group.bench_function(format!("best, {name}"), |b| {
            b.iter(|| best(black_box(&mask), Logits::F32(black_box(&single))));
        });
    }
    group.finish();

    let mut group = c.benchmark_group("bf16");
    group.throughput(Throughput::Bytes(2 * TOKENS as u64));
    group.bench_function("copy", |b| b.iter(|| black_box(&mut half_out).copy_from_slice(black_box(&half))));
    for (name, mask) in masks() {
        group.bench_function(format!("forbid, {name}"), |b| {
            b.iter(|| forbid(black_box(&mask), LogitsMut::Bf16(black_box(&mut half_out))));
        });
        group.bench_function(format!("best, {name}"), |b| {
            b.iter(|| best(black_box(&mask), Logits::Bf16(black_box(&half))));
        });
    }
    group.finish();
}

criterion_group!(benches, all);
criterion_main!(benches);
