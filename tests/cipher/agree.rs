//! The kernel on registers that are arrays and every backend of this CPU agree with the book: at every message length to
//! 2112 (four strides of the widest backend and a tail) and every AAD length to 600, for AES-128 and AES-256, in both
//! directions, in place and out of place.

use crate::common::{self, Random, cells, every_mode, expanded, key, sample};
use crate::model::answers::{ANSWERS, hex};
use crate::model::book::{Book, multiply};
use crate::model::soft::Soft;
use hardware_aes_gcm::backend::{Cpu, Expanded, Message};
use hardware_aes_gcm::kernel::ghash::{Lengths, Products};
use hardware_aes_gcm::kernel::state::{KeyState, Powers, Schedule};
use hardware_aes_gcm::kernel::{aes, ctr, gcm};
use hardware_aes_gcm::key::{Key, Options};
use hardware_aes_gcm::lanes::{Block, Bytes, KeyBits, RawKey};
use std::cell::Cell;

/// One message and its correct ciphertext and tag.
struct Case {
    key: Vec<u8>,
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

    fn raw(&self) -> RawKey<'_> {
        let wide = self.key.as_array().map(RawKey::Aes256);
        wide.unwrap_or_else(|| RawKey::Aes128(self.key.as_array().unwrap()))
    }
}

/// Every length of text with random lengths of AAD, and the reverse, for both key lengths.
fn sweep(mut check: impl FnMut(&Case)) {
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
trait Subject {
    fn seal(&self, message: Message) -> Block;
    fn open(&self, message: Message) -> Block;
    fn authenticate(&self, nonce: &[u8; 12], aad: Bytes, ciphertext: Bytes) -> Block;
    fn keystream(&self, nonce: &[u8; 12], source: Bytes, target: Bytes);
}

impl Subject for Expanded {
    fn seal(&self, message: Message) -> Block {
        self.within(|gcm| gcm.seal(message))
    }
    fn open(&self, message: Message) -> Block {
        self.within(|gcm| gcm.decrypt_unverified(message))
    }
    fn authenticate(&self, nonce: &[u8; 12], aad: Bytes, ciphertext: Bytes) -> Block {
        self.within(|gcm| gcm.authenticate(nonce, aad, ciphertext))
    }
    fn keystream(&self, nonce: &[u8; 12], source: Bytes, target: Bytes) {
        self.within(|gcm| gcm.keystream(nonce, source, target));
    }
}

/// The kernel on `S` registers of `W` blocks in flight with `P` powers, as `backend!` would compile it.
struct Kernel<const W: usize, const S: usize, const P: usize>(KeyState<P, 1>, KeyBits);

impl<const W: usize, const S: usize, const P: usize> Kernel<W, S, P> {
    /// Expands the key and compares every byte of the state with the book.
    fn new(key: RawKey) -> Self {
        let mut state = KeyState {
            schedule: Schedule { round_keys: [[0; 16]; 15] },
            powers: Powers { powers: [[0; 16]; P], gap: [[0; 16]; 1], halves: [[0; 16]; P] },
        };
        aes::expand::<Soft<1>>(key, &mut state.schedule);
        gcm::expand::<Soft<W>, S, P, 1>(&mut state, key.bits());
        let book = Book::new(match key {
            RawKey::Aes128(key) => key,
            RawKey::Aes256(key) => key,
        });
        let mut round_keys = book.round_keys.clone();
        round_keys.resize(15, [0; 16]);
        assert_eq!(state.schedule.round_keys.to_vec(), round_keys, "round keys");
        let mut powers = book.polyval_powers(P);
        powers.reverse();
        assert_eq!(state.powers.powers.to_vec(), powers, "powers of H");
        for (power, halves) in powers.iter().zip(state.powers.halves) {
            let (low, high) = power.split_at(8);
            let both: Vec<u8> = low.iter().zip(high).map(|(a, b)| a ^ b).collect();
            assert_eq!(halves.to_vec(), both.repeat(2), "halves of the powers");
        }
        Self(state, key.bits())
    }
}

impl<const W: usize, const S: usize, const P: usize> Subject for Kernel<W, S, P> {
    fn seal(&self, m: Message) -> Block {
        gcm::crypt::<Soft<W>, S, P, 1, true>(&self.0, self.1, m.nonce, m.aad, m.source, m.target)
    }
    fn open(&self, m: Message) -> Block {
        gcm::crypt::<Soft<W>, S, P, 1, false>(&self.0, self.1, m.nonce, m.aad, m.source, m.target)
    }
    fn authenticate(&self, nonce: &[u8; 12], aad: Bytes, ciphertext: Bytes) -> Block {
        gcm::authenticate::<Soft<W>, S, P, 1>(&self.0, self.1, nonce, aad, ciphertext)
    }
    fn keystream(&self, nonce: &[u8; 12], source: Bytes, target: Bytes) {
        ctr::apply::<Soft<W>, S>(&self.0.schedule, self.1, nonce, source, target);
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
fn check(subject: &dyn Subject, case: &Case, name: &str) {
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

fn check_kernel<const W: usize, const S: usize, const P: usize>(case: &Case) {
    let name = format!("{S} registers of {W}, {P} powers");
    check(&Kernel::<W, S, P>::new(case.raw()), case, &name);
}

/// The widths of the backends, and others. The compiler takes seconds for each, and this code does not depend on the
/// architecture, so some are tried on x86-64 only.
const SHAPES: &[fn(&Case)] = &[
    check_kernel::<1, 1, 2>,
    check_kernel::<1, 8, 9>,
    check_kernel::<3, 5, 16>,
    check_kernel::<4, 8, 33>,
    #[cfg(target_arch = "x86_64")]
    check_kernel::<1, 6, 7>,
    #[cfg(target_arch = "x86_64")]
    check_kernel::<2, 3, 7>,
    #[cfg(target_arch = "x86_64")]
    check_kernel::<2, 6, 13>,
    #[cfg(target_arch = "x86_64")]
    check_kernel::<2, 8, 17>,
    #[cfg(target_arch = "x86_64")]
    check_kernel::<3, 2, 7>,
    #[cfg(target_arch = "x86_64")]
    check_kernel::<4, 4, 17>,
    #[cfg(target_arch = "x86_64")]
    check_kernel::<8, 1, 9>,
    #[cfg(target_arch = "x86_64")]
    check_kernel::<8, 4, 33>,
];

#[test]
fn the_kernel_on_arrays_agrees_with_the_book() {
    // A third of the shapes for each message, in turn, so that three messages try all of them.
    let mut turn = 0;
    sweep(|case| {
        turn += 1;
        SHAPES.iter().skip(turn % 3).step_by(3).for_each(|check| check(case));
    });
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
        let nonce = options.nonce_at.split(cells(bytes)).unwrap().nonce.each_ref().map(Cell::get);
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
    for answer in &ANSWERS {
        let case = Case {
            key: hex(answer.key),
            nonce: hex(answer.nonce).try_into().unwrap(),
            aad: hex(answer.aad),
            text: hex(answer.text),
            ciphertext: hex(answer.ciphertext),
            tag: hex(answer.tag).try_into().unwrap(),
        };
        SHAPES.iter().for_each(|check| check(&case));
        for cpu in Cpu::all() {
            check(&expanded(cpu, case.raw()), &case, cpu.name());
        }
    }
}

/// The length block of messages too long for a test's memory, against the book's multiplication.
#[test]
fn the_length_block_holds_lengths_past_32_bits() {
    let key = [7; 32];
    let Kernel(state, _) = Kernel::<4, 4, 17>::new(RawKey::Aes256(&key));
    for (aad, text) in [(0, 1 << 29), (1 << 33, (1 << 36) - 32), ((1 << 61) - 1, 0)] {
        let mut products = Products::<Soft<4>>::zero();
        products.add_lengths(&state.powers, Soft([[0; 16]]), Lengths { aad, text });
        let Soft([sum]) = products.reduce();
        let block = (aad as u128 * 8) << 64 | (text as u128 * 8);
        let expected = multiply(block, Book::new(&key).h);
        assert_eq!(u128::from_le_bytes(sum), expected, "{aad} and {text}");
    }
}
