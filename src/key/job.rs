//! One frame's encryption or decryption as a value that another thread can run. The key decides, counts and takes the nonce
//! before, on its own thread.

use super::frames::{NonceAt, OVERHEAD, next_nonce};
use super::ledger::check_lengths;
use super::nonce::Nonce;
use super::{Key, aead, read, write};
use crate::backend::{Expanded, Message};
use crate::error::Error;
use crate::lanes::Bytes;

/// Work on one frame in place. Holds the expanded key, which is therefore wiped only after its last job.
pub struct Job {
    state: Expanded,
    nonce_at: NonceAt,
    work: Work,
}

enum Work {
    Seal { nonce: Nonce },
    Open { verify_first: bool },
}

// Another thread may run a job.
const _: () = {
    const fn may_be_sent<T: Send>() {}
    may_be_sent::<Job>();
};

impl Job {
    /// Encrypts or decrypts `frame`, which must be as long as the job was made for. Consumes the job, so that its nonce is
    /// used for one message.
    ///
    /// # Errors
    /// [`Error::FrameTooShort`] when encrypting less than 28 bytes. [`Error::Authentication`] for a frame that is too short
    /// or does not match its tag; [`Key::count_forgery`] then counts the failure. A failed call leaves `frame` as before.
    pub fn run(self, frame: Bytes, aad: Bytes) -> Result<(), Error> {
        let parts = self.nonce_at.split(frame);
        match self.work {
            Work::Seal { nonce } => {
                let parts = parts.ok_or(Error::FrameTooShort)?;
                let message =
                    Message { nonce: &nonce, aad, source: parts.text, target: parts.text };
                let tag = self.state.within(|gcm| gcm.seal(message));
                write(parts.nonce, &nonce);
                write(parts.tag, &tag);
                Ok(())
            }
            Work::Open { verify_first } => {
                let parts = parts.ok_or(Error::Authentication)?;
                let nonce = read(parts.nonce);
                let message =
                    Message { nonce: &nonce, aad, source: parts.text, target: parts.text };
                let genuine = aead::open(&self.state, message, &read(parts.tag), verify_first);
                if genuine { Ok(()) } else { Err(Error::Authentication) }
            }
        }
    }
}

/// Jobs. The lengths are those of the whole frame and of the AAD, in bytes.
impl Key {
    /// Whether [`encrypt_job`](Self::encrypt_job) would succeed now. Takes no nonce and counts nothing, but draws a salt if
    /// the next nonce needs one.
    ///
    /// # Errors
    /// Those of `encrypt_job`.
    pub fn allow_encrypt_job(&mut self, frame: usize, aad: usize) -> Result<(), Error> {
        self.alive()?;
        let text = frame.checked_sub(OVERHEAD).ok_or(Error::FrameTooShort)?;
        self.ledger.encrypted.plus(text, aad)?;
        self.ledger.allow_frame(self.nonces.taken())?;
        self.nonces.prepare()
    }

    /// A job that encrypts a frame as [`encrypt_in_place`](Self::encrypt_in_place) does. Takes the nonce and counts the
    /// message, even if the job is dropped later.
    ///
    /// # Errors
    /// Those of `encrypt_in_place`. A failed call does not count.
    pub fn encrypt_job(&mut self, frame: usize, aad: usize) -> Result<Job, Error> {
        let state = self.alive()?.clone();
        let text = frame.checked_sub(OVERHEAD).ok_or(Error::FrameTooShort)?;
        let nonce = next_nonce(&mut self.nonces, &mut self.ledger, text, aad)?;
        Ok(Job { state, nonce_at: self.nonce_at, work: Work::Seal { nonce } })
    }

    /// Whether [`decrypt_job`](Self::decrypt_job) would succeed now.
    ///
    /// # Errors
    /// Those of `decrypt_job`.
    pub fn allow_decrypt_job(&mut self, frame: usize, aad: usize) -> Result<(), Error> {
        self.alive()?;
        self.ledger.allow_decryption()?;
        check_lengths(frame.saturating_sub(OVERHEAD), aad)
    }

    /// A job that decrypts a frame as [`decrypt_in_place`](Self::decrypt_in_place) does. The job of a frame that is too
    /// short fails like that of a forgery.
    ///
    /// # Errors
    /// [`Error::FailuresExhausted`] at the limit of failures. Failures of jobs that run at the moment are not counted yet,
    /// so the number of failures may pass the limit by the number of those jobs.
    pub fn decrypt_job(&mut self, frame: usize, aad: usize) -> Result<Job, Error> {
        self.allow_decrypt_job(frame, aad)?;
        let work = Work::Open { verify_first: self.verify_first };
        Ok(Job { state: self.alive()?.clone(), nonce_at: self.nonce_at, work })
    }

    /// Counts the failure of a decryption job. Returns [`Error::Authentication`] or, if the limit was reached before,
    /// [`Error::FailuresExhausted`]. Also works after [`destroy`](Self::destroy).
    pub fn count_forgery(&mut self) -> Error {
        self.ledger.failure()
    }
}
