//! Arenas: how many keys get a place, how a full arena refuses, and how keys outlive a destroyed arena.

use crate::common::{cells, secret};
use hardware_aes_gcm::backend::{Aead, Cipher, Cpu, GcmKey, Message};
use hardware_aes_gcm::error::Error;
use hardware_aes_gcm::hw::memory::{Pages, SharedSlot, Slot};
use hardware_aes_gcm::key::arena::{Arena, MAX_KEYS};
use hardware_aes_gcm::key::{Key, Options};
use hardware_aes_gcm::lanes::RawKey;
use std::hint::spin_loop;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{channel, sync_channel};
use std::time::{Duration, Instant};

fn key_in(arena: &mut Arena, cpu: Cpu, mark: u8) -> Result<Key, Error> {
    crate::common::key_in(arena, cpu, &secret(&[mark; 32]), Options::default())
}

#[test]
fn a_fixed_arena_holds_as_many_keys_of_any_backend_as_it_says() {
    for cpu in Cpu::all() {
        let mut arena = Arena::fixed(100).unwrap();
        assert_eq!((arena.capacity(), arena.used()), (Some(100), 0));
        let mut keys: Vec<Key> = (0..100).map(|i| key_in(&mut arena, cpu, i).unwrap()).collect();
        assert_eq!(arena.used(), 100);
        assert!(matches!(key_in(&mut arena, cpu, 0), Err(Error::ArenaFull)));
        keys[50].destroy();
        assert_eq!(arena.used(), 99);
        drop(keys.pop());
        assert_eq!(arena.used(), 98);
        keys.extend((0..2).map(|i| key_in(&mut arena, cpu, i).unwrap()));
        assert!(matches!(key_in(&mut arena, cpu, 0), Err(Error::ArenaFull)));
        drop(keys);
        assert_eq!(arena.used(), 0);
    }
}

#[test]
fn an_arena_has_at_least_one_place_and_at_most_its_maximum() {
    for keys in [0, MAX_KEYS + 1, usize::MAX] {
        assert!(matches!(Arena::fixed(keys), Err(Error::NoMemory)), "{keys}");
    }
    assert_eq!(Arena::fixed(1).unwrap().capacity(), Some(1));
}

#[test]
fn no_place_is_smaller_than_requested() {
    let mut arena = Arena::fixed(3).unwrap();
    assert!(matches!(arena.place(1 << 20), Err(Error::ArenaFull)));
    for bytes in [1, 63, 64, 65, 500, 1344, 10_000] {
        let mut slot = Arena::default().place(bytes).unwrap();
        assert!(slot.length() >= bytes && slot.bytes().len() == slot.length());
    }
}

/// A place of 512 bytes does not exist on a CPU whose largest key takes 464 bytes; tests/memory once asked for one.
#[test]
fn a_place_of_a_fixed_arena_has_room_for_this_cpus_largest_key_and_no_more() {
    let largest = Cpu::largest_state();
    assert_eq!(Arena::fixed(1).unwrap().place(largest).unwrap().length(), largest);
    assert!(matches!(Arena::fixed(1).unwrap().place(largest + 1), Err(Error::ArenaFull)));
}

/// JavaScript's collector is told these bytes: with fewer it would run too late, with more too often.
#[test]
fn an_arena_reports_the_memory_of_all_of_its_places() {
    let page = Arena::fixed(1).unwrap().bytes();
    for keys in [1, 10, 1000] {
        let mut arena = Arena::fixed(keys).unwrap();
        let least = keys * Cpu::largest_state();
        assert!((least..least + page).contains(&arena.bytes()), "{} for {keys}", arena.bytes());
        arena.destroy();
        assert_eq!(arena.bytes(), 0);
    }
    let mut arena = Arena::default();
    assert_eq!(arena.bytes(), 0, "nothing is mapped before the first key");
    let slots: Vec<Slot> = (0..1000).map(|_| arena.place(512).unwrap()).collect();
    assert!((512_000..1_024_000).contains(&arena.bytes()), "{}", arena.bytes());
    drop(slots);
}

#[test]
fn a_growing_arena_grows_and_gives_back() {
    let mut arena = Arena::default();
    assert_eq!((arena.capacity(), arena.used()), (None, 0));
    for round in 0..3 {
        let mut slots: Vec<Slot> = (0..20_000).map(|_| arena.place(512).unwrap()).collect();
        for (i, slot) in slots.iter_mut().enumerate() {
            let bytes = slot.bytes();
            assert!(bytes.iter().all(|byte| *byte == 0), "round {round}");
            bytes.fill(i as u8 | 1);
        }
        assert_eq!(arena.used(), 20_000);
        // Every third place is freed; the arena must fill these holes before it grows.
        let mut i = 0;
        slots.retain(|_| {
            i += 1;
            i % 3 != 0
        });
        let others = arena.place(1344).unwrap();
        slots.extend((0..6_666).map(|_| arena.place(512).unwrap()));
        assert_eq!(arena.used(), 20_001);
        assert!(arena.holds(&others) && slots.iter().all(|slot| arena.holds(slot)));
        assert!(!Arena::default().holds(&others));
        drop((slots, others));
        assert_eq!(arena.used(), 0);
    }
}

#[test]
fn a_destroyed_arena_refuses_keys_and_its_keys_go_on() {
    for cpu in Cpu::all() {
        for mut arena in [Arena::fixed(2).unwrap(), Arena::default()] {
            let mut key = key_in(&mut arena, cpu, 1).unwrap();
            assert!(key.lives_in(&arena) && key.state_bytes() >= cpu.state_bytes());
            arena.destroy();
            assert!(matches!(key_in(&mut arena, cpu, 2), Err(Error::ArenaDestroyed)));
            assert_eq!((arena.used(), arena.locked(), key.lives_in(&arena)), (0, false, false));
            drop(arena);
            let mut frame = [0; 128];
            assert_eq!(key.encrypt_in_place(cells(&mut frame), &[]), Ok(()));
            assert_eq!(key.decrypt_in_place(cells(&mut frame), &[]), Ok(()));
        }
    }
}

/// The last holder to let go wipes the key. Until then, every holder can use it.
#[test]
fn a_shared_key_is_wiped_with_its_last_holder() {
    for cpu in Cpu::all() {
        let mut arena = Arena::fixed(1).unwrap();
        let key = GcmKey::new(cpu, RawKey::Aes128(&[1; 16]), arena.place(1).unwrap()).unwrap();
        let tag = |key: &GcmKey| {
            let message = Message { nonce: &[2; 12], aad: &[], source: &[], target: &[] };
            key.within(|gcm| gcm.seal(message))
        };
        let expected = tag(&key);
        let holders: Vec<_> = (0..8).map(|_| key.clone()).collect();
        let jobs: Vec<_> = holders
            .into_iter()
            .map(|key| std::thread::spawn(move || (0..1000).all(|_| tag(&key.clone()) == expected)))
            .collect();
        drop(key);
        assert!(jobs.into_iter().all(|job| job.join().unwrap()));
        assert_eq!(arena.used(), 0);
        assert!(arena.place(1).unwrap().bytes().iter().all(|byte| *byte == 0), "wiped");
        let [one, other] = [(); 2].map(|()| arena.place(1).map(drop));
        assert_eq!((one, other), (Ok(()), Ok(())), "and its place is free again");
    }
}

/// Two holders that let go in the same moment: one of them must be the last, which wipes the slot and frees it. A count that is read
/// and written in two steps would now and then have no last holder, or two. Fewer rounds on a busy machine, where two threads
/// seldom run at once.
#[test]
fn holders_that_let_go_at_once_free_and_wipe_the_slot_once() {
    const ROUNDS: usize = 50_000;
    const MOST: Duration = Duration::from_secs(3);
    let begun = Instant::now();
    let pages = Pages::exactly(64, 1).unwrap();
    let (gate, ended) = (AtomicUsize::new(0), AtomicUsize::new(0));
    // Spins, so that both go on in the same moment; yields, because a busy machine may have no second CPU to spare.
    let wait_for = |count: &AtomicUsize, least: usize| {
        let mut spins = 0u32;
        while count.load(Ordering::SeqCst) < least {
            spins += 1;
            if spins.is_multiple_of(10_000) { std::thread::yield_now() } else { spin_loop() }
        }
    };
    let (give, take) = sync_channel::<SharedSlot>(1);
    std::thread::scope(|scope| {
        let (gate, ended, give) = (&gate, &ended, give);
        scope.spawn(move || {
            for (round, other) in (1..).zip(take) {
                gate.fetch_add(1, Ordering::SeqCst);
                wait_for(gate, 2 * round);
                drop(other);
                ended.store(round, Ordering::SeqCst);
            }
        });
        for round in (1..=ROUNDS).take_while(|_| begun.elapsed() < MOST) {
            let mut slot = pages.take().unwrap();
            assert!(slot.bytes().iter().all(|byte| *byte == 0), "wiped, in round {round}");
            slot.bytes().fill(0xaa);
            let shared = slot.share();
            give.send(shared.clone()).unwrap();
            gate.fetch_add(1, Ordering::SeqCst);
            wait_for(gate, 2 * round);
            drop(shared);
            wait_for(ended, round);
            assert_eq!(pages.used(), 0, "freed once, in round {round}");
        }
    });
}

/// A job on another thread keeps its key mapped after the arena is destroyed.
#[test]
fn jobs_in_flight_outlive_their_arena() {
    for cpu in Cpu::all() {
        let mut arena = Arena::fixed(8).unwrap();
        let (started, begin) = channel();
        let jobs: Vec<_> = (0..4)
            .map(|mark| {
                let slot = arena.place(cpu.state_bytes()).unwrap();
                let key = GcmKey::new(cpu, RawKey::Aes256(&[mark; 32]), slot).unwrap();
                let started = started.clone();
                std::thread::spawn(move || {
                    let (mut frame, nonce) = (vec![0; 4096], [mark; 12]);
                    let source = cells(&mut frame);
                    let message = Message { nonce: &nonce, aad: &[], source, target: source };
                    for i in 0..2000 {
                        let [tag, same] = key.within(|gcm| {
                            [gcm.seal(message), gcm.decrypt_unverified(message, &[0; 16])]
                        });
                        assert_eq!(tag, same);
                        if i == 10 {
                            started.send(()).unwrap();
                        }
                    }
                    assert!(frame.iter().all(|byte| *byte == 0));
                })
            })
            .collect();
        (0..4).for_each(|_| begin.recv().unwrap());
        arena.destroy();
        drop(arena);
        jobs.into_iter().for_each(|job| job.join().unwrap());
    }
}
