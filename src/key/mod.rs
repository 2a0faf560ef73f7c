//! A key in use: its expanded state, its nonces and its ledger.

pub mod aead;
pub mod arena;
pub mod batch;
pub mod frames;
pub mod job;
pub mod ledger;
pub mod nonce;
pub mod ranges;

use crate::backend::{Cpu, Expanded, Gcm, Message};
use crate::error::Error;
use crate::lanes::{Block, Bytes};
use crate::rng::shared::SharedGenerator;
use crate::secret::SecretKey;
use arena::Arena;
use core::cell::Cell;
use frames::{NonceAt, OVERHEAD, Parts, next_nonce};
use ledger::{Counts, Ledger, Limits, check_lengths};
use nonce::{FrameNonces, Nonce};

/// A key in use.
///
/// # Errors of every operation
/// [`Error::Destroyed`] after [`destroy`](Self::destroy). [`Error::MessageTooLong`] for more than 2^36 - 32 bytes of text and
/// [`Error::AadTooLong`] for more than 2^61 - 1 bytes of AAD (SP 800-38D 5.2.1.1). Such a call does not write.
pub struct Key {
    /// `None` after `destroy`.
    state: Option<Expanded>,
    nonces: FrameNonces,
    ledger: Ledger,
    nonce_at: NonceAt,
    verify_first: bool,
}

/// A caller's choices for a key.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// Frame layout.
    pub nonce_at: NonceAt,
    /// Whether decryption first verifies the tag, and decrypts in a second pass.
    pub verify_first: bool,
    /// Limits of this object. A limit above its default is lowered to the default.
    pub limits: Limits,
}

impl Key {
    /// Expands `key` for the backend of `cpu` into a slot of `arena`. The first frame draws a salt for nonces from
    /// `generator`.
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

    /// Bytes of the slot that holds the expanded key; 0 after [`destroy`](Self::destroy).
    pub fn state_bytes(&self) -> usize {
        self.state.as_ref().map_or(0, |state| state.slot().length())
    }

    /// Whether the key lies in memory of `arena`; false after [`destroy`](Self::destroy).
    pub fn lives_in(&self, arena: &Arena) -> bool {
        self.state.as_ref().is_some_and(|state| arena.holds(state.slot()))
    }

    /// Wipes the key. Later operations return [`Error::Destroyed`]; the counts remain.
    pub fn destroy(&mut self) {
        self.state = None;
    }

    /// Whether the key was destroyed.
    pub fn is_destroyed(&self) -> bool {
        self.state.is_none()
    }

    /// Encrypts the text part of `frame` in place, and writes nonce and tag into the other parts.
    ///
    /// # Errors
    /// [`Error::FrameTooShort`] for less than 28 bytes, [`Error::EncryptionsExhausted`] at the limit of messages or
    /// blocks, and those of [`FrameNonces::take`]. A failed call neither writes nor counts.
    pub fn encrypt_in_place(&mut self, frame: Bytes, aad: Bytes) -> Result<(), Error> {
        self.alive()?;
        let parts = self.nonce_at.split(frame).ok_or(Error::FrameTooShort)?;
        let text = parts.text;
        self.encrypt_frame(parts, aad, |gcm, nonce| {
            gcm.seal(Message { nonce, aad, source: text, target: text })
        })
    }

    /// Encrypts `plaintext` into the first `plaintext.len() + 28` bytes of `target`, and returns the number of these bytes.
    ///
    /// # Errors
    /// [`Error::TargetTooShort`], [`Error::EncryptionsExhausted`] at the limit of messages or blocks, and those of
    /// [`FrameNonces::take`]. A failed call neither writes nor counts.
    pub fn encrypt_into(
        &mut self,
        target: Bytes,
        plaintext: Bytes,
        aad: Bytes,
    ) -> Result<usize, Error> {
        self.alive()?;
        let parts = self.frame_in(target, plaintext.len())?;
        self.encrypt_frame(parts, aad, |gcm, nonce| {
            gcm.seal(Message { nonce, aad, source: plaintext, target: parts.text })
        })?;
        Ok(plaintext.len() + OVERHEAD)
    }

    /// Encrypts the concatenation of `pieces` into the first bytes of `target`, 28 more than the pieces have, and returns the
    /// number of these bytes.
    ///
    /// # Errors
    /// As [`encrypt_into`](Self::encrypt_into).
    pub fn encrypt_pieces_into(
        &mut self,
        target: Bytes,
        pieces: &[Bytes],
        aad: Bytes,
    ) -> Result<usize, Error> {
        self.alive()?;
        // Saturates above the longest message, which is refused.
        let length = pieces.iter().map(|piece| piece.len()).fold(0, usize::saturating_add);
        let parts = self.frame_in(target, length)?;
        self.encrypt_frame(parts, aad, |gcm, nonce| {
            gcm.seal_pieces(nonce, aad, pieces, parts.text)
        })?;
        Ok(length + OVERHEAD)
    }

    /// The parts of the frame of a plaintext of `length` bytes, at the beginning of `target`.
    fn frame_in<'a>(&self, target: Bytes<'a>, length: usize) -> Result<Parts<'a>, Error> {
        let length = length.checked_add(OVERHEAD).ok_or(Error::MessageTooLong)?;
        let frame = target.get(..length).ok_or(Error::TargetTooShort)?;
        self.nonce_at.split(frame).ok_or(Error::TargetTooShort)
    }

    /// Takes a nonce, and writes it, the ciphertext and the tag into the parts of a frame. `seal` runs inside the guard.
    #[inline(always)]
    fn encrypt_frame(
        &mut self,
        parts: Parts,
        aad: Bytes,
        seal: impl FnOnce(Gcm<'_>, &Nonce) -> Block,
    ) -> Result<(), Error> {
        let state = self.state.as_ref().ok_or(Error::Destroyed)?;
        let (nonces, ledger) = (&mut self.nonces, &mut self.ledger);
        let nonce = next_nonce(nonces, ledger, parts.text.len(), aad.len())?;
        let tag = state.within(|gcm| seal(gcm, &nonce));
        write(parts.nonce, &nonce);
        write(parts.tag, &tag);
        Ok(())
    }

    /// Decrypts the text part of `frame` in place.
    ///
    /// # Errors
    /// [`Error::Authentication`] for a frame that is too short or does not match its tag, and
    /// [`Error::FailuresExhausted`] once the limit of such failures is reached. A failed call leaves `frame` as before.
    pub fn decrypt_in_place(&mut self, frame: Bytes, aad: Bytes) -> Result<(), Error> {
        self.alive()?;
        match self.nonce_at.split(frame) {
            Some(parts) => {
                self.decrypt(&read(parts.nonce), aad, parts.text, parts.text, &read(parts.tag))
            }
            None => self.refuse_short(),
        }
    }

    /// Decrypts `frame` into the first `frame.len() - 28` bytes of `target`, and returns the number of these bytes. `target`
    /// must not overlap `frame`.
    ///
    /// # Errors
    /// [`Error::Authentication`] for a frame that does not match its tag: these bytes of `target` are then zero. Without a
    /// write, [`Error::Authentication`] for a frame that is too short, [`Error::TargetTooShort`], and
    /// [`Error::FailuresExhausted`] once the limit of failures is reached.
    pub fn decrypt_into(
        &mut self,
        target: Bytes,
        frame: Bytes,
        aad: Bytes,
    ) -> Result<usize, Error> {
        self.alive()?;
        let Some(parts) = self.nonce_at.split(frame) else {
            return self.refuse_short().map(|()| 0);
        };
        let target = target.get(..parts.text.len()).ok_or(Error::TargetTooShort)?;
        self.decrypt(&read(parts.nonce), aad, parts.text, target, &read(parts.tag))?;
        Ok(target.len())
    }

    /// Encrypts `data` in place, and writes the tag into the 16 bytes of `tag`. The caller promises never to use the 12
    /// bytes of `nonce` again with this key.
    ///
    /// # Errors
    /// [`Error::InvalidNonceLength`], [`Error::InvalidTagLength`], and [`Error::EncryptionsExhausted`] at the limit
    /// of blocks. A failed call neither writes nor counts.
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

    /// Decrypts `data` in place, which was encrypted with the 12 bytes of `nonce` and has the 16 bytes of `tag`.
    ///
    /// # Errors
    /// [`Error::InvalidNonceLength`], [`Error::InvalidTagLength`], [`Error::Authentication`] if the tag does not match, and
    /// [`Error::FailuresExhausted`] once the limit of such failures is reached. A failed call leaves `data` as before.
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
        if aead::open(state, message, tag, self.verify_first) {
            return Ok(());
        }
        Err(self.ledger.failure())
    }

    /// The key, unless it was destroyed. Operations test this first: [`Error::Destroyed`] precedes all other errors.
    /// `encrypt_frame` and `decrypt` test again to borrow the key.
    fn alive(&self) -> Result<&Expanded, Error> {
        self.state.as_ref().ok_or(Error::Destroyed)
    }

    /// The error of a frame that is too short, which is a failed decryption.
    fn refuse_short(&mut self) -> Result<(), Error> {
        Err(self.ledger.failure())
    }
}

#[inline(always)]
pub(crate) fn read<const N: usize>(from: &[Cell<u8>; N]) -> [u8; N] {
    from.each_ref().map(Cell::get)
}

#[inline(always)]
pub(crate) fn write<const N: usize>(to: &[Cell<u8>; N], from: &[u8; N]) {
    for (to, from) in to.iter().zip(from) {
        to.set(*from);
    }
}
