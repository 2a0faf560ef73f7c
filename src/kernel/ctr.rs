//! Counter mode alone (GCTR, SP 800-38D 6.5): the second pass of an open that verified first, and the way
//! back for an open that failed.

use super::{KeyState, aes};
use crate::lanes::{Bytes, Lanes};

/// XORs the keystream of a message (counters from 2) onto `source`, into `target`; the shorter of the two ends it.
#[inline(always)]
pub fn apply<V: Lanes, const S: usize, const ROUNDS: usize, const N: usize>(
    state: &KeyState<N>,
    nonce: &[u8; 12],
    source: Bytes,
    target: Bytes,
) {
    let mut counters = V::counters(nonce, 2);
    for (source, target) in source.chunks(S * V::BYTES).zip(target.chunks(S * V::BYTES)) {
        let stream;
        (stream, counters) = keystream::<V, S, ROUNDS, N>(state, counters);
        for (i, stream) in stream.into_iter().enumerate() {
            let source = source.get(i * V::BYTES..).unwrap_or(&[]);
            let target = target.get(i * V::BYTES..).unwrap_or(&[]);
            V::read(source).xor(stream).write(target);
        }
    }
}

/// The keystream of `S` registers, and the counters after it.
#[inline(always)]
pub fn keystream<V: Lanes, const S: usize, const ROUNDS: usize, const N: usize>(
    state: &KeyState<N>,
    mut counters: V,
) -> ([V; S], V) {
    let mut blocks = [counters; S];
    for block in &mut blocks {
        *block = counters.wire();
        counters = counters.plus(V::BLOCKS as u32);
    }
    (aes::encrypt::<V, S, ROUNDS>(&state.round_keys, blocks), counters)
}
