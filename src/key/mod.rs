//! A key in use: its expanded state, its nonces and its ledger.

pub mod any;
pub mod arena;
pub mod batch;
pub mod frames;
pub mod job;
pub mod ledger;
pub mod nonce;
pub mod open;
pub mod ranges;

use crate::backend::{Aead, Cipher, Cpu, GcmKey, Message, SivKey, XaesKey};
use crate::error::Error;
use crate::lanes::{Block, Bytes, read, write};
use crate::rng::shared::SharedGenerator;
use crate::secret::SecretKey;
use arena::Arena;
use frames::{FrameParts, NonceAt, overhead};
use ledger::{Bounds, Counts, GCM, Ledger, Limits, SIV, XAES};

/// A cipher, by its expanded key, with the limits of its standard. Nonces have `N` bytes.
pub trait Bounded<const N: usize>: Aead<N> {
    /// Its limits.
    const BOUNDS: &'static Bounds;
}

impl Bounded<12> for GcmKey {
    const BOUNDS: &'static Bounds = &GCM;
}

impl Bounded<24> for XaesKey {
    const BOUNDS: &'static Bounds = &XAES;
}

impl Bounded<12> for SivKey {
    const BOUNDS: &'static Bounds = &SIV;
}

/// A key of AES-GCM.
pub type Key = KeyOf<GcmKey, 12>;

/// A key in use, of the cipher `C`. A frame has [`overhead`] more bytes than its text.
///
/// # Errors of every operation
/// [`Error::Destroyed`] after [`destroy`](Self::destroy). [`Error::MessageTooLong`] and
/// [`Error::AadTooLong`] above [`Bounded::BOUNDS`]. Such a call does not write.
pub struct KeyOf<C, const N: usize> {
    /// `None` after `destroy`.
    state: Option<C>,
    ledger: Ledger<C, N>,
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

impl<C: Bounded<N>, const N: usize> KeyOf<C, N> {
    /// Expands `key` for `cpu` into slots of `arena`. Frames draw salts from `generator`.
    ///
    /// # Errors
    /// Those of [`Aead::expand`] and of [`Arena::place`].
    pub fn new(
        cpu: Cpu,
        key: &SecretKey,
        options: Options,
        arena: &mut Arena,
        generator: &SharedGenerator,
    ) -> Result<Self, Error> {
        Ok(Self {
            state: Some(C::expand(cpu, key.raw(), |bytes| arena.place(bytes))?),
            ledger: Ledger::new(options.limits, generator),
            nonce_at: options.nonce_at,
            verify_first: options.verify_first,
        })
    }

    /// The counts so far.
    pub fn counts(&self) -> Counts {
        self.ledger.counts()
    }

    /// Bytes of the slots of the expanded key; 0 after [`destroy`](Self::destroy).
    pub fn state_bytes(&self) -> usize {
        self.state.as_ref().map_or(0, Aead::state_bytes)
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

    /// Bytes of a frame besides its text: nonce and tag.
    pub fn overhead(&self) -> usize {
        overhead::<N>()
    }

    /// Bytes of a frame before its text.
    pub fn text_at(&self) -> usize {
        match self.nonce_at {
            NonceAt::Start => N,
            NonceAt::End => 0,
        }
    }

    /// Writes the caller's key to `out`, which has its length.
    ///
    /// # Errors
    /// [`Error::InvalidKeyLength`] for an `out` of another length. A failed call does not write.
    pub fn copy_key(&self, out: Bytes) -> Result<(), Error> {
        self.alive()?.copy_key(out)
    }

    /// Encrypts the text part of `frame` in place, and writes nonce and tag into the other parts.
    ///
    /// # Errors
    /// [`Error::FrameTooShort`] below [`overhead`], [`Error::EncryptionsExhausted`] at the limit of
    /// messages or blocks, and those of [`FrameNonces::take_run`](nonce::FrameNonces::take_run). A
    /// failed call neither writes nor counts.
    pub fn encrypt_in_place(&mut self, frame: Bytes, aad: Bytes) -> Result<(), Error> {
        self.alive()?;
        let parts = self.nonce_at.split(frame).ok_or(Error::FrameTooShort)?;
        let text = parts.text;
        self.encrypt_frame(parts, aad, |cipher, nonce| {
            cipher.seal(Message { nonce, aad, source: text, target: text })
        })
    }

    /// Encrypts `plaintext` into the first bytes of `target`, and returns how many it wrote.
    ///
    /// # Errors
    /// [`Error::TargetTooShort`], [`Error::EncryptionsExhausted`] at the limit of messages or
    /// blocks, and those of [`FrameNonces::take_run`](nonce::FrameNonces::take_run). A failed call
    /// has no effect.
    pub fn encrypt_into(
        &mut self,
        target: Bytes,
        plaintext: Bytes,
        aad: Bytes,
    ) -> Result<usize, Error> {
        self.alive()?;
        let parts = self.frame_in(target, plaintext.len())?;
        self.encrypt_frame(parts, aad, |cipher, nonce| {
            cipher.seal(Message { nonce, aad, source: plaintext, target: parts.text })
        })?;
        Ok(plaintext.len() + overhead::<N>())
    }

    /// Encrypts the concatenation of `pieces` into the first bytes of `target`, [`overhead`] more
    /// than the pieces have, and returns the number of these bytes.
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
        self.encrypt_frame(parts, aad, |cipher, nonce| {
            cipher.seal_pieces(nonce, aad, pieces, parts.text)
        })?;
        Ok(length + overhead::<N>())
    }

    /// The parts of the frame of a plaintext of `length` bytes, at the beginning of `target`.
    fn frame_in<'a>(&self, target: Bytes<'a>, length: usize) -> Result<FrameParts<'a, N>, Error> {
        let length = length.checked_add(overhead::<N>()).ok_or(Error::MessageTooLong)?;
        let frame = target.get(..length).ok_or(Error::TargetTooShort)?;
        self.nonce_at.split(frame).ok_or(Error::TargetTooShort)
    }

    /// Takes a nonce, and writes it, the ciphertext and the tag into the parts of a frame. `seal`,
    /// which runs inside the guard, is a closure: it and the clearing of the stack need one frame.
    #[inline(always)]
    fn encrypt_frame(
        &mut self,
        parts: FrameParts<N>,
        aad: Bytes,
        seal: impl FnOnce(C::Cipher<'_>, &[u8; N]) -> Block,
    ) -> Result<(), Error> {
        let state = self.state.as_ref().ok_or(Error::Destroyed)?;
        let nonce = self.ledger.next_nonce(parts.text.len(), aad.len())?;
        let tag = state.within(|cipher| seal(cipher, &nonce));
        write(parts.nonce, &nonce);
        write(parts.tag, &tag);
        Ok(())
    }

    /// Decrypts the text part of `frame` in place.
    ///
    /// # Errors
    /// [`Error::Authentication`] for a frame that is too short or does not match its tag, and
    /// [`Error::FailuresExhausted`] at the limit of failures. Any failure leaves `frame` as before.
    pub fn decrypt_in_place(&mut self, frame: Bytes, aad: Bytes) -> Result<(), Error> {
        self.alive()?;
        match self.nonce_at.split(frame) {
            Some(parts) => {
                self.decrypt(&read(parts.nonce), aad, parts.text, parts.text, &read(parts.tag))
            }
            None => Err(self.ledger.count_failure()),
        }
    }

    /// Decrypts `frame` into the first `frame.len() - overhead` bytes of `target`, and returns the
    /// number of these bytes. `target` must not overlap `frame`.
    ///
    /// # Errors
    /// [`Error::Authentication`] for a frame that does not match its tag: these bytes of `target`
    /// are then zero. Without a write, [`Error::Authentication`] for a short frame,
    /// [`Error::TargetTooShort`], and [`Error::FailuresExhausted`] at the limit of failures.
    pub fn decrypt_into(
        &mut self,
        target: Bytes,
        frame: Bytes,
        aad: Bytes,
    ) -> Result<usize, Error> {
        self.alive()?;
        let Some(parts) = self.nonce_at.split(frame) else {
            return Err(self.ledger.count_failure());
        };
        let target = target.get(..parts.text.len()).ok_or(Error::TargetTooShort)?;
        self.decrypt(&read(parts.nonce), aad, parts.text, target, &read(parts.tag))?;
        Ok(target.len())
    }

    /// Encrypts `data` in place, and writes the tag into the 16 bytes of `tag`. The caller promises
    /// never to use `nonce` again with this key.
    ///
    /// # Errors
    /// [`Error::InvalidNonceLength`], [`Error::InvalidTagLength`], and
    /// [`Error::EncryptionsExhausted`] at the limit of blocks. A failed call has no effect.
    pub fn encrypt_detached(
        &mut self,
        data: Bytes,
        nonce: Bytes,
        tag: Bytes,
        aad: Bytes,
    ) -> Result<(), Error> {
        let state = self.state.as_ref().ok_or(Error::Destroyed)?;
        let nonce = nonce::parse::<N>(nonce)?;
        let tag = tag.as_array().ok_or(Error::InvalidTagLength)?;
        self.ledger.encrypted = self.ledger.plus(data.len(), aad.len())?;
        let message = Message { nonce: &nonce, aad, source: data, target: data };
        write(tag, &state.within(|cipher| cipher.seal(message)));
        Ok(())
    }

    /// Decrypts `data` in place, which was encrypted with `nonce` and has the 16 bytes of `tag`.
    ///
    /// # Errors
    /// [`Error::InvalidNonceLength`], [`Error::InvalidTagLength`], [`Error::Authentication`], and
    /// [`Error::FailuresExhausted`] at the limit of failures. Any failure leaves `data` as before.
    pub fn decrypt_detached(
        &mut self,
        data: Bytes,
        nonce: Bytes,
        tag: Bytes,
        aad: Bytes,
    ) -> Result<(), Error> {
        self.alive()?;
        let nonce = nonce::parse::<N>(nonce)?;
        let tag = read(tag.as_array().ok_or(Error::InvalidTagLength)?);
        self.decrypt(&nonce, aad, data, data, &tag)
    }

    fn decrypt(
        &mut self,
        nonce: &[u8; N],
        aad: Bytes,
        source: Bytes,
        target: Bytes,
        tag: &Block,
    ) -> Result<(), Error> {
        let state = self.alive()?;
        self.ledger.allow_decryption()?;
        self.ledger.check_lengths(source.len(), aad.len())?;
        let message = Message { nonce, aad, source, target };
        if open::open(state, message, tag, self.verify_first) {
            return Ok(());
        }
        Err(self.ledger.count_failure())
    }

    /// The key, unless it was destroyed. Operations test this first: [`Error::Destroyed`] precedes
    /// all other errors. `encrypt_frame` and `decrypt` test again to borrow the key.
    fn alive(&self) -> Result<&C, Error> {
        self.state.as_ref().ok_or(Error::Destroyed)
    }
}
