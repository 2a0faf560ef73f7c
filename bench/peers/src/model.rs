//! The tests' plain implementations: a reference for the rooflines, and a baseline without special instructions.
#![allow(dead_code, reason = "the tests use more of them")]

#[path = "../../../tests/model/book.rs"]
pub mod book;
#[path = "../../../tests/model/multiply.rs"]
pub mod multiply;

/// GHASH of whole blocks by the portable multiply "with holes".
pub fn ghash(h: u128, data: &[u8]) -> u128 {
    let blocks = data.as_chunks().0.iter();
    blocks.fold(0, |y, block| multiply::field(y ^ u128::from_be_bytes(*block), h))
}
