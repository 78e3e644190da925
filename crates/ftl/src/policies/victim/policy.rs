//! What a victim policy decides: which closed unit of a pool is cleaned next.

use rewear_flash::{ConfigError, FlashConfig};

use crate::address::{Pool, Unit};
use crate::state::units::Units;

/// What a policy may know of the drive before its first cleaning.
#[derive(Debug, Clone, Copy)]
pub struct DriveFacts {
    /// Seed of what the drive draws.
    pub seed: u64,
    /// Whether each victim is emptied and erased: no reuse scheme writes it again.
    pub erases_victims: bool,
}

/// A victim policy. It is asked once a cleaning, so it may take its time; what it needs to know of
/// units is kept only if it says so. The first test finds a policy that forgets to say so.
pub trait Policy: Sized {
    /// Its parameters; `()` if it has none.
    type Config;

    /// Whether units must remember when they changed last ([`Units::clock`]), as
    /// [`Candidate::since`](crate::state::units::valid_count_index::Candidate::since) says.
    const ASKS_FOR_AGE: bool = false;

    /// Whether the choice depends on the content of invalid pages.
    const WEIGHS_CONTENTS: bool = false;

    /// Checks parameters, and what the policy asks of the flash.
    ///
    /// # Errors
    /// The first that is out of range, with its range.
    fn check(_: &Self::Config, _: &FlashConfig) -> Result<(), ConfigError> {
        Ok(())
    }

    /// The policy of a configuration on such a drive.
    fn new(config: &Self::Config, of: DriveFacts) -> Self;

    /// The closed unit of a pool that is to be cleaned; `None` if none has an invalid page. A unit
    /// whose pages are all valid must not be named: cleaning it gains nothing
    /// ([`names_full`](Self::names_full)).
    fn choose(&mut self, units: &Units, pool: Pool) -> Option<Unit>;

    /// Whether it may name a unit without an invalid page. Cleaning goes on behind it, so no more than
    /// a bounded number may follow each other.
    fn names_full(&self) -> bool {
        false
    }
}
