//! Protocols over keys.

pub mod base64url;
pub mod chunks;
pub mod packet;
pub mod sealed;
pub mod shamir;
pub mod utf8;
