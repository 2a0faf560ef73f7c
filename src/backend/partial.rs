//! Reads and writes of less than a block, without masks: two accesses that may overlap, both inside
//! the range. Of 3 bytes: 16 bits at byte 0, and 16 at byte 1. A nonce has words of its own.

use super::assembly::asm;
use crate::lanes::Bytes;

/// The block `nonce ‖ counter` with a little-endian counter, as two little-endian words. Reads the
/// nonce as [`Lanes::counters`](crate::lanes::Lanes::counters) specifies.
#[inline(always)]
pub(super) fn counter_block(nonce: &[u8; 12], counter: u32) -> [u64; 2] {
    let [a, b, c, d, e, f, g, h, i, j, k, l] = *nonce;
    let mut start = u64::from_le_bytes([a, b, c, d, e, f, g, h]);
    // Without this barrier, the compiler knows that the words are joined again, and may load four
    // bytes and then eight. SAFETY: the text is a comment, without an instruction.
    unsafe {
        asm!("/* {0} */", inout(reg) start, options(pure, nomem, nostack, preserves_flags));
    }
    let end = u32::from_le_bytes([i, j, k, l]);
    [start, u64::from(end) | u64::from(counter) << 32]
}

/// The first bytes of `bytes`, at most fifteen, as a little-endian number.
#[inline(always)]
pub(super) fn read(bytes: Bytes) -> u128 {
    let (from, length) = (bytes.as_ptr().cast::<u8>(), bytes.len());
    macro_rules! ends {
        ($word:ty) => {{
            let last = length.min(15).wrapping_sub(size_of::<$word>());
            // SAFETY: both words lie inside `bytes`, which is at least one word long.
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

/// Writes the first bytes of `number`, little-endian, to `bytes`, which has at most fifteen.
#[inline(always)]
pub(super) fn write(number: u128, bytes: Bytes) {
    let (to, length) = (bytes.as_ptr().cast_mut().cast::<u8>(), bytes.len());
    macro_rules! ends {
        ($word:ty) => {{
            let last = length.min(15).wrapping_sub(size_of::<$word>());
            // SAFETY: as in `read`; `Cell` allows writing through a shared reference.
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
