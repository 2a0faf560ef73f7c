//! A cap on detection, only in test builds: a machine with `vaes512` can run every test as a machine without `vaes512`.

use super::entry::Backend;
use super::list::ALL;
use crate::faults::CAP;
use crate::hw::end_process;
use std::ffi::OsStr;
use std::io::Write;
use std::sync::LazyLock;

/// The backends of this architecture, from the one that the environment variable names to the last; `none` leaves no backend.
/// The variable is read once, so that a later change cannot contradict earlier detection.
pub(super) static CAPPED: LazyLock<&[Backend]> = LazyLock::new(|| {
    let Some(cap) = std::env::var_os(CAP) else { return ALL };
    let first = if cap == "none" {
        Some(ALL.len())
    } else {
        ALL.iter().position(|backend| cap == backend.name)
    };
    first.and_then(|first| ALL.get(first..)).unwrap_or_else(|| unknown(&cap))
});

/// Ends the process because of an unknown name. Otherwise tests would run without the cap, and pass.
fn unknown(cap: &OsStr) -> ! {
    let sentence =
        format!("{CAP}={}: no backend of this architecture has that name\n", cap.display());
    // Not by `eprint!`, whose output the test harness captures.
    _ = std::io::stderr().write_all(sentence.as_bytes());
    // Without exit handlers: in the middle of a call, Node's handlers would crash.
    end_process(2)
}
