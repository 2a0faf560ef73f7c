//! Slots: how they are taken, wiped, shared and freed.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
use super::*;

#[test]
fn slots_are_apart_zero_and_wiped() {
    let pages = Pages::exactly(100, 1000).unwrap();
    let mut slots: Vec<Slot> = (0..1000).map(|_| pages.take().unwrap()).collect();
    assert!(pages.take().is_none());
    assert_eq!((pages.used(), pages.slots), (1000, 1000));
    for (i, slot) in slots.iter_mut().enumerate() {
        assert_eq!(slot.as_ptr().addr() % 16, 0);
        let bytes = slot.bytes();
        assert_eq!((bytes.len(), bytes.iter().all(|byte| *byte == 0)), (112, true));
        bytes.fill(i as u8 | 1);
    }
    for (i, slot) in slots.iter_mut().enumerate() {
        assert!(slot.bytes().iter().all(|byte| *byte == i as u8 | 1), "slot {i}");
    }
    slots.retain(|slot| slot.as_ptr().addr() / 112 % 3 != 0);
    assert_eq!(pages.used(), slots.len());
    while let Some(mut slot) = pages.take() {
        assert!(slot.bytes().iter().all(|byte| *byte == 0));
        slots.push(slot);
    }
    assert_eq!(slots.len(), 1000);
    drop(slots);
    assert_eq!(pages.used(), 0);
}

#[test]
fn slots_outlive_every_other_reference_to_their_pages() {
    let pages = Pages::exactly(64, 1).unwrap();
    let mut slot = pages.take().unwrap();
    drop(pages);
    slot.bytes().fill(1);
    std::thread::spawn(move || drop(slot)).join().unwrap();
}

#[test]
fn threads_never_share_a_slot() {
    let pages = Pages::exactly(64, 64 * 3).unwrap();
    std::thread::scope(|scope| {
        for mark in 1..=8 {
            let pages = &pages;
            scope.spawn(move || {
                for _ in 0..20_000 {
                    let Some(mut slot) = pages.take() else { continue };
                    let bytes = slot.bytes();
                    assert!(bytes.iter().all(|byte| *byte == 0));
                    bytes.fill(mark);
                    assert!(bytes.iter().all(|byte| *byte == mark));
                }
            });
        }
    });
    assert_eq!(pages.used(), 0);
}

#[test]
fn sizes_beyond_any_machine_are_refused() {
    assert!(Pages::exactly(usize::MAX, 1).is_none());
    assert!(Pages::exactly(64, usize::MAX / 64).is_none());
    assert!(Pages::exactly(1 << 40, 1 << 20).is_none());
}

/// Holders that let go at once have all seen that there are others. No test found a fault here.
#[test]
fn of_holders_that_let_go_at_once_one_is_the_last() {
    for others in 1..5 {
        let count = AtomicU32::new(others);
        let last: Vec<bool> = (0..=others).map(|_| let_go(&count)).collect();
        assert!(last.iter().rev().eq([true].iter().chain([false; 4].iter().take(others as usize))));
        assert_eq!(count.into_inner(), 0, "the next owner of the slot is alone");
    }
}
