//! For Miri (checks/miri), which knows neither pages nor copies: memory of the allocator.

use core::ffi::c_void;
use core::ptr::NonNull;
use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::fs::File;

/// The length and the alignment of a page in bytes.
const PAGE: usize = 4096;

pub(in crate::hw) fn page_size() -> Option<usize> {
    Some(PAGE)
}

pub(in crate::hw) fn reserve(bytes: usize) -> Option<NonNull<c_void>> {
    let layout = Layout::from_size_align(bytes, PAGE).ok()?;
    // SAFETY: callers reserve at least a page.
    NonNull::new(unsafe { alloc_zeroed(layout) }.cast())
}

/// # Safety
/// As on Unix.
pub(in crate::hw) unsafe fn open(_: NonNull<c_void>, _: usize) -> bool {
    true
}

/// # Safety
/// As on Unix.
pub(in crate::hw) unsafe fn release(start: NonNull<c_void>, bytes: usize) {
    if let Ok(layout) = Layout::from_size_align(bytes, PAGE) {
        // SAFETY: the caller's promise; `reserve` took the same layout.
        unsafe { dealloc(start.as_ptr().cast(), layout) };
    }
}

/// # Safety
/// As on Unix.
pub(in crate::hw) unsafe fn leave_out_of_dumps(_: NonNull<c_void>, _: usize) -> bool {
    false
}

/// # Safety
/// As on Unix.
pub(in crate::hw) unsafe fn return_to_dumps(_: NonNull<c_void>) {}

/// # Safety
/// As on Unix.
pub(in crate::hw) unsafe fn lock(_: NonNull<c_void>, _: usize) -> bool {
    false
}

/// # Safety
/// As on Unix.
pub(in crate::hw) unsafe fn wipe_on_fork(_: NonNull<c_void>, _: usize) -> bool {
    false
}

pub(in crate::hw) fn on_fork(_: extern "C" fn()) {}

pub(in crate::hw) fn process_id() -> u32 {
    std::process::id()
}

pub(in crate::hw) fn open_device(_: &str) -> Option<File> {
    None
}

pub(in crate::hw) fn map_device(_: &File, _: usize) -> Option<NonNull<c_void>> {
    None
}

pub(in crate::hw) fn seconds() -> u64 {
    0
}

pub(in crate::hw) fn stay_mapped() {}
