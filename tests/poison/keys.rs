//! Keys as programs use them: frames in place and apart, detached messages, pieces, batches, jobs, and chunks of a stream. The bytes
//! of keys and of plaintexts are undefined. Public: what travels, which includes nonces and forged tags, and the verdict.
//!
//! The branch on the verdict (src/key/open.rs) is the one that checks/valgrind/public.supp lets pass.

use crate::common::{Random, cells, key_of, secret};
use crate::memcheck::{is_poisoned, is_public, judged, poison, publish};
use crate::messages::SENT;
use hardware_aes_gcm::backend::{Cpu, GcmKey, SivKey, XaesKey};
use hardware_aes_gcm::error::Error;
use hardware_aes_gcm::key::arena::Arena;
use hardware_aes_gcm::key::batch::{Aad, Batch};
use hardware_aes_gcm::key::frames::overhead;
use hardware_aes_gcm::key::ranges::Ranges;
use hardware_aes_gcm::key::{Bounded, KeyOf, Options};
use hardware_aes_gcm::protocol::chunks::{CHUNK_BYTES, Chunks};
use hardware_aes_gcm::secret::same;
use std::num::NonZeroUsize;

pub(crate) fn gcm(cpu: Cpu) {
    keys::<GcmKey, 12>(cpu, &[16, 32]);
}

pub(crate) fn xaes(cpu: Cpu) {
    keys::<XaesKey, 24>(cpu, &[32]);
}

pub(crate) fn siv(cpu: Cpu) {
    keys::<SivKey, 12>(cpu, &[16, 32]);
}

fn keys<C: Bounded<N>, const N: usize>(cpu: Cpu, lengths_of_keys: &[usize]) {
    let mut random = Random(0x6b65_7973_6b65_7973);
    for bytes in lengths_of_keys {
        for verify_first in [false, true] {
            let mut raw = random.bytes(*bytes);
            poison(cells(&mut raw));
            let options = Options { verify_first, ..Options::default() };
            let mut key = key_of::<C, N>(cpu, &raw, options);
            for length in [0, 1, 16, 33, 96, 130, 500] {
                let text = random.bytes(length);
                frame(&mut key, &text);
                detached(&mut key, &text);
                pieces(&mut key, &text);
                job(&mut key, &text);
            }
            for (count, length) in [(1, 40), (5, 64), (4, 0), (3, 300)] {
                batch(&mut key, &random.bytes(count * length), count);
            }
        }
    }
}

/// Poisons a copy of `text` with free bytes around it.
fn poisoned<const N: usize>(text: &[u8]) -> Vec<u8> {
    let mut frame = vec![0; N];
    frame.extend_from_slice(text);
    frame.extend_from_slice(&[0; 16]);
    poison(cells(&mut frame[N..][..text.len()]));
    frame
}

/// A sealed frame becomes public.
fn send<const N: usize>(frame: &mut [u8]) {
    assert!(is_public(&frame[..N]) && is_poisoned(&frame[N..]), "a nonce, and what a key made");
    publish(frame, SENT);
}

fn verify(mut opened: Vec<u8>, text: &[u8]) {
    assert!(is_poisoned(&opened), "a plaintext that is known");
    publish(&mut *opened, "only this program compares it, with the expected value");
    assert_eq!(opened, text);
}

fn frame<C: Bounded<N>, const N: usize>(key: &mut KeyOf<C, N>, text: &[u8]) {
    let mut sealed = poisoned::<N>(text);
    key.encrypt_in_place(cells(&mut sealed), cells(&mut [7; 20])).unwrap();
    send::<N>(&mut sealed);

    let mut forged = sealed.clone();
    let last = forged.len() - 1 - text.len() % 16;
    forged[last] ^= 0x10;
    let before = forged.clone();
    let refused = judged(1, key.decrypt_in_place(cells(&mut forged), cells(&mut [7; 20])));
    assert_eq!(refused, Err(Error::Authentication));
    publish(&mut *forged, "it is the ciphertext again");
    assert_eq!(forged, before);
    let mut target = vec![1; text.len()];
    let refused = key.decrypt_into(cells(&mut target), cells(&mut forged), cells(&mut [7; 20]));
    assert_eq!(judged(1, refused), Err(Error::Authentication));
    assert!(is_public(&target) && target.iter().all(|byte| *byte == 0));

    let opened = key.decrypt_into(cells(&mut target), cells(&mut sealed), cells(&mut [7; 20]));
    assert_eq!(judged(1, opened), Ok(text.len()));
    verify(target, text);
    judged(1, key.decrypt_in_place(cells(&mut sealed), cells(&mut [7; 20]))).unwrap();
    verify(sealed[N..][..text.len()].to_vec(), text);
}

fn detached<C: Bounded<N>, const N: usize>(key: &mut KeyOf<C, N>, text: &[u8]) {
    let (mut data, mut nonce, mut tag) = (text.to_vec(), [5; N], [0; 16]);
    poison(cells(&mut data));
    let (nonce, tag_cells) = (cells(&mut nonce), cells(&mut tag));
    key.encrypt_detached(cells(&mut data), nonce, tag_cells, &[]).unwrap();
    assert!(is_poisoned(&data) && is_poisoned(&tag));
    publish(&mut *data, SENT);
    publish(&mut tag, SENT);
    judged(1, key.decrypt_detached(cells(&mut data), nonce, cells(&mut tag), &[])).unwrap();
    verify(data, text);
}

fn pieces<C: Bounded<N>, const N: usize>(key: &mut KeyOf<C, N>, text: &[u8]) {
    let mut whole = text.to_vec();
    poison(cells(&mut whole));
    let (a, b) = cells(&mut whole).split_at(text.len() / 3);
    let mut sealed = vec![0; text.len() + overhead::<N>()];
    key.encrypt_pieces_into(cells(&mut sealed), &[a, b], &[]).unwrap();
    send::<N>(&mut sealed);
    judged(1, key.decrypt_in_place(cells(&mut sealed), &[])).unwrap();
    verify(sealed[N..][..text.len()].to_vec(), text);
}

fn job<C: Bounded<N>, const N: usize>(key: &mut KeyOf<C, N>, text: &[u8]) {
    let mut arena = Arena::default();
    let mut sealed = poisoned::<N>(text);
    let job = key.encrypt_job(sealed.len(), 0, &mut arena).unwrap();
    job.run(cells(&mut sealed), &[]).unwrap();
    send::<N>(&mut sealed);
    let job = key.decrypt_job(sealed.len(), 0, &mut arena).unwrap();
    judged(1, job.run(cells(&mut sealed), &[])).unwrap();
    verify(sealed[N..][..text.len()].to_vec(), text);
}

/// Frames of one length, of which the last but one is then forged.
fn batch<C: Bounded<N>, const N: usize>(key: &mut KeyOf<C, N>, texts: &[u8], count: usize) {
    let length = texts.len() / count;
    let mut frames: Vec<u8> =
        (0..count).flat_map(|i| poisoned::<N>(&texts[i * length..][..length])).collect();
    let size = NonZeroUsize::new(length + overhead::<N>()).unwrap();
    let mut aad = [9; 13];
    key.encrypt_batch(together(&mut frames, size, &mut aad)).unwrap();
    frames.chunks_mut(size.get()).for_each(send::<N>);

    let forged = count.saturating_sub(2);
    frames[forged * size.get() + N + length] ^= 1;
    let opened = key.decrypt_batch(together(&mut frames, size, &mut aad)).unwrap();
    judged(count, ());
    assert_eq!(opened.failed, [forged as u32]);
    for (i, frame) in frames.chunks(size.get()).enumerate().filter(|(i, _)| *i != forged) {
        verify(frame[N..][..length].to_vec(), &texts[i * length..][..length]);
    }
}

fn together<'a>(frames: &'a mut [u8], size: NonZeroUsize, aad: &'a mut [u8]) -> Batch<'a> {
    Batch::new(Ranges::every(cells(frames), size).unwrap(), Aad::Same(cells(aad))).unwrap()
}

/// A message of three chunks, of which each is forged once.
pub(crate) fn chunks(cpu: Cpu) {
    let mut random = Random(0x6368_756e_6b73_2121);
    for bytes in [16, 32] {
        let (mut raw, mut base) = (random.bytes(bytes), [3; 12]);
        poison(cells(&mut raw));
        poison(cells(&mut base));
        let mut chunks = Chunks::new(cpu, &secret(&raw), base, &mut Arena::default()).unwrap();
        let text = random.bytes(2 * CHUNK_BYTES + 77);
        let mut source = text.clone();
        poison(cells(&mut source));
        let mut sealed = vec![0; text.len() + 3 * 16];
        chunks.seal(cells(&mut source), cells(&mut sealed), true).unwrap();
        assert!(is_poisoned(&sealed));
        publish(&mut *sealed, SENT);
        let mut target = vec![0; text.len()];
        judged(3, chunks.open(0, cells(&mut sealed), cells(&mut target), true)).unwrap();
        verify(target, &text);
        for index in 0..3 {
            let mut forged = sealed.clone();
            let end = ((index + 1) * (CHUNK_BYTES + 16)).min(forged.len());
            forged[end - 1] ^= 0x80;
            let refused = chunks.open(0, cells(&mut forged), cells(&mut vec![0; text.len()]), true);
            let refused = judged(index + 1, refused).map_err(|at| (at.error, at.index));
            assert_eq!(refused, Err((Error::Authentication, index)));
        }
    }
}

/// The comparison of tags alone, of equal tags and of tags that differ in one place.
pub(crate) fn comparison(_: Cpu) {
    for place in [None, Some(0), Some(7), Some(8), Some(15)] {
        let [mut a, mut b] = [[0x3c; 16]; 2];
        place.into_iter().for_each(|place: usize| b[place] ^= 1);
        poison(cells(&mut a));
        poison(cells(&mut b));
        let mut equal = same(&a, &b);
        publish(&mut equal, "the verdict");
        assert_eq!(equal, place.is_none());
    }
}
