//! The loop over a message: groups of registers go through AES, with products between its rounds.
//!
//! GCM hashes ciphertext: it opens by [`hash_source`](Crypt::hash_source), which multiplies the
//! same group, loaded twice, and seals by [`hash_target`](Crypt::hash_target), which multiplies the
//! group before; without spare registers it loads this group again. AES-GCM-SIV hashes plaintext,
//! so that it opens by `hash_target`. The registers after the last whole group go through the
//! cipher together, too, and share a reduction with the length block. Up to a group of AAD and
//! text, this is the only reduction. When sealing pieces, these registers go one after the other.

use super::absorb::Absorb;
use super::aes::Rounds;
use super::ctr::Count;
use super::ghash::Lengths;
use super::groups::GroupSource;
use super::hash::Hash;
use super::products::{Products, zero};
use super::state::KeyState;
use crate::lanes::{Bytes, KeyBits, Lanes};
use core::marker::PhantomData;

/// The rest of a message in the counter mode of `C`, and the hash `M` of the part before it.
pub struct Crypt<'a, M, V: Lanes, C> {
    bits: KeyBits,
    counters: C,
    /// The products that are still to be reduced.
    pub products: Products<V>,
    /// The hash of the blocks that were reduced. It is added to the next block.
    pub sum: V::One,
    source: Bytes<'a>,
    target: Bytes<'a>,
    hash: PhantomData<M>,
}

/// Does `$work` with the constant `$R`: how many registers `$bytes` bytes fill, at most `S`.
macro_rules! by_registers {
    ($bytes:expr, $S:expr, $R:ident => $work:expr) => {
        by_registers!($bytes, $S, $R => $work, 1 2 3 4 5 6 7 8)
    };
    ($bytes:expr, $S:expr, $R:ident => $work:expr, $($count:literal)+) => {
        match $bytes.div_ceil(V::BYTES) {
            $($count if $count <= $S => {
                const $R: usize = $count;
                $work
            })+
            _ => {}
        }
    };
}

pub(super) use by_registers;

impl<'a, M: Hash, V: Lanes, C: Count<V>> Crypt<'a, M, V, C> {
    /// Starts a message.
    #[inline(always)]
    pub fn new(bits: KeyBits, counters: C, source: Bytes<'a>, target: Bytes<'a>) -> Self {
        let (products, sum) = (Products::zero(), zero());
        Self { bits, counters, products, sum, source, target, hash: PhantomData }
    }

    /// Takes the first `bytes` bytes of source and target.
    #[inline(always)]
    fn take(&mut self, bytes: usize) -> (Bytes<'a>, Bytes<'a>) {
        let (source, source_after) =
            self.source.split_at_checked(bytes).unwrap_or((self.source, &[]));
        let (target, target_after) =
            self.target.split_at_checked(source.len()).unwrap_or((self.target, &[]));
        (self.source, self.target) = (source_after, target_after);
        (source, target)
    }

    /// Adds the length block, and returns the hash.
    #[inline(always)]
    pub fn finish<const POWERS: usize, const GAP: usize>(
        mut self,
        state: &KeyState<POWERS, GAP>,
        lengths: Lengths,
    ) -> V::One {
        self.products.add_lengths::<M, POWERS, GAP>(&state.powers, self.sum, lengths);
        self.products.reduce()
    }

    /// Encrypts or decrypts the text, hashes the source, and returns the hash.
    #[inline(always)]
    pub fn hash_source<const S: usize, const POWERS: usize, const GAP: usize>(
        mut self,
        state: &KeyState<POWERS, GAP>,
        lengths: Lengths,
    ) -> V::One {
        if self.source.len() > S * V::BYTES {
            self.source_groups::<S, POWERS, GAP>(state);
        }
        by_registers!(self.source.len(), S, R => self.registers::<R, POWERS, GAP, false>(state));
        self.finish(state, lengths)
    }

    /// The whole groups of `hash_source`. With spare registers, even a whole last group is left: it
    /// shares a reduction with the length block, which is faster there and slower elsewhere.
    #[inline(always)]
    fn source_groups<const S: usize, const POWERS: usize, const GAP: usize>(
        &mut self,
        state: &KeyState<POWERS, GAP>,
    ) {
        let group = S * V::BYTES;
        let (sources, targets) = self.take(
            self.source.len().saturating_sub(usize::from(V::SPARE_REGISTERS)) / group * group,
        );
        for (source, target) in sources.chunks_exact(group).zip(targets.chunks_exact(group)) {
            let state = opaque(state);
            let factors = state.powers.factors::<V, S>(S * V::BLOCKS).unwrap_or_default();
            let hashed = source.split_at_checked(group - V::BYTES).unwrap_or_default();
            let rounds = Rounds::<V, S>::start(&state.schedule, self.counters.take());
            let mut absorb = Absorb::<M, V, _, _>::new(factors, Products::zero(), self.sum, hashed);
            rounds.run(self.bits, &mut absorb).apply::<false>(source, target);
            self.sum = absorb.products().reduce();
        }
    }

    /// Encrypts or decrypts the groups, and returns the hash of the target. `one_by_one` comes
    /// last: both paths share its code.
    #[inline(always)]
    pub fn hash_target<
        const S: usize,
        const POWERS: usize,
        const GAP: usize,
        P: GroupSource<'a>,
    >(
        mut self,
        state: &KeyState<POWERS, GAP>,
        lengths: Lengths,
        mut parts: P,
    ) -> V::One {
        let group = S * V::BYTES;
        'groups: {
            let Some((source, mut previous)) = parts.group() else {
                (self.source, self.target) = parts.rest();
                if P::REST_ONE_BY_ONE {
                    break 'groups;
                }
                by_registers!(self.source.len(), S, R => self.registers::<R, POWERS, GAP, true>(state));
                return self.finish(state, lengths);
            };
            let rounds = Rounds::<V, S>::start(&opaque(state).schedule, self.counters.take());
            let mut written = rounds.run(self.bits, &mut ()).apply::<true>(source, previous);
            while let Some((source, target)) = parts.group() {
                let state = opaque(state);
                let factors = state.powers.factors::<V, S>(S * V::BLOCKS).unwrap_or_default();
                let rounds = Rounds::<V, S>::start(&state.schedule, self.counters.take());
                if V::SPARE_REGISTERS {
                    let mut absorb =
                        Absorb::<M, V, _, _>::new(factors, Products::zero(), self.sum, written);
                    written = rounds.run(self.bits, &mut absorb).apply::<true>(source, target);
                    self.sum = absorb.products().reduce();
                } else {
                    let previous = previous.split_at_checked(group - V::BYTES).unwrap_or_default();
                    let mut absorb =
                        Absorb::<M, V, _, _>::new(factors, Products::zero(), self.sum, previous);
                    rounds.run(self.bits, &mut absorb).apply::<true>(source, target);
                    self.sum = absorb.products().reduce();
                }
                previous = target;
            }
            if !V::SPARE_REGISTERS {
                for (i, x) in written.iter_mut().enumerate() {
                    *x = V::read(previous.get(i.wrapping_mul(V::BYTES)..).unwrap_or(&[]));
                }
            }
            (self.source, self.target) = parts.rest();
            if P::REST_ONE_BY_ONE {
                let factors = state.powers.factors::<V, S>(S * V::BLOCKS).unwrap_or_default();
                self.products.add_registers::<M, _>(factors, self.sum, written);
                self.sum = self.products.reduce();
                self.products = Products::zero();
                break 'groups;
            }
            if self.source.is_empty() {
                // The last group and the length block share a reduction.
                let factors = state.powers.factors::<V, S>(S * V::BLOCKS + 1).unwrap_or_default();
                self.products.add_registers::<M, _>(factors, self.sum, written);
                self.sum = zero();
                return self.finish(state, lengths);
            }
            by_registers!(self.source.len(), S, R => self.last::<R, S, POWERS, GAP>(state, written));
            return self.finish(state, lengths);
        }
        self.one_by_one(state);
        self.finish(state, lengths)
    }

    /// The last `R` registers of `hash_target`, while the group before them, `previous`, is hashed.
    #[inline(always)]
    fn last<const R: usize, const S: usize, const POWERS: usize, const GAP: usize>(
        &mut self,
        state: &KeyState<POWERS, GAP>,
        previous: [V; S],
    ) {
        let blocks = self.source.len().div_ceil(16).wrapping_add(1);
        let full = (R - 1) * V::BYTES;
        // These early returns are never taken, since callers choose `R` by the length. They tell
        // the compiler that only the last register may be partial.
        if self.source.len() <= full || self.target.len() <= full {
            return;
        }
        let state = opaque(state);
        let Some(factors) = state.powers.factors::<V, R>(blocks) else { return };
        let group = state.powers.factors::<V, S>(S * V::BLOCKS).unwrap_or_default();
        let rounds = Rounds::<V, R>::start(&state.schedule, self.counters.take());
        let mut absorb = Absorb::<M, V, _, _>::new(group, Products::zero(), self.sum, previous);
        let written = rounds.run(self.bits, &mut absorb).apply::<true>(self.source, self.target);
        self.products.add_registers::<M, _>(factors, absorb.products().reduce(), written);
        self.sum = zero();
    }

    /// The rest of `hash_target`, which is less than a group, one register after the other.
    #[inline(always)]
    fn one_by_one<const POWERS: usize, const GAP: usize>(&mut self, state: &KeyState<POWERS, GAP>) {
        while self.source.len() > V::BYTES {
            let blocks = self.source.len().div_ceil(16).wrapping_add(1);
            let (source, target) = self.take(V::BYTES);
            let state = opaque(state);
            // Two registers, since the powers of the first of them are loaded without a test. This
            // early return is never taken: at least one block and the length block follow.
            let Some(factors) = state.powers.factors::<V, 2>(blocks) else { return };
            let rounds = Rounds::<V, 1>::start(&state.schedule, self.counters.take());
            let [written] = rounds.run(self.bits, &mut ()).apply::<true>(source, target);
            let x = M::elements(written).xor(V::first(self.sum));
            self.products = self.products.plus(Products::of(x, factors.register(0)));
            self.sum = zero();
        }
        self.registers::<1, POWERS, GAP, true>(state);
    }

    /// Processes the last `R` registers, and hashes the target or the source.
    #[inline(always)]
    pub fn registers<const R: usize, const POWERS: usize, const GAP: usize, const TARGET: bool>(
        &mut self,
        state: &KeyState<POWERS, GAP>,
    ) {
        let blocks = self.source.len().div_ceil(16).wrapping_add(1);
        let full = (R - 1) * V::BYTES;
        // As in `last`.
        if self.source.len() <= full || self.target.len() <= full {
            return;
        }
        let state = opaque(state);
        let Some(factors) = state.powers.factors::<V, R>(blocks) else { return };
        let rounds = Rounds::<V, R>::start(&state.schedule, self.counters.take());
        if TARGET {
            let written = rounds.run(self.bits, &mut ()).apply::<true>(self.source, self.target);
            self.products.add_registers::<M, _>(factors, self.sum, written);
        } else {
            let source = self.source.split_at_checked(full).unwrap_or_default();
            let mut absorb = Absorb::<M, V, _, _>::new(factors, self.products, self.sum, source);
            rounds.run(self.bits, &mut absorb).apply::<false>(self.source, self.target);
            self.products = absorb.products();
        }
        self.sum = zero();
    }
}

/// Hides from the compiler that this is the same state as before: it would otherwise keep round
/// keys on the stack for the next use.
#[inline(always)]
pub fn opaque<const POWERS: usize, const GAP: usize>(
    state: &KeyState<POWERS, GAP>,
) -> &KeyState<POWERS, GAP> {
    core::hint::black_box(state)
}
