//! AES (FIPS 197): the key schedule, and the cipher on several registers at once.

use super::state::Schedule;
use crate::lanes::{Block, Bytes, KeyBits, Lanes, RawKey, Single};

/// The round constants in the order of their use (FIPS 197 5.2).
const RCON: [u8; 10] = [0x01, 0x02, 0x04, 0x08, 0x10, 0x20, 0x40, 0x80, 0x1b, 0x36];

/// Writes the round keys of `key` into `schedule`, and writes key material nowhere else.
#[inline(always)]
pub fn expand<B: Single>(key: RawKey, schedule: &mut Schedule) {
    match key {
        RawKey::Aes128(key) => expand_128(B::load(&[*key]), schedule),
        RawKey::Aes256(key) => {
            let (halves, _) = key.as_chunks::<16>();
            expand_256(B::load(halves), B::load(halves.get(1..).unwrap_or(&[])), schedule);
        }
    }
}

/// Writes the round keys of the AES-128 key `last` into `schedule`, and key material nowhere else.
#[inline(always)]
pub fn expand_128<B: Single>(mut last: B, schedule: &mut Schedule) {
    let [first, rest @ ..] = &mut schedule.round_keys;
    last.store(first);
    for (slot, rcon) in rest.iter_mut().zip(RCON) {
        last = last.next_round_key::<true>(last, rcon);
        last.store(slot);
    }
}

/// Writes the round keys of the AES-256 key into `schedule`, and key material nowhere else.
#[inline(always)]
pub fn expand_256<B: Single>(mut even: B, mut odd: B, schedule: &mut Schedule) {
    let [first, rest @ ..] = &mut schedule.round_keys;
    even.store(first);
    for (pair, rcon) in rest.as_chunks_mut::<2>().0.iter_mut().zip(RCON) {
        let [a, b] = pair;
        odd.store(a);
        even = even.next_round_key::<true>(odd, rcon);
        even.store(b);
        odd = odd.next_round_key::<false>(even, 0);
    }
}

/// Encrypts one block.
#[inline(always)]
pub fn encrypt<B: Single>(schedule: &Schedule, bits: KeyBits, block: B) -> B {
    let [block] = Rounds::start(schedule, [block]).run(bits, &mut ()).keystream();
    block
}

/// Encrypts each of `blocks` in place, one after the other (ECB, SP 800-38A 6.1).
#[inline(always)]
pub fn encrypt_in_place<B: Single>(schedule: &Schedule, bits: KeyBits, blocks: &mut [Block]) {
    for block in blocks {
        encrypt(schedule, bits, B::load(core::slice::from_ref(block))).store(block);
    }
}

/// Work between the rounds of the cipher, so cipher and multiplier are busy at the same time.
pub trait Meanwhile<V> {
    /// Does part number `part`, from 0 to [`PARTS`] - 1. `cipher` is a register of the cipher, to
    /// pass to [`Lanes::interleave`].
    fn part(&mut self, part: usize, cipher: &mut V);
}

/// One part follows each of the fourteen rounds of AES-256 but the last.
pub const PARTS: usize = 13;

/// Parts of the four rounds that only AES-256 has. With AES-128, they precede the first round.
pub const BRANCH_PARTS: usize = 4;

/// No other work.
impl<V> Meanwhile<V> for () {
    #[inline(always)]
    fn part(&mut self, _: usize, _: &mut V) {}
}

/// Blocks in `S` registers that go through the cipher together.
pub struct Rounds<'a, V, const S: usize> {
    x: [V; S],
    /// The first round key.
    first: V,
    /// The other round keys.
    rest: &'a [Block; 14],
}

/// Blocks after all rounds but the last, and the round keys before and after the last round.
pub struct Stream<V, const S: usize> {
    x: [V; S],
    before: V,
    last: V,
}

impl<'a, V: Lanes, const S: usize> Rounds<'a, V, S> {
    /// Starts with the first round key.
    #[inline(always)]
    pub fn start(schedule: &'a Schedule, mut x: [V; S]) -> Self {
        let [first, rest @ ..] = &schedule.round_keys;
        let first = V::splat(first);
        for x in &mut x {
            *x = x.initial_round(first);
        }
        Self { x, first, rest }
    }

    /// All rounds but the last. A branch adds the four further rounds of AES-256, since two
    /// compiled ciphers would double every kernel. They come first, where fewest values of
    /// `meanwhile` cross it.
    #[inline(always)]
    pub fn run(self, bits: KeyBits, meanwhile: &mut impl Meanwhile<V>) -> Stream<V, S> {
        let Self { mut x, first: mut before, rest } = self;
        // Unrolled by hand: a loop would index `x` at run time, which puts `x` into memory.
        macro_rules! rounds {
            ($($key:ident $(and part $part:literal)?),+) => {$(
                let key = V::splat($key);
                for x in &mut x {
                    *x = x.round(before, key);
                }
                before = key;
                $(if let Some(cipher) = x.first_mut() {
                    meanwhile.part($part, cipher);
                })?
            )+};
        }
        let rest = match bits {
            KeyBits::Aes128 => {
                let [rest @ .., _, _, _, _] = rest;
                if let Some(cipher) = x.first_mut() {
                    meanwhile.part(0, cipher);
                    meanwhile.part(1, cipher);
                    meanwhile.part(2, cipher);
                    meanwhile.part(3, cipher);
                }
                rest
            }
            KeyBits::Aes256 => {
                let [a, b, c, d, rest @ ..] = rest;
                rounds!(a and part 0, b and part 1, c and part 2, d and part 3);
                rest
            }
        };
        let [a, b, c, d, e, f, g, h, i, last] = rest;
        rounds!(a and part 4, b and part 5, c and part 6, d and part 7, e and part 8);
        rounds!(f and part 9, g and part 10, h and part 11, i and part 12);
        Stream { x, before, last: V::splat(last) }
    }
}

impl<V: Lanes, const S: usize> Stream<V, S> {
    /// The first and the second half. `None` unless `S` is twice `R`.
    ///
    /// All registers are computed here. On arm64, the compiler would otherwise move MixColumns
    /// after a branch of [`apply`](Stream::apply), away from SubBytes, and no CPU would fuse them.
    #[inline(always)]
    pub fn halves<const R: usize>(self) -> Option<[Stream<V, R>; 2]> {
        let Self { mut x, before, last } = self;
        for x in &mut x {
            *x = x.computed();
        }
        match x.as_chunks::<R>() {
            (&[a, b], []) => Some([Stream { x: a, before, last }, Stream { x: b, before, last }]),
            _ => None,
        }
    }

    /// The last round alone.
    #[inline(always)]
    pub fn keystream(self) -> [V; S] {
        let Self { mut x, before, last } = self;
        for x in &mut x {
            *x = x.last_round(before, last);
        }
        x
    }

    /// The last round, which also encrypts or decrypts: reads `source`, writes `target`, and
    /// returns the ciphertext, then zeros. Both fill `S - 1` registers and a part of another.
    #[inline(always)]
    pub fn apply<const SEAL: bool>(self, source: Bytes, target: Bytes) -> [V; S] {
        let Self { mut x, before, last } = self;
        let full = (S - 1) * V::BYTES;
        let (source, end) = source.split_at_checked(full).unwrap_or((&[], &[]));
        let (target, target_end) = target.split_at_checked(full).unwrap_or((&[], &[]));
        if let Some((x_end, x)) = x.split_last_mut() {
            for (i, x) in x.iter_mut().enumerate() {
                let source = source.get(i.wrapping_mul(V::BYTES)..).unwrap_or(&[]);
                let target = target.get(i.wrapping_mul(V::BYTES)..).unwrap_or(&[]);
                *x = last_round::<V, SEAL>(*x, before, last, source, target);
            }
            *x_end = last_round::<V, SEAL>(*x_end, before, last, end, target_end);
        }
        x
    }
}

#[inline(always)]
fn last_round<V: Lanes, const SEAL: bool>(
    x: V,
    before: V,
    last: V,
    source: Bytes,
    target: Bytes,
) -> V {
    let read = V::read(source);
    // The round ends by adding its key: with the message XORed into it, it encrypts that.
    let written = x.last_round(before, last.xor(read));
    written.write(target);
    // Past the end of the message, `written` is keystream, which must not enter the hash.
    if SEAL { written.truncate(source.len()) } else { read }
}
