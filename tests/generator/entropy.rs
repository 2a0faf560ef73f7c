//! Sources of entropy: a sound source is mixed in at once, a slow source is tested over several
//! seedings, and a source that fails in any way is refused or left out.

use crate::common::entropy::{Fake, Words, World, filled, os, sound};
use crate::common::turn;
use crate::model::{book, generator::Reference};
use hardware_aes_gcm::backend::Cpu;
use hardware_aes_gcm::error::Error;
use hardware_aes_gcm::hw::fork;
use hardware_aes_gcm::rng::health::Fault;
use hardware_aes_gcm::rng::report::{Cause, Source};
use hardware_aes_gcm::rng::source::TIME_PER_SEEDING;
use hardware_aes_gcm::rng::{Generator, SECONDS_PER_SEED};
use std::cell::RefCell;
use std::time::Duration;

#[test]
fn words_of_the_cpu_are_mixed_in_from_the_first_seed_on() {
    let _turn = turn();
    let (fake, world) = Fake::new(Some(Box::new(|i| Some(sound(i)))));
    let mut generator = Generator::new(Cpu::best().unwrap(), fake).unwrap();
    assert_eq!(generator.report().source, Source::Untested);
    let with_words = |count: u8, first: u64| {
        let words: Vec<u8> = (first..first + 4).flat_map(|i| sound(i).to_ne_bytes()).collect();
        book::xor(os(count), words.try_into().unwrap())
    };
    // Word 1 opens a window, so the tests still hold it. Words 2 to 5 are used, each after the next
    // one was tested. The others serve the start-up tests only.
    let mut reference = Reference::seeded(with_words(1, 2));
    assert_eq!(filled(&mut generator, 64).unwrap(), reference.give(64));
    let report = generator.report();
    assert_eq!((report.source, report.cpu_used, report.words), (Source::Healthy, true, 1024));
    // The next seeding needs no start-up tests. Word 1025 opens a window.
    generator.reseed().unwrap();
    reference.seed(with_words(2, 1026));
    assert_eq!(filled(&mut generator, 64).unwrap(), reference.give(64));
    assert_eq!(world.borrow().tries, 1030);
    assert!(!generator.take_drop_notice());
}

/// A source that often fails passes its tests over several seedings, in time, and is part of every seed.
#[test]
fn a_slow_source_is_tested_over_several_seedings() {
    let _turn = turn();
    let (fake, world) = Fake::new(Some(Box::new(|i| (i % 2 == 0).then(|| sound(i)))));
    world.borrow_mut().try_takes = Duration::from_micros(1);
    let mut generator = Generator::new(Cpu::best().unwrap(), fake).unwrap();
    for words in [250, 500, 750, 1000] {
        assert_eq!(reseeding(&mut generator, &world), TIME_PER_SEEDING);
        let report = generator.report();
        assert_eq!((report.words, report.source), (words, Source::Testing));
        assert!(report.cpu_used);
    }
    reseeding(&mut generator, &world);
    let report = generator.report();
    assert_eq!((report.words, report.source, report.cpu_used), (1024, Source::Healthy, true));
}

/// Seeds, and returns how long this took by the clock that tries move.
fn reseeding(generator: &mut Generator<Fake>, world: &RefCell<World>) -> Duration {
    let began = world.borrow().now;
    generator.reseed().unwrap();
    world.borrow().now - began
}

/// Faults that were seen in real sources. Seeds are the system's alone from then on, and the fault is reported.
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
        ("never a word", |_| None, Fault::Silent),
    ];
    // Where RDSEED is switched off, a failed try was seen to take 1.3 microseconds.
    for try_takes in [100, 1300, 50_000].map(Duration::from_nanos) {
        for (name, source, fault) in broken {
            let (fake, world) = Fake::new(Some(Box::new(source)));
            world.borrow_mut().try_takes = try_takes;
            let mut generator = Generator::new(Cpu::best().unwrap(), fake).unwrap();
            let began = world.borrow().now;
            let bytes = filled(&mut generator, 64).unwrap();
            let mut slowest = world.borrow().now - began;
            let alone = bytes == Reference::seeded(os(1)).give(64);
            assert_ne!(alone, generator.report().cpu_used, "{name}: what the report says");
            assert!(alone || name == "stuck after a while", "{name}: the OS's entropy alone");
            // The tests stop when their time is over, and continue at the next seeding.
            let mut seedings = 1;
            while generator.report().source != Source::Dropped(fault) {
                slowest = slowest.max(reseeding(&mut generator, &world));
                seedings += 1;
                assert!(seedings < 1000, "{name}: {:?}", generator.report());
            }
            assert!(slowest < TIME_PER_SEEDING + try_takes, "{name}: {slowest:?}");
            assert!(
                generator.take_drop_notice() && !generator.take_drop_notice(),
                "{name}: reported once"
            );
            let tries = world.borrow().tries;
            generator.reseed().unwrap();
            assert_eq!(world.borrow().tries, tries, "{name}: not asked again");
            assert!(!generator.report().cpu_used);
        }
    }
    assert!(
        TIME_PER_SEEDING <= Duration::from_micros(500),
        "more than half of the millisecond that a call may take"
    );
}

/// Where the operating system fails, a request fails and leaves its target unchanged; the next one asks the system again.
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

        // Another generation, as after a fork, or after `reseed` in another thread.
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

        // A seeding that is due for the age of the last seed.
        world.borrow_mut().seconds += SECONDS_PER_SEED;
        system(None);
        refused(&mut generator);
        system(Some(4));
        assert!(filled(&mut generator, 32).is_ok());
    }
}
