//! AES-GCM (SP 800-38D section 7) in one pass, in place or into a range of the same length. Nonces
//! have 96 bits, so J0 is `nonce ‖ 1` (7.1 step 2); tags have 128 bits.

use super::aes;
use super::crypt::Crypt;
use super::ctr::Counters;
use super::ghash::{self, Lengths};
use super::groups::{Pieces, Whole};
use super::hash::Ghash;
use super::products::{Products, zero};
use super::state::KeyState;
use crate::lanes::{Block, Bytes, KeyBits, Lanes, Single};

/// Computes H from the round keys of `state` (SP 800-38D 7.1 step 1), and fills in its powers.
#[inline(always)]
pub fn expand<V: Lanes, const S: usize, const POWERS: usize, const GAP: usize>(
    state: &mut KeyState<POWERS, GAP>,
    bits: KeyBits,
) {
    let h = aes::encrypt::<V::One>(&state.schedule, bits, zero());
    ghash::expand::<Ghash, V, S, POWERS, GAP>(&mut state.powers, h, POWERS);
}

/// Sets to zero what a derivation (`xaes`, `siv`) wrote for as many blocks.
#[inline(always)]
pub fn wipe<V: Lanes, const S: usize, const POWERS: usize, const GAP: usize>(
    state: &mut KeyState<POWERS, GAP>,
    blocks: usize,
) {
    for round_key in &mut state.schedule.round_keys {
        zero::<V::One>().store(round_key);
    }
    if blocks > 0 {
        ghash::wipe::<V, S, POWERS, GAP>(&mut state.powers, blocks);
    }
}

/// Encrypts or decrypts `source` into `target`, and returns the tag of the ciphertext.
#[inline(always)]
pub fn crypt<V: Lanes, const S: usize, const POWERS: usize, const GAP: usize, const SEAL: bool>(
    state: &KeyState<POWERS, GAP>,
    bits: KeyBits,
    nonce: &[u8; 12],
    aad: Bytes,
    source: Bytes,
    target: Bytes,
) -> Block {
    // A power for each block of a group and for the length block. `by_registers` counts to eight.
    const { assert!(POWERS == S * V::BLOCKS + 1 && S <= 8) };
    // Never `None`: see `Message`. Tells the compiler that both have one length.
    let Some(target) = target.get(..source.len()) else { return [0; 16] };
    let encrypted_j0 = encrypt_j0::<V::One, POWERS, GAP>(state, bits, nonce);
    let lengths = Lengths { aad: aad.len(), text: source.len() };
    let blocks = aad.len().div_ceil(16).wrapping_add(source.len().div_ceil(16)).wrapping_add(1);
    // At most two blocks besides the length block, at most one of them text: wide registers would
    // only add masked loads. `POWERS` is below 3 only in a test.
    if blocks <= POWERS.min(3) && source.len() <= 16 {
        let mut crypt =
            Crypt::<Ghash, V::One, _>::new(bits, Counters::new(nonce, 2), source, target);
        crypt.products.add_bytes::<Ghash, POWERS, GAP>(&state.powers, zero(), aad, blocks);
        if !source.is_empty() {
            crypt.registers::<1, POWERS, GAP, SEAL>(state);
        }
        return tag(crypt.finish(state, lengths), encrypted_j0);
    }
    let mut crypt = Crypt::<Ghash, V, _>::new(bits, Counters::new(nonce, 2), source, target);
    if blocks <= POWERS {
        crypt.products.add_bytes::<Ghash, POWERS, GAP>(&state.powers, zero(), aad, blocks);
    } else {
        crypt.sum = ghash::absorb::<Ghash, V, S, POWERS, GAP>(&state.powers, zero(), aad);
    }
    let hash = if SEAL {
        crypt.hash_target::<S, POWERS, GAP, _>(
            state,
            lengths,
            Whole::new((source, target), S * V::BYTES),
        )
    } else {
        crypt.hash_source::<S, POWERS, GAP>(state, lengths)
    };
    tag(hash, encrypted_j0)
}

/// Encrypts the concatenation of `pieces` into `target`, of the same length, and returns the tag.
#[inline(always)]
pub fn seal_pieces<V: Lanes, const S: usize, const POWERS: usize, const GAP: usize>(
    state: &KeyState<POWERS, GAP>,
    bits: KeyBits,
    nonce: &[u8; 12],
    aad: Bytes,
    pieces: &[Bytes],
    target: Bytes,
) -> Block {
    let encrypted_j0 = encrypt_j0::<V::One, POWERS, GAP>(state, bits, nonce);
    let lengths = Lengths { aad: aad.len(), text: target.len() };
    let mut crypt = Crypt::<Ghash, V, _>::new(bits, Counters::new(nonce, 2), &[], &[]);
    crypt.sum = ghash::absorb::<Ghash, V, S, POWERS, GAP>(&state.powers, zero(), aad);
    let parts = Pieces::new::<V>(pieces, target, S * V::BYTES);
    tag(crypt.hash_target::<S, POWERS, GAP, _>(state, lengths, parts), encrypted_j0)
}

/// The tag of `ciphertext`: the first pass of an open that verifies before it decrypts.
#[inline(always)]
pub fn authenticate<V: Lanes, const S: usize, const POWERS: usize, const GAP: usize>(
    state: &KeyState<POWERS, GAP>,
    bits: KeyBits,
    nonce: &[u8; 12],
    aad: Bytes,
    ciphertext: Bytes,
) -> Block {
    let encrypted_j0 = encrypt_j0::<V::One, POWERS, GAP>(state, bits, nonce);
    let sum = ghash::absorb::<Ghash, V, S, POWERS, GAP>(&state.powers, zero(), aad);
    let sum = ghash::absorb_text::<Ghash, V, S, POWERS, GAP>(&state.powers, sum, ciphertext);
    let mut products = Products::<V>::zero();
    products.add_lengths::<Ghash, POWERS, GAP>(
        &state.powers,
        sum,
        Lengths { aad: aad.len(), text: ciphertext.len() },
    );
    tag(products.reduce(), encrypted_j0)
}

/// E(K, J0). The tag is the XOR of this block and GHASH's output. Computed before the text, since
/// the compiler would otherwise keep the round keys until the end.
#[inline(always)]
fn encrypt_j0<B: Single, const POWERS: usize, const GAP: usize>(
    state: &KeyState<POWERS, GAP>,
    bits: KeyBits,
    nonce: &[u8; 12],
) -> B {
    aes::encrypt::<B>(&state.schedule, bits, B::counters(nonce, 1).swap_counters()).computed()
}

/// The tag, from GHASH's output and E(K, J0).
#[inline(always)]
pub fn tag<B: Single>(hash: B, encrypted_j0: B) -> Block {
    let mut tag = [0; 16];
    hash.reflect().xor(encrypted_j0).store(&mut tag);
    tag
}
