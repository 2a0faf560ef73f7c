//! Protocols over keys.

pub mod packet;
pub mod shamir;
