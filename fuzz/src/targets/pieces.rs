//! Plaintexts in pieces: the frame is that of the concatenation.

use super::{Modelled, frame, key_bytes, nonce_of, of_a_cipher, options};
use crate::common::{cells, key_of};
use crate::input::Input;
use crate::plant;
use hardware_aes_gcm::backend::Cpu;
use hardware_aes_gcm::error::Error;
use hardware_aes_gcm::key::KeyOf;
use hardware_aes_gcm::key::frames::overhead;
use hardware_aes_gcm::lanes::Bytes;

pub(crate) fn gather(mut input: Input) {
    of_a_cipher!(input, of_cipher);
}

fn of_cipher<M: Modelled<N>, const N: usize>(mut input: Input) {
    let options = options(&mut input);
    let (lacking, spare) = (usize::from(input.byte()), usize::from(input.byte() % 8));
    let bytes = key_bytes::<M, N>(&mut input);
    let aad_length = input.length().min(100);
    let mut aad = input.random(aad_length);
    // At most 16 pieces. Each is memory of its own, so that AddressSanitizer sees a byte too many.
    let count = usize::from(input.byte() % 17);
    let lengths = input.lengths(count, 2048);
    let all = input.text(lengths.iter().sum());
    let mut rest = &all[..];
    let mut pieces: Vec<Box<[u8]>> =
        lengths.iter().map(|length| rest.split_off(..*length).expect("a part").into()).collect();
    let pieces: Vec<Bytes> = pieces.iter_mut().map(|piece| cells(piece)).collect();
    let (aad, length) = (cells(&mut aad), all.len() + overhead::<N>());
    for cpu in Cpu::all() {
        let mut key: KeyOf<M::Key, N> = key_of(cpu, &bytes, options);
        let mut target = vec![0x5c; length + spare];
        let short = length.saturating_sub(1 + lacking);
        let refused = key.encrypt_pieces_into(&cells(&mut target)[..short], &pieces, aad);
        assert_eq!(refused, Err(Error::TargetTooShort));
        assert_eq!(target, vec![0x5c; length + spare], "a refused call wrote");
        assert_eq!(key.counts().messages, 0);

        assert_eq!(key.encrypt_pieces_into(cells(&mut target), &pieces, aad), Ok(length));
        let nonce = nonce_of::<N>(options.nonce_at, &target[..length]);
        let plain: Vec<u8> = aad.iter().map(std::cell::Cell::get).collect();
        let expected = frame::<M, N>(options.nonce_at, &bytes, &nonce, &plain, &all);
        let made = plant::result(target[..length].to_vec());
        assert_eq!(made, expected, "{}: pieces of {lengths:?}", cpu.name());
        assert_eq!(target[length..], vec![0x5c; spare], "bytes after the frame");
    }
}
