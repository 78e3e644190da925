//! Reuse `none`: erase before write.
//!
//! # Idea
//! A page is programmed once; its block is erased before it is programmed again.
//!
//! # Paper
//! None: the standard SSD that the papers compare with (e.g. Reusable SSD, section 2.1).
//!
//! # Parameters
//! None.
//!
//! # Cost
//! None beyond the page map.
//!
//! # Deviations
//! None.

use rewear_flash::{ConfigError, FlashConfig};

use crate::reuse::facts::{Facts, Passes};
use crate::reuse::reclaim_decision::{ReclaimDecision, Victim};
use crate::reuse::scheme::Scheme;
use crate::reuse::slot_code::SlotCode;
use crate::shape::layout::Layout;
use crate::state::State;

/// See the module's page.
#[derive(Debug, Clone)]
pub struct Nothing;

impl Scheme for Nothing {
    type Config = ();

    fn new((): &(), flash: &FlashConfig) -> Result<(Nothing, Facts), ConfigError> {
        Ok((Nothing, Facts { passes: Passes::Never, ..Facts::plain(flash) }))
    }

    fn controller_bytes(&self, _: &Layout) -> u64 {
        0
    }

    fn reclaim(&self, _: &State, _: &Victim) -> ReclaimDecision {
        ReclaimDecision::Erase
    }
}

impl SlotCode for Nothing {}
