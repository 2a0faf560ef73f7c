//! What the generator's tests share: sources of entropy that a test decides, and the generator asked for bytes.

use super::cells;
use hardware_aes_gcm::error::Error;
use hardware_aes_gcm::hw::entropy::Entropy;
use hardware_aes_gcm::rng::Generator;
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// One test at a time: the generation is the whole process's.
pub(crate) fn turn() -> MutexGuard<'static, ()> {
    static TURN: Mutex<()> = Mutex::new(());
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The CPU's source as a test wants it, called with the number of the try.
pub(crate) type Words = Box<dyn FnMut(u64) -> Option<u64>>;

/// Sources that a test decides.
pub(crate) struct Fake(Rc<RefCell<World>>);

pub(crate) struct World {
    /// What the operating system gives next; it counts up. None where it fails.
    pub(crate) os: Option<u8>,
    pub(crate) words: Option<Words>,
    pub(crate) tries: u64,
    pub(crate) seconds: u64,
    /// A clock that only tries move.
    pub(crate) now: Instant,
    /// What each try takes.
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

/// The seed that the operating system of [`Fake`] gives when it stands at `count`.
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

pub(crate) fn filled<E: Entropy>(
    generator: &mut Generator<E>,
    length: usize,
) -> Result<Vec<u8>, Error> {
    let mut bytes = vec![0xa5; length];
    let given = generator.fill(cells(&mut bytes));
    if given.is_err() {
        assert!(bytes.iter().all(|byte| *byte == 0xa5), "what failed wrote nothing");
    }
    given.map(|()| bytes)
}

/// Sound words, as far as the tests can see.
pub(crate) fn sound(i: u64) -> u64 {
    i.wrapping_mul(0x9e37_79b9_7f4a_7c15)
}
