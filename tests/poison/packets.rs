//! QUIC packets: packet keys, header keys, IVs and payloads are undefined. Public: lengths, the packets that travel, and the verdict.
//!
//! A receiver unmasks the first byte and the number with the header key, so these are undefined before the tag has matched,
//! and the library branches on neither (RFC 9001 9.5), apart from the verdict. The length of the number decides how many blocks
//! the header and the payload have, so it is known here, and the Key Phase bit decides which keys are read: docs/security.md and
//! checks/valgrind/public.supp.

use crate::common::{Random, cells, secret};
use crate::memcheck::{is_poisoned, is_public, judged, poison, poison_bits, publish};
use crate::messages::SENT;
use hardware_aes_gcm::backend::Cpu;
use hardware_aes_gcm::key::arena::Arena;
use hardware_aes_gcm::key::ranges::Ranges;
use hardware_aes_gcm::protocol::packet::{Limits, PhaseKeys, Protection};
use std::num::NonZeroUsize;

const ID_BYTES: usize = 4;
const NUMBER_AT: NonZeroUsize = NonZeroUsize::new(1 + ID_BYTES).unwrap();
const OPENED: &str = "the packet was authentic";

/// The keys of one direction. The IV is a secret, too. `hidden` says whether the header key is one.
fn keys(cpu: Cpu, bits: usize, hidden: bool, arena: &mut Arena) -> Protection {
    let mut random = Random(0x7175_6963_6b65_7973);
    let mut phase = |arena: &mut Arena| {
        let (mut key, mut iv) = (random.bytes(bits / 8), [0x1f; 12]);
        poison(cells(&mut key));
        poison(cells(&mut iv));
        PhaseKeys::new(cpu, &secret(&key), iv, arena).unwrap()
    };
    let (current, next) = (phase(arena), phase(arena));
    let mut header = Random(0x6865_6164_6572).bytes(bits / 8);
    if hidden {
        poison(cells(&mut header));
    }
    let mut keys =
        Protection::new(cpu, current, &secret(&header), false, Limits::default(), 0, arena)
            .unwrap();
    keys.set_next(next).unwrap();
    keys
}

/// A packet to seal: a short header with a number of `number` bytes, or a long one, and an undefined payload.
fn packet(first: u8, payload: usize) -> Vec<u8> {
    let header = NUMBER_AT.get() + usize::from(first & 3) + 1;
    let mut packet = Random(payload as u64).bytes(header + payload + 16);
    packet[0] = first;
    poison(cells(&mut packet[header..][..payload]));
    packet
}

fn header_of(packet: &[u8]) -> usize {
    NUMBER_AT.get() + usize::from(packet[0] & 3) + 1
}

/// Sealing with every key undefined, and the mask of a header alone.
pub(crate) fn seal(cpu: Cpu) {
    for bits in [128, 256] {
        let arena = &mut Arena::default();
        let mut keys = keys(cpu, bits, true, arena);
        let mut number = 7;
        for first in [0x40, 0x41, 0x42, 0x43, 0xc1] {
            for payload in [4, 20, 100, 1200] {
                let mut packet = packet(first, payload);
                let header = header_of(&packet);
                keys.seal(Ranges::one(cells(&mut packet)), header, number, 0).unwrap();
                number += 1;
                assert!(
                    is_public(&packet[1..=ID_BYTES]) && is_poisoned(&packet[NUMBER_AT.get()..])
                );
            }
        }
        // A run of packets, and the mask.
        let mut run: Vec<u8> = (0..3).flat_map(|_| packet(0x41, 60)).collect();
        let size = NonZeroUsize::new(run.len() / 3).unwrap();
        let packets = Ranges::every(cells(&mut run), size).unwrap();
        keys.seal(packets, NUMBER_AT.get() + 2, number, 0).unwrap();
        assert!(is_poisoned(&keys.mask([4; 16]).unwrap()));
    }
}

/// Packets as they travel, of which the first one has `number`.
fn sealed(keys: &mut Protection, first: u8, payload: usize, number: u64) -> Vec<u8> {
    let mut packet = packet(first, payload);
    let header = header_of(&packet);
    keys.seal(Ranges::one(cells(&mut packet)), header, number, 0).unwrap();
    publish(&mut *packet, SENT);
    packet
}

/// Opening with undefined packet keys and a known header key: authentic packets and forgeries, alone and in a run.
pub(crate) fn open(cpu: Cpu) {
    for bits in [128, 256] {
        let arena = &mut Arena::default();
        let (mut sender, mut receiver) =
            (keys(cpu, bits, false, arena), keys(cpu, bits, false, arena));
        for (number, payload) in [4, 20, 100, 1200].into_iter().enumerate() {
            let number = number as u64;
            let genuine = sealed(&mut sender, 0x43, payload, number);
            let mut forged = genuine.clone();
            *forged.last_mut().unwrap() ^= 1;
            let dropped = receiver.open_one(cells(&mut forged), NUMBER_AT, None, 0);
            assert_eq!(judged(1, dropped), Ok(None));
            publish(&mut *forged, "it is what was sent again");
            let mut two = [forged, genuine.clone()].concat();
            let mut each = Vec::new();
            let size = NonZeroUsize::new(genuine.len()).unwrap();
            let packets = Ranges::every(cells(&mut two), size).unwrap();
            let opened = receiver.open(packets, NUMBER_AT, None, 0, |opened| each.push(opened));
            judged(2, opened).unwrap();
            publish(&mut *each, OPENED);
            assert_eq!(each, [None, Some(number)]);
            assert!(is_poisoned(&two[genuine.len() + 9..][..payload]));
        }
    }
}

/// Forgeries whose number is undefined where it was masked: no branch on the number, though nonce and header have it.
pub(crate) fn hidden_number(cpu: Cpu) {
    forgeries(cpu, |packet, bytes| poison(cells(&mut packet[NUMBER_AT.get()..][..bytes])));
}

/// Forgeries whose Key Phase bit is undefined: no branch on the bit. It is the index of the keys, which
/// checks/valgrind/public.supp lets pass.
pub(crate) fn hidden_phase(cpu: Cpu) {
    forgeries(cpu, |packet, _| poison_bits(&mut packet[0], 4));
}

/// `hide` gets a packet as it travels, and the length of its number.
fn forgeries(cpu: Cpu, hide: impl Fn(&mut [u8], usize)) {
    let arena = &mut Arena::default();
    // Even the packet keys are known here: only the bits that `hide` makes undefined can be reported.
    let known = || PhaseKeys::new(cpu, &secret(&[5; 16]), [6; 12], &mut Arena::default()).unwrap();
    let header = secret(&[8; 16]);
    let both = [(); 2].map(|()| {
        let mut keys =
            Protection::new(cpu, known(), &header, false, Limits::default(), 0, arena).unwrap();
        keys.set_next(known()).unwrap();
        keys
    });
    let [mut sender, mut receiver] = both;
    for (i, first) in [0x40, 0x41, 0x42, 0x43].into_iter().enumerate() {
        let mut plain =
            Random(1 + i as u64).bytes(NUMBER_AT.get() + usize::from(first & 3) + 1 + 90 + 16);
        plain[0] = first;
        let header = header_of(&plain);
        sender.seal(Ranges::one(cells(&mut plain)), header, 200 + i as u64, 0).unwrap();
        let mut forged = plain;
        *forged.last_mut().unwrap() ^= 1;
        hide(&mut forged, header - NUMBER_AT.get());
        let dropped = receiver.open_one(cells(&mut forged), NUMBER_AT, Some(199), 0);
        assert_eq!(judged(1, dropped), Ok(None));
    }
}
