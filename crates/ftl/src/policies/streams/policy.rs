//! What a stream policy decides: whether a host write is hot.

use rewear_flash::ConfigError;

use crate::address::Lpn;

/// A stream policy. It is asked for every page that the host writes, on a drive that has one.
pub trait Policy: Sized {
    /// Its parameters.
    type Config: Default;

    /// Checks parameters, which stand in this table of the configuration.
    ///
    /// # Errors
    /// The first that is out of range, with its range.
    fn check(_: &Self::Config, _table: &str) -> Result<(), ConfigError> {
        Ok(())
    }

    /// The policy of a configuration.
    fn new(config: &Self::Config) -> Self;

    /// The writes that follow belong to a request of so many bytes.
    fn announce(&mut self, _bytes: u64) {}

    /// Whether a page that the host writes now is hot: written again soon. Cold pages go to an open unit of their own.
    fn is_hot(&mut self, lpn: Lpn) -> bool;
}
