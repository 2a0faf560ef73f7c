//! Linux and macOS, by the C library.

use core::ffi::c_void;
use core::ptr::{self, NonNull};
use std::fs::File;

/// The length of a page in bytes.
pub(in crate::hw) fn page_size() -> Option<usize> {
    // SAFETY: reads a number from the system.
    usize::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).ok()
}

/// New pages that may not be accessed, at least `bytes`; `None` if the system has no memory.
pub(in crate::hw) fn reserve(bytes: usize) -> Option<NonNull<c_void>> {
    let flags = libc::MAP_PRIVATE | libc::MAP_ANON;
    // SAFETY: a new mapping, wherever the system wants it.
    let start = unsafe { libc::mmap(ptr::null_mut(), bytes, libc::PROT_NONE, flags, -1, 0) };
    if start == libc::MAP_FAILED { None } else { NonNull::new(start) }
}

/// Lets pages be read and written, and returns whether the system does. They are zero at first.
///
/// # Safety
/// `bytes` at `first` are whole pages of one [`reserve`].
pub(in crate::hw) unsafe fn open(first: NonNull<c_void>, bytes: usize) -> bool {
    // SAFETY: the caller's promise.
    unsafe { libc::mprotect(first.as_ptr(), bytes, libc::PROT_READ | libc::PROT_WRITE) == 0 }
}

/// Gives pages back to the system.
///
/// # Safety
/// `bytes` at `start` are all pages of one [`reserve`] or [`map_device`], and unused from here on.
pub(in crate::hw) unsafe fn release(start: NonNull<c_void>, bytes: usize) {
    // SAFETY: the caller's promise.
    unsafe { libc::munmap(start.as_ptr(), bytes) };
}

/// Leaves pages out of core dumps, and returns whether the system does so.
///
/// # Safety
/// `bytes` at `first` are whole pages that were opened.
pub(in crate::hw) unsafe fn leave_out_of_dumps(first: NonNull<c_void>, bytes: usize) -> bool {
    // macOS has no such advice, and by default writes no core dumps.
    #[cfg(target_os = "linux")]
    // SAFETY: the caller's promise; this changes only the content of core dumps.
    unsafe {
        advise(first, bytes, libc::MADV_DONTDUMP)
    }
    #[cfg(not(target_os = "linux"))]
    {
        let _ = (first, bytes);
        false
    }
}

/// Gives advice about memory, and returns whether the kernel took it. An emulator that ignores
/// advice also accepts the unknown advice -1.
///
/// # Safety
/// `bytes` at `first` are whole opened pages, and the process sees no effect of the advice.
#[cfg(target_os = "linux")]
unsafe fn advise(first: NonNull<c_void>, bytes: usize, advice: libc::c_int) -> bool {
    // SAFETY: the caller's promise.
    unsafe {
        libc::madvise(first.as_ptr(), bytes, -1) != 0
            && libc::madvise(first.as_ptr(), bytes, advice) == 0
    }
}

/// Undoes [`leave_out_of_dumps`] before pages are released. Here, the advice ends with the mapping.
///
/// # Safety
/// As for `leave_out_of_dumps`.
pub(in crate::hw) unsafe fn return_to_dumps(_first: NonNull<c_void>) {}

/// Locks pages into RAM, and returns whether the system did: RLIMIT_MEMLOCK may forbid it.
///
/// # Safety
/// `bytes` at `first` are whole pages that were opened.
pub(in crate::hw) unsafe fn lock(first: NonNull<c_void>, bytes: usize) -> bool {
    // SAFETY: the caller's promise.
    unsafe { libc::mlock(first.as_ptr(), bytes) == 0 }
}

/// Has the kernel wipe memory in a child of `fork`, and returns whether the kernel does so.
///
/// # Safety
/// `bytes` at `first` are whole pages that were opened.
pub(in crate::hw) unsafe fn wipe_on_fork(first: NonNull<c_void>, bytes: usize) -> bool {
    #[cfg(target_os = "linux")]
    // SAFETY: the caller's promise; this changes only what a child gets.
    unsafe {
        advise(first, bytes, libc::MADV_WIPEONFORK)
    }
    #[cfg(not(target_os = "linux"))]
    {
        let _ = (first, bytes);
        false
    }
}

/// Has `handler` called in every child of `fork`, unless the registration fails. It may only use
/// atomics, as a child of a threaded process must.
pub(in crate::hw) fn on_fork(handler: extern "C" fn()) {
    let handler: unsafe extern "C" fn() = handler;
    // SAFETY: this library stays mapped (`stay_mapped`); the handler does what a child may do.
    unsafe { libc::pthread_atfork(None, None, Some(handler)) };
}

/// The process id from the kernel: old C libraries cache the id, and do not notice a raw `clone`.
pub(in crate::hw) fn process_id() -> u32 {
    #[cfg(target_os = "linux")]
    // SAFETY: reads a number from the system.
    let id = unsafe { libc::syscall(libc::SYS_getpid) } as u32;
    #[cfg(not(target_os = "linux"))]
    let id = std::process::id();
    id
}

/// Opens a device for reading; `None` where it is absent or no device.
pub(in crate::hw) fn open_device(path: &str) -> Option<File> {
    use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
    // Non-blocking, since opening a pipe in its place would wait for a writer.
    let file = File::options().read(true).custom_flags(libc::O_NONBLOCK).open(path).ok()?;
    file.metadata().ok()?.file_type().is_char_device().then_some(file)
}

/// Maps the first `bytes` of a device for reading. The mapping outlives the file.
pub(in crate::hw) fn map_device(file: &File, bytes: usize) -> Option<NonNull<c_void>> {
    use std::os::fd::AsRawFd;
    let (descriptor, shared) = (file.as_raw_fd(), libc::MAP_SHARED);
    // SAFETY: a new mapping, read only.
    let start =
        unsafe { libc::mmap(ptr::null_mut(), bytes, libc::PROT_READ, shared, descriptor, 0) };
    if start == libc::MAP_FAILED { None } else { NonNull::new(start) }
}

#[cfg(target_os = "linux")]
const CLOCK: libc::clockid_t = libc::CLOCK_MONOTONIC_COARSE;
#[cfg(target_os = "macos")]
const CLOCK: libc::clockid_t = libc::CLOCK_MONOTONIC_RAW_APPROX;

/// See [`clock::seconds`](crate::hw::clock::seconds).
pub(in crate::hw) fn seconds() -> u64 {
    let mut now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `now` is ours to fill.
    let status = unsafe { libc::clock_gettime(CLOCK, &mut now) };
    if status == 0 { u64::try_from(now.tv_sec).unwrap_or(0) } else { 0 }
}

/// See [`pin::stay_mapped`](crate::hw::pin::stay_mapped). On Linux, build.rs links `nodelete`.
pub(in crate::hw) fn stay_mapped() {
    #[cfg(target_os = "macos")]
    {
        let mut here = core::mem::MaybeUninit::<libc::Dl_info>::uninit();
        let address = ptr::from_ref(&HERE).cast();
        // SAFETY: if `dladdr` succeeds, it fills `here`, whose path is then a string of dyld's. The
        // handle is never closed and so keeps the image mapped.
        unsafe {
            if libc::dladdr(address, here.as_mut_ptr()) != 0 {
                let path = here.assume_init().dli_fname;
                libc::dlopen(path, libc::RTLD_NOW | libc::RTLD_NOLOAD | libc::RTLD_NODELETE);
            }
        }
    }
}

/// An address inside this library.
#[cfg(target_os = "macos")]
static HERE: u8 = 0;

/// See [`hw::end_process`](crate::hw::end_process).
#[cfg(feature = "faults")]
pub(in crate::hw) fn end_process(status: u8) -> ! {
    // SAFETY: only ends the process.
    unsafe { libc::_exit(status.into()) }
}
