//! Whether time depends on secrets, measured: constant-time [--quick] [--only TEXT]
//!
//!   --quick       100 000 measurements of each case instead of 1 000 000
//!   --only TEXT   only the cases whose names contain TEXT, and the controls
//!
//! Every case has two classes of inputs, measured in random order in the same memory after the same preparation. Welch's t tells whether
//! their times differ. A case fails above 10, or above 4.5 in three measurements of its own; a control must come out above 10.
//! `npm run bench -- --constant-time` runs this. It takes about a minute after the build, with --quick ten seconds. For x86-64.
#![allow(missing_docs, reason = "a program")]
#![allow(clippy::panic, reason = "a benchmark that cannot go on ends")]
#![allow(clippy::indexing_slicing, reason = "an index out of range ends the benchmark")]

#[cfg(target_arch = "x86_64")]
#[path = "../../tests/common/mod.rs"]
mod common;
#[cfg(target_arch = "x86_64")]
mod messages;
#[cfg(target_arch = "x86_64")]
mod others;
#[cfg(target_arch = "x86_64")]
mod run;
#[cfg(target_arch = "x86_64")]
#[expect(unsafe_code, reason = "reads the time stamp counter")]
mod welch;

#[cfg(target_arch = "x86_64")]
fn main() -> std::process::ExitCode {
    run::main()
}

/// The generic timer of arm64 counts in steps of many cycles.
#[cfg(not(target_arch = "x86_64"))]
fn main() -> std::process::ExitCode {
    eprintln!("constant-time: measures with the time stamp counter of x86-64.");
    std::process::ExitCode::FAILURE
}
