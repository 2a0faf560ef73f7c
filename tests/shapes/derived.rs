//! The kernels of XAES-256-GCM and of AES-GCM-SIV on registers that are arrays agree with the models.

use crate::common::{Random, cells};
use crate::model::siv as model;
use crate::model::soft::{Soft, clear};
use crate::model::xaes;
use hardware_aes_gcm::kernel::state::{KeyState, Powers, Schedule};
use hardware_aes_gcm::kernel::{aes, gcm, siv, xaes as kernel};
use hardware_aes_gcm::lanes::{KeyBits, RawKey};

/// A message: lengths of AAD and of text.
type Lengths = (usize, usize);

fn blank() -> Schedule {
    Schedule { round_keys: [[0; 16]; 15] }
}

fn state<const P: usize>() -> KeyState<P, 1> {
    let powers = Powers { powers: [[0; 16]; P], gap: [[0; 16]; 1], halves: [[0; 16]; P] };
    KeyState { schedule: blank(), powers }
}

fn is_blank<const P: usize>(state: &KeyState<P, 1>) -> bool {
    let Powers { powers, halves, .. } = &state.powers;
    state.schedule.round_keys.iter().chain(powers).chain(halves).all(|block| *block == [0; 16])
}

/// The blocks for which callers ask powers: those of AAD and text, and the length block.
fn blocks((aad, text): Lengths) -> usize {
    aad.div_ceil(16) + text.div_ceil(16) + 1
}

fn check_siv<const W: usize, const S: usize, const P: usize>(random: &mut Random, of: Lengths) {
    clear();
    let length = if random.below(2) == 0 { 16 } else { 32 };
    let key = random.bytes(length);
    let raw = match (key.first_chunk(), key.first_chunk()) {
        (Some(long), _) => RawKey::Aes256(long),
        (_, short) => RawKey::Aes128(short.unwrap()),
    };
    let nonce: [u8; 12] = random.bytes(12).try_into().unwrap();
    let (mut aad, text) = (random.bytes(of.0), random.bytes(of.1));
    let (ciphertext, expected) = model::seal(&key, &nonce, &aad, &text);
    let name = format!("{of:?} on {S} registers of {W}");

    let (mut main, mut state, bits) = (blank(), state::<P>(), raw.bits());
    aes::expand::<Soft<1>>(raw, &mut main);
    siv::derive::<Soft<W>, S, P, 1>(&main, bits, &nonce, &mut state, blocks(of));
    let (aad, mut data) = (cells(&mut aad), text.clone());
    let tag = {
        let data = cells(&mut data);
        siv::seal::<Soft<W>, S, P, 1>(&state, bits, &nonce, aad, data, data)
    };
    assert_eq!((&data, tag), (&ciphertext, expected), "{name}");

    let source = cells(&mut data);
    let verified = siv::authenticate::<Soft<W>, S, P, 1>(&state, bits, &nonce, &tag, aad, source);
    assert_eq!(verified, tag, "{name}, without a target");
    let mut target = vec![7; of.1];
    let to = cells(&mut target);
    let opened = siv::open::<Soft<W>, S, P, 1>(&state, bits, &nonce, &tag, aad, source, to);
    assert_eq!((&target, opened), (&text, tag), "{name}, opened");
    let to = cells(&mut target);
    siv::keystream::<Soft<W>, S>(&state.schedule, bits, &tag, to, to);
    assert_eq!((&target, &data), (&ciphertext, &ciphertext), "{name}, the keystream");
    gcm::wipe::<Soft<W>, S, P, 1>(&mut state, blocks(of));
    assert!(is_blank(&state), "{name}, wiped");
}

fn check_xaes<const W: usize, const S: usize, const P: usize>(random: &mut Random, of: Lengths) {
    clear();
    let key = random.bytes(32);
    let nonce: [u8; 24] = random.bytes(24).try_into().unwrap();
    let (mut aad, text) = (random.bytes(of.0), random.bytes(of.1));
    let expected = xaes::seal(&key, &nonce, &aad, &text);
    let mut main = kernel::Main { schedule: blank(), k1: [0; 16] };
    let mut state = state::<P>();
    aes::expand::<Soft<1>>(RawKey::Aes256(key.first_chunk().unwrap()), &mut main.schedule);
    kernel::expand::<Soft<1>>(&mut main);
    let (first, last) = (nonce.first_chunk().unwrap(), nonce.last_chunk().unwrap());
    kernel::derive::<Soft<W>, S, P, 1>(&main, first, &mut state, blocks(of));
    let (aad, mut data) = (cells(&mut aad), text.clone());
    let tag = {
        let data = cells(&mut data);
        let bits = KeyBits::Aes256;
        gcm::crypt::<Soft<W>, S, P, 1, true>(&state, bits, last, aad, data, data)
    };
    assert_eq!((data, tag), expected, "{of:?} on {S} registers of {W}");
    gcm::wipe::<Soft<W>, S, P, 1>(&mut state, blocks(of));
    assert!(is_blank(&state), "{of:?} on {S} registers of {W}, wiped");
}

/// Lengths round the ends of blocks, registers and groups.
fn lengths(random: &mut Random) -> Vec<Lengths> {
    let near = |bytes: usize| [bytes - 1, bytes, bytes + 1];
    let texts =
        (0..70).chain([96, 128, 192, 256, 512, 1024].into_iter().flat_map(near)).chain([2100]);
    let most = [1, 20, 100, 600];
    let mut aad = || {
        let most = most[random.below(most.len())];
        random.below(most)
    };
    texts.map(|text| (aad(), text)).collect()
}

/// The widest shape, which few machines have. The compiler takes seconds for each, and backends try the others.
#[test]
fn derived_keys_on_arrays_agree_with_the_models() {
    let mut random = Random(0x6172_7261_7973);
    for of in lengths(&mut random) {
        check_siv::<4, 8, 33>(&mut random, of);
        check_xaes::<4, 8, 33>(&mut random, of);
    }
}
