//! Every backend of this CPU agrees with the book: at every message length to 2112 (four strides of the widest backend and a
//! tail) and every AAD length to 600, for AES-128 and AES-256, in both directions, in place and out of place.

use crate::common::{self, Random, cells, every_mode, expanded, key, sample};
use crate::model::answers::{ANSWERS, hex};
use crate::model::book::Book;
use hardware_aes_gcm::backend::{Aead, Cipher, Cpu, GcmKey, Message};
use hardware_aes_gcm::key::nonce::Nonce;
use hardware_aes_gcm::key::{Key, Options};
use hardware_aes_gcm::lanes::{Block, Bytes, RawKey};
use std::cell::Cell;

/// One message and its correct ciphertext and tag.
pub(super) struct Case {
    pub(super) key: Vec<u8>,
    nonce: [u8; 12],
    aad: Vec<u8>,
    text: Vec<u8>,
    ciphertext: Vec<u8>,
    tag: Block,
}

impl Case {
    fn random(random: &mut Random, key: usize, aad: usize, text: usize) -> Self {
        let nonce = random.bytes(12).try_into().unwrap();
        let [key, aad, text] = [key, aad, text].map(|length| random.bytes(length));
        let (ciphertext, tag) = Book::new(&key).seal(&nonce, &aad, &text);
        Self { key, nonce, aad, text, ciphertext, tag }
    }

    pub(super) fn raw(&self) -> RawKey<'_> {
        let wide = self.key.as_array().map(RawKey::Aes256);
        wide.unwrap_or_else(|| RawKey::Aes128(self.key.as_array().unwrap()))
    }
}

/// The published answers.
pub(super) fn answers() -> impl Iterator<Item = Case> {
    ANSWERS.iter().map(|answer| Case {
        key: hex(answer.key),
        nonce: hex(answer.nonce).try_into().unwrap(),
        aad: hex(answer.aad),
        text: hex(answer.text),
        ciphertext: hex(answer.ciphertext),
        tag: hex(answer.tag).try_into().unwrap(),
    })
}

/// Every length of text with random lengths of AAD, and the reverse, for both key lengths.
pub(super) fn sweep(mut check: impl FnMut(&Case)) {
    let mut random = Random(0x6167_7265_6520_2121);
    for bytes in [16, 32] {
        for text in sample(0..=2112) {
            let aad = random.below(2) * random.below(80);
            check(&Case::random(&mut random, bytes, aad, text));
        }
        for aad in sample(0..=600) {
            let text = random.below(2) * random.below(80);
            check(&Case::random(&mut random, bytes, aad, text));
        }
        // Every pair of short lengths, where the code's paths meet: texts and AAD of a block, a register, a few registers.
        for (text, aad) in sample((0..=33).flat_map(|text| (0..=33).map(move |aad| (text, aad)))) {
            check(&Case::random(&mut random, bytes, aad, text));
        }
    }
}

/// The entry points of a backend, as a backend or the kernel on arrays offers them.
pub(super) trait Subject {
    fn seal(&self, message: Message) -> Block;
    fn open(&self, message: Message) -> Block;
    fn authenticate(&self, nonce: &[u8; 12], aad: Bytes, ciphertext: Bytes) -> Block;
    fn keystream(&self, nonce: &[u8; 12], source: Bytes, target: Bytes);
}

/// A tag: AES-GCM only compares the tag that came with a message.
const ANY: Block = [0xee; 16];

impl Subject for GcmKey {
    fn seal(&self, message: Message) -> Block {
        self.within(|gcm| gcm.seal(message))
    }
    fn open(&self, message: Message) -> Block {
        self.within(|gcm| gcm.decrypt_unverified(message, &ANY))
    }
    fn authenticate(&self, nonce: &[u8; 12], aad: Bytes, ciphertext: Bytes) -> Block {
        self.within(|gcm| gcm.authenticate(nonce, &ANY, aad, ciphertext))
    }
    fn keystream(&self, nonce: &[u8; 12], source: Bytes, target: Bytes) {
        self.within(|gcm| gcm.keystream(nonce, &ANY, source, target));
    }
}

/// A call of one entry point, which returns the tag if the entry point computes one.
type Act = fn(&dyn Subject, Message) -> Option<Block>;
const SEAL: Act = |subject, m| Some(subject.seal(m));
const OPEN: Act = |subject, m| Some(subject.open(m));
const KEYSTREAM: Act = |subject, m| {
    subject.keystream(m.nonce, m.source, m.target);
    None
};

/// Passes one message to every entry point. Targets begin as noise, so that an unwritten byte shows.
pub(super) fn check(subject: &dyn Subject, case: &Case, name: &str) {
    let Case { nonce, text, ciphertext, tag, .. } = case;
    let on = format!("{name}, {} key, {} aad, {} text", case.key.len(), case.aad.len(), text.len());
    let mut aad = case.aad.clone();
    let aad = cells(&mut aad);
    for (what, act, from, to) in [
        ("seal", SEAL, text, ciphertext),
        ("open", OPEN, ciphertext, text),
        ("keystream", KEYSTREAM, text, ciphertext),
    ] {
        let (mut source, mut target) = (from.clone(), vec![0xa5; to.len()]);
        let m = Message { nonce, aad, source: cells(&mut source), target: cells(&mut target) };
        let given = act(subject, m).unwrap_or(*tag);
        assert_eq!((&source, &target, given), (from, to, *tag), "{what}, {on}");
        let data = cells(&mut source);
        let given =
            act(subject, Message { nonce, aad, source: data, target: data }).unwrap_or(*tag);
        assert_eq!((&source, given), (to, *tag), "{what} in place, {on}");
    }
    let given = subject.authenticate(nonce, aad, cells(&mut ciphertext.clone()));
    assert_eq!(given, *tag, "authenticate, {on}");
}

#[test]
fn every_backend_agrees_with_the_book() {
    sweep(|case| {
        for cpu in Cpu::all() {
            check(&expanded(cpu, case.raw()), case, cpu.name());
        }
    });
}

#[test]
fn every_backend_agrees_with_the_book_through_a_key() {
    sweep(|case| {
        every_mode().for_each(|(cpu, options)| check_key(cpu, case, options));
    });
}

fn check_key(cpu: Cpu, case: &Case, options: Options) {
    let Case { nonce, aad, text, ciphertext, tag, .. } = case;
    let mut key = key(cpu, &case.key, options);
    let frame = |nonce: &[u8], (ciphertext, tag): &(Vec<u8>, Block)| {
        common::frame(options.nonce_at, nonce, ciphertext, tag)
    };
    let mut aad_memory = aad.clone();
    let aad_cells = cells(&mut aad_memory);

    let sealed = common::seal(&mut key, nonce, aad, text);
    assert_eq!((&sealed.0, &sealed.1), (ciphertext, tag));
    let mut data = sealed.0.clone();
    let (mut nonce_memory, mut tag_memory) = (*nonce, *tag);
    let (nonce_cells, tag_cells) = (cells(&mut nonce_memory), cells(&mut tag_memory));
    let opened = key.decrypt_detached(cells(&mut data), nonce_cells, tag_cells, aad_cells);
    assert_eq!((opened, &data), (Ok(()), text));

    let mut bytes = frame(nonce, &sealed);
    data.fill(0xa5);
    let opened = key.decrypt_into(cells(&mut data), cells(&mut bytes), aad_cells);
    assert_eq!((opened, &data), (Ok(text.len()), text));
    assert_eq!(key.decrypt_in_place(cells(&mut bytes), aad_cells), Ok(()));
    assert_eq!(bytes, frame(nonce, &(text.clone(), *tag)));

    // A frame under a nonce of the key's own equals the detached message under this nonce, which the book confirmed.
    let is_sealed = |key: &mut Key, bytes: &mut Vec<u8>| {
        let nonce: Nonce =
            options.nonce_at.split(cells(bytes)).unwrap().nonce.each_ref().map(Cell::get);
        assert_eq!(*bytes, frame(&nonce, &common::seal(key, &nonce, aad, text)));
    };
    assert_eq!(key.encrypt_in_place(cells(&mut bytes), aad_cells), Ok(()));
    is_sealed(&mut key, &mut bytes);
    bytes.fill(0xa5);
    let written = key.encrypt_into(cells(&mut bytes), cells(&mut data), aad_cells);
    assert_eq!(written, Ok(bytes.len()));
    is_sealed(&mut key, &mut bytes);
}

#[test]
fn published_answers() {
    for case in answers() {
        for cpu in Cpu::all() {
            check(&expanded(cpu, case.raw()), &case, cpu.name());
        }
    }
}
