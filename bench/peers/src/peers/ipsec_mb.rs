//! Intel's ipsec-mb, by its direct calls. The crate has no package for it: build.rs looks for the header.

use crate::aead::{Aead, Nonce, Tag};
use crate::messages::Line;
use hardware_aes_gcm::secret::same;
use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr::NonNull;

/// A manager: the table of the functions for this CPU.
type Manager = NonNull<c_void>;

unsafe extern "C" {
    fn ipsec_mb_manager() -> Option<Manager>;
    fn ipsec_mb_version() -> *const c_char;
    fn ipsec_mb_key_bytes() -> usize;
    fn ipsec_mb_expand(manager: Manager, wide: c_int, key: *const u8, expanded: *mut Line);
    fn ipsec_mb_seal(
        manager: Manager,
        wide: c_int,
        key: *const Line,
        nonce: *const u8,
        data: *mut u8,
        bytes: u64,
        tag: *mut u8,
    );
    fn ipsec_mb_open(
        manager: Manager,
        wide: c_int,
        key: *const Line,
        nonce: *const u8,
        data: *mut u8,
        bytes: u64,
        tag: *mut u8,
    );
}

/// A key of ipsec-mb, in cache lines of its own.
pub struct IpsecMb {
    /// Never freed: there is one for each type of measurement.
    manager: Manager,
    wide: c_int,
    key: Vec<Line>,
}

/// The version of the library.
pub fn version() -> String {
    // SAFETY: the library returns a constant string.
    unsafe { CStr::from_ptr(ipsec_mb_version()) }.to_string_lossy().into_owned()
}

impl IpsecMb {
    pub fn new(key: &[u8]) -> Self {
        // SAFETY: no arguments.
        let manager = unsafe { ipsec_mb_manager() };
        Self::keyed(manager.expect("a build of ipsec-mb that clears its registers"), key)
    }

    fn keyed(manager: Manager, key: &[u8]) -> Self {
        let wide = c_int::from(key.len() == 32);
        // SAFETY: the manager is initialised. `key` has 16 or 32 bytes, and `expanded` those that the library asks for, on
        // cache lines.
        unsafe {
            let mut expanded =
                vec![Line([0; 64]); ipsec_mb_key_bytes().div_ceil(size_of::<Line>())];
            ipsec_mb_expand(manager, wide, key.as_ptr(), expanded.as_mut_ptr());
            Self { manager, wide, key: expanded }
        }
    }
}

impl Aead for IpsecMb {
    fn fresh(&self, key: &[u8]) -> Self {
        Self::keyed(self.manager, key)
    }

    fn state(&self) -> Option<usize> {
        Some(size_of_val(&*self.key))
    }

    fn seal(&mut self, nonce: &Nonce, data: &mut [u8], tag: &mut Tag) {
        let (manager, wide, key) = (self.manager, self.wide, self.key.as_ptr());
        let (at, bytes) = (data.as_mut_ptr(), data.len() as u64);
        // SAFETY: `data` is read and written in place; nonce and tag have the lengths of the types.
        unsafe { ipsec_mb_seal(manager, wide, key, nonce.as_ptr(), at, bytes, tag.as_mut_ptr()) };
    }

    fn open(&mut self, nonce: &Nonce, data: &mut [u8], tag: &Tag) -> bool {
        let (manager, wide, key) = (self.manager, self.wide, self.key.as_ptr());
        let (at, bytes) = (data.as_mut_ptr(), data.len() as u64);
        let mut right = [0; 16];
        // SAFETY: as in `seal`.
        unsafe { ipsec_mb_open(manager, wide, key, nonce.as_ptr(), at, bytes, right.as_mut_ptr()) };
        same(&right, tag)
    }
}
