//! GHASH (SP 800-38D 6.4) over powers of H, one reduction per group of registers.
//!
//! GHASH numbers bits from the left, the instructions from the right. RFC 8452 appendix A gives the bridge:
//! GHASH(H, X) is POLYVAL over byte-reversed blocks with mulX(reversed H) for its key. POLYVAL's product carries
//! a factor x^-128, which is what Montgomery's reduction leaves, so no product ever needs a shift.

use super::{KeyState, aes};
use crate::lanes::{Block, Bytes, Lanes, Single};

/// x^129 modulo x^128 + x^127 + x^126 + x^121 + 1, least significant byte first. Its Montgomery product with
/// reversed H is H·x, with no carry to test and no copy of H outside registers.
const X129: Block = {
    let mut block = [0; 16];
    block[0] = 0x03;
    block[15] = 0x46;
    block
};

/// Fills `powers` with `H^N … H^1` for the round keys beside them.
#[inline(always)]
pub fn expand<B: Single, const N: usize, const ROUNDS: usize>(state: &mut KeyState<N>) {
    let [h] = aes::encrypt::<B, 1, ROUNDS>(&state.round_keys, [B::splat(&[0; 16])]);
    let h = multiply(h.reflect(), B::splat(&X129));
    let mut power = h;
    for slot in state.powers.iter_mut().rev() {
        power.store(slot);
        power = multiply(power, h);
    }
}

#[inline(always)]
fn multiply<B: Single>(a: B, b: B) -> B {
    let (low, middle, high) = a.clmul(b);
    B::reduce(low, middle, high)
}

impl<const N: usize> KeyState<N> {
    /// The powers that a group of `blocks` blocks meets: `H^blocks … H^1`.
    #[inline(always)]
    fn powers_for(&self, blocks: usize) -> &[Block] {
        self.powers.get(N.wrapping_sub(blocks)..).unwrap_or(&[])
    }
}

/// `(sum + x_0)·H^blocks + x_1·H^(blocks-1) + …`, where registers past the last block count nothing.
#[inline(always)]
pub fn absorb<V: Lanes, const S: usize, const N: usize>(
    state: &KeyState<N>,
    sum: V::One,
    x: [V; S],
    blocks: usize,
) -> V::One {
    let powers = state.powers_for(blocks);
    let zero = V::first(V::One::splat(&[0; 16]));
    let (mut low, mut middle, mut high) = (zero, zero, zero);
    let mut carry = V::first(sum);
    for (i, x) in x.into_iter().enumerate() {
        let power = V::load(powers.get(i * V::BLOCKS..).unwrap_or(&[]));
        let (l, m, h) = x.reflect().xor(carry).clmul(power);
        (low, middle, high) = (low.xor(l), middle.xor(m), high.xor(h));
        carry = zero;
    }
    V::One::reduce(low.fold(), middle.fold(), high.fold())
}

/// Absorbs `bytes`, its last block padded with zeros.
#[inline(always)]
pub fn absorb_bytes<V: Lanes, const S: usize, const N: usize>(
    state: &KeyState<N>,
    mut sum: V::One,
    bytes: Bytes,
) -> V::One {
    let groups = bytes.chunks_exact(S * V::BYTES);
    let rest = groups.remainder();
    for group in groups {
        sum = absorb_group::<V, S, N>(state, sum, group);
    }
    match rest.len().div_ceil(V::BYTES) {
        0 => sum,
        1 => absorb_group::<V, 1, N>(state, sum, rest),
        _ => absorb_group::<V, S, N>(state, sum, rest),
    }
}

#[inline(always)]
fn absorb_group<V: Lanes, const S: usize, const N: usize>(
    state: &KeyState<N>,
    sum: V::One,
    bytes: Bytes,
) -> V::One {
    let mut x = [V::first(V::One::splat(&[0; 16])); S];
    for (i, x) in x.iter_mut().enumerate() {
        *x = V::read(bytes.get(i * V::BYTES..).unwrap_or(&[]));
    }
    absorb(state, sum, x, bytes.len().div_ceil(16))
}

/// Absorbs the length block, `[len(A)]64 ‖ [len(C)]64` in bits, and gives GHASH's output.
#[inline(always)]
pub fn finish<B: Single, const N: usize>(
    state: &KeyState<N>,
    sum: B,
    aad: usize,
    text: usize,
) -> B {
    let bits = |bytes: usize| (bytes as u64).wrapping_mul(8);
    let lengths = (u128::from(bits(aad)) << 64) | u128::from(bits(text));
    absorb::<B, 1, N>(state, sum, [B::splat(&lengths.to_be_bytes())], 1).reflect()
}
