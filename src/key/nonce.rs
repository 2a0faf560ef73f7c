//! Nonces: those that the library makes for frames, those of protocols that number their packets, and random ones of 192 bits.
//! A counter ends in an error: it never wraps or goes back.

use crate::error::Error;
use crate::hw::fork;
use crate::lanes::Bytes;
use crate::rng::Generator;
use crate::rng::shared::SharedGenerator;
use core::cell::Cell;

/// Ninety-six bits that are used for one message under one key.
pub type Nonce = [u8; 12];

/// Nonces of frames: a salt of 96 random bits plus a 64-bit counter, modulo 2^96.
///
/// The salt is the XOR of output of the thread's generator and of bytes from the operating system ([`Generator::salt`]).
///
/// The number is little-endian. Otherwise this is the RBG-based construction of SP 800-38D 8.2.2 with an empty free field: a
/// random field is drawn, and then incremented for each message by inc_96, which 6.2 defines on a big-endian number. Both
/// increments pass through all 2^96 values before a value repeats.
///
/// Nonces under one salt are distinct, since the counter ends in an error after fewer than 2^64 of 2^96 values. Under two
/// salts of one key, n and m nonces contain a common value with probability (n + m - 1) / 2^96. The salt is drawn anew
/// whenever this process may have become a copy of another ([`fork::generation`]), or before every nonce if copies cannot be
/// detected.
pub struct FrameNonces {
    generation: u64,
    salt: (u64, u32),
    /// Nonces taken so far, under all salts.
    taken: u64,
    generator: SharedGenerator,
}

impl FrameNonces {
    /// Nonces with salts from `generator`. The first nonce draws the first salt.
    pub fn new(generator: &SharedGenerator) -> Self {
        Self { generation: fork::UNKNOWN, salt: (0, 0), taken: 0, generator: generator.clone() }
    }

    /// The next nonce.
    ///
    /// # Errors
    /// [`Error::EncryptionsExhausted`] after 2^64 - 1 nonces. If a new salt is needed, also those of
    /// [`SharedGenerator::lend`] and [`Generator::salt`]: [`Error::Entropy`], [`Error::NoMemory`] and
    /// [`Error::UnsupportedCpu`]. A failed call takes no nonce.
    // Inlined, so that the nonce stays in registers.
    #[inline(always)]
    pub fn take(&mut self) -> Result<Nonce, Error> {
        Ok(self.take_run(1)?.take())
    }

    /// The next `count` nonces, under one salt, for one call: this process cannot become two while the call runs, since a
    /// fork copies only the thread that forks, and both copies of a virtual machine finish the call with the same bytes.
    ///
    /// # Errors
    /// As [`take`](Self::take), if there are not `count` nonces left. A failed call takes no nonce.
    #[inline(always)]
    pub fn take_run(&mut self, count: u64) -> Result<Run, Error> {
        self.prepare()?;
        let taken = self.taken.checked_add(count).ok_or(Error::EncryptionsExhausted)?;
        let (low, carry) = self.salt.0.overflowing_add(self.taken);
        self.taken = taken;
        Ok(Run { low, high: self.salt.1.wrapping_add(u32::from(carry)) })
    }

    /// Draws a new salt if the next nonce needs one. Takes no nonce.
    ///
    /// # Errors
    /// Those of a new salt (see [`take`](Self::take)).
    #[inline(always)]
    pub fn prepare(&mut self) -> Result<(), Error> {
        let generation = fork::generation();
        if generation != self.generation || generation == fork::UNKNOWN {
            self.draw(generation)?;
        }
        Ok(())
    }

    #[cold]
    fn draw(&mut self, generation: u64) -> Result<(), Error> {
        let salt = self.generator.lend(Generator::salt)?;
        let (low, high) = salt.split_at(8);
        self.salt = (little(low), little(high) as u32);
        self.generation = generation;
        Ok(())
    }

    /// The number of nonces taken.
    pub fn taken(&self) -> u64 {
        self.taken
    }
}

/// Nonces that were taken together. The holder uses as many as it took.
pub struct Run {
    /// The next nonce, modulo 2^96: its low 64 bits and its high 32 bits.
    low: u64,
    high: u32,
}

impl Run {
    /// The next of the nonces.
    // Inlined, so that the nonce stays in registers.
    #[inline(always)]
    pub fn take(&mut self) -> Nonce {
        let Self { low, high } = *self;
        let (next, carry) = low.overflowing_add(1);
        (self.low, self.high) = (next, high.wrapping_add(u32::from(carry)));
        from_words(low, high)
    }
}

/// The nonce of a protocol that numbers its packets and sends no nonce: the XOR of the key schedule's `iv` and of the number
/// `path·2^64 + sequence` as 12 big-endian bytes. The caller never uses a number twice; a copy of this process has the same
/// numbers, so only one of the two may continue the connection.
/// Connections with several paths have path ids
/// (draft-ietf-quic-multipath); all others have path 0, so that the number begins with four zeros (RFC 9001 5.3).
#[inline(always)]
pub fn sequence_nonce(iv: &Nonce, path: u32, sequence: u64) -> Nonce {
    let (iv_start, iv_end) = iv.split_at(8);
    let start = little(iv_start) ^ (u64::from(path) << 32 | sequence >> 32).swap_bytes();
    let end = little(iv_end) as u32 ^ (sequence as u32).swap_bytes();
    from_words(start, end)
}

/// A random nonce of 192 bits for XAES-256-GCM (C2SP). Among 2^80 such nonces, two are equal with a probability below 2^-32,
/// so that messages need no limit.
///
/// # Errors
/// Those of [`Generator::fill`].
pub fn random_192(generator: &mut Generator) -> Result<[u8; 24], Error> {
    let mut nonce = [0; 24];
    let cells: Bytes = Cell::from_mut(&mut nonce[..]).as_slice_of_cells();
    generator.fill(cells)?;
    Ok(nonce)
}

/// The nonce of two little-endian words, written as the words that the kernel reads: see
/// [`Lanes::counters`](crate::lanes::Lanes::counters).
#[inline(always)]
fn from_words(start: u64, end: u32) -> Nonce {
    let mut nonce = [0; 12];
    let (first, last) = nonce.split_at_mut(8);
    first.copy_from_slice(&start.to_le_bytes());
    last.copy_from_slice(&end.to_le_bytes());
    nonce
}

/// At most eight bytes as a little-endian number.
fn little(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte))
}

#[cfg(test)]
mod tests {
    use crate::error::Error;
    use crate::hw::fork;
    use crate::key::nonce::{FrameNonces, sequence_nonce};
    use crate::rng::shared::SharedGenerator;

    fn nonces(salt: (u64, u32), taken: u64) -> FrameNonces {
        let generator = SharedGenerator::default();
        FrameNonces { generation: fork::generation(), salt, taken, generator }
    }

    const SPENT: Result<[u8; 12], Error> = Err(Error::EncryptionsExhausted);

    #[test]
    fn frames_end_in_an_error_for_good() {
        let mut nonces = nonces((2, 7), u64::MAX - 2);
        assert_eq!(nonces.take(), Ok([255, 255, 255, 255, 255, 255, 255, 255, 7, 0, 0, 0]));
        assert_eq!(nonces.take(), Ok([0, 0, 0, 0, 0, 0, 0, 0, 8, 0, 0, 0]));
        for _ in 0..3 {
            assert_eq!(nonces.take(), SPENT);
        }
        let mut nonces = self::nonces((u64::MAX, u32::MAX), 1);
        assert_eq!(nonces.take(), Ok([0; 12]), "modulo 2^96");
    }

    #[test]
    fn a_run_carries_as_single_nonces_do() {
        for (salt, taken) in [((2, 7), u64::MAX - 9), ((u64::MAX - 3, u32::MAX), 1), ((5, 0), 0)] {
            let (mut single, mut together) = (nonces(salt, taken), nonces(salt, taken));
            assert!(together.take_run(0).is_ok());
            for count in [3, 1, 4] {
                let Ok(mut run) = together.take_run(count) else { return assert_eq!(count, 0) };
                (0..count).for_each(|_| assert_eq!(Ok(run.take()), single.take()));
                assert_eq!(together.taken(), single.taken());
            }
        }
        let mut nonces = nonces((2, 7), u64::MAX - 2);
        let spent = Err(Error::EncryptionsExhausted);
        assert_eq!(nonces.take_run(3).map(|mut run| run.take()), spent);
        assert_eq!(nonces.taken(), u64::MAX - 2, "a failed call takes no nonce");
        let last = nonces.take_run(2).map(|mut run| (run.take(), run.take()[8]));
        assert_eq!(last, Ok(([255, 255, 255, 255, 255, 255, 255, 255, 7, 0, 0, 0], 8)));
        assert_eq!(nonces.take_run(1).map(|mut run| run.take()), spent);
    }

    #[test]
    fn frames_have_a_new_salt_in_another_generation() {
        let mut nonces = nonces((5, 0), 9);
        assert_eq!(nonces.take(), Ok([14, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]));
        nonces.generation -= 1;
        let Ok(other) = nonces.take() else { return assert_eq!(nonces.take(), Ok([0; 12])) };
        assert_ne!(other, [15, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
        assert_eq!(nonces.taken(), 11, "the count goes on");
    }

    #[test]
    fn the_number_of_a_packet_is_mixed_into_the_iv() {
        let iv = [0x5d, 0x31, 0x3e, 0xb2, 0x67, 0x12, 0x76, 0xee, 0x13, 0x00, 0x0b, 0x30];
        assert_eq!(sequence_nonce(&iv, 0, 0), iv);
        assert_eq!(
            sequence_nonce(&iv, 0, 0x0102_0304_0506_0708),
            [0x5d, 0x31, 0x3e, 0xb2, 0x66, 0x10, 0x75, 0xea, 0x16, 0x06, 0x0c, 0x38]
        );
        assert_eq!(sequence_nonce(&iv, 0xa0b0_c0d0, 0)[..5], [0xfd, 0x81, 0xfe, 0x62, 0x67]);
    }
}
