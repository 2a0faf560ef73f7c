//! Jobs: the work of a frame that another thread does, under the nonce, the counts and the limits of its key.

use crate::common::{Random, cells, every_mode, frame, key, key_in, sample, secret};
use crate::model::book::Book;
use hardware_aes_gcm::backend::Cpu;
use hardware_aes_gcm::error::Error;
use hardware_aes_gcm::key::arena::Arena;
use hardware_aes_gcm::key::frames::{NonceAt, OVERHEAD};
use hardware_aes_gcm::key::job::Job;
use hardware_aes_gcm::key::ledger::{Counts, Limits, MAX_MESSAGE_BYTES};
use hardware_aes_gcm::key::{Key, Options};
use std::thread;

/// Runs a job on another thread, and returns its result with the frame.
fn elsewhere(job: Job, mut frame: Vec<u8>, mut aad: Vec<u8>) -> (Result<(), Error>, Vec<u8>) {
    let work = move || (job.run(cells(&mut frame), cells(&mut aad)), frame);
    thread::spawn(work).join().unwrap()
}

/// These take no slot: the jobs of AES-GCM share that of their key.
fn encrypt_job(key: &mut Key, frame: usize, aad: usize) -> Result<Job, Error> {
    key.encrypt_job(frame, aad, &mut no_arena())
}

fn decrypt_job(key: &mut Key, frame: usize, aad: usize) -> Result<Job, Error> {
    key.decrypt_job(frame, aad, &mut no_arena())
}

fn no_arena() -> Arena {
    let mut arena = Arena::default();
    arena.destroy();
    arena
}

fn refusal(job: Result<Job, Error>) -> Option<Error> {
    job.err()
}

/// Nonce, text and tag of a frame.
fn split(nonce_at: NonceAt, frame: &[u8]) -> ([u8; 12], Vec<u8>, [u8; 16]) {
    let text = frame.len() - OVERHEAD;
    let (nonce, rest) = match nonce_at {
        NonceAt::Start => frame.split_at(12),
        NonceAt::End => (&frame[text + 16..], &frame[..text + 16]),
    };
    (nonce.try_into().unwrap(), rest[..text].to_vec(), rest[text..].try_into().unwrap())
}

#[test]
fn jobs_agree_with_the_book_and_restore_forgeries() {
    let mut random = Random(0x6a6f_6273);
    for (cpu, options) in every_mode() {
        let bytes = random.bytes(32);
        let (mut key, book) = (key(cpu, &bytes, options), Book::new(&bytes));
        let lengths = (0..70).chain([127, 128, 129, 500, 2000]);
        for length in sample(lengths) {
            let (text, aad) = (random.bytes(length), random.bytes(length % 40));
            let plain = frame(options.nonce_at, &[0; 12], &text, &[0; 16]);
            assert_eq!(key.allow_encrypt_job(plain.len(), aad.len()), Ok(()));
            let job = encrypt_job(&mut key, plain.len(), aad.len()).unwrap();
            let (done, sealed) = elsewhere(job, plain, aad.clone());
            assert_eq!(done, Ok(()));
            let (nonce, data, tag) = split(options.nonce_at, &sealed);
            assert_eq!(book.seal(&nonce, &aad, &text), (data, tag), "{length} on {}", cpu.name());

            let mut forged = sealed.clone();
            forged[random.below(sealed.len())] ^= 1 << random.below(8);
            for (frame, aad) in [
                (forged, aad.clone()),
                (sealed.clone(), [&aad[..], &[0]].concat()),
                (sealed[1..].to_vec(), aad.clone()),
                (sealed[..27].to_vec(), aad.clone()),
                (Vec::new(), aad.clone()),
            ] {
                let job = decrypt_job(&mut key, frame.len(), aad.len()).unwrap();
                let left = elsewhere(job, frame.clone(), aad);
                assert_eq!(left, (Err(Error::Authentication), frame), "{length}");
            }
            assert_eq!(key.allow_decrypt_job(sealed.len(), aad.len()), Ok(()));
            let job = decrypt_job(&mut key, sealed.len(), aad.len()).unwrap();
            let (done, opened) = elsewhere(job, sealed, aad);
            assert_eq!((done, split(options.nonce_at, &opened).1), (Ok(()), text));
        }
        let counts = key.counts();
        assert_eq!(counts.failures, 0, "failures are counted when the caller says so");
    }
}

#[test]
fn nonces_and_counts_are_taken_with_the_job() {
    let _turn = crate::common::turn(); // after a fork, which another test acts out, salts are new
    let mut key = key(Cpu::best().unwrap(), &[3; 32], Options::default());
    for _ in 0..3 {
        assert_eq!(key.allow_encrypt_job(50, 0), Ok(()));
        assert_eq!(key.counts(), Counts::default(), "asking takes and counts nothing");
    }
    let jobs: Vec<Job> = (0..4).map(|_| encrypt_job(&mut key, 50, 0).unwrap()).collect();
    assert_eq!(key.counts(), Counts { messages: 4, bytes: 88, blocks: 12, failures: 0 });
    let mut nonces: Vec<u128> = jobs
        .into_iter()
        .rev()
        .map(|job| {
            let (done, sealed) = elsewhere(job, vec![0; 50], Vec::new());
            assert_eq!(done, Ok(()));
            let mut nonce = [0; 16];
            nonce[..12].copy_from_slice(&sealed[..12]);
            u128::from_le_bytes(nonce)
        })
        .collect();
    nonces.reverse();
    let following = nonces.windows(2).all(|pair| (pair[0] + 1) % (1 << 96) == pair[1]);
    assert!(following, "{nonces:x?}: in the order of the calls");
    drop(encrypt_job(&mut key, 50, 0).unwrap());
    assert_eq!(key.counts().messages, 5, "a job that never runs is counted");
}

#[test]
fn refusals_are_those_of_the_key_and_count_nothing() {
    let cpu = Cpu::best().unwrap();
    let limited = |messages, failures| {
        let limits = Limits { messages, failures };
        key(cpu, &[3; 32], Options { limits, ..Options::default() })
    };
    let mut key = limited(1, 2);
    let too_long = MAX_MESSAGE_BYTES as usize + OVERHEAD + 1;
    for (frame, error) in
        [(27, Error::FrameTooShort), (0, Error::FrameTooShort), (too_long, Error::MessageTooLong)]
    {
        assert_eq!(key.allow_encrypt_job(frame, 0), Err(error), "{frame}");
        assert_eq!(refusal(encrypt_job(&mut key, frame, 0)), Some(error), "{frame}");
    }
    assert_eq!(key.allow_decrypt_job(too_long, 0), Err(Error::MessageTooLong));
    assert_eq!(refusal(decrypt_job(&mut key, too_long, 0)), Some(Error::MessageTooLong));
    assert_eq!(key.counts(), Counts::default());
    drop(encrypt_job(&mut key, 28, 0).unwrap());
    assert_eq!(key.allow_encrypt_job(28, 0), Err(Error::EncryptionsExhausted));
    assert_eq!(refusal(encrypt_job(&mut key, 28, 0)), Some(Error::EncryptionsExhausted));
    assert_eq!(key.counts().messages, 1);

    let jobs: Vec<Job> = (0..4).map(|_| decrypt_job(&mut key, 28, 0).unwrap()).collect();
    let mut counted = Vec::new();
    for job in jobs {
        assert_eq!(elsewhere(job, vec![0; 28], Vec::new()).0, Err(Error::Authentication));
        counted.push(key.count_failure());
    }
    let exhausted = Error::FailuresExhausted;
    assert_eq!(counted, [Error::Authentication, Error::Authentication, exhausted, exhausted]);
    assert_eq!(key.counts().failures, 2);
    assert_eq!(key.allow_decrypt_job(28, 0), Err(exhausted));
    assert_eq!(refusal(decrypt_job(&mut key, 28, 0)), Some(exhausted));

    let mut key = limited(9, 9);
    key.destroy();
    for refused in [key.allow_encrypt_job(28, 0), key.allow_decrypt_job(28, 0)] {
        assert_eq!(refused, Err(Error::Destroyed));
    }
    assert_eq!(refusal(encrypt_job(&mut key, 0, 0)), Some(Error::Destroyed), "before other errors");
    assert_eq!(refusal(decrypt_job(&mut key, 0, 0)), Some(Error::Destroyed));
    assert_eq!(key.counts(), Counts::default());
    assert_eq!(key.count_failure(), Error::Authentication);
}

/// A destroyed key finishes its jobs, and its place is free and wiped after the last.
#[test]
fn jobs_outlive_their_key_and_its_arena() {
    for cpu in Cpu::all() {
        let mut arena = Arena::fixed(1).unwrap();
        let book = Book::new(&[9; 16]);
        let mut key: Key = key_in(&mut arena, cpu, &secret(&[9; 16]), Options::default()).unwrap();
        let [first, second] = [60, 61].map(|length| encrypt_job(&mut key, length, 0).unwrap());
        key.destroy();
        drop(key);
        assert_eq!(arena.used(), 1, "two jobs hold it");
        drop(first);
        assert_eq!(arena.used(), 1, "one job holds it");
        let mut third = key_in(&mut arena, cpu, &secret(&[9; 16]), Options::default()).err();
        assert_eq!(third.take(), Some(Error::ArenaFull));
        let (done, sealed) = elsewhere(second, vec![7; 61], Vec::new());
        let (nonce, data, tag) = split(NonceAt::Start, &sealed);
        assert_eq!((done, book.seal(&nonce, &[], &[7; 33])), (Ok(()), (data, tag)));
        assert_eq!(arena.used(), 0, "wiped with the last job, on its thread");
        let mut key = key_in(&mut arena, cpu, &secret(&[9; 16]), Options::default()).unwrap();
        let job = encrypt_job(&mut key, 28, 0).unwrap();
        arena.destroy();
        drop((key, arena));
        assert_eq!(elsewhere(job, vec![7; 28], Vec::new()).0, Ok(()), "its memory is mapped");
    }
}
