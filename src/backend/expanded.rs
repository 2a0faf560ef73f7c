//! Expanded keys in their slots, tied to their backend, and the guard inside which they are used.

use super::aead::{Aead, Cipher};
use super::{Cpu, Message};
use crate::error::Error;
use crate::hw::memory::{Grain, SharedSlot, Slot};
use crate::hw::timing;
use crate::kernel::state::Schedule;
use crate::lanes::{Block, Bytes, KeyBits, RawKey};
use core::marker::PhantomData;
use core::ops::Deref;

/// The round keys of one AES key, for single blocks and keystream. Clones share one slot, and may
/// be used on any thread. The slot is wiped when the last clone is dropped.
#[derive(Clone)]
pub struct RoundKeys {
    cpu: Cpu,
    bits: KeyBits,
    /// Begins with the schedule that the entry points of `cpu` filled for a key of `bits`.
    slot: SharedSlot,
}

/// An AES-GCM key: round keys and powers of H. Clones share one slot, as those of [`RoundKeys`] do.
#[derive(Clone)]
pub struct GcmKey {
    /// The slot holds the `state_bytes` that the entry points of `keys.cpu` filled.
    keys: RoundKeys,
}

impl RoundKeys {
    /// Bytes that the slot must have: 240.
    pub const BYTES: usize = size_of::<Schedule>();

    /// Expands `key` into `slot`, which needs at least [`BYTES`](Self::BYTES).
    ///
    /// # Errors
    /// [`Error::NoMemory`] if `slot` is too short. The slot is then dropped.
    pub fn new(cpu: Cpu, key: RawKey, mut slot: Slot) -> Result<Self, Error> {
        if slot.length() < Self::BYTES {
            return Err(Error::NoMemory);
        }
        let schedule = slot.bytes().as_mut_ptr().cast();
        // SAFETY: `cpu` proves the features. The slot is ours, initialised, aligned, long enough.
        guarded(cpu, || unsafe { (cpu.entry().single_blocks.expand)(schedule, key) });
        Ok(Self { cpu, bits: key.bits(), slot: slot.share() })
    }

    /// Lends the cipher to `work` for any number of calls, inside one guard. During `work`, timing
    /// does not depend on the data, if the CPU has a mode for this. Afterwards the guard clears
    /// vector registers and stack, since a core dump could otherwise show parts of the key. A
    /// signal during `work` may save registers further down the stack, where they stay.
    ///
    /// `work` must be inlined: a function of its own would have another frame, and its calls would
    /// leave key material below the part that is cleared. `checks/codegen` verifies this in the
    /// machine code. `work` must not panic either: registers and stack would stay as they are.
    #[inline(always)]
    pub fn within<R>(&self, work: impl FnOnce(Aes<'_>) -> R) -> R {
        guarded(self.cpu, || work(Aes::of(self)))
    }

    /// The backend that the keys are expanded for.
    pub fn cpu(&self) -> Cpu {
        self.cpu
    }

    /// Bytes of the slot that holds the keys.
    pub fn state_bytes(&self) -> usize {
        self.slot.length()
    }

    fn schedule(&self) -> *const Schedule {
        self.slot.as_ptr().cast()
    }
}

impl GcmKey {
    /// Expands `key` into `slot`, which needs at least [`Cpu::state_bytes`].
    ///
    /// # Errors
    /// [`Error::NoMemory`] if `slot` is too short. The slot is then dropped.
    pub fn new(cpu: Cpu, key: RawKey, mut slot: Slot) -> Result<Self, Error> {
        if slot.length() < cpu.state_bytes() {
            return Err(Error::NoMemory);
        }
        let entry = cpu.entry();
        let state: *mut Grain = slot.bytes().as_mut_ptr().cast();
        // SAFETY: `cpu` proves the features. The slot is owned, initialised, aligned like `Grain`,
        // and has `state_bytes`. A state begins with its schedule, which is filled first.
        guarded(cpu, || unsafe {
            (entry.single_blocks.expand)(state.cast(), key);
            (entry.gcm.expand)(state, key.bits());
        });
        Ok(Self { keys: RoundKeys { cpu, bits: key.bits(), slot: slot.share() } })
    }
}

impl Aead<12> for GcmKey {
    type Cipher<'a> = Gcm<'a>;

    fn expand(
        cpu: Cpu,
        key: RawKey,
        mut place: impl FnMut(usize) -> Result<Slot, Error>,
    ) -> Result<Self, Error> {
        Self::new(cpu, key, place(cpu.state_bytes())?)
    }

    fn for_thread(&self, _: impl FnMut(usize) -> Result<Slot, Error>) -> Result<Self, Error> {
        Ok(self.clone())
    }

    #[inline(always)]
    fn within<R>(&self, work: impl FnOnce(Gcm<'_>) -> R) -> R {
        guarded(self.keys.cpu, || work(Gcm { aes: Aes::of(&self.keys) }))
    }

    fn copy_key(&self, out: Bytes) -> Result<(), Error> {
        // SAFETY: `cpu` filled the schedule for `bits`, and nothing writes it any more.
        unsafe { copy_key(self.keys.cpu, self.keys.schedule(), self.keys.bits, out) }
    }

    fn slot(&self) -> &Slot {
        &self.keys.slot
    }

    fn state_bytes(&self) -> usize {
        self.keys.state_bytes()
    }
}

/// AES inside a guard.
#[derive(Clone, Copy)]
pub struct Aes<'a> {
    keys: &'a RoundKeys,
    /// Not `Send`: a guard clears the registers and the stack of its own thread.
    thread: PhantomData<*const ()>,
}

impl<'a> Aes<'a> {
    #[inline(always)]
    fn of(keys: &'a RoundKeys) -> Self {
        Self { keys, thread: PhantomData }
    }

    /// Encrypts each of `blocks` in place.
    #[inline(always)]
    pub fn encrypt(self, blocks: &mut [Block]) {
        let RoundKeys { cpu, bits, .. } = *self.keys;
        // SAFETY: `cpu` proves the features, and its entry points filled the slot for `bits`.
        unsafe { (cpu.entry().single_blocks.encrypt)(self.keys.schedule(), bits, blocks) }
    }

    /// XORs the keystream of a message (counters from 2) onto `source` and writes the result to
    /// `target`. Both have the same length, and are the same memory or do not overlap.
    #[inline(always)]
    pub fn keystream(self, nonce: &[u8; 12], source: Bytes, target: Bytes) {
        debug_assert_eq!(source.len(), target.len());
        let RoundKeys { cpu, bits, .. } = *self.keys;
        let message = Message { nonce, aad: &[], source, target };
        // SAFETY: as in `encrypt`.
        unsafe { (cpu.entry().keystream)(self.keys.schedule(), bits, message) }
    }
}

/// AES-GCM inside a guard.
#[derive(Clone, Copy)]
pub struct Gcm<'a> {
    aes: Aes<'a>,
}

impl<'a> Deref for Gcm<'a> {
    type Target = Aes<'a>;

    #[inline(always)]
    fn deref(&self) -> &Aes<'a> {
        &self.aes
    }
}

impl Gcm<'_> {
    /// AES with other keys for the same backend, inside the same guard.
    #[inline(always)]
    pub fn with_round_keys(self, keys: &RoundKeys) -> Aes<'_> {
        debug_assert!(core::ptr::eq(self.keys.cpu.0, keys.cpu.0));
        Aes::of(keys)
    }

    /// AES-GCM with another key for the same backend, inside the same guard.
    #[inline(always)]
    pub fn with_key(self, key: &GcmKey) -> Gcm<'_> {
        Gcm { aes: self.with_round_keys(&key.keys) }
    }

    #[inline(always)]
    fn parts(self) -> (Cpu, *const Grain, KeyBits) {
        let RoundKeys { cpu, bits, ref slot } = *self.aes.keys;
        (cpu, slot.as_ptr(), bits)
    }
}

impl Cipher<12> for Gcm<'_> {
    #[inline(always)]
    fn seal(self, message: Message) -> Block {
        debug_assert_eq!(message.source.len(), message.target.len());
        let (cpu, state, bits) = self.parts();
        // SAFETY: `cpu` proves the features, and its entry points filled the slot for `bits`.
        unsafe { (cpu.entry().gcm.seal)(state, bits, message) }
    }

    /// Short texts of one length are encrypted at once, which is faster.
    #[inline(always)]
    fn seal_pair(self, a: Message, b: Message) -> [Block; 2] {
        let (cpu, state, bits) = self.parts();
        let (gcm, length) = (&cpu.entry().gcm, a.source.len());
        let one_length =
            a.target.len() == length && b.source.len() == length && b.target.len() == length;
        let most_aad = a.aad.len().max(b.aad.len());
        if !one_length || !(1..=gcm.pair.text).contains(&length) || most_aad > gcm.pair.aad {
            return [self.seal(a), self.seal(b)];
        }
        // SAFETY: as in `seal`.
        unsafe { (gcm.seal_pair)(state, bits, a, b) }
    }

    #[inline(always)]
    fn seal_pieces(self, nonce: &[u8; 12], aad: Bytes, pieces: &[Bytes], target: Bytes) -> Block {
        debug_assert_eq!(pieces.iter().map(|piece| piece.len()).sum::<usize>(), target.len());
        let (cpu, state, bits) = self.parts();
        let message = Message { nonce, aad, source: &[], target };
        // SAFETY: as in `seal`.
        unsafe { (cpu.entry().gcm.seal_pieces)(state, bits, message, pieces) }
    }

    #[inline(always)]
    fn decrypt_unverified(self, message: Message, _: &Block) -> Block {
        debug_assert_eq!(message.source.len(), message.target.len());
        let (cpu, state, bits) = self.parts();
        // SAFETY: as in `seal`.
        unsafe { (cpu.entry().gcm.open)(state, bits, message) }
    }

    #[inline(always)]
    fn authenticate(self, nonce: &[u8; 12], _: &Block, aad: Bytes, ciphertext: Bytes) -> Block {
        let (cpu, state, bits) = self.parts();
        let message = Message { nonce, aad, source: ciphertext, target: &[] };
        // SAFETY: as in `seal`.
        unsafe { (cpu.entry().gcm.authenticate)(state, bits, message) }
    }

    #[inline(always)]
    fn keystream(self, nonce: &[u8; 12], _: &Block, source: Bytes, target: Bytes) {
        self.aes.keystream(nonce, source, target);
    }
}

/// Writes the key of a schedule to `out`, which has its length: AES begins with the key itself
/// as its first round keys (FIPS 197 5.2), one for AES-128 and two for AES-256.
///
/// # Errors
/// [`Error::InvalidKeyLength`] for an `out` of another length. A failed call does not write.
///
/// # Safety
/// The entry points of `cpu` filled `schedule` for `bits`, and it is not written during the call.
pub(super) unsafe fn copy_key(
    cpu: Cpu,
    schedule: *const Schedule,
    bits: KeyBits,
    out: Bytes,
) -> Result<(), Error> {
    let bytes = match bits {
        KeyBits::Aes128 => 16,
        KeyBits::Aes256 => 32,
    };
    if out.len() != bytes {
        return Err(Error::InvalidKeyLength);
    }
    guarded(cpu, || {
        // SAFETY: the caller's promise.
        let keys = unsafe { &(*schedule).round_keys };
        for (to, from) in out.iter().zip(keys.as_flattened()) {
            to.set(*from);
        }
    });
    Ok(())
}

/// Runs `work`, which calls entry points of `cpu`, and then clears vector registers and stack.
// Inlined: the entry points and `forget` use the same part of the stack if called from one frame.
#[inline(always)]
pub(super) fn guarded<R>(cpu: Cpu, work: impl FnOnce() -> R) -> R {
    timing::independent(|| {
        let given = work();
        #[cfg(feature = "faults")]
        if crate::faults::KEEP_REGISTERS.is_on() {
            return given;
        }
        // SAFETY: `cpu` proves the features.
        unsafe { (cpu.entry().forget)() }
        given
    })
}
