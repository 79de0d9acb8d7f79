//! Arrays of plain values, in memory of their own or inside the bytes of a file.
//!
//! The tables of a vocabulary are some thirty megabytes and are asked at every node of every walk. So they are slices in
//! both cases: a pointer and a length, with no question at each access of where they lie. (With that question,
//! as an enum of a vector and a part of some bytes would ask it, cold masks took 5 to 8 % more instructions.) That is
//! what the `unsafe` in this file is for.

use std::ops::{Deref, Range};
use std::ptr::NonNull;
use std::sync::Arc;

/// The owner of bytes that arrays lie in, such as a memory map.
pub(super) type Keeper = Arc<dyn AsRef<[u8]> + Send + Sync>;

/// A value that is its bytes: no padding, no pointers, and bytes that [`check`](Plain::check) takes are a value.
///
/// # Safety
///
/// Every byte of a value is initialized, and any bytes of the right number for which `check` holds are a value.
pub(crate) unsafe trait Plain: Copy + Send + Sync + 'static {
    /// Whether these bytes are those of a value.
    fn check(bytes: &[u8]) -> bool;
}

macro_rules! number {
    ($($type:ty),*) => {$(
        // SAFETY: numbers have no padding, and all their bytes are values.
        unsafe impl Plain for $type {
            #[inline]
            fn check(_: &[u8]) -> bool {
                true
            }
        }
    )*};
}
number!(u8, u32, u64, u128, [u64; 2], [u8; 6], [u8; 2]);

// SAFETY: one byte, and only 0 and 1 are values.
unsafe impl Plain for bool {
    #[inline]
    fn check(bytes: &[u8]) -> bool {
        bytes.iter().all(|&byte| byte < 2)
    }
}

/// Defines structs of plain fields that are plain themselves. That nothing lies between the fields is checked when this is
/// compiled.
macro_rules! plain {
    ($($(#[$doc:meta])* $vis:vis struct $name:ident {
        $($(#[$field_doc:meta])* $field_vis:vis $field:ident: $type:ty,)*
    })*) => {$(
        $(#[$doc])*
        #[repr(C)]
        $vis struct $name {
            $($(#[$field_doc])* $field_vis $field: $type,)*
        }

        const _: () = assert!(size_of::<$name>() == 0 $(+ size_of::<$type>())*);

        // SAFETY: the fields are plain, the order is the one written here, and the sizes leave no room for padding.
        unsafe impl $crate::stored::Plain for $name {
            #[inline]
            fn check(bytes: &[u8]) -> bool {
                true $(& {
                    let start = std::mem::offset_of!($name, $field);
                    <$type as $crate::stored::Plain>::check(&bytes[start..start + size_of::<$type>()])
                })*
            }
        }
    )*};
}
pub(crate) use plain;

/// The bytes of values.
pub(super) fn bytes_of<T: Plain>(values: &[T]) -> &[u8] {
    // SAFETY: plain values have no padding, so all of these bytes are initialized; they live as long as the values.
    unsafe { std::slice::from_raw_parts(values.as_ptr().cast(), size_of_val(values)) }
}

/// See the module documentation. Reads as a slice.
pub(crate) struct Array<T: Plain> {
    start: NonNull<T>,
    len: usize,
    /// Whose bytes these are; `None` if they are a boxed slice of our own.
    keeper: Option<Keeper>,
}

// SAFETY: an array is never written to; it is a `Box<[T]>`, or a part of what a `Keeper` has, both of which may be sent and
// shared.
unsafe impl<T: Plain> Send for Array<T> {}
// SAFETY: as above.
unsafe impl<T: Plain> Sync for Array<T> {}

impl<T: Plain> Array<T> {
    /// The part of a keeper's bytes in `range`; `None` if that is not a whole number of values, well placed and valid.
    pub(super) fn view(keeper: &Keeper, range: Range<usize>) -> Option<Self> {
        let bytes: &[u8] = (**keeper).as_ref().get(range)?;
        let start = NonNull::from(bytes).cast::<T>();
        let is_valid = bytes.len().is_multiple_of(size_of::<T>())
            && start.is_aligned()
            // All of them, rather than up to the first that is none: this way it is a plain loop.
            && bytes.chunks_exact(size_of::<T>()).fold(true, |all, value| all & T::check(value));
        is_valid.then(|| Array { start, len: bytes.len() / size_of::<T>(), keeper: Some(keeper.clone()) })
    }
}

impl<T: Plain> From<Vec<T>> for Array<T> {
    fn from(values: Vec<T>) -> Self {
        let values = NonNull::from(Box::leak(values.into_boxed_slice()));
        Array { start: values.cast(), len: values.len(), keeper: None }
    }
}

impl<T: Plain> Deref for Array<T> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        // SAFETY: so many values lie there: they were checked in `view`, or are those of a box. What a keeper lends lives
        // as long as the keeper, which is held here and handed out to nobody, so it is neither moved nor changed.
        unsafe { std::slice::from_raw_parts(self.start.as_ptr(), self.len) }
    }
}

impl<T: Plain> Drop for Array<T> {
    fn drop(&mut self) {
        if self.keeper.is_none() {
            let values = NonNull::slice_from_raw_parts(self.start, self.len);
            // SAFETY: this is the box that was leaked when the array was made, and the last use of it.
            drop(unsafe { Box::from_raw(values.as_ptr()) });
        }
    }
}

impl<'a, T: Plain> IntoIterator for &'a Array<T> {
    type Item = &'a T;
    type IntoIter = std::slice::Iter<'a, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    plain! {
        #[derive(Clone, Copy, Debug, PartialEq)]
        struct Pair {
            number: u32,
            is_set: bool,
            first: u8,
            second: u8,
            third: u8,
        }
    }

    fn keeper(words: Vec<u32>) -> Keeper {
        struct Words(Vec<u32>);
        impl AsRef<[u8]> for Words {
            fn as_ref(&self) -> &[u8] {
                bytes_of(&self.0)
            }
        }
        Arc::new(Words(words))
    }

    #[test]
    fn arrays_are_what_they_were_made_of() {
        let array = Array::from(vec![1u32, 2, 3]);
        assert_eq!(*array, [1, 2, 3]);
        assert!(Array::<u32>::from(Vec::new()).is_empty());
        let kept = keeper(vec![5, 6, 7]);
        let view = Array::<u32>::view(&kept, 4..12).unwrap();
        drop(kept);
        assert_eq!(*view, [6, 7]);
        assert!(Array::<u32>::view(&keeper(vec![]), 0..0).unwrap().is_empty());
    }

    #[test]
    fn views_of_what_is_no_value_are_refused() {
        let kept = keeper(vec![7, u32::from_ne_bytes([1, 2, 3, 4]), 7, u32::from_ne_bytes([2, 2, 3, 4])]);
        assert!(Array::<u32>::view(&kept, 0..17).is_none(), "past the end");
        assert!(Array::<u32>::view(&kept, 1..5).is_none(), "not at a multiple of four");
        assert!(Array::<u32>::view(&kept, 0..6).is_none(), "half a value");
        assert!(Array::<Pair>::view(&kept, 0..16).is_none(), "neither true nor false");
        let pairs = Array::<Pair>::view(&kept, 0..8).unwrap();
        assert_eq!(*pairs, [Pair { number: 7, is_set: true, first: 2, second: 3, third: 4 }]);
        assert_eq!(bytes_of(&pairs)[4..], [1, 2, 3, 4]);
    }
}
