//! A key in use: its expanded state, its nonces and its ledger.

/// Opening one message, without state.
pub mod aead;
/// Memory for keys.
pub mod arena;
/// Layout and nonces of frames.
pub mod frames;
/// Limits and counts.
pub mod ledger;
/// One constructor for each nonce policy.
pub mod nonce;

use crate::backend::{Cpu, Expanded, Message};
use crate::error::Error;
use crate::lanes::{Block, Bytes};
use crate::rng::shared::SharedGenerator;
use crate::secret::SecretKey;
use arena::Arena;
use core::cell::Cell;
use frames::{NonceAt, OVERHEAD, Parts, next_nonce};
use ledger::{Counts, Ledger, Limits, check_lengths};
use nonce::{FrameNonces, Nonce};

/// A key in use. Once it is destroyed, every method that needs the key gives [`Error::Destroyed`]; lengths past those of
/// SP 800-38D 5.2.1.1 are [`Error::MessageTooLong`] and [`Error::AadTooLong`]. Both before anything is written.
pub struct Key {
    /// `None` once destroyed.
    state: Option<Expanded>,
    nonces: FrameNonces,
    ledger: Ledger,
    nonce_at: NonceAt,
    verify_first: bool,
}

/// The choices that a caller has for a key.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// Frame layout.
    pub nonce_at: NonceAt,
    /// Decrypt only after the tag matched, in a second pass.
    pub verify_first: bool,
    /// Limits. One above its default counts as the default.
    pub limits: Limits,
}

impl Key {
    /// Expands `key` on `cpu`, in a place of `arena`. The salts of its nonces come from `generator`, at its first frame.
    ///
    /// # Errors
    /// Those of [`Arena::place`].
    pub fn new(
        cpu: Cpu,
        key: &SecretKey,
        options: Options,
        arena: &mut Arena,
        generator: &SharedGenerator,
    ) -> Result<Self, Error> {
        let slot = arena.place(cpu.state_bytes())?;
        Ok(Self {
            state: Some(Expanded::new(cpu, key.raw(), slot)?),
            nonces: FrameNonces::new(generator),
            ledger: Ledger::new(options.limits),
            nonce_at: options.nonce_at,
            verify_first: options.verify_first,
        })
    }

    /// The counts so far.
    pub fn counts(&self) -> Counts {
        self.ledger.counts(self.nonces.taken())
    }

    /// Bytes of its expanded state; 0 once it was destroyed.
    pub fn state_bytes(&self) -> usize {
        self.state.as_ref().map_or(0, |state| state.slot().length())
    }

    /// Whether it lives in `arena`.
    pub fn lives_in(&self, arena: &Arena) -> bool {
        self.state.as_ref().is_some_and(|state| arena.holds(state.slot()))
    }

    /// Wipes the key. Every later call is [`Error::Destroyed`]; the counts stay.
    pub fn destroy(&mut self) {
        self.state = None;
    }

    /// Whether the key was wiped.
    pub fn is_destroyed(&self) -> bool {
        self.state.is_none()
    }

    /// Encrypts the plaintext inside `frame`, and writes nonce and tag around it.
    ///
    /// # Errors
    /// All found before anything is written: [`Error::FrameTooShort`], the limits, and those of [`FrameNonces::take`].
    pub fn encrypt_in_place(&mut self, frame: Bytes, aad: Bytes) -> Result<(), Error> {
        self.alive()?;
        let parts = self.nonce_at.split(frame).ok_or(Error::FrameTooShort)?;
        self.encrypt_frame(parts, parts.text, aad)
    }

    /// Encrypts `plaintext` into the first `plaintext.len() + 28` bytes of `target`, and gives that number.
    ///
    /// # Errors
    /// All found before anything is written: [`Error::TargetTooShort`], the limits, and those of [`FrameNonces::take`].
    pub fn encrypt_into(
        &mut self,
        target: Bytes,
        plaintext: Bytes,
        aad: Bytes,
    ) -> Result<usize, Error> {
        self.alive()?;
        let length = plaintext.len().checked_add(OVERHEAD).ok_or(Error::MessageTooLong)?;
        let frame = target.get(..length).ok_or(Error::TargetTooShort)?;
        let parts = self.nonce_at.split(frame).ok_or(Error::TargetTooShort)?;
        self.encrypt_frame(parts, plaintext, aad)?;
        Ok(length)
    }

    fn encrypt_frame(&mut self, parts: Parts, plaintext: Bytes, aad: Bytes) -> Result<(), Error> {
        let state = self.state.as_ref().ok_or(Error::Destroyed)?;
        let (nonces, ledger) = (&mut self.nonces, &mut self.ledger);
        let nonce = next_nonce(nonces, ledger, plaintext.len(), aad.len())?;
        let message = Message { nonce: &nonce, aad, source: plaintext, target: parts.text };
        let tag = state.within(|gcm| gcm.seal(message));
        write(parts.nonce, &nonce);
        write(parts.tag, &tag);
        Ok(())
    }

    /// Decrypts the ciphertext inside `frame`.
    ///
    /// # Errors
    /// [`Error::Authentication`] for a frame this key did not make, however short, and [`Error::FailuresExhausted`]
    /// after the last of those: `frame` is then as it was.
    pub fn decrypt_in_place(&mut self, frame: Bytes, aad: Bytes) -> Result<(), Error> {
        match self.nonce_at.split(frame) {
            Some(parts) => {
                self.decrypt(&read(parts.nonce), aad, parts.text, parts.text, &read(parts.tag))
            }
            None => self.refuse(),
        }
    }

    /// Decrypts `frame` into the first `frame.len() - 28` bytes of `target`, and gives that number.
    ///
    /// # Errors
    /// [`Error::Authentication`]: those bytes of `target` are zero. [`Error::TargetTooShort`] and
    /// [`Error::FailuresExhausted`]: nothing is written.
    pub fn decrypt_into(
        &mut self,
        target: Bytes,
        frame: Bytes,
        aad: Bytes,
    ) -> Result<usize, Error> {
        self.alive()?;
        let Some(parts) = self.nonce_at.split(frame) else {
            return self.refuse().map(|()| 0);
        };
        let target = target.get(..parts.text.len()).ok_or(Error::TargetTooShort)?;
        self.decrypt(&read(parts.nonce), aad, parts.text, target, &read(parts.tag))?;
        Ok(target.len())
    }

    /// Encrypts `data` in place under a nonce that the caller promises never to use again with this key, and
    /// writes the tag.
    ///
    /// # Errors
    /// All found before anything is written: [`Error::InvalidNonceLength`], [`Error::InvalidTagLength`], the limits.
    pub fn encrypt_detached(
        &mut self,
        data: Bytes,
        nonce: Bytes,
        tag: Bytes,
        aad: Bytes,
    ) -> Result<(), Error> {
        let state = self.state.as_ref().ok_or(Error::Destroyed)?;
        let nonce = read(nonce.as_array().ok_or(Error::InvalidNonceLength)?);
        let tag = tag.as_array().ok_or(Error::InvalidTagLength)?;
        self.ledger.encrypted = self.ledger.encrypted.plus(data.len(), aad.len())?;
        let message = Message { nonce: &nonce, aad, source: data, target: data };
        write(tag, &state.within(|gcm| gcm.seal(message)));
        Ok(())
    }

    /// Decrypts `data` in place.
    ///
    /// # Errors
    /// [`Error::InvalidNonceLength`], [`Error::InvalidTagLength`], [`Error::Authentication`] or
    /// [`Error::FailuresExhausted`]: `data` is as it was.
    pub fn decrypt_detached(
        &mut self,
        data: Bytes,
        nonce: Bytes,
        tag: Bytes,
        aad: Bytes,
    ) -> Result<(), Error> {
        self.alive()?;
        let nonce = read(nonce.as_array().ok_or(Error::InvalidNonceLength)?);
        let tag = read(tag.as_array().ok_or(Error::InvalidTagLength)?);
        self.decrypt(&nonce, aad, data, data, &tag)
    }

    fn decrypt(
        &mut self,
        nonce: &Nonce,
        aad: Bytes,
        source: Bytes,
        target: Bytes,
        tag: &Block,
    ) -> Result<(), Error> {
        let state = self.alive()?;
        self.ledger.allow_decryption()?;
        check_lengths(source.len(), aad.len())?;
        let message = Message { nonce, aad, source, target };
        let verify_first = self.verify_first;
        if state.within(|gcm| aead::open(gcm, message, tag, verify_first)) {
            return Ok(());
        }
        Err(self.ledger.failure())
    }

    /// The key, unless it was destroyed.
    fn alive(&self) -> Result<&Expanded, Error> {
        self.state.as_ref().ok_or(Error::Destroyed)
    }

    /// Counts what is too short for a frame as a failed decryption.
    fn refuse(&mut self) -> Result<(), Error> {
        self.alive()?;
        Err(self.ledger.failure())
    }
}

fn read<const N: usize>(from: &[Cell<u8>; N]) -> [u8; N] {
    from.each_ref().map(Cell::get)
}

fn write<const N: usize>(to: &[Cell<u8>; N], from: &[u8; N]) {
    for (to, from) in to.iter().zip(from) {
        to.set(*from);
    }
}
