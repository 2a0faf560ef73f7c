//! A forked child has none of the random bytes that its parent is going to give: neither in the generator's pages, which the
//! kernel wipes, nor anywhere else in its memory.

use super::amid::{clone, fork_before_giving, fork_while_seeding, while_filling};
use super::linux::Twin;
use hardware_aes_gcm::faults;
use hardware_aes_gcm::rng::BYTES_PER_SEED;
use std::collections::HashSet;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Whether a child of the next fork looks at its memory and ends.
static LOOKING: AtomicBool = AtomicBool::new(false);
/// Where the generators' pages begin and end: found before a fork, since a signal's handler can read no file.
static PAGES: [[AtomicUsize; 2]; 4] = [const { [const { AtomicUsize::new(0) }; 2] }; 4];
/// What those pages held before the fork, in pieces of sixteen bytes, every bit inverted: the list must not be found itself.
static INVERTED: Mutex<Vec<u128>> = Mutex::new(Vec::new());

/// A way to fork in which a child looks at its memory.
type Way<'a> = &'a dyn Fn(&mut Twin);

pub(crate) fn a_child_has_none_of_its_parents_future_bytes() {
    // A fork before the system's entropy is read, after it, at the seeding's end, and right before bytes are given.
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
        // In a child, since what was switched on is on for good.
        let [wiped, kept] = [false, true].map(|keep| in_a_child(|| found_by(way, keep)));
        assert_eq!(wiped, 0, "{name}: pieces of the parent's pages in the child");
        // A child that panics ends with 101.
        assert!((51..=100).contains(&kept), "{name}, pages kept: {kept} pieces found");
        println!("{name}: nothing of the generator's in the child; pages kept, {kept} pieces");
    }
}

/// A request that goes on under a new seed, copied before its first part was given: that part came of the wiped pool, as
/// zeros, and the seeding that followed hid it.
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
            return ended();
        }
        i32::from(output[..LEFT].iter().any(|byte| *byte != 0)) * DONE
    });
    assert_eq!(given, DONE, "zeros in the child");
    println!("a request across a seed's end: no zeros in the child");
}

/// How many pieces a child finds that came about in this way; at most 100.
fn found_by(way: Way, keep: bool) -> i32 {
    faults::KEEP_POOL.turn(keep);
    let mut twin = Twin::new();
    // The pool is full of what comes next.
    twin.fill(&mut [0; 100]);
    find_pages(keep);
    LOOKING.store(true, Ordering::SeqCst);
    way(&mut twin);
    ended()
}

/// Before a fork in whose child memory is looked at, outside of a signal's handler. `seed` is one in the making, wherever
/// the generator has it.
pub(crate) fn before_a_fork(seed: &[u8]) {
    if LOOKING.load(Ordering::SeqCst) {
        // Zeros and the word that tells whether they were wiped are everywhere.
        let random = pieces().filter(|piece| *piece > u128::from(u64::MAX));
        let seed = seed.as_chunks().0.iter().map(|piece| u128::from_ne_bytes(*piece));
        *INVERTED.lock().unwrap() = random.chain(seed).map(|piece| !piece).collect();
    }
}

/// In a child in which memory is to be looked at, looks and ends with the number of pieces found.
pub(crate) fn after_a_fork(in_child: bool) {
    if in_child && LOOKING.load(Ordering::SeqCst) {
        let left = pieces().filter(|piece| *piece != 0).count();
        // Empty in a signal's handler, which can read no file: the pages are then all it looks at.
        let inverted: HashSet<u128> = INVERTED.try_lock().unwrap().iter().copied().collect();
        let found = if inverted.is_empty() { left } else { search(&inverted) };
        // Wiped bytes must be found nowhere, and kept bytes in both ways.
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
    // SAFETY: the caller's promise. Into a register, since a copy on the stack would be found in the child.
    unsafe { std::ptr::with_exposed_provenance::<u64>(at).read_volatile() }
}

/// The mappings that are left out of dumps and, unless they are kept, wiped on fork (Linux, Documentation/filesystems/proc.rst).
fn find_pages(keep: bool) {
    let all = std::fs::read_to_string("/proc/self/smaps").unwrap();
    let (mut found, mut range) = (0, [0, 0]);
    for line in all.lines() {
        if let Some(bounds) = bounds(line) {
            range = bounds;
        } else if let Some(flags) = line.strip_prefix("VmFlags:") {
            let has = |flag| flags.split_whitespace().any(|other| other == flag);
            // A generator's pages, and not those of its thread's keys: those take more.
            if has("wr") && has("dd") && has("wf") != keep && range[1] - range[0] < 1 << 16 {
                PAGES[found][0].store(range[0], Ordering::SeqCst);
                PAGES[found][1].store(range[1], Ordering::SeqCst);
                found += 1;
            }
        }
    }
    assert!(found > 0, "no pages of a generator's");
}

/// Where a mapping begins and ends, of a line that says so.
fn bounds(line: &str) -> Option<[usize; 2]> {
    let (start, end) = line.split(' ').next()?.split_once('-')?;
    Some([usize::from_str_radix(start, 16).ok()?, usize::from_str_radix(end, 16).ok()?])
}

/// How many places of this process's memory, at any address, hold what the list has inverted.
fn search(inverted: &HashSet<u128>) -> usize {
    // Most places are told apart by two bytes.
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

/// What `body` gives in a child.
fn in_a_child(body: impl FnOnce() -> i32) -> i32 {
    // SAFETY: this process has one thread.
    if unsafe { libc::fork() } == 0 {
        let code = body();
        // SAFETY: ends the child.
        unsafe { libc::_exit(code) };
    }
    ended()
}

/// What the one child ended with.
fn ended() -> i32 {
    let mut status = 0;
    // SAFETY: waits for the one child there is.
    let ended = unsafe { libc::wait(&mut status) };
    assert!(ended > 0 && libc::WIFEXITED(status), "a child failed: {status}");
    libc::WEXITSTATUS(status)
}
