//! Everything that touches a key, a secret or the value of a share. Public: lengths, thresholds, points, the check, and verdicts.

use crate::common::entropy::{Fake, os};
use crate::common::{Random, cells};
use crate::memcheck::{is_poisoned, is_public, is_running, poison, publish};
use crate::{keys, messages, packets};
use hardware_aes_gcm::backend::Cpu;
use hardware_aes_gcm::backend::field::Element;
use hardware_aes_gcm::error::Error;
use hardware_aes_gcm::hw::entropy::Entropy;
use hardware_aes_gcm::protocol::shamir::point::{self, POINT_BYTES};
use hardware_aes_gcm::protocol::shamir::share::{self, Common, SHARE_BYTES, Set};
use hardware_aes_gcm::protocol::shamir::text;
use hardware_aes_gcm::protocol::utf8::{Encoding, encoding_of, utf8_length, write_utf8};
use hardware_aes_gcm::rng::Generator;
use std::time::Instant;

/// A name and a piece of work.
type Case = (&'static str, fn(Cpu));

pub(crate) const ALL: [Case; 22] = [
    ("AES-GCM", messages::gcm),
    ("XAES-256-GCM", messages::xaes),
    ("AES-GCM-SIV", messages::siv),
    ("keys of AES-GCM", keys::gcm),
    ("keys of XAES-256-GCM", keys::xaes),
    ("keys of AES-GCM-SIV", keys::siv),
    ("chunks", keys::chunks),
    ("comparison of tags", keys::comparison),
    ("seal packets", packets::seal),
    ("open packets", packets::open),
    ("packet numbers", packets::hidden_number),
    ("key phase of packets", packets::hidden_phase),
    ("field", field),
    ("split", split),
    ("combine", combine),
    ("recover", recover),
    ("leave one out", leave_one_out),
    ("sums for locating", sums_for_locating),
    ("split and combine points", points),
    ("base32", base32),
    ("hexadecimal", hexadecimal),
    ("texts", texts),
];

const TO_COMPARE: &str = "only this program compares it, with the expected value";
const CHECK: [u8; 16] = [0xc4; 16];

/// A source whose seeds are undefined, so that the coefficients of polynomials are.
struct Poisoned(Fake);

impl Entropy for Poisoned {
    fn os(&mut self, seed: &mut [u8; 32]) -> Result<(), Error> {
        *seed = os(1);
        poison(cells(seed));
        Ok(())
    }

    fn cpu(&self) -> Option<&'static str> {
        None
    }

    fn word(&mut self) -> Option<u64> {
        None
    }

    fn now(&self) -> Instant {
        self.0.now()
    }

    fn seconds(&self) -> u64 {
        self.0.seconds()
    }
}

fn generator(cpu: Cpu) -> Generator<Poisoned> {
    Generator::new(cpu, Poisoned(Fake::new(None).0)).unwrap()
}

/// Poisons the two values of each share, not its header.
fn poison_values(shares: &mut [u8]) {
    for share in shares.chunks_mut(SHARE_BYTES) {
        poison(cells(&mut share[20..]));
    }
}

/// A secret of all lengths, and shares of it at 1, 2, …, with poisoned values.
struct Sample {
    threshold: u8,
    secret: Vec<u8>,
    blind: [u8; 32],
    shares: Vec<u8>,
}

/// Shares for the threshold and up to three more, also for thresholds past the coefficients that are in memory at once.
fn samples(cpu: Cpu) -> impl Iterator<Item = Sample> {
    let mut random = Random(0x706f_6973_6f6e_6564);
    let sizes = [(2, 2, 16), (2, 5, 32), (3, 4, 16), (5, 6, 32), (18, 21, 32)];
    sizes.into_iter().map(move |(threshold, count, length)| {
        let (secret, blind) = (random.bytes(length), random.bytes(32));
        let blind = *blind.as_array().unwrap();
        let mut shares = vec![0; count * SHARE_BYTES];
        let mut sample = Sample { threshold, secret, blind, shares: Vec::new() };
        poison(cells(&mut sample.secret));
        poison(cells(&mut sample.blind));
        let common = Common { length: length as u8, threshold, check: CHECK };
        share::split(
            cpu,
            &mut generator(cpu),
            cells(&mut sample.secret),
            cells(&mut sample.blind).as_array().unwrap(),
            &common,
            cells(&mut shares),
        )
        .unwrap();
        sample.shares = shares;
        sample
    })
}

impl Sample {
    fn set(&mut self, cpu: Cpu, shares: usize) -> Set {
        Set::parse(cpu, cells(&mut self.shares[..shares * SHARE_BYTES])).unwrap()
    }

    fn count(&self) -> usize {
        self.shares.len() / SHARE_BYTES
    }

    /// Checks secret and blind, which must have come here undefined.
    fn verify(&mut self, words: &[Element]) {
        let mut bytes = [0; 64];
        share_bytes(words, &mut bytes);
        // The bytes of a short secret, and of the zeros after it, all come from undefined shares.
        assert!(is_poisoned(&bytes), "the secret came from elsewhere");
        let mut expected = [0; 64];
        expected[..self.secret.len()].copy_from_slice(&self.secret);
        expected[32..].copy_from_slice(&self.blind);
        publish(&mut bytes, TO_COMPARE);
        publish(&mut expected, TO_COMPARE);
        assert_eq!(bytes, expected);
    }
}

/// The bytes of elements, as shares have them.
fn share_bytes(words: &[Element], bytes: &mut [u8; 64]) {
    for (word, to) in words.iter().zip(bytes.chunks_mut(32)) {
        hardware_aes_gcm::protocol::shamir::element::write(cells(to), word);
    }
}

fn field(cpu: Cpu) {
    let mut random = Random(0x6669_656c_6432_3536);
    let mut all = || {
        let mut all: Vec<Element> = vec![[[0; 16]; 2]; 9];
        all.as_flattened_mut().as_flattened_mut().copy_from_slice(&random.bytes(9 * 32));
        poison(cells(all.as_flattened_mut().as_flattened_mut()));
        all
    };
    // Points, too, which are public in the protocol.
    let [mut a, b, mut c, mut d] = [all(), all(), all(), all()];
    cpu.field(|field| {
        field.multiply(&mut a[0], &b[0]);
        field.invert(&mut a[1]);
        field.evaluate(&a, &b, &mut c);
        field.lagrange(&b, &mut a, &mut d);
        field.power_sums(&a, &b, &c, &mut d);
    });
    for elements in [&a, &c, &d] {
        assert!(is_poisoned(elements.as_flattened().as_flattened()));
    }
}

fn split(cpu: Cpu) {
    let mut drawn = [0; 32];
    generator(cpu).fill(cells(&mut drawn)).unwrap();
    assert!(is_poisoned(&drawn), "coefficients");
    for sample in samples(cpu) {
        for share in sample.shares.chunks(SHARE_BYTES) {
            assert!(is_public(&share[..20]), "the header of a share");
            assert!(is_poisoned(&share[20..]), "the values of a share");
        }
    }
}

fn combine(cpu: Cpu) {
    for mut sample in samples(cpu) {
        for count in [usize::from(sample.threshold), sample.count()] {
            // Also if only the shares are secret, not what they were made of.
            poison_values(&mut sample.shares);
            let words = sample.set(cpu, count).shares().secrets();
            sample.verify(&*words);
        }
    }
}

fn recover(cpu: Cpu) {
    for mut sample in samples(cpu) {
        let threshold = usize::from(sample.threshold);
        let mut again = [0; SHARE_BYTES];
        let (set, count) = (sample.set(cpu, threshold), sample.count());
        for x in [1, count, 200] {
            set.write_share(x as u8, cells(&mut again)).unwrap();
            assert!(is_public(&again[..20]) && is_poisoned(&again[20..]));
            if x <= count {
                let mut expected = sample.shares[(x - 1) * SHARE_BYTES..][..SHARE_BYTES].to_vec();
                publish(&mut again, TO_COMPARE);
                publish(&mut *expected, TO_COMPARE);
                assert_eq!(again[..], expected);
            }
        }
    }
}

fn leave_one_out(cpu: Cpu) {
    for mut sample in samples(cpu) {
        let count = usize::from(sample.threshold) + 1;
        if count <= sample.count() {
            let set = sample.set(cpu, count);
            for words in set.shares().leave_each_out().unwrap() {
                sample.verify(&*words);
            }
        }
    }
}

fn sums_for_locating(cpu: Cpu) {
    for mut sample in samples(cpu) {
        for wrong in [false, true] {
            if wrong {
                sample.shares[83] ^= 0xff;
            }
            let count = sample.count();
            let surplus = count - usize::from(sample.threshold);
            for (i, mut syndromes) in
                sample.set(cpu, count).shares().syndromes().into_iter().enumerate()
            {
                assert_eq!(syndromes.len(), surplus);
                assert!(is_poisoned(syndromes.as_flattened().as_flattened()), "sums of no values");
                let reason = "they depend on the errors in the values alone, not on the polynomial";
                publish(&mut *syndromes, reason);
                let zero = syndromes.iter().all(|syndrome| *syndrome == [[0; 16]; 2]);
                assert_eq!(zero, !(wrong && i == 1) || surplus == 0);
            }
        }
    }
}

fn points(cpu: Cpu) {
    let mut random = Random(0x706f_696e_7473_3235);
    for at_random in [false, true] {
        let mut secret = random.bytes(32);
        let mut shares = [0; 5 * POINT_BYTES];
        poison(cells(&mut secret));
        let to = cells(&mut shares);
        let from = cells(&mut secret).as_array().unwrap();
        if at_random {
            // Points come from the generator as coefficients do, and are public: here neither is poisoned.
            let mut generator = Generator::new(cpu, Fake::new(None).0).unwrap();
            point::split(cpu, &mut generator, from, 3, true, to).unwrap();
        } else {
            point::split(cpu, &mut generator(cpu), from, 3, false, to).unwrap();
        }
        for share in shares.chunks(POINT_BYTES) {
            assert!(is_public(&share[..32]) && is_poisoned(&share[32..]));
        }
        let parsed = point::parse(cpu, cells(&mut shares), 3).unwrap();
        let mut words = [0; 64];
        share_bytes(&*parsed.secrets(), &mut words);
        assert!(is_poisoned(&words[..32]));
        publish(&mut words, TO_COMPARE);
        publish(&mut *secret, TO_COMPARE);
        assert_eq!(words[..32], secret);
        let mut again = [0; POINT_BYTES];
        let mut x = [0; 32];
        x[7] = 9;
        let (x, again) = (cells(&mut x), cells(&mut again));
        point::write_share(&parsed, x.as_array().unwrap(), again.as_array().unwrap()).unwrap();
    }
}

/// Encodes and decodes poisoned bytes, whose verdict must be true, and then a digit that is none, in each place.
fn digits(
    length: usize,
    count: usize,
    encode: impl Fn(&mut [u8], &mut [u8]),
    decode: impl Fn(&mut [u8], &mut [u8]) -> bool,
) {
    let mut random = Random(0x6469_6769_7473_2121);
    let (mut bytes, mut digits) = (random.bytes(length), vec![0; count]);
    poison(cells(&mut bytes));
    encode(&mut bytes, &mut digits);
    let mut back = vec![0; length];
    for place in [None, Some(0), Some(count / 2), Some(count - 1)] {
        let mut text = digits.clone();
        if let Some(place) = place {
            text[place] = b'!';
        }
        poison(cells(&mut text));
        assert_eq!(decode(&mut text, &mut back), place.is_none());
        assert!(is_poisoned(&back), "bytes of no digits");
    }
    assert!(decode(&mut digits, &mut back));
    publish(&mut *back, TO_COMPARE);
    publish(&mut *bytes, TO_COMPARE);
    assert_eq!(back, bytes);
}

const VALIDITY: &str = "a person who mistyped is told so, by one bit for the whole text";

fn base32(_: Cpu) {
    let encode =
        |bytes: &mut [u8], digits: &mut [u8]| text::encode_base32(cells(bytes), cells(digits));
    digits(87, 140, encode, |digits, bytes| {
        let mut valid = text::decode_base32(cells(digits), cells(bytes));
        publish(&mut valid, VALIDITY);
        valid.into()
    });
}

fn hexadecimal(_: Cpu) {
    let encode =
        |bytes: &mut [u8], digits: &mut [u8]| text::encode_hex(cells(bytes), cells(digits));
    digits(32, 64, encode, |digits, bytes| {
        let mut valid = text::decode_hex(cells(digits), cells(bytes));
        publish(&mut valid, VALIDITY);
        valid.into()
    });
}

const LENGTH: &str = "that of the ciphertext";
const SURROGATE: &str = "a caller whose text has half a character is told";
const KIND: &str = "the runtime makes another kind of string, and it is told whether there is one";

/// Texts, whose conversion branches on them: public.supp lets the branches of src/protocol/utf8.rs pass, and no others.
fn texts(_: Cpu) {
    for text in ["plain text of some length", "¢ first", "in the m€ddle of it", "at the end 😀"]
    {
        let mut memory: Vec<u8> = text.encode_utf16().flat_map(u16::to_ne_bytes).collect();
        poison(cells(&mut memory));
        let (pairs, _) = memory.as_chunks();
        let units: Vec<u16> = pairs.iter().map(|pair| u16::from_ne_bytes(*pair)).collect();
        let mut length = utf8_length(&units);
        publish(&mut length, LENGTH);
        let mut bytes = vec![0; length];
        let mut whole = write_utf8(&units, &mut bytes);
        assert!(!is_running() || !is_public(&bytes), "bytes of no text");
        publish(&mut whole, SURROGATE);
        let mut encoding = encoding_of(&bytes);
        publish(&mut encoding, KIND);
        let expected = if text.is_ascii() { Encoding::Ascii } else { Encoding::Utf8 };
        publish(&mut *bytes, TO_COMPARE);
        assert_eq!((whole, encoding, &*bytes), (true, Some(expected), text.as_bytes()));
    }
}
