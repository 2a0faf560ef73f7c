//! The generator: its output is the keystream of its seed, on every backend; seeds come when they are due; and a
//! source that fails is refused or left out, whichever way it fails.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
#![allow(clippy::indexing_slicing, reason = "an index out of range fails the test")]

mod common;
mod model;

use common::{Random, cells};
use hardware_aes_gcm::backend::Cpu;
use hardware_aes_gcm::error::Error;
use hardware_aes_gcm::hw::entropy::{Entropy, Machine};
use hardware_aes_gcm::hw::fork;
use hardware_aes_gcm::nonce::random_192;
use hardware_aes_gcm::rng::health::Fault;
use hardware_aes_gcm::rng::report::{Cause, Source};
use hardware_aes_gcm::rng::{BYTES_PER_SEED, CHUNK, Generator, SECONDS_PER_SEED};
use model::book;
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// One test at a time: the generation is the whole process's.
fn turn() -> MutexGuard<'static, ()> {
    static TURN: Mutex<()> = Mutex::new(());
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The CPU's source as a test wants it, called with the number of the try.
type Words = Box<dyn FnMut(u64) -> Option<u64>>;

/// Sources that a test decides.
struct Fake(Rc<RefCell<World>>);

struct World {
    /// What the operating system gives next; it counts up. None where it fails.
    os: Option<u8>,
    words: Option<Words>,
    tries: u64,
    seconds: u64,
}

impl Fake {
    fn new(words: Option<Words>) -> (Self, Rc<RefCell<World>>) {
        let world = World { os: Some(1), words, tries: 0, seconds: 1000 };
        let world = Rc::new(RefCell::new(world));
        (Self(Rc::clone(&world)), world)
    }
}

/// The seed that the operating system of [`Fake`] gives when it stands at `count`.
fn os(count: u8) -> [u8; 32] {
    std::array::from_fn(|i| (i as u8).wrapping_mul(7) ^ count)
}

impl Entropy for Fake {
    fn os(&mut self, seed: &mut [u8; 32]) -> Result<(), Error> {
        let mut world = self.0.borrow_mut();
        let count = world.os.ok_or(Error::Entropy)?;
        world.os = Some(count + 1);
        *seed = os(count);
        Ok(())
    }

    fn cpu(&self) -> Option<&'static str> {
        self.0.borrow().words.is_some().then_some("fake")
    }

    fn word(&mut self) -> Option<u64> {
        let mut world = self.0.borrow_mut();
        world.tries += 1;
        let tries = world.tries;
        world.words.as_mut()?(tries)
    }

    fn seconds(&self) -> u64 {
        self.0.borrow().seconds
    }
}

/// The generator as its documentation has it, with the book's AES.
struct Reference {
    next: [u8; 32],
    pool: Vec<u8>,
}

impl Reference {
    fn seeded(seed: [u8; 32]) -> Self {
        let mut reference = Self { next: [0; 32], pool: Vec::new() };
        reference.seed(seed);
        reference
    }

    fn seed(&mut self, seed: [u8; 32]) {
        self.next = book::xor(self.next, seed);
        self.refill();
    }

    fn refill(&mut self) {
        let stream = Self::chunk(&self.next, 0, 4096);
        let (next, pool) = stream.split_at(32);
        self.next = next.try_into().unwrap();
        self.pool = pool.to_vec();
    }

    fn give(&mut self, length: usize) -> Vec<u8> {
        if length > 1024 {
            let chunks = 1..=length.div_ceil(CHUNK);
            let mut all: Vec<u8> =
                chunks.flat_map(|i| Self::chunk(&self.next, i as u64, CHUNK)).collect();
            all.truncate(length);
            self.next = Self::chunk(&self.next, 0, 32).try_into().unwrap();
            return all;
        }
        let mut given = Vec::new();
        while given.len() < length {
            if self.pool.is_empty() {
                self.refill();
            }
            let some = self.pool.len().min(length - given.len());
            given.extend(self.pool.drain(..some));
        }
        given
    }

    /// AES-256 of `le96(i) ‖ be32(2), be32(3), …`.
    fn chunk(key: &[u8; 32], i: u64, length: usize) -> Vec<u8> {
        let round_keys = book::expand(key);
        let blocks = (2_u32..).map(|counter| {
            let mut block = [0; 16];
            block[..8].copy_from_slice(&i.to_le_bytes());
            block[12..].copy_from_slice(&counter.to_be_bytes());
            book::encrypt(&round_keys, block)
        });
        blocks.take(length.div_ceil(16)).flatten().take(length).collect()
    }
}

fn filled<E: Entropy>(generator: &mut Generator<E>, length: usize) -> Result<Vec<u8>, Error> {
    let mut bytes = vec![0xa5; length];
    let given = generator.fill(cells(&mut bytes));
    if given.is_err() {
        assert!(bytes.iter().all(|byte| *byte == 0xa5), "what failed wrote nothing");
    }
    given.map(|()| bytes)
}

/// Sound words, as far as the tests can see.
fn sound(i: u64) -> u64 {
    i.wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

#[test]
fn output_is_the_keystream_of_the_seed() {
    let _turn = turn();
    let mut random = Random(0x7365_6564_2121_2121);
    for cpu in Cpu::all() {
        let (fake, world) = Fake::new(None);
        let mut generator = Generator::new(cpu, fake).unwrap();
        let mut reference = Reference::seeded(os(1));
        for length in [1, 0, 31, 32, 33, 1023, 1024, 1025, 4064, 4096, CHUNK, CHUNK + 1, 50_001] {
            assert_eq!(filled(&mut generator, length).unwrap(), reference.give(length), "{length}");
        }
        for round in 0..300 {
            let length = random.below(if round % 10 == 0 { 3000 } else { 200 });
            assert_eq!(filled(&mut generator, length).unwrap(), reference.give(length), "{length}");
            if round % 50 == 49 {
                let count = world.borrow().os.unwrap();
                generator.reseed().unwrap();
                reference.seed(os(count));
            }
        }
    }
}

#[test]
fn words_of_the_cpu_are_mixed_in_once_they_are_trusted() {
    let _turn = turn();
    let (fake, world) = Fake::new(Some(Box::new(|i| Some(sound(i)))));
    let mut generator = Generator::new(Cpu::best().unwrap(), fake).unwrap();
    assert_eq!(generator.report().source, Source::Untested);
    let with_words = |count: u8, first: u64| {
        let words: Vec<u8> = (first..first + 4).flat_map(|i| sound(i).to_ne_bytes()).collect();
        book::xor(os(count), words.try_into().unwrap())
    };
    // The start-up tests take 1024 words, which are used for nothing else.
    let mut reference = Reference::seeded(with_words(1, 1025));
    assert_eq!(filled(&mut generator, 64).unwrap(), reference.give(64));
    let report = generator.report();
    assert_eq!((report.source, report.cpu_used, report.words), (Source::Healthy, true, 1028));
    // No start-up at the next.
    generator.reseed().unwrap();
    reference.seed(with_words(2, 1029));
    assert_eq!(filled(&mut generator, 64).unwrap(), reference.give(64));
    assert_eq!(world.borrow().tries, 1032);
    assert!(!generator.news());
}

/// A source that succeeds now and then passes its tests in several seedings, and none of them takes long.
#[test]
fn a_slow_source_is_tested_over_several_seedings() {
    let _turn = turn();
    let slow: Words = Box::new(|i| {
        let until = Instant::now() + Duration::from_micros(1);
        while Instant::now() < until {}
        (i % 2 == 0).then(|| sound(i))
    });
    let (fake, _world) = Fake::new(Some(slow));
    let mut generator = Generator::new(Cpu::best().unwrap(), fake).unwrap();
    let (mut seedings, mut words) = (0, 0);
    while !generator.report().cpu_used {
        generator.reseed().unwrap();
        let report = generator.report();
        seedings += 1;
        assert!(report.words > words || seedings > 1, "tests go on where they stopped");
        assert!(report.words >= words && seedings < 10_000);
        words = report.words;
        assert_eq!(report.source, if words < 1024 { Source::Testing } else { Source::Healthy });
    }
    assert!(seedings > 2 && words >= 1028, "{seedings} seedings, {words} words");
}

/// T43, T44: what broken sources were seen to do. The operating system's entropy is left, and it is reported.
#[test]
fn broken_sources_are_dropped_and_never_stall_a_call() {
    let _turn = turn();
    type Broken = (&'static str, fn(u64) -> Option<u64>, Fault);
    let broken: [Broken; 9] = [
        ("zeros with success", |_| Some(0), Fault::Stuck),
        ("all ones", |_| Some(u64::MAX), Fault::Stuck),
        ("a constant", |_| Some(5), Fault::Repeated),
        ("period two", |i| Some(i % 2 + 1), Fault::Recurring),
        ("zeros once in ten", |i| Some(if i % 10 == 9 { 0 } else { sound(i) }), Fault::Stuck),
        (
            "zeros once in a hundred",
            |i| Some(if i % 100 == 9 { 0 } else { sound(i) }),
            Fault::Stuck,
        ),
        ("stuck after a while", |i| Some(sound(i.min(700))), Fault::Repeated),
        ("constant, one try in twenty", |i| (i % 20 == 0).then_some(5), Fault::Repeated),
        ("nothing at all", |_| None, Fault::Silent),
    ];
    for (name, source, fault) in broken {
        let quickest = (0..20).map(|_| {
            let (fake, world) = Fake::new(Some(Box::new(source)));
            let mut generator = Generator::new(Cpu::best().unwrap(), fake).unwrap();
            let began = Instant::now();
            let bytes = filled(&mut generator, 64).unwrap();
            let took = began.elapsed();
            assert_eq!(bytes, Reference::seeded(os(1)).give(64), "{name}: the OS's entropy alone");
            // Within a few seedings at most: the tests stop where their time is over.
            let mut seedings = 1;
            while generator.report().source != Source::Dropped(fault) {
                generator.reseed().unwrap();
                seedings += 1;
                assert!(seedings < 1000, "{name}: {:?}", generator.report());
            }
            assert!(generator.news() && !generator.news(), "{name}: reported once");
            let tries = world.borrow().tries;
            generator.reseed().unwrap();
            assert_eq!(world.borrow().tries, tries, "{name}: not asked again");
            assert!(!generator.report().cpu_used);
            took
        });
        let quickest = quickest.min().unwrap();
        assert!(quickest < Duration::from_millis(1), "{name}: {quickest:?}");
    }
}

/// RDSEED that is switched off takes a microsecond and more for each try that gives nothing.
#[test]
fn a_slow_source_that_gives_nothing_never_stalls_a_call() {
    let _turn = turn();
    let slowest = (0..5).map(|_| {
        let silent: Words = Box::new(|_| {
            let until = Instant::now() + Duration::from_nanos(1300);
            while Instant::now() < until {}
            None
        });
        let (fake, _world) = Fake::new(Some(silent));
        let mut generator = Generator::new(Cpu::best().unwrap(), fake).unwrap();
        let mut slowest = Duration::ZERO;
        while generator.report().source != Source::Dropped(Fault::Silent) {
            let began = Instant::now();
            generator.reseed().unwrap();
            slowest = slowest.max(began.elapsed());
        }
        assert!(generator.report().seedings > 2, "{:?}", generator.report());
        slowest
    });
    let quickest = slowest.min().unwrap();
    assert!(quickest < Duration::from_millis(1), "{quickest:?}");
}

/// T45: a failing operating system is an error, what it should have filled is untouched, and it is asked again.
#[test]
fn a_failing_system_is_an_error() {
    let _turn = turn();
    for words in [None, Some(Box::new(|i| Some(sound(i))) as Words)] {
        let (fake, world) = Fake::new(words);
        let mut generator = Generator::new(Cpu::best().unwrap(), fake).unwrap();
        let system = |count| world.borrow_mut().os = count;
        let refused = |generator: &mut Generator<Fake>| {
            for length in [1, 32, 5000] {
                assert_eq!(filled(generator, length), Err(Error::Entropy));
            }
        };
        system(None);
        refused(&mut generator);
        system(Some(1));
        let first = filled(&mut generator, 32).unwrap();

        // Another generation: a fork, or `reseed` in another thread.
        fork::renew();
        system(None);
        refused(&mut generator);
        system(Some(2));
        assert_ne!(filled(&mut generator, 32).unwrap(), first);
        assert_eq!(generator.report().cause, Some(Cause::Generation));

        system(None);
        assert_eq!(generator.reseed(), Err(Error::Entropy));
        refused(&mut generator);
        system(Some(3));
        assert!(filled(&mut generator, 32).is_ok());

        // And where a seed is due for its bytes or its age.
        world.borrow_mut().seconds += SECONDS_PER_SEED;
        system(None);
        refused(&mut generator);
        system(Some(4));
        assert!(filled(&mut generator, 32).is_ok());
    }
}

#[test]
fn seeds_are_due_after_their_bytes_and_their_time() {
    let _turn = turn();
    let (fake, world) = Fake::new(None);
    let mut generator = Generator::new(Cpu::best().unwrap(), fake).unwrap();
    assert_eq!(generator.report().cause, None);
    filled(&mut generator, 1).unwrap();
    let seeded = |generator: &Generator<Fake>| {
        let report = generator.report();
        (report.seedings, report.cause.unwrap())
    };
    assert_eq!(seeded(&generator), (1, Cause::FirstUse));
    world.borrow_mut().seconds += SECONDS_PER_SEED - 1;
    filled(&mut generator, 1).unwrap();
    assert_eq!((seeded(&generator).0, generator.report().seconds), (1, SECONDS_PER_SEED - 1));
    world.borrow_mut().seconds += 1;
    filled(&mut generator, 1).unwrap();
    assert_eq!(seeded(&generator), (2, Cause::Time));

    let mut large = vec![0; 1 << 26];
    for _ in 0..15 {
        generator.fill(cells(&mut large)).unwrap();
    }
    let last = usize::try_from(BYTES_PER_SEED - generator.report().bytes).unwrap();
    generator.fill(cells(&mut large[..last])).unwrap();
    assert_eq!((seeded(&generator), generator.report().bytes), ((2, Cause::Time), BYTES_PER_SEED));
    filled(&mut generator, 1).unwrap();
    assert_eq!((seeded(&generator), generator.report().bytes), ((3, Cause::Bytes), 1));

    // Nor does a seed give more where requests do not meet its end.
    let before = usize::try_from(BYTES_PER_SEED - 2).unwrap();
    let mut huge = vec![0; BYTES_PER_SEED as usize + 100];
    generator.fill(cells(&mut huge[..before])).unwrap();
    assert_eq!((seeded(&generator).0, generator.report().bytes), (3, BYTES_PER_SEED - 1));
    generator.fill(cells(&mut huge[..1000])).unwrap();
    assert_eq!((seeded(&generator), generator.report().bytes), ((4, Cause::Bytes), 999));

    // One call for more than that: no byte of it is left out, and it is seeded on the way.
    huge.fill(0);
    generator.fill(cells(&mut huge)).unwrap();
    assert_eq!(seeded(&generator), (5, Cause::Bytes));
    assert!(huge.chunks(32).all(|some| some.len() < 32 || some.iter().any(|byte| *byte != 0)));
    world.borrow_mut().os = None;
    assert_eq!(generator.fill(cells(&mut huge)), Err(Error::Entropy));
    assert!(huge.iter().all(|byte| *byte == 0), "given in part, then wiped");
}

/// `reseed` in another thread, again and again, holds no call up.
#[test]
fn requests_make_nothing_again() {
    let _turn = turn();
    let mut generator = Generator::new(Cpu::best().unwrap(), Machine::new()).unwrap();
    let mut large = vec![0; 1 << 24];
    let over = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !over.load(std::sync::atomic::Ordering::Relaxed) {
                fork::renew();
            }
        });
        for _ in 0..20 {
            generator.fill(cells(&mut large)).unwrap();
        }
        over.store(true, std::sync::atomic::Ordering::Relaxed);
    });
    assert!(generator.report().seedings <= 21 && generator.report().cause.is_some());
}

#[test]
fn this_machines_generator_gives_other_bytes_every_time() {
    let _turn = turn();
    let cpu = Cpu::best().unwrap();
    let mut seen = std::collections::HashSet::new();
    let (mut ones, mut zeros) = ([0_u8; 24], [0_u8; 24]);
    for _ in 0..20 {
        let mut generator = Generator::new(cpu, Machine::new()).unwrap();
        for _ in 0..1000 {
            let nonce = random_192(&mut generator).unwrap();
            for ((ones, zeros), byte) in ones.iter_mut().zip(&mut zeros).zip(nonce) {
                *ones |= byte;
                *zeros |= !byte;
            }
            assert!(seen.insert(nonce));
        }
    }
    assert_eq!((ones, zeros), ([255; 24], [255; 24]), "every bit is set somewhere, and clear");
    println!("{:?}", Generator::new(cpu, Machine::new()).unwrap().report());
}
