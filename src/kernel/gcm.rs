//! AES-GCM (SP 800-38D section 7) in one pass. Source and destination are the same memory, or two ranges of the same length.
//! Nonces have 96 bits, so that J0 is `nonce ‖ 1` (7.1 step 2); tags have 128 bits.

use super::aes;
use super::crypt::Text;
use super::ctr::Counters;
use super::ghash::{self, Lengths, Products, zero};
use super::groups::{Pieces, Whole};
use super::hash::Ghash;
use super::state::KeyState;
use crate::lanes::{Block, Bytes, KeyBits, Lanes, Single};

/// Computes H from the round keys of `state` (SP 800-38D 7.1 step 1), and fills in its powers.
#[inline(always)]
pub fn expand<V: Lanes, const S: usize, const N: usize, const GAP: usize>(
    state: &mut KeyState<N, GAP>,
    bits: KeyBits,
) {
    let h = aes::encrypt::<V::One>(&state.schedule, bits, zero());
    ghash::expand::<Ghash, V, S, N, GAP>(&mut state.powers, h, N);
}

/// Sets to zero what a derivation (`xaes`, `siv`) wrote for as many blocks.
#[inline(always)]
pub fn wipe<V: Lanes, const S: usize, const N: usize, const GAP: usize>(
    state: &mut KeyState<N, GAP>,
    blocks: usize,
) {
    for round_key in &mut state.schedule.round_keys {
        zero::<V::One>().store(round_key);
    }
    if blocks > 0 {
        ghash::wipe::<V, S, N, GAP>(&mut state.powers, blocks);
    }
}

/// Encrypts or decrypts `source` into `target`, and returns the tag of the ciphertext. An open does not compare tags.
#[inline(always)]
pub fn crypt<V: Lanes, const S: usize, const N: usize, const GAP: usize, const SEAL: bool>(
    state: &KeyState<N, GAP>,
    bits: KeyBits,
    nonce: &[u8; 12],
    aad: Bytes,
    source: Bytes,
    target: Bytes,
) -> Block {
    // There is a power for each block of a group and for the length block. `by_registers` of `text` counts to eight.
    const { assert!(N == S * V::BLOCKS + 1 && S <= 8) };
    // This early return is never taken: see `Message`. It tells the compiler that both have one length.
    let Some(target) = target.get(..source.len()) else { return [0; 16] };
    let encrypted_j0 = encrypt_j0::<V::One, N, GAP>(state, bits, nonce);
    let lengths = Lengths { aad: aad.len(), text: source.len() };
    let blocks = aad.len().div_ceil(16).wrapping_add(source.len().div_ceil(16)).wrapping_add(1);
    // At most two blocks besides the length block, at most one of them text: wide registers would only add masked loads. `N`
    // is below 3 only in a test.
    if blocks <= N.min(3) && source.len() <= 16 {
        let mut text = Text::<Ghash, V::One, _>::new(bits, Counters::new(nonce, 2), source, target);
        text.products.add_bytes::<Ghash, N, GAP>(&state.powers, zero(), aad, blocks);
        if !source.is_empty() {
            text.registers::<1, N, GAP, SEAL>(state);
        }
        return tag(text.finish(state, lengths), encrypted_j0);
    }
    let mut text = Text::<Ghash, V, _>::new(bits, Counters::new(nonce, 2), source, target);
    if blocks <= N {
        text.products.add_bytes::<Ghash, N, GAP>(&state.powers, zero(), aad, blocks);
    } else {
        text.sum = ghash::absorb::<Ghash, V, S, N, GAP>(&state.powers, zero(), aad);
    }
    let hash = if SEAL {
        text.hash_target::<S, N, GAP, _>(state, lengths, Whole::new((source, target), S * V::BYTES))
    } else {
        text.hash_source::<S, N, GAP>(state, lengths)
    };
    tag(hash, encrypted_j0)
}

/// Encrypts the concatenation of `pieces` into `target`, which has the same length, and returns the tag.
#[inline(always)]
pub fn seal_pieces<V: Lanes, const S: usize, const N: usize, const GAP: usize>(
    state: &KeyState<N, GAP>,
    bits: KeyBits,
    nonce: &[u8; 12],
    aad: Bytes,
    pieces: &[Bytes],
    target: Bytes,
) -> Block {
    let encrypted_j0 = encrypt_j0::<V::One, N, GAP>(state, bits, nonce);
    let lengths = Lengths { aad: aad.len(), text: target.len() };
    let mut text = Text::<Ghash, V, _>::new(bits, Counters::new(nonce, 2), &[], &[]);
    text.sum = ghash::absorb::<Ghash, V, S, N, GAP>(&state.powers, zero(), aad);
    let parts = Pieces::new::<V>(pieces, target, S * V::BYTES);
    tag(text.hash_target::<S, N, GAP, _>(state, lengths, parts), encrypted_j0)
}

/// The tag of `ciphertext`, which is only read: the first pass of an open that verifies before it decrypts.
#[inline(always)]
pub fn authenticate<V: Lanes, const S: usize, const N: usize, const GAP: usize>(
    state: &KeyState<N, GAP>,
    bits: KeyBits,
    nonce: &[u8; 12],
    aad: Bytes,
    ciphertext: Bytes,
) -> Block {
    let encrypted_j0 = encrypt_j0::<V::One, N, GAP>(state, bits, nonce);
    let sum = ghash::absorb::<Ghash, V, S, N, GAP>(&state.powers, zero(), aad);
    let sum = ghash::absorb_text::<Ghash, V, S, N, GAP>(&state.powers, sum, ciphertext);
    let mut products = Products::<V>::zero();
    products.add_lengths::<Ghash, N, GAP>(
        &state.powers,
        sum,
        Lengths { aad: aad.len(), text: ciphertext.len() },
    );
    tag(products.reduce(), encrypted_j0)
}

/// E(K, J0). The tag is the XOR of this block and GHASH's output. Computed before the text, since the compiler would otherwise
/// keep the round keys until the end.
#[inline(always)]
fn encrypt_j0<B: Single, const N: usize, const GAP: usize>(
    state: &KeyState<N, GAP>,
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
