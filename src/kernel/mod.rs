//! The algorithms, written once over [`Lanes`](crate::lanes::Lanes): no `unsafe`, no `cfg`, no
//! allocation, panic or policy.
//!
//! Every function is `#[inline(always)]`, so each backend compiles it inside its entry points. The
//! `S` registers that go through AES together are a group; each backend chooses its `S`.

pub mod absorb;
pub mod aes;
pub mod base64url;
pub mod crypt;
pub mod ctr;
pub mod gcm;
pub mod gf2_256;
pub mod ghash;
pub mod groups;
pub mod hash;
pub mod pair;
pub mod products;
pub mod siv;
pub mod state;
pub mod xaes;
