//! The kinds of numbers that logits are.

/// A kind of numbers, and how two of them are compared.
pub(crate) trait Number {
    /// As they lie in memory.
    type Bits: Copy;
    /// A whole number that is larger where the number is.
    type Key: Copy + Ord;
    /// Less than the key of every number.
    const FORBIDDEN: Self::Key;
    const MINUS_INFINITY: Self::Bits;

    fn key(bits: Self::Bits) -> Self::Key;
}

/// Of a kind with so many bits: the sign turns the order of the others around, both zeros are one, and what is not a number is the
/// least.
macro_rules! number {
    ($name:ident, $bits:ty, $key:ty, $read:expr, $minus_infinity:expr, $infinity:literal) => {
        pub(crate) struct $name;

        impl Number for $name {
            type Bits = $bits;
            type Key = $key;
            const FORBIDDEN: $key = <$key>::MIN;
            const MINUS_INFINITY: $bits = $minus_infinity;

            #[inline(always)]
            fn key(bits: $bits) -> $key {
                let bits: $key = $read(bits);
                let size = bits & <$key>::MAX;
                let key = if bits < 0 { -size } else { size };
                if size > $infinity { <$key>::MIN + 1 } else { key }
            }
        }
    };
}

number!(F32, f32, i32, |bits: f32| bits.to_bits().cast_signed(), f32::NEG_INFINITY, 0x7F80_0000);
number!(F16, u16, i16, |bits: u16| bits.cast_signed(), 0xFC00, 0x7C00);
number!(Bf16, u16, i16, |bits: u16| bits.cast_signed(), 0xFF80, 0x7F80);
