//! Checked before the first timing: all implementations give the same bytes, open them, and refuse forgeries.

use crate::messages::Messages;
use crate::peers::Entrant;
use crate::subject::Subject;

/// Ciphertexts and tags, in order.
type Sealed = Vec<(Vec<u8>, [u8; 16])>;

/// The bytes and tags that the messages hold now.
fn taken(messages: &mut Messages) -> Sealed {
    let mut all = Vec::new();
    messages.each(|slot, data| all.push((data.to_vec(), slot.tag)));
    all
}

/// Panics with the name of an implementation that is wrong.
pub fn agree(sizes: &[usize], entrants: &mut [Entrant]) {
    for &size in sizes {
        let count = if size > 4096 { 1 } else { 3 };
        let plain = taken(&mut Messages::count(size, count));
        let mut first: Option<Sealed> = None;
        for entrant in entrants.iter_mut().filter(|entrant| entrant.takes(size)) {
            let name = &entrant.name;
            let mut messages = Messages::count(size, count);
            entrant.subject.seal_all(&mut messages);
            let sealed = taken(&mut messages);
            let first = first.get_or_insert_with(|| sealed.clone());
            assert!(sealed == *first, "{name} seals {size} bytes differently from the others");

            assert!(entrant.subject.open_all(&mut messages), "{name} does not open {size} bytes");
            let opened = taken(&mut messages);
            let same = opened.iter().zip(&plain).all(|(opened, plain)| opened.0 == plain.0);
            assert!(same, "{name} opens {size} bytes to another plaintext");

            refuses(name, &mut *entrant.subject, size);
        }
    }
}

/// Flips a bit of the tag, then one of the ciphertext: both messages must be refused.
fn refuses(name: &str, subject: &mut dyn Subject, size: usize) {
    let mut messages = Messages::count(size, 1);
    subject.seal_all(&mut messages);
    messages.each(|slot, _| slot.tag[15] ^= 1);
    assert!(!subject.open_all(&mut messages), "{name} accepts a forged tag at {size} bytes");
    let mut messages = Messages::count(size, 1);
    subject.seal_all(&mut messages);
    messages.each(|_, data| data[size / 2] ^= 0x80);
    assert!(!subject.open_all(&mut messages), "{name} accepts a forged message of {size} bytes");
}
