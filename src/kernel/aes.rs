//! AES (FIPS 197): the key schedule, and the cipher on several registers at once.

use super::state::Schedule;
use crate::lanes::{Block, Bytes, KeyBits, Lanes, RawKey, Single};

/// The round constants in the order the schedule takes them (FIPS 197 5.2).
const RCON: [u8; 10] = [0x01, 0x02, 0x04, 0x08, 0x10, 0x20, 0x40, 0x80, 0x1b, 0x36];

/// Writes the round keys of `key` into `schedule`, and key material into no other memory.
#[inline(always)]
pub fn expand<B: Single>(key: RawKey, schedule: &mut Schedule) {
    let round_keys = &mut schedule.round_keys;
    match key {
        RawKey::Aes128(key) => {
            let mut last = B::load(&[*key]);
            let [first, rest @ ..] = round_keys;
            last.store(first);
            for (slot, rcon) in rest.iter_mut().zip(RCON) {
                last = last.next_round_key::<true>(last, rcon);
                last.store(slot);
            }
        }
        RawKey::Aes256(key) => {
            let (halves, _) = key.as_chunks::<16>();
            let (mut even, mut odd) = (B::load(halves), B::load(halves.get(1..).unwrap_or(&[])));
            let [first, rest @ ..] = round_keys;
            even.store(first);
            for (pair, rcon) in rest.as_chunks_mut::<2>().0.iter_mut().zip(RCON) {
                let [a, b] = pair;
                odd.store(a);
                even = even.next_round_key::<true>(odd, rcon);
                even.store(b);
                odd = odd.next_round_key::<false>(even, 0);
            }
        }
    }
}

/// Encrypts one block.
#[inline(always)]
pub fn encrypt<B: Single>(schedule: &Schedule, bits: KeyBits, block: B) -> B {
    let Stream { x: [x], before, last } = Rounds::start(schedule, [block]).run(bits, &mut ());
    x.last_round(before, last)
}

/// Encrypts every one of `blocks` in place (the codebook of SP 800-38A 6.1), one after the other.
#[inline(always)]
pub fn encrypt_in_place<B: Single>(schedule: &Schedule, bits: KeyBits, blocks: &mut [Block]) {
    for block in blocks {
        encrypt(schedule, bits, B::load(core::slice::from_ref(block))).store(block);
    }
}

/// Other work, done between the rounds of the cipher so that the multiplier is busy while the cipher is.
pub trait Meanwhile<V> {
    /// Part `part` of [`PARTS`]; `lead` is a register of the cipher's.
    fn part(&mut self, part: usize, lead: &mut V);
}

/// One part after each round that both ciphers have, the last apart.
pub const PARTS: usize = 9;

/// Nothing else to do.
impl<V> Meanwhile<V> for () {
    #[inline(always)]
    fn part(&mut self, _: usize, _: &mut V) {}
}

/// Blocks of `S` registers on their way through the cipher, all in flight.
pub struct Rounds<'a, V, const S: usize> {
    x: [V; S],
    /// The first round key and the others.
    first: V,
    rest: &'a [Block; 14],
}

/// Blocks that lack their last round, and the keys before and after it.
pub struct Stream<V, const S: usize> {
    x: [V; S],
    before: V,
    last: V,
}

impl<'a, V: Lanes, const S: usize> Rounds<'a, V, S> {
    /// With the first round key.
    #[inline(always)]
    pub fn start(schedule: &'a Schedule, mut x: [V; S]) -> Self {
        let [first, rest @ ..] = &schedule.round_keys;
        let first = V::splat(first);
        for x in &mut x {
            *x = x.enter(first);
        }
        Self { x, first, rest }
    }

    /// All rounds but the last. The four more of AES-256 are a branch, since two ciphers compiled apart would be every
    /// kernel twice. They come first, before there is anything of `meanwhile`'s to keep in registers across it.
    #[inline(always)]
    pub fn run(self, bits: KeyBits, meanwhile: &mut impl Meanwhile<V>) -> Stream<V, S> {
        let Self { mut x, first: mut before, rest } = self;
        // Unrolled by hand: a rolled loop indexes `x` at run time, which puts it in memory.
        macro_rules! rounds {
            ($($key:ident $(and part $part:literal)?),+) => {$(
                let key = V::splat($key);
                for x in &mut x {
                    *x = x.round(before, key);
                }
                before = key;
                $(if let Some(lead) = x.first_mut() {
                    meanwhile.part($part, lead);
                })?
            )+};
        }
        let rest = match bits {
            KeyBits::Aes128 => {
                let [rest @ .., _, _, _, _] = rest;
                rest
            }
            KeyBits::Aes256 => {
                let [a, b, c, d, rest @ ..] = rest;
                rounds!(a, b, c, d);
                rest
            }
        };
        let [a, b, c, d, e, f, g, h, i, last] = rest;
        rounds!(a and part 0, b and part 1, c and part 2, d and part 3, e and part 4);
        rounds!(f and part 5, g and part 6, h and part 7, i and part 8);
        Stream { x, before, last: V::splat(last) }
    }
}

impl<V: Lanes, const S: usize> Stream<V, S> {
    /// The last round, onto the message: reads `source`, writes `target`, and gives the registers of ciphertext,
    /// zero past the message's end. There is something for every register, so that only the last may not be whole.
    #[inline(always)]
    pub fn apply<const SEAL: bool>(self, source: Bytes, target: Bytes) -> [V; S] {
        let Self { mut x, before, last } = self;
        let full = (S - 1) * V::BYTES;
        let (source, end) = source.split_at_checked(full).unwrap_or((&[], &[]));
        let (target, target_end) = target.split_at_checked(full).unwrap_or((&[], &[]));
        if let Some((x_end, x)) = x.split_last_mut() {
            for (i, x) in x.iter_mut().enumerate() {
                let source = source.get(i * V::BYTES..).unwrap_or(&[]);
                let target = target.get(i * V::BYTES..).unwrap_or(&[]);
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
    // The last round adds its key and nothing follows: a key that holds the message encrypts it.
    let written = x.last_round(before, last.xor(read));
    written.write(target);
    // Past the end of the message `written` is keystream, which is no part of the ciphertext.
    if SEAL { written.keep(source.len()) } else { read }
}
