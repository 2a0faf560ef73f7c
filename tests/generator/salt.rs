//! Salts of frames: the operating system's bytes XORed with the generator's output; either is enough for a unique salt.

use crate::common::entropy::{Fake, Words, World, filled, os, sound};
use crate::common::{cells, secret, turn};
use crate::model::{book, generator::Reference};
use hardware_aes_gcm::backend::Cpu;
use hardware_aes_gcm::hw::fork;
use hardware_aes_gcm::key::arena::Arena;
use hardware_aes_gcm::key::batch::{Aad, Batch};
use hardware_aes_gcm::key::ranges::Ranges;
use hardware_aes_gcm::key::{Key, Options};
use hardware_aes_gcm::rng::Generator;
use hardware_aes_gcm::rng::report::Cause;
use hardware_aes_gcm::rng::shared::SharedGenerator;
use std::cell::RefCell;
use std::num::NonZeroUsize;
use std::rc::Rc;

/// A generator with fake sources. Where `image` gives the CPU a source, the words of the first seed are the same for every
/// `image`, and later words differ.
fn machine(image: Option<u64>) -> (Generator<Fake>, Rc<RefCell<World>>) {
    const FIRST_SEED: u64 = 1024;
    let words = |image: u64| {
        Box::new(move |i| Some(sound(if i > FIRST_SEED { i + image } else { i }))) as Words
    };
    let (fake, world) = Fake::new(image.map(words));
    (Generator::new(Cpu::best().unwrap(), fake).unwrap(), world)
}

#[test]
fn a_salt_is_the_generators_output_and_the_systems_bytes() {
    let _turn = turn();
    let (mut generator, _) = machine(None);
    let mut reference = Reference::seeded(os(1));
    for count in 2..100 {
        let output: [u8; 12] = reference.give(12).try_into().unwrap();
        let system = *os(count).first_chunk().unwrap();
        assert_eq!(generator.salt(), Ok(book::xor(output, system)));
    }
}

/// Once, two machines restored from one image, with kernels that gave equal entropy, drew equal salts.
#[test]
fn restored_machines_with_equal_entropy_and_a_working_cpu_have_different_salts() {
    let _turn = turn();
    let [(mut one, _), (mut two, _)] = [machine(Some(1000)), machine(Some(2000))];
    assert_eq!(one.salt::<12>(), two.salt::<12>(), "one image");
    for _ in 0..20 {
        fork::renew();
        assert_ne!(one.salt::<12>().unwrap(), two.salt::<12>().unwrap());
        assert_eq!((one.report().cause, one.report().cpu_used), (Some(Cause::Generation), true));
    }
    // Without words of the CPU, their salts stay equal.
    let [(mut one, _), (mut two, _)] = [machine(None), machine(None)];
    assert_eq!(one.salt::<12>(), two.salt::<12>());
}

#[test]
fn the_systems_bytes_count_where_two_generators_are_equal() {
    let _turn = turn();
    let [(mut one, _), (mut two, world)] = [machine(None), machine(None)];
    assert_eq!(filled(&mut one, 100), filled(&mut two, 100));
    world.borrow_mut().os = Some(77);
    assert_ne!(one.salt::<12>(), two.salt::<12>());
    assert_eq!(filled(&mut one, 100), filled(&mut two, 100), "equal except for the system's bytes");
}

/// The first frame of a thread makes the thread's generator. Later objects use the same generator, and each draws one salt.
#[test]
fn an_object_draws_its_salt_from_its_threads_generator() {
    let _turn = turn();
    let (mut arena, generator) = (Arena::default(), SharedGenerator::default());
    let cpu = Cpu::best().unwrap();
    let mut nonces = std::collections::HashSet::new();
    for objects in 1..=20 {
        let key = Key::new(cpu, &secret(&[7; 32]), Options::default(), &mut arena, &generator);
        let mut key = key.unwrap();
        assert_eq!(generator.report().map_or(0, |report| report.bytes), (objects - 1) * 12);
        for _ in 0..3 {
            let mut frame = [0; 28];
            key.encrypt_in_place(cells(&mut frame), &[]).unwrap();
            assert!(nonces.insert(*frame.first_chunk::<12>().unwrap()));
        }
        let report = generator.report().unwrap();
        assert_eq!((report.seedings, report.bytes), (1, objects * 12));
    }
}

/// All nonces of a batch count up under one salt, which the key draws before the batch if the process may be a copy.
#[test]
fn a_batch_has_one_salt_and_the_next_one_another_if_the_process_may_be_a_copy() {
    let _turn = turn();
    let (mut arena, generator) = (Arena::default(), SharedGenerator::default());
    let cpu = Cpu::best().unwrap();
    let key = Key::new(cpu, &secret(&[7; 32]), Options::default(), &mut arena, &generator);
    let mut key = key.unwrap();
    let mut last = 0;
    for batch in 0..20 {
        let mut frames = [0; 10 * 28];
        let ranges = Ranges::every(cells(&mut frames), NonZeroUsize::new(28).unwrap()).unwrap();
        key.encrypt_batch(Batch::new(ranges, Aad::Same(&[])).unwrap()).unwrap();
        for (i, frame) in frames.chunks(28).enumerate() {
            let nonce = frame[..12].iter().rev().fold(0, |sum, byte| sum << 8 | u128::from(*byte));
            let follows = nonce == (last + 1) & ((1 << 96) - 1);
            assert_eq!(follows, i > 0 || batch % 2 == 1, "frame {i} of batch {batch}");
            last = nonce;
        }
        if batch % 2 == 1 {
            fork::renew();
        }
    }
    assert_eq!(key.counts().messages, 200);
}
