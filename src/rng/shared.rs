//! One generator for an environment (a loading of the addon) on its thread, made at its first use.

use super::Generator;
use super::report::Report;
use crate::backend::Cpu;
use crate::error::Error;
use crate::hw::entropy::Machine;
use core::cell::Cell;
use std::rc::Rc;

/// A reference to the generator of this thread, for this thread only, as all of its clones are.
#[derive(Clone, Default)]
pub struct SharedGenerator(Rc<Cell<Option<Box<Generator>>>>);

impl SharedGenerator {
    /// Lends the generator to `body`, which must not call this function. The first call makes the
    /// generator, on the best backend.
    ///
    /// # Errors
    /// Those of `body`; at the first use, also [`Error::UnsupportedCpu`] and those of
    /// [`Generator::new`].
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

    /// The generator's report; `None` before the first use.
    pub fn report(&self) -> Option<Report> {
        let generator = self.0.take();
        let report = generator.as_deref().map(Generator::report);
        self.0.set(generator);
        report
    }

    /// Drops the generator, for every clone of this reference. The next use makes another.
    pub fn clear(&self) {
        self.0.take();
    }
}

#[cfg(test)]
mod tests {
    use super::SharedGenerator;
    use core::cell::Cell;

    /// The pool of a thread that ended would stay in memory until its last key is collected.
    #[test]
    fn after_clear_no_reference_keeps_the_generator() {
        let generator = SharedGenerator::default();
        let of_a_key = generator.clone();
        let target = [const { Cell::new(0) }; 8];
        for _ in 0..2 {
            assert!(of_a_key.report().is_none());
            assert_eq!(of_a_key.lend(|generator| generator.fill(&target)), Ok(()));
            assert_eq!(generator.report().map(|report| report.seedings), Some(1));
            generator.clear();
        }
        assert!(generator.report().is_none() && of_a_key.report().is_none());
    }
}
