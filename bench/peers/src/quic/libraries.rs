//! ring and aws-lc-rs: `LessSafeKey` for packets and `quic::HeaderProtectionKey` for headers, as rustls uses them.

use super::separate::Library;
use crate::aead::{Nonce, Tag};

/// ring.
pub struct Ring;

impl Library for Ring {
    type Packet = ring::aead::LessSafeKey;
    type Header = ring::aead::quic::HeaderProtectionKey;

    fn packet_key(key: &[u8]) -> Self::Packet {
        use ring::aead::{AES_128_GCM, AES_256_GCM, UnboundKey};
        let algorithm = if key.len() == 32 { &AES_256_GCM } else { &AES_128_GCM };
        Self::Packet::new(UnboundKey::new(algorithm, key).expect("a key of this length"))
    }

    fn header_key(key: &[u8]) -> Self::Header {
        use ring::aead::quic::{AES_128, AES_256};
        let algorithm = if key.len() == 32 { &AES_256 } else { &AES_128 };
        Self::Header::new(algorithm, key).expect("a key of this length")
    }

    fn state() -> Option<(usize, usize)> {
        Some((size_of::<Self::Packet>(), size_of::<Self::Header>()))
    }

    #[inline(always)]
    fn seal(key: &Self::Packet, nonce: &Nonce, aad: &[u8], data: &mut [u8], tag: &mut Tag) {
        use ring::aead::{Aad, Nonce};
        let nonce = Nonce::assume_unique_for_key(*nonce);
        let made = key.seal_in_place_separate_tag(nonce, Aad::from(aad), data);
        tag.copy_from_slice(made.expect("a packet that is not too long").as_ref());
    }

    #[inline(always)]
    fn open(key: &Self::Packet, nonce: &Nonce, aad: &[u8], data: &mut [u8], tag: &Tag) -> bool {
        use ring::aead::{Aad, Nonce};
        let nonce = Nonce::assume_unique_for_key(*nonce);
        key.open_in_place_separate_tag(nonce, Aad::from(aad), (*tag).into(), data, 0..).is_ok()
    }

    #[inline(always)]
    fn mask(key: &Self::Header, sample: &[u8]) -> [u8; 5] {
        key.new_mask(sample).expect("a sample of 16 bytes")
    }
}

/// aws-lc-rs.
pub struct AwsLc;

impl Library for AwsLc {
    type Packet = aws_lc_rs::aead::LessSafeKey;
    type Header = aws_lc_rs::aead::quic::HeaderProtectionKey;

    fn packet_key(key: &[u8]) -> Self::Packet {
        use aws_lc_rs::aead::{AES_128_GCM, AES_256_GCM, UnboundKey};
        let algorithm = if key.len() == 32 { &AES_256_GCM } else { &AES_128_GCM };
        Self::Packet::new(UnboundKey::new(algorithm, key).expect("a key of this length"))
    }

    fn header_key(key: &[u8]) -> Self::Header {
        use aws_lc_rs::aead::quic::{AES_128, AES_256};
        let algorithm = if key.len() == 32 { &AES_256 } else { &AES_128 };
        Self::Header::new(algorithm, key).expect("a key of this length")
    }

    fn state() -> Option<(usize, usize)> {
        None
    }

    #[inline(always)]
    fn seal(key: &Self::Packet, nonce: &Nonce, aad: &[u8], data: &mut [u8], tag: &mut Tag) {
        use aws_lc_rs::aead::{Aad, Nonce};
        let nonce = Nonce::assume_unique_for_key(*nonce);
        let made = key.seal_in_place_scatter(nonce, Aad::from(aad), data, &[], tag);
        made.expect("a packet that is not too long");
    }

    #[inline(always)]
    fn open(key: &Self::Packet, nonce: &Nonce, aad: &[u8], data: &mut [u8], tag: &Tag) -> bool {
        use aws_lc_rs::aead::{Aad, Nonce};
        let nonce = Nonce::assume_unique_for_key(*nonce);
        key.open_in_place_separate_tag(nonce, Aad::from(aad), tag, data).is_ok()
    }

    #[inline(always)]
    fn mask(key: &Self::Header, sample: &[u8]) -> [u8; 5] {
        key.new_mask(sample).expect("a sample of 16 bytes")
    }
}
