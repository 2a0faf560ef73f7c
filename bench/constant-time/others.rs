//! QUIC packets, the comparison of tags, the field and the digits of shares; and the controls, whose time does depend on secrets.

use crate::common::{Random, cells, secret};
use crate::messages::{first_or_last, zero_or_random};
use crate::welch::{Case, Class};
use hardware_aes_gcm::backend::Cpu;
use hardware_aes_gcm::backend::field::{Element, ONE};
use hardware_aes_gcm::key::arena::Arena;
use hardware_aes_gcm::key::ranges::Ranges;
use hardware_aes_gcm::protocol::packet::{Limits, PhaseKeys, Protection};
use hardware_aes_gcm::protocol::shamir::text;
use hardware_aes_gcm::secret::same;
use std::hint::black_box;
use std::num::NonZeroUsize;

/// Where the number begins: after the first byte and an id of eight.
const NUMBER_AT: NonZeroUsize = NonZeroUsize::new(9).unwrap();
const NUMBER_BYTES: usize = 2;
const HEADER: usize = NUMBER_AT.get() + NUMBER_BYTES;
const PAYLOAD: usize = 64;
const PACKET: usize = HEADER + PAYLOAD + 16;

/// The keys of a sender and of a receiver, and the packet in work.
pub(crate) struct Packets {
    sender: Protection,
    receiver: Protection,
    /// The number of the next packet to be sealed.
    next: u64,
    packet: [u8; PACKET],
    /// An authentic packet.
    sent: [u8; PACKET],
    sample: [u8; 16],
}

impl Packets {
    fn new(cpu: Cpu) -> Self {
        let keys = || {
            let arena = &mut Arena::default();
            let phase = PhaseKeys::new(cpu, &secret(&[5; 32]), [6; 12], arena)?;
            Protection::new(cpu, phase, &secret(&[8; 32]), false, Limits::default(), 0, arena)
        };
        let keys = || keys().unwrap_or_else(|error| panic!("no memory for keys: {error:?}"));
        let packet = [0x41; PACKET];
        let (sender, receiver) = (keys(), keys());
        let mut new = Self { sender, receiver, next: 0, packet, sent: packet, sample: [0; 16] };
        new.seal();
        new.sent = new.packet;
        new
    }

    fn seal(&mut self) {
        let packets = Ranges::one(cells(&mut self.packet));
        // No error: each number is above the one before, and a case has fewer packets than a key may seal.
        let sealed = self.sender.seal(packets, HEADER, self.next, 0);
        assert!(sealed.is_ok(), "{sealed:?}");
        self.next += 1;
    }

    fn open(&mut self) {
        let opened = self.receiver.open_one(cells(&mut self.packet), NUMBER_AT, None, 0);
        assert!(black_box(opened) == Ok(None), "a forgery was opened");
    }

    fn receive(&mut self, input: &[u8]) {
        self.packet.copy_from_slice(input);
    }
}

pub(crate) fn packets(cpu: Cpu) -> Vec<Case<Packets>> {
    let name = |what: &str| format!("{} packets: {what}", cpu.name());
    let new = || Packets::new(cpu);
    vec![
        Case {
            name: name("mask of a header, sample zero or random"),
            context: new(),
            bytes: 16,
            make: zero_or_random,
            prepare: |context, input| context.sample.copy_from_slice(input),
            work: |context| _ = black_box(context.sender.mask(context.sample)),
        },
        Case {
            name: name("seal, payload zero or random"),
            context: new(),
            bytes: PACKET,
            make: |context, class, random, input| {
                input[..HEADER].fill(0x41);
                zero_or_random(context, class, random, &mut input[HEADER..]);
            },
            prepare: Packets::receive,
            work: Packets::seal,
        },
        Case {
            name: name("open, tag wrong in its first or last byte"),
            context: new(),
            bytes: PACKET,
            make: |context, class, _, input| {
                input.copy_from_slice(&context.sent);
                let (_, tag) = context.sent.split_at(PACKET - 16);
                first_or_last(tag, class, &mut input[PACKET - 16..]);
            },
            prepare: Packets::receive,
            work: Packets::open,
        },
        Case {
            name: name("open a forgery, number masked with zeros or at random"),
            context: new(),
            bytes: PACKET,
            make: |context, class, random, input| {
                input.copy_from_slice(&context.sent);
                input[PACKET - 1] ^= 1;
                zero_or_random(context, class, random, &mut input[NUMBER_AT.get()..HEADER]);
            },
            prepare: Packets::receive,
            work: Packets::open,
        },
    ]
}

/// Two tags.
pub(crate) struct Tags([[u8; 16]; 2]);

fn tags(context: &mut Tags, input: &[u8]) {
    context.0[1].copy_from_slice(input);
}

pub(crate) fn comparison() -> Vec<Case<Tags>> {
    vec![Case {
        name: "comparison of tags, first or last byte".into(),
        context: Tags([[5; 16]; 2]),
        bytes: 16,
        make: |_, class, _, input| first_or_last(&[5; 16], class, input),
        prepare: tags,
        work: |Tags([a, b])| _ = black_box(same(black_box(a), b)),
    }]
}

/// Work whose time depends on secrets, which must be found: comparison byte by byte, and a branch on one bit.
pub(crate) fn controls() -> Vec<Case<Tags>> {
    vec![
        Case {
            name: "control: a comparison that ends at the first difference".into(),
            context: Tags([[5; 16]; 2]),
            bytes: 16,
            make: |_, class, _, input| first_or_last(&[5; 16], class, input),
            prepare: tags,
            work: |Tags([a, b])| {
                black_box(a.iter().zip(black_box(b)).all(|(a, b)| black_box(a) == black_box(b)));
            },
        },
        Case {
            name: "control: a product bit by bit, which skips zeros".into(),
            context: Tags([[5; 16]; 2]),
            bytes: 16,
            make: zero_or_random,
            prepare: tags,
            work: |Tags([a, b])| {
                let (a, b) = (u128::from_le_bytes(*a), black_box(u128::from_le_bytes(*b)));
                let bits = (0..128).filter(|bit| black_box(b >> bit & 1) == 1);
                black_box(bits.fold(0, |sum, bit| black_box(sum ^ a << bit)));
            },
        },
    ]
}

/// Two elements of GF(2^256), and the digits of the first one.
pub(crate) struct Secrets {
    cpu: Cpu,
    a: Element,
    b: Element,
    bytes: [u8; 32],
    digits: [u8; 64],
}

fn element(context: &mut Secrets, input: &[u8]) {
    context.a.as_flattened_mut().copy_from_slice(input);
    context.bytes.copy_from_slice(input);
}

/// One, or a random element.
fn one_or_random(_: &mut Secrets, class: Class, random: &mut Random, input: &mut [u8]) {
    input.iter_mut().for_each(|byte| *byte = (random.next() >> 56) as u8);
    if class == Class::Fixed {
        input.copy_from_slice(ONE.as_flattened());
    }
}

pub(crate) fn shares(cpu: Cpu) -> Vec<Case<Secrets>> {
    let case = |what: &str, work| Case {
        name: format!("{} shares: {what}, one or random", cpu.name()),
        context: Secrets { cpu, a: ONE, b: [[0x35; 16]; 2], bytes: [0; 32], digits: [b'0'; 64] },
        bytes: 32,
        make: one_or_random,
        prepare: element,
        work,
    };
    vec![
        case("multiply", |context| {
            context.cpu.field(|field| field.multiply(&mut context.a, &context.b))
        }),
        case("invert", |context| context.cpu.field(|field| field.invert(&mut context.a))),
        case("write digits", |context| {
            text::encode_hex(cells(&mut context.bytes), cells(&mut context.digits));
        }),
        case("read digits", |context| {
            // The digits are written here, too: they are the secret in another form.
            text::encode_hex(cells(&mut context.bytes), cells(&mut context.digits));
            let valid = text::decode_hex(cells(&mut context.digits), cells(&mut context.bytes));
            black_box(bool::from(valid));
        }),
    ]
}
