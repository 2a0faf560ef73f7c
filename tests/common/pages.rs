//! Memory of a test, with parts that may not be accessed.
#![allow(unused_imports, reason = "each test binary uses a part of this")]
#![expect(unsafe_code, reason = "calls of the system")]

pub(crate) use system::{is_mapped, may_read, open, reserve};

#[cfg(unix)]
mod system {
    use crate::common::process::in_a_child;
    use std::ptr::null_mut;

    /// New addresses that may not be accessed, never unmapped; `None` where the system has no room for them.
    pub(crate) fn reserve(bytes: usize) -> Option<*mut u8> {
        let flags = libc::MAP_PRIVATE | libc::MAP_ANON | libc::MAP_NORESERVE;
        // SAFETY: a new mapping, wherever the system has room.
        let base = unsafe { libc::mmap(null_mut(), bytes, libc::PROT_NONE, flags, -1, 0) };
        (base != libc::MAP_FAILED).then_some(base.cast())
    }

    /// Lets `bytes` at `at` be read and written. They are zero.
    ///
    /// # Safety
    /// Whole pages of one [`reserve`].
    pub(crate) unsafe fn open(at: *mut u8, bytes: usize) {
        // SAFETY: the caller's promise.
        let done = unsafe { libc::mprotect(at.cast(), bytes, libc::PROT_READ | libc::PROT_WRITE) };
        assert_eq!(done, 0);
    }

    /// Whether a byte may be read: a signal ends a child that reads a forbidden one.
    pub(crate) fn may_read(at: *const u8) -> bool {
        let ended = in_a_child(|| {
            let none = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
            // SAFETY: a limit of the child only; a signal that the test expects needs no core file.
            unsafe { libc::setrlimit(libc::RLIMIT_CORE, &raw const none) };
            // SAFETY: not guaranteed; the test looks for the signal.
            unsafe { at.read_volatile() };
            0
        });
        ended.is_ok()
    }

    /// Whether the page that begins at `at` belongs to any mapping.
    pub(crate) fn is_mapped(at: *const u8) -> bool {
        // SAFETY: flushes nothing; only asks whether the page exists.
        unsafe { libc::msync(at.cast_mut().cast(), 1, libc::MS_ASYNC) == 0 }
    }
}

#[cfg(windows)]
mod system {
    use std::ffi::c_void;
    use std::mem::MaybeUninit;
    use std::ptr::null_mut;

    /// MEMORY_BASIC_INFORMATION.
    #[repr(C)]
    struct Information {
        base: *mut c_void,
        allocation: *mut c_void,
        allocation_access: u32,
        partition: u16,
        bytes: usize,
        state: u32,
        access: u32,
        kind: u32,
    }

    const MEM_COMMIT: u32 = 0x1000;
    const MEM_RESERVE: u32 = 0x2000;
    const MEM_FREE: u32 = 0x10000;
    const PAGE_NOACCESS: u32 = 0x01;
    const PAGE_READWRITE: u32 = 0x04;

    #[link(name = "kernel32")]
    unsafe extern "system" {
        fn VirtualAlloc(at: *mut c_void, bytes: usize, kind: u32, access: u32) -> *mut c_void;
        fn VirtualQuery(at: *const c_void, to: *mut Information, bytes: usize) -> usize;
    }

    pub(crate) fn reserve(bytes: usize) -> Option<*mut u8> {
        // SAFETY: new addresses, wherever the system has room.
        let base = unsafe { VirtualAlloc(null_mut(), bytes, MEM_RESERVE, PAGE_NOACCESS) };
        (!base.is_null()).then_some(base.cast())
    }

    /// # Safety
    /// Whole pages of one [`reserve`].
    pub(crate) unsafe fn open(at: *mut u8, bytes: usize) {
        // SAFETY: the caller's promise.
        let opened = unsafe { VirtualAlloc(at.cast(), bytes, MEM_COMMIT, PAGE_READWRITE) };
        assert!(!opened.is_null());
    }

    /// By the system's account: Wine's ReadProcessMemory also reads forbidden pages.
    pub(crate) fn may_read(at: *const u8) -> bool {
        let found = query(at);
        found.state == MEM_COMMIT && found.access == PAGE_READWRITE
    }

    pub(crate) fn is_mapped(at: *const u8) -> bool {
        query(at).state != MEM_FREE
    }

    fn query(at: *const u8) -> Information {
        let mut found = MaybeUninit::<Information>::uninit();
        // SAFETY: `found` is ours to fill, and is filled if the call succeeds.
        unsafe {
            let filled = VirtualQuery(at.cast(), found.as_mut_ptr(), size_of::<Information>());
            assert!(filled > 0);
            found.assume_init()
        }
    }
}
