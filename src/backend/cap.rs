//! A cap on detection, in test builds alone: a machine runs tests as one without its best backends.

use super::entry::Backend;
use super::list::ALL;
use crate::faults::CAP;
use crate::hw::end_process;
use std::ffi::OsStr;
use std::io::Write;
use std::sync::LazyLock;

/// The backends of this architecture, from the one that the environment variable names to the last;
/// none for `none`. Read once, so no later change contradicts earlier detection.
pub(super) static CAPPED: LazyLock<&[Backend]> = LazyLock::new(|| {
    let Some(cap) = std::env::var_os(CAP) else { return ALL };
    let first = if cap == "none" {
        Some(ALL.len())
    } else {
        ALL.iter().position(|backend| cap == backend.name)
    };
    first.and_then(|first| ALL.get(first..)).unwrap_or_else(|| unknown(&cap))
});

/// Ends the process because of an unknown name. Otherwise tests would run uncapped, and pass.
fn unknown(cap: &OsStr) -> ! {
    let sentence =
        format!("{CAP}={}: no backend of this architecture has that name\n", cap.display());
    // Not by `eprint!`, whose output the test harness captures.
    _ = std::io::stderr().write_all(sentence.as_bytes());
    // Without exit handlers: in the middle of a call, Node's handlers would crash.
    end_process(2)
}
