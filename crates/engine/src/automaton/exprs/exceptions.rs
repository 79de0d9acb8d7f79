//! Expressions that are texts of a loop but for a few: keys that are none of the names.
//!
//! `And[loop, Not[texts]]` is a formula like others, but so frequent that it has a form of its own: a cell whose number is
//! a place on the way to the excepted texts. A byte leads along some of them or away, into the plain loop, for good.

use tokenstile_grammar::ExprId;
use tokenstile_grammar::ir::{Arena, ByteSet, Expr};

use super::texts::Texts;

/// See the module documentation.
pub(crate) struct Exceptions {
    /// The loop, and what it repeats.
    pub(crate) repeat: ExprId,
    pub(crate) body: ExprId,
    /// The characters among what it repeats that are ASCII.
    pub(crate) ascii: ByteSet,
    /// The excepted texts, in order.
    pub(crate) texts: Texts,
    /// More than the longest of them has bytes. A place on the way to some is this times the first that it leads to, plus
    /// how many bytes of it are read.
    pub(crate) longer: u32,
}

impl Exceptions {
    /// The exceptions of an expression, if it is of this kind.
    pub(crate) fn of(arena: &Arena, id: ExprId) -> Option<Self> {
        let Expr::And(list) = arena.get(id) else { return None };
        let (repeat, without) = match *arena.list(list) {
            [a, b] => match (arena.get(a), arena.get(b)) {
                (Expr::Repeat { .. }, Expr::Not(without)) => (a, without),
                (Expr::Not(without), Expr::Repeat { .. }) => (b, without),
                _ => return None,
            },
            _ => return None,
        };
        let Expr::Repeat { expr: body, min: 0, max: None } = arena.get(repeat) else { return None };
        let parts = match arena.get(body) {
            Expr::Alt(list) => arena.list(list),
            _ => std::slice::from_ref(&body),
        };
        let mut chars = None;
        for &part in parts {
            match arena.get(part) {
                Expr::Chars(set) if chars.is_none() => chars = Some(arena.char_set(set)),
                _ if first_byte(arena, part) == Some(b'\\') => {}
                _ => return None,
            }
        }
        let chars = chars.filter(|chars| !chars.contains('\\'))?;
        let ascii = chars.ascii();
        let is_plain = |text: &[u8]| match text.is_ascii() {
            true => text.iter().all(|&byte| ascii.contains(byte)),
            false => std::str::from_utf8(text).is_ok_and(|text| text.chars().all(|c| chars.contains(c))),
        };
        let mut texts = Texts::of_expr(arena, without)?;
        texts.sort();
        let longer = 1 + texts.iter().map(<[u8]>::len).max().unwrap_or(0) as u32;
        let plain = texts.iter().all(is_plain);
        plain.then_some(Exceptions { repeat, body, ascii, texts, longer })
    }

    /// The first excepted text that a place leads to, and how much of it is read.
    fn place(&self, at: u32) -> (usize, usize) {
        ((at / self.longer) as usize, (at % self.longer) as usize)
    }

    /// The first of the texts, if there are any, and what is read of it.
    fn first_at(&self, at: u32) -> Option<(&[u8], usize)> {
        let (first, read) = self.place(at);
        self.texts.get(first).map(|text| (text, read))
    }

    /// The places that bytes lead to along the exceptions, in the order of the bytes.
    pub(crate) fn children(&self, at: u32) -> impl Iterator<Item = (u8, u32)> {
        let (first, read) = self.place(at);
        let mut next = Some(first + usize::from(self.ends(at))).filter(|&next| next < self.last_at(at));
        std::iter::from_fn(move || {
            let index = next?;
            // The next that is another one, unless it is no longer on the way.
            next = self.texts.next_less_alike(index, read).filter(|&next| self.texts.alike(next) == read);
            let byte = *self.texts.get(index)?.get(read)?;
            Some((byte, index as u32 * self.longer + read as u32 + 1))
        })
    }

    /// The number after that of the last text that a place leads to.
    fn last_at(&self, at: u32) -> usize {
        match self.place(at) {
            (_, 0) => self.texts.len(),
            (first, read) => self.texts.next_less_alike(first, read - 1).unwrap_or(self.texts.len()),
        }
    }

    pub(crate) fn child(&self, at: u32, byte: u8) -> Option<u32> {
        self.children(at)
            .take_while(|child| child.0 <= byte)
            .find(|child| child.0 == byte)
            .map(|child| child.1)
    }

    /// What is missing to excepted texts, in order.
    pub(crate) fn texts_from(&self, at: u32) -> impl Iterator<Item = &[u8]> {
        let (first, read) = self.place(at);
        (first..self.last_at(at)).filter_map(move |text| self.texts.get(text)?.get(read..))
    }

    /// All bytes that the loop may go on with, and perhaps some more.
    pub(crate) fn bytes(&self) -> ByteSet {
        self.ascii.union(&ByteSet::PAST_ASCII).union(&ByteSet::single(b'\\'))
    }

    /// The ASCII characters any number of which may follow at a place, one bit each.
    pub(crate) fn any_number_of(&self, at: u32) -> Option<u128> {
        self.is_between(at).then(|| self.ascii.ascii_bits())
    }

    /// Whether a place is an excepted text.
    pub(crate) fn ends(&self, at: u32) -> bool {
        self.first_at(at).is_some_and(|(text, read)| text.len() == read)
    }

    /// Whether a place is between characters.
    pub(crate) fn is_between(&self, at: u32) -> bool {
        self.partial(at).is_empty()
    }

    /// What is read of a character at a place.
    pub(crate) fn partial(&self, at: u32) -> &[u8] {
        let Some((text, read)) = self.first_at(at) else { return &[] };
        let is_inside = |at: &usize| text.get(*at).is_some_and(|&byte| byte & 0xC0 == 0x80);
        let start = (0..=read).rev().find(|at| !is_inside(at)).unwrap_or(0);
        &text[start..read]
    }

    /// Whether the loop may end at a place.
    pub(crate) fn may_end(&self, at: u32) -> bool {
        self.is_between(at) && !self.ends(at)
    }
}

/// The byte that all texts of an expression begin with, if it is seen at once.
fn first_byte(arena: &Arena, id: ExprId) -> Option<u8> {
    match arena.get(id) {
        Expr::Literal(literal) => arena.literal_bytes(literal).first().copied(),
        Expr::Concat(list) => first_byte(arena, arena.list(list)[0]),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use tokenstile_grammar::ir::CharSet;

    use super::*;

    #[test]
    fn places_are_those_of_a_trie() {
        let names = [
            "name", "names", "na", "id", "ids", "type", "title", "time", "é", "éa", "ê", "z", "a", "ti",
            "namely",
        ];
        let mut arena = Arena::new(1 << 10);
        let set = CharSet::all().minus(&CharSet::of("\"\\"));
        let chars = arena.chars(&set);
        let repeat = arena.star(chars);
        let names_of: Vec<ExprId> = names.iter().map(|name| arena.literal(name.as_bytes())).collect();
        let names_of = arena.alt(&names_of);
        let without = arena.not(names_of);
        let all = arena.and(&[repeat, without]);
        let exceptions = Exceptions::of(&arena, all).expect("it is of this kind");
        // Every place, by what leads there.
        let mut places = vec![(0, Vec::new())];
        let mut at = 0;
        while let Some((place, text)) = places.get(at).cloned() {
            at += 1;
            let goes_on = |byte: u8| {
                let longer = [&text[..], &[byte]].concat();
                names.iter().any(|name| name.as_bytes().starts_with(&longer))
            };
            assert_eq!(exceptions.ends(place), names.iter().any(|name| name.as_bytes() == text), "{text:?}");
            assert_eq!(exceptions.is_between(place), std::str::from_utf8(&text).is_ok(), "{text:?}");
            for byte in 0..=255 {
                let child = exceptions.child(place, byte);
                assert_eq!(child.is_some(), goes_on(byte), "{text:?} {byte}");
                assert_eq!(exceptions.children(place).find(|child| child.0 == byte).map(|c| c.1), child);
                places.extend(child.map(|child| (child, [&text[..], &[byte]].concat())));
            }
        }
        let mut numbers: Vec<u32> = places.iter().map(|place| place.0).collect();
        numbers.sort_unstable();
        numbers.dedup();
        assert_eq!(numbers.len(), places.len());
        assert_eq!(exceptions.texts_from(0).count(), names.len());
    }
}
