//! The generator, its sources of entropy, and the salts that it gives to frames. A program of its own, since its tests
//! renew the generation, on which all keys of a process depend.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
#![allow(clippy::indexing_slicing, reason = "an index out of range fails the test")]

#[path = "../common/mod.rs"]
mod common;
#[path = "../model/mod.rs"]
mod model;

mod entropy;
mod random;
mod salt;
