//! One generator for all of a thread that need one, made when the first of them asks.

use super::Generator;
use super::report::Report;
use crate::backend::Cpu;
use crate::error::Error;
use crate::hw::entropy::Machine;
use core::cell::Cell;
use std::rc::Rc;

/// A name of the generator. Every clone names the same one.
#[derive(Clone, Default)]
pub struct SharedGenerator(Rc<Cell<Option<Box<Generator>>>>);

impl SharedGenerator {
    /// Lends the generator to `body`, which must not ask for it again.
    ///
    /// # Errors
    /// Where it is to be made, on the best backend, [`Error::UnsupportedCpu`] and those of [`Generator::new`]; and those
    /// of `body`.
    pub fn lend<R>(
        &self,
        body: impl FnOnce(&mut Generator) -> Result<R, Error>,
    ) -> Result<R, Error> {
        let mut generator = match self.0.take() {
            Some(generator) => generator,
            None => {
                let cpu = Cpu::best().ok_or(Error::UnsupportedCpu)?;
                Box::new(Generator::new(cpu, Machine::new())?)
            }
        };
        let given = body(&mut generator);
        self.0.set(Some(generator));
        given
    }

    /// What the generator tells of itself; none where it was not made yet.
    pub fn report(&self) -> Option<Report> {
        let generator = self.0.take();
        let report = generator.as_deref().map(Generator::report);
        self.0.set(generator);
        report
    }

    /// Drops the generator, for every name of it. Whoever asks next has another made.
    pub fn clear(&self) {
        self.0.take();
    }
}
