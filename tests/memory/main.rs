//! Pages of keys as the kernel reports them: guarded, locked, left out of dumps, unmapped with the last key; and usable
//! without the right to lock memory.
//!
//! A program of its own, since it forks, and some of its children must end by a signal.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
#![allow(clippy::indexing_slicing, reason = "an index out of range fails the test")]
#![allow(unsafe_code, reason = "limits of a child, and reads of forbidden pages")]

/// The kernel of macOS does not report flags of memory.
#[cfg(target_os = "macos")]
fn main() {}

#[cfg(not(target_os = "macos"))]
#[path = "../common/mod.rs"]
mod common;

/// Windows has no children that a test could limit, so a caller of this program asks for these cases: `refused` where the
/// system refuses every lock, and `guard`, in which the program must end by an access violation. See checks/wine/rust.sh.
#[cfg(windows)]
fn main() {
    match std::env::args().nth(1).as_deref() {
        Some("refused") => windows::keys_work_where_the_system_refuses_to_lock(),
        Some("guard") => windows::read_a_guard(),
        _ => {
            windows::every_page_is_guarded();
            windows::keys_are_locked();
            windows::the_last_key_gives_its_pages_back();
            windows::pages_are_zero_when_their_addresses_are_used_again();
            #[cfg(feature = "faults")]
            windows::keys_work_unlocked();
        }
    }
}

#[cfg(windows)]
mod windows;

#[cfg(target_os = "linux")]
fn main() {
    linux::every_page_is_guarded();
    linux::keys_are_locked_and_left_out_of_dumps();
    linux::the_last_key_unmaps_its_pages();
    linux::keys_work_without_the_right_to_lock();
    linux::a_child_has_the_keys_and_no_locks();
    linux::an_arena_that_has_no_memory_is_refused();
}

#[cfg(target_os = "linux")]
mod linux;
