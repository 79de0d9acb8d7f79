//! The loops, and which form of them a processor takes.

use crate::number::Number;

/// Logits of one word of the mask.
const LANES: usize = 32;

/// Logits of which [`best_of`] finds the largest before it compares it with what it has.
const BLOCK: usize = 16 * LANES;

/// Compiles a function for each set of instructions, and calls the best that there is.
macro_rules! for_processors {
    ($plain:ident as $name:ident<$kind:ident>($($argument:ident: $type:ty),*) $(-> $result:ty)?) => {
        pub(crate) fn $name<$kind: Number>($($argument: $type),*) $(-> $result)? {
            #[cfg(target_arch = "x86_64")]
            {
                #[target_feature(enable = "avx512f,avx512bw,avx512vl")]
                fn avx512<$kind: Number>($($argument: $type),*) $(-> $result)? {
                    $plain::<$kind>($($argument),*)
                }
                #[target_feature(enable = "avx2")]
                fn avx2<$kind: Number>($($argument: $type),*) $(-> $result)? {
                    $plain::<$kind>($($argument),*)
                }
                if is_x86_feature_detected!("avx512bw") && is_x86_feature_detected!("avx512vl") {
                    // SAFETY: the processor has the instructions, as was just asked. `cargo bench -p tokenstile-logits`
                    // shows that they are worth it.
                    return unsafe { avx512::<$kind>($($argument),*) };
                }
                if is_x86_feature_detected!("avx2") {
                    // SAFETY: the processor has the instructions, as was just asked. `cargo bench -p tokenstile-logits`
                    // shows that they are worth it.
                    return unsafe { avx2::<$kind>($($argument),*) };
                }
            }
            $plain::<$kind>($($argument),*)
        }
    };
}

for_processors!(forbid_plain as forbid_in<K>(mask: &[u32], logits: &mut [K::Bits]));
for_processors!(best_plain as best_of<K>(mask: &[u32], logits: &[K::Bits]) -> Option<u32>);

#[inline(always)]
fn forbid_plain<K: Number>(mask: &[u32], logits: &mut [K::Bits]) {
    let masked = logits.len().min(mask.len() * LANES);
    let (logits, past) = logits.split_at_mut(masked);
    past.fill(K::MINUS_INFINITY);
    let (rows, rest) = logits.as_chunks_mut::<LANES>();
    let tail = mask.get(rows.len()).copied().unwrap_or(0);
    for (row, &word) in rows.iter_mut().zip(mask) {
        match word {
            u32::MAX => {}
            0 => row.fill(K::MINUS_INFINITY),
            _ => keep::<K>(word, row),
        }
    }
    for (_, logit) in rest.iter_mut().enumerate().filter(|(lane, _)| tail >> lane & 1 == 0) {
        *logit = K::MINUS_INFINITY;
    }
}

/// Keeps the logits whose bits are set.
#[inline(always)]
fn keep<K: Number>(word: u32, row: &mut [K::Bits; LANES]) {
    for (lane, logit) in row.iter_mut().enumerate() {
        *logit = if word >> lane & 1 == 1 { *logit } else { K::MINUS_INFINITY };
    }
}

#[inline(always)]
fn best_plain<K: Number>(mask: &[u32], logits: &[K::Bits]) -> Option<u32> {
    let logits = &logits[..logits.len().min(mask.len() * LANES)];
    let (mut best, mut place) = (K::FORBIDDEN, None);
    for (index, block) in logits.chunks(BLOCK).enumerate() {
        let start = index * BLOCK;
        let largest = largest::<K>(&mask[start / LANES..], block);
        if largest > best {
            (best, place) = (largest, Some(start));
        }
    }
    let is_best =
        |&token: &usize| mask[token / LANES] >> (token % LANES) & 1 == 1 && K::key(logits[token]) == best;
    (place?..logits.len()).find(is_best).map(|token| token as u32)
}

/// The largest key of the logits of a block whose bits are set. Each lane has a largest of its own until the end.
#[inline(always)]
fn largest<K: Number>(mask: &[u32], block: &[K::Bits]) -> K::Key {
    let mut lanes = [K::FORBIDDEN; LANES];
    let (rows, rest) = block.as_chunks::<LANES>();
    for (row, &word) in rows.iter().zip(mask) {
        if word != 0 {
            raise::<K>(&mut lanes, word, row);
        }
    }
    for (lane, (largest, &logit)) in lanes.iter_mut().zip(rest).enumerate() {
        if mask[rows.len()] >> lane & 1 == 1 {
            *largest = (*largest).max(K::key(logit));
        }
    }
    lanes.into_iter().fold(K::FORBIDDEN, Ord::max)
}

/// Takes the logits whose bits are set into the largest of each lane. In three loops, since a compiler makes vectors of each.
#[inline(always)]
fn raise<K: Number>(lanes: &mut [K::Key; LANES], word: u32, row: &[K::Bits; LANES]) {
    let mut keys = row.map(K::key);
    for (lane, key) in keys.iter_mut().enumerate() {
        *key = if word >> lane & 1 == 1 { *key } else { K::FORBIDDEN };
    }
    for (largest, key) in lanes.iter_mut().zip(keys) {
        *largest = (*largest).max(key);
    }
}
