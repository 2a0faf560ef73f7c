//! AES-GCM (SP 800-38D section 7) in one pass, source and destination the same memory or two ranges of one length.
//!
//! In words: the counter blocks of a group of registers are encrypted together, the message is read once, XORed
//! and written once. The multiplications of GHASH are done between the rounds of the cipher: a group's own when
//! opening, those of the group before when sealing. What is left after the whole groups is multiplied together with
//! the length block, and a message no longer than a group together with its AAD too: one reduction in all.
//! Nonces are 96 bits, so J0 is `nonce ‖ 1` (7.1 step 2); tags are 128 bits.

use super::aes;
use super::aes::Rounds;
use super::ctr::Counters;
use super::ghash::{self, Absorb, Lengths, Products, zero};
use super::state::KeyState;
use crate::lanes::{Block, Bytes, KeyBits, Lanes, Single};

/// Fills the powers of H (SP 800-38D 7.1 step 1) behind the round keys of `state`.
#[inline(always)]
pub fn expand<V: Lanes, const S: usize, const N: usize, const GAP: usize>(
    state: &mut KeyState<N, GAP>,
    bits: KeyBits,
) {
    let h = aes::encrypt::<V::One>(&state.schedule, bits, zero());
    ghash::expand::<V, S, N, GAP>(&mut state.powers, h);
}

/// Encrypts or decrypts `source` into `target` and gives the tag that belongs to the ciphertext.
#[inline(always)]
pub fn crypt<V: Lanes, const S: usize, const N: usize, const GAP: usize, const SEAL: bool>(
    state: &KeyState<N, GAP>,
    bits: KeyBits,
    nonce: &[u8; 12],
    aad: Bytes,
    source: Bytes,
    target: Bytes,
) -> Block {
    // A power for each block of a group and the length block; `finish` takes eight registers at most, in two steps.
    const { assert!(N == S * V::BLOCKS + 1 && S <= 8) };
    let mask = mask::<V::One, N, GAP>(state, bits, nonce);
    let lengths = Lengths { aad: aad.len(), text: source.len() };
    let blocks = aad.len().div_ceil(16).wrapping_add(source.len().div_ceil(16)).wrapping_add(1);
    // At most two blocks, one of them text at most: wider registers would only wait for masks.
    if blocks <= N.min(3) && source.len() <= 16 {
        let mut tail = Tail::<V::One>::new(bits, nonce, source, target);
        tail.products.add_bytes(&state.powers, zero(), aad, blocks);
        if !source.is_empty() {
            tail.registers::<1, N, GAP, SEAL>(state);
        }
        tail.products.add_lengths(&state.powers, zero(), lengths);
        return tag(tail.products.reduce(), mask);
    }
    let mut tail = Tail::<V>::new(bits, nonce, source, target);
    if blocks <= N {
        tail.products.add_bytes(&state.powers, zero(), aad, blocks);
    } else {
        tail.sum = ghash::absorb::<V, S, N, GAP>(&state.powers, zero(), aad);
        tail = groups::<V, S, N, GAP, SEAL>(state, tail);
    }
    tag(tail.finish::<N, GAP, SEAL>(state, lengths), mask)
}

/// The tag that belongs to `ciphertext`, which is only read: the first pass of an open that verifies first.
#[inline(always)]
pub fn authenticate<V: Lanes, const S: usize, const N: usize, const GAP: usize>(
    state: &KeyState<N, GAP>,
    bits: KeyBits,
    nonce: &[u8; 12],
    aad: Bytes,
    ciphertext: Bytes,
) -> Block {
    let mask = mask::<V::One, N, GAP>(state, bits, nonce);
    let sum = ghash::absorb::<V, S, N, GAP>(&state.powers, zero(), aad);
    let sum = ghash::absorb::<V, S, N, GAP>(&state.powers, sum, ciphertext);
    let mut products = Products::<V>::zero();
    products.add_lengths(&state.powers, sum, Lengths { aad: aad.len(), text: ciphertext.len() });
    tag(products.reduce(), mask)
}

/// What is left of a message.
struct Tail<'a, V: Lanes> {
    bits: KeyBits,
    counters: Counters<V>,
    /// What is absorbed but not reduced, for the powers it meets at the message's end.
    products: Products<V>,
    /// What is absorbed and reduced: the next block's carry.
    sum: V::One,
    source: Bytes<'a>,
    target: Bytes<'a>,
}

/// All whole groups of `S` registers.
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
    // Opaque to the compiler, which would keep the round keys of a loop on the stack.
    let again = core::hint::black_box::<&KeyState<N, GAP>>;
    if !SEAL {
        for (source, target) in groups {
            let state = again(state);
            let rounds = Rounds::<V, S>::start(&state.schedule, counters.take());
            let mut absorb = Absorb::<V, _, S, N, GAP>::new(&state.powers, sum, source);
            rounds.run(bits, &mut absorb).apply::<SEAL>(source, target);
            sum = absorb.sum();
        }
    } else if let Some((source, mut before)) = groups.next() {
        let rounds = Rounds::<V, S>::start(&again(state).schedule, counters.take());
        let mut kept = rounds.run(bits, &mut ()).apply::<SEAL>(source, before);
        for (source, target) in groups {
            let state = again(state);
            let rounds = Rounds::<V, S>::start(&state.schedule, counters.take());
            if V::ROOMY {
                let mut absorb = Absorb::<V, _, S, N, GAP>::new(&state.powers, sum, kept);
                kept = rounds.run(bits, &mut absorb).apply::<SEAL>(source, target);
                sum = absorb.sum();
            } else {
                let mut absorb = Absorb::<V, _, S, N, GAP>::new(&state.powers, sum, before);
                rounds.run(bits, &mut absorb).apply::<SEAL>(source, target);
                sum = absorb.sum();
            }
            before = target;
        }
        if !V::ROOMY {
            for (i, x) in kept.iter_mut().enumerate() {
                *x = V::read(before.get(i * V::BYTES..).unwrap_or(&[]));
            }
        }
        // Where nothing is left, the last group and the length block are reduced together.
        let ends = source.is_empty();
        products.add_group(
            &state.powers,
            sum,
            kept,
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
    /// A whole message.
    #[inline(always)]
    fn new(bits: KeyBits, nonce: &[u8; 12], source: Bytes<'a>, target: Bytes<'a>) -> Self {
        let (products, sum) = (Products::zero(), zero());
        Self { bits, counters: Counters::new(nonce, 2), products, sum, source, target }
    }

    /// The last registers, fewer than make a group, and the length block: GHASH's output.
    #[inline(always)]
    fn finish<const N: usize, const GAP: usize, const SEAL: bool>(
        mut self,
        state: &KeyState<N, GAP>,
        lengths: Lengths,
    ) -> V::One {
        // Four at most at a time, so that the first are multiplied while the others are encrypted.
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

    /// The next `R` registers, or what there is.
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
        // `finish` leaves more than `full` bytes, so this never returns: it tells the compiler that every register but
        // the last is whole.
        let full = (R - 1) * V::BYTES;
        if source.len() <= full || target.len() <= full {
            return;
        }
        // Opaque to the compiler, which would keep the keys that `mask` loaded for here, on the stack.
        let schedule = &core::hint::black_box(state).schedule;
        let rounds = Rounds::<V, R>::start(schedule, self.counters.take());
        let ciphertext = rounds.run(self.bits, &mut ()).apply::<SEAL>(source, target);
        self.products.add_group(&state.powers, self.sum, ciphertext, blocks);
        self.sum = zero();
        (self.source, self.target) = (source_after, target_after);
    }
}

/// E(K, J0): what hides GHASH's output in the tag.
#[inline(always)]
fn mask<B: Single, const N: usize, const GAP: usize>(
    state: &KeyState<N, GAP>,
    bits: KeyBits,
    nonce: &[u8; 12],
) -> B {
    aes::encrypt::<B>(&state.schedule, bits, B::counters(nonce, 1).wire())
}

#[inline(always)]
fn tag<B: Single>(hash: B, mask: B) -> Block {
    let mut tag = [0; 16];
    hash.reflect().xor(mask).store(&mut tag);
    tag
}
