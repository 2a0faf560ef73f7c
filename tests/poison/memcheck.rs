//! Requests to valgrind's memcheck, by the numbers and the instructions of its headers valgrind.h and memcheck.h.
#![expect(unsafe_code, reason = "the instructions of a request")]

use std::arch::asm;
use std::cell::Cell;
use std::sync::atomic::{AtomicUsize, Ordering};

const RUNNING_ON_VALGRIND: usize = 0x1001;
const COUNT_ERRORS: usize = 0x1201;
/// The first request of the tool "MC".
const MEMCHECK: usize = 0x4d43_0000;
const MAKE_MEM_UNDEFINED: usize = MEMCHECK + 1;
const MAKE_MEM_DEFINED: usize = MEMCHECK + 2;
const GET_VBITS: usize = MEMCHECK + 8;
const SET_VBITS: usize = MEMCHECK + 9;

/// The answer to a request; 0 without valgrind.
fn request(number: usize, [a, b, c]: [usize; 3]) -> usize {
    let words = [number, a, b, c, 0, 0];
    let mut answer = 0;
    // SAFETY: a CPU rotates RDI by 128 bits in all, which changes the flags alone. Valgrind knows the sequence. Its
    // requests change no value in memory, except that GET_VBITS writes where the caller says.
    unsafe {
        asm!(
            "rol rdi, 3", "rol rdi, 13", "rol rdi, 61", "rol rdi, 51", "xchg rbx, rbx",
            in("rax") words.as_ptr(), inout("rdx") answer,
        );
    }
    answer
}

/// Whether valgrind runs this program.
pub(crate) fn is_running() -> bool {
    request(RUNNING_ON_VALGRIND, [0; 3]) > 0
}

/// How many errors memcheck has reported.
pub(crate) fn reports() -> usize {
    request(COUNT_ERRORS, [0; 3])
}

/// Makes bytes undefined. They keep their values.
pub(crate) fn poison(bytes: &[Cell<u8>]) {
    request(MAKE_MEM_UNDEFINED, [bytes.as_ptr().expose_provenance(), bytes.len(), 0]);
}

/// Makes the bits of `mask` undefined, and the other bits of the byte defined. The byte keeps its value.
pub(crate) fn poison_bits(byte: &mut u8, mask: u8) {
    let [at, bits] = [(&raw mut *byte).expose_provenance(), (&raw const mask).expose_provenance()];
    request(SET_VBITS, [at, bits, 1]);
}

/// Makes a result defined. `_reason` says why its value may be told.
pub(crate) fn publish<T: ?Sized>(result: &mut T, _reason: &str) {
    let length = size_of_val(result);
    request(MAKE_MEM_DEFINED, [(&raw mut *result).expose_provenance(), length, 0]);
}

/// Messages whose tag was secret until the library told whether they are authentic.
static VERDICTS: AtomicUsize = AtomicUsize::new(0);

/// The result of opening `count` messages. For each of them, checks/valgrind/public.supp lets one branch pass.
pub(crate) fn judged<R>(count: usize, result: R) -> R {
    VERDICTS.fetch_add(count, Ordering::Relaxed);
    result
}

/// How many messages were opened so far.
pub(crate) fn verdicts() -> usize {
    VERDICTS.load(Ordering::Relaxed)
}

/// Whether no bit of these bytes is defined. True without valgrind.
pub(crate) fn is_poisoned(bytes: &[u8]) -> bool {
    all_bits(bytes, 0xff)
}

/// Whether every bit of these bytes is defined. True without valgrind.
pub(crate) fn is_public(bytes: &[u8]) -> bool {
    all_bits(bytes, 0)
}

fn all_bits(bytes: &[u8], expected: u8) -> bool {
    let mut undefined = vec![expected; bytes.len()];
    let [from, to] =
        [bytes.as_ptr().expose_provenance(), undefined.as_mut_ptr().expose_provenance()];
    request(GET_VBITS, [from, to, bytes.len()]);
    undefined.iter().all(|bits| *bits == expected)
}
