//! Faults that are planted on purpose. FUZZ_PLANT=wrong spoils a result of the library, and FUZZ_PLANT=outside reads a byte behind an
//! allocation: the fuzzer must find both. Miri must find `outside`, `shared`, which writes through a shared reference, and `unwritten`,
//! which reads memory before it was written. All act on one input in 16, by its last byte.

use std::cell::Cell;
use std::hint::black_box;
use std::sync::LazyLock;

static PLANTED: LazyLock<Option<String>> = LazyLock::new(|| std::env::var("FUZZ_PLANT").ok());

thread_local!(static SPOILS: Cell<bool> = const { Cell::new(false) });

/// Looks whether a planted fault acts on this input.
pub(crate) fn consider(bytes: &[u8]) {
    let Some(planted) = PLANTED.as_deref() else { return };
    let acts = bytes.last().is_some_and(|last| last >> 4 == 9);
    SPOILS.set(acts && planted == "wrong");
    if !acts {
        return;
    }
    let memory = vec![0u8; bytes.len()].into_boxed_slice();
    // SAFETY: none: each of these accesses is a planted fault.
    unsafe {
        match planted {
            "outside" => _ = black_box(memory.as_ptr().add(memory.len()).read_volatile()),
            "shared" => memory.as_ptr().cast_mut().write_volatile(1),
            "unwritten" => _ = black_box(*Box::<u8>::new_uninit().assume_init()),
            _ => {}
        }
    }
}

/// A result of the library, which every target passes here before it compares the result: the last byte changes if a fault is planted.
pub(crate) fn result(mut bytes: Vec<u8>) -> Vec<u8> {
    if SPOILS.get() {
        match bytes.last_mut() {
            Some(byte) => *byte ^= 1,
            None => bytes.push(0),
        }
    }
    bytes
}
