//! XAES-256-GCM as its specification (C2SP XAES-256-GCM v1) writes it, over the book's AES and AES-GCM.

use super::book::{Block, Book, encrypt, expand};

/// The specification's steps for one message: K1 of CMAC, the derived key, and AES-256-GCM.
pub(crate) fn seal(key: &[u8], nonce: &[u8; 24], aad: &[u8], text: &[u8]) -> (Vec<u8>, Block) {
    let round_keys = expand(key);
    let l = u128::from_be_bytes(encrypt(&round_keys, [0; 16]));
    let k1 = (l << 1) ^ if l >> 127 == 1 { 0b1000_0111 } else { 0 };
    let half = |counter: u8| {
        let block = [&[0, counter, b'X', 0], &nonce[..12]].concat();
        let block = u128::from_be_bytes(block.try_into().unwrap()) ^ k1;
        encrypt(&round_keys, block.to_be_bytes())
    };
    let derived = [half(1), half(2)].concat();
    Book::new(&derived).seal(nonce.last_chunk().unwrap(), aad, text)
}
