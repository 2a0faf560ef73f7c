//! Sealing and opening one message, in place and apart, by every backend: the result is that of the model, and a forgery leaves
//! nothing behind.

use super::{Modelled, frame, key_bytes, options};
use crate::common::{cells, key_of};
use crate::input::Input;
use crate::plant;
use hardware_aes_gcm::backend::Cpu;
use hardware_aes_gcm::error::Error;
use hardware_aes_gcm::key::KeyOf;
use hardware_aes_gcm::key::arena::Arena;
use hardware_aes_gcm::key::frames::{NonceAt, overhead};

pub(crate) fn seal_and_open<M: Modelled<N>, const N: usize>(mut input: Input) {
    let options = options(&mut input);
    let (way, place) = (input.byte(), usize::from(input.byte() % 64));
    let bytes = key_bytes::<M, N>(&mut input);
    let nonce: [u8; N] = input.array();
    let aad_length = input.length().min(300);
    let mut aad = input.random(aad_length);
    let length = input.length();
    let flip = input.below((N + length + 16) * 8);
    let mut text = input.text(length);
    let sealed = frame::<M, N>(options.nonce_at, &bytes, &nonce, &aad, &text);
    let mut forged = sealed.clone();
    forged[flip / 8] ^= 1 << (flip % 8);
    for cpu in Cpu::all() {
        let name = cpu.name();
        let key: &mut KeyOf<M::Key, N> = &mut key_of(cpu, &bytes, options);
        match way % 4 {
            0 => detached(key, place, &text, &mut aad, &sealed, options.nonce_at, name),
            1 => apart(key, place, &mut text, &mut aad, &sealed, &forged, name),
            2 => in_place(key, place, &text, &mut aad, &sealed, &forged, options.nonce_at, name),
            _ => by_a_job(key, &text, &mut aad, &sealed, &forged, options.nonce_at),
        }
    }
}

/// The parts of a frame.
fn parts<const N: usize>(nonce_at: NonceAt, frame: &[u8]) -> ([u8; N], Vec<u8>, Vec<u8>) {
    let parts = nonce_at.split::<N>(cells(&mut frame.to_vec())).map(|parts| {
        let bytes =
            |cells: &[std::cell::Cell<u8>]| cells.iter().map(std::cell::Cell::get).collect();
        (parts.nonce.each_ref().map(std::cell::Cell::get), bytes(parts.text), bytes(parts.tag))
    });
    parts.expect("a whole frame")
}

/// Memory that ends with the message, so that AddressSanitizer sees a byte too many.
fn behind(place: usize, bytes: &[u8]) -> Vec<u8> {
    let mut memory = vec![0x5c; place];
    memory.extend_from_slice(bytes);
    memory.shrink_to_fit();
    memory
}

fn detached<C: hardware_aes_gcm::key::Bounded<N>, const N: usize>(
    key: &mut KeyOf<C, N>,
    place: usize,
    text: &[u8],
    aad: &mut [u8],
    sealed: &[u8],
    nonce_at: NonceAt,
    name: &str,
) {
    let (mut nonce, expected, expected_tag) = parts::<N>(nonce_at, sealed);
    let (mut memory, mut tag) = (behind(place, text), vec![0; 16]);
    let (nonce, aad) = (cells(&mut nonce), cells(aad));
    let made = key.encrypt_detached(&cells(&mut memory)[place..], nonce, cells(&mut tag), aad);
    assert_eq!(made, Ok(()), "{name}");
    assert_eq!(plant::result(memory[place..].to_vec()), expected, "{name}");
    assert_eq!(tag, expected_tag, "{name}");
    tag[place % 16] ^= 1 << (place % 8);
    let opened = key.decrypt_detached(&cells(&mut memory)[place..], nonce, cells(&mut tag), aad);
    assert_eq!(opened, Err(Error::Authentication), "{name}");
    assert_eq!(memory[place..], expected, "{name}: a forgery changed the message");
    tag[place % 16] ^= 1 << (place % 8);
    let opened = key.decrypt_detached(&cells(&mut memory)[place..], nonce, cells(&mut tag), aad);
    assert_eq!((opened, &memory[place..]), (Ok(()), text), "{name}");
    assert_eq!(memory[..place], vec![0x5c; place], "{name}: bytes before the message");
    assert_eq!(key.counts().failures, 1);
}

fn apart<C: hardware_aes_gcm::key::Bounded<N>, const N: usize>(
    key: &mut KeyOf<C, N>,
    place: usize,
    text: &mut [u8],
    aad: &mut [u8],
    sealed: &[u8],
    forged: &[u8],
    name: &str,
) {
    let aad = cells(aad);
    let mut target = vec![0x5c; text.len() + place];
    let opened = key.decrypt_into(cells(&mut target), cells(&mut forged.to_vec()), aad);
    assert_eq!(opened, Err(Error::Authentication), "{name}");
    assert!(target[..text.len()].iter().all(|byte| *byte == 0), "{name}: a forgery left bytes");
    let opened = key.decrypt_into(cells(&mut target), cells(&mut sealed.to_vec()), aad);
    assert_eq!(opened, Ok(text.len()), "{name}");
    assert_eq!(plant::result(target[..text.len()].to_vec()), text, "{name}");
    assert_eq!(target[text.len()..], vec![0x5c; place], "{name}: bytes after the text");
    // A frame with a nonce of the library opens, too.
    let mut made = vec![0x5c; sealed.len() + place];
    let written = key.encrypt_into(cells(&mut made), cells(text), aad);
    assert_eq!(written, Ok(sealed.len()), "{name}");
    assert_eq!(made[sealed.len()..], vec![0x5c; place], "{name}: bytes after the frame");
    let opened = key.decrypt_into(cells(&mut target), &cells(&mut made)[..sealed.len()], aad);
    assert_eq!((opened, &target[..text.len()]), (Ok(text.len()), &*text), "{name}");
    if place > 0 {
        let before = target.clone();
        let short = text.len().saturating_sub(place);
        let (to, from) = (&cells(&mut target)[..short], cells(&mut made));
        if short < text.len() {
            let refused = key.decrypt_into(to, &from[..sealed.len()], aad);
            assert_eq!((refused, &target), (Err(Error::TargetTooShort), &before), "{name}");
        }
    }
}

#[expect(clippy::too_many_arguments, reason = "the parts of one case")]
fn in_place<C: hardware_aes_gcm::key::Bounded<N>, const N: usize>(
    key: &mut KeyOf<C, N>,
    place: usize,
    text: &[u8],
    aad: &mut [u8],
    sealed: &[u8],
    forged: &[u8],
    nonce_at: NonceAt,
    name: &str,
) {
    let aad = cells(aad);
    let mut memory = behind(place, forged);
    let refused = key.decrypt_in_place(&cells(&mut memory)[place..], aad);
    assert_eq!(refused, Err(Error::Authentication), "{name}");
    assert_eq!(memory[place..], *forged, "{name}: a forgery changed the frame");
    let mut memory = behind(place, sealed);
    assert_eq!(key.decrypt_in_place(&cells(&mut memory)[place..], aad), Ok(()), "{name}");
    assert_eq!(plant::result(parts::<N>(nonce_at, &memory[place..]).1), text, "{name}");
    assert_eq!(key.encrypt_in_place(&cells(&mut memory)[place..], aad), Ok(()), "{name}");
    assert_eq!(key.decrypt_in_place(&cells(&mut memory)[place..], aad), Ok(()), "{name}");
    assert_eq!(parts::<N>(nonce_at, &memory[place..]).1, text, "{name}");
    // A part of a frame is not authentic, or too short to be a frame.
    let short = place.min(sealed.len());
    let mut memory = behind(0, &sealed[..sealed.len() - short]);
    if short > 0 {
        let refused = key.decrypt_in_place(cells(&mut memory), aad);
        assert_eq!(refused, Err(Error::Authentication), "{name}");
        assert_eq!(memory, sealed[..sealed.len() - short], "{name}");
        if memory.len() < overhead::<N>() {
            assert_eq!(key.encrypt_in_place(cells(&mut memory), aad), Err(Error::FrameTooShort));
            assert_eq!(memory, sealed[..sealed.len() - short], "{name}");
        }
    }
}

/// Without a thread of its own: the tests of jobs have threads.
fn by_a_job<C: hardware_aes_gcm::key::Bounded<N>, const N: usize>(
    key: &mut KeyOf<C, N>,
    text: &[u8],
    aad: &mut [u8],
    sealed: &[u8],
    forged: &[u8],
    nonce_at: NonceAt,
) {
    let (aad, mut arena) = (cells(aad), Arena::default());
    for (frame, result) in [(forged, Err(Error::Authentication)), (sealed, Ok(()))] {
        let mut memory = frame.to_vec();
        let job = key.decrypt_job(memory.len(), aad.len(), &mut arena).expect("a job");
        assert_eq!(job.run(cells(&mut memory), aad), result);
        match result {
            Ok(()) => assert_eq!(plant::result(parts::<N>(nonce_at, &memory).1), text),
            Err(_) => assert_eq!(memory, frame, "a forgery changed the frame"),
        }
    }
    let mut memory = sealed.to_vec();
    key.decrypt_in_place(cells(&mut memory), aad).expect("authentic");
    let job = key.encrypt_job(memory.len(), aad.len(), &mut arena).expect("a job");
    assert_eq!(job.run(cells(&mut memory), aad), Ok(()));
    assert_eq!(key.decrypt_in_place(cells(&mut memory), aad), Ok(()));
    assert_eq!(parts::<N>(nonce_at, &memory).1, text);
    assert_eq!(arena.used(), 0);
}
