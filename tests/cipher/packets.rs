//! QUIC packets against a slow model, on every backend: sealing, opening, key updates, and everything that is refused.

use crate::common::{Random, cells, sample};
use crate::packet::{Raw, open, seal};
use hardware_aes_gcm::backend::Cpu;
use hardware_aes_gcm::error::Error;
use hardware_aes_gcm::key::ranges::{ErrorAt, Ranges};
use hardware_aes_gcm::protocol::packet::{
    Counts, Limits, MAX_NUMBER, MAX_PACKET_BYTES, Protection,
};
use std::num::NonZeroUsize;

/// Header (without number), number bytes, and payload.
fn shape(random: &mut Random, length: usize) -> (Vec<u8>, usize, Vec<u8>) {
    let (bytes, mut header) = (1 + random.below(4), vec![0; 1 + random.below(30)]);
    header[0] = (random.next() as u8 & !3) | (bytes as u8 - 1);
    // The Key Phase bit of short headers: 0.
    header[0] &= if header[0] < 0x80 { !4 } else { 0xff };
    let payload = random.bytes(length.max(4 - bytes));
    (header, bytes, payload)
}

#[test]
fn packets_agree_with_the_book() {
    let mut random = Random(0x7175_6963);
    for cpu in Cpu::all() {
        for length in sample((0..90).chain([255, 256, 257, 1200, 1452])) {
            let raw = Raw::random(&mut random, 16 + 16 * (length % 2));
            let (header, bytes, payload) = shape(&mut random, length);
            let number = random.next() & MAX_NUMBER >> random.below(53);
            let path = if length % 3 == 0 { random.next() as u32 } else { 0 };
            let expected = raw.seal(&header, bytes, number, path, &payload);
            let start = header.len() + bytes;
            let mut packet = [&header[..], &vec![0xee; bytes], &payload, &[7; 16]].concat();
            let sealed =
                raw.protection(cpu).seal(Ranges::one(cells(&mut packet)), start, number, path);
            assert_eq!((sealed, &packet), (Ok(()), &expected), "{length} on {}", cpu.name());

            let (mut keys, at) = (raw.protection(cpu), NonZeroUsize::new(header.len()).unwrap());
            let mut opened = None;
            let largest = number.checked_sub(1);
            let done =
                keys.open(Ranges::one(cells(&mut packet)), at, largest, path, |it| opened = it);
            assert_eq!((done, opened), (Ok(()), Some(number)));
            let clear = [&header[..], &number.to_be_bytes()[8 - bytes..], &payload].concat();
            assert_eq!(packet[..clear.len()], clear, "{length} on {}", cpu.name());
            assert_eq!(packet[clear.len()..], expected[clear.len()..], "the tag stays");
        }
    }
}

#[test]
fn a_damaged_packet_is_dropped_and_stays_as_it_was() {
    let mut random = Random(0x6472_6f70);
    for cpu in Cpu::all() {
        let raw = Raw::random(&mut random, 32);
        let mut keys = raw.protection(cpu);
        let (header, bytes, payload) = (vec![0x41, 1, 2, 3], 2, random.bytes(40));
        let packet = raw.seal(&header, bytes, 7, 0, &payload);
        let mut failures = 0;
        for bit in sample(0..packet.len() * 8) {
            let mut forged = packet.clone();
            forged[bit / 8] ^= 1 << (bit % 8);
            let before = forged.clone();
            assert_eq!(open(&mut keys, &mut forged, 4, Some(6)), Ok(None), "bit {bit}");
            assert_eq!(forged, before, "bit {bit}");
            failures += 1;
        }
        for length in 0..packet.len() {
            let mut short = packet[..length].to_vec();
            assert_eq!(open(&mut keys, &mut short, 4, Some(6)), Ok(None), "{length} bytes");
            assert_eq!(short, packet[..length]);
            failures += u64::from(length >= 24);
        }
        for at in [packet.len() - 19, packet.len(), packet.len() + 1, usize::MAX - 3, usize::MAX] {
            assert_eq!(open(&mut keys, &mut packet.clone(), at, Some(6)), Ok(None), "{at}");
        }
        assert_eq!(keys.counts(), Counts { failures, ..Counts::default() });
        let mut long = raw.seal(&header, bytes, 7, 0, &vec![0; MAX_PACKET_BYTES - 6 - 16 + 1]);
        assert_eq!(open(&mut keys, &mut long, 4, Some(6)), Ok(None), "{} bytes", long.len());
        // Another expectation recovers another number.
        assert_eq!(open(&mut keys, &mut packet.clone(), 4, Some(1 << 17)), Ok(None));
        assert_eq!(open(&mut keys, &mut packet.clone(), 4, Some(6)), Ok(Some(7)));
    }
}

#[test]
fn numbers_above_the_highest_are_dropped_though_authentic() {
    let raw = Raw::random(&mut Random(5), 16);
    let mut keys = raw.protection(Cpu::best().unwrap());
    for (number, expected) in [(MAX_NUMBER, Some(MAX_NUMBER)), (MAX_NUMBER + 1, None)] {
        let mut packet = raw.seal(&[0x43], 4, number, 0, &[1; 9]);
        assert_eq!(open(&mut keys, &mut packet, 1, Some(MAX_NUMBER)), Ok(expected));
    }
}

#[test]
fn a_key_update_is_followed_once_and_in_order() {
    for cpu in Cpu::all() {
        let mut random = Random(0x7570_6461);
        let mut phases: Vec<Raw> = (0..3).map(|_| Raw::random(&mut random, 16)).collect();
        let header = phases[0].header.clone();
        phases.iter_mut().for_each(|raw| raw.header.clone_from(&header));
        let mut keys = phases[0].protection(cpu);
        assert_eq!(keys.set_next(phases[1].phase(cpu)), Ok(()));
        let first = |phase: usize| 0x40 | (phase as u8 & 1) << 2;
        let receive = |keys: &mut Protection, phase: usize, number: u64| {
            let mut packet = phases[phase].seal(&[first(phase)], 1, number, 0, &[9; 20]);
            let opened = open(keys, &mut packet, 1, Some(10)).unwrap();
            (opened.is_some(), keys.counts().updates)
        };
        assert_eq!(receive(&mut keys, 0, 10), (true, 0));
        assert_eq!(receive(&mut keys, 1, 20), (true, 1));
        assert_eq!(receive(&mut keys, 1, 18), (true, 1));
        assert_eq!(receive(&mut keys, 0, 17), (true, 1), "reordered");
        assert_eq!(receive(&mut keys, 0, 18), (false, 1), "old keys for a newer packet");
        assert_eq!(receive(&mut keys, 0, 19), (false, 1));
        assert_eq!(receive(&mut keys, 2, 30), (false, 1), "the next keys are not there yet");
        assert_eq!(keys.set_next(phases[2].phase(cpu)), Ok(()));
        assert_eq!(receive(&mut keys, 0, 12), (false, 1), "the previous keys are gone");
        assert_eq!(receive(&mut keys, 1, 21), (true, 1));
        assert_eq!(receive(&mut keys, 2, 30), (true, 2));
        assert_eq!(receive(&mut keys, 1, 22), (true, 2));
        // Neither a late packet nor a change to its tag is opened, and only the second is a forgery.
        let mut late = phases[1].seal(&[first(1)], 1, 40, 0, &[9; 20]);
        for tag_bit in [0, 1] {
            *late.last_mut().unwrap() ^= tag_bit;
            late[25] ^= tag_bit;
            let (before, failures) = (late.clone(), keys.counts().failures);
            assert_eq!(open(&mut keys, &mut late, 1, Some(10)), Ok(None));
            assert_eq!((&late, keys.counts().failures), (&before, failures + u64::from(tag_bit)));
        }
        // A forged phase bit selects other keys.
        let mut packet = phases[2].seal(&[first(2)], 1, 31, 0, &[9; 20]);
        packet[0] ^= 4;
        assert_eq!(open(&mut keys, &mut packet, 1, Some(10)), Ok(None));
        // Long headers have no such bit.
        let mut packet = phases[2].seal(&[0xe4, 1], 1, 32, 0, &[9; 20]);
        assert_eq!(open(&mut keys, &mut packet, 2, Some(10)), Ok(Some(32)));
    }
}

#[test]
fn a_run_is_its_packets_one_after_the_other() {
    let mut random = Random(0x7275_6e73);
    for cpu in Cpu::all() {
        let raw = Raw::random(&mut random, 32);
        for count in sample(0..20) {
            let size = 30 + random.below(90);
            let mut run = random.bytes(size * count);
            run.chunks_mut(size).for_each(|packet| packet[0] = 0x43);
            let mut one_by_one = run.clone();
            let (mut keys, mut single) = (raw.protection(cpu), raw.protection(cpu));
            let bytes = NonZeroUsize::new(size).unwrap();
            assert_eq!(
                keys.seal(Ranges::every(cells(&mut run), bytes).unwrap(), 9, 250, 0),
                Ok(())
            );
            for (i, packet) in one_by_one.chunks_mut(size).enumerate() {
                assert_eq!(seal(&mut single, packet, 9, 250 + i as u64), Ok(()));
            }
            assert_eq!(run, one_by_one);
            assert_eq!(keys.counts(), single.counts());
            // The third is damaged, and the number of the last is carried along.
            if let Some(byte) = run.get_mut(2 * size + 9) {
                *byte ^= 1;
            }
            let mut numbers = Vec::with_capacity(count);
            let at = NonZeroUsize::new(5).unwrap();
            let opened =
                keys.open(Ranges::every(cells(&mut run), bytes).unwrap(), at, Some(200), 0, |it| {
                    numbers.push(it)
                });
            assert_eq!(opened, Ok(()));
            let expected = (0..count).map(|i| (i != 2).then_some(250 + i as u64));
            assert_eq!(numbers, expected.collect::<Vec<_>>());
        }
    }
}

#[test]
fn packets_that_cannot_be_sealed_are_refused_before_a_byte_is_written() {
    let raw = Raw::random(&mut Random(9), 16);
    let cpu = Cpu::best().unwrap();
    let mut keys = raw.limited(cpu, Limits { packets: 5, failures: 2 }, 0);
    let mut refused = |packet: &mut [u8], ends: &[u32], header, number, path| {
        let before = packet.to_vec();
        let run = Ranges::ending_at(cells(packet), ends).unwrap();
        let sealed = keys.seal(run, header, number, path);
        let unchanged = sealed.is_ok() || packet == before;
        assert!(unchanged, "a refused call wrote");
        sealed
    };
    let at = |error, index| Err(ErrorAt { error, index });
    let mut packet = vec![0x41; 100];
    assert_eq!(refused(&mut packet, &[0], 5, 0, 0), at(Error::PacketTooShort, 0));
    assert_eq!(refused(&mut packet, &[40, 62], 4, 0, 0), Ok(()), "two and two bytes");
    packet.fill(0x41);
    assert_eq!(refused(&mut packet, &[40, 61], 4, 5, 0), at(Error::PacketTooShort, 1));
    assert_eq!(refused(&mut packet, &[40, 80], 2, 5, 0), at(Error::HeaderTooShort, 0));
    assert_eq!(refused(&mut packet, &[40], usize::MAX, 5, 0), at(Error::PacketTooShort, 0));
    let mut long = vec![0; MAX_PACKET_BYTES + 1];
    assert_eq!(refused(&mut long, &[65_536], 5, 5, 0), at(Error::PacketTooLong, 0));
    for reused in [0, 1] {
        assert_eq!(refused(&mut packet, &[40], 5, reused, 0), at(Error::SequenceReused, 0));
    }
    assert_eq!(refused(&mut packet, &[40], 5, 0, 1), Ok(()), "another path");
    packet.fill(0x41);
    assert_eq!(refused(&mut packet, &[40, 80], 5, MAX_NUMBER, 0), at(Error::NumberTooLarge, 0));
    assert_eq!(refused(&mut packet, &[30, 60, 90], 5, 2, 0), at(Error::EncryptionsExhausted, 0));
    assert_eq!(refused(&mut packet, &[30, 60], 5, 2, 0), Ok(()));
    packet.fill(0x41);
    assert_eq!(refused(&mut packet, &[30], 5, 9, 0), at(Error::EncryptionsExhausted, 0));
    assert_eq!(refused(&mut packet, &[], 5, 9, 0), Ok(()), "an empty run");
    assert_eq!(keys.counts(), Counts { packets: 5, ..Counts::default() });
    keys.destroy();
    assert_eq!(seal(&mut keys, &mut packet, 5, 9), Err(Error::Destroyed));
    assert_eq!(keys.mask([0; 16]), Err(Error::Destroyed));
    assert_eq!(keys.set_next(raw.phase(cpu)), Err(Error::Destroyed));
}

#[test]
fn after_the_limit_of_failures_no_packet_is_touched() {
    let raw = Raw::random(&mut Random(11), 16);
    let limits = Limits { packets: 5, failures: 5 };
    let mut keys = raw.limited(Cpu::best().unwrap(), limits, 3);
    let good = raw.seal(&[0x40], 1, 1, 0, &[9; 20]);
    let mut bad = good.clone();
    bad[20] ^= 1;
    let mut run = [&good[..], &bad, &bad, &good].concat();
    let every = NonZeroUsize::new(good.len()).unwrap();
    let mut numbers = Vec::with_capacity(4);
    let packets = Ranges::every(cells(&mut run), every).unwrap();
    let opened = keys.open(packets, NonZeroUsize::MIN, None, 0, |it| numbers.push(it));
    assert_eq!(opened, Err(ErrorAt { error: Error::FailuresExhausted, index: 3 }));
    assert_eq!(numbers, [Some(1), None, None]);
    assert_eq!(run[3 * good.len()..], good);
    assert_eq!(keys.counts().failures, 5);
    assert_eq!(open(&mut keys, &mut good.clone(), 1, None), Err(Error::FailuresExhausted));
}
