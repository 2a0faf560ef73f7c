//! One frame's encryption or decryption as a value that another thread can run. The key decides,
//! counts and takes the nonce before, on its own thread.

use super::arena::Arena;
use super::frames::{NonceAt, overhead};
use super::{Bounded, KeyOf, open};
use crate::backend::{Cipher, GcmKey, Message};
use crate::error::Error;
use crate::lanes::{Bytes, read, write};

/// A job of a key of AES-GCM.
pub type Job = JobOf<GcmKey, 12>;

/// Work on one frame in place. Holds the expanded key, which is wiped only after its last job: see
/// [`Aead::for_thread`](crate::backend::Aead::for_thread).
pub struct JobOf<C, const N: usize> {
    state: C,
    nonce_at: NonceAt,
    work: Work<N>,
}

enum Work<const N: usize> {
    Seal { nonce: [u8; N] },
    Open { verify_first: bool },
}

impl<C: Bounded<N>, const N: usize> JobOf<C, N> {
    /// Encrypts or decrypts `frame`, which must be as long as the job was made for. Consumes the
    /// job, so that its nonce is used for one message.
    ///
    /// # Errors
    /// [`Error::FrameTooShort`] when encrypting less than [`overhead`] bytes.
    /// [`Error::Authentication`] for a frame that is too short or does not match its tag;
    /// [`KeyOf::count_failure`] then counts the failure. A failed call leaves `frame` as before.
    pub fn run(self, frame: Bytes, aad: Bytes) -> Result<(), Error> {
        let parts = self.nonce_at.split(frame);
        match self.work {
            Work::Seal { nonce } => {
                let parts = parts.ok_or(Error::FrameTooShort)?;
                let message =
                    Message { nonce: &nonce, aad, source: parts.text, target: parts.text };
                let tag = self.state.within(|cipher| cipher.seal(message));
                write(parts.nonce, &nonce);
                write(parts.tag, &tag);
                Ok(())
            }
            Work::Open { verify_first } => {
                let parts = parts.ok_or(Error::Authentication)?;
                let nonce = read(parts.nonce);
                let message =
                    Message { nonce: &nonce, aad, source: parts.text, target: parts.text };
                let genuine = open::open(&self.state, message, &read(parts.tag), verify_first);
                if genuine { Ok(()) } else { Err(Error::Authentication) }
            }
        }
    }
}

/// Jobs. The lengths are those of the whole frame and of the AAD, in bytes.
impl<C: Bounded<N>, const N: usize> KeyOf<C, N> {
    /// Whether [`encrypt_job`](Self::encrypt_job) would succeed now. Takes no nonce and counts
    /// nothing, but draws a salt if the next nonce needs one.
    ///
    /// # Errors
    /// Those of `encrypt_job`.
    pub fn allow_encrypt_job(&mut self, frame: usize, aad: usize) -> Result<(), Error> {
        self.alive()?;
        let text = frame.checked_sub(overhead::<N>()).ok_or(Error::FrameTooShort)?;
        self.ledger.allow_frame(text, aad)
    }

    /// A job that encrypts a frame as [`encrypt_in_place`](Self::encrypt_in_place) does. Takes the
    /// nonce and counts at once. A cipher that threads cannot share takes a slot of `arena`.
    ///
    /// # Errors
    /// Those of `encrypt_in_place` and of [`Arena::place`]. A failed call does not count.
    pub fn encrypt_job(
        &mut self,
        frame: usize,
        aad: usize,
        arena: &mut Arena,
    ) -> Result<JobOf<C, N>, Error> {
        let state = self.alive()?.for_thread(|bytes| arena.place(bytes))?;
        let text = frame.checked_sub(overhead::<N>()).ok_or(Error::FrameTooShort)?;
        let nonce = self.ledger.next_nonce(text, aad)?;
        Ok(JobOf { state, nonce_at: self.nonce_at, work: Work::Seal { nonce } })
    }

    /// Whether [`decrypt_job`](Self::decrypt_job) would succeed now.
    ///
    /// # Errors
    /// Those of `decrypt_job`.
    pub fn allow_decrypt_job(&mut self, frame: usize, aad: usize) -> Result<(), Error> {
        self.alive()?;
        self.ledger.allow_decryption()?;
        self.ledger.check_lengths(frame.saturating_sub(overhead::<N>()), aad)
    }

    /// A job that decrypts a frame as [`decrypt_in_place`](Self::decrypt_in_place) does. The job of
    /// a frame that is too short fails like that of a forgery.
    ///
    /// # Errors
    /// [`Error::FailuresExhausted`] at the limit of failures, and those of [`Arena::place`]. Jobs
    /// that run are not counted yet, so failures may pass the limit by their number.
    pub fn decrypt_job(
        &mut self,
        frame: usize,
        aad: usize,
        arena: &mut Arena,
    ) -> Result<JobOf<C, N>, Error> {
        self.allow_decrypt_job(frame, aad)?;
        let work = Work::Open { verify_first: self.verify_first };
        let state = self.alive()?.for_thread(|bytes| arena.place(bytes))?;
        Ok(JobOf { state, nonce_at: self.nonce_at, work })
    }

    /// Counts the failure of a decryption job. Returns [`Error::Authentication`] or, past the
    /// limit, [`Error::FailuresExhausted`]. Also works after [`destroy`](Self::destroy).
    pub fn count_failure(&mut self) -> Error {
        self.ledger.count_failure()
    }
}
