//! The algorithms, written once over [`Lanes`](crate::lanes::Lanes): no `unsafe`, no `cfg`, no allocation, no panic, no
//! policy.
//!
//! Every function is `#[inline(always)]`, so that it is compiled inside a backend's entry point, with that backend's
//! instructions. `S` is the number of registers that go through the cipher together; `S` registers of blocks are a group.

pub mod aes;
pub mod ctr;
pub mod gcm;
pub mod ghash;
pub mod state;
