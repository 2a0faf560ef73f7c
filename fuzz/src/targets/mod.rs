//! Every target by its name, which is also the name of its file in fuzz/corpus.

mod batches;
mod chunks;
mod packets;
mod pieces;
mod ranges;
mod sealing;
mod shares;
mod texts;

use crate::common::{self, cells, key_of};
use crate::input::Input;
use hardware_aes_gcm::backend::{Cpu, GcmKey, SivKey, XaesKey};
use hardware_aes_gcm::key::frames::NonceAt;
use hardware_aes_gcm::key::{KeyOf, Options};
use hardware_aes_gcm::lanes::Block;

pub(crate) type Target = fn(Input);

/// A new target is a file and a row.
static ALL: &[(&str, Target)] = &[
    ("gcm", sealing::seal_and_open::<Gcm, 12>),
    ("xaes", sealing::seal_and_open::<Xaes256, 24>),
    ("siv", sealing::seal_and_open::<GcmSiv, 12>),
    ("pieces", pieces::gather),
    ("batches", batches::in_one_call),
    ("ranges", ranges::any_ends),
    ("chunks", chunks::of_a_message),
    ("packets", packets::of_a_connection),
    ("shares", shares::of_a_secret),
    ("texts", texts::digits),
];

/// The target called `wanted`.
pub(crate) fn named(wanted: &str) -> Target {
    let Some((_, target)) = ALL.iter().find(|(name, _)| *name == wanted) else {
        let names: Vec<_> = ALL.iter().map(|(name, _)| *name).collect();
        panic!("the target is '{wanted}', and not one of {}", names.join(", "));
    };
    *target
}

/// A cipher and its model.
pub(crate) trait Modelled<const N: usize> {
    type Key: hardware_aes_gcm::key::Bounded<N>;
    /// Lengths of keys.
    const KEYS: &[usize];
    /// Ciphertext and tag.
    fn seal(key: &[u8], nonce: &[u8; N], aad: &[u8], text: &[u8]) -> (Vec<u8>, Block);
}

pub(crate) struct Gcm;
pub(crate) struct Xaes256;
pub(crate) struct GcmSiv;

impl Modelled<12> for Gcm {
    type Key = GcmKey;
    const KEYS: &[usize] = &[16, 32];
    fn seal(key: &[u8], nonce: &[u8; 12], aad: &[u8], text: &[u8]) -> (Vec<u8>, Block) {
        models::gcm(key, nonce, aad, text)
    }
}

impl Modelled<24> for Xaes256 {
    type Key = XaesKey;
    const KEYS: &[usize] = &[32];
    fn seal(key: &[u8], nonce: &[u8; 24], aad: &[u8], text: &[u8]) -> (Vec<u8>, Block) {
        models::xaes(key, nonce, aad, text)
    }
}

impl Modelled<12> for GcmSiv {
    type Key = SivKey;
    const KEYS: &[usize] = &[16, 32];
    fn seal(key: &[u8], nonce: &[u8; 12], aad: &[u8], text: &[u8]) -> (Vec<u8>, Block) {
        models::siv(key, nonce, aad, text)
    }
}

/// Calls a function for the cipher that the input names.
macro_rules! of_a_cipher {
    ($input:ident, $function:ident) => {
        match $input.byte() % 3 {
            0 => $function::<crate::targets::Gcm, 12>($input),
            1 => $function::<crate::targets::Xaes256, 24>($input),
            _ => $function::<crate::targets::GcmSiv, 12>($input),
        }
    };
}
use of_a_cipher;

fn key_bytes<M: Modelled<N>, const N: usize>(input: &mut Input) -> Vec<u8> {
    let length = M::KEYS[input.below(M::KEYS.len())];
    input.random(length)
}

fn options(input: &mut Input) -> Options {
    let flags = input.byte();
    let nonce_at = if flags & 1 == 0 { NonceAt::Start } else { NonceAt::End };
    Options { nonce_at, verify_first: flags & 2 != 0, ..Options::default() }
}

/// The nonce of a frame.
fn nonce_of<const N: usize>(nonce_at: NonceAt, frame: &[u8]) -> [u8; N] {
    let nonce = match nonce_at {
        NonceAt::Start => frame.first_chunk(),
        NonceAt::End => frame.last_chunk(),
    };
    *nonce.expect("a whole frame")
}

/// The frame that the model makes.
fn frame<M: Modelled<N>, const N: usize>(
    nonce_at: NonceAt,
    key: &[u8],
    nonce: &[u8; N],
    aad: &[u8],
    text: &[u8],
) -> Vec<u8> {
    let (ciphertext, tag) = seal::<M, N>(key, nonce, aad, text);
    common::frame(nonce_at, nonce, &ciphertext, &tag)
}

/// Ciphertext and tag that the model makes. Miri takes seconds for a kilobyte of a model, so there the narrowest backend makes them.
fn seal<M: Modelled<N>, const N: usize>(
    key: &[u8],
    nonce: &[u8; N],
    aad: &[u8],
    text: &[u8],
) -> (Vec<u8>, Block) {
    let (true, Some(cpu)) = (cfg!(miri), Cpu::all().last()) else {
        return M::seal(key, nonce, aad, text);
    };
    let (mut nonce, mut aad, mut text, mut tag) = (*nonce, aad.to_vec(), text.to_vec(), [0; 16]);
    let mut key: KeyOf<M::Key, N> = key_of(cpu, key, Options::default());
    key.encrypt_detached(cells(&mut text), cells(&mut nonce), cells(&mut tag), cells(&mut aad))
        .expect("a message of any length here");
    (text, tag)
}
