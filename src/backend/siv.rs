//! AES-GCM-SIV (RFC 8452): a main key, and an authentication and an encryption key for each nonce.

use super::aead::Cipher;
use super::derived::{Derived, DerivedCipher, MainKey};
use super::{Cpu, Message, RoundKeys};
use crate::hw::memory::Grain;
use crate::kernel::state::Schedule;
use crate::lanes::{Block, Bytes, KeyBits};

/// An expanded key of AES-GCM-SIV.
pub type SivKey = Derived<Siv, 12>;

/// Its main key, the key-generating key: a schedule alone.
#[derive(Clone, Copy)]
pub struct Siv;

impl MainKey for Siv {
    const BYTES: usize = RoundKeys::BYTES;

    fn takes(_: KeyBits) -> bool {
        true
    }

    unsafe fn complete(_: Cpu, _: *mut Schedule) {}
}

impl DerivedCipher<'_, Siv, 12> {
    /// Lends the state for the messages with this nonce, and the bits of the key, to `work`.
    #[inline(always)]
    fn derived<R>(
        self,
        nonce: &[u8; 12],
        lengths: Option<(usize, usize)>,
        work: impl FnOnce(*const Grain, KeyBits) -> R,
    ) -> R {
        let derive = self.cpu().entry().siv.derive;
        self.lend(
            lengths,
            // SAFETY: `cpu` proves the features and filled `main`; `state` is lent to us alone.
            |main, bits, state, blocks| unsafe { derive(main.cast(), bits, nonce, state, blocks) },
            |state| work(state, self.bits()),
        )
    }
}

impl Cipher<12> for DerivedCipher<'_, Siv, 12> {
    #[inline(always)]
    fn seal(self, message: Message) -> Block {
        debug_assert_eq!(message.source.len(), message.target.len());
        let seal = self.cpu().entry().siv.seal;
        let lengths = Some((message.aad.len(), message.source.len()));
        // SAFETY: `cpu` proves the features. `derive` filled the state for the bits and the nonce.
        self.derived(message.nonce, lengths, |state, bits| unsafe { seal(state, bits, message) })
    }

    /// The pieces are copied to the target, because both passes read the text.
    #[inline(always)]
    fn seal_pieces(self, nonce: &[u8; 12], aad: Bytes, pieces: &[Bytes], target: Bytes) -> Block {
        debug_assert_eq!(pieces.iter().map(|piece| piece.len()).sum::<usize>(), target.len());
        let mut left = target;
        for piece in pieces {
            // This early return is never taken: the pieces are as long as the target.
            let Some((place, after)) = left.split_at_checked(piece.len()) else { break };
            for (to, from) in place.iter().zip(*piece) {
                to.set(from.get());
            }
            left = after;
        }
        self.seal(Message { nonce, aad, source: target, target })
    }

    #[inline(always)]
    fn decrypt_unverified(self, message: Message, tag: &Block) -> Block {
        debug_assert_eq!(message.source.len(), message.target.len());
        let open = self.cpu().entry().siv.open;
        let lengths = Some((message.aad.len(), message.source.len()));
        // SAFETY: as in `seal`.
        self.derived(message.nonce, lengths, |state, bits| unsafe {
            open(state, bits, message, tag)
        })
    }

    #[inline(always)]
    fn authenticate(self, nonce: &[u8; 12], tag: &Block, aad: Bytes, ciphertext: Bytes) -> Block {
        let authenticate = self.cpu().entry().siv.authenticate;
        let message = Message { nonce, aad, source: ciphertext, target: &[] };
        // SAFETY: as in `seal`.
        self.derived(nonce, Some((aad.len(), ciphertext.len())), |state, bits| unsafe {
            authenticate(state, bits, message, tag)
        })
    }

    #[inline(always)]
    fn keystream(self, nonce: &[u8; 12], tag: &Block, source: Bytes, target: Bytes) {
        let keystream = self.cpu().entry().siv.keystream;
        self.derived(nonce, None, |state, bits| {
            let message = Message { nonce, aad: &[], source, target };
            // SAFETY: as in `seal`. A state begins with its schedule.
            unsafe { keystream(state, bits, message, tag) }
        });
    }
}
