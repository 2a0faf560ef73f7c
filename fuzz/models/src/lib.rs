//! The slow models of the tests (tests/model) as functions of bytes.

#[path = "../../../tests/model/mod.rs"]
mod model;

use model::book::{Block, Book, encrypt, expand};
use model::gf2_256::{Number, evaluate};
use model::{siv, xaes};

/// Ciphertext and tag of AES-GCM.
pub fn gcm(key: &[u8], nonce: &[u8; 12], aad: &[u8], text: &[u8]) -> (Vec<u8>, Block) {
    Book::new(key).seal(nonce, aad, text)
}

/// Ciphertext and tag of XAES-256-GCM.
pub fn xaes(key: &[u8], nonce: &[u8; 24], aad: &[u8], text: &[u8]) -> (Vec<u8>, Block) {
    xaes::seal(key, nonce, aad, text)
}

/// Ciphertext and tag of AES-GCM-SIV.
pub fn siv(key: &[u8], nonce: &[u8; 12], aad: &[u8], text: &[u8]) -> (Vec<u8>, Block) {
    siv::seal(key, nonce, aad, text)
}

/// The cipher on one block.
pub fn block(key: &[u8], block: Block) -> Block {
    encrypt(&expand(key), block)
}

/// The value at the point number `x` of a polynomial over GF(2^256), whose coefficients begin with that of power 0. All elements as
/// they are in shares.
pub fn evaluate_at(coefficients: &[[u8; 32]], x: u8) -> [u8; 32] {
    let coefficients: Vec<_> = coefficients.iter().map(|bytes| Number::of_bytes(bytes)).collect();
    evaluate(&coefficients, Number([u64::from(x), 0, 0, 0])).bytes()
}

/// The bytes of an element in the crate's form, as they are in shares.
pub fn in_a_share(halves: &[[u8; 16]; 2]) -> [u8; 32] {
    Number::of(halves).bytes()
}
