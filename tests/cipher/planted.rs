//! Faults that are planted on purpose, in calls that break what their callers promise: AddressSanitizer and ThreadSanitizer must report
//! them, in code of the core (checks/sanitizers/check.mjs). Ignored, since without a sanitizer their behaviour is undefined.
#![allow(unsafe_code, reason = "the planted faults")]

use crate::common::{cells, key};
use hardware_aes_gcm::backend::Cpu;
use hardware_aes_gcm::key::Options;
use hardware_aes_gcm::key::frames::OVERHEAD;
use hardware_aes_gcm::lanes::Bytes;
use std::cell::Cell;
use std::sync::Barrier;
use std::thread;

const TEXT: usize = 1000;

/// Memory of a frame, as another thread would have it, too.
#[derive(Clone, Copy)]
struct Shared(*mut u8);

// SAFETY: none: this is the planted race.
unsafe impl Send for Shared {}

impl Shared {
    fn frame<'a>(self, bytes: usize) -> Bytes<'a> {
        // SAFETY: none: the length, or the other thread, is the planted fault.
        unsafe { std::slice::from_raw_parts(self.0.cast::<Cell<u8>>(), bytes) }
    }
}

#[test]
#[ignore = "a heap overflow"]
fn a_text_longer_than_its_memory() {
    let mut memory = vec![7; TEXT + OVERHEAD].into_boxed_slice();
    let memory = Shared(memory.as_mut_ptr());
    let mut key = key(Cpu::best().unwrap(), &[7; 32], Options::default());
    let _ = key.encrypt_in_place(memory.frame(TEXT + OVERHEAD + 1), cells(&mut [0; 3]));
}

#[test]
#[ignore = "a data race"]
fn two_jobs_on_one_frame() {
    let mut memory = vec![7; TEXT + OVERHEAD].into_boxed_slice();
    let memory = Shared(memory.as_mut_ptr());
    let mut key = key(Cpu::best().unwrap(), &[7; 32], Options::default());
    let mut arena = hardware_aes_gcm::key::arena::Arena::default();
    let barrier = Barrier::new(2);
    let jobs = [(); 2].map(|()| key.encrypt_job(TEXT + OVERHEAD, 0, &mut arena).unwrap());
    thread::scope(|scope| {
        for job in jobs {
            let barrier = &barrier;
            scope.spawn(move || {
                let memory = memory;
                barrier.wait();
                job.run(memory.frame(TEXT + OVERHEAD), &[])
            });
        }
    });
}
