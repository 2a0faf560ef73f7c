//! AES-GCM in place, every AES round and every GF(2^128) multiply one CPU instruction. The map of the crate.
//!
//! ```text
//! node ─▶ key ─▶ rng ─▶ backend ─▶ hw, kernel ─▶ lanes
//! ```
//!
//! Arrows point down and may skip layers, never up; `secret` and `error` may be named by every layer but
//! `kernel` and `lanes`, and nothing names `node`. `tests/layers.rs` reads the imports and holds this.
//!
//! `unsafe` lives in `backend` (instructions), `hw` (the machine) and `node` (JavaScript's memory) alone; every block says
//! who proved what.

/// Which instructions run: detection, dispatch and the register types behind it.
pub mod backend;
/// Every reason a call can fail, and no more.
pub mod error;
/// Switches for tests, in no build that is published.
#[cfg(feature = "faults")]
pub mod faults;
/// Facts about the machine that are not arithmetic.
pub mod hw;
/// The algorithms, written once over [`lanes::Lanes`].
pub mod kernel;
/// A key in use: its memory, its nonces, its limits.
pub mod key;
/// The vocabulary a backend speaks.
pub mod lanes;
/// Random bytes.
pub mod rng;
/// Key bytes that are wiped on drop and never printed.
pub mod secret;

/// The Node-API boundary.
#[cfg(feature = "node")]
mod node;
