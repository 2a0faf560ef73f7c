//! Messages of every class of keys: keys, plaintexts, associated data, and places where a forged tag differs.

use crate::common::{Random, cells};
use crate::welch::{Case, Class};
use hardware_aes_gcm::backend::{Aead, Cipher, Cpu, Message};
use hardware_aes_gcm::key::arena::Arena;
use hardware_aes_gcm::key::open;
use hardware_aes_gcm::lanes::RawKey;
use std::hint::black_box;

/// A key in the only slots of its arena, so that the next key lies in the same memory, and the parts of one message.
pub(crate) struct Messages<C, const N: usize> {
    cpu: Cpu,
    arena: Arena,
    raw: [u8; 32],
    key: Option<C>,
    aad: Vec<u8>,
    text: Vec<u8>,
    tag: [u8; 16],
    verify_first: bool,
}

impl<C: Aead<N>, const N: usize> Messages<C, N> {
    fn new(cpu: Cpu, aad: usize, text: usize) -> Self {
        let arena = Arena::fixed(2).unwrap_or_else(|error| panic!("no memory for keys: {error:?}"));
        let (aad, text) = (vec![7; aad], vec![9; text]);
        let mut new = Self {
            cpu,
            arena,
            raw: [3; 32],
            key: None,
            aad,
            text,
            tag: [0; 16],
            verify_first: false,
        };
        new.expand();
        new
    }

    fn expand(&mut self) {
        self.key = None;
        let key = C::expand(self.cpu, RawKey::Aes256(&self.raw), |bytes| self.arena.place(bytes));
        self.key = Some(key.unwrap_or_else(|error| panic!("the key has no slot: {error:?}")));
    }

    fn seal(&mut self) {
        let Some(key) = &self.key else { return };
        let there = cells(&mut self.text);
        let message =
            Message { nonce: &[1; N], aad: cells(&mut self.aad), source: there, target: there };
        self.tag = key.within(|cipher| cipher.seal(message));
        black_box(&self.tag);
    }

    fn open(&mut self) {
        let Some(key) = &self.key else { return };
        let there = cells(&mut self.text);
        let message =
            Message { nonce: &[1; N], aad: cells(&mut self.aad), source: there, target: there };
        black_box(open::open(key, message, &self.tag, self.verify_first));
    }
}

/// All zeros, or random.
pub(crate) fn zero_or_random<T>(_: &mut T, class: Class, random: &mut Random, input: &mut [u8]) {
    let mask = class.pick(0, 0xff);
    input.iter_mut().for_each(|byte| *byte = (random.next() >> 56) as u8 & mask);
}

/// A block that differs from `block` in its first or in its last byte.
pub(crate) fn first_or_last(block: &[u8], class: Class, input: &mut [u8]) {
    input.copy_from_slice(block);
    input[class.pick(0, block.len() - 1)] ^= 0x80;
}

type M<C, const N: usize> = Messages<C, N>;

/// The cases of one class of keys, named after it.
pub(crate) fn cases<C: Aead<N>, const N: usize>(cpu: Cpu, class: &str) -> Vec<Case<M<C, N>>> {
    let name = |what: &str| format!("{} {class}: {what}", cpu.name());
    let new = |aad, text| M::<C, N>::new(cpu, aad, text);
    let mut cases = vec![
        Case {
            name: name("expand, key zero or random"),
            context: new(0, 0),
            bytes: 32,
            make: zero_or_random,
            prepare: |context, input| {
                context.raw.copy_from_slice(input);
                context.key = None;
            },
            work: M::expand,
        },
        Case {
            name: name("seal 64 bytes, key zero or random"),
            context: new(0, 64),
            bytes: 32,
            make: zero_or_random,
            prepare: |context, input| {
                context.raw.copy_from_slice(input);
                context.expand();
            },
            work: M::seal,
        },
        Case {
            name: name("seal 64 bytes, AAD zero or random"),
            context: new(64, 64),
            bytes: 64,
            make: zero_or_random,
            prepare: |context, input| context.aad.copy_from_slice(input),
            work: M::seal,
        },
    ];
    for text in [15, 64, 1024] {
        cases.push(Case {
            name: name(&format!("seal {text} bytes, plaintext zero or random")),
            context: new(13, text),
            bytes: text,
            make: zero_or_random,
            prepare: |context, input| context.text.copy_from_slice(input),
            work: M::seal,
        });
    }
    cases.push(Case {
        name: name("open 64 bytes, plaintext zero or random"),
        context: new(13, 64),
        bytes: 64 + 16,
        make: |context, class, random, input| {
            let (text, tag) = input.split_at_mut(64);
            zero_or_random(context, class, random, text);
            context.text.copy_from_slice(text);
            context.seal();
            text.copy_from_slice(&context.text);
            tag.copy_from_slice(&context.tag);
        },
        prepare: receive,
        work: M::open,
    });
    for (how, verify_first) in [("one pass", false), ("two passes", true)] {
        let mut context = new(13, 64);
        context.verify_first = verify_first;
        cases.push(Case {
            name: name(&format!("open 64 bytes in {how}, tag wrong in its first or last byte")),
            context,
            bytes: 64 + 16,
            make: |context, class, _, input| {
                let (text, tag) = input.split_at_mut(64);
                context.text.fill(9);
                context.seal();
                text.copy_from_slice(&context.text);
                first_or_last(&context.tag, class, tag);
            },
            prepare: receive,
            work: M::open,
        });
    }
    cases
}

fn receive<C, const N: usize>(context: &mut M<C, N>, input: &[u8]) {
    let (text, tag) = input.split_at(64);
    context.text.copy_from_slice(text);
    context.tag.copy_from_slice(tag);
}
