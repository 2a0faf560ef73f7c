//! XAES-256-GCM (C2SP XAES-256-GCM v1): a main key, and for each message an AES-256-GCM key.

use super::aead::Cipher;
use super::derived::{Derived, DerivedCipher, MainKey};
use super::{Cpu, Message};
use crate::hw::memory::Grain;
use crate::kernel::state::Schedule;
use crate::kernel::xaes::Main;
use crate::lanes::{Block, Bytes, KeyBits};

/// An expanded key of XAES-256-GCM.
pub type XaesKey = Derived<Xaes, 24>;

/// Its main key: a [`Main`].
#[derive(Clone, Copy)]
pub struct Xaes;

impl MainKey for Xaes {
    const BYTES: usize = size_of::<Main>();

    fn takes(bits: KeyBits) -> bool {
        bits == KeyBits::Aes256
    }

    unsafe fn complete(cpu: Cpu, main: *mut Schedule) {
        // SAFETY: `cpu` proves the features; otherwise the caller's promise.
        unsafe { (cpu.entry().xaes.expand)(main.cast()) }
    }
}

impl DerivedCipher<'_, Xaes, 24> {
    /// Lends AES-GCM's state for the message with this nonce, and the rest of the nonce, to `work`.
    #[inline(always)]
    fn derived<R>(
        self,
        nonce: &[u8; 24],
        lengths: Option<(usize, usize)>,
        work: impl FnOnce(*const Grain, &[u8; 12]) -> R,
    ) -> R {
        let derive = self.cpu().entry().xaes.derive;
        // SAFETY: 24 bytes are twice twelve, and bytes have no alignment.
        let [first, last] = unsafe { &*core::ptr::from_ref(nonce).cast::<[[u8; 12]; 2]>() };
        self.lend(
            lengths,
            // SAFETY: `cpu` proves the features and filled `main`; `state` is lent to us alone.
            |main, _, state, blocks| unsafe { derive(main.cast(), first, state, blocks) },
            |state| work(state, last),
        )
    }
}

impl Cipher<24> for DerivedCipher<'_, Xaes, 24> {
    #[inline(always)]
    fn seal(self, message: Message<24>) -> Block {
        let Message { nonce, aad, source, target } = message;
        let seal = self.cpu().entry().gcm.seal;
        self.derived(nonce, Some((aad.len(), source.len())), |state, nonce| {
            // SAFETY: `cpu` proves the features, and `derive` filled the state for AES-256.
            unsafe { seal(state, KeyBits::Aes256, Message { nonce, aad, source, target }) }
        })
    }

    #[inline(always)]
    fn seal_pieces(self, nonce: &[u8; 24], aad: Bytes, pieces: &[Bytes], target: Bytes) -> Block {
        let seal_pieces = self.cpu().entry().gcm.seal_pieces;
        self.derived(nonce, Some((aad.len(), target.len())), |state, nonce| {
            let message = Message { nonce, aad, source: &[], target };
            // SAFETY: as in `seal`.
            unsafe { seal_pieces(state, KeyBits::Aes256, message, pieces) }
        })
    }

    #[inline(always)]
    fn decrypt_unverified(self, message: Message<24>, _: &Block) -> Block {
        let Message { nonce, aad, source, target } = message;
        let open = self.cpu().entry().gcm.open;
        self.derived(nonce, Some((aad.len(), source.len())), |state, nonce| {
            // SAFETY: as in `seal`.
            unsafe { open(state, KeyBits::Aes256, Message { nonce, aad, source, target }) }
        })
    }

    #[inline(always)]
    fn authenticate(self, nonce: &[u8; 24], _: &Block, aad: Bytes, ciphertext: Bytes) -> Block {
        let authenticate = self.cpu().entry().gcm.authenticate;
        self.derived(nonce, Some((aad.len(), ciphertext.len())), |state, nonce| {
            let message = Message { nonce, aad, source: ciphertext, target: &[] };
            // SAFETY: as in `seal`.
            unsafe { authenticate(state, KeyBits::Aes256, message) }
        })
    }

    #[inline(always)]
    fn keystream(self, nonce: &[u8; 24], _: &Block, source: Bytes, target: Bytes) {
        let keystream = self.cpu().entry().keystream;
        self.derived(nonce, None, |state, nonce| {
            let message = Message { nonce, aad: &[], source, target };
            // SAFETY: as in `seal`. A state begins with its schedule.
            unsafe { keystream(state.cast(), KeyBits::Aes256, message) }
        });
    }
}
