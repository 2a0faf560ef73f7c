//! AES-GCM-SIV as RFC 8452 writes it, over the book's AES: bits of POLYVAL one at a time.

use super::book::{Block, encrypt, expand};

/// The product of two elements, times x^-128 (section 3). Bit i of a number is the coefficient of x^i.
fn dot(a: u128, b: u128) -> u128 {
    let (mut product, mut power) = (0, b);
    // b·x^-128 first: a division by x adds the polynomial where the constant term is set.
    for _ in 0..128 {
        let carry = power & 1;
        power = power >> 1 ^ if carry == 1 { 1 << 127 | 1 << 126 | 1 << 125 | 1 << 120 } else { 0 };
    }
    for i in 0..128 {
        if a >> i & 1 == 1 {
            product ^= power;
        }
        let carry = power >> 127;
        power = power << 1 ^ if carry == 1 { 0xc2 << 120 | 1 } else { 0 };
    }
    product
}

/// POLYVAL (section 3) of strings, each padded to whole blocks.
pub(crate) fn polyval(key: Block, strings: &[&[u8]]) -> Block {
    let blocks = strings.iter().flat_map(|string| string.chunks(16));
    let hash = blocks.fold(0, |sum, bytes| {
        let mut block = [0; 16];
        block[..bytes.len()].copy_from_slice(bytes);
        dot(sum ^ u128::from_le_bytes(block), u128::from_le_bytes(key))
    });
    hash.to_le_bytes()
}

/// The keys of a nonce (section 4): for authentication, and for encryption.
fn derive(key: &[u8], nonce: &[u8; 12]) -> (Block, Vec<u8>) {
    let round_keys = expand(key);
    let half = |counter: u32| {
        let block = [&counter.to_le_bytes()[..], nonce].concat();
        encrypt(&round_keys, block.try_into().unwrap())[..8].to_vec()
    };
    let halves: Vec<_> = (0..2 + key.len() as u32 / 8).map(half).collect();
    (halves[..2].concat().try_into().unwrap(), halves[2..].concat())
}

/// The tag of a plaintext (section 4).
fn tag(keys: &(Block, Vec<u8>), nonce: &[u8; 12], aad: &[u8], text: &[u8]) -> Block {
    let bits = |bytes: &[u8]| (bytes.len() as u64 * 8).to_le_bytes();
    let lengths = [bits(aad), bits(text)].concat();
    let mut sum = polyval(keys.0, &[aad, text, &lengths]);
    for (sum, nonce) in sum.iter_mut().zip(nonce) {
        *sum ^= nonce;
    }
    sum[15] &= 0x7f;
    encrypt(&expand(&keys.1), sum)
}

/// AES-CTR of section 4: the first four bytes count, little-endian.
fn counter_mode(key: &[u8], tag: &Block, text: &[u8]) -> Vec<u8> {
    let (round_keys, mut block) = (expand(key), *tag);
    block[15] |= 0x80;
    let mut out = Vec::with_capacity(text.len());
    for bytes in text.chunks(16) {
        let stream = encrypt(&round_keys, block);
        out.extend(bytes.iter().zip(stream).map(|(byte, stream)| byte ^ stream));
        let counter = u32::from_le_bytes(*block.first_chunk().unwrap()).wrapping_add(1);
        block[..4].copy_from_slice(&counter.to_le_bytes());
    }
    out
}

/// Ciphertext and tag (section 4).
pub(crate) fn seal(key: &[u8], nonce: &[u8; 12], aad: &[u8], text: &[u8]) -> (Vec<u8>, Block) {
    let keys = derive(key, nonce);
    let tag = tag(&keys, nonce, aad, text);
    (counter_mode(&keys.1, &tag, text), tag)
}

/// Whether the ciphertext is authentic, and the plaintext that its tag decrypts it to (section 5).
pub(crate) fn open(
    key: &[u8],
    nonce: &[u8; 12],
    aad: &[u8],
    ciphertext: &[u8],
    given: &Block,
) -> (bool, Vec<u8>) {
    let keys = derive(key, nonce);
    let text = counter_mode(&keys.1, given, ciphertext);
    (tag(&keys, nonce, aad, &text) == *given, text)
}
