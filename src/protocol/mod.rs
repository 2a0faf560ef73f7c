//! Protocols over keys.

pub mod chunks;
pub mod packet;
pub mod shamir;
