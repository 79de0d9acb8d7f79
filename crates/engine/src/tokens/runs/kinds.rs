//! Kinds of characters: what tokens are grouped by.

use tokenstile_grammar::ir::ByteSet;

use super::super::class::CharClass;

/// All letters and digits.
pub(super) const WORD_BYTES: u128 = 0x07ff_fffe_07ff_fffe_03ff_0000_0000_0000;
pub(super) const LOWER: u128 = 1 << b'a';
pub(super) const UPPER: u128 = 1 << b'A';
pub(super) const DIGIT: u128 = 1 << b'0';
/// Letters past the first of each case stand for what has no byte of its own.
pub(super) const WIDE: u128 = 1 << b'b';
pub(super) const BROKEN: u128 = 1 << b'c';

/// The kind of a byte: letters and digits are one kind each.
pub(super) fn kind_of(byte: u8) -> u128 {
    match byte {
        b'a'..=b'z' => LOWER,
        b'A'..=b'Z' => UPPER,
        b'0'..=b'9' => DIGIT,
        0x80.. => WIDE,
        _ => 1 << byte,
    }
}

/// The kinds of which a class allows any character.
pub(super) fn touched_kinds(class: &CharClass) -> u128 {
    let wide = if class.wide { WIDE } else { 0 };
    class.ascii.iter().filter(|&byte| byte < 0x80).fold(wide, |kinds, byte| kinds | kind_of(byte))
}

/// Letters and digits that a class leaves out although it has others of their kind.
pub(super) fn left_out(class: &CharClass) -> ByteSet {
    let kinds = [(b'a', b'z'), (b'A', b'Z'), (b'0', b'9')].map(|(low, high)| ByteSet::range(low, high));
    let split = kinds.into_iter().filter(|kind| kind.intersects(&class.ascii));
    split.fold(ByteSet::EMPTY, |all, kind| all.union(&kind.minus(&class.ascii)))
}
