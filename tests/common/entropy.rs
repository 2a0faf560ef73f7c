//! Helpers of the generator's tests: sources of entropy under a test's control, and requests for bytes.

use super::cells;
use hardware_aes_gcm::error::Error;
use hardware_aes_gcm::hw::entropy::Entropy;
use hardware_aes_gcm::rng::Generator;
use std::cell::RefCell;
use std::rc::Rc;
use std::time::{Duration, Instant};

/// A fake of the CPU's source, called with the number of the try.
pub(crate) type Words = Box<dyn FnMut(u64) -> Option<u64>>;

/// Sources and clocks under a test's control.
pub(crate) struct Fake(Rc<RefCell<World>>);

pub(crate) struct World {
    /// The argument of [`os`] for the operating system's next seed, which counts up; `None` where the system fails.
    pub(crate) os: Option<u8>,
    pub(crate) words: Option<Words>,
    pub(crate) tries: u64,
    pub(crate) seconds: u64,
    /// A clock that only tries move.
    pub(crate) now: Instant,
    /// How far each try moves `now`.
    pub(crate) try_takes: Duration,
}

impl Fake {
    pub(crate) fn new(words: Option<Words>) -> (Self, Rc<RefCell<World>>) {
        let world = Rc::new(RefCell::new(World {
            os: Some(1),
            words,
            tries: 0,
            seconds: 1000,
            now: Instant::now(),
            try_takes: Duration::from_nanos(100),
        }));
        (Self(Rc::clone(&world)), world)
    }
}

/// The seed that the operating system of a [`Fake`] gives when its count is `count`.
pub(crate) fn os(count: u8) -> [u8; 32] {
    std::array::from_fn(|i| (i as u8).wrapping_mul(7) ^ count)
}

impl Entropy for Fake {
    fn os(&mut self, seed: &mut [u8; 32]) -> Result<(), Error> {
        let mut world = self.0.borrow_mut();
        let count = world.os.ok_or(Error::Entropy)?;
        world.os = Some(count.wrapping_add(1));
        *seed = os(count);
        Ok(())
    }

    fn cpu(&self) -> Option<&'static str> {
        self.0.borrow().words.is_some().then_some("fake")
    }

    fn word(&mut self) -> Option<u64> {
        let world = &mut *self.0.borrow_mut();
        world.tries += 1;
        world.now += world.try_takes;
        world.words.as_mut()?(world.tries)
    }

    fn now(&self) -> Instant {
        self.0.borrow().now
    }

    fn seconds(&self) -> u64 {
        self.0.borrow().seconds
    }
}

/// Random bytes from the generator. A request that fails must leave its target unchanged.
pub(crate) fn filled<E: Entropy>(
    generator: &mut Generator<E>,
    length: usize,
) -> Result<Vec<u8>, Error> {
    let mut bytes = vec![0xa5; length];
    let given = generator.fill(cells(&mut bytes));
    if given.is_err() {
        assert!(bytes.iter().all(|byte| *byte == 0xa5), "the failed request wrote to its target");
    }
    given.map(|()| bytes)
}

/// Words of a source that passes the health tests.
pub(crate) fn sound(i: u64) -> u64 {
    i.wrapping_mul(0x9e37_79b9_7f4a_7c15)
}
