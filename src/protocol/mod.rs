//! Protocols over keys.

pub mod packet;
