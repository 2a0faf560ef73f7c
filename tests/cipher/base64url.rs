//! Base64url on every backend, beside the same code over registers that are arrays.

use crate::common::Random;
use crate::model::soft::Soft;
use hardware_aes_gcm::backend::Cpu;
use hardware_aes_gcm::backend::base64url::{BYTES, CHARACTERS};
use hardware_aes_gcm::kernel::base64url;

const GROUPS: usize = 5;
const ROOM: usize = GROUPS * BYTES + CHARACTERS - BYTES;

#[test]
fn every_backend_makes_the_text_and_the_bytes_that_arrays_make() {
    let mut random = Random(31);
    for _ in 0..2000 {
        let bytes = random.bytes(ROOM);
        let mut text = [[b'!'; CHARACTERS]; GROUPS];
        base64url::encode::<Soft<1>>(&bytes, &mut text);
        let mut other = text;
        // Sometimes another byte, of the alphabet or not.
        if random.below(2) == 0 {
            other.as_flattened_mut()[random.below(GROUPS * CHARACTERS)] = random.next() as u8;
        }
        let mut back = [0xee; ROOM];
        let valid = base64url::decode::<Soft<1>>(&other, &mut back);
        assert!(back.ends_with(&[0; CHARACTERS - BYTES]));
        assert!(other != text || (valid && bytes.starts_with(&back[..GROUPS * BYTES])));
        for cpu in Cpu::all() {
            let mut made = [[b'!'; CHARACTERS]; GROUPS];
            cpu.encode_base64url(&bytes, &mut made);
            assert_eq!(made, text, "{}", cpu.name());
            let mut found = [0xee; ROOM];
            assert_eq!(cpu.decode_base64url(&other, &mut found), valid, "{}", cpu.name());
            assert!(!valid || found == back, "{}", cpu.name());
        }
    }
}
