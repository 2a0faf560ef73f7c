//! Ciphers that derive the key of a message: a main key in one slot, and in another one the state
//! of the message in work, which is derived, used and wiped inside the guard.

use super::Cpu;
use super::aead::{Aead, Cipher};
use super::expanded::{copy_key, guarded};
use crate::error::Error;
use crate::hw::memory::{Grain, SharedSlot, Slot};
use crate::kernel::state::Schedule;
use crate::lanes::{Bytes, KeyBits, RawKey};
use core::cell::Cell;
use core::marker::PhantomData;

/// The main key of a cipher.
pub trait MainKey: Copy + 'static {
    /// Bytes of the main key, which begins with a schedule.
    const BYTES: usize;

    /// Whether the cipher has keys of this length.
    fn takes(bits: KeyBits) -> bool;

    /// Fills what follows the schedule. Called inside the guard.
    ///
    /// # Safety
    /// `main` points at `BYTES` bytes for this caller alone, with a schedule that `cpu` filled.
    unsafe fn complete(cpu: Cpu, main: *mut Schedule);
}

/// A key of the cipher whose main key is `M`, with nonces of `N` bytes: two slots.
pub struct Derived<M, const N: usize> {
    cpu: Cpu,
    bits: KeyBits,
    /// Begins with the main key, of `bits`, that `cpu` filled. Keys on several threads share it.
    main: SharedSlot,
    /// At least `state_bytes` of `cpu`: the state of the current message, zeros between messages.
    message: Slot,
    /// Not `Sync`: `lend` grants exclusive use of `message`.
    one_thread: PhantomData<Cell<()>>,
    cipher: PhantomData<fn() -> M>,
}

impl<M: MainKey, const N: usize> Aead<N> for Derived<M, N>
where
    for<'a> DerivedCipher<'a, M, N>: Cipher<N>,
{
    type Cipher<'a> = DerivedCipher<'a, M, N>;

    /// # Errors
    /// [`Error::InvalidKeyLength`] for other lengths; [`Error::NoMemory`] for short slots.
    fn expand(
        cpu: Cpu,
        key: RawKey,
        mut place: impl FnMut(usize) -> Result<Slot, Error>,
    ) -> Result<Self, Error> {
        let bits = key.bits();
        if !M::takes(bits) {
            return Err(Error::InvalidKeyLength);
        }
        let (mut main, message) = (place(M::BYTES)?, place(cpu.state_bytes())?);
        if main.length() < M::BYTES || message.length() < cpu.state_bytes() {
            return Err(Error::NoMemory);
        }
        let at: *mut Grain = main.bytes().as_mut_ptr().cast();
        // SAFETY: `cpu` proves the features. The slot is owned here, initialised, aligned like
        // `Grain`, and has `BYTES`. A main key begins with its schedule, which is filled first.
        guarded(cpu, || unsafe {
            (cpu.entry().single_blocks.expand)(at.cast(), key);
            M::complete(cpu, at.cast());
        });
        let (one_thread, cipher) = (PhantomData, PhantomData);
        Ok(Self { cpu, bits, main: main.share(), message, one_thread, cipher })
    }

    /// # Errors
    /// Those of `place`; [`Error::NoMemory`] if its slot is too short.
    fn for_thread(
        &self,
        mut place: impl FnMut(usize) -> Result<Slot, Error>,
    ) -> Result<Self, Error> {
        let message = place(self.cpu.state_bytes())?;
        if message.length() < self.cpu.state_bytes() {
            return Err(Error::NoMemory);
        }
        let (cpu, bits, main) = (self.cpu, self.bits, self.main.clone());
        Ok(Self { cpu, bits, main, message, one_thread: PhantomData, cipher: PhantomData })
    }

    #[inline(always)]
    fn within<R>(&self, work: impl FnOnce(DerivedCipher<'_, M, N>) -> R) -> R {
        guarded(self.cpu, || work(DerivedCipher { key: self, thread: PhantomData }))
    }

    fn copy_key(&self, out: Bytes) -> Result<(), Error> {
        // SAFETY: the main key begins with the schedule, filled for `bits`, and is read-only.
        unsafe { copy_key(self.cpu, self.main.as_ptr().cast(), self.bits, out) }
    }

    fn slot(&self) -> &Slot {
        &self.main
    }

    fn state_bytes(&self) -> usize {
        self.main.length() + self.message.length()
    }
}

/// The cipher of such a key inside a guard. XAES-256-GCM and AES-GCM-SIV implement `Cipher` for it.
#[derive(Clone, Copy)]
pub struct DerivedCipher<'a, M, const N: usize> {
    key: &'a Derived<M, N>,
    /// Not `Send`: a guard clears the registers and the stack of its own thread.
    thread: PhantomData<*const ()>,
}

impl<M: MainKey, const N: usize> DerivedCipher<'_, M, N> {
    /// The backend of the key.
    #[inline(always)]
    pub(super) fn cpu(self) -> Cpu {
        self.key.cpu
    }

    /// The bits of the main key.
    #[inline(always)]
    pub(super) fn bits(self) -> KeyBits {
        self.key.bits
    }

    /// Derives the state of a message by `derive`, which gets the main key, its bits, the state,
    /// and a number of blocks; lends the state to `work`, and wipes it. `lengths` are the bytes of
    /// AAD and of text that `work` hashes; without them, the state has no powers of H.
    #[inline(always)]
    pub(super) fn lend<R>(
        self,
        lengths: Option<(usize, usize)>,
        derive: impl FnOnce(*const Grain, KeyBits, *mut Grain, usize),
        work: impl FnOnce(*const Grain) -> R,
    ) -> R {
        let Derived { cpu, bits, main, message, .. } = self.key;
        let state = message.as_ptr().cast_mut();
        let blocks = lengths.map_or(0, |(aad, text)| {
            aad.div_ceil(16).saturating_add(text.div_ceil(16)).saturating_add(1)
        });
        derive(main.as_ptr(), *bits, state, blocks);
        let given = work(state);
        // SAFETY: `cpu` proves the features. This key alone has `message`, of `state_bytes`, on one
        // thread.
        unsafe { (cpu.entry().wipe)(state, blocks) };
        given
    }
}
