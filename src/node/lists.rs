//! Arguments that are lists: the pieces of a plaintext, and the ends of ranges.

use super::arguments::Argument;
use super::bytes::{Borrowed, View};
use super::call::Call;
use super::scalars::{Whole, is_nullish, kind_of};
use super::status::{Reason, Refusal};
use crate::error::Error;
use crate::key::ranges::{ErrorAt, Ranges};
use crate::lanes;
use core::num::NonZeroUsize;
use core::ops::Deref;
use napi::sys;

/// The remaining arguments: two or three Uint8Arrays, or one array of at most [`MAX_PIECES`] of
/// them. Reading an element of an array takes twice as long as reading an argument.
pub(super) struct Pieces;

/// Most pieces of a plaintext.
const MAX_PIECES: u32 = 1 << 16;
/// Most pieces that are arguments.
const FEW: usize = 3;

/// Pieces that were inspected.
pub(super) enum PieceViews {
    Few([Option<View>; FEW]),
    Many(Vec<View>),
}

/// The memory of pieces.
pub(super) enum Gathered<'call> {
    /// A missing piece is empty.
    Few([lanes::Bytes<'call>; FEW]),
    Many(Vec<lanes::Bytes<'call>>),
}

impl<'call> Deref for Gathered<'call> {
    type Target = [lanes::Bytes<'call>];

    fn deref(&self) -> &[lanes::Bytes<'call>] {
        match self {
            Self::Few(pieces) => pieces,
            Self::Many(pieces) => pieces,
        }
    }
}

impl Argument for Pieces {
    type Inspected = PieceViews;
    type Taken<'call> = Gathered<'call>;

    #[inline(always)]
    fn inspect<const N: usize>(&self, call: &Call<N>, at: usize) -> Result<PieceViews, Refusal> {
        let views = &call.module.views;
        let given = call.count.min(N).saturating_sub(at);
        if given <= 1 {
            let elements = views.inspect_elements(call.env, call.argument(at), MAX_PIECES);
            return elements.map(PieceViews::Many).map_err(|refusal| refusal.about(at));
        }
        let mut few = [None; FEW];
        for (index, piece) in few.iter_mut().enumerate().take(given) {
            let view = views.inspect(call.env, call.argument(at + index));
            *piece = Some(view.map_err(|reason| Refusal::of(reason, at).in_element(index))?);
        }
        Ok(PieceViews::Few(few))
    }

    #[inline(always)]
    fn may_have_moved_memory<const N: usize>(inspected: &PieceViews, call: &Call<N>) -> bool {
        match inspected {
            PieceViews::Few(few) => {
                few.iter().flatten().any(|view| call.module.views.may_have_moved_memory(view))
            }
            // Reading an element may run a getter.
            PieceViews::Many(_) => true,
        }
    }

    #[inline(always)]
    unsafe fn borrow<'call>(
        inspected: PieceViews,
        env: sys::napi_env,
        again: bool,
        at: usize,
    ) -> Result<Self::Taken<'call>, Refusal> {
        match inspected {
            PieceViews::Few(few) => {
                let mut pieces = [Borrowed::EMPTY.bytes; FEW];
                for (piece, view) in pieces.iter_mut().zip(few.iter().flatten()) {
                    // SAFETY: the caller's promise.
                    *piece = unsafe { view.borrow(env, again, at) }?.bytes;
                }
                Ok(Gathered::Few(pieces))
            }
            PieceViews::Many(views) => {
                let mut pieces = Vec::new();
                pieces.try_reserve_exact(views.len()).map_err(|_| Error::NoMemory)?;
                for view in views {
                    // SAFETY: the caller's promise.
                    pieces.push(unsafe { view.borrow(env, again, at) }?.bytes);
                }
                Ok(Gathered::Many(pieces))
            }
        }
    }
}

/// A Uint32Array of range ends, or a range length in bytes, from 1 to 2^53.
pub(super) struct EndsOrLength;

/// Where ranges end, copied: the array may overlap memory that the call writes.
pub(super) enum Ends {
    Every(NonZeroUsize),
    At(Vec<u32>),
}

impl Ends {
    /// The ranges of `memory` that end there.
    pub(super) fn ranges<'a>(&'a self, memory: lanes::Bytes<'a>) -> Result<Ranges<'a>, ErrorAt> {
        match self {
            Self::Every(bytes) => Ranges::every(memory, *bytes),
            Self::At(ends) => Ranges::ending_at(memory, ends),
        }
    }
}

impl Argument for EndsOrLength {
    type Inspected = Ends;
    type Taken<'call> = Ends;

    fn inspect<const N: usize>(&self, call: &Call<N>, at: usize) -> Result<Ends, Refusal> {
        if kind_of(call.env, call.argument(at)) != sys::ValueType::napi_number {
            return OptionalEnds
                .inspect(call, at)?
                .map(Ends::At)
                .ok_or(Refusal::of(Reason::NotEnds, at));
        }
        let length = Whole(1..=1 << 53).inspect(call, at)?;
        let length = usize::try_from(length).ok().and_then(NonZeroUsize::new);
        length.map(Ends::Every).ok_or(Refusal::of(Reason::Option, at))
    }

    fn may_have_moved_memory<const N: usize>(ends: &Ends, _: &Call<N>) -> bool {
        matches!(ends, Ends::At(_))
    }

    unsafe fn borrow<'call>(
        ends: Ends,
        _: sys::napi_env,
        _: bool,
        _: usize,
    ) -> Result<Self::Taken<'call>, Refusal> {
        Ok(ends)
    }
}

/// A Uint32Array of ends, copied; undefined, null or missing for no array.
pub(super) struct OptionalEnds;

impl Argument for OptionalEnds {
    type Inspected = Option<Vec<u32>>;
    type Taken<'call> = Option<Vec<u32>>;

    fn inspect<const N: usize>(
        &self,
        call: &Call<N>,
        at: usize,
    ) -> Result<Self::Inspected, Refusal> {
        if is_nullish(call.env, call.argument(at)) {
            return Ok(None);
        }
        let words = call.module.views.copy_words(call.env, call.argument(at));
        words.map(Some).map_err(|refusal| refusal.about(at))
    }

    // An array is inspected as a view is, and calls the same method if it is empty.
    fn may_have_moved_memory<const N: usize>(ends: &Option<Vec<u32>>, _: &Call<N>) -> bool {
        ends.is_some()
    }

    unsafe fn borrow<'call>(
        ends: Self::Inspected,
        _: sys::napi_env,
        _: bool,
        _: usize,
    ) -> Result<Self::Taken<'call>, Refusal> {
        Ok(ends)
    }
}
