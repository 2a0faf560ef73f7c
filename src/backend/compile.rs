//! The macro that compiles the kernel into the table of a backend's entry points.

/// Compiles the kernel for the register type `$V` and groups of `$S` registers. One list of
/// features controls code generation and run-time detection, so the two cannot drift apart.
///
/// - The compiler also enables features that the list implies: SSE4.2 with AVX (every CPU with AVX
///   has SSE4.2), and FMA and F16C with AVX-512F (the detection of AVX-512F asks for both).
/// - The features after `including` are only detected: to the compiler, a listed one has them.
/// - `and $SINGLE_BLOCKS` also compiles [`SingleBlocks`]; `single blocks of` refers to some.
macro_rules! backend {
    ($ENTRY:ident and $SINGLE_BLOCKS:ident: $V:ty, S = $S:literal,
     $detect:ident[$($feature:tt)+] $(including [$($part:tt)+])?) => {
        pub(super) static $SINGLE_BLOCKS: $crate::backend::entry::SingleBlocks = {
            use $crate::backend::entry::SingleBlocks;
            use $crate::kernel::{aes, base64url, state::Schedule};
            use $crate::lanes::{Block, KeyBits, RawKey};

            $(#[target_feature(enable = $feature)])+
            unsafe fn expand(schedule: *mut Schedule, key: RawKey) {
                // SAFETY: the caller (`new` of `RoundKeys` or `GcmKey`) gives aligned, initialised
                // memory for a schedule, which only the caller uses.
                aes::expand::<$V>(key, unsafe { &mut *schedule });
            }

            $(#[target_feature(enable = $feature)])+
            unsafe fn encrypt(schedule: *const Schedule, bits: KeyBits, blocks: &mut [Block]) {
                // SAFETY: the caller (`Aes::encrypt`) passes the schedule that `expand` filled, in
                // a shared slot, whose bytes `blocks` cannot overlap.
                aes::encrypt_in_place::<$V>(unsafe { &*schedule }, bits, blocks);
            }

            $(#[target_feature(enable = $feature)])+
            unsafe fn encode(bytes: &[u8], text: &mut [Block]) {
                base64url::encode::<$V>(bytes, text);
            }

            $(#[target_feature(enable = $feature)])+
            unsafe fn decode(text: &[Block], bytes: &mut [u8]) -> bool {
                base64url::decode::<$V>(text, bytes)
            }

            SingleBlocks {
                features: $crate::backend::compile::features!($detect[$($feature)+] $(including [$($part)+])?),
                expand,
                encrypt,
                encode,
                decode,
            }
        };
        $crate::backend::compile::backend!($ENTRY: $V, S = $S, single blocks of $SINGLE_BLOCKS,
            $detect[$($feature)+] $(including [$($part)+])?);
    };
    ($ENTRY:ident: $V:ty, S = $S:literal, single blocks of $SINGLE_BLOCKS:path,
     $detect:ident[$($feature:tt)+] $(including [$($part:tt)+])?) => {
        pub(super) const $ENTRY: $crate::backend::entry::Entry = {
            use core::mem::offset_of;
            use $crate::backend::entry::{Entry, FieldEntry, GcmEntry, Message, Pair, SivEntry, XaesEntry};
            use $crate::hw::memory::Grain;
            use $crate::kernel::gf2_256::{self, Element};
            use $crate::kernel::state::{KeyState, Powers, Schedule};
            use $crate::kernel::xaes::{self, Main};
            use $crate::kernel::{ctr, gcm, pair, siv};
            use $crate::lanes::{Block, Bytes, KeyBits, Lanes};

            /// Number of powers of H: one for each block of a group, and one for the length block.
            const POWERS: usize = $S * <$V as Lanes>::BLOCKS + 1;
            /// Unused blocks between powers and halves: see `Powers`.
            const GAP: usize = if <$V as Lanes>::BLOCKS == 1 { 0 } else { 3 };
            type State = KeyState<POWERS, GAP>;
            const _: () = assert!(align_of::<State>() <= align_of::<Grain>());
            // A pointer to a state is also a pointer to its schedule.
            const _: () = assert!(offset_of!(State, schedule) == 0);
            // In a slot on a cache line, no register of a group crosses a line: see `Powers`.
            const _: () = {
                let second_power = offset_of!(State, powers) + 16;
                let second_half = second_power + offset_of!(Powers<POWERS, GAP>, halves);
                assert!(size_of::<State>().is_multiple_of(<$V as Lanes>::BYTES));
                assert!(second_power.is_multiple_of(<$V as Lanes>::BYTES));
                assert!(second_half.is_multiple_of(<$V as Lanes>::BYTES));
            };

            $(#[target_feature(enable = $feature)])+
            unsafe fn keystream(schedule: *const Schedule, bits: KeyBits, m: Message) {
                // SAFETY: the caller (`Aes::keystream`) passes a schedule of `single_blocks`.
                ctr::apply::<$V, $S>(unsafe { &*schedule }, bits, m.nonce, m.source, m.target);
            }

            $(#[target_feature(enable = $feature)])+
            unsafe fn expand(state: *mut Grain, bits: KeyBits) {
                // SAFETY: the caller (`GcmKey::new`) alone uses these `state_bytes` of aligned,
                // initialised memory.
                let state = unsafe { &mut *state.cast::<State>() };
                gcm::expand::<$V, $S, POWERS, GAP>(state, bits);
            }

            $(#[target_feature(enable = $feature)])+
            unsafe fn seal(state: *const Grain, bits: KeyBits, m: Message) -> Block {
                // SAFETY: the caller (`Gcm`) passes a state that both functions `expand` filled.
                let state = unsafe { &*state.cast::<State>() };
                gcm::crypt::<$V, $S, POWERS, GAP, true>(state, bits, m.nonce, m.aad, m.source, m.target)
            }

            $(#[target_feature(enable = $feature)])+
            unsafe fn seal_pieces(
                state: *const Grain,
                bits: KeyBits,
                m: Message,
                pieces: &[Bytes],
            ) -> Block {
                // SAFETY: as in `seal`.
                let state = unsafe { &*state.cast::<State>() };
                gcm::seal_pieces::<$V, $S, POWERS, GAP>(state, bits, m.nonce, m.aad, pieces, m.target)
            }

            $(#[target_feature(enable = $feature)])+
            unsafe fn seal_pair(
                state: *const Grain,
                bits: KeyBits,
                a: Message,
                b: Message,
            ) -> [Block; 2] {
                // SAFETY: as in `seal`.
                let state = unsafe { &*state.cast::<State>() };
                let pair = pair::Pair {
                    nonces: [a.nonce, b.nonce],
                    aads: [a.aad, b.aad],
                    texts: [(a.source, a.target), (b.source, b.target)],
                    length: a.source.len(),
                };
                pair::seal::<$V, POWERS, GAP>(state, bits, &pair)
            }

            $(#[target_feature(enable = $feature)])+
            unsafe fn open(state: *const Grain, bits: KeyBits, m: Message) -> Block {
                // SAFETY: as in `seal`.
                let state = unsafe { &*state.cast::<State>() };
                gcm::crypt::<$V, $S, POWERS, GAP, false>(state, bits, m.nonce, m.aad, m.source, m.target)
            }

            $(#[target_feature(enable = $feature)])+
            unsafe fn authenticate(state: *const Grain, bits: KeyBits, m: Message) -> Block {
                // SAFETY: as in `seal`.
                let state = unsafe { &*state.cast::<State>() };
                gcm::authenticate::<$V, $S, POWERS, GAP>(state, bits, m.nonce, m.aad, m.source)
            }

            $(#[target_feature(enable = $feature)])+
            unsafe fn expand_main(main: *mut Main) {
                // SAFETY: `Xaes::complete` alone uses this aligned, initialised `Main`.
                xaes::expand::<<$V as Lanes>::One>(unsafe { &mut *main });
            }

            $(#[target_feature(enable = $feature)])+
            unsafe fn derive(main: *const Main, nonce: &[u8; 12], state: *mut Grain, blocks: usize) {
                // SAFETY: the caller (`derived` of `xaes`) passes a filled `Main`, and separate
                // `state_bytes` of aligned, initialised memory that only it uses.
                let (main, state) = unsafe { (&*main, &mut *state.cast::<State>()) };
                xaes::derive::<$V, $S, POWERS, GAP>(main, nonce, state, blocks);
            }

            $(#[target_feature(enable = $feature)])+
            unsafe fn wipe(state: *mut Grain, blocks: usize) {
                // SAFETY: as in `derive`.
                let state = unsafe { &mut *state.cast::<State>() };
                gcm::wipe::<$V, $S, POWERS, GAP>(state, blocks);
            }

            $(#[target_feature(enable = $feature)])+
            unsafe fn derive_siv(
                main: *const Schedule,
                bits: KeyBits,
                nonce: &[u8; 12],
                state: *mut Grain,
                blocks: usize,
            ) {
                // SAFETY: as in `derive`, with the schedule that `single_blocks` filled.
                let (main, state) = unsafe { (&*main, &mut *state.cast::<State>()) };
                siv::derive::<$V, $S, POWERS, GAP>(main, bits, nonce, state, blocks);
            }

            $(#[target_feature(enable = $feature)])+
            unsafe fn seal_siv(state: *const Grain, bits: KeyBits, m: Message) -> Block {
                // SAFETY: the caller (`DerivedCipher`) passes a state that `derive_siv` filled.
                let state = unsafe { &*state.cast::<State>() };
                siv::seal::<$V, $S, POWERS, GAP>(state, bits, m.nonce, m.aad, m.source, m.target)
            }

            $(#[target_feature(enable = $feature)])+
            unsafe fn open_siv(state: *const Grain, bits: KeyBits, m: Message, tag: &Block) -> Block {
                // SAFETY: as in `seal_siv`.
                let state = unsafe { &*state.cast::<State>() };
                siv::open::<$V, $S, POWERS, GAP>(state, bits, m.nonce, tag, m.aad, m.source, m.target)
            }

            $(#[target_feature(enable = $feature)])+
            unsafe fn authenticate_siv(
                state: *const Grain,
                bits: KeyBits,
                m: Message,
                tag: &Block,
            ) -> Block {
                // SAFETY: as in `seal_siv`.
                let state = unsafe { &*state.cast::<State>() };
                siv::authenticate::<$V, $S, POWERS, GAP>(state, bits, m.nonce, tag, m.aad, m.source)
            }

            $(#[target_feature(enable = $feature)])+
            unsafe fn keystream_siv(state: *const Grain, bits: KeyBits, m: Message, tag: &Block) {
                // SAFETY: as in `seal_siv`.
                let state = unsafe { &*state.cast::<State>() };
                siv::keystream::<$V, $S>(&state.schedule, bits, tag, m.source, m.target);
            }

            $(#[target_feature(enable = $feature)])+
            unsafe fn multiply(a: &mut [Element], b: &[Element]) {
                gf2_256::multiply::<$V>(a, b);
            }

            // One register of one block: the lanes of a wider one would all compute the same.
            $(#[target_feature(enable = $feature)])+
            unsafe fn invert(a: &mut Element) {
                gf2_256::invert::<<$V as Lanes>::One>(a);
            }

            $(#[target_feature(enable = $feature)])+
            unsafe fn evaluate(
                coefficients: &[Element],
                points: &[Element],
                values: &mut [Element],
            ) {
                gf2_256::evaluate::<$V>(coefficients, points, values);
            }

            $(#[target_feature(enable = $feature)])+
            unsafe fn lagrange(
                points: &[Element],
                weights: &mut [Element],
                products: &mut [Element],
            ) {
                gf2_256::lagrange::<$V>(points, weights, products);
            }

            $(#[target_feature(enable = $feature)])+
            unsafe fn power_sums(
                weights: &[Element],
                values: &[Element],
                points: &[Element],
                sums: &mut [Element],
            ) {
                gf2_256::power_sums::<$V>(weights, values, points, sums);
            }

            #[cfg(feature = "faults")]
            $(#[target_feature(enable = $feature)])+
            unsafe fn ghash_multiply(a: &Block, b: &Block) -> Block {
                $crate::kernel::ghash::product::<$V>(a, b)
            }

            $(#[target_feature(enable = $feature)])+
            unsafe fn forget() {
                <$V>::forget();
            }

            Entry {
                features: $crate::backend::compile::features!($detect[$($feature)+] $(including [$($part)+])?),
                single_blocks: &$SINGLE_BLOCKS,
                keystream,
                gcm: GcmEntry {
                    state_bytes: size_of::<State>(),
                    expand,
                    seal,
                    seal_pieces,
                    seal_pair,
                    pair: Pair {
                        text: pair::MAX_REGISTERS * <$V as Lanes>::BYTES,
                        // Text and AAD fill at most a group, for which there are powers.
                        aad: ($S - pair::MAX_REGISTERS) * <$V as Lanes>::BYTES,
                    },
                    open,
                    authenticate,
                },
                xaes: XaesEntry { expand: expand_main, derive },
                siv: SivEntry {
                    derive: derive_siv,
                    seal: seal_siv,
                    open: open_siv,
                    authenticate: authenticate_siv,
                    keystream: keystream_siv,
                },
                wipe,
                field: FieldEntry { multiply, invert, evaluate, lagrange, power_sums },
                forget,
                #[cfg(feature = "faults")]
                ghash_multiply,
            }
        };
    };
}
pub(super) use backend;

/// Names of features, each with its run-time detection.
macro_rules! features {
    ($detect:ident[$($feature:tt)+] $(including [$($part:tt)+])?) => {
        &[
            $(($feature, || std::arch::$detect!($feature)),)+
            $($(($part, || std::arch::$detect!($part)),)+)?
        ]
    };
}
pub(super) use features;
