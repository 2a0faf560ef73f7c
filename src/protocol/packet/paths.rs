//! A number for each path of a connection that has several (draft-ietf-quic-multipath).

use crate::error::Error;

/// Numbers by path id, ascending by id. Most connections have one path.
#[derive(Debug, Default)]
pub(super) struct Paths(Vec<(u32, u64)>);

impl Paths {
    /// The number of `path`, which is `first` if the path is new.
    ///
    /// # Errors
    /// [`Error::NoMemory`] if the path is new and the system gives no memory for its number.
    pub(super) fn of(&mut self, path: u32, first: u64) -> Result<&mut u64, Error> {
        let at = match self.0.binary_search_by_key(&path, |(id, _)| *id) {
            Ok(at) => at,
            Err(at) => {
                self.0.try_reserve(1).map_err(|_| Error::NoMemory)?;
                self.0.insert(at, (path, first));
                at
            }
        };
        self.0.get_mut(at).map(|(_, number)| number).ok_or(Error::NoMemory)
    }

    /// Forgets every path.
    pub(super) fn clear(&mut self) {
        self.0.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::Paths;

    #[test]
    fn every_path_has_a_number_of_its_own() {
        let mut paths = Paths::default();
        for path in [7, 0, u32::MAX, 3] {
            assert_eq!(paths.of(path, 5).copied(), Ok(5));
            let set = paths.of(path, 9).map(|number| *number = u64::from(path) + 1);
            assert_eq!(set, Ok(()));
        }
        for path in [0, 3, 7, u32::MAX] {
            assert_eq!(paths.of(path, 5).copied(), Ok(u64::from(path) + 1));
        }
        paths.clear();
        assert_eq!(paths.of(7, 5).copied(), Ok(5));
    }
}
