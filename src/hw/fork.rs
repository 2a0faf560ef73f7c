//! Whether this process may be a copy of another: one number, the generation, changes if it may.
//!
//! A `fork` without `exec`, a raw `clone`, and a virtual machine restored from a snapshot each
//! leave two processes with the same memory. Code with a random number that must not be used twice
//! keeps the generation with it, and draws a new number when [`generation`] has changed.
//!
//! - Linux: the copy's number lies in a page that the kernel wipes in a child (`MADV_WIPEONFORK`),
//!   and a handler of `pthread_atfork` writes a new one, except after a raw `clone`.
//! - macOS, and Linux where the kernel or an emulator ignores that: the handler and the process id.
//! - Windows, which has no `fork`: the process id.
//! - A virtual machine (Linux): a device of the kernel that counts restores, where one exists.
//!
//! Once set up, this module takes no lock and does not allocate, since a fork may come at any
//! moment. If the system has no page, the generation is [`UNKNOWN`], and the next call tries
//! again.

use super::system;
use super::vm::{DEVICES, Device};
use core::ptr;
use core::sync::atomic::{AtomicPtr, AtomicU32, AtomicU64, Ordering};

/// The generation where copies go unnoticed: any earlier call may have come before a copy.
pub const UNKNOWN: u64 = 0;

/// The low bits of a generation count requests ([`renew`]), the high bits copies. The count of
/// requests wraps after months of `reseed` calls in a loop. An object overlooks requests only if
/// exactly k·2^40 of them (k > 0) fall between two of its uses.
const REQUEST_BITS: u32 = 40;

/// The current generation, or [`UNKNOWN`].
#[inline]
pub fn generation() -> u64 {
    #[cfg(feature = "faults")]
    if crate::faults::BLIND.is_on() {
        return detector().map_or(UNKNOWN, |detector| detector.generation_of(1));
    }
    detector().map_or(UNKNOWN, Detector::generation)
}

/// Starts another generation on request: every thread then draws new salts and seeds.
pub fn renew() {
    if let Some(detector) = detector() {
        detector.requests.fetch_add(1, Ordering::AcqRel);
    }
}

/// Whether a copy was noticed between two generations: a request alone makes no copy. [`UNKNOWN`]
/// twice returns false, so callers must test for [`UNKNOWN`] themselves.
pub fn copied(before: u64, after: u64) -> bool {
    before >> REQUEST_BITS != after >> REQUEST_BITS
}

/// How [`generation`] notices copies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Means {
    /// Whether a page that the kernel wipes shows forks; otherwise the process id does.
    pub page: bool,
    /// The path of the device that counts restores of the virtual machine, where one exists.
    pub device: Option<&'static str>,
}

/// How copies are noticed here; `None` where they cannot be.
pub fn means() -> Option<Means> {
    detector().map(|detector| Means {
        page: detector.wiped,
        device: detector.device.as_ref().map(Device::path),
    })
}

/// Set once, and then never freed.
static DETECTOR: AtomicPtr<Detector> = AtomicPtr::new(ptr::null_mut());

fn detector() -> Option<&'static Detector> {
    let found = DETECTOR.load(Ordering::Acquire);
    // SAFETY: null, or the detector that `set_up` leaked.
    unsafe { found.as_ref() }.or_else(set_up)
}

#[cold]
fn set_up() -> Option<&'static Detector> {
    let made = Box::into_raw(Box::new(Detector::new(|| DEVICES.iter().find_map(Device::open))?));
    let (put, taken) = (Ordering::AcqRel, Ordering::Acquire);
    match DETECTOR.compare_exchange(ptr::null_mut(), made, put, taken) {
        Ok(_) => {
            // If the registration fails, the page or the process id still notices forks.
            system::on_fork(in_child);
            // SAFETY: just made, and never freed from here on.
            Some(unsafe { &*made })
        }
        Err(first) => {
            // SAFETY: made above, and not shared.
            drop(unsafe { Box::from_raw(made) });
            // SAFETY: another thread was first, and its detector is never freed.
            Some(unsafe { &*first })
        }
    }
}

extern "C" fn in_child() {
    // SAFETY: null, or the detector that `set_up` leaked.
    if let Some(detector) = unsafe { DETECTOR.load(Ordering::Acquire).as_ref() } {
        detector.start_copy();
    }
}

struct Detector {
    /// The number of this copy, alone on its page; zero after the kernel wiped the page.
    copy: &'static AtomicU64,
    /// Whether the kernel wipes the page in a child.
    wiped: bool,
    /// The last number made. Not wiped: a child counts on from its parent's.
    last: AtomicU64,
    /// Calls of [`renew`].
    requests: AtomicU64,
    process: AtomicU32,
    device: Option<Device>,
    /// The count that the device showed last.
    restores: AtomicU64,
}

impl Detector {
    /// `None` without a page. The device is opened last, since it stays mapped.
    fn new(open: impl FnOnce() -> Option<Device>) -> Option<Self> {
        let (copy, wiped) = page()?;
        copy.store(1, Ordering::Release);
        let device = open();
        Some(Self {
            copy,
            wiped,
            last: AtomicU64::new(1),
            requests: AtomicU64::new(0),
            process: AtomicU32::new(system::process_id()),
            restores: AtomicU64::new(device.as_ref().map_or(0, Device::count)),
            device,
        })
    }

    fn generation(&self) -> u64 {
        let mut copy = self.copy.load(Ordering::Acquire);
        if copy == 0 || !self.wiped || self.device.is_some() {
            copy = self.detect(copy);
        }
        self.generation_of(copy)
    }

    fn generation_of(&self, copy: u64) -> u64 {
        let requests = self.requests.load(Ordering::Acquire) & ((1 << REQUEST_BITS) - 1);
        copy << REQUEST_BITS | requests
    }

    /// The number of this copy, after a look at the page, the process id and the device.
    #[cold]
    fn detect(&self, mut copy: u64) -> u64 {
        if copy == 0 {
            // Several threads of a child may get here at once; the first number holds for all.
            let made = self.next_copy();
            let put = self.copy.compare_exchange(0, made, Ordering::AcqRel, Ordering::Acquire);
            copy = put.map_or_else(|first| first, |_| made);
        }
        // Publish the new number before recording the change: a thread that sees the record then
        // finds the number in the load at the end.
        if !self.wiped {
            let process = system::process_id();
            if self.process.load(Ordering::Acquire) != process {
                copy = self.start_copy();
                self.process.store(process, Ordering::Release);
            }
        }
        if let Some(device) = &self.device {
            let count = device.count();
            if self.restores.load(Ordering::Acquire) != count {
                copy = self.start_copy();
                self.restores.store(count, Ordering::Release);
            }
        }
        copy.max(self.copy.load(Ordering::Acquire))
    }

    /// Gives this process a new number, and returns the number that then holds.
    fn start_copy(&self) -> u64 {
        let made = self.next_copy();
        self.copy.fetch_max(made, Ordering::AcqRel).max(made)
    }

    fn next_copy(&self) -> u64 {
        self.last.fetch_add(1, Ordering::AcqRel) + 1
    }
}

/// A word of zero on a page of its own, never unmapped, and whether a child finds the page wiped.
fn page() -> Option<(&'static AtomicU64, bool)> {
    let length = system::page_size()?;
    let page = system::reserve(length)?;
    // SAFETY: the page just reserved, which is not shared yet.
    let wiped = unsafe {
        if !system::open(page, length) {
            system::release(page, length);
            return None;
        }
        system::wipe_on_fork(page, length)
    };
    // SAFETY: opened, zero, aligned to a page, and never unmapped.
    Some((unsafe { &*page.as_ptr().cast::<AtomicU64>() }, wiped))
}

#[cfg(test)]
mod tests;
