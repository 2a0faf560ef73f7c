//! Nonces the library makes: one constructor per policy. None can wrap, repeat or go backwards.

use crate::error::Error;

/// Ninety-six bits that are used for one message under one key.
pub type Nonce = [u8; 12];

/// Nonces of frames: a salt of 96 bits from the operating system plus a 64-bit counter, modulo 2^96.
///
/// It is the RBG-based construction of SP 800-38D 8.2.2 without a free field: a random field drawn once per object
/// and then incremented, here from its least significant byte, which stands first. Two nonces of one object never
/// meet, since 2^64 < 2^96 and the counter ends in an error; two objects on one key meet with the odds of their
/// ranges overlapping, (n + m) / 2^96 for n and m messages.
pub struct FrameNonces {
    salt: u128,
    /// The counter of the next nonce; none when all 2^64 are spent.
    next: Option<u64>,
}

impl FrameNonces {
    /// Draws the salt. [`Error::Entropy`] where the operating system gives none.
    pub fn draw() -> Result<Self, Error> {
        let mut salt = [0; 16];
        let (random, _) = salt.split_at_mut(12);
        getrandom::fill(random).map_err(|_| Error::Entropy)?;
        Ok(Self { salt: u128::from_le_bytes(salt), next: Some(0) })
    }

    /// The next nonce. [`Error::EncryptionsExhausted`] after 2^64 of them.
    pub fn take(&mut self) -> Result<Nonce, Error> {
        let counter = self.next.ok_or(Error::EncryptionsExhausted)?;
        self.next = counter.checked_add(1);
        let sum = self.salt.wrapping_add(u128::from(counter));
        // Written in the two words that the cipher will read: other pieces would keep it waiting for the store.
        let mut nonce = [0; 12];
        let (low, high) = nonce.split_at_mut(8);
        low.copy_from_slice(&(sum as u64).to_le_bytes());
        high.copy_from_slice(&((sum >> 64) as u32).to_le_bytes());
        Ok(nonce)
    }
}

#[cfg(test)]
mod tests {
    use crate::error::Error;
    use crate::nonce::FrameNonces;

    #[test]
    fn the_counter_ends_in_an_error_for_good() {
        let mut nonces = FrameNonces { salt: 1, next: Some(u64::MAX - 1) };
        assert_eq!(nonces.take(), Ok([255, 255, 255, 255, 255, 255, 255, 255, 0, 0, 0, 0]));
        assert_eq!(nonces.take(), Ok([0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0]));
        for _ in 0..3 {
            assert_eq!(nonces.take(), Err(Error::EncryptionsExhausted));
        }
    }
}
