//! The keys that one protection of QUIC packets holds beside each other: with which of them it seals, and their memory.

use crate::common::Random;
use crate::packet::{Raw, open, seal};
use hardware_aes_gcm::backend::{Cpu, RoundKeys};
use hardware_aes_gcm::key::arena::Arena;
use hardware_aes_gcm::protocol::packet::{Limits, Protection};

/// The keys of three phases that follow each other. A header key outlives its phase.
fn phases(random: &mut Random) -> [Raw; 3] {
    let [first, mut second, mut third] = [(); 3].map(|()| Raw::random(random, 16));
    second.header.clone_from(&first.header);
    third.header.clone_from(&first.header);
    [first, second, third]
}

/// The first byte of a short header with one byte of number.
fn header(phase: usize) -> [u8; 1] {
    [0x40 | (phase as u8 & 1) << 2]
}

/// A peer cannot open packets of the next key phase before an update was agreed, and drops those of the phase before.
#[test]
fn packets_are_sealed_with_the_keys_of_the_current_phase() {
    let mut random = Random(0x7068_6173_6573);
    for cpu in Cpu::all() {
        for bit in [0, 1] {
            let raw = phases(&mut random);
            let mut keys = raw[0].beginning(cpu, bit == 1, Limits::default(), 0);
            let mut number = 0;
            let mut seals_with = |keys: &mut Protection, phase: usize| {
                let header = header(phase + bit);
                let expected = raw[phase].seal(&header, 1, number, 0, &[9; 20]);
                let mut packet = [&header[..], &[0], &[9; 20], &[0; 16]].concat();
                assert_eq!(seal(keys, &mut packet, 2, number), Ok(()));
                assert_eq!(packet, expected, "phase {phase} on {}", cpu.name());
                number += 1;
            };
            let receives = |keys: &mut Protection, phase: usize| {
                let sent = 10 * phase as u64;
                let mut packet = raw[phase].seal(&header(phase + bit), 1, sent, 0, &[9; 20]);
                assert_eq!(open(keys, &mut packet, 1, sent.checked_sub(1)), Ok(Some(sent)));
            };
            seals_with(&mut keys, 0);
            for (next, of_next) in raw.iter().enumerate().skip(1) {
                assert_eq!(keys.set_next(of_next.phase(cpu)), Ok(()));
                seals_with(&mut keys, next - 1);
                receives(&mut keys, next);
                seals_with(&mut keys, next);
            }
        }
    }
}

/// JavaScript's collector is told these bytes: with fewer it would run too late, with more too often.
#[test]
fn the_reported_memory_is_that_of_the_keys_that_are_held() {
    let mut random = Random(0x6d65_6d6f_7279);
    for cpu in Cpu::all() {
        let raw = phases(&mut random);
        let slot = |bytes| Arena::default().place(bytes).unwrap().length();
        let (header_key, of_phase) = (slot(RoundKeys::BYTES), slot(cpu.state_bytes()));
        let mut keys = raw[0].protection(cpu);
        assert_eq!(keys.state_bytes(), header_key + of_phase, "one phase");
        for next in [&raw[1], &raw[1], &raw[2]] {
            assert_eq!(keys.set_next(next.phase(cpu)), Ok(()));
            assert_eq!(keys.state_bytes(), header_key + 2 * of_phase, "and the next one");
        }
        let mut packet = raw[2].seal(&header(1), 1, 7, 0, &[9; 20]);
        assert_eq!(open(&mut keys, &mut packet, 1, Some(6)), Ok(Some(7)));
        assert_eq!(keys.state_bytes(), header_key + 2 * of_phase, "and the one before");
        keys.destroy();
        assert_eq!(keys.state_bytes(), 0);
    }
}
