//! What is shorter than a block, read and written without masks: two accesses that overlap, and no byte outside.

use crate::lanes::Bytes;

/// Fewer than sixteen bytes as a little-endian number, zero past their end. Longer `bytes` are cut.
#[inline(always)]
pub(super) fn read(bytes: Bytes) -> u128 {
    let (from, length) = (bytes.as_ptr().cast::<u8>(), bytes.len());
    macro_rules! ends {
        ($word:ty) => {{
            let last = length.min(15).wrapping_sub(size_of::<$word>());
            // SAFETY: the first and the last bytes of `bytes`, which has at least one word.
            let (a, b) = unsafe {
                (
                    from.cast::<$word>().read_unaligned(),
                    from.add(last).cast::<$word>().read_unaligned(),
                )
            };
            u128::from(<$word>::from_le(a)) | u128::from(<$word>::from_le(b)) << (8 * last)
        }};
    }
    match length {
        0 => 0,
        1 => ends!(u8),
        2..=3 => ends!(u16),
        4..=7 => ends!(u32),
        _ => ends!(u64),
    }
}

/// Writes the first bytes of `number`, little-endian, as many as `bytes` has; fifteen at most.
#[inline(always)]
pub(super) fn write(number: u128, bytes: Bytes) {
    let (to, length) = (bytes.as_ptr().cast_mut().cast::<u8>(), bytes.len());
    macro_rules! ends {
        ($word:ty) => {{
            let last = length.min(15).wrapping_sub(size_of::<$word>());
            // SAFETY: as in `read`; `Cell` allows writing through a shared name.
            unsafe {
                to.cast::<$word>().write_unaligned((number as $word).to_le());
                to.add(last)
                    .cast::<$word>()
                    .write_unaligned(((number >> (8 * last)) as $word).to_le());
            }
        }};
    }
    match length {
        0 => {}
        1 => ends!(u8),
        2..=3 => ends!(u16),
        4..=7 => ends!(u32),
        _ => ends!(u64),
    }
}
