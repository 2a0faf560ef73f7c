//! Two short messages at once: their blocks go through AES together, since one alone is too few.

use super::aes::Rounds;
use super::crypt::{by_registers, opaque};
use super::ctr::{Count, Counters};
use super::gcm::tag;
use super::ghash::Lengths;
use super::groups::Part;
use super::hash::Ghash;
use super::products::{Products, zero};
use super::state::KeyState;
use crate::lanes::{Block, Bytes, KeyBits, Lanes};

/// Most registers of text of each message. Twice as many go through the cipher together.
pub const MAX_REGISTERS: usize = 4;

/// Two messages, `a` and `b`, with texts of `length` bytes: one byte to `MAX_REGISTERS` registers.
pub struct Pair<'a> {
    /// The 96-bit nonces.
    pub nonces: [&'a [u8; 12]; 2],
    /// Data that is authenticated, not encrypted. AAD and text of each message fit into a group.
    pub aads: [Bytes<'a>; 2],
    /// The texts.
    pub texts: [Part<'a>; 2],
    /// Bytes of each text.
    pub length: usize,
}

/// Encrypts both messages, and returns their tags.
#[inline(always)]
pub fn seal<V: Lanes, const POWERS: usize, const GAP: usize>(
    state: &KeyState<POWERS, GAP>,
    bits: KeyBits,
    pair: &Pair,
) -> [Block; 2] {
    // There are powers for the texts and the length block.
    const { assert!(POWERS > MAX_REGISTERS * V::BLOCKS) };
    let [nonce_a, nonce_b] = pair.nonces;
    let (j0_a, j0_b) = (V::One::counters(nonce_a, 1), V::One::counters(nonce_b, 1));
    let j0s = [j0_a.swap_counters(), j0_b.swap_counters()];
    let rounds = Rounds::<V::One, 2>::start(&opaque(state).schedule, j0s);
    let [encrypted_a, encrypted_b] = rounds.run(bits, &mut ()).keystream();
    let (encrypted_a, encrypted_b) = (encrypted_a.computed(), encrypted_b.computed());
    // As in `gcm::crypt`: wide registers would only add masked loads.
    let one_block = pair.length <= 16 && pair.aads.iter().all(|aad| aad.len() <= 16);
    let [hash_a, hash_b] = if V::BLOCKS > 1 && one_block {
        hashes::<V::One, 1, POWERS, GAP>(state, bits, pair)
    } else {
        hashes::<V, MAX_REGISTERS, POWERS, GAP>(state, bits, pair)
    };
    [tag(hash_a, encrypted_a), tag(hash_b, encrypted_b)]
}

/// Encrypts texts of at most `M` registers, and returns GHASH's outputs.
#[inline(always)]
fn hashes<V: Lanes, const M: usize, const POWERS: usize, const GAP: usize>(
    state: &KeyState<POWERS, GAP>,
    bits: KeyBits,
    pair: &Pair,
) -> [V::One; 2] {
    let mut products = [Products::<V>::zero(); 2];
    by_registers!(pair.length, M, R => {
        products = texts::<V, R, { 2 * R }, POWERS, GAP>(state, bits, pair).unwrap_or(products);
    });
    let [mut a, mut b] = products;
    let ([aad_a, aad_b], text) = (pair.aads, pair.length);
    let blocks = text.div_ceil(16).wrapping_add(1);
    a.add_bytes::<Ghash, POWERS, GAP>(
        &state.powers,
        zero(),
        aad_a,
        blocks.wrapping_add(aad_a.len().div_ceil(16)),
    );
    b.add_bytes::<Ghash, POWERS, GAP>(
        &state.powers,
        zero(),
        aad_b,
        blocks.wrapping_add(aad_b.len().div_ceil(16)),
    );
    a.add_lengths::<Ghash, POWERS, GAP>(&state.powers, zero(), Lengths { aad: aad_a.len(), text });
    b.add_lengths::<Ghash, POWERS, GAP>(&state.powers, zero(), Lengths { aad: aad_b.len(), text });
    [a.reduce(), b.reduce()]
}

/// Encrypts texts of `R` registers each, `BOTH` together, and returns the products of the
/// ciphertexts. The last register may be partial. `None` if the texts do not have such a length.
#[inline(always)]
fn texts<V: Lanes, const R: usize, const BOTH: usize, const POWERS: usize, const GAP: usize>(
    state: &KeyState<POWERS, GAP>,
    bits: KeyBits,
    pair: &Pair,
) -> Option<[Products<V>; 2]> {
    let length = pair.length;
    if length <= (R - 1) * V::BYTES {
        return None;
    }
    // Tells the compiler that all four have one length.
    let [(source_a, target_a), (source_b, target_b)] = pair.texts;
    let (source_a, target_a) = (source_a.get(..length)?, target_a.get(..length)?);
    let (source_b, target_b) = (source_b.get(..length)?, target_b.get(..length)?);
    let state = opaque(state);
    let factors = state.powers.factors::<V, R>(length.div_ceil(16).wrapping_add(1))?;
    let [nonce_a, nonce_b] = pair.nonces;
    let counters: [[V; R]; 2] =
        [Counters::new(nonce_a, 2).take(), Counters::new(nonce_b, 2).take()];
    let counters = *counters.as_flattened().first_chunk::<BOTH>()?;
    let rounds = Rounds::<V, BOTH>::start(&state.schedule, counters);
    let [stream_a, stream_b] = rounds.run(bits, &mut ()).halves::<R>()?;
    let (mut a, mut b) = (Products::zero(), Products::zero());
    a.add_registers::<Ghash, _>(factors, zero(), stream_a.apply::<true>(source_a, target_a));
    b.add_registers::<Ghash, _>(factors, zero(), stream_b.apply::<true>(source_b, target_b));
    Some([a, b])
}
