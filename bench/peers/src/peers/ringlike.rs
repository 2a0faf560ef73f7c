//! ring and aws-lc-rs: `LessSafeKey` with a separate tag.

use crate::aead::{Aead, Nonce, Tag};

/// ring.
pub struct Ring(ring::aead::LessSafeKey);

impl Ring {
    pub fn new(key: &[u8]) -> Self {
        use ring::aead::{AES_128_GCM, AES_256_GCM, LessSafeKey, UnboundKey};
        let algorithm = if key.len() == 32 { &AES_256_GCM } else { &AES_128_GCM };
        Self(LessSafeKey::new(UnboundKey::new(algorithm, key).expect("a key of this length")))
    }
}

impl Aead for Ring {
    fn fresh(&self, key: &[u8]) -> Self {
        Self::new(key)
    }

    fn state(&self) -> Option<usize> {
        Some(size_of::<ring::aead::LessSafeKey>())
    }

    fn seal(&mut self, nonce: &Nonce, data: &mut [u8], tag: &mut Tag) {
        use ring::aead::{Aad, Nonce};
        let nonce = Nonce::assume_unique_for_key(*nonce);
        let made = self.0.seal_in_place_separate_tag(nonce, Aad::empty(), data);
        tag.copy_from_slice(made.expect("a message that is not too long").as_ref());
    }

    fn open(&mut self, nonce: &Nonce, data: &mut [u8], tag: &Tag) -> bool {
        use ring::aead::{Aad, Nonce};
        let nonce = Nonce::assume_unique_for_key(*nonce);
        self.0.open_in_place_separate_tag(nonce, Aad::empty(), (*tag).into(), data, 0..).is_ok()
    }
}

/// aws-lc-rs, with a cipher for keys of 16 bytes and one for keys of 32.
pub struct AwsLc(aws_lc_rs::aead::LessSafeKey, [&'static aws_lc_rs::aead::Algorithm; 2]);

impl AwsLc {
    pub fn new(key: &[u8]) -> Self {
        use aws_lc_rs::aead::{AES_128_GCM, AES_256_GCM};
        Self::of([&AES_128_GCM, &AES_256_GCM], key)
    }

    /// AES-GCM-SIV.
    pub fn siv(key: &[u8]) -> Self {
        use aws_lc_rs::aead::{AES_128_GCM_SIV, AES_256_GCM_SIV};
        Self::of([&AES_128_GCM_SIV, &AES_256_GCM_SIV], key)
    }

    fn of(ciphers: [&'static aws_lc_rs::aead::Algorithm; 2], key: &[u8]) -> Self {
        use aws_lc_rs::aead::{LessSafeKey, UnboundKey};
        let [short, long] = ciphers;
        let cipher = if key.len() == 32 { long } else { short };
        let key = UnboundKey::new(cipher, key).expect("a key of this length");
        Self(LessSafeKey::new(key), ciphers)
    }
}

impl Aead for AwsLc {
    fn fresh(&self, key: &[u8]) -> Self {
        Self::of(self.1, key)
    }

    fn state(&self) -> Option<usize> {
        None
    }

    fn seal(&mut self, nonce: &Nonce, data: &mut [u8], tag: &mut Tag) {
        use aws_lc_rs::aead::{Aad, Nonce};
        // `seal_in_place_separate_tag` makes this call and then copies the tag, which would take longer.
        let nonce = Nonce::assume_unique_for_key(*nonce);
        let made = self.0.seal_in_place_scatter(nonce, Aad::empty(), data, &[], tag);
        made.expect("a message that is not too long");
    }

    fn open(&mut self, nonce: &Nonce, data: &mut [u8], tag: &Tag) -> bool {
        use aws_lc_rs::aead::{Aad, Nonce};
        let nonce = Nonce::assume_unique_for_key(*nonce);
        self.0.open_in_place_separate_tag(nonce, Aad::empty(), tag, data).is_ok()
    }
}
