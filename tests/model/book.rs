//! AES, GHASH and AES-GCM as the standards write them, a byte or a bit at a time, so that a reader can check each function
//! against the section that it names: FIPS 197 (2023) for the cipher, SP 800-38D for the mode.

use std::array::from_fn;

/// Sixteen bytes.
pub(crate) type Block = [u8; 16];

/// The product in GF(2^8) modulo x^8 + x^4 + x^3 + x + 1 (FIPS 197 4.2).
const fn times(mut a: u8, mut b: u8) -> u8 {
    let mut product = 0;
    while b != 0 {
        if b & 1 == 1 {
            product ^= a;
        }
        a = (a << 1) ^ if a >> 7 == 1 { 0x1b } else { 0 };
        b >>= 1;
    }
    product
}

/// SubBytes of one byte: the inverse, which is a^254 (4.4), then the affine map (5.1.1).
const fn substitute(a: u8) -> u8 {
    let (mut square, mut inverse, mut i) = (a, 1, 0);
    while i < 7 {
        square = times(square, square);
        inverse = times(inverse, square);
        i += 1;
    }
    let turned = inverse.rotate_left(1) ^ inverse.rotate_left(2);
    inverse ^ turned ^ turned.rotate_left(2) ^ 0x63
}

/// [`substitute`] of every byte, so that a sweep over thousands of lengths takes seconds.
static SUBSTITUTED: [u8; 256] = {
    let (mut table, mut i) = ([0; 256], 0);
    while i < 256 {
        table[i] = substitute(i as u8);
        i += 1;
    }
    table
};

/// SubBytes (5.1.1); SUBWORD (5.2) where `N` is 4.
pub(crate) fn sub_bytes<const N: usize>(bytes: [u8; N]) -> [u8; N] {
    bytes.map(|byte| SUBSTITUTED[usize::from(byte)])
}

/// ShiftRows (5.1.2): row r of the state is bytes r, r + 4, r + 8, r + 12.
fn shift_rows(state: Block) -> Block {
    from_fn(|i| state[(i + 4 * (i % 4)) % 16])
}

/// MixColumns (5.1.3).
fn mix_columns(state: Block) -> Block {
    from_fn(|i| {
        let row = |down: usize| state[i / 4 * 4 + (i + down) % 4];
        times(row(0), 2) ^ times(row(1), 3) ^ row(2) ^ row(3)
    })
}

/// AddRoundKey (5.1.4), and every other sum of blocks.
pub(crate) fn xor<const N: usize>(a: [u8; N], b: [u8; N]) -> [u8; N] {
    from_fn(|i| a[i] ^ b[i])
}

/// One round of CIPHER but the last (5.1, algorithm 1).
pub(crate) fn round(state: Block, round_key: Block) -> Block {
    xor(mix_columns(shift_rows(sub_bytes(state))), round_key)
}

/// The last round of CIPHER.
pub(crate) fn last_round(state: Block, round_key: Block) -> Block {
    xor(shift_rows(sub_bytes(state)), round_key)
}

/// KEYEXPANSION (5.2, algorithm 2) of 16 or 32 bytes, as round keys.
pub(crate) fn expand(key: &[u8]) -> Vec<Block> {
    let mut words = key.as_chunks::<4>().0.to_vec();
    let (length, mut constant) = (words.len(), 1);
    for i in length..4 * (length + 7) {
        let mut word = words[i - 1];
        if i % length == 0 {
            word.rotate_left(1);
            word = xor(sub_bytes(word), [constant, 0, 0, 0]);
            constant = times(constant, 2);
        } else if length > 6 && i % length == 4 {
            word = sub_bytes(word);
        }
        words.push(xor(words[i - length], word));
    }
    words.as_flattened().as_chunks::<16>().0.to_vec()
}

/// CIPHER (5.1, algorithm 1).
pub(crate) fn encrypt(round_keys: &[Block], block: Block) -> Block {
    let last = round_keys.len() - 1;
    let state = xor(block, round_keys[0]);
    last_round(round_keys[1..last].iter().copied().fold(state, round), round_keys[last])
}

/// X • Y (SP 800-38D 6.3, algorithm 1): bit 0 of a block is its leftmost, the top bit here.
pub(crate) fn multiply(x: u128, y: u128) -> u128 {
    let r = 0xe1 << 120;
    let (mut z, mut v) = (0, y);
    for i in 0..128 {
        if x >> (127 - i) & 1 == 1 {
            z ^= v;
        }
        v = if v & 1 == 0 { v >> 1 } else { (v >> 1) ^ r };
    }
    z
}

/// AES-GCM under one key, for 96-bit IVs and 128-bit tags.
pub(crate) struct Book {
    pub(crate) round_keys: Vec<Block>,
    /// The hash subkey H (7.1, step 1).
    pub(crate) h: u128,
}

impl Book {
    pub(crate) fn new(key: &[u8]) -> Self {
        let round_keys = expand(key);
        let h = u128::from_be_bytes(encrypt(&round_keys, [0; 16]));
        Self { round_keys, h }
    }

    /// H^1, H^2, … carried over to POLYVAL, as the crate keeps them: mulX_POLYVAL(ByteReverse(H^n)) of
    /// RFC 8452 appendix A.
    pub(crate) fn polyval_powers(&self, count: usize) -> Vec<Block> {
        let powers = std::iter::successors(Some(self.h), |power| Some(multiply(*power, self.h)));
        // A reversed block read from its little end is the block read from its big end.
        let times_x = |v: u128| v << 1 ^ if v >> 127 == 1 { 0xc2 << 120 | 1 } else { 0 };
        powers.take(count).map(|power| times_x(power).to_le_bytes()).collect()
    }

    /// GHASH (6.4, algorithm 2) with each string padded to whole blocks.
    fn ghash(&self, strings: &[&[u8]]) -> u128 {
        let blocks = strings.iter().flat_map(|string| string.chunks(16));
        blocks.fold(0, |y, bytes| {
            let mut block = [0; 16];
            block[..bytes.len()].copy_from_slice(bytes);
            multiply(y ^ u128::from_be_bytes(block), self.h)
        })
    }

    /// GCTR (6.5, algorithm 3).
    fn gctr(&self, mut counter: u128, text: &[u8]) -> Vec<u8> {
        let mut out = Vec::with_capacity(text.len());
        for bytes in text.chunks(16) {
            let stream = encrypt(&self.round_keys, counter.to_be_bytes());
            out.extend(bytes.iter().zip(stream).map(|(byte, stream)| byte ^ stream));
            counter = increment(counter);
        }
        out
    }

    /// GCM-AE (7.1, algorithm 4): ciphertext and tag.
    pub(crate) fn seal(&self, nonce: &[u8; 12], aad: &[u8], text: &[u8]) -> (Vec<u8>, Block) {
        let ciphertext = self.gctr(increment(first_counter(nonce)), text);
        let tag = self.tag(nonce, aad, &ciphertext);
        (ciphertext, tag)
    }

    /// GCM-AD (7.2, algorithm 5).
    pub(crate) fn open(
        &self,
        nonce: &[u8; 12],
        aad: &[u8],
        ciphertext: &[u8],
        tag: &Block,
    ) -> Option<Vec<u8>> {
        let same = self.tag(nonce, aad, ciphertext) == *tag;
        same.then(|| self.gctr(increment(first_counter(nonce)), ciphertext))
    }

    /// Steps 5 and 6 of algorithm 4.
    fn tag(&self, nonce: &[u8; 12], aad: &[u8], ciphertext: &[u8]) -> Block {
        let bits = |bytes: &[u8]| (bytes.len() as u64 * 8).to_be_bytes();
        let lengths = [bits(aad), bits(ciphertext)];
        let s = self.ghash(&[aad, ciphertext, lengths.as_flattened()]);
        let tag = self.gctr(first_counter(nonce), &s.to_be_bytes());
        *tag.first_chunk().unwrap()
    }
}

/// J0 of a 96-bit IV (7.1, step 2): IV ‖ 0^31 ‖ 1.
pub(crate) fn first_counter(nonce: &[u8; 12]) -> u128 {
    nonce.iter().fold(0, |sum, byte| sum << 8 | u128::from(*byte)) << 32 | 1
}

/// inc32 (6.2): the last 32 bits wrap, the others stay.
pub(crate) fn increment(counter: u128) -> u128 {
    counter >> 32 << 32 | u128::from((counter as u32).wrapping_add(1))
}
