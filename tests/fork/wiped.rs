//! A forked child does not have the random bytes that its parent will give later, neither in the generator's pages, which
//! the kernel wipes, nor elsewhere in its memory.

use super::amid::{clone, fork_before_giving, fork_while_seeding, while_filling};
use super::common::process::{bounds, end_of_child, in_a_child, mappings};
use super::linux::Twin;
use hardware_aes_gcm::faults;
use hardware_aes_gcm::rng::BYTES_PER_SEED;
use std::collections::HashSet;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Whether the child of the next fork searches its memory and ends.
static LOOKING: AtomicBool = AtomicBool::new(false);
/// The bounds of the generators' pages: found before a fork, since a signal's handler cannot read files.
static PAGES: [[AtomicUsize; 2]; 4] = [const { [const { AtomicUsize::new(0) }; 2] }; 4];
/// The content of these pages before the fork, in pieces of sixteen bytes. Every bit is inverted, so that the search does
/// not find this list.
static INVERTED: Mutex<Vec<u128>> = Mutex::new(Vec::new());

/// A way to fork in which the child searches its memory.
type Way<'a> = &'a dyn Fn(&mut Twin);

pub(crate) fn a_child_has_none_of_its_parents_future_bytes() {
    // Forks before the system's entropy is read, after it, at the seeding's end, and before bytes are given.
    let seeding = |at| {
        move |twin: &mut Twin| {
            fork_while_seeding(twin, &mut [0; 64], at);
        }
    };
    let ways: [(&str, Way); 7] = [
        ("fork", &|_| {
            before_a_fork(&[]);
            // SAFETY: this process has one thread.
            after_a_fork(unsafe { libc::fork() } == 0);
        }),
        ("clone", &|_| {
            before_a_fork(&[]);
            after_a_fork(clone(0).unwrap());
        }),
        ("fork while a generator seeds, before", &seeding(1)),
        ("fork while a generator seeds, amid", &seeding(2)),
        ("fork while a generator seeds, after", &seeding(3)),
        ("fork while a generator seeds, and before it gives", &seeding(4)),
        ("clone while a generator fills", &|twin| {
            while_filling(twin, &mut [0; 4096]);
        }),
    ];
    for (name, way) in ways {
        // In a child, since the switches stay on.
        let [wiped, kept] = [false, true].map(|keep| in_a_child(|| found_by(way, keep)).unwrap());
        assert_eq!(wiped, 0, "{name}: the child found pieces of the parent's pages");
        // A child that panics ends with 101.
        assert!((51..=100).contains(&kept), "{name}, pages kept: {kept} pieces found");
        println!("{name}: no piece of the generator in the child; pages kept, {kept} pieces");
    }
}

/// Once, a request that needs two seeds, forked before its first part was given, returned that part from the wiped pool, as
/// zeros: the seeding for the second part hid the wipe.
pub(crate) fn a_request_across_a_seeds_end_gives_no_zeros() {
    const LEFT: usize = 100;
    const DONE: i32 = 7;
    let given = in_a_child(|| {
        faults::BLIND.turn(true);
        let mut twin = Twin::new();
        let mut large = vec![0; 1 << 22];
        let mut left = usize::try_from(BYTES_PER_SEED).unwrap() - LEFT;
        while left > 0 {
            let now = left.min(large.len());
            twin.fill(&mut large[..now]);
            left -= now;
        }
        let mut output = [0; 1000];
        if !fork_before_giving(&mut twin, &mut output) {
            return end_of_child().unwrap();
        }
        i32::from(output[..LEFT].iter().any(|byte| *byte != 0)) * DONE
    });
    assert_eq!(given, Ok(DONE), "zeros in the child");
    println!("a request across a seed's end: no zeros in the child");
}

/// How many pieces of its parent's pages a child finds, at most 100.
fn found_by(way: Way, keep: bool) -> i32 {
    faults::KEEP_POOL.turn(keep);
    let mut twin = Twin::new();
    // Fills the pool with the bytes to give next.
    twin.fill(&mut [0; 100]);
    find_pages(keep);
    LOOKING.store(true, Ordering::SeqCst);
    way(&mut twin);
    end_of_child().unwrap()
}

/// Notes the content of the generators' pages before a fork, outside of a signal's handler. `seed` is an unfinished seed
/// of the generator, or empty.
pub(crate) fn before_a_fork(seed: &[u8]) {
    if LOOKING.load(Ordering::SeqCst) {
        // Not zeros, and not the word of `Intact`: every memory holds such pieces.
        let random = pieces().filter(|piece| *piece > u128::from(u64::MAX));
        let seed = seed.as_chunks().0.iter().map(|piece| u128::from_ne_bytes(*piece));
        *INVERTED.lock().unwrap() = random.chain(seed).map(|piece| !piece).collect();
    }
}

/// Searches the memory of a child, if this was asked for, and ends the child with the number of pieces found.
pub(crate) fn after_a_fork(in_child: bool) {
    if in_child && LOOKING.load(Ordering::SeqCst) {
        let left = pieces().filter(|piece| *piece != 0).count();
        // Empty in a signal's handler, which cannot read files and so searches only the pages.
        let inverted: HashSet<u128> = INVERTED.try_lock().unwrap().iter().copied().collect();
        let found = if inverted.is_empty() { left } else { search(&inverted) };
        // Wiped bytes must be found in neither search, kept bytes in both.
        let kept = faults::KEEP_POOL.is_on();
        let told = if kept { left.min(found) } else { left.max(found) };
        // SAFETY: ends the child.
        unsafe { libc::_exit(told.min(100) as i32) };
    }
}

/// The generators' pages, sixteen bytes at a time.
fn pieces() -> impl Iterator<Item = u128> {
    let ranges =
        PAGES.iter().map(|[start, end]| start.load(Ordering::SeqCst)..end.load(Ordering::SeqCst));
    // SAFETY: mapped for as long as the generator lives.
    ranges.flat_map(|range| range.step_by(16).map(|at| unsafe { two(word(at), word(at + 8)) }))
}

fn two(low: u64, high: u64) -> u128 {
    u128::from(high) << 64 | u128::from(low)
}

/// # Safety
/// `at` is a multiple of eight inside a mapping that can be read.
unsafe fn word(at: usize) -> u64 {
    // SAFETY: the caller's promise. Read into a register, since a copy on the stack would be found in the child.
    unsafe { std::ptr::with_exposed_provenance::<u64>(at).read_volatile() }
}

/// Finds the generators' pages: left out of dumps and, unless kept, wiped on fork (Linux, Documentation/filesystems/proc.rst).
fn find_pages(keep: bool) {
    let mut found = 0;
    for ([start, end], flags) in mappings() {
        let has = |flag| flags.iter().any(|other| other == flag);
        // The pages of the thread's keys are larger.
        if has("wr") && has("dd") && has("wf") != keep && end - start < 1 << 16 {
            PAGES[found][0].store(start, Ordering::SeqCst);
            PAGES[found][1].store(end, Ordering::SeqCst);
            found += 1;
        }
    }
    assert!(found > 0, "no generator's pages were found");
}

/// How many places of this process's memory, at any address, hold a piece of the inverted list.
fn search(inverted: &HashSet<u128>) -> usize {
    // Two bytes rule out most places quickly.
    let mut begins = vec![false; 1 << 16];
    inverted.iter().for_each(|piece| begins[usize::from(!*piece as u16)] = true);
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap();
    let writable =
        maps.lines().filter(|line| line.split(' ').nth(1).is_some_and(|may| may.starts_with("rw")));
    let mut found = 0;
    for [start, end] in writable.filter_map(bounds) {
        let (mut low, mut high) = (0, 0);
        for at in (start..end).step_by(8) {
            // SAFETY: inside a mapping that can be read.
            let next = unsafe { word(at) };
            for shift in (0..64).step_by(8) {
                let piece = two(low, high) >> shift | u128::from(next).unbounded_shl(128 - shift);
                if begins[usize::from(piece as u16)] && inverted.contains(&!piece) {
                    found += 1;
                }
            }
            (low, high) = (high, next);
        }
    }
    found
}
