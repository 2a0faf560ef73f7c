//! Counter mode alone (GCTR, SP 800-38D 6.5). It decrypts after a separate verification, turns the
//! plaintext of a forgery back into ciphertext, and makes random bytes.

use super::aes;
use super::state::Schedule;
use crate::lanes::{Bytes, KeyBits, Lanes};

/// XORs the keystream of a message (counters from 2) onto `source` and writes the result to
/// `target`. Both have the same length and may be the same memory.
#[inline(always)]
pub fn apply<V: Lanes, const S: usize>(
    schedule: &Schedule,
    bits: KeyBits,
    nonce: &[u8; 12],
    source: Bytes,
    target: Bytes,
) {
    let mut counters = Counters::<V>::new(nonce, 2);
    let sources = source.chunks_exact(S * V::BYTES);
    let targets = target.chunks_exact(S * V::BYTES);
    let (rest, rest_target) = (sources.remainder(), targets.remainder());
    for (source, target) in sources.zip(targets) {
        // Opaque, or the compiler would copy the round keys onto the stack for the loop.
        let schedule = core::hint::black_box(schedule);
        let rounds = aes::Rounds::<V, S>::start(schedule, counters.take());
        rounds.run(bits, &mut ()).apply::<false>(source, target);
    }
    // One block at a time is enough here: no block depends on another, so the CPU overlaps them.
    let blocks = (source.len().wrapping_sub(rest.len()) / 16) as u32;
    let mut counters = Counters::<V::One>::new(nonce, blocks.wrapping_add(2));
    for (source, target) in rest.chunks(16).zip(rest_target.chunks(16)) {
        let schedule = core::hint::black_box(schedule);
        let rounds = aes::Rounds::<V::One, 1>::start(schedule, counters.take());
        rounds.run(bits, &mut ()).apply::<false>(source, target);
    }
}

/// The counter blocks of a message.
pub trait Count<V> {
    /// The next `S` registers of them.
    fn take<const S: usize>(&mut self) -> [V; S];
}

/// The counter blocks of GCM, in the cipher's big-endian order.
pub struct Counters<V> {
    next: V,
    /// The last byte of `next`'s first counter, which shows whether the next group needs a carry.
    low: u32,
}

impl<V: Lanes> Counters<V> {
    /// Counters from `first` on. A message starts at 2, since J0 has counter 1.
    #[inline(always)]
    pub fn new(nonce: &[u8; 12], first: u32) -> Self {
        Self { next: V::counters(nonce, first).swap_counters(), low: first & 0xff }
    }
}

impl<V: Lanes> Count<V> for Counters<V> {
    #[inline(always)]
    fn take<const S: usize>(&mut self) -> [V; S] {
        let step = V::BLOCKS as u32;
        let group = step.wrapping_mul(S as u32);
        let mut blocks = [self.next; S];
        let end = self.low.wrapping_add(group);
        if end.wrapping_add(step) <= 256 {
            // No last byte passes 255, up to the new `next`: adding to last bytes is enough.
            let mut i = 0u32;
            for block in &mut blocks {
                *block = self.next.plus(i.wrapping_mul(step) << 24);
                i = i.wrapping_add(1);
            }
            self.next = self.next.plus(group << 24);
        } else {
            let mut counters = self.next.swap_counters();
            for block in &mut blocks {
                *block = counters.swap_counters();
                counters = counters.plus(step);
            }
            self.next = counters.swap_counters();
        }
        self.low = end & 0xff;
        blocks
    }
}
