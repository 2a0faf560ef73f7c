//! AES-GCM (SP 800-38D section 7) in one pass. Source and destination are the same memory, or two ranges of the same length.
//!
//! The counter blocks of a group of registers are encrypted together. The multiplications of GHASH are placed between the
//! rounds of the cipher: those of the same group when opening, those of the previous group when sealing. Opening loads each
//! group twice; sealing without spare registers loads its ciphertext again. The blocks after the last whole group and the
//! length block share one reduction. If AAD and message together fit in a group, this is the only reduction.
//! Nonces have 96 bits, so that J0 is `nonce ‖ 1` (7.1 step 2); tags have 128 bits.

use super::aes;
use super::aes::Rounds;
use super::ctr::Counters;
use super::ghash::{self, Absorb, Lengths, Products, zero};
use super::state::KeyState;
use crate::lanes::{Block, Bytes, KeyBits, Lanes, Single};

/// Computes H from the round keys of `state` (SP 800-38D 7.1 step 1), and fills in its powers.
#[inline(always)]
pub fn expand<V: Lanes, const S: usize, const N: usize, const GAP: usize>(
    state: &mut KeyState<N, GAP>,
    bits: KeyBits,
) {
    let h = aes::encrypt::<V::One>(&state.schedule, bits, zero());
    ghash::expand::<V, S, N, GAP>(&mut state.powers, h);
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
    // There is a power for each block of a group and for the length block. `finish` handles at most eight registers.
    const { assert!(N == S * V::BLOCKS + 1 && S <= 8) };
    let encrypted_j0 = encrypt_j0::<V::One, N, GAP>(state, bits, nonce);
    let lengths = Lengths { aad: aad.len(), text: source.len() };
    let blocks = aad.len().div_ceil(16).wrapping_add(source.len().div_ceil(16)).wrapping_add(1);
    // At most two blocks besides the length block, at most one of them text: wide registers would only add masked loads. `N`
    // is below 3 only in a test.
    if blocks <= N.min(3) && source.len() <= 16 {
        let mut tail = Tail::<V::One>::new(bits, nonce, source, target);
        tail.products.add_bytes(&state.powers, zero(), aad, blocks);
        if !source.is_empty() {
            tail.registers::<1, N, GAP, SEAL>(state);
        }
        tail.products.add_lengths(&state.powers, zero(), lengths);
        return tag(tail.products.reduce(), encrypted_j0);
    }
    let mut tail = Tail::<V>::new(bits, nonce, source, target);
    if blocks <= N {
        tail.products.add_bytes(&state.powers, zero(), aad, blocks);
    } else {
        tail.sum = ghash::absorb::<V, S, N, GAP>(&state.powers, zero(), aad);
        tail = groups::<V, S, N, GAP, SEAL>(state, tail);
    }
    tag(tail.finish::<N, GAP, SEAL>(state, lengths), encrypted_j0)
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
    let sum = ghash::absorb::<V, S, N, GAP>(&state.powers, zero(), aad);
    let sum = ghash::absorb::<V, S, N, GAP>(&state.powers, sum, ciphertext);
    let mut products = Products::<V>::zero();
    products.add_lengths(&state.powers, sum, Lengths { aad: aad.len(), text: ciphertext.len() });
    tag(products.reduce(), encrypted_j0)
}

/// The blocks of a message that are still to process, and the hash of the others.
struct Tail<'a, V: Lanes> {
    bits: KeyBits,
    counters: Counters<V>,
    /// The products that are still to be reduced.
    products: Products<V>,
    /// GHASH of the blocks that were reduced. It is added to the next block.
    sum: V::One,
    source: Bytes<'a>,
    target: Bytes<'a>,
}

/// Processes all whole groups of `S` registers.
#[inline(always)]
fn groups<'a, V: Lanes, const S: usize, const N: usize, const GAP: usize, const SEAL: bool>(
    state: &KeyState<N, GAP>,
    tail: Tail<'a, V>,
) -> Tail<'a, V> {
    let Tail { bits, mut counters, mut products, mut sum, source, target } = tail;
    let sources = source.chunks_exact(S * V::BYTES);
    let targets = target.chunks_exact(S * V::BYTES);
    let (source, target) = (sources.remainder(), targets.remainder());
    let mut groups = sources.zip(targets);
    // Opaque to the compiler, which would otherwise copy the round keys onto the stack for the loop.
    let opaque = core::hint::black_box::<&KeyState<N, GAP>>;
    if !SEAL {
        for (source, target) in groups {
            let state = opaque(state);
            let rounds = Rounds::<V, S>::start(&state.schedule, counters.take());
            let mut absorb = Absorb::<V, _, S, N, GAP>::new(&state.powers, sum, source);
            rounds.run(bits, &mut absorb).apply::<SEAL>(source, target);
            sum = absorb.sum();
        }
    } else if let Some((source, mut previous)) = groups.next() {
        let rounds = Rounds::<V, S>::start(&opaque(state).schedule, counters.take());
        let mut ciphertext = rounds.run(bits, &mut ()).apply::<SEAL>(source, previous);
        for (source, target) in groups {
            let state = opaque(state);
            let rounds = Rounds::<V, S>::start(&state.schedule, counters.take());
            if V::SPARE_REGISTERS {
                let mut absorb = Absorb::<V, _, S, N, GAP>::new(&state.powers, sum, ciphertext);
                ciphertext = rounds.run(bits, &mut absorb).apply::<SEAL>(source, target);
                sum = absorb.sum();
            } else {
                let mut absorb = Absorb::<V, _, S, N, GAP>::new(&state.powers, sum, previous);
                rounds.run(bits, &mut absorb).apply::<SEAL>(source, target);
                sum = absorb.sum();
            }
            previous = target;
        }
        if !V::SPARE_REGISTERS {
            for (i, x) in ciphertext.iter_mut().enumerate() {
                *x = V::read(previous.get(i * V::BYTES..).unwrap_or(&[]));
            }
        }
        // If the message ends with this group, the group and the length block share the last reduction.
        let ends = source.is_empty();
        products.add_group(
            &state.powers,
            sum,
            ciphertext,
            (S * V::BLOCKS).wrapping_add(usize::from(ends)),
        );
        sum = zero();
        if !ends {
            sum = products.reduce();
            products = Products::zero();
        }
    }
    Tail { bits, counters, products, sum, source, target }
}

impl<'a, V: Lanes> Tail<'a, V> {
    /// Starts a message.
    #[inline(always)]
    fn new(bits: KeyBits, nonce: &[u8; 12], source: Bytes<'a>, target: Bytes<'a>) -> Self {
        let (products, sum) = (Products::zero(), zero());
        Self { bits, counters: Counters::new(nonce, 2), products, sum, source, target }
    }

    /// Processes the registers that are left, at most a group, and the length block. Returns GHASH's output.
    #[inline(always)]
    fn finish<const N: usize, const GAP: usize, const SEAL: bool>(
        mut self,
        state: &KeyState<N, GAP>,
        lengths: Lengths,
    ) -> V::One {
        // At most four at a time, so that the first four are multiplied while the others are encrypted.
        if self.source.len() > 4 * V::BYTES {
            self.registers::<4, N, GAP, SEAL>(state);
        }
        match self.source.len().div_ceil(V::BYTES) {
            0 => {}
            1 => self.registers::<1, N, GAP, SEAL>(state),
            2 => self.registers::<2, N, GAP, SEAL>(state),
            3 => self.registers::<3, N, GAP, SEAL>(state),
            _ => self.registers::<4, N, GAP, SEAL>(state),
        }
        self.products.add_lengths(&state.powers, self.sum, lengths);
        self.products.reduce()
    }

    /// Processes the next `R` registers, of which the last may be partial.
    #[inline(always)]
    fn registers<const R: usize, const N: usize, const GAP: usize, const SEAL: bool>(
        &mut self,
        state: &KeyState<N, GAP>,
    ) {
        let blocks = self.source.len().div_ceil(16).wrapping_add(1);
        let (source, source_after) =
            self.source.split_at_checked(R * V::BYTES).unwrap_or((self.source, &[]));
        let (target, target_after) =
            self.target.split_at_checked(source.len()).unwrap_or((self.target, &[]));
        // This early return is never taken, since callers choose `R` by the length. It tells the compiler that only the last
        // register may be partial.
        let full = (R - 1) * V::BYTES;
        if source.len() <= full || target.len() <= full {
            return;
        }
        // Opaque to the compiler, which would otherwise store the round keys that `encrypt_j0` loaded on the stack for reuse.
        let schedule = &core::hint::black_box(state).schedule;
        let rounds = Rounds::<V, R>::start(schedule, self.counters.take());
        let ciphertext = rounds.run(self.bits, &mut ()).apply::<SEAL>(source, target);
        self.products.add_group(&state.powers, self.sum, ciphertext, blocks);
        self.sum = zero();
        (self.source, self.target) = (source_after, target_after);
    }
}

/// E(K, J0). The tag is the XOR of this block and GHASH's output.
#[inline(always)]
fn encrypt_j0<B: Single, const N: usize, const GAP: usize>(
    state: &KeyState<N, GAP>,
    bits: KeyBits,
    nonce: &[u8; 12],
) -> B {
    aes::encrypt::<B>(&state.schedule, bits, B::counters(nonce, 1).swap_counters())
}

#[inline(always)]
fn tag<B: Single>(hash: B, encrypted_j0: B) -> Block {
    let mut tag = [0; 16];
    hash.reflect().xor(encrypted_j0).store(&mut tag);
    tag
}
