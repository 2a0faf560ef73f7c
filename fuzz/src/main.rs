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

type Target = fn(input::Input);

static TARGET: LazyLock<Target> = LazyLock::new(|| {
    let wanted = std::env::var("FUZZ_TARGET").unwrap_or_default();
    let found = targets::ALL.iter().find(|(name, _)| *name == wanted);
    let Some((_, target)) = found else {
        let names: Vec<_> = targets::ALL.iter().map(|(name, _)| *name).collect();
        panic!("FUZZ_TARGET is '{wanted}', and not one of {}", names.join(", "));
    };
    *target
});

fuzz_target!(|bytes: &[u8]| {
    plant::consider(bytes);
    TARGET(input::Input::new(bytes));
});
