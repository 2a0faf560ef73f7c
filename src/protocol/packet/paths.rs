//! A value for each path of a connection that has several (draft-ietf-quic-multipath).

use crate::error::Error;

/// Values by path id, ascending by id. Most connections have one path.
#[derive(Debug, Default)]
pub(super) struct Paths<Value>(Vec<(u32, Value)>);

impl<Value: Default> Paths<Value> {
    /// The value of `path`.
    ///
    /// # Errors
    /// [`Error::NoMemory`] if the path is new and the system has no memory for its value.
    pub(super) fn of(&mut self, path: u32) -> Result<&mut Value, Error> {
        let at = match self.0.binary_search_by_key(&path, |(id, _)| *id) {
            Ok(at) => at,
            Err(at) => {
                self.0.try_reserve(1).map_err(|_| Error::NoMemory)?;
                self.0.insert(at, (path, Value::default()));
                at
            }
        };
        self.0.get_mut(at).map(|(_, value)| value).ok_or(Error::NoMemory)
    }
}

#[cfg(test)]
mod tests {
    use super::Paths;

    #[test]
    fn every_path_has_a_value_of_its_own() {
        let mut paths = Paths::<u64>::default();
        for path in [7, 0, u32::MAX, 3] {
            assert_eq!(paths.of(path).copied(), Ok(0));
            let set = paths.of(path).map(|number| *number = u64::from(path) + 1);
            assert_eq!(set, Ok(()));
        }
        for path in [0, 3, 7, u32::MAX] {
            assert_eq!(paths.of(path).copied(), Ok(u64::from(path) + 1));
        }
    }
}
