//! The generator: its output is the keystream of its seed, on every backend, and it seeds when a seeding is due.

use crate::common::entropy::{Fake, filled, os};
use crate::common::{Random, cells, turn};
use crate::model::generator::Reference;
use hardware_aes_gcm::backend::Cpu;
use hardware_aes_gcm::error::Error;
use hardware_aes_gcm::hw::entropy::{Entropy, Machine};
use hardware_aes_gcm::hw::fork;
use hardware_aes_gcm::rng::report::Cause;
use hardware_aes_gcm::rng::{BYTES_PER_SEED, CHUNK, Generator, REPEATS, SECONDS_PER_SEED};
use std::cell::Cell;
use std::rc::Rc;

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

    // A seed's end in the middle of a request.
    let before = usize::try_from(BYTES_PER_SEED - 2).unwrap();
    let mut huge = vec![0; BYTES_PER_SEED as usize + 100];
    generator.fill(cells(&mut huge[..before])).unwrap();
    assert_eq!((seeded(&generator).0, generator.report().bytes), (3, BYTES_PER_SEED - 1));
    generator.fill(cells(&mut huge[..1000])).unwrap();
    assert_eq!((seeded(&generator), generator.report().bytes), ((4, Cause::Bytes), 999));

    // One request for more than a seed gives: every byte is filled, and the generator seeds on the way.
    huge.fill(0);
    generator.fill(cells(&mut huge)).unwrap();
    assert_eq!(seeded(&generator), (5, Cause::Bytes));
    assert!(huge.chunks(32).all(|some| some.len() < 32 || some.iter().any(|byte| *byte != 0)));
    world.borrow_mut().os = None;
    assert_eq!(generator.fill(cells(&mut huge)), Err(Error::Entropy));
    assert!(huge.iter().all(|byte| *byte == 0), "written in part, then zeroed");
}

/// Fake sources that call [`fork::renew`], as often as the number says, each time the generator asks for the time: after it
/// found that no seeding is due, when another thread could do the same.
struct Asking(Fake, Rc<Cell<u32>>);

impl Entropy for Asking {
    fn os(&mut self, seed: &mut [u8; 32]) -> Result<(), Error> {
        self.0.os(seed)
    }

    fn cpu(&self) -> Option<&'static str> {
        None
    }

    fn word(&mut self) -> Option<u64> {
        None
    }

    fn seconds(&self) -> u64 {
        if self.1.get() > 0 {
            self.1.set(self.1.get() - 1);
            fork::renew();
        }
        self.0.seconds()
    }
}

/// Once, a request during which another thread called `reseed` returned bytes of the old seed.
#[test]
fn a_reseed_reaches_a_fill_in_progress() {
    let _turn = turn();
    let (fake, world) = Fake::new(None);
    let asks = Rc::new(Cell::new(0));
    let mut generator =
        Generator::new(Cpu::best().unwrap(), Asking(fake, Rc::clone(&asks))).unwrap();
    let mut reference = Reference::seeded(os(1));
    assert_eq!(filled(&mut generator, 10).unwrap(), reference.give(10));
    for (length, count) in [(5000, 2), (32, 3)] {
        asks.set(1);
        let given = filled(&mut generator, length).unwrap();
        assert!(given != reference.give(length), "bytes of the old seed");
        reference.seed(os(count));
        assert!(given == reference.give(length), "not bytes of the new seed");
        assert_eq!(generator.report().cause, Some(Cause::Generation));
    }
    // If the seeding that comes due meanwhile fails, the bytes already written are zeroed.
    asks.set(1);
    world.borrow_mut().os = None;
    let mut bytes = [0xa5; 40];
    assert_eq!(generator.fill(cells(&mut bytes)), Err(Error::Entropy));
    assert_eq!(bytes, [0; 40]);

    // A thread that calls `renew` in a loop delays a request by a limited number of repeats.
    world.borrow_mut().os = Some(4);
    filled(&mut generator, 1).unwrap();
    asks.set(u32::MAX);
    filled(&mut generator, 1).unwrap();
    let before = generator.report().seedings;
    filled(&mut generator, 5000).unwrap();
    assert_eq!(generator.report().seedings - before, u64::from(REPEATS) + 1);
}

#[test]
fn a_thread_that_reseeds_in_a_loop_does_not_stall_calls() {
    let _turn = turn();
    let mut generator = Generator::new(Cpu::best().unwrap(), Machine::new()).unwrap();
    let mut large = vec![0; 1 << 21];
    let over = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !over.load(std::sync::atomic::Ordering::Relaxed) {
                fork::renew();
            }
        });
        while generator.report().seedings < 2 {
            generator.fill(cells(&mut large)).unwrap();
        }
        let before = generator.report().seedings;
        for _ in 0..20 {
            generator.fill(cells(&mut large)).unwrap();
        }
        let seedings = generator.report().seedings - before;
        over.store(true, std::sync::atomic::Ordering::Relaxed);
        assert!(
            seedings <= 20 * u64::from(1 + REPEATS),
            "at most one seeding for each repeat: {seedings}"
        );
    });
}

#[test]
fn this_machines_generator_never_repeats_itself() {
    let _turn = turn();
    let cpu = Cpu::best().unwrap();
    let mut seen = std::collections::HashSet::new();
    let (mut ones, mut zeros) = ([0_u8; 24], [0_u8; 24]);
    for _ in 0..20 {
        let mut generator = Generator::new(cpu, Machine::new()).unwrap();
        for _ in 0..1000 {
            let nonce: [u8; 24] = generator.salt().unwrap();
            for ((ones, zeros), byte) in ones.iter_mut().zip(&mut zeros).zip(nonce) {
                *ones |= byte;
                *zeros |= !byte;
            }
            assert!(seen.insert(nonce));
        }
    }
    assert_eq!((ones, zeros), ([255; 24], [255; 24]), "a bit is never set, or never clear");
    println!("{:?}", Generator::new(cpu, Machine::new()).unwrap().report());
}
