//! Checked before the first timing: all implementations protect a run alike, remove the protection, and refuse forgeries.

use super::run::{BYTES, COUNT, NUMBER_AT, Run};
use super::{Direction, Entrant};

/// The ways to seal a run.
type Seal = fn(&mut dyn Direction, &mut Run);
const SEALS: &[(&str, Seal)] = &[
    ("seals packets", |direction, run| direction.seal(run)),
    ("seals packets without a mask", |direction, run| direction.seal_unmasked(run)),
    ("seals plain messages", |direction, run| direction.seal_plain(run)),
];

/// Panics with the name of an implementation that is wrong.
pub fn agree(entrants: &mut [Entrant]) {
    for (what, seal) in SEALS {
        let mut first = None;
        for Entrant { name, direction, .. } in entrants.iter_mut() {
            let mut run = Run::new();
            direction.renew(&run);
            seal(&mut **direction, &mut run);
            let sealed = (run.bytes().to_vec(), *run.tags());
            let first = first.get_or_insert_with(|| sealed.clone());
            assert!(sealed == *first, "{name} {what} differently from the others");
        }
    }
    let mut masks = entrants.iter().map(|entrant| entrant.direction.mask(b"sixteen samples."));
    let first = masks.next();
    assert!(masks.all(|mask| Some(mask) == first), "the masks differ");
    drop(masks);
    for entrant in entrants {
        opens(&entrant.name, &mut *entrant.direction);
    }
}

/// A run opens to what it was, apart from tags and written numbers, and does not open with one bit flipped.
fn opens(name: &str, direction: &mut dyn Direction) {
    let mut run = Run::new();
    direction.seal_unmasked(&mut run);
    // The same numbers again: in clear, but with the numbers in the headers.
    let headers: Vec<_> = run.packets().map(|packet| packet[..NUMBER_AT + 2].to_vec()).collect();
    let mut run = Run::new();
    let payloads: Vec<_> =
        run.packets().map(|packet| packet[NUMBER_AT + 2..BYTES - 16].to_vec()).collect();
    direction.renew(&run);
    direction.seal(&mut run);
    run.keep_copy();
    assert!(direction.open(&mut run), "{name} does not open a run");
    for ((packet, header), payload) in run.packets().zip(headers).zip(payloads) {
        assert!(packet.starts_with(&header), "{name} opens to another header");
        assert!(packet[NUMBER_AT + 2..].starts_with(&payload), "{name} opens to another payload");
    }
    // The bits of the first byte (key phase, reserved, number length), connection id, number, payload and tag.
    let flips =
        [(0, 0x04), (0, 0x08), (0, 0x01), (3, 0x10), (NUMBER_AT, 0x80), (600, 1), (BYTES - 1, 1)];
    for (at, (byte, bit)) in flips.into_iter().enumerate() {
        run.restore_copy();
        run.bytes()[(at * 9 % COUNT) * BYTES + byte] ^= bit;
        assert!(
            !direction.open(&mut run),
            "{name} accepts a packet with a bit of byte {byte} flipped"
        );
    }
}
