//! Whether this process may have a twin: one number, the generation, that changes when it may.
//!
//! A `fork` without `exec`, a raw `clone`, and a virtual machine restored from a snapshot each leave two processes
//! with the same memory. Whoever keeps a random number that must not be used twice keeps the generation beside it, and
//! draws anew when [`generation`] gives another.
//!
//! - Linux: the number of the copy lies in a page that the kernel wipes in a child (`MADV_WIPEONFORK`), and a handler of
//!   `pthread_atfork` gives another. The page alone notices a raw `clone`.
//! - macOS, and Linux where that advice is refused or only pretended to be taken: the handler, and the process id.
//! - A virtual machine: a device of the kernel's that counts restores, where there is one (Linux).
//!
//! Nothing here takes a lock or allocates after the first call, since a fork may come at any moment.

use super::vm::{DEVICES, Device};
use core::ptr;
use core::sync::atomic::{AtomicPtr, AtomicU32, AtomicU64, Ordering};

/// The generation where there is no way to know: every moment may be the first of a twin.
pub const UNKNOWN: u64 = 0;

/// The low bits of a generation count what was asked for, the others the copies. Asking costs the asker a seeding, with a
/// system call: so many last for months of doing nothing else, and only an exact multiple of them all, while an object
/// sleeps, would be overlooked.
const REQUEST_BITS: u32 = 40;

/// The current generation, or [`UNKNOWN`].
#[inline]
pub fn generation() -> u64 {
    #[cfg(feature = "faults")]
    if crate::faults::BLIND.is_on() {
        return detector().map_or(UNKNOWN, |detector| detector.number_of(1));
    }
    detector().map_or(UNKNOWN, Detector::generation)
}

/// Makes another generation on request: everything that depends on it is drawn anew, in every thread.
pub fn renew() {
    if let Some(detector) = detector() {
        detector.requests.fetch_add(1, Ordering::AcqRel);
    }
}

/// Whether this process became a copy between two generations: a request makes no twin.
pub fn copied(before: u64, after: u64) -> bool {
    before >> REQUEST_BITS != after >> REQUEST_BITS
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
        device: detector.device.as_ref().map(Device::path),
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
    let made = Box::into_raw(Box::new(Detector::new(DEVICES.iter().find_map(Device::open))?));
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
    /// The number of this copy, alone on its page; zero where the kernel wiped it.
    word: &'static AtomicU64,
    /// Whether the kernel does.
    wiped: bool,
    /// The last number that was given. It is memory like any other: a child goes on from its parent's.
    last: AtomicU64,
    /// How often another generation was asked for.
    requests: AtomicU64,
    process: AtomicU32,
    device: Option<Device>,
    /// What the device showed last.
    restores: AtomicU64,
}

impl Detector {
    fn new(device: Option<Device>) -> Option<Self> {
        let (word, wiped) = page()?;
        word.store(1, Ordering::Release);
        Some(Self {
            word,
            wiped,
            last: AtomicU64::new(1),
            requests: AtomicU64::new(0),
            process: AtomicU32::new(process_id()),
            restores: AtomicU64::new(device.as_ref().map_or(0, Device::count)),
            device,
        })
    }

    fn generation(&self) -> u64 {
        let mut copy = self.word.load(Ordering::Acquire);
        if copy == 0 || !self.wiped || self.device.is_some() {
            copy = self.look(copy);
        }
        self.number_of(copy)
    }

    fn number_of(&self, copy: u64) -> u64 {
        let requests = self.requests.load(Ordering::Acquire) & ((1 << REQUEST_BITS) - 1);
        copy << REQUEST_BITS | requests
    }

    #[cold]
    fn look(&self, mut copy: u64) -> u64 {
        if copy == 0 {
            // The threads of a child that come here at once agree on the first.
            let made = self.next();
            let put = self.word.compare_exchange(0, made, Ordering::AcqRel, Ordering::Acquire);
            copy = put.map_or_else(|first| first, |_| made);
        }
        // Renewed first, noted second: who finds a change noted finds the new number, if it looks for that afterwards.
        if !self.wiped {
            let process = process_id();
            if self.process.load(Ordering::Acquire) != process {
                copy = self.renew();
                self.process.store(process, Ordering::Release);
            }
        }
        if let Some(device) = &self.device {
            let count = device.count();
            if self.restores.load(Ordering::Acquire) != count {
                copy = self.renew();
                self.restores.store(count, Ordering::Release);
            }
        }
        copy.max(self.word.load(Ordering::Acquire))
    }

    fn renew(&self) -> u64 {
        let made = self.next();
        self.word.fetch_max(made, Ordering::AcqRel).max(made)
    }

    fn next(&self) -> u64 {
        self.last.fetch_add(1, Ordering::AcqRel) + 1
    }
}

/// The process id as the kernel tells it: old C libraries remember it, and a raw `clone` tells them nothing.
fn process_id() -> u32 {
    #[cfg(target_os = "linux")]
    // SAFETY: asks a number of the system.
    let id = unsafe { libc::syscall(libc::SYS_getpid) } as u32;
    #[cfg(not(target_os = "linux"))]
    let id = std::process::id();
    id
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
    // SAFETY: the page just mapped.
    let wiped = unsafe { wipe(page, length) };
    // SAFETY: mapped, zero, aligned to a page, ours for good.
    Some((unsafe { &*page.cast::<AtomicU64>() }, wiped))
}

/// Has memory wiped in a child of `fork`, and gives whether the kernel does so.
///
/// # Safety
/// `bytes` at `first` are whole pages of a private mapping of ours that has no file.
pub(super) unsafe fn wipe(first: *mut core::ffi::c_void, bytes: usize) -> bool {
    #[cfg(target_os = "linux")]
    // SAFETY: the caller's promise. An emulator that ignores advice takes what no kernel knows, too.
    unsafe {
        libc::madvise(first, bytes, -1) != 0
            && libc::madvise(first, bytes, libc::MADV_WIPEONFORK) == 0
    }
    #[cfg(not(target_os = "linux"))]
    {
        let _ = (first, bytes);
        false
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests;
