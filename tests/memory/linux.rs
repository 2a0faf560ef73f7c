//! Linux: the flags of a mapping by /proc, and children with other rights.

use crate::common::process::{in_a_child, mappings};
use crate::common::{cells, key_in, secret};
use hardware_aes_gcm::backend::Cpu;
use hardware_aes_gcm::error::Error;
use hardware_aes_gcm::key::Options;
use hardware_aes_gcm::key::arena::{Arena, MAX_KEYS};
use std::collections::BTreeSet;

/// How a child ends that reads the byte at `at`: with 0 for a byte of zero, or by a signal.
fn reads(at: *const u8) -> Result<i32, i32> {
    // SAFETY: not guaranteed; the test looks for the signal.
    in_a_child(|| i32::from(unsafe { at.read_volatile() } != 0))
}

/// The mapping that holds `at`: its flags, where it begins and where it ends.
fn mapping(at: *const u8) -> Option<(Vec<String>, usize, usize)> {
    let holds = |[start, end]: [usize; 2]| (start..end).contains(&at.addr());
    let found = mappings().into_iter().find(|(range, _)| holds(*range));
    found.map(|([start, end], flags)| (flags, start, end))
}

/// Whether an emulator keeps advice about memory from the kernel, so that pages are not left out of dumps. This must be
/// so where checks/arm64.sh says it, and only there.
fn advice_is_ignored() -> bool {
    let mut arena = Arena::fixed(1).unwrap();
    // An arena of one place has it at the start of a page.
    let page = arena.place(1).unwrap().bytes().as_mut_ptr();
    // SAFETY: unknown advice, which a kernel refuses.
    let ignored = unsafe { libc::madvise(page.cast(), 1, -1) } == 0;
    let expected = std::env::var_os("ADVICE_IS_IGNORED").is_some();
    assert_eq!(ignored, expected, "whether advice is ignored, and whether it should be");
    ignored
}

pub(crate) fn every_page_is_guarded() {
    for (mut arena, bytes) in [
        (Arena::fixed(1).unwrap(), 1),
        (Arena::fixed(1000).unwrap(), 1),
        (Arena::default(), Cpu::largest_state()),
    ] {
        let mut slot = arena.place(bytes).unwrap();
        let at = slot.bytes().as_ptr();
        let (_, start, end) = mapping(at).unwrap();
        let slots = slot.length() * arena.capacity().unwrap_or(1);
        assert!(end - start >= slots);
        assert_eq!(reads(at), Ok(0));
        let (first, last) = (at.with_addr(start), at.with_addr(end - 1));
        assert_eq!((reads(first), reads(last)), (Ok(0), Ok(0)));
        let (before, after) = (at.with_addr(start - 1), at.with_addr(end));
        assert_eq!((reads(before), reads(after)), (Err(libc::SIGSEGV), Err(libc::SIGSEGV)));
    }
}

pub(crate) fn keys_are_locked_and_left_out_of_dumps() {
    for mut arena in [Arena::fixed(10).unwrap(), Arena::default()] {
        let mut slot = arena.place(Cpu::largest_state()).unwrap();
        let (flags, ..) = mapping(slot.bytes().as_ptr()).unwrap();
        let has = |flag: &str| flags.iter().any(|other| other == flag);
        assert!(
            has("dd") != advice_is_ignored(),
            "left out of dumps, or advice ignored: {flags:?}"
        );
        assert_eq!(has("dd"), arena.excluded_from_dumps(), "as the arena reports: {flags:?}");
        assert_eq!(has("lo"), arena.locked(), "locked as the arena reports: {flags:?}");
        assert!(arena.locked() || !may_lock(1 << 20), "not locked, but within the limit");
    }
    #[cfg(feature = "faults")]
    {
        use hardware_aes_gcm::faults::{DUMP_KEYS, NO_LOCK};
        DUMP_KEYS.turn(true);
        NO_LOCK.turn(true);
        let mut arena = Arena::fixed(10).unwrap();
        let mut slot = arena.place(Cpu::largest_state()).unwrap();
        let (flags, ..) = mapping(slot.bytes().as_ptr()).unwrap();
        assert!(!flags.iter().any(|flag| flag == "dd" || flag == "lo"), "{flags:?}");
        assert_eq!((arena.locked(), arena.excluded_from_dumps()), (false, false));
        DUMP_KEYS.turn(false);
        NO_LOCK.turn(false);
    }
}

pub(crate) fn the_last_key_unmaps_its_pages() {
    let mut arena = Arena::fixed(2).unwrap();
    let (mut one, mut two) = (arena.place(1).unwrap(), arena.place(1).unwrap());
    let (at, other) = (one.bytes().as_ptr(), two.bytes().as_ptr());
    drop(arena);
    drop(one);
    assert_eq!(reads(other), Ok(0));
    drop(two);
    assert!(mapping(at).is_none(), "unmapped");

    // A growing arena unmaps its pages with their keys, except for the pages in which it gives the next places.
    let mut arena = Arena::default();
    let mut slots: Vec<_> = (0..2000).map(|_| arena.place(Cpu::largest_state()).unwrap()).collect();
    let mut addresses: Vec<_> = slots.iter_mut().map(|slot| slot.bytes().as_ptr()).collect();
    drop(slots);
    addresses.retain(|at| mapping(*at).is_some());
    assert!(addresses.len() < 200, "{} of 2000 places are still mapped", addresses.len());
}

/// `ulimit -l 0`, as a user who is not root. For a child only.
fn give_up_locks() {
    let none = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: changes limits and rights of this child only.
    unsafe {
        assert_eq!(libc::setrlimit(libc::RLIMIT_MEMLOCK, &none), 0);
        if libc::geteuid() == 0 {
            assert_eq!(libc::setresuid(65534, 65534, 65534), 0);
        }
    }
}

pub(crate) fn keys_work_without_the_right_to_lock() {
    let ended = in_a_child(|| {
        give_up_locks();
        for mut arena in [Arena::fixed(10).unwrap(), Arena::default()] {
            assert!(!arena.locked());
            assert!(encrypts(&mut arena));
        }
        7
    });
    assert_eq!(ended, Ok(7));
}

pub(crate) fn a_child_has_the_keys_and_no_locks() {
    let mut arena = Arena::fixed(10).unwrap();
    let mut slot = arena.place(1).unwrap();
    slot.bytes().fill(0x77);
    let ended = in_a_child(|| {
        let kept = slot.bytes().iter().all(|byte| *byte == 0x77);
        i32::from(kept && !arena.locked() && encrypts(&mut arena)) * 7
    });
    assert_eq!(ended, Ok(7));
    assert!(arena.locked() || !may_lock(1 << 20), "the parent keeps its locks");
}

/// A process near its limit of memory (RLIMIT_AS) once ended, because the lists beside the places are memory, too.
pub(crate) fn an_arena_that_has_no_memory_is_refused() {
    // An emulator that keeps advice from the kernel does not limit memory either.
    if advice_is_ignored() {
        return;
    }
    let places = (MAX_KEYS * Cpu::largest_state()) as u64;
    let mut outcomes = BTreeSet::new();
    // Too little for the places, enough for those alone, for half of the lists, and for all.
    for (less, more) in [(1 << 20, 0), (0, 1 << 14), (0, 1 << 21), (0, 1 << 25)] {
        let ended = in_a_child(|| {
            // Locked pages would be filled: more than a gibibyte.
            give_up_locks();
            let used = std::fs::read_to_string("/proc/self/statm").unwrap();
            let pages: u64 = used.split(' ').next().unwrap().parse().unwrap();
            let most = pages * 4096 + places + more - less;
            let limit = libc::rlimit { rlim_cur: most, rlim_max: most };
            // SAFETY: changes a limit of this child only.
            assert_eq!(unsafe { libc::setrlimit(libc::RLIMIT_AS, &limit) }, 0);
            match Arena::fixed(MAX_KEYS) {
                Ok(_) => 1,
                Err(Error::NoMemory) => 2,
                Err(_) => 3,
            }
        });
        outcomes.insert((more, ended));
    }
    let expected = [(0, Ok(2)), (1 << 14, Ok(2)), (1 << 21, Ok(2)), (1 << 25, Ok(1))];
    assert_eq!(outcomes, BTreeSet::from(expected));
}

/// Whether the limit allows this many bytes of locked memory.
fn may_lock(bytes: libc::rlim_t) -> bool {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: `limit` is ours to fill.
    assert_eq!(unsafe { libc::getrlimit(libc::RLIMIT_MEMLOCK, &mut limit) }, 0);
    limit.rlim_cur >= bytes
}

/// Whether a key in `arena` works.
fn encrypts(arena: &mut Arena) -> bool {
    let key = key_in(arena, Cpu::best().unwrap(), &secret(&[1; 32]), Options::default());
    let (mut key, mut frame) = (key.unwrap(), [0; 64]);
    let frame = cells(&mut frame);
    key.encrypt_in_place(frame, &[]) == Ok(()) && key.decrypt_in_place(frame, &[]) == Ok(())
}
