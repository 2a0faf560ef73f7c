//! AES-GCM-SIV (RFC 8452): POLYVAL over AAD and plaintext makes the tag, and the tag is the first counter block. Each nonce has
//! keys of its own, which a [`KeyState`] holds. Sealing passes over the text twice; opening hashes what it has decrypted.

use super::aes::{self, Rounds};
use super::ghash::{self, Lengths, Products, zero};
use super::hash::{Hash, Polyval};
use super::state::{KeyState, Schedule};
use super::text::opaque;
use crate::lanes::{Block, Bytes, KeyBits, Lanes, Single};

/// All bits of a block but the highest one of its last byte.
const BELOW_TOP: Block = (u128::MAX >> 1).to_le_bytes();
/// That bit.
const TOP: Block = (1u128 << 127).to_le_bytes();

/// Fills `state` with the keys of the messages with this nonce (section 4), and with those powers of the authentication key
/// that the first `blocks` blocks of a reduction use, as `xaes::derive` does.
#[inline(always)]
pub fn derive<V: Lanes, const S: usize, const N: usize, const GAP: usize>(
    main: &Schedule,
    bits: KeyBits,
    nonce: &[u8; 12],
    state: &mut KeyState<N, GAP>,
    blocks: usize,
) {
    // `counter ‖ nonce`, with the nonce read in the words in which it was written: see `Lanes::counters`.
    let [a, b, c, d, e, f, g, h, end @ ..] = *nonce;
    let nonce = u128::from(u64::from_le_bytes([a, b, c, d, e, f, g, h]))
        | u128::from(u32::from_le_bytes(end)) << 64;
    let block = |counter: u32| V::One::splat(&(nonce << 32 | u128::from(counter)).to_le_bytes());
    // Two blocks more than AES-128 needs: they go through the cipher meanwhile.
    let rounds = Rounds::<V::One, 6>::start(
        main,
        [block(0), block(1), block(2), block(3), block(4), block(5)],
    );
    let [a, b, c, d, e, f] = rounds.run(bits, &mut ()).keystream();
    // The first eight bytes of both.
    let joined = |a: V::One, b: V::One| a.words_up().words_down().xor(b.words_up());
    match bits {
        KeyBits::Aes128 => aes::expand_128(joined(c, d), &mut state.schedule),
        KeyBits::Aes256 => aes::expand_256(joined(c, d), joined(e, f), &mut state.schedule),
    }
    if blocks > 0 {
        ghash::expand::<Polyval, V, S, N, GAP>(&mut state.powers, joined(a, b), blocks);
    }
}

/// Encrypts `source` into `target`, and returns the tag.
#[inline(always)]
pub fn seal<V: Lanes, const S: usize, const N: usize, const GAP: usize>(
    state: &KeyState<N, GAP>,
    bits: KeyBits,
    nonce: &[u8; 12],
    aad: Bytes,
    source: Bytes,
    target: Bytes,
) -> Block {
    let lengths = Lengths { aad: aad.len(), text: source.len() };
    let whole = source.len() / (S * V::BYTES) * (S * V::BYTES);
    let (groups, rest) = source.split_at_checked(whole).unwrap_or_default();
    let mut sum = ghash::absorb::<Polyval, V, S, N, GAP>(&state.powers, zero(), aad);
    sum = ghash::absorb_text::<Polyval, V, S, N, GAP>(&state.powers, sum, groups);
    let mut products = Products::<V>::zero();
    if !rest.is_empty() {
        // The rest and the length block share a reduction.
        let blocks = rest.len().div_ceil(16).wrapping_add(1);
        products.add_bytes::<Polyval, N, GAP>(&state.powers, sum, rest, blocks);
        sum = zero();
    }
    let tag = tag(state, bits, nonce, products, sum, lengths);
    keystream::<V, S>(&state.schedule, bits, tag, source, target);
    let mut block = [0; 16];
    tag.store(&mut block);
    block
}

/// Decrypts `source` into `target`, and returns the tag that the plaintext has. Without a target, the plaintext stays in
/// registers: the first pass of an open that verifies before it decrypts.
#[inline(always)]
pub fn open<V: Lanes, const S: usize, const N: usize, const GAP: usize>(
    state: &KeyState<N, GAP>,
    bits: KeyBits,
    nonce: &[u8; 12],
    tag: &Block,
    aad: Bytes,
    mut source: Bytes,
    mut target: Bytes,
) -> Block {
    let lengths = Lengths { aad: aad.len(), text: source.len() };
    let mut sum = ghash::absorb::<Polyval, V, S, N, GAP>(&state.powers, zero(), aad);
    let mut counters = Counters::<V>::after(V::One::splat(tag));
    while let Some((now, later)) = source.split_at_checked(S * V::BYTES) {
        let state = opaque(state);
        let rounds = Rounds::<V, S>::start(&state.schedule, counters.take());
        let text = rounds.run(bits, &mut ()).apply::<true>(now, first(&mut target, now.len()));
        let factors = state.powers.factors::<V, S>(S * V::BLOCKS).unwrap_or_default();
        let mut products = Products::<V>::zero();
        products.add_registers::<Polyval, S>(factors, sum, text);
        (sum, source) = (products.reduce(), later);
    }
    // Reduced one after the other: the sum of the products would occupy registers that the cipher needs.
    while source.len() > V::BYTES {
        let (now, later) = source.split_at_checked(V::BYTES).unwrap_or_default();
        let text = register(state, bits, &mut counters, now, first(&mut target, now.len()), sum);
        (sum, source) = (Products::of(text, state.powers.factor(V::BLOCKS, 0)).reduce(), later);
    }
    let mut products = Products::<V>::zero();
    if !source.is_empty() {
        let blocks = source.len().div_ceil(16).wrapping_add(1);
        let text = register(state, bits, &mut counters, source, target, sum);
        products = Products::of(text, state.powers.factor(blocks, 0));
        sum = zero();
    }
    let mut block = [0; 16];
    self::tag(state, bits, nonce, products, sum, lengths).store(&mut block);
    block
}

/// Takes the first `bytes` bytes of a range. The empty range of an open without a target stays empty.
#[inline(always)]
fn first<'a>(range: &mut Bytes<'a>, bytes: usize) -> Bytes<'a> {
    let (now, later) = range.split_at_checked(bytes).unwrap_or_default();
    *range = later;
    now
}

/// Decrypts one register, which may be partial, and returns its plaintext as POLYVAL takes it, after `sum`.
#[inline(always)]
fn register<V: Lanes, const N: usize, const GAP: usize>(
    state: &KeyState<N, GAP>,
    bits: KeyBits,
    counters: &mut Counters<V>,
    source: Bytes,
    target: Bytes,
    sum: V::One,
) -> V {
    let rounds = Rounds::<V, 1>::start(&opaque(state).schedule, counters.take());
    let [text] = rounds.run(bits, &mut ()).apply::<true>(source, target);
    Polyval::elements(text).xor(V::first(sum))
}

/// The tag of a message (section 4): `products` and `sum` are those of all blocks but the length block.
#[inline(always)]
fn tag<V: Lanes, const N: usize, const GAP: usize>(
    state: &KeyState<N, GAP>,
    bits: KeyBits,
    nonce: &[u8; 12],
    mut products: Products<V>,
    sum: V::One,
    lengths: Lengths,
) -> V::One {
    products.add_lengths::<Polyval, N, GAP>(&state.powers, sum, lengths);
    let sum = products.reduce().xor(V::One::counters(nonce, 0));
    aes::encrypt(&state.schedule, bits, sum.and(V::One::splat(&BELOW_TOP)))
}

/// XORs the keystream of the message with this tag onto `source` and writes the result to `target`. Both have the same length
/// and may be the same memory.
#[inline(always)]
pub fn keystream<V: Lanes, const S: usize>(
    schedule: &Schedule,
    bits: KeyBits,
    tag: V::One,
    source: Bytes,
    target: Bytes,
) {
    let mut counters = Counters::<V>::after(tag);
    let sources = source.chunks_exact(S * V::BYTES);
    let targets = target.chunks_exact(S * V::BYTES);
    let (rest, rest_target) = (sources.remainder(), targets.remainder());
    for (source, target) in sources.zip(targets) {
        // As in `ctr::apply`.
        let schedule = core::hint::black_box(schedule);
        let rounds = Rounds::<V, S>::start(schedule, counters.take());
        rounds.run(bits, &mut ()).apply::<false>(source, target);
    }
    for (source, target) in rest.chunks(V::BYTES).zip(rest_target.chunks(V::BYTES)) {
        let schedule = core::hint::black_box(schedule);
        let rounds = Rounds::<V, 1>::start(schedule, counters.take());
        rounds.run(bits, &mut ()).apply::<false>(source, target);
    }
}

/// The counter blocks of a message: the tag with its highest bit set, whose first four bytes count up, modulo 2^32.
struct Counters<V> {
    next: V,
}

impl<V: Lanes> Counters<V> {
    #[inline(always)]
    fn after(tag: V::One) -> Self {
        let first = V::spread(tag.and(V::One::splat(&BELOW_TOP)).xor(V::One::splat(&TOP)));
        let mut next = zero::<V>();
        for lane in 0..V::BLOCKS {
            let block = first.plus_first(lane as u32);
            next = next.xor(block.truncate((lane + 1) * 16)).xor(block.truncate(lane * 16));
        }
        Self { next }
    }

    /// The next `R` registers of counter blocks.
    #[inline(always)]
    fn take<const R: usize>(&mut self) -> [V; R] {
        let mut blocks = [self.next; R];
        for block in &mut blocks {
            *block = self.next;
            self.next = self.next.plus_first(V::BLOCKS as u32);
        }
        blocks
    }
}
