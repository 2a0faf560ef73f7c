//! Keys, arenas and the cipher on every backend. One program, since these tests need no processes of their own, and linking
//! a program for each file takes longer than running all tests. checks/wine/rust.sh says why one is not for Windows.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
#![allow(clippy::indexing_slicing, reason = "an index out of range fails the test")]

#[path = "../common/mod.rs"]
mod common;
#[path = "../model/mod.rs"]
mod model;

mod agree;
mod arena;
#[cfg(not(windows))]
mod arrays;
mod base64url;
mod batch;
mod batch_limits;
mod blocks;
mod chunks;
mod corrupted;
mod counters;
mod cpu;
mod derived;
mod field;
mod field_axioms;
mod guard;
mod jobs;
mod limits;
mod oracle;
mod packet;
mod packet_keys;
mod packets;
mod pieces;
mod planted;
mod products;
mod properties;
mod sealed;
mod shares;
mod siv;
mod splits;
mod statistics;
mod tamper;
mod toolong;
mod wycheproof;
mod xaes;

/// The narrowest shape, and one of four blocks: odd and even widths take different ways through the kernel. The compiler takes seconds
/// for each, and tests/shapes has the others.
#[cfg(not(windows))]
const SHAPES: &[fn(&agree::Case)] =
    &[arrays::check_kernel::<1, 1, 2>, arrays::check_kernel::<4, 4, 17>];
