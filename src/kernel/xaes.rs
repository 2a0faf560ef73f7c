//! The key of one message of XAES-256-GCM (C2SP XAES-256-GCM v1): a counter-mode KDF over CMAC (SP
//! 800-108r1 4.1). All steps but two blocks depend on the main key alone.

use super::aes::{self, Rounds};
use super::ghash;
use super::hash::Ghash;
use super::products::zero;
use super::state::{KeyState, Schedule};
use crate::lanes::{Block, KeyBits, Lanes, Single};

/// The main key.
#[repr(C, align(16))]
pub struct Main {
    /// Its round keys, of AES-256.
    pub schedule: Schedule,
    /// K1 of CMAC (SP 800-38B 6.1).
    pub k1: Block,
}

/// Computes K1 from the round keys: E(K, 0) times x.
#[inline(always)]
pub fn expand<B: Single>(main: &mut Main) {
    aes::encrypt::<B>(&main.schedule, KeyBits::Aes256, zero()).store(&mut main.k1);
    let l = u128::from_be_bytes(main.k1);
    // Without a branch on the bit that leaves: x^128 is x^7 + x^2 + x + 1.
    main.k1 = (l << 1 ^ (l >> 127).wrapping_mul(0x87)).to_be_bytes();
}

/// Fills the schedule of `state` for the message whose nonce begins with `nonce`, and the powers of
/// its H for the first `blocks` blocks of a reduction: none for zero, all for more than a group.
#[inline(always)]
pub fn derive<V: Lanes, const S: usize, const POWERS: usize, const GAP: usize>(
    main: &Main,
    nonce: &[u8; 12],
    state: &mut KeyState<POWERS, GAP>,
    blocks: usize,
) {
    let half = |counter: u8| {
        let mut block = [0; 16];
        let (label, context) = block.split_at_mut(4);
        label.copy_from_slice(&[0, counter, b'X', 0]);
        context.copy_from_slice(nonce);
        V::One::splat(&block).xor(V::One::splat(&main.k1))
    };
    let rounds = Rounds::<V::One, 2>::start(&main.schedule, [half(1), half(2)]);
    let [first, second] = rounds.run(KeyBits::Aes256, &mut ()).keystream();
    aes::expand_256(first, second, &mut state.schedule);
    if blocks > 0 {
        let h = aes::encrypt::<V::One>(&state.schedule, KeyBits::Aes256, zero());
        ghash::expand::<Ghash, V, S, POWERS, GAP>(&mut state.powers, h, blocks);
    }
}
