//! AES-GCM-SIV (RFC 8452): POLYVAL over AAD and plaintext makes the tag, which is the first counter
//! block. A [`KeyState`] holds the keys of a nonce. Sealing reads the text twice, opening once.

use super::aes::{self, Rounds};
use super::crypt::{Crypt, opaque};
use super::ctr::Count;
use super::ghash::{self, Lengths};
use super::groups::Whole;
use super::hash::{Hash, Polyval};
use super::products::{Products, zero};
use super::state::{KeyState, Schedule};
use crate::lanes::{Block, Bytes, KeyBits, Lanes, Single};

/// All bits of a block but the highest one of its last byte.
const BELOW_TOP: Block = (u128::MAX >> 1).to_le_bytes();
/// That bit.
const TOP: Block = (1u128 << 127).to_le_bytes();

/// Fills `state` with the keys of the messages with this nonce (section 4), and with the powers of
/// the authentication key for the first `blocks` blocks of a reduction, as `xaes::derive` does.
#[inline(always)]
pub fn derive<V: Lanes, const S: usize, const POWERS: usize, const GAP: usize>(
    main: &Schedule,
    bits: KeyBits,
    nonce: &[u8; 12],
    state: &mut KeyState<POWERS, GAP>,
    blocks: usize,
) {
    // `counter ‖ nonce`. The nonce is read in the words written: see `Lanes::counters`.
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
        ghash::expand::<Polyval, V, S, POWERS, GAP>(&mut state.powers, joined(a, b), blocks);
    }
}

/// Encrypts `source` into `target`, and returns the tag.
#[inline(always)]
pub fn seal<V: Lanes, const S: usize, const POWERS: usize, const GAP: usize>(
    state: &KeyState<POWERS, GAP>,
    bits: KeyBits,
    nonce: &[u8; 12],
    aad: Bytes,
    source: Bytes,
    target: Bytes,
) -> Block {
    let lengths = Lengths { aad: aad.len(), text: source.len() };
    let whole = source.len() / (S * V::BYTES) * (S * V::BYTES);
    let (groups, rest) = source.split_at_checked(whole).unwrap_or_default();
    let mut sum = ghash::absorb::<Polyval, V, S, POWERS, GAP>(&state.powers, zero(), aad);
    sum = ghash::absorb_text::<Polyval, V, S, POWERS, GAP>(&state.powers, sum, groups);
    let mut products = Products::<V>::zero();
    if !rest.is_empty() {
        // The rest and the length block share a reduction.
        let blocks = rest.len().div_ceil(16).wrapping_add(1);
        products.add_bytes::<Polyval, POWERS, GAP>(&state.powers, sum, rest, blocks);
        sum = zero();
    }
    products.add_lengths::<Polyval, POWERS, GAP>(&state.powers, sum, lengths);
    let tag = tag(state, bits, nonce, products.reduce());
    keystream::<V, S>(&state.schedule, bits, &tag, source, target);
    tag
}

/// Decrypts `source` into `target`, and returns the tag that the plaintext has.
#[inline(always)]
pub fn open<V: Lanes, const S: usize, const POWERS: usize, const GAP: usize>(
    state: &KeyState<POWERS, GAP>,
    bits: KeyBits,
    nonce: &[u8; 12],
    tag: &Block,
    aad: Bytes,
    source: Bytes,
    target: Bytes,
) -> Block {
    // As in `gcm::crypt`.
    let Some(target) = target.get(..source.len()) else { return [0; 16] };
    let lengths = Lengths { aad: aad.len(), text: source.len() };
    let counters = Counters::<V>::after(V::One::splat(tag));
    let mut crypt = Crypt::<Polyval, V, _>::new(bits, counters, source, target);
    crypt.sum = ghash::absorb::<Polyval, V, S, POWERS, GAP>(&state.powers, zero(), aad);
    let parts = Whole::new((source, target), S * V::BYTES);
    self::tag(state, bits, nonce, crypt.hash_target::<S, POWERS, GAP, _>(state, lengths, parts))
}

/// The tag that the plaintext of `ciphertext` has. The plaintext stays in registers: the first pass
/// of an open that verifies before it decrypts.
#[inline(always)]
pub fn authenticate<V: Lanes, const S: usize, const POWERS: usize, const GAP: usize>(
    state: &KeyState<POWERS, GAP>,
    bits: KeyBits,
    nonce: &[u8; 12],
    tag: &Block,
    aad: Bytes,
    mut ciphertext: Bytes,
) -> Block {
    let lengths = Lengths { aad: aad.len(), text: ciphertext.len() };
    let mut sum = ghash::absorb::<Polyval, V, S, POWERS, GAP>(&state.powers, zero(), aad);
    let mut counters = Counters::<V>::after(V::One::splat(tag));
    while let Some((now, later)) = ciphertext.split_at_checked(S * V::BYTES) {
        let state = opaque(state);
        let rounds = Rounds::<V, S>::start(&state.schedule, counters.take());
        let text = rounds.run(bits, &mut ()).apply::<true>(now, &[]);
        let factors = state.powers.factors::<V, S>(S * V::BLOCKS).unwrap_or_default();
        let mut products = Products::<V>::zero();
        products.add_registers::<Polyval, S>(factors, sum, text);
        (sum, ciphertext) = (products.reduce(), later);
    }
    // Reduced one by one: a sum of products would occupy registers that the cipher needs.
    let mut products = Products::<V>::zero();
    while !ciphertext.is_empty() {
        let (now, later) = ciphertext.split_at_checked(V::BYTES).unwrap_or((ciphertext, &[]));
        let rounds = Rounds::<V, 1>::start(&opaque(state).schedule, counters.take());
        let [text] = rounds.run(bits, &mut ()).apply::<true>(now, &[]);
        let text = Polyval::elements(text).xor(V::first(sum));
        ciphertext = later;
        if later.is_empty() {
            // The last register and the length block share a reduction.
            let blocks = now.len().div_ceil(16).wrapping_add(1);
            products = Products::of(text, state.powers.factor(blocks, 0));
            sum = zero();
        } else {
            sum = Products::of(text, state.powers.factor(V::BLOCKS, 0)).reduce();
        }
    }
    products.add_lengths::<Polyval, POWERS, GAP>(&state.powers, sum, lengths);
    self::tag(state, bits, nonce, products.reduce())
}

/// The tag of a message (section 4), from POLYVAL's output, for its nonce.
#[inline(always)]
fn tag<B: Single, const POWERS: usize, const GAP: usize>(
    state: &KeyState<POWERS, GAP>,
    bits: KeyBits,
    nonce: &[u8; 12],
    hash: B,
) -> Block {
    let sum = hash.xor(B::counters(nonce, 0)).and(B::splat(&BELOW_TOP));
    let mut tag = [0; 16];
    aes::encrypt(&state.schedule, bits, sum).store(&mut tag);
    tag
}

/// XORs the keystream of the message with this tag onto `source` and writes the result to `target`.
/// Both have the same length and may be the same memory.
#[inline(always)]
pub fn keystream<V: Lanes, const S: usize>(
    schedule: &Schedule,
    bits: KeyBits,
    tag: &Block,
    source: Bytes,
    target: Bytes,
) {
    let mut counters = Counters::<V>::after(V::One::splat(tag));
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

/// The counter blocks: the tag with its highest bit set, whose first four bytes count modulo 2^32.
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
}

impl<V: Lanes> Count<V> for Counters<V> {
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
