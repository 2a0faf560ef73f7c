//! The fuzz targets in one program, which is linked once: the environment variable FUZZ_TARGET names the one to run.
//!
//! Every target takes any bytes. It fails, by a panic, where the library and a slow model of the tests differ, where a call that
//! failed wrote, or where AddressSanitizer sees an access outside of an allocation.
#![no_main]

#[path = "../../tests/common/mod.rs"]
mod common;
mod input;
mod plant;
mod targets;

use libfuzzer_sys::fuzz_target;
use std::sync::LazyLock;

static TARGET: LazyLock<targets::Target> =
    LazyLock::new(|| targets::named(&std::env::var("FUZZ_TARGET").unwrap_or_default()));

fuzz_target!(|bytes: &[u8]| {
    plant::consider(bytes);
    TARGET(input::Input::new(bytes));
});
