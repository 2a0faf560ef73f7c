//! The kernel on registers that are arrays agrees with the book, in the cases of `agree` and the shapes of the program.

use crate::SHAPES;
use crate::agree::{Case, Subject, answers, check, sweep};
use crate::model::book::{Book, multiply};
use crate::model::soft::{Soft, clear};
use hardware_aes_gcm::backend::Message;
use hardware_aes_gcm::kernel::ghash::Lengths;
use hardware_aes_gcm::kernel::hash::Ghash;
use hardware_aes_gcm::kernel::products::Products;
use hardware_aes_gcm::kernel::state::{KeyState, Powers, Schedule};
use hardware_aes_gcm::kernel::{aes, ctr, gcm};
use hardware_aes_gcm::lanes::{Block, Bytes, KeyBits, RawKey};

/// The kernel on `S` registers of `W` blocks in flight with `P` powers, as `backend!` would compile it.
struct Kernel<const W: usize, const S: usize, const P: usize>(KeyState<P, 1>, KeyBits);

impl<const W: usize, const S: usize, const P: usize> Kernel<W, S, P> {
    /// Expands the key and compares every byte of the state with the book.
    fn new(key: RawKey) -> Self {
        clear();
        let mut state = KeyState {
            schedule: Schedule { round_keys: [[0; 16]; 15] },
            powers: Powers { powers: [[0; 16]; P], gap: [[0; 16]; 1], halves: [[0; 16]; P] },
        };
        aes::expand::<Soft<1>>(key, &mut state.schedule);
        gcm::expand::<Soft<W>, S, P, 1>(&mut state, key.bits());
        let book = Book::new(match key {
            RawKey::Aes128(key) => key,
            RawKey::Aes256(key) => key,
        });
        let mut round_keys = book.round_keys.clone();
        round_keys.resize(15, [0; 16]);
        assert_eq!(state.schedule.round_keys.to_vec(), round_keys, "round keys");
        let mut powers = book.polyval_powers(P);
        powers.reverse();
        assert_eq!(state.powers.powers.to_vec(), powers, "powers of H");
        for (power, halves) in powers.iter().zip(state.powers.halves) {
            let (low, high) = power.split_at(8);
            let both: Vec<u8> = low.iter().zip(high).map(|(a, b)| a ^ b).collect();
            assert_eq!(halves.to_vec(), both.repeat(2), "halves of the powers");
        }
        Self(state, key.bits())
    }
}

impl<const W: usize, const S: usize, const P: usize> Subject for Kernel<W, S, P> {
    fn seal(&self, m: Message) -> Block {
        clear();
        gcm::crypt::<Soft<W>, S, P, 1, true>(&self.0, self.1, m.nonce, m.aad, m.source, m.target)
    }
    fn open(&self, m: Message) -> Block {
        clear();
        gcm::crypt::<Soft<W>, S, P, 1, false>(&self.0, self.1, m.nonce, m.aad, m.source, m.target)
    }
    fn authenticate(&self, nonce: &[u8; 12], aad: Bytes, ciphertext: Bytes) -> Block {
        clear();
        gcm::authenticate::<Soft<W>, S, P, 1>(&self.0, self.1, nonce, aad, ciphertext)
    }
    fn keystream(&self, nonce: &[u8; 12], source: Bytes, target: Bytes) {
        clear();
        ctr::apply::<Soft<W>, S>(&self.0.schedule, self.1, nonce, source, target);
    }
}

pub(crate) fn check_kernel<const W: usize, const S: usize, const P: usize>(case: &Case) {
    let name = format!("{S} registers of {W}, {P} powers");
    check(&Kernel::<W, S, P>::new(case.raw()), case, &name);
}

#[test]
fn the_kernel_on_arrays_agrees_with_the_book() {
    // One shape in three for each message, and of two shapes one, in turn, so that neighbouring messages try all of them.
    let (mut turn, step) = (0, SHAPES.len().min(3));
    sweep(|case| {
        turn += 1;
        SHAPES.iter().skip(turn % step).step_by(step).for_each(|check| check(case));
    });
}

#[test]
fn published_answers() {
    answers().for_each(|case| SHAPES.iter().for_each(|check| check(&case)));
}

/// The length block of messages too long for a test's memory, against the book's multiplication.
#[test]
fn the_length_block_holds_lengths_past_32_bits() {
    let key = [7; 32];
    let Kernel(state, _) = Kernel::<4, 4, 17>::new(RawKey::Aes256(&key));
    for (aad, text) in [(0, 1 << 29), (1 << 33, (1 << 36) - 32), ((1 << 61) - 1, 0)] {
        let mut products = Products::<Soft<4>>::zero();
        products.add_lengths::<Ghash, _, _>(
            &state.powers,
            Soft::new([[0; 16]]),
            Lengths { aad, text },
        );
        let [sum] = products.reduce().blocks();
        let block = (aad as u128 * 8) << 64 | (text as u128 * 8);
        let expected = multiply(block, Book::new(&key).h);
        assert_eq!(u128::from_le_bytes(sum), expected, "{aad} and {text}");
    }
}
