//! Windows 10 and later, by functions of kernel32, declared here as its headers declare them.

use core::ffi::{CStr, c_void};
use core::ptr::{self, NonNull};
use std::fs::File;
use std::sync::{Mutex, PoisonError};

const MEM_COMMIT: u32 = 0x1000;
const MEM_RESERVE: u32 = 0x2000;
const MEM_RELEASE: u32 = 0x8000;
const PAGE_NOACCESS: u32 = 0x01;
const PAGE_READWRITE: u32 = 0x04;
/// GET_MODULE_HANDLE_EX_FLAG_PIN, and GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS.
const PIN_BY_ADDRESS: u32 = 0x1 | 0x4;

/// SYSTEM_INFO.
#[repr(C)]
struct SystemInfo {
    architecture: u32,
    page_size: u32,
    lowest: usize,
    highest: usize,
    processors: usize,
    count: u32,
    kind: u32,
    granularity: u32,
    level: u16,
    revision: u16,
}

#[link(name = "kernel32")]
unsafe extern "system" {
    fn GetCurrentProcess() -> *mut c_void;
    fn GetModuleHandleExW(flags: u32, name: *const c_void, module: *mut *mut c_void) -> i32;
    fn GetModuleHandleW(name: *const u16) -> *mut c_void;
    fn GetProcAddress(module: *mut c_void, name: *const core::ffi::c_char) -> *const c_void;
    fn GetProcessWorkingSetSize(process: *mut c_void, least: &mut usize, most: &mut usize) -> i32;
    fn GetSystemInfo(info: &mut SystemInfo);
    fn GetTickCount64() -> u64;
    fn SetProcessWorkingSetSize(process: *mut c_void, least: usize, most: usize) -> i32;
    #[cfg(feature = "faults")]
    fn TerminateProcess(process: *mut c_void, status: u32) -> i32;
    fn VirtualAlloc(at: *mut c_void, bytes: usize, kind: u32, access: u32) -> *mut c_void;
    fn VirtualFree(at: *mut c_void, bytes: usize, kind: u32) -> i32;
    fn VirtualLock(at: *mut c_void, bytes: usize) -> i32;
}

/// The length of a page in bytes.
pub(in crate::hw) fn page_size() -> Option<usize> {
    let mut info = SystemInfo {
        architecture: 0,
        page_size: 0,
        lowest: 0,
        highest: 0,
        processors: 0,
        count: 0,
        kind: 0,
        granularity: 0,
        level: 0,
        revision: 0,
    };
    // SAFETY: `info` is ours to fill.
    unsafe { GetSystemInfo(&mut info) };
    Some(info.page_size as usize)
}

/// New addresses that may not be accessed, at least `bytes`; `None` if the system has none.
pub(in crate::hw) fn reserve(bytes: usize) -> Option<NonNull<c_void>> {
    // SAFETY: new addresses, wherever the system wants them.
    NonNull::new(unsafe { VirtualAlloc(ptr::null_mut(), bytes, MEM_RESERVE, PAGE_NOACCESS) })
}

/// Backs addresses with memory, and returns whether the system does. It is zero at first.
///
/// # Safety
/// `bytes` at `first` are whole pages of one [`reserve`].
pub(in crate::hw) unsafe fn open(first: NonNull<c_void>, bytes: usize) -> bool {
    // SAFETY: the caller's promise.
    unsafe { !VirtualAlloc(first.as_ptr(), bytes, MEM_COMMIT, PAGE_READWRITE).is_null() }
}

/// Gives addresses and their memory back to the system, and with them the locks.
///
/// # Safety
/// `start` is the start of one [`reserve`], which is not used from here on.
pub(in crate::hw) unsafe fn release(start: NonNull<c_void>, _bytes: usize) {
    // SAFETY: the caller's promise.
    unsafe { VirtualFree(start.as_ptr(), 0, MEM_RELEASE) };
}

/// Leaves pages out of the dumps of Windows Error Reporting, which keeps 512 such blocks of a
/// process, and returns whether the system does so. Windows has the function since version 10 1703.
///
/// # Safety
/// `bytes` at `first` are whole pages that were opened.
pub(in crate::hw) unsafe fn leave_out_of_dumps(first: NonNull<c_void>, bytes: usize) -> bool {
    type Exclude = unsafe extern "system" fn(*const c_void, u32) -> i32;
    let Some(exclude) = optional(c"WerRegisterExcludedMemoryBlock") else { return false };
    // SAFETY: the type of this function.
    let exclude: Exclude = unsafe { core::mem::transmute(exclude) };
    let Ok(bytes) = u32::try_from(bytes) else { return false };
    // SAFETY: the caller's promise; this changes dumps alone. A negative HRESULT is a failure.
    unsafe { exclude(first.as_ptr(), bytes) >= 0 }
}

/// Undoes [`leave_out_of_dumps`] before pages are released.
///
/// # Safety
/// As for `leave_out_of_dumps`.
pub(in crate::hw) unsafe fn return_to_dumps(first: NonNull<c_void>) {
    type Include = unsafe extern "system" fn(*const c_void) -> i32;
    let Some(include) = optional(c"WerUnregisterExcludedMemoryBlock") else { return };
    // SAFETY: the type of this function.
    let include: Include = unsafe { core::mem::transmute(include) };
    // SAFETY: the caller's promise.
    unsafe { include(first.as_ptr()) };
}

/// A function of kernel32 that older versions of Windows lack.
fn optional(name: &CStr) -> Option<NonNull<c_void>> {
    let kernel32 = b"kernel32\0".map(u16::from);
    // SAFETY: both names end with zero, and kernel32 is never unloaded.
    let found = unsafe {
        let module = GetModuleHandleW(kernel32.as_ptr());
        if module.is_null() { ptr::null() } else { GetProcAddress(module, name.as_ptr()) }
    };
    NonNull::new(found.cast_mut())
}

/// Locks pages into RAM, and returns whether the system did. A process may lock about as much as
/// its minimum working set, at first some 200 KiB: where the system refuses, the minimum is raised
/// by `bytes` for one more try, and put back if that fails too.
///
/// # Safety
/// `bytes` at `first` are whole pages that were opened.
pub(in crate::hw) unsafe fn lock(first: NonNull<c_void>, bytes: usize) -> bool {
    /// Two threads that raised the minimum at once would raise it by only one of their numbers, and
    /// a thread that locks next to them would take what they gained.
    static LOCKING: Mutex<()> = Mutex::new(());
    let _turn = LOCKING.lock().unwrap_or_else(PoisonError::into_inner);
    // SAFETY: the caller's promise.
    let granted = || unsafe { VirtualLock(first.as_ptr(), bytes) != 0 };
    if granted() {
        return true;
    }
    let (mut least, mut most) = (0, 0);
    // SAFETY: a constant for this process.
    let process = unsafe { GetCurrentProcess() };
    // SAFETY: the numbers are ours to fill.
    if unsafe { GetProcessWorkingSetSize(process, &mut least, &mut most) } == 0 {
        return false;
    }
    // SAFETY: changes only how much memory of this process stays in RAM.
    let keep = |least, most| unsafe { SetProcessWorkingSetSize(process, least, most) != 0 };
    if !keep(least.saturating_add(bytes), most.saturating_add(bytes)) {
        return false;
    }
    let locked = granted();
    if !locked {
        keep(least, most);
    }
    locked
}

/// Windows has no `fork`.
///
/// # Safety
/// The caller need not promise anything.
pub(in crate::hw) unsafe fn wipe_on_fork(_first: NonNull<c_void>, _bytes: usize) -> bool {
    false
}

/// Windows has no `fork`.
pub(in crate::hw) fn on_fork(_handler: extern "C" fn()) {}

/// The process id. Windows has no `fork`; copies by inner calls of the system were not tried.
pub(in crate::hw) fn process_id() -> u32 {
    std::process::id()
}

/// No device of Windows is known to count restores.
pub(in crate::hw) fn open_device(_path: &str) -> Option<File> {
    None
}

/// As [`open_device`].
pub(in crate::hw) fn map_device(_file: &File, _bytes: usize) -> Option<NonNull<c_void>> {
    None
}

/// See [`clock::seconds`](crate::hw::clock::seconds).
pub(in crate::hw) fn seconds() -> u64 {
    // SAFETY: reads a number from the system.
    unsafe { GetTickCount64() / 1000 }
}

/// See [`pin::stay_mapped`](crate::hw::pin::stay_mapped).
pub(in crate::hw) fn stay_mapped() {
    /// An address inside this library.
    static HERE: u8 = 0;
    let mut module = ptr::null_mut();
    // SAFETY: with these flags, the name is an address, and `module` is ours to fill.
    unsafe { GetModuleHandleExW(PIN_BY_ADDRESS, ptr::from_ref(&HERE).cast(), &mut module) };
}

/// See [`hw::end_process`](crate::hw::end_process).
#[cfg(feature = "faults")]
pub(in crate::hw) fn end_process(status: u8) -> ! {
    // SAFETY: only ends the process.
    unsafe { TerminateProcess(GetCurrentProcess(), status.into()) };
    std::process::abort()
}
