//! No freed memory holds a key: an allocator searches every block that it frees for the bytes of known keys, and the
//! slots of expanded keys are searched after they were dropped.
//!
//! Bytes are read as volatile, so that the compiler does not drop a write before the free because it sees no reader. Only
//! heap and slots are searched, not registers and the stack.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
#![expect(unsafe_code, reason = "an allocator")]

mod common;
mod model;

use common::{cells, secret, turn};
use hardware_aes_gcm::backend::{Cpu, GcmKey, SivKey, XaesKey};
use hardware_aes_gcm::error::Error;
use hardware_aes_gcm::key::arena::Arena;
use hardware_aes_gcm::key::frames::overhead;
use hardware_aes_gcm::key::ranges::Ranges;
use hardware_aes_gcm::key::{Bounded, KeyOf, Options};
use hardware_aes_gcm::protocol::chunks::Chunks;
use hardware_aes_gcm::protocol::packet::{Limits, PhaseKeys, Protection};
use hardware_aes_gcm::rng::shared::SharedGenerator;
use model::book::{Block, Book};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::mem::MaybeUninit;
use std::num::NonZeroUsize;
use std::sync::{MutexGuard, OnceLock};

/// A key of each size.
const KEYS: [&[u8]; 2] = [&[0x5a; 16], b"a key of thirty-two bytes, known"];

/// The IV of packets, which must not be found either.
const IV: [u8; 12] = *b"an IV, known";

/// The bytes that must not be found, sorted: the round keys, which begin with the key, the hash subkeys and their powers,
/// in the crate's form and in the standard's. Filled once, never freed.
static NEEDLES: OnceLock<Vec<Block>> = OnceLock::new();

thread_local! {
    /// How many needles this thread freed.
    static FOUND: Cell<usize> = const { Cell::new(0) };
}

/// The system's allocator with a search before each free. The trait's own `realloc` allocates, copies and frees.
struct Searching;

#[global_allocator]
static ALLOCATOR: Searching = Searching;

// SAFETY: every call goes to the system's allocator.
unsafe impl GlobalAlloc for Searching {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // Zeroed, so that a needle that is found was written by this owner, not by an earlier one.
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

/// How many needles lie in `length` bytes, at any offset. Does not allocate.
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
        found += usize::from(i >= IV.len() - 1 && window.ends_with(&IV));
    }
    found
}

/// Fills the needles, resets the count, and lets one test run at a time: a fault switch acts on the whole process.
fn begin() -> MutexGuard<'static, ()> {
    let turn = turn();
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

/// An arena of one place, and the address and length of this place.
fn one_place() -> (Arena, *const u8, usize) {
    let mut arena = Arena::fixed(1).unwrap();
    let mut slot = arena.place(1).unwrap();
    let (at, length) = (slot.bytes().as_ptr(), slot.length());
    (arena, at, length)
}

/// The control for the IV.
#[test]
fn the_search_finds_an_iv_in_a_freed_block() {
    let _turn = begin();
    drop([&[0xee; 5], &IV[..]].concat());
    assert_eq!(FOUND.get(), 1);
}

/// The control: each needle in a freed block is found once, at any offset.
#[test]
fn the_search_finds_needles_in_freed_blocks() {
    let _turn = begin();
    for (i, needle) in NEEDLES.get().unwrap().iter().enumerate() {
        FOUND.set(0);
        let mut bytes = vec![0xee; i + 16 + i % 7];
        bytes.get_mut(i..i + 16).unwrap().copy_from_slice(needle);
        assert_eq!(FOUND.get(), 0);
        bytes.reserve_exact(4096);
        assert_eq!(FOUND.get(), 1, "a block that `realloc` copied and freed");
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
        let expanded = GcmKey::new(cpu, secret(key).raw(), arena.place(1).unwrap()).unwrap();
        // The other control: the search finds the needles of a key that lives.
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

/// Packet keys of both phases and the header key: when they are replaced, destroyed, and dropped.
#[test]
fn keys_of_packets_are_wiped() {
    let _turn = begin();
    for (cpu, key) in everywhere() {
        for destroyed in [false, true] {
            let mut arena = Arena::fixed(4).unwrap();
            let mut slots = [(); 4].map(|()| arena.place(1).unwrap());
            let places = slots.each_mut().map(|slot| (slot.bytes().as_ptr(), slot.length()));
            drop(slots);
            // SAFETY: the arena keeps its places mapped.
            let kept = || places.map(|(at, length)| unsafe { search(at, length) });
            let full = || kept().iter().filter(|found| **found > 0).count();
            let keys = |arena: &mut Arena| PhaseKeys::new(cpu, &secret(key), IV, arena);
            let (phase, limits) = (keys(&mut arena).unwrap(), Limits::default());
            let made =
                Protection::new(cpu, phase, &secret(key), false, limits, 0, &mut arena).unwrap();
            let mut packets = Box::new(made);
            assert_eq!(full(), 2);
            for _ in 0..2 {
                // The second time, keys are replaced.
                assert_eq!(packets.set_next(keys(&mut arena).unwrap()), Ok(()));
                assert_eq!(full(), 3, "on {}", cpu.name());
            }
            let mut packet = vec![0x41; 3000];
            assert_eq!(packets.seal(Ranges::one(cells(&mut packet)), 9, 0, 0), Ok(()));
            for number in [None, Some(0)] {
                // Flipped, then as it was.
                *packet.last_mut().unwrap() ^= 1;
                let at = NonZeroUsize::new(7).unwrap();
                assert_eq!(packets.open_one(cells(&mut packet), at, None, 0), Ok(number));
            }
            if destroyed {
                packets.destroy();
                assert_eq!(kept(), [0; 4], "destroyed on {}", cpu.name());
            }
            drop(packets);
            assert_eq!((kept(), FOUND.get()), ([0; 4], 0), "dropped on {}", cpu.name());
        }
    }
}

/// Between messages, the memory of the derived key is zero, also after a forgery, and with a job of its own memory.
#[test]
fn the_base_nonce_of_a_stream_is_wiped() {
    let _turn = begin();
    let base = *b"a base nonce";
    let (mut arena, _, _) = one_place();
    let cpu = Cpu::all().next().unwrap();
    let [_, key] = KEYS;
    let chunks = Chunks::new(cpu, &secret(key), base, &mut arena).unwrap();
    let place = Box::into_raw(Box::new(chunks));
    let count = || {
        // SAFETY: as in `search`: the memory is still allocated.
        let at = |i: usize| unsafe { place.cast::<u8>().add(i).read_volatile() };
        let starts = 0..=size_of::<Chunks>() - base.len();
        starts
            .filter(|start| base.iter().enumerate().all(|(i, byte)| at(start + i) == *byte))
            .count()
    };
    assert_eq!(count(), 1);
    // SAFETY: the object is dropped once.
    unsafe { place.drop_in_place() };
    assert_eq!(count(), 0);
    // SAFETY: the memory came from a box of this size.
    drop(unsafe { Box::from_raw(place.cast::<MaybeUninit<Chunks>>()) });
}

#[test]
fn a_key_that_was_derived_is_wiped() {
    let _turn = begin();
    wipes_what_it_derived::<XaesKey, 24>();
    wipes_what_it_derived::<SivKey, 12>();
}

fn wipes_what_it_derived<C: Bounded<N>, const N: usize>() {
    let [_, bytes] = KEYS;
    for cpu in Cpu::all() {
        for verify_first in [false, true] {
            let mut arena = Arena::fixed(3).unwrap();
            let slots = [(); 3].map(|()| {
                let mut slot = arena.place(1).unwrap();
                let place = (slot.bytes().as_ptr(), slot.length());
                (slot, place)
            });
            let places = slots.map(|(_, place)| place);
            // SAFETY: the arena keeps its places mapped.
            let dirty = || places.map(|(at, length)| unsafe { used(at, length) });
            let options = Options { verify_first, ..Options::default() };
            let generator = SharedGenerator::default();
            let mut key =
                KeyOf::<C, N>::new(cpu, &secret(bytes), options, &mut arena, &generator).unwrap();
            let main = dirty();
            assert_eq!(main.iter().filter(|dirty| **dirty).count(), 1, "{main:?}");
            for length in [0, 16, 64, 100, 1000, 5000] {
                let mut frame = vec![7; length + overhead::<N>()];
                key.encrypt_in_place(cells(&mut frame), &[]).unwrap();
                assert_eq!(dirty(), main, "sealed {length} on {}", cpu.name());
                key.decrypt_in_place(cells(&mut frame), &[]).unwrap();
                assert_eq!(dirty(), main, "opened {length} on {}", cpu.name());
                *frame.first_mut().unwrap() ^= 1;
                let forged = key.decrypt_in_place(cells(&mut frame), &[]);
                assert_eq!((forged, dirty()), (Err(Error::Authentication), main), "forged");
                let job = key.encrypt_job(frame.len(), 0, &mut arena).unwrap();
                assert_eq!(arena.used(), 3);
                job.run(cells(&mut frame), &[]).unwrap();
                assert_eq!((dirty(), arena.used()), (main, 2), "a job on {}", cpu.name());
            }
            key.destroy();
            assert_eq!((dirty(), FOUND.get()), ([false; 3], 0), "destroyed on {}", cpu.name());
        }
    }
}

/// Whether a byte is not zero.
///
/// # Safety
/// `length` bytes are readable at `from`.
unsafe fn used(from: *const u8, length: usize) -> bool {
    // SAFETY: the caller's promise.
    (0..length).any(|i| unsafe { from.add(i).read_volatile() } != 0)
}

/// The last job wipes the key, on the thread that runs the job.
#[test]
fn a_job_leaves_no_key() {
    let _turn = begin();
    for (cpu, key) in everywhere() {
        let (mut arena, at, length) = one_place();
        // SAFETY: the arena keeps its one place mapped.
        let kept = || unsafe { search(at, length) };
        let mut key = common::key_in(&mut arena, cpu, &secret(key), Options::default()).unwrap();
        let job = Box::new(key.encrypt_job(3000, 0, &mut arena).unwrap());
        drop(key);
        assert!(kept() > 0, "the job holds the key");
        let work = move || {
            let mut frame = vec![0; 3000];
            let done = job.run(cells(&mut frame), &[]);
            drop(frame);
            (done, FOUND.get())
        };
        assert_eq!(std::thread::spawn(work).join().unwrap(), (Ok(()), 0));
        assert_eq!((kept(), FOUND.get()), (0, 0), "on {}", cpu.name());
    }
}

#[cfg(feature = "faults")]
#[test]
fn without_wiping_the_search_finds_the_dropped_key() {
    let _turn = begin();
    let (mut arena, at, length) = one_place();
    let slot = arena.place(1).unwrap();
    let expanded = GcmKey::new(Cpu::best().unwrap(), secret(KEYS[1]).raw(), slot).unwrap();
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
