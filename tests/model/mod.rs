//! A portable oracle for the tests: AES-GCM by the standards ("the book"), a second multiply, registers that are arrays,
//! and published answers. No code here uses an intrinsic or `src/kernel`.
#![allow(dead_code, reason = "each test binary uses a part of this")]
#![allow(clippy::indexing_slicing, reason = "an index out of range fails the test")]
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

pub(crate) mod answers;
pub(crate) mod book;
pub(crate) mod generator;
pub(crate) mod gf2_256;
pub(crate) mod holes;
pub(crate) mod multiply;
pub(crate) mod siv;
pub(crate) mod soft;
pub(crate) mod xaes;
