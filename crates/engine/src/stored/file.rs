//! Header, sections and checksum: see the [module](super).

use std::io;
use std::ops::Range;
use std::sync::Arc;

use super::array::{Array, Keeper, Plain, bytes_of};
use super::error::TablesError;
use crate::vocab::Fingerprint;

/// What a file begins with.
const MAGIC: [u8; 8] = *b"\x89tokstil";
/// Reads otherwise in another byte order.
const ORDER: u32 = 0x0102_0304;
/// Counts up with every change of what is stored or what it means.
pub(crate) const VERSION: u32 = 4;
/// Sections start at multiples of this.
const ALIGN: usize = 64;
/// Bytes of the header.
const HEADER: usize = 64;
/// Bytes of a section's place in the list: its start, its length, the size of its values and its checksum.
const PLACE: usize = 32;
/// Where the checksum is in the header.
const CHECKSUM: Range<usize> = 48..56;

/// Takes sections and writes them as a file.
#[derive(Default)]
pub(crate) struct Writer<'a> {
    sections: Vec<(&'a [u8], usize)>,
}

impl<'a> Writer<'a> {
    /// Adds a section.
    pub(crate) fn array<T: Plain>(&mut self, values: &'a [T]) {
        self.sections.push((bytes_of(values), size_of::<T>()));
    }

    /// Writes the file.
    pub(crate) fn write(self, fingerprint: Fingerprint, out: &mut dyn io::Write) -> io::Result<()> {
        let mut head = vec![0; HEADER];
        let mut at = (HEADER + self.sections.len() * PLACE).next_multiple_of(ALIGN);
        for (bytes, size) in &self.sections {
            for number in [at as u64, bytes.len() as u64, *size as u64, checksum(bytes)] {
                head.extend(number.to_ne_bytes());
            }
            at = (at + bytes.len()).next_multiple_of(ALIGN);
        }
        head.resize(head.len().next_multiple_of(ALIGN), 0);
        head[..8].copy_from_slice(&MAGIC);
        head[8..12].copy_from_slice(&ORDER.to_ne_bytes());
        head[12..16].copy_from_slice(&VERSION.to_ne_bytes());
        head[16..32].copy_from_slice(&fingerprint.to_bytes());
        head[32..40].copy_from_slice(&(at as u64).to_ne_bytes());
        head[40..48].copy_from_slice(&(self.sections.len() as u64).to_ne_bytes());
        let sum = checksum(&head);
        head[CHECKSUM].copy_from_slice(&sum.to_ne_bytes());
        out.write_all(&head)?;
        for (bytes, _) in &self.sections {
            out.write_all(bytes)?;
            out.write_all(&[0; ALIGN][..bytes.len().next_multiple_of(ALIGN) - bytes.len()])?;
        }
        out.flush()
    }
}

/// Hands out the sections of a file, in the order in which they were written.
pub(crate) struct Reader {
    keeper: Keeper,
    sections: std::vec::IntoIter<Section>,
}

/// Where a section is, with the zeros behind it, and what it should be.
struct Section {
    range: Range<usize>,
    padded: Range<usize>,
    size: usize,
    sum: u64,
}

/// Bytes where values of every size may lie.
struct Placed(Vec<u128>, usize);

impl AsRef<[u8]> for Placed {
    fn as_ref(&self) -> &[u8] {
        &bytes_of(&self.0)[..self.1]
    }
}

/// What is kept, at a place where its values can be read: usually as it is, else a copy.
fn placed(bytes: impl AsRef<[u8]> + Send + Sync + 'static) -> Keeper {
    let slice = bytes.as_ref();
    if (slice.as_ptr() as usize).is_multiple_of(align_of::<u128>()) {
        return Arc::new(bytes);
    }
    let words = slice.chunks(16).map(|chunk| {
        let mut word = [0; 16];
        word[..chunk.len()].copy_from_slice(chunk);
        u128::from_ne_bytes(word)
    });
    Arc::new(Placed(words.collect(), slice.len()))
}

impl Reader {
    /// Reads and checks everything but what the sections mean.
    pub(crate) fn new(
        bytes: impl AsRef<[u8]> + Send + Sync + 'static,
        expected: Fingerprint,
    ) -> Result<Reader, TablesError> {
        let keeper = placed(bytes);
        let bytes = (*keeper).as_ref();
        let damaged = |what| TablesError::Damaged { what };
        if bytes.get(..8) != Some(&MAGIC) {
            return Err(TablesError::NotTables);
        }
        let head: &[u8; HEADER] = bytes.first_chunk().ok_or(damaged("the header is cut"))?;
        match short(head, 8) {
            ORDER => {}
            order if order == ORDER.swap_bytes() => return Err(TablesError::ByteOrder),
            _ => return Err(damaged("the byte order is unknown")),
        }
        let version = short(head, 12);
        if version != VERSION {
            return Err(TablesError::Version { found: version, expected: VERSION });
        }
        let found = Fingerprint::from_bytes(part(head, 16));
        if found != expected {
            return Err(TablesError::Vocabulary { found, expected });
        }
        if long(head, 32) != bytes.len() as u64 {
            return Err(damaged("the length is another"));
        }
        let end = list_end(bytes, long(head, 40)).ok_or(damaged("the list of sections is cut"))?;
        let mut list = bytes[..end.next_multiple_of(ALIGN)].to_vec();
        list[CHECKSUM].fill(0);
        if checksum(&list) != long(head, CHECKSUM.start) {
            return Err(damaged("the checksum of the header is another"));
        }
        let sections = places(bytes, end).ok_or(damaged("the sections do not fit"))?;
        Ok(Reader { sections: sections.into_iter(), keeper })
    }

    /// The next section.
    pub(crate) fn array<T: Plain>(&mut self) -> Result<Array<T>, TablesError> {
        let damaged = TablesError::Damaged { what: "a section is not what was expected" };
        let section = self.sections.next().ok_or(damaged)?;
        // Summed up only now, so that it is still near when it is looked at.
        let bytes = (*self.keeper).as_ref().get(section.padded).ok_or(damaged)?;
        if checksum(bytes) != section.sum {
            return Err(TablesError::Damaged { what: "the checksum of a section is another" });
        }
        Array::view(&self.keeper, section.range).filter(|_| section.size == size_of::<T>()).ok_or(damaged)
    }

    /// Whether all sections were read.
    pub(crate) fn is_done(&self) -> bool {
        self.sections.len() == 0
    }
}

/// Where a list of so many sections ends, if that and the zeros behind it are there.
fn list_end(bytes: &[u8], count: u64) -> Option<usize> {
    let end = usize::try_from(count).ok()?.checked_mul(PLACE)?.checked_add(HEADER)?;
    (end.checked_next_multiple_of(ALIGN)? <= bytes.len()).then_some(end)
}

/// The sections of a list that ends there. They follow on each other as they were written.
fn places(bytes: &[u8], end: usize) -> Option<Vec<Section>> {
    let list = bytes.get(HEADER..end)?;
    let mut at = end.next_multiple_of(ALIGN);
    let mut sections = Vec::with_capacity(list.len() / PLACE);
    for place in list.chunks_exact(PLACE) {
        let [start, len, size] = [0, 8, 16].map(|at| usize::try_from(long(place, at)).ok());
        let end = start?.checked_add(len?)?;
        let next = end.checked_next_multiple_of(ALIGN)?;
        if start? != at || next > bytes.len() {
            return None;
        }
        sections.push(Section { range: at..end, padded: at..next, size: size?, sum: long(place, 24) });
        at = next;
    }
    (at == bytes.len()).then_some(sections)
}

/// So many bytes at a place, all of which the caller has seen to be there.
fn part<const N: usize>(bytes: &[u8], at: usize) -> [u8; N] {
    std::array::from_fn(|i| bytes[at + i])
}

fn short(bytes: &[u8], at: usize) -> u32 {
    u32::from_ne_bytes(part(bytes, at))
}

fn long(bytes: &[u8], at: usize) -> u64 {
    u64::from_ne_bytes(part(bytes, at))
}

/// The checksum of bytes, with zeros up to a multiple of 64.
fn checksum(bytes: &[u8]) -> u64 {
    let mut sum = Checksum::default();
    sum.add(bytes);
    sum.finish()
}

/// A hash in which eight words at a time do not wait for each other: thirty megabytes in a few milliseconds. Each step can be
/// undone, so a change of one word always shows.
#[derive(Default)]
struct Checksum([u64; 8]);

impl Checksum {
    /// Adds bytes, and zeros up to a multiple of 64.
    fn add(&mut self, bytes: &[u8]) {
        let (blocks, rest) = bytes.as_chunks::<ALIGN>();
        blocks.iter().for_each(|block| self.block(block));
        if !rest.is_empty() {
            let mut last = [0; ALIGN];
            last[..rest.len()].copy_from_slice(rest);
            self.block(&last);
        }
    }

    #[inline]
    fn block(&mut self, block: &[u8; ALIGN]) {
        for (lane, word) in self.0.iter_mut().zip(block.as_chunks::<8>().0) {
            *lane = mixed(*lane ^ u64::from_ne_bytes(*word));
        }
    }

    fn finish(self) -> u64 {
        self.0.iter().fold(0, |sum, lane| mixed(sum ^ lane))
    }
}

#[inline]
fn mixed(word: u64) -> u64 {
    word.wrapping_add(0x9E37_79B9_7F4A_7C15).wrapping_mul(0xD6E8_FEB8_6659_FD93).rotate_left(29)
}

/// The file with the checksums that its content has: for tests of what no checksum tells.
#[cfg(test)]
pub(crate) fn resealed(mut bytes: Vec<u8>) -> Vec<u8> {
    let Some(end) = list_end(&bytes, long(&bytes, 40)) else { return bytes };
    for (index, section) in places(&bytes, end).unwrap_or_default().into_iter().enumerate() {
        let sum = checksum(&bytes[section.padded]);
        bytes[HEADER + index * PLACE + 24..][..8].copy_from_slice(&sum.to_ne_bytes());
    }
    bytes[CHECKSUM].fill(0);
    let sum = checksum(&bytes[..end.next_multiple_of(ALIGN)]);
    bytes[CHECKSUM].copy_from_slice(&sum.to_ne_bytes());
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fingerprint() -> Fingerprint {
        Fingerprint::from_bytes(*b"0123456789abcdef")
    }

    fn file(sections: &[&[u32]]) -> Vec<u8> {
        let (mut writer, mut out) = (Writer::default(), Vec::new());
        sections.iter().for_each(|section| writer.array(section));
        writer.write(fingerprint(), &mut out).unwrap();
        out
    }

    #[test]
    fn what_was_written_is_read() {
        let long: Vec<u32> = (0..100).collect();
        let bytes = file(&[&[1, 2, 3], &[], &long]);
        for skip in 0..17 {
            // Wherever the bytes lie.
            let mut moved = vec![0; skip];
            moved.extend_from_slice(&bytes);
            struct Behind(Vec<u8>, usize);
            impl AsRef<[u8]> for Behind {
                fn as_ref(&self) -> &[u8] {
                    &self.0[self.1..]
                }
            }
            let mut reader = Reader::new(Behind(moved, skip), fingerprint()).unwrap();
            assert_eq!(*reader.array::<u32>().unwrap(), [1, 2, 3]);
            assert!(reader.array::<u32>().unwrap().is_empty());
            assert!(!reader.is_done());
            assert_eq!(*reader.array::<u32>().unwrap(), *long);
            assert!(reader.is_done() && reader.array::<u32>().is_err());
        }
        let mut reader = Reader::new(bytes, fingerprint()).unwrap();
        assert!(reader.array::<u8>().is_err(), "values of another size");
    }

    #[test]
    fn every_change_is_told() {
        let bytes = file(&[&[1, 2, 3], &[4; 40]]);
        let reads = |bytes: Vec<u8>| {
            let both = |mut reader: Reader| reader.array::<u32>().and(reader.array::<u32>());
            Reader::new(bytes, fingerprint()).and_then(both).is_ok()
        };
        assert!(reads(bytes.clone()));
        for at in 0..bytes.len() {
            for bit in 0..8 {
                let mut changed = bytes.clone();
                changed[at] ^= 1 << bit;
                assert!(!reads(changed), "bit {bit} of byte {at}");
            }
            assert!(!reads(bytes[..at].to_vec()), "cut at {at}");
        }
    }

    #[test]
    fn errors_say_what_it_is() {
        let with = |range: Range<usize>, value: &[u8]| {
            let mut bytes = file(&[&[1]]);
            bytes[range].copy_from_slice(value);
            Reader::new(bytes, fingerprint()).err().unwrap()
        };
        assert_eq!(with(0..1, b"x"), TablesError::NotTables);
        assert_eq!(with(8..12, &ORDER.swap_bytes().to_ne_bytes()), TablesError::ByteOrder);
        assert_eq!(with(12..16, &7u32.to_ne_bytes()), TablesError::Version { found: 7, expected: VERSION });
        let other = Fingerprint::from_bytes([9; 16]);
        let error = TablesError::Vocabulary { found: other, expected: fingerprint() };
        assert_eq!(with(16..32, &[9; 16]), error);
        assert!(matches!(with(70..71, &[9]), TablesError::Damaged { .. }));
        assert_eq!(Reader::new(Vec::new(), fingerprint()).err(), Some(TablesError::NotTables));
    }

    #[test]
    fn changes_of_several_words_show() {
        // The same bits in words that are added one after the other must not cancel out.
        let sum = |change: &[(usize, u8)]| {
            let mut bytes = vec![0x5A; 4 * ALIGN];
            change.iter().for_each(|&(at, bits)| bytes[at] ^= bits);
            checksum(&bytes)
        };
        for bit in 0..8 {
            for at in 0..ALIGN {
                assert_ne!(sum(&[]), sum(&[(at, 1 << bit), (at + ALIGN, 1 << bit)]));
                assert_ne!(sum(&[(at, 1 << bit)]), sum(&[(at + ALIGN, 1 << bit)]));
            }
        }
    }
}
