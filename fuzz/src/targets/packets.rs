//! QUIC packets: genuine ones, their forgeries, and runs of any bytes, sealed and opened, against the model of one packet.

use super::Gcm;
use crate::common::{Random, cells, secret};
use crate::input::Input;
use crate::plant;
use hardware_aes_gcm::backend::Cpu;
use hardware_aes_gcm::error::Error;
use hardware_aes_gcm::key::arena::Arena;
use hardware_aes_gcm::key::ranges::{ErrorAt, Ranges};
use hardware_aes_gcm::protocol::packet::{Counts, Limits, MAX_NUMBER, PhaseKeys, Protection};
use std::cell::RefCell;
use std::num::NonZeroUsize;

pub(crate) fn of_a_connection(mut input: Input) {
    if input.bit() { genuine(input) } else { any_bytes(input) }
}

thread_local!(static ARENA: RefCell<Arena> = RefCell::default());

/// Key, IV and header key.
struct Raw {
    key: Vec<u8>,
    iv: [u8; 12],
    header: Vec<u8>,
}

impl Raw {
    fn read(input: &mut Input) -> Self {
        let flags = input.byte();
        let mut random = Random(u64::from(flags >> 1) + 1);
        let bytes = if flags & 1 == 0 { 16 } else { 32 };
        let mut iv = [0; 12];
        iv.copy_from_slice(&random.bytes(12));
        Self { key: random.bytes(bytes), iv, header: random.bytes(bytes) }
    }

    fn protection(&self, cpu: Cpu, limits: Limits) -> Protection {
        let made = ARENA.with_borrow_mut(|arena| {
            let keys = PhaseKeys::new(cpu, &secret(&self.key), self.iv, arena)?;
            Protection::new(cpu, keys, &secret(&self.header), false, limits, 0, arena)
        });
        made.expect("keys")
    }

    /// The model: a packet of `header` without its number, and `payload` (RFC 9001 5.3 and 5.4).
    fn seal(&self, header: &[u8], bytes: usize, number: u64, path: u32, payload: &[u8]) -> Vec<u8> {
        let at = header.len();
        let header = [header, &number.to_be_bytes()[8 - bytes..]].concat();
        let mut nonce = self.iv;
        let mixed = (u128::from(path) << 64 | u128::from(number)).to_be_bytes();
        nonce.iter_mut().zip(&mixed[4..]).for_each(|(byte, mixed)| *byte ^= mixed);
        let (text, tag) = super::seal::<Gcm, 12>(&self.key, &nonce, &header, payload);
        let mut packet = [&header[..], &text, &tag].concat();
        let sample = packet[at + 4..].first_chunk().expect("a sample");
        let mask = models::block(&self.header, *sample);
        packet[0] ^= mask[0] & if packet[0] < 0x80 { 0x1f } else { 0x0f };
        (0..bytes).for_each(|i| packet[at + i] ^= mask[1 + i]);
        packet
    }
}

/// A packet that opens, then one with a bit changed, which does not.
fn genuine(mut input: Input) {
    let raw = Raw::read(&mut input);
    let bytes = usize::from(input.byte() % 4) + 1;
    let (number, path) =
        (input.word() & (MAX_NUMBER >> (input.byte() % 53)), u32::from(input.byte() % 3));
    // How far the largest number that was received lies before this one: RFC 9000 A.3 recovers numbers close enough.
    let window = 1u64 << (8 * bytes);
    let largest = number.checked_sub(1 + input.word() % (window / 2));
    let flip = input.word() as usize;
    let header_length = 1 + usize::from(input.byte() % 40);
    let payload = input.length().min(1500).max(4 - bytes);
    let mut header = input.text(header_length);
    header[0] = header[0] & !3 | (bytes as u8 - 1);
    // The Key Phase bit of a short header, which is that of the only keys: 0.
    header[0] &= if header[0] < 0x80 { !4 } else { 0xff };
    let payload = input.text(payload);
    let expected = raw.seal(&header, bytes, number, path, &payload);
    let clear = [&header[..], &number.to_be_bytes()[8 - bytes..], &payload].concat();
    let at = NonZeroUsize::new(header_length).expect("at least 1");
    for cpu in Cpu::all() {
        let name = cpu.name();
        let mut packet = [&header[..], &vec![0xee; bytes], &payload, &[7; 16]].concat();
        let run = Ranges::one(cells(&mut packet));
        let sealed =
            raw.protection(cpu, Limits::default()).seal(run, header_length + bytes, number, path);
        assert_eq!(sealed, Ok(()), "{name}");
        assert_eq!(plant::result(packet.clone()), expected, "{name}");

        let mut receiver = raw.protection(cpu, Limits::default());
        let mut forged = expected.clone();
        let bit = flip % (forged.len() * 8);
        forged[bit / 8] ^= 1 << (bit % 8);
        let before = forged.clone();
        let opened = receiver.open_one(cells(&mut forged), at, largest, path);
        assert_eq!((opened, forged), (Ok(None), before), "{name}: a forgery");
        assert_eq!(receiver.counts(), Counts { failures: 1, ..Counts::default() }, "{name}");
        // Without a largest number, the packet's own bytes must say all of it.
        let known = largest.is_some() || number < window / 2;
        let opened = receiver.open_one(cells(&mut packet), at, largest, path);
        if known {
            assert_eq!((opened, &packet[..clear.len()]), (Ok(Some(number)), &clear[..]), "{name}");
        }
        let mut numbers = Vec::new();
        let mut again = expected.clone();
        let run = Ranges::one(cells(&mut again));
        let opened_again =
            raw.protection(cpu, Limits::default())
                .open(run, at, largest, path, |it| numbers.push(it));
        assert_eq!((opened_again, again), (Ok(()), packet), "{name}: a run of one packet");
        assert_eq!(numbers, [opened.expect("opens or drops")], "{name}");
    }
}

/// A run of packets of any bytes: all are dropped and stay. Then they are sealed, or refused as the model says, and open.
fn any_bytes(mut input: Input) {
    let raw = Raw::read(&mut input);
    let limits =
        Limits { packets: u64::from(input.byte() % 12), failures: u64::from(input.byte() % 12) };
    let (at, header_length) = (usize::from(input.byte()) + 1, usize::from(input.byte()));
    let every = NonZeroUsize::new(usize::from(input.byte()) * 2 + 1).expect("odd");
    let (path, number) = (u32::from(input.byte() % 3), input.word());
    let largest = input.bit().then_some(number & MAX_NUMBER);
    let before = input.rest();
    let at = NonZeroUsize::new(at).expect("at least 1");
    let packets: Vec<_> = before.chunks(every.get()).collect();
    // Those that have a sample count as forgeries.
    let tried = packets.iter().map(|packet| packet.len() >= at.get() + 20);
    let mut failures = 0;
    let mut stopped = None;
    for (index, tried) in tried.enumerate() {
        if failures == limits.failures {
            stopped.get_or_insert(index);
        } else {
            failures += u64::from(tried);
        }
    }
    for cpu in Cpu::all() {
        let name = cpu.name();
        let mut memory = before.to_vec();
        let mut receiver = raw.protection(cpu, limits);
        let mut opened = Vec::new();
        let run = Ranges::every(cells(&mut memory), every).expect("few packets");
        let result = receiver.open(run, at, largest, path, |number| opened.push(number));
        let exhausted = stopped.map(|index| ErrorAt { error: Error::FailuresExhausted, index });
        assert_eq!(result, exhausted.map_or(Ok(()), Err), "{name}");
        assert_eq!(opened, vec![None; stopped.unwrap_or(packets.len())], "{name}");
        assert_eq!(memory, before, "{name}: a dropped packet was changed");
        assert_eq!(receiver.counts().failures, failures, "{name}");

        let mut sender = raw.protection(cpu, limits);
        let run = Ranges::every(cells(&mut memory), every).expect("few packets");
        let result = sender.seal(run, header_length, number, path);
        assert_eq!(result.err(), refusal(&packets, header_length, number, limits), "{name}");
        if result.is_err() {
            assert_eq!(plant::result(memory), before, "{name}: a refused call wrote");
            assert_eq!(sender.counts(), Counts::default(), "{name}");
            continue;
        }
        let expected = packets.iter().zip(number..).flat_map(|(packet, number)| {
            let bytes = number_bytes(packet);
            let (header, rest) = packet.split_at(header_length);
            let payload = &rest[..rest.len() - 16];
            raw.seal(&header[..header_length - bytes], bytes, number, path, payload)
        });
        assert_eq!(plant::result(memory), expected.collect::<Vec<_>>(), "{name}");
        assert_eq!(sender.counts().packets, packets.len() as u64, "{name}");
    }
}

fn number_bytes(packet: &[u8]) -> usize {
    usize::from(packet[0] & 3) + 1
}

/// The model of refusals, in the order in which `seal` documents them.
fn refusal(packets: &[&[u8]], header: usize, first: u64, limits: Limits) -> Option<ErrorAt> {
    for (index, packet) in packets.iter().enumerate() {
        let number = number_bytes(packet);
        let error = if header <= number {
            Error::HeaderTooShort
        } else if packet.len() < header + (4 - number) + 16 {
            Error::PacketTooShort
        } else {
            continue;
        };
        return Some(ErrorAt { error, index });
    }
    let count = packets.len() as u64;
    if first.checked_add(count).is_none_or(|end| end > MAX_NUMBER + 1) {
        return Some(Error::NumberTooLarge.into());
    }
    (count > limits.packets).then(|| Error::EncryptionsExhausted.into())
}
