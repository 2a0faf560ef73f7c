//! AES-GCM (SP 800-38D section 7) in one pass, source and destination the same memory or two ranges of one length.
//!
//! In words: the counter blocks of a group of registers are encrypted together, the message is read once, XORed
//! and written once, and the ciphertext, still in registers, is multiplied into GHASH with one reduction for the
//! group. What remains after the whole groups is one shorter group: registers past the end read zeros, write
//! nothing and meet no power of H. Nonces are 96 bits, so J0 is `nonce ‖ 1` (7.1 step 2); tags are 128 bits.

use super::{KeyState, aes, ctr, ghash};
use crate::lanes::{Block, Bytes, Lanes, Single};

/// Encrypts or decrypts `source` into `target` and gives the tag that belongs to the ciphertext.
#[inline(always)]
pub fn crypt<V: Lanes, const S: usize, const ROUNDS: usize, const N: usize, const SEAL: bool>(
    state: &KeyState<N>,
    nonce: &[u8; 12],
    aad: Bytes,
    source: Bytes,
    target: Bytes,
) -> Block {
    let mask = mask::<V::One, ROUNDS, N>(state, nonce);
    let mut run = Run {
        counters: V::counters(nonce, 2),
        sum: ghash::absorb_bytes::<V, S, N>(state, V::One::splat(&[0; 16]), aad),
    };
    let sources = source.chunks_exact(S * V::BYTES);
    let targets = target.chunks_exact(S * V::BYTES);
    let (rest, rest_target) = (sources.remainder(), targets.remainder());
    for (source, target) in sources.zip(targets) {
        run = group::<V, S, ROUNDS, N, SEAL>(state, run, source, target);
    }
    run = match rest.len().div_ceil(V::BYTES) {
        0 => run,
        1 => group::<V, 1, ROUNDS, N, SEAL>(state, run, rest, rest_target),
        2 => group::<V, 2, ROUNDS, N, SEAL>(state, run, rest, rest_target),
        3 | 4 => group::<V, 4, ROUNDS, N, SEAL>(state, run, rest, rest_target),
        _ => group::<V, S, ROUNDS, N, SEAL>(state, run, rest, rest_target),
    };
    tag(ghash::finish(state, run.sum, aad.len(), source.len()), mask)
}

/// The tag that belongs to `ciphertext`, which is only read: the first pass of an open that verifies first.
#[inline(always)]
pub fn authenticate<V: Lanes, const S: usize, const ROUNDS: usize, const N: usize>(
    state: &KeyState<N>,
    nonce: &[u8; 12],
    aad: Bytes,
    ciphertext: Bytes,
) -> Block {
    let mask = mask::<V::One, ROUNDS, N>(state, nonce);
    let sum = ghash::absorb_bytes::<V, S, N>(state, V::One::splat(&[0; 16]), aad);
    let sum = ghash::absorb_bytes::<V, S, N>(state, sum, ciphertext);
    tag(ghash::finish(state, sum, aad.len(), ciphertext.len()), mask)
}

/// What one group hands to the next.
#[derive(Clone, Copy)]
struct Run<V: Lanes> {
    counters: V,
    sum: V::One,
}

/// Up to `S` registers of message.
#[inline(always)]
fn group<V: Lanes, const S: usize, const ROUNDS: usize, const N: usize, const SEAL: bool>(
    state: &KeyState<N>,
    run: Run<V>,
    source: Bytes,
    target: Bytes,
) -> Run<V> {
    let (mut x, counters) = ctr::keystream::<V, S, ROUNDS, N>(state, run.counters);
    for (i, x) in x.iter_mut().enumerate() {
        let source = source.get(i * V::BYTES..).unwrap_or(&[]);
        let target = target.get(i * V::BYTES..).unwrap_or(&[]);
        let read = V::read(source);
        let written = x.xor(read);
        written.write(target);
        // Past the end of the message `written` is keystream, which is no part of the ciphertext.
        *x = if SEAL { written.keep(source.len()) } else { read };
    }
    let sum = ghash::absorb(state, run.sum, x, source.len().div_ceil(16));
    Run { counters, sum }
}

/// E(K, J0): what hides GHASH's output in the tag.
#[inline(always)]
fn mask<B: Single, const ROUNDS: usize, const N: usize>(
    state: &KeyState<N>,
    nonce: &[u8; 12],
) -> B {
    let [mask] = aes::encrypt::<B, 1, ROUNDS>(&state.round_keys, [B::counters(nonce, 1).wire()]);
    mask
}

#[inline(always)]
fn tag<B: Single>(hash: B, mask: B) -> Block {
    let mut tag = [0; 16];
    hash.xor(mask).store(&mut tag);
    tag
}
