//! No memory that was given back holds a key: an allocator searches every block it is given back for the bytes of
//! known keys, and the slots of expanded keys are searched after they were dropped.
//!
//! Reading what its owner gave up is what this test is for, and what a program must not do; bytes are read as
//! volatile so that no write before the free may be left out for want of a reader. Heap and slots alone are searched:
//! registers and the stack are not.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
#![expect(unsafe_code, reason = "an allocator")]

mod common;
mod model;

use common::cells;
use hardware_aes_gcm::backend::{Cpu, Expanded};
use hardware_aes_gcm::error::Error;
use hardware_aes_gcm::key::Options;
use hardware_aes_gcm::key::arena::Arena;
use hardware_aes_gcm::secret::SecretKey;
use model::book::{Block, Book};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

/// A key of each size.
const KEYS: [&[u8]; 2] = [&[0x5a; 16], b"a key of thirty-two bytes, known"];

/// What may not be found: the keys, their round keys, their hash subkeys and the powers of those, as kept and
/// as the book has them. Filled once, never freed.
static NEEDLES: OnceLock<Vec<Block>> = OnceLock::new();

thread_local! {
    /// Needles this thread freed.
    static FOUND: Cell<usize> = const { Cell::new(0) };
}

/// The system's allocator, and a look at what comes back. `realloc` stays the trait's own: allocate, copy, free.
struct Searching;

#[global_allocator]
static ALLOCATOR: Searching = Searching;

// SAFETY: the system's allocator does the work.
unsafe impl GlobalAlloc for Searching {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // Zeroed, so that what is found was written by this owner and not by the last.
        // SAFETY: the caller's promise.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: the block is still allocated, `size` bytes long.
        let found = unsafe { search(block, layout.size()) };
        FOUND.set(FOUND.get() + found);
        // SAFETY: the caller's promise.
        unsafe { System.dealloc(block, layout) }
    }
}

/// How many needles lie in `length` bytes, at whatever offset. Allocates nothing.
///
/// # Safety
/// `length` bytes are readable at `from`.
unsafe fn search(from: *const u8, length: usize) -> usize {
    let needles = NEEDLES.get().map_or(&[][..], |needles| needles);
    let (mut window, mut found) = ([0; 16], 0);
    for i in 0..length {
        window.rotate_left(1);
        // SAFETY: the caller's promise.
        window[15] = unsafe { from.add(i).read_volatile() };
        found += usize::from(i >= 15 && needles.binary_search(&window).is_ok());
    }
    found
}

/// Fills the needles, forgets what that freed, and keeps the tests of this file apart: a fault is the whole process's.
fn begin() -> MutexGuard<'static, ()> {
    static TURN: Mutex<()> = Mutex::new(());
    let turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    NEEDLES.get_or_init(|| {
        let mut needles = Vec::new();
        for key in KEYS {
            let book = Book::new(key);
            needles.extend_from_slice(&book.round_keys);
            needles.push(book.h.to_be_bytes());
            needles.push(book.h.to_le_bytes());
            for power in book.polyval_powers(96) {
                let both = u128::from_le_bytes(power) ^ u128::from_le_bytes(power).rotate_left(64);
                needles.extend([power, both.to_le_bytes()]);
            }
        }
        needles.sort_unstable();
        needles.dedup();
        needles
    });
    FOUND.set(0);
    turn
}

fn secret(key: &[u8]) -> SecretKey {
    // The caller's own copy, on the stack, is the caller's to wipe.
    let mut bytes = [0; 32];
    let bytes = bytes.get_mut(..key.len()).unwrap();
    bytes.copy_from_slice(key);
    SecretKey::copy(cells(bytes)).unwrap()
}

/// An arena of one place, the address of that place and its length.
fn one_place() -> (Arena, *const u8, usize) {
    let mut arena = Arena::fixed(1).unwrap();
    let mut slot = arena.place(1).unwrap();
    let (at, length) = (slot.bytes().as_ptr(), slot.length());
    (arena, at, length)
}

/// The control: what is freed unwiped is found, at any offset, once for every needle.
#[test]
fn the_search_finds_what_is_freed() {
    let _turn = begin();
    for (i, needle) in NEEDLES.get().unwrap().iter().enumerate() {
        FOUND.set(0);
        let mut bytes = vec![0xee; i + 16 + i % 7];
        bytes.get_mut(i..i + 16).unwrap().copy_from_slice(needle);
        assert_eq!(FOUND.get(), 0);
        bytes.reserve_exact(4096);
        assert_eq!(FOUND.get(), 1, "a block that was copied and left");
        drop(bytes);
        assert_eq!(FOUND.get(), 2, "a block that was dropped");
    }
}

#[test]
fn an_expanded_key_is_wiped() {
    let _turn = begin();
    for (cpu, key) in everywhere() {
        let (mut arena, at, length) = one_place();
        // SAFETY: the arena keeps its one place mapped.
        let kept = || unsafe { search(at, length) };
        let expanded = Expanded::new(cpu, secret(key).raw(), arena.place(1).unwrap()).unwrap();
        // The other control: while it lives, the needles are there to be found.
        let round_keys = key.len() / 4 + 7;
        assert!(kept() >= round_keys + 14, "{} of a key on {}", kept(), cpu.name());
        drop(expanded);
        assert_eq!(kept(), 0, "dropped on {}", cpu.name());
        assert!(arena.place(1).unwrap().bytes().iter().all(|byte| *byte == 0));
        assert_eq!(FOUND.get(), 0);
    }
}

#[test]
fn a_key_in_use_is_wiped() {
    let _turn = begin();
    for (cpu, key) in everywhere() {
        for (verify_first, destroyed) in
            [(false, false), (false, true), (true, false), (true, true)]
        {
            let (mut arena, at, length) = one_place();
            // SAFETY: the arena keeps its one place mapped.
            let kept = || unsafe { search(at, length) };
            let options = Options { verify_first, ..Options::default() };
            let key = common::key_in(&mut arena, cpu, &secret(key), options).unwrap();
            let mut key = Box::new(key);
            let mut frame = vec![0; 3000];
            let data = cells(&mut frame);
            assert_eq!(key.encrypt_in_place(data, &[]), Ok(()));
            assert_eq!(key.decrypt_in_place(data, &[]), Ok(()));
            assert_eq!(key.decrypt_in_place(data, data), Err(Error::Authentication));
            assert!(kept() > 0);
            if destroyed {
                key.destroy();
                assert_eq!(kept(), 0, "destroyed on {}", cpu.name());
                assert_eq!(key.encrypt_in_place(data, &[]), Err(Error::Destroyed));
            }
            drop(key);
            drop(frame);
            assert_eq!((kept(), FOUND.get()), (0, 0), "dropped on {}", cpu.name());
        }
    }
}

/// With wiping switched off, the same search finds the key that was dropped.
#[cfg(feature = "faults")]
#[test]
fn without_wiping_the_search_finds_what_was_dropped() {
    let _turn = begin();
    let (mut arena, at, length) = one_place();
    let slot = arena.place(1).unwrap();
    let expanded = Expanded::new(Cpu::best().unwrap(), secret(KEYS[1]).raw(), slot).unwrap();
    hardware_aes_gcm::faults::KEEP_KEYS.turn(true);
    drop(expanded);
    hardware_aes_gcm::faults::KEEP_KEYS.turn(false);
    // SAFETY: the arena keeps its one place mapped.
    assert!(unsafe { search(at, length) } >= 15);
}

#[test]
fn a_secret_key_is_wiped() {
    let _turn = begin();
    for key in KEYS {
        drop(Box::new(secret(key)));
        drop(vec![secret(key), secret(key)]);
        assert_eq!(FOUND.get(), 0);
    }
}

/// Every backend with every key.
fn everywhere() -> impl Iterator<Item = (Cpu, &'static [u8])> {
    Cpu::all().flat_map(|cpu| KEYS.map(|key| (cpu, key)))
}
