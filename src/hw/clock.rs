//! A clock that takes only nanoseconds to read, and is as coarse as a scheduler's tick.

#[cfg(target_os = "linux")]
const CLOCK: libc::clockid_t = libc::CLOCK_MONOTONIC_COARSE;
#[cfg(target_os = "macos")]
const CLOCK: libc::clockid_t = libc::CLOCK_MONOTONIC_RAW_APPROX;

/// Whole seconds since a fixed moment; never goes back. 0 where the system gives no time.
pub fn seconds() -> u64 {
    let mut now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `now` is ours to fill.
    let status = unsafe { libc::clock_gettime(CLOCK, &mut now) };
    if status == 0 { u64::try_from(now.tv_sec).unwrap_or(0) } else { 0 }
}
