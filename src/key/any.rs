//! A key of any cipher, for callers that hold keys by handle: one `match` for each call.

use super::arena::Arena;
use super::batch::{Batch, Opened};
use super::job::JobOf;
use super::ledger::Counts;
use super::ranges::ErrorAt;
use super::{Key, KeyOf, Options};
use crate::backend::{Cpu, GcmKey, SivKey, XaesKey};
use crate::error::Error;
use crate::lanes::Bytes;
use crate::rng::shared::SharedGenerator;
use crate::secret::SecretKey;

/// A row `number => Cipher: key, job` for each cipher. JavaScript knows a cipher by its number.
macro_rules! ciphers {
    ($($number:literal => $cipher:ident: $key:ty, $job:ty;)+) => {
        /// A key of any cipher.
        pub enum AnyKey { $(#[doc = stringify!($cipher)] $cipher($key)),+ }

        /// A job of any cipher.
        pub enum AnyJob { $(#[doc = stringify!($cipher)] $cipher($job)),+ }

        /// Calls a function of the key that `$any` is.
        macro_rules! each {
            ($any:expr, $inside:ident => $call:expr) => {
                match $any { $(Self::$cipher($inside) => $call),+ }
            };
        }

        /// Makes a job of the key that `$any` is, by one of its functions.
        macro_rules! job {
            ($any:expr, $inside:ident => $call:expr) => {
                match $any { $(Self::$cipher($inside) => $call.map(AnyJob::$cipher)),+ }
            };
        }

        impl AnyKey {
            /// The number of ciphers.
            pub const CIPHERS: usize = [$($number),+].len();

            /// A key of the cipher with this number: [`KeyOf::new`]. `None` without such a cipher.
            pub fn new(
                cipher: usize,
                cpu: Cpu,
                key: &SecretKey,
                options: Options,
                arena: &mut Arena,
                generator: &SharedGenerator,
            ) -> Option<Result<Self, Error>> {
                match cipher {
                    $($number => {
                        let made = KeyOf::new(cpu, key, options, arena, generator);
                        Some(made.map(|key| Self::$cipher(key.into())))
                    })+
                    _ => None,
                }
            }
        }
    };
}

// A new cipher needs a row here.
ciphers! {
    0 => Gcm: Key, JobOf<GcmKey, 12>;
    // Boxed, so that a key of AES-GCM takes no more memory because of them.
    1 => Xaes: Box<KeyOf<XaesKey, 24>>, JobOf<XaesKey, 24>;
    2 => Siv: Box<KeyOf<SivKey, 12>>, JobOf<SivKey, 12>;
}

/// Functions that every cipher has.
macro_rules! forward {
    ($(fn $name:ident(&$($self:ident)+ $(, $argument:ident: $type:ty)*) $(-> $given:ty)?;)+) => {
        impl AnyKey {
            $(
                #[doc = concat!("[`KeyOf::", stringify!($name), "`].")]
                ///
                /// # Errors
                /// Those of the function of this name.
                #[inline(always)]
                pub fn $name(&$($self)+ $(, $argument: $type)*) $(-> $given)? {
                    forward!(@call $name; $($self)+; $($argument),*)
                }
            )+
        }
    };
    (@call $name:ident; mut $self:ident; $($argument:ident),*) => {
        each!($self, key => key.$name($($argument),*))
    };
    (@call $name:ident; $self:ident; $($argument:ident),*) => {
        each!($self, key => key.$name($($argument),*))
    };
}

forward! {
    fn counts(&self) -> Counts;
    fn state_bytes(&self) -> usize;
    fn lives_in(&self, arena: &Arena) -> bool;
    fn destroy(&mut self);
    fn is_destroyed(&self) -> bool;
    fn overhead(&self) -> usize;
    fn text_at(&self) -> usize;
    fn copy_key(&self, out: Bytes) -> Result<(), Error>;
    fn encrypt_in_place(&mut self, frame: Bytes, aad: Bytes) -> Result<(), Error>;
    fn encrypt_into(&mut self, target: Bytes, plaintext: Bytes, aad: Bytes) -> Result<usize, Error>;
    fn encrypt_pieces_into(
        &mut self, target: Bytes, pieces: &[Bytes], aad: Bytes
    ) -> Result<usize, Error>;
    fn decrypt_in_place(&mut self, frame: Bytes, aad: Bytes) -> Result<(), Error>;
    fn decrypt_into(&mut self, target: Bytes, frame: Bytes, aad: Bytes) -> Result<usize, Error>;
    fn encrypt_detached(
        &mut self, data: Bytes, nonce: Bytes, tag: Bytes, aad: Bytes
    ) -> Result<(), Error>;
    fn decrypt_detached(
        &mut self, data: Bytes, nonce: Bytes, tag: Bytes, aad: Bytes
    ) -> Result<(), Error>;
    fn encrypt_batch(&mut self, batch: Batch) -> Result<(), ErrorAt>;
    fn decrypt_batch(&mut self, batch: Batch) -> Result<Opened, Error>;
    fn allow_encrypt_job(&mut self, frame: usize, aad: usize) -> Result<(), Error>;
    fn allow_decrypt_job(&mut self, frame: usize, aad: usize) -> Result<(), Error>;
    fn count_failure(&mut self) -> Error;
}

impl AnyKey {
    /// [`KeyOf::encrypt_job`].
    ///
    /// # Errors
    /// Those of the function of this name.
    pub fn encrypt_job(
        &mut self,
        frame: usize,
        aad: usize,
        arena: &mut Arena,
    ) -> Result<AnyJob, Error> {
        job!(self, key => key.encrypt_job(frame, aad, arena))
    }

    /// [`KeyOf::decrypt_job`].
    ///
    /// # Errors
    /// Those of the function of this name.
    pub fn decrypt_job(
        &mut self,
        frame: usize,
        aad: usize,
        arena: &mut Arena,
    ) -> Result<AnyJob, Error> {
        job!(self, key => key.decrypt_job(frame, aad, arena))
    }
}

// Another thread may run a job, of any cipher.
const _: () = {
    const fn may_be_sent<T: Send>() {}
    may_be_sent::<AnyJob>();
};

impl AnyJob {
    /// [`JobOf::run`].
    ///
    /// # Errors
    /// Those of the function of this name.
    pub fn run(self, frame: Bytes, aad: Bytes) -> Result<(), Error> {
        each!(self, job => job.run(frame, aad))
    }
}
