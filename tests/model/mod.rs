//! A portable oracle for the tests: AES-GCM by the book, a second multiply, registers that are arrays, and the
//! answers others published. Nothing here uses an intrinsic or a line of `src/kernel`.
#![allow(dead_code, reason = "each test binary takes what it needs")]
#![allow(clippy::indexing_slicing, reason = "an index out of range fails the test")]
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

pub(crate) mod answers;
pub(crate) mod book;
pub(crate) mod generator;
pub(crate) mod multiply;
pub(crate) mod soft;
