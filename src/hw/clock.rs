//! Time that costs nanoseconds to ask for, and is as coarse as a scheduler's tick.

#[cfg(target_os = "linux")]
const CLOCK: libc::clockid_t = libc::CLOCK_MONOTONIC_COARSE;
#[cfg(target_os = "macos")]
const CLOCK: libc::clockid_t = libc::CLOCK_MONOTONIC_RAW_APPROX;

/// Whole seconds since some moment of the machine's. Never goes back; 0 where the machine does not tell.
pub fn seconds() -> u64 {
    let mut now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `now` is ours to fill.
    let told = unsafe { libc::clock_gettime(CLOCK, &mut now) };
    if told == 0 { u64::try_from(now.tv_sec).unwrap_or(0) } else { 0 }
}
