//! Messages of every cipher: the bytes of keys, and of texts that are sealed or come out of opening, are undefined.
//! Public: nonces, lengths, associated data, ciphertexts and tags, which travel, and the verdict on a tag.

use crate::common::{Random, cells};
use crate::memcheck::{is_poisoned, is_public, poison, publish};
use hardware_aes_gcm::backend::{Aead, Cipher, Cpu, GcmKey, Message, SivKey, XaesKey};
use hardware_aes_gcm::key::arena::Arena;
use hardware_aes_gcm::lanes::RawKey;

pub(crate) const SENT: &str = "a ciphertext and its tag are sent";
const VERDICT: &str = "the caller tells whether a message is authentic";

pub(crate) fn gcm(cpu: Cpu) {
    messages::<GcmKey, 12>(cpu, &[16, 32]);
}

pub(crate) fn xaes(cpu: Cpu) {
    messages::<XaesKey, 24>(cpu, &[32]);
}

pub(crate) fn siv(cpu: Cpu) {
    messages::<SivKey, 12>(cpu, &[16, 32]);
}

/// A key of undefined bytes.
fn expand<C: Aead<N>, const N: usize>(cpu: Cpu, bytes: &mut [u8], arena: &mut Arena) -> C {
    poison(cells(bytes));
    let key = match (bytes.first_chunk(), bytes.first_chunk()) {
        (Some(long), _) => RawKey::Aes256(long),
        (_, Some(short)) => RawKey::Aes128(short),
        _ => unreachable!("a key has 16 or 32 bytes"),
    };
    C::expand(cpu, key, |bytes| arena.place(bytes)).unwrap()
}

fn messages<C: Aead<N>, const N: usize>(cpu: Cpu, lengths_of_keys: &[usize]) {
    let mut random = Random(0x6d65_7373_6167_6573);
    for length in lengths_of_keys {
        let mut arena = Arena::default();
        let key: C = expand(cpu, &mut random.bytes(*length), &mut arena);
        for length in [0, 1, 16, 17, 64, 95, 96, 97, 200, 1000] {
            let nonce: [u8; N] = random.bytes(N).try_into().unwrap();
            let (mut aad, text) = (random.bytes(length % 50), random.bytes(length));
            let mut data = text.clone();
            poison(cells(&mut data));
            let mut tag = seal(&key, &nonce, &mut aad, &mut data);
            assert!(is_poisoned(&tag) && is_poisoned(&data), "{length} bytes: not of the key");
            publish(&mut tag, SENT);
            publish(&mut data[..], SENT);

            let (ciphertext, aad) = (data.clone(), cells(&mut aad));
            let mut expected = key
                .within(|cipher| cipher.authenticate(&nonce, &tag, aad, cells(&mut data.clone())));
            assert!(is_poisoned(&expected), "{length} bytes: a tag that is known");
            publish(&mut expected, VERDICT);
            assert_eq!(expected, tag);

            let target = cells(&mut data);
            let message = Message { nonce: &nonce, aad, source: target, target };
            let mut expected = key.within(|cipher| cipher.decrypt_unverified(message, &tag));
            publish(&mut expected, VERDICT);
            assert_eq!(expected, tag);
            assert!(is_poisoned(&data), "{length} bytes: a plaintext that is known");
            let target = cells(&mut data);
            key.within(|cipher| cipher.keystream(&nonce, &tag, target, target));
            publish(&mut data[..], SENT);
            assert_eq!(data, ciphertext);

            pieces(&key, &nonce, aad, &text, (&ciphertext, &tag));
        }
    }
}

fn seal<C: Aead<N>, const N: usize>(
    key: &C,
    nonce: &[u8; N],
    aad: &mut [u8],
    data: &mut [u8],
) -> [u8; 16] {
    let (aad, data) = (cells(aad), cells(data));
    key.within(|cipher| cipher.seal(Message { nonce, aad, source: data, target: data }))
}

/// The same message in two pieces, and twice as a pair.
fn pieces<C: Aead<N>, const N: usize>(
    key: &C,
    nonce: &[u8; N],
    aad: &[std::cell::Cell<u8>],
    text: &[u8],
    expected: (&[u8], &[u8; 16]),
) {
    let [mut one, mut two] = [text.to_vec(), text.to_vec()];
    let mut target = vec![0; text.len()];
    poison(cells(&mut one));
    let (a, b) = cells(&mut one).split_at(text.len() / 3);
    let mut tag = key.within(|cipher| cipher.seal_pieces(nonce, aad, &[a, b], cells(&mut target)));
    publish(&mut tag, SENT);
    publish(&mut target[..], SENT);
    assert_eq!((&target[..], &tag), expected);

    poison(cells(&mut two));
    let (a, b) = (cells(&mut one), cells(&mut two));
    let message = |data| Message { nonce, aad, source: data, target: data };
    let mut tags = key.within(|cipher| cipher.seal_pair(message(a), message(b)));
    publish(&mut tags, SENT);
    assert_eq!(tags, [*expected.1; 2]);
    assert!(is_public(&tags[0]));
}
