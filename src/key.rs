//! A key in use: its expanded state, its nonces and what it counts against its limits. It compares tags, and puts back what
//! a failed call found.

use crate::arena::Arena;
use crate::backend::{Cpu, Expanded, Message};
use crate::error::Error;
use crate::frame::{NonceAt, OVERHEAD, Parts};
use crate::hw::timing;
use crate::lanes::{Block, Bytes};
use crate::limits::{Counts, Limits, MAX_MESSAGES, Spent, check_lengths};
use crate::nonce::{FrameNonces, Nonce};
use crate::rng::shared::SharedGenerator;
use crate::secret::{SecretKey, same};

/// A key in use. Once it is destroyed, every method that needs the key gives [`Error::Destroyed`]; lengths past those of
/// SP 800-38D 5.2.1.1 are [`Error::MessageTooLong`] and [`Error::AadTooLong`]. Both before anything is written.
pub struct Key {
    /// None once destroyed.
    state: Option<Expanded>,
    nonces: FrameNonces,
    nonce_at: NonceAt,
    verify_first: bool,
    limits: Limits,
    spent: Spent,
}

/// What a caller may choose of a key.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// Frame layout.
    pub nonce_at: NonceAt,
    /// Decrypt only after the tag matched, in a second pass.
    pub verify_first: bool,
    /// Limits; what exceeds the defaults is the default.
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
            nonce_at: options.nonce_at,
            verify_first: options.verify_first,
            limits: Limits {
                messages: options.limits.messages.min(MAX_MESSAGES),
                failures: options.limits.failures.min(MAX_MESSAGES),
            },
            spent: Spent::default(),
        })
    }

    /// What this object has done so far.
    pub fn counts(&self) -> Counts {
        let Spent { bytes, blocks, failures } = self.spent;
        Counts { messages: self.nonces.taken(), bytes, blocks, failures }
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
        let spent = self.spent.with(plaintext.len(), aad.len())?;
        if self.nonces.taken() >= self.limits.messages {
            return Err(Error::EncryptionsExhausted);
        }
        let nonce = self.nonces.take()?;
        self.spent = spent;
        let tag = state.seal(Message { nonce: &nonce, aad, source: plaintext, target: parts.text });
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
        self.spent = self.spent.with(data.len(), aad.len())?;
        write(tag, &state.seal(Message { nonce: &nonce, aad, source: data, target: data }));
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
        if self.spent.failures >= self.limits.failures {
            return Err(Error::FailuresExhausted);
        }
        check_lengths(source.len(), aad.len())?;
        let message = Message { nonce, aad, source, target };
        // The right tag of what somebody else made is a secret: comparing is part of the work.
        if timing::independent(|| self.open(state, message, tag)) {
            return Ok(());
        }
        if !core::ptr::eq(source, target) {
            target.iter().for_each(|byte| byte.set(0));
        }
        self.refuse()
    }

    /// Whether the message is genuine: then its target is plaintext. If not, what was decrypted in place is as it was.
    fn open(&self, state: &Expanded, message: Message, tag: &Block) -> bool {
        let Message { nonce, aad, source, target } = message;
        if self.verify_first {
            let genuine = same(&state.authenticate(nonce, aad, source), tag);
            if genuine {
                state.keystream(nonce, source, target);
            }
            return genuine;
        }
        let genuine = same(&state.open(message), tag);
        if !genuine && core::ptr::eq(source, target) {
            // The keystream once more: the ciphertext is back, and no plaintext is left that nobody vouches for.
            state.keystream(nonce, target, target);
        }
        genuine
    }

    /// The key, unless it was destroyed.
    fn alive(&self) -> Result<&Expanded, Error> {
        self.state.as_ref().ok_or(Error::Destroyed)
    }

    /// Counts a message that was not what it should be.
    fn refuse(&mut self) -> Result<(), Error> {
        self.alive()?;
        if self.spent.failures >= self.limits.failures {
            return Err(Error::FailuresExhausted);
        }
        self.spent.failures = self.spent.failures.saturating_add(1);
        Err(Error::Authentication)
    }
}

fn read<const N: usize>(from: &[core::cell::Cell<u8>; N]) -> [u8; N] {
    from.each_ref().map(core::cell::Cell::get)
}

fn write<const N: usize>(to: &[core::cell::Cell<u8>; N], from: &[u8; N]) {
    for (to, from) in to.iter().zip(from) {
        to.set(*from);
    }
}
