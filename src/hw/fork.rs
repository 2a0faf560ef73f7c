//! Whether this process may have a twin: one number, the generation, that changes when it may.
//!
//! A `fork` without `exec`, a raw `clone`, and a virtual machine restored from a snapshot each leave two processes
//! with the same memory. Whoever keeps a random number that must not be used twice keeps the generation beside it, and
//! draws anew when [`generation`] gives another.
//!
//! - Linux: the generation lies in a page that the kernel wipes in a child (`MADV_WIPEONFORK`), and a handler of
//!   `pthread_atfork` renews it. The page alone notices a raw `clone`.
//! - macOS, and Linux where that advice is refused or only pretended to be taken: the handler, and the process id.
//! - A virtual machine: a device of the kernel's that counts restores, where there is one (Linux).
//!
//! Nothing here takes a lock or allocates after the first call, since a fork may come at any moment.

use core::ptr;
use core::sync::atomic::{AtomicPtr, AtomicU32, AtomicU64, Ordering};

/// The generation where there is no way to know: every moment may be the first of a twin.
pub const UNKNOWN: u64 = 0;

/// The current generation, or [`UNKNOWN`].
#[inline]
pub fn generation() -> u64 {
    #[cfg(feature = "faults")]
    if crate::faults::BLIND.is_on() {
        return 1;
    }
    detector().map_or(UNKNOWN, Detector::generation)
}

/// Makes another generation: everything that depends on it is drawn anew, in every thread.
pub fn renew() {
    if let Some(detector) = detector() {
        detector.renew();
    }
}

/// What stands behind [`generation`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Means {
    /// Forks are told by a page that the kernel wipes, not by the process id. The handler is there either way.
    pub page: bool,
    /// The path of the device that counts restores of the virtual machine.
    pub device: Option<&'static str>,
}

/// How twins are noticed here; none where they are not.
pub fn means() -> Option<Means> {
    detector().map(|detector| Means {
        page: detector.wiped,
        device: detector.device.as_ref().map(|device| device.path),
    })
}

/// Set once, never freed.
static DETECTOR: AtomicPtr<Detector> = AtomicPtr::new(ptr::null_mut());

fn detector() -> Option<&'static Detector> {
    let found = DETECTOR.load(Ordering::Acquire);
    // SAFETY: null or what `set_up` leaked.
    unsafe { found.as_ref() }.or_else(set_up)
}

#[cold]
fn set_up() -> Option<&'static Detector> {
    let made = Box::into_raw(Box::new(Detector::new(DEVICES)?));
    let (put, taken) = (Ordering::AcqRel, Ordering::Acquire);
    match DETECTOR.compare_exchange(ptr::null_mut(), made, put, taken) {
        Ok(_) => {
            // Where it fails, the page or the process id is left.
            // SAFETY: `in_child` does nothing but atomic operations, as a child of a threaded process may.
            unsafe { libc::pthread_atfork(None, None, Some(in_child)) };
            // SAFETY: just made, and never freed from here on.
            Some(unsafe { &*made })
        }
        Err(first) => {
            // SAFETY: made above and given to nobody.
            drop(unsafe { Box::from_raw(made) });
            // SAFETY: another thread was first, and what it put there is never freed.
            Some(unsafe { &*first })
        }
    }
}

extern "C" fn in_child() {
    // SAFETY: null or what `set_up` leaked.
    if let Some(detector) = unsafe { DETECTOR.load(Ordering::Acquire).as_ref() } {
        detector.renew();
    }
}

struct Detector {
    /// The generation, alone on its page; zero where the kernel wiped it.
    word: &'static AtomicU64,
    /// Whether the kernel does.
    wiped: bool,
    /// The last generation that was made. It is memory like any other: a child goes on from its parent's.
    last: AtomicU64,
    process: AtomicU32,
    device: Option<Device>,
}

impl Detector {
    fn new(devices: &[Kind]) -> Option<Self> {
        let (word, wiped) = page()?;
        word.store(1, Ordering::Release);
        Some(Self {
            word,
            wiped,
            last: AtomicU64::new(1),
            process: AtomicU32::new(std::process::id()),
            device: devices.iter().find_map(Device::open),
        })
    }

    fn generation(&self) -> u64 {
        let generation = self.word.load(Ordering::Acquire);
        if generation == 0 || !self.wiped || self.device.is_some() {
            return self.look(generation);
        }
        generation
    }

    #[cold]
    fn look(&self, mut generation: u64) -> u64 {
        if generation == 0 {
            // The threads of a child that come here at once agree on the first.
            let made = self.next();
            let put = self.word.compare_exchange(0, made, Ordering::AcqRel, Ordering::Acquire);
            generation = put.map_or_else(|first| first, |_| made);
        }
        // Renewed first, noted second, so that no other thread finds a change noted and the old generation.
        if !self.wiped {
            let process = std::process::id();
            if self.process.load(Ordering::Acquire) != process {
                generation = self.renew();
                self.process.store(process, Ordering::Release);
            }
        }
        if let Some(device) = &self.device {
            let count = device.count();
            if device.seen.load(Ordering::Acquire) != count {
                generation = self.renew();
                device.seen.store(count, Ordering::Release);
            }
        }
        generation
    }

    fn renew(&self) -> u64 {
        let made = self.next();
        self.word.fetch_max(made, Ordering::AcqRel).max(made)
    }

    fn next(&self) -> u64 {
        self.last.fetch_add(1, Ordering::AcqRel) + 1
    }
}

/// A page of zeros with a word at its start, and whether a child finds it wiped. Never unmapped once it is in use.
fn page() -> Option<(&'static AtomicU64, bool)> {
    // SAFETY: asks a number of the system.
    let length = usize::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).ok()?;
    let (access, flags) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANON);
    // SAFETY: a new mapping, wherever the system wants it.
    let page = unsafe { libc::mmap(ptr::null_mut(), length, access, flags, -1, 0) };
    if page == libc::MAP_FAILED {
        return None;
    }
    #[cfg(target_os = "linux")]
    // SAFETY: the page just mapped. An emulator that ignores advice takes what no kernel knows, too.
    let wiped = unsafe {
        libc::madvise(page, length, -1) != 0
            && libc::madvise(page, length, libc::MADV_WIPEONFORK) == 0
    };
    #[cfg(not(target_os = "linux"))]
    let wiped = false;
    // SAFETY: mapped, zero, aligned to a page, ours for good.
    Some((unsafe { &*page.cast::<AtomicU64>() }, wiped))
}

/// A kind of device that counts restores: where the count lies in the memory it shows.
struct Kind {
    path: &'static str,
    offset: usize,
    wide: bool,
    /// Whether the memory says that the count is there; it has `offset` bytes and the count.
    is: fn(*const u8) -> bool,
}

#[cfg(target_os = "linux")]
const DEVICES: &[Kind] = &[
    // struct vmclock_abi (Linux, include/uapi/linux/vmclock-abi.h), all little-endian: u32 magic "VCLK" at 0, u64
    // flags at 24 with bit 8 for the u64 vm_generation_counter at 104.
    Kind {
        path: "/dev/vmclock0",
        offset: 104,
        wide: true,
        // SAFETY: within the bytes that `is` may read.
        is: |memory| unsafe {
            memory.cast::<u32>().read_volatile() == 0x4b4c_4356
                && memory.add(24).cast::<u64>().read_volatile() & 1 << 8 != 0
        },
    },
    // The driver "System Generation ID": one u32.
    Kind { path: "/dev/sysgenid", offset: 0, wide: false, is: |_| true },
];
#[cfg(not(target_os = "linux"))]
const DEVICES: &[Kind] = &[];

struct Device {
    path: &'static str,
    memory: *const u8,
    wide: bool,
    seen: AtomicU64,
}

impl Device {
    /// Maps it for reading, for good; none where it is not there or shows no count.
    fn open(kind: &Kind) -> Option<Self> {
        use std::os::fd::AsRawFd;
        let file = std::fs::File::open(kind.path).ok()?;
        let length = kind.offset + if kind.wide { 8 } else { 4 };
        let (descriptor, shared) = (file.as_raw_fd(), libc::MAP_SHARED);
        // SAFETY: a new mapping, read only, that outlives the descriptor.
        let start =
            unsafe { libc::mmap(ptr::null_mut(), length, libc::PROT_READ, shared, descriptor, 0) };
        if start == libc::MAP_FAILED {
            return None;
        }
        let start = start.cast::<u8>().cast_const();
        if !(kind.is)(start) {
            // SAFETY: mapped above, and known to nobody.
            unsafe { libc::munmap(start.cast_mut().cast(), length) };
            return None;
        }
        // SAFETY: inside the mapping.
        let memory = unsafe { start.add(kind.offset) };
        let device = Self { path: kind.path, memory, wide: kind.wide, seen: AtomicU64::new(0) };
        device.seen.store(device.count(), Ordering::Release);
        Some(device)
    }

    fn count(&self) -> u64 {
        // SAFETY: `open` mapped it for good, aligned as the formats are; the kernel writes it whole.
        unsafe {
            if self.wide {
                self.memory.cast::<u64>().read_volatile()
            } else {
                u64::from(self.memory.cast::<u32>().read_volatile())
            }
        }
    }
}

// SAFETY: `memory` is a mapping for good that is only read.
unsafe impl Sync for Device {}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
    use super::*;
    use std::os::unix::fs::FileExt;

    /// A file in place of a device, and a detector that looks at it.
    fn with_fake(name: &str, bytes: usize, kind: Kind, trial: impl FnOnce(&std::fs::File, Kind)) {
        let path = std::env::temp_dir().join(format!("{name}-{}", std::process::id()));
        let file = std::fs::File::options().create(true).truncate(true).write(true).open(&path);
        let file = file.unwrap();
        file.set_len(bytes as u64).unwrap();
        let leaked: &'static str = Box::leak(path.to_str().unwrap().to_owned().into());
        trial(&file, Kind { path: leaked, ..kind });
        std::fs::remove_file(path).unwrap();
    }

    fn kind(path: &str) -> Kind {
        let found = DEVICES.iter().find(|kind| kind.path == path).unwrap();
        Kind { ..*found }
    }

    #[test]
    fn a_restored_machine_is_another_generation() {
        with_fake("sysgenid", 4096, kind("/dev/sysgenid"), |file, kind| {
            let detector = Detector::new(&[kind]).unwrap();
            let first = detector.generation();
            assert!(first != UNKNOWN && detector.generation() == first);
            for restored in 1..=5_u32 {
                let before = detector.generation();
                file.write_all_at(&restored.to_ne_bytes(), 0).unwrap();
                let after = detector.generation();
                assert!(after > before, "{restored}");
                assert_eq!(detector.generation(), after);
            }
        });
    }

    #[test]
    fn vmclock_counts_where_its_flag_says_so() {
        with_fake("vmclock", 4096, kind("/dev/vmclock0"), |file, kind| {
            assert!(Device::open(&kind).is_none(), "no magic");
            file.write_all_at(b"VCLK", 0).unwrap();
            assert!(Device::open(&kind).is_none(), "no flag");
            file.write_all_at(&0x100_u64.to_le_bytes(), 24).unwrap();
            file.write_all_at(&(7_u64 << 32).to_le_bytes(), 104).unwrap();
            let detector = Detector::new(&[kind]).unwrap();
            let first = detector.generation();
            file.write_all_at(&9_u64.to_le_bytes(), 16).unwrap();
            assert_eq!(detector.generation(), first, "a live migration is no twin");
            file.write_all_at(&(8_u64 << 32).to_le_bytes(), 104).unwrap();
            assert!(detector.generation() > first);
        });
    }

    #[test]
    fn a_device_that_is_not_there_is_none() {
        let kind = Kind { path: "/nowhere", ..kind("/dev/sysgenid") };
        assert!(Detector::new(&[kind]).unwrap().device.is_none());
    }

    #[test]
    fn renewing_goes_up_whoever_asks() {
        let detector = Detector::new(&[]).unwrap();
        let first = detector.generation();
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..1000 {
                        let before = detector.generation();
                        assert!(detector.renew() > before);
                    }
                });
            }
        });
        assert_eq!(detector.generation(), first + 4000);
        // What a child finds.
        detector.word.store(0, Ordering::Release);
        let child = detector.generation();
        assert_eq!(child, first + 4001);
        assert_eq!(detector.generation(), child);
    }

    #[test]
    fn this_kernel_wipes_pages_on_fork() {
        assert!(Detector::new(&[]).unwrap().wiped);
    }

    #[test]
    fn another_process_id_is_another_generation() {
        let detector = Detector { wiped: false, ..Detector::new(&[]).unwrap() };
        let first = detector.generation();
        assert_eq!(detector.generation(), first);
        detector.process.store(std::process::id() + 1, Ordering::Release);
        let child = detector.generation();
        assert!(child > first);
        assert_eq!(detector.generation(), child);
    }
}
