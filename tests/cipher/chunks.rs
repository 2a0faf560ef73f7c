//! Chunks of C2SP chunked-encryption against a slow model, on every backend: sealing, opening, numbers, forgeries, refused calls.

use crate::common::{Random, cells, secret};
use crate::model::book::Book;
use hardware_aes_gcm::backend::Cpu;
use hardware_aes_gcm::error::Error;
use hardware_aes_gcm::key::arena::Arena;
use hardware_aes_gcm::key::ranges::ErrorAt;
use hardware_aes_gcm::protocol::chunks::{CHUNK_BYTES, Chunks, MAX_CHUNKS, SEALED_BYTES};

/// Key and base nonce of a message.
struct Raw {
    key: Vec<u8>,
    base: [u8; 12],
}

impl Raw {
    fn random(random: &mut Random, bytes: usize) -> Self {
        Self { key: random.bytes(bytes), base: random.bytes(12).try_into().unwrap() }
    }

    fn chunks(&self, cpu: Cpu) -> Chunks {
        Chunks::new(cpu, &secret(&self.key), self.base, &mut Arena::default()).unwrap()
    }

    /// Chunks with these texts, from number `first` on.
    fn seal<'a>(&self, first: u64, texts: impl Iterator<Item = &'a [u8]>) -> Vec<u8> {
        let book = Book::new(&self.key);
        let sealed = texts.zip(first..).flat_map(|(text, number)| {
            let mut nonce = self.base;
            let number = u128::from(number).to_be_bytes();
            nonce.iter_mut().zip(&number[4..]).for_each(|(byte, number)| *byte ^= number);
            let (text, tag) = book.seal(&nonce, &[], text);
            [&text[..], &tag].concat()
        });
        sealed.collect()
    }

    /// The chunks of a whole message.
    fn message(&self, text: &[u8]) -> Vec<u8> {
        let (whole, rest) = text.as_chunks::<CHUNK_BYTES>();
        self.seal(0, whole.iter().map(|chunk| &chunk[..]).chain([rest]))
    }
}

fn at(error: Error, index: usize) -> Result<usize, ErrorAt> {
    Err(ErrorAt { error, index })
}

#[test]
fn chunks_agree_with_the_book() {
    let mut random = Random(0x6368_756e);
    for length in [0, 1, CHUNK_BYTES - 1, CHUNK_BYTES, CHUNK_BYTES + 1, 2 * CHUNK_BYTES + 77] {
        for bytes in [16, 32] {
            let raw = Raw::random(&mut random, bytes);
            let mut text = random.bytes(length);
            let mut expected = raw.message(&text);
            for cpu in Cpu::all() {
                let (whole, name) = (length / CHUNK_BYTES * CHUNK_BYTES, cpu.name());
                let mut sealed = vec![0xee; expected.len() + 5];
                let mut chunks = raw.chunks(cpu);
                // The whole chunks in one call, and the last one in another.
                let (source, target) = (cells(&mut text), cells(&mut sealed));
                let first = chunks.seal(&source[..whole], target, false).unwrap();
                assert_eq!(first, whole + 16 * (length / CHUNK_BYTES));
                let last = chunks.seal(&source[whole..], &target[first..], true);
                assert_eq!(last, Ok(expected.len() - first));
                assert_eq!(sealed[..expected.len()], expected, "{length} on {name}");
                assert_eq!(sealed[expected.len()..], [0xee; 5], "{length} on {name}");
                let all = raw.chunks(cpu).seal(cells(&mut text), cells(&mut sealed), true);
                assert_eq!((all, &sealed[..expected.len()]), (Ok(expected.len()), &expected[..]));

                let mut opened = vec![0xee; length + 5];
                let done = chunks.open(0, cells(&mut expected), cells(&mut opened), true);
                assert_eq!((done, &opened[..length]), (Ok(length), &text[..]), "on {name}");
                assert_eq!(opened[length..], [0xee; 5], "{length} on {name}");
            }
        }
    }
}

#[test]
fn any_chunk_opens_by_its_number_up_to_the_last() {
    let mut random = Random(0x6e75_6d62);
    let raw = Raw::random(&mut random, 32);
    let (whole, short) = (random.bytes(CHUNK_BYTES), random.bytes(9));
    for number in [0, 1, 255, 256, 1 << 32, (1 << 32) - 1, MAX_CHUNKS - 2] {
        let mut sealed = raw.seal(number, [&whole[..], &short[..]].into_iter());
        let all = [&whole[..], &short[..]].concat();
        for cpu in Cpu::all() {
            let (chunks, mut opened) = (raw.chunks(cpu), vec![0; all.len()]);
            let (source, target) = (cells(&mut sealed), cells(&mut opened));
            assert_eq!(chunks.open(number, source, target, true), Ok(all.len()));
            assert_eq!(chunks.open(number, &source[..SEALED_BYTES], target, false), Ok(16_384));
            let last = chunks.open(number + 1, &source[SEALED_BYTES..], &target[..9], true);
            assert_eq!(last, Ok(9));
            assert_eq!(opened[..9], short);
            let (source, target) = (cells(&mut sealed), cells(&mut opened));
            let other = chunks.open(number + 1, &source[..SEALED_BYTES], target, false);
            assert_eq!(other, at(Error::Authentication, 0));
            assert_eq!(
                chunks.open(MAX_CHUNKS - 1, source, target, true),
                at(Error::TooManyChunks, 0)
            );
            assert_eq!(chunks.open(u64::MAX, source, target, true), at(Error::TooManyChunks, 0));
        }
    }
}

#[test]
fn a_forged_chunk_is_told_by_its_index_and_leaves_zeros() {
    let mut random = Random(0x666f_7267);
    let raw = Raw::random(&mut random, 16);
    let text = random.bytes(3 * CHUNK_BYTES + 50);
    let genuine = raw.message(&text);
    for cpu in Cpu::all() {
        for index in 0..4 {
            for byte in [0, 3, 7] {
                let mut forged = genuine.clone();
                let start = index * SEALED_BYTES;
                let end = genuine.len().min(start + SEALED_BYTES);
                forged[(start + byte * 2341).min(end - 1)] ^= 1 << byte;
                let mut opened = vec![0xee; text.len()];
                let done = raw.chunks(cpu).open(0, cells(&mut forged), cells(&mut opened), true);
                assert_eq!(done, at(Error::Authentication, index), "on {}", cpu.name());
                let (start, end) = (index * CHUNK_BYTES, text.len().min((index + 1) * CHUNK_BYTES));
                assert_eq!(opened[..start], text[..start], "the chunks before");
                assert!(opened[start..end].iter().all(|byte| *byte == 0), "its own place");
                assert!(opened[end..].iter().all(|byte| *byte == 0xee), "the rest");
            }
        }
    }
}

#[test]
fn refused_calls_write_nothing_and_take_no_number() {
    let mut random = Random(0x7265_6675);
    let raw = Raw::random(&mut random, 32);
    let mut text = random.bytes(2 * CHUNK_BYTES);
    let mut expected = raw.message(&text);
    let mut target = vec![0xee; expected.len()];
    let mut chunks = raw.chunks(Cpu::best().unwrap());
    let source = cells(&mut text);
    for (length, room, last, error) in [
        (1, 100, false, Error::PartialChunk),
        (CHUNK_BYTES + 1, 40_000, false, Error::PartialChunk),
        (CHUNK_BYTES, SEALED_BYTES - 1, false, Error::TargetTooShort),
        (CHUNK_BYTES, SEALED_BYTES + 15, true, Error::TargetTooShort),
        (0, 15, true, Error::TargetTooShort),
    ] {
        let target = &cells(&mut target)[..room.min(expected.len())];
        assert_eq!(chunks.seal(&source[..length], target, last), Err(error), "{length} {last}");
    }
    let sealed = cells(&mut expected);
    for (length, room, last, error) in [
        (0, 100, true, Error::PartialChunk),
        (15, 100, true, Error::PartialChunk),
        (16, 100, false, Error::PartialChunk),
        (15, 100, false, Error::PartialChunk),
        (SEALED_BYTES, 20_000, true, Error::PartialChunk),
        (SEALED_BYTES + 15, 20_000, true, Error::PartialChunk),
        (SEALED_BYTES + 16, 20_000, false, Error::PartialChunk),
        (SEALED_BYTES, CHUNK_BYTES - 1, false, Error::TargetTooShort),
    ] {
        let target = &cells(&mut target)[..room];
        let refused = chunks.open(0, &sealed[..length], target, last);
        assert_eq!(refused, at(error, 0), "{length} {last}");
    }
    assert!(target.iter().all(|byte| *byte == 0xee));
    assert_eq!(chunks.seal(source, cells(&mut target), true), Ok(target.len()));
    assert_eq!(target, expected, "the first number is still the first");

    assert!(!chunks.is_destroyed() && chunks.state_bytes() > 0);
    chunks.destroy();
    assert!(chunks.is_destroyed() && chunks.state_bytes() == 0);
    assert_eq!(chunks.seal(&[], cells(&mut target), true), Err(Error::Destroyed));
    let opened = chunks.open(0, cells(&mut expected), cells(&mut target), true);
    assert_eq!(opened, at(Error::Destroyed, 0));
}

#[test]
fn a_key_lies_in_its_arena_until_it_is_destroyed() {
    let raw = Raw::random(&mut Random(0x6172_656e), 32);
    let (mut arena, other) = (Arena::fixed(1).unwrap(), Arena::fixed(1).unwrap());
    let make =
        |arena: &mut Arena| Chunks::new(Cpu::best().unwrap(), &secret(&raw.key), raw.base, arena);
    let mut chunks = make(&mut arena).unwrap();
    assert!(chunks.lives_in(&arena) && !chunks.lives_in(&other));
    assert_eq!(make(&mut arena).err(), Some(Error::ArenaFull));
    chunks.destroy();
    assert!(!chunks.lives_in(&arena) && make(&mut arena).is_ok());
}
