//! AES-GCM in place, where every AES round and every GF(2^128) multiplication is a CPU instruction.
//!
//! ```text
//! node ─▶ protocol ─▶ key ─▶ rng ─▶ backend ─▶ hw, kernel ─▶ lanes
//! ```
//!
//! A module may name every module to its right, and no module to its left. Every module except
//! `kernel` and `lanes` may also name `secret` and `error`; `hw`, `backend` and `node` also name
//! `faults`. `tests/layers.rs` reads the imports and fails where one breaks this rule.
//!
//! `unsafe` is allowed only in `backend` (instructions), `hw` (the machine) and `node`
//! (JavaScript's memory). A comment at every block says which code guarantees its conditions.

pub mod backend;
pub mod error;
#[cfg(feature = "faults")]
pub mod faults;
pub mod hw;
pub mod kernel;
pub mod key;
pub mod lanes;
#[cfg(feature = "node")]
mod node;
pub mod protocol;
pub mod rng;
pub mod secret;
