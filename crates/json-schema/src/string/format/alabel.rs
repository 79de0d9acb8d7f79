//! A-labels (RFC 5890): `xn--` and the Punycode of a label that is valid and not ASCII.
//!
//! What is read is kept as it is, in lower case, and decoded when it matters: for whether the label may end, and near
//! its greatest length for whether it can still be completed. Far from that it always can: whatever was read may be the
//! ASCII part, and a hyphen and a few digits insert what makes a label of it.
//!
//! That a label can be completed is shown by a completion, and only those of a certain form are looked for: insertions
//! each of which puts something right, by one of the first code points that do. The rest of such a completion is one,
//! too, so there are no dead ends. A label is left out if some beginning of it has no such completion; labels with
//! several things amiss just before their greatest length may be, others are not.

use std::sync::Arc;

use tokenstile_grammar::ExprId;
use tokenstile_grammar::ir::{Arena, ByteSet, Machine, MachineRef};

use super::idn_chars::{Chars, Traits, VALID};
use super::punycode::Decoder;
use super::ulabel::{Defects, Direction, defects, go_together};
use crate::tuning::format::{ALL_TRIED, DEFECTS, INSERTED, INSERTIONS, NUMBERS, TRIED};

/// What the names of these machines begin with.
const FAMILY: &str = "A-label of ";
/// What stands before the Punycode.
const PREFIX: u32 = 4;
/// So many characters complete anything but the empty text: a hyphen, three digits for a first insertion, two each for
/// one more at the start and at the end, and one to spare.
const AMPLE: u32 = 9;
/// A hyphen, and three digits for one insertion.
const CLOSE: u32 = 4;
/// Greater code points are in no label.
const LAST_CODE: u64 = 0x3_1FFF;

/// What follows `xn--` in labels of a certain length.
pub(super) struct ALabel {
    name: String,
    /// The most characters after the prefix.
    most: u32,
    direction: Direction,
}

/// What follows `xn--` in labels of up to `most` characters, of which there must be some to spare.
pub(super) fn after_prefix(arena: &mut Arena, most: u32, direction: Direction) -> ExprId {
    if most < PREFIX + AMPLE + 1 {
        return arena.never();
    }
    arena.machine(MachineRef(Arc::new(ALabel::new(most - PREFIX, direction))))
}

impl ALabel {
    fn new(most: u32, direction: Direction) -> Self {
        ALabel { name: format!("{FAMILY}{most} {direction:?}"), most, direction }
    }

    /// Whether a text, in lower case, can be completed.
    fn is_live(&self, text: &[u8]) -> bool {
        let Some(room) = self.most.checked_sub(text.len() as u32) else { return false };
        if room > AMPLE || room == AMPLE && !text.is_empty() {
            return true;
        }
        self.can_be_ascii(text, room)
            || self.decoded(text).is_some_and(|decoder| self.goes_on(&decoder, room))
    }

    /// Whether a text can be completed as the ASCII part of a label.
    fn can_be_ascii(&self, text: &[u8], room: u32) -> bool {
        let (Some(first), Some(&last)) = (text.first(), text.last()) else { return false };
        if room < CLOSE {
            return false;
        }
        if first.is_ascii_alphabetic() && last != b'-' && text.get(2..4) != Some(b"--") {
            return true; // one insertion, anywhere
        }
        let chars = Chars::get();
        let decoder = Decoder::new(text);
        match defects(&decoder.label, self.direction, chars) {
            Some(defects) if self.is_remedied(&decoder, &defects, room - 1, INSERTED) => return true,
            _ => {}
        }
        let longer = Decoder::new(&[text, b"a"].concat());
        room > CLOSE
            && defects(&longer.label, self.direction, chars)
                .is_some_and(|defects| self.is_remedied(&longer, &defects, room - 2, INSERTED))
    }

    /// What a text says up to here, unless it is lost.
    fn decoded(&self, text: &[u8]) -> Option<Decoder> {
        let (basic, digits) = match text.iter().rposition(|&byte| byte == b'-') {
            Some(0) => return None,
            Some(at) => (&text[..at], &text[at + 1..]),
            None => (&[][..], text),
        };
        let chars = Chars::get();
        let mut decoder = Decoder::new(basic);
        for &digit in digits {
            if let Some(code) = decoder.read(digit)?
                && chars.of(code) & VALID == 0
            {
                return None;
            }
        }
        Some(decoder)
    }

    fn defects(&self, decoder: &Decoder) -> Option<Defects> {
        defects(&decoder.label, self.direction, Chars::get())
    }

    /// Whether a label can be completed with so many digits more.
    fn goes_on(&self, decoder: &Decoder, room: u32) -> bool {
        let Some(defects) = self.defects(decoder) else { return false };
        if !decoder.is_within() {
            return self.is_remedied(decoder, &defects, room, INSERTED);
        }
        if self.has_insertion(decoder, room) {
            return true;
        }
        !defects.is_empty() && self.is_remedied(decoder, &defects, room, INSERTED)
    }

    /// Whether one of the first numbers that can be written leads on.
    fn has_insertion(&self, decoder: &Decoder, room: u32) -> bool {
        let chars = Chars::get();
        let all = traits_of(&decoder.label, chars);
        let mut tried = 0;
        for step in 0..decoder.steps(room).min(NUMBERS) {
            let number = decoder.step(step);
            let (code, _) = decoder.target(number);
            if code > LAST_CODE {
                return false;
            }
            let traits = chars.of(code as u32);
            if traits & VALID == 0 || !go_together(all | traits) {
                continue;
            }
            let Some(cost) = decoder.cost(number, room) else { return false };
            let mut next = decoder.clone();
            next.insert(number);
            let Some(defects) = self.defects(&next) else { continue };
            if self.is_remedied(&next, &defects, room - cost, INSERTED) {
                return true;
            }
            tried += 1;
            if tried == INSERTIONS {
                return false;
            }
        }
        false
    }

    /// Whether insertions of so many digits, each for the better, put a label right.
    fn is_remedied(&self, decoder: &Decoder, defects: &Defects, room: u32, depth: u32) -> bool {
        if defects.is_empty() {
            return true;
        }
        // Each takes a digit, and may put more than one thing right, though never many.
        if depth == 0 || room == 0 || defects.len() as u32 > 3 * room.min(depth) {
            return false;
        }
        let chars = Chars::get();
        let all = traits_of(&decoder.label, chars);
        let places = defects.iter().flat_map(|defect| defect.remedies(decoder.label.len()));
        for (place, wanted) in places.filter(|remedy| remedy.0 <= decoder.label.len()) {
            let numbers = chars
                .with(wanted, decoder.code)
                .filter(|&code| go_together(all | chars.of(code)))
                .filter_map(|code| decoder.number(code, place))
                .take_while(|&number| number < decoder.step(decoder.steps(room)));
            let (mut tried, mut all_tried) = ([0; DEFECTS], 0);
            for (number, cost) in numbers.filter_map(|number| Some((number, decoder.cost(number, room)?))) {
                let mut next = decoder.clone();
                next.insert(number);
                let Some(left) = self.defects(&next).filter(|left| left.len() < defects.len()) else {
                    continue;
                };
                let tried = &mut tried[left.len().min(DEFECTS - 1)];
                *tried += 1;
                if *tried <= TRIED && self.is_remedied(&next, &left, room - cost, depth - 1) {
                    return true;
                }
                all_tried += 1;
                if all_tried == ALL_TRIED {
                    break;
                }
            }
        }
        false
    }
}

/// The traits that some character of a label has.
fn traits_of(label: &[u32], chars: &Chars) -> Traits {
    label.iter().fold(0, |all, &code| all | chars.of(code))
}

/// Letters, digits and the hyphen.
fn alphabet() -> ByteSet {
    let letters = ByteSet::range(b'a', b'z').union(&ByteSet::range(b'A', b'Z'));
    letters.union(&ByteSet::range(b'0', b'9')).union(&ByteSet::single(b'-'))
}

impl Machine for ALabel {
    fn name(&self) -> &str {
        &self.name
    }

    fn start(&self) -> Box<[u8]> {
        Box::default()
    }

    fn step(&self, state: &[u8], byte: u8, next: &mut Vec<u8>) -> bool {
        if !byte.is_ascii_alphanumeric() && byte != b'-' {
            return false;
        }
        next.extend_from_slice(state);
        next.push(byte.to_ascii_lowercase());
        self.is_live(next)
    }

    fn accepts(&self, state: &[u8]) -> bool {
        if state.last().is_none_or(|&last| last == b'-') {
            return false;
        }
        let decoded = self.decoded(state).filter(|decoder| !decoder.is_within());
        decoded.and_then(|decoder| self.defects(&decoder)).is_some_and(|defects| defects.is_empty())
    }

    fn ends_after(&self, state: &[u8], bytes: &[u8]) -> bool {
        let text: Vec<u8> = [state, bytes].concat().to_ascii_lowercase();
        // Few texts are a label: those that are not need not be followed.
        bytes.iter().all(|byte| alphabet().contains(*byte))
            && self.accepts(&text)
            && (state.len() + 1..=text.len()).all(|length| self.is_live(&text[..length]))
    }

    fn alphabet(&self) -> ByteSet {
        alphabet()
    }

    fn any(&self, state: &[u8]) -> Option<u32> {
        Some((self.most - AMPLE).saturating_sub(state.len() as u32))
    }

    /// What can be completed within fewer characters can be completed.
    fn covers(&self, name: &str) -> bool {
        let parts = name.strip_prefix(FAMILY).and_then(|rest| rest.split_once(' '));
        parts.is_some_and(|(most, direction)| {
            direction == format!("{:?}", self.direction)
                && most.parse::<u32>().is_ok_and(|most| most <= self.most)
        })
    }

    /// Completions are looked for among all bytes of the alphabet.
    fn is_dispensable(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers that are the same in every run.
    struct Random(u64);

    impl Random {
        fn below(&mut self, n: usize) -> usize {
            self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (self.0 >> 33) as usize % n
        }
    }

    const DIGITS: &[u8] = b"abcdefghijklmnopqrstuvwxyz0123456789-";
    const DIRECTIONS: [Direction; 3] = [Direction::Any, Direction::Left, Direction::Ordered];

    fn machine(most: u32, direction: Direction) -> ALabel {
        ALabel::new(most, direction)
    }

    fn encoded(label: &str) -> Vec<u8> {
        idna::punycode::encode_str(label).unwrap_or_default().into_bytes()
    }

    /// The labels that may be written from a text on, by trying everything.
    fn has_completion(machine: &ALabel, text: &mut Vec<u8>) -> bool {
        if machine.accepts(text) {
            return true;
        }
        text.len() < machine.most as usize
            && DIGITS.iter().any(|&digit| {
                text.push(digit);
                let found = has_completion(machine, text);
                text.pop();
                found
            })
    }

    /// Labels of characters of one script and some of others.
    fn random_label(random: &mut Random) -> String {
        let scripts = [
            (0xDF, 0xFF),
            (0x3B1, 0x3C9),
            (0x430, 0x44F),
            (0x5D0, 0x5EA),
            (0x620, 0x64A),
            (0x901, 0x94D),
            (0xE01, 0xE4E),
            (0x3041, 0x3093),
            (0x30A1, 0x30FE),
            (0x4E00, 0x9FFF),
            (0xAC00, 0xD7A3),
            (0x10D00, 0x10D23),
            (0x20000, 0x2A6D6),
            (0x600, 0x6FF),
            (0xA800, 0xA8C5),
            (0x371, 0x3FF),
        ];
        let others = "-a1lz\u{B7}\u{375}\u{5F3}\u{200C}\u{200D}\u{30FB}\u{300}\u{94D}\u{660}\u{6F0}";
        let others: Vec<char> = others.chars().collect();
        let (low, high) = scripts[random.below(scripts.len())];
        let mix = 2 + random.below(10);
        let length = 1 + random.below(24);
        let mut one = || match random.below(mix) {
            0 => others[random.below(others.len())],
            _ => char::from_u32(low + random.below((high - low + 1) as usize) as u32).unwrap_or('a'),
        };
        (0..length).map(|_| one()).collect()
    }

    #[test]
    fn decoding_is_that_of_another_implementation() {
        let mut random = Random(1);
        let mut count = 0;
        for round in 0..20_000 {
            let text: Vec<u8> = match round % 2 {
                0 => encoded(&random_label(&mut random)),
                _ => (0..1 + random.below(9)).map(|_| DIGITS[random.below(37)]).collect(),
            };
            let decoded = idna::punycode::decode_to_string(std::str::from_utf8(&text).unwrap());
            let label = decoded.filter(|label| encoded(label) == text && !label.is_ascii());
            let (basic, digits) = match text.iter().rposition(|&byte| byte == b'-') {
                Some(at) => (&text[..at], &text[at + 1..]),
                None => (&[][..], &text[..]),
            };
            let mut ours = Decoder::new(basic);
            let read = digits.iter().all(|&digit| ours.read(digit).is_some());
            let read = read && !ours.is_within() && !(basic.is_empty() && text.contains(&b'-'));
            let found: Option<String> = ours.label.iter().map(|&code| char::from_u32(code)).collect();
            let found = found.filter(|found| read && !found.is_ascii());
            assert_eq!(found, label, "{:?}", String::from_utf8_lossy(&text));
            count += usize::from(label.is_some());
        }
        assert!(count > 5_000, "{count}");
    }

    #[test]
    fn what_is_short_goes_on_if_and_only_if_it_can_be_completed() {
        for (most, direction, sample) in [(3, Direction::Any, 1), (4, Direction::Ordered, 7)] {
            let machine = machine(most, direction);
            let mut texts: Vec<Vec<u8>> = DIGITS.iter().step_by(sample).map(|&digit| vec![digit]).collect();
            texts.retain(|text| machine.is_live(text));
            let mut found = [0; 2];
            while let Some(text) = texts.pop() {
                for &digit in DIGITS {
                    let mut next = [&text[..], &[digit]].concat();
                    let goes_on = machine.is_live(&next);
                    assert_eq!(goes_on, has_completion(&machine, &mut next), "{}", next.escape_ascii());
                    found[usize::from(goes_on)] += 1;
                    if goes_on && next.len() < most as usize {
                        texts.push(next);
                    }
                }
            }
            assert!(found.iter().all(|&n| n > 40), "{found:?}");
        }
    }

    #[test]
    fn what_is_long_goes_on_if_and_only_if_it_can_be_completed() {
        let mut random = Random(3);
        let mut found = [0; 2];
        for round in 0..240 {
            let mut text = encoded(&random_label(&mut random));
            text.truncate(1 + random.below(text.len().max(1)));
            if random.below(3) == 0 {
                text.push(DIGITS[random.below(37)]);
            }
            let room = random.below(if round % 40 == 0 { 4 } else { 3 }) as u32;
            let machine = machine(text.len() as u32 + room, DIRECTIONS[random.below(3)]);
            let goes_on = machine.is_live(&text);
            let shown = text.escape_ascii().to_string();
            assert_eq!(
                goes_on,
                has_completion(&machine, &mut text),
                "{shown} {room} {:?}",
                machine.direction
            );
            found[usize::from(goes_on)] += 1;
        }
        assert!(found.iter().all(|&n| n > 50), "{found:?}");
    }

    #[test]
    fn there_are_no_dead_ends() {
        let mut random = Random(4);
        for round in 0..200 {
            let machine = machine(12 + random.below(48) as u32, DIRECTIONS[round % 3]);
            let mut text = encoded(&random_label(&mut random));
            text.truncate(random.below(text.len().max(1)).min(machine.most as usize));
            while !machine.is_live(&text) {
                text.pop();
            }
            // Hyphens, which are the trouble, half of the time.
            let hyphens = random.below(2) == 0;
            for _ in 0..machine.most {
                let goes_on = |digit: &u8| machine.is_live(&[&text[..], &[*digit]].concat());
                let digits: Vec<u8> = DIGITS.iter().copied().filter(goes_on).collect();
                assert!(machine.accepts(&text) || !digits.is_empty(), "{}", text.escape_ascii());
                match digits.len() {
                    0 => break,
                    _ if hyphens && random.below(2) == 0 && digits.contains(&b'-') => text.push(b'-'),
                    n => text.push(digits[random.below(n)]),
                }
            }
        }
    }

    #[test]
    fn every_beginning_of_a_label_goes_on() {
        let mut random = Random(5);
        let mut count = 0;
        while count < 2_000 {
            let text = encoded(&random_label(&mut random));
            let direction = DIRECTIONS[random.below(3)];
            // The greatest length is the label's own, or a little more.
            let machine = machine(text.len() as u32 + random.below(4) as u32, direction);
            if machine.accepts(&text) {
                count += 1;
                let lost = (0..text.len()).find(|&length| !machine.is_live(&text[..length]));
                assert_eq!(lost, None, "{} {direction:?}", text.escape_ascii());
            }
        }
    }
}
