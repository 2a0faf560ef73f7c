//! The calls of the operating system, under the same names on every system.
//!
//! - Memory: `page_size`, `reserve`, `open`, `lock`, `leave_out_of_dumps`, its inverse, `release`.
//! - Copies of the process: `wipe_on_fork`, `on_fork`, `process_id`, `open_device`, `map_device`.
//! - `seconds`, `stay_mapped`, `end_process`.

#[cfg(miri)]
mod miri;
#[cfg(all(unix, not(miri)))]
mod unix;
#[cfg(windows)]
mod windows;

#[cfg(miri)]
pub(super) use miri::*;
#[cfg(all(unix, not(miri)))]
pub(super) use unix::*;
#[cfg(windows)]
pub(super) use windows::*;
