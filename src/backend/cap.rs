//! A cap on detection, in test builds alone: a machine with `vaes512` runs every test as one without it would.

use super::entry::Backend;
use super::list::ALL;
use crate::faults::CAP;
use std::ffi::OsStr;
use std::io::Write;
use std::sync::LazyLock;

/// The backends of this architecture that are no better than the one that the environment names; `none` leaves no
/// backend. Read once, so that what was found stays true.
pub(super) static CAPPED: LazyLock<&[Backend]> = LazyLock::new(|| {
    let Some(cap) = std::env::var_os(CAP) else { return ALL };
    let first = if cap == "none" {
        Some(ALL.len())
    } else {
        ALL.iter().position(|backend| cap == backend.name)
    };
    first.and_then(|first| ALL.get(first..)).unwrap_or_else(|| unknown(&cap))
});

/// Tests that ran uncapped after all would pass, so a name that is unknown ends the process.
fn unknown(cap: &OsStr) -> ! {
    let sentence =
        format!("{CAP}={}: no backend of this architecture has that name\n", cap.display());
    // Not printed: the test harness keeps that to itself.
    _ = std::io::stderr().write_all(sentence.as_bytes());
    // SAFETY: ends the process, without the handlers of an exit: in the middle of a call, Node's would crash it.
    unsafe { libc::_exit(2) }
}
