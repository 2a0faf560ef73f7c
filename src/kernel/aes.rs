//! AES (FIPS 197): the key schedule, and the cipher on several registers at once.

use super::RawKey;
use crate::lanes::{Block, Lanes, Single};

/// The round constants in the order the schedule takes them (FIPS 197 5.2).
const RCON: [u8; 10] = [0x01, 0x02, 0x04, 0x08, 0x10, 0x20, 0x40, 0x80, 0x1b, 0x36];

/// Writes the schedule of `key` into `round_keys`. Nothing of it passes through other memory.
#[inline(always)]
pub fn expand<B: Single>(key: RawKey, round_keys: &mut [Block; 15]) {
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

/// Encrypts the blocks of `S` registers, all in flight.
#[inline(always)]
pub fn encrypt<V: Lanes, const S: usize, const ROUNDS: usize>(
    round_keys: &[Block; 15],
    mut x: [V; S],
) -> [V; S] {
    let [first, ..] = round_keys;
    let first = V::splat(first);
    for x in &mut x {
        *x = x.xor(first);
    }
    // Unrolled by hand: a rolled loop indexes `x` at run time, which puts it in memory.
    macro_rules! round {
        ($($r:literal)+) => {$(
            let key = V::splat(&round_keys[$r]);
            for x in &mut x {
                *x = x.aesenc(key);
            }
        )+};
    }
    round!(1 2 3 4 5 6 7 8 9);
    let last = if ROUNDS == 14 {
        round!(10 11 12 13);
        V::splat(&round_keys[14])
    } else {
        V::splat(&round_keys[10])
    };
    for x in &mut x {
        *x = x.aesenclast(last);
    }
    x
}
