//! Nonces: those that the library makes for frames, and those of protocols that number their
//! packets. A counter ends in an error: it never wraps or goes back.

use crate::error::Error;
use crate::hw::fork;
use crate::lanes::{Bytes, read};
use crate::rng::Generator;
use crate::rng::shared::SharedGenerator;

/// Ninety-six bits that are used for one message under one key.
pub type Nonce = [u8; 12];

/// A caller-supplied nonce, in bytes.
///
/// # Errors
/// [`Error::InvalidNonceLength`] unless there are `N` bytes.
#[inline(always)]
pub fn parse<const N: usize>(bytes: Bytes) -> Result<[u8; N], Error> {
    bytes.as_array().map(read).ok_or(Error::InvalidNonceLength)
}

/// Nonces of frames, of `N` bytes (12 to 24): a random salt plus a 64-bit counter, modulo 2^(8·N).
///
/// The salt is the XOR of the generator's output and the system's bytes ([`Generator::salt`]).
///
/// With 12 bytes, this is the RBG-based construction of SP 800-38D 8.2.2 with an empty free field:
/// a random field, to which each message adds 1. The number in that field is big-endian (6.2,
/// inc_96); ours is little-endian. Either way, all 2^96 values come before one repeats.
///
/// Nonces under one salt are distinct, and so are their first eight bytes, since the counter ends
/// in an error below 2^64 values. Under two salts of one key, n and m nonces contain a common value
/// with probability (n + m - 1) / 2^(8·N). A new salt is drawn whenever this process may have
/// become a copy ([`fork::generation`]), or before every nonce if that cannot be detected.
pub struct FrameNonces<const N: usize> {
    generation: u64,
    salt: [u8; N],
    /// Nonces taken so far, under all salts.
    taken: u64,
    generator: SharedGenerator,
}

impl<const N: usize> FrameNonces<N> {
    /// Nonces with salts from `generator`. The first nonce draws the first salt.
    pub fn new(generator: &SharedGenerator) -> Self {
        Self { generation: fork::UNKNOWN, salt: [0; N], taken: 0, generator: generator.clone() }
    }

    /// The next `count` nonces, under one salt, for one call: a fork copies only the thread that
    /// forks, and both copies of a virtual machine finish the call with the same bytes.
    ///
    /// # Errors
    /// [`Error::EncryptionsExhausted`] above 2^64 - 1 nonces in all. If a new salt is needed, also
    /// those of [`SharedGenerator::lend`] and [`Generator::salt`]: [`Error::Entropy`],
    /// [`Error::NoMemory`] and [`Error::UnsupportedCpu`]. A failed call takes no nonce.
    // Inlined, so that the nonces stay in registers.
    #[inline(always)]
    pub fn take_run(&mut self, count: u64) -> Result<Run<N>, Error> {
        self.prepare()?;
        let taken = self.taken.checked_add(count).ok_or(Error::EncryptionsExhausted)?;
        let (low, high) = words(&self.salt);
        let (low, carry) = low.overflowing_add(self.taken);
        self.taken = taken;
        Ok(Run { low, high: high.wrapping_add(u128::from(carry)) })
    }

    /// Draws a new salt if the next nonce needs one. Takes no nonce.
    ///
    /// # Errors
    /// Those of a new salt (see [`take_run`](Self::take_run)).
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
        self.salt = self.generator.lend(Generator::salt)?;
        self.generation = generation;
        Ok(())
    }

    /// The number of nonces taken.
    pub fn taken(&self) -> u64 {
        self.taken
    }
}

/// Nonces that were taken together. The holder uses as many as it took.
pub struct Run<const N: usize> {
    /// The next nonce, modulo 2^(8·N): its low 64 bits and its other bits.
    low: u64,
    high: u128,
}

impl<const N: usize> Run<N> {
    /// The next of the nonces.
    // Inlined, so that the nonce stays in registers.
    #[inline(always)]
    pub fn take(&mut self) -> [u8; N] {
        let Self { low, high } = *self;
        let (next, carry) = low.overflowing_add(1);
        (self.low, self.high) = (next, high.wrapping_add(u128::from(carry)));
        from_words(low, high)
    }
}

/// The nonce of a protocol that numbers its packets and sends no nonce: the XOR of the key
/// schedule's `iv` and of `path·2^64 + sequence` as 12 big-endian bytes. The caller never uses a
/// number twice; a copy of this process has the same numbers, so only one may continue the
/// connection. Connections with several paths have path ids (draft-ietf-quic-multipath), all others
/// path 0: the number then begins with four zeros (RFC 9001 5.3).
#[inline(always)]
pub fn sequence_nonce(iv: &Nonce, path: u32, sequence: u64) -> Nonce {
    let (iv_start, iv_end) = words(iv);
    let start = iv_start ^ (u64::from(path) << 32 | sequence >> 32).swap_bytes();
    let end = iv_end as u32 ^ (sequence as u32).swap_bytes();
    from_words(start, u128::from(end))
}

/// The nonce of two little-endian numbers, its first eight bytes and the others, written as the
/// words that the kernel reads: see [`Lanes::counters`](crate::lanes::Lanes::counters).
#[inline(always)]
fn from_words<const N: usize>(start: u64, end: u128) -> [u8; N] {
    const { assert!(N > 8 && N <= 24) };
    let mut nonce = [0; N];
    let (first, last) = nonce.split_at_mut(8);
    first.copy_from_slice(&start.to_le_bytes());
    // Both have the same length: `N` is at most 24.
    last.copy_from_slice(end.to_le_bytes().get(..N - 8).unwrap_or(&[]));
    nonce
}

/// The inverse of [`from_words`].
#[inline(always)]
fn words<const N: usize>(nonce: &[u8; N]) -> (u64, u128) {
    const { assert!(N > 8 && N <= 24) };
    let (mut start, mut end) = ([0; 8], [0; 16]);
    let (first, last) = nonce.split_at(8);
    start.copy_from_slice(first);
    // Both have the same length: `N` is at most 24.
    end.get_mut(..N - 8).unwrap_or(&mut []).copy_from_slice(last);
    (u64::from_le_bytes(start), u128::from_le_bytes(end))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

    use crate::error::Error;
    use crate::hw::fork;
    use crate::key::nonce::{FrameNonces, from_words, sequence_nonce};
    use crate::rng::shared::SharedGenerator;

    fn nonces(salt: (u64, u128), taken: u64) -> FrameNonces<12> {
        let (generator, salt) = (SharedGenerator::default(), from_words(salt.0, salt.1));
        FrameNonces { generation: fork::generation(), salt, taken, generator }
    }

    fn take<const N: usize>(nonces: &mut FrameNonces<N>) -> Result<[u8; N], Error> {
        Ok(nonces.take_run(1)?.take())
    }

    const SPENT: Result<[u8; 12], Error> = Err(Error::EncryptionsExhausted);

    #[test]
    fn frames_end_in_an_error_for_good() {
        let mut nonces = nonces((2, 7), u64::MAX - 2);
        assert_eq!(take(&mut nonces), Ok([255, 255, 255, 255, 255, 255, 255, 255, 7, 0, 0, 0]));
        assert_eq!(take(&mut nonces), Ok([0, 0, 0, 0, 0, 0, 0, 0, 8, 0, 0, 0]));
        for _ in 0..3 {
            assert_eq!(take(&mut nonces), SPENT);
        }
        let mut nonces = self::nonces((u64::MAX, u128::from(u32::MAX)), 1);
        assert_eq!(take(&mut nonces), Ok([0; 12]), "modulo 2^96");
        let generator = SharedGenerator::default();
        let salt = [255; 24];
        let mut nonces =
            FrameNonces::<24> { generation: fork::generation(), salt, taken: 0, generator };
        assert_eq!(take(&mut nonces), Ok([255; 24]));
        assert_eq!(take(&mut nonces), Ok([0; 24]), "modulo 2^192");
    }

    #[test]
    fn a_run_carries_as_single_nonces_do() {
        for (salt, taken) in
            [((2, 7), u64::MAX - 9), ((u64::MAX - 3, u128::from(u32::MAX)), 1), ((5, 0), 0)]
        {
            let (mut single, mut together) = (nonces(salt, taken), nonces(salt, taken));
            assert!(together.take_run(0).is_ok());
            for count in [3, 1, 4] {
                let mut run = together.take_run(count).unwrap();
                (0..count).for_each(|_| assert_eq!(Ok(run.take()), take(&mut single)));
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
        assert_eq!(take(&mut nonces), Ok([14, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]));
        nonces.generation -= 1;
        assert_ne!(take(&mut nonces).unwrap(), [15, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
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
