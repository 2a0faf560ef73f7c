//! Windows: guards, locks, and pages that are given back. It does not tell which blocks error reports leave out.

use crate::common::pages::{is_mapped, may_read};
use crate::common::{cells, key_in, secret};
use hardware_aes_gcm::backend::Cpu;
use hardware_aes_gcm::hw::memory::Slot;
use hardware_aes_gcm::key::Options;
use hardware_aes_gcm::key::arena::Arena;

const PAGE: usize = 4096;

pub(crate) fn every_page_is_guarded() {
    for (mut arena, bytes) in [
        (Arena::fixed(1).unwrap(), 1),
        (Arena::fixed(1000).unwrap(), 1),
        (Arena::default(), Cpu::largest_state()),
    ] {
        let mut slot = arena.place(bytes).unwrap();
        let first = slot.bytes().as_ptr();
        assert_eq!(first.addr() % PAGE, 0, "the first place begins a page");
        let slots = slot.length() * arena.capacity().unwrap_or(1);
        let pages = slots.div_ceil(PAGE);
        let accessible = (0..).take_while(|page| may_read(first.wrapping_add(page * PAGE)));
        let end = accessible.count();
        assert!(end >= pages, "{end} of {pages} pages");
        for guard in [first.wrapping_sub(1), first.wrapping_add(end * PAGE)] {
            assert!(is_mapped(guard) && !may_read(guard));
        }
    }
}

/// Ends by an access violation: the byte before the first page.
pub(crate) fn read_a_guard() {
    let mut arena = Arena::fixed(1).unwrap();
    let at = arena.place(1).unwrap().bytes().as_ptr();
    // SAFETY: the page of the only place, which the arena keeps mapped.
    let zero = unsafe { at.read_volatile() };
    // SAFETY: not guaranteed; the caller looks for the violation.
    let guarded = unsafe { at.wrapping_sub(1).read_volatile() };
    panic!("the guard page was read: {zero}, {guarded}");
}

pub(crate) fn keys_are_locked() {
    for mut arena in [Arena::fixed(10).unwrap(), Arena::default()] {
        assert!(arena.locked());
    }
    // Many times the minimum working set, which Windows therefore has to raise. Wine never asks for that.
    let mut arenas: Vec<_> = (0..32).map(|_| Arena::fixed(100).unwrap()).collect();
    assert!(arenas.iter_mut().all(Arena::locked));
}

pub(crate) fn the_last_key_gives_its_pages_back() {
    let mut arena = Arena::fixed(2).unwrap();
    let (mut one, mut two) = (arena.place(1).unwrap(), arena.place(1).unwrap());
    let (at, other) = (one.bytes().as_ptr(), two.bytes().as_ptr());
    drop(arena);
    drop(one);
    assert!(may_read(other));
    drop(two);
    assert!(!is_mapped(at));

    // A growing arena gives its pages back with their keys, except for the pages in which it gives the next places.
    let mut arena = Arena::default();
    let mut slots: Vec<_> = (0..2000).map(|_| arena.place(Cpu::largest_state()).unwrap()).collect();
    let mut addresses: Vec<_> = slots.iter_mut().map(|slot| slot.bytes().as_ptr()).collect();
    drop(slots);
    addresses.retain(|at| is_mapped(*at));
    assert!(addresses.len() < 200, "{} of 2000 places are still mapped", addresses.len());
}

/// Released addresses come back, and the bytes written there do not.
pub(crate) fn pages_are_zero_when_their_addresses_are_used_again() {
    let mut seen = std::collections::HashSet::new();
    let mut again = 0;
    for _ in 0..1000 {
        let mut slots: Vec<Slot> =
            (0..2).map(|_| Arena::fixed(100).unwrap().place(1).unwrap()).collect();
        for slot in &mut slots {
            again += usize::from(!seen.insert(slot.bytes().as_ptr().addr()));
            assert!(slot.bytes().iter().all(|byte| *byte == 0));
            slot.bytes().fill(0x77);
        }
    }
    assert!(again > 0, "no address came twice");
}

#[cfg(feature = "faults")]
pub(crate) fn keys_work_unlocked() {
    use hardware_aes_gcm::faults::NO_LOCK;
    NO_LOCK.turn(true);
    unlocked_and_usable();
    NO_LOCK.turn(false);
}

/// Ends the program with 7, so that its caller sees that this case was run.
pub(crate) fn keys_work_where_the_system_refuses_to_lock() {
    unlocked_and_usable();
    std::process::exit(7);
}

fn unlocked_and_usable() {
    for mut arena in [Arena::fixed(10).unwrap(), Arena::default()] {
        assert!(!arena.locked());
        let cpu = Cpu::best().unwrap();
        let mut key = key_in(&mut arena, cpu, &secret(&[1; 32]), Options::default()).unwrap();
        let mut frame = [0; 64];
        let frame = cells(&mut frame);
        assert_eq!(key.encrypt_in_place(frame, &[]), Ok(()));
        assert_eq!(key.decrypt_in_place(frame, &[]), Ok(()));
        assert!(!arena.locked());
    }
}
