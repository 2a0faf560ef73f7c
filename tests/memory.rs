//! Pages of keys as the kernel sees them: guarded, locked, left out of dumps, unmapped with the last key; and without
//! the right to lock.
//!
//! A program of its own, since some of its children must end by a signal.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
#![allow(clippy::indexing_slicing, reason = "an index out of range fails the test")]
#![allow(unsafe_code, reason = "forks, and reads where nothing may be read")]

/// Elsewhere the kernel tells nothing of its pages.
#[cfg(not(target_os = "linux"))]
fn main() {}

#[cfg(target_os = "linux")]
fn main() {
    linux::every_page_is_guarded();
    linux::keys_are_locked_and_left_out_of_dumps();
    linux::the_last_key_takes_its_pages_along();
    linux::keys_work_without_the_right_to_lock();
    linux::a_child_has_the_keys_and_no_locks();
}

#[cfg(target_os = "linux")]
mod linux {
    use hardware_aes_gcm::backend::Cpu;
    use hardware_aes_gcm::key::arena::Arena;
    use hardware_aes_gcm::key::{Key, Options};
    use hardware_aes_gcm::rng::shared::SharedGenerator;
    use hardware_aes_gcm::secret::SecretKey;
    use std::cell::Cell;

    /// What a child that ran `body` ended with: its exit code, or the signal that ended it.
    fn child(body: impl FnOnce() -> i32) -> Result<i32, i32> {
        // SAFETY: this process has one thread.
        let child = unsafe { libc::fork() };
        if child == 0 {
            let code = body();
            // SAFETY: ends the child.
            unsafe { libc::_exit(code) };
        }
        let mut status = 0;
        // SAFETY: waits for the child.
        assert_eq!(unsafe { libc::waitpid(child, &mut status, 0) }, child);
        if libc::WIFEXITED(status) {
            Ok(libc::WEXITSTATUS(status))
        } else {
            Err(libc::WTERMSIG(status))
        }
    }

    fn reads(at: *const u8) -> Result<i32, i32> {
        // SAFETY: none; the signal is what the test wants to see.
        child(|| i32::from(unsafe { at.read_volatile() } != 0))
    }

    /// The flags of the mapping around `at` (Linux, Documentation/filesystems/proc.rst), its first and last address.
    fn mapping(at: *const u8) -> Option<(Vec<String>, usize, usize)> {
        let maps = std::fs::read_to_string("/proc/self/smaps").unwrap();
        let mut inside = None;
        for line in maps.lines() {
            let range = line.split(' ').next().and_then(|range| range.split_once('-'));
            let address = |text| usize::from_str_radix(text, 16).ok();
            if let Some((start, end)) = range.and_then(|(a, b)| Some((address(a)?, address(b)?))) {
                inside = (start..end).contains(&at.addr()).then_some((start, end));
            } else if let (Some((start, end)), Some(flags)) =
                (inside, line.strip_prefix("VmFlags:"))
            {
                return Some((flags.split_whitespace().map(str::to_owned).collect(), start, end));
            }
        }
        None
    }

    /// Whether an emulator stands before the kernel and keeps advice about memory to itself: nothing is left out of dumps
    /// then. It must be there where checks/arm64.sh says so and nowhere else.
    fn advice_is_ignored() -> bool {
        let mut arena = Arena::fixed(1).unwrap();
        // The one place of an arena begins with its page.
        let page = arena.place(1).unwrap().bytes().as_mut_ptr();
        // SAFETY: asks for what no kernel knows.
        let ignored = unsafe { libc::madvise(page.cast(), 1, -1) } == 0;
        let expected = std::env::var_os("ADVICE_IS_IGNORED").is_some();
        assert_eq!(ignored, expected, "advice is ignored, and was to be");
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
            assert!(has("dd") != advice_is_ignored(), "left out of dumps: {flags:?}");
            assert_eq!(has("lo"), arena.locked(), "locked as it says: {flags:?}");
            assert!(arena.locked() || !may_lock(1 << 20), "within the limit");
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
            assert!(!arena.locked());
            DUMP_KEYS.turn(false);
            NO_LOCK.turn(false);
        }
    }

    pub(crate) fn the_last_key_takes_its_pages_along() {
        let mut arena = Arena::fixed(2).unwrap();
        let (mut one, mut two) = (arena.place(1).unwrap(), arena.place(1).unwrap());
        let (at, other) = (one.bytes().as_ptr(), two.bytes().as_ptr());
        drop(arena);
        drop(one);
        assert_eq!(reads(other), Ok(0));
        drop(two);
        assert!(mapping(at).is_none(), "unmapped");

        // What a growing arena took for many keys goes when they go, but for the pages it gives places in.
        let mut arena = Arena::default();
        let mut slots: Vec<_> =
            (0..2000).map(|_| arena.place(Cpu::largest_state()).unwrap()).collect();
        let mut addresses: Vec<_> = slots.iter_mut().map(|slot| slot.bytes().as_ptr()).collect();
        drop(slots);
        addresses.retain(|at| mapping(*at).is_some());
        assert!(addresses.len() < 200, "{} of 2000 places are left mapped", addresses.len());
    }

    /// `ulimit -l 0`, as a user who is not root.
    pub(crate) fn keys_work_without_the_right_to_lock() {
        let ended = child(|| {
            let none = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
            // SAFETY: limits and rights of this child alone.
            unsafe {
                assert_eq!(libc::setrlimit(libc::RLIMIT_MEMLOCK, &none), 0);
                if libc::geteuid() == 0 {
                    assert_eq!(libc::setresuid(65534, 65534, 65534), 0);
                }
            }
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
        let ended = child(|| {
            let kept = slot.bytes().iter().all(|byte| *byte == 0x77);
            i32::from(kept && !arena.locked() && encrypts(&mut arena)) * 7
        });
        assert_eq!(ended, Ok(7));
        assert!(arena.locked() || !may_lock(1 << 20), "the parent keeps its locks");
    }

    /// Whether the limit allows for so many bytes of locked memory.
    fn may_lock(bytes: libc::rlim_t) -> bool {
        let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
        // SAFETY: `limit` is ours to fill.
        assert_eq!(unsafe { libc::getrlimit(libc::RLIMIT_MEMLOCK, &mut limit) }, 0);
        limit.rlim_cur >= bytes
    }

    fn encrypts(arena: &mut Arena) -> bool {
        let mut bytes = [1; 32];
        let key = SecretKey::copy(Cell::from_mut(&mut bytes[..]).as_slice_of_cells()).unwrap();
        let generator = SharedGenerator::default();
        let key = Key::new(Cpu::best().unwrap(), &key, Options::default(), arena, &generator);
        let mut frame = [0; 64];
        let frame = Cell::from_mut(&mut frame[..]).as_slice_of_cells();
        let mut key = key.unwrap();
        key.encrypt_in_place(frame, &[]) == Ok(()) && key.decrypt_in_place(frame, &[]) == Ok(())
    }
}
