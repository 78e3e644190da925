//! What is so: array, map, units, counters. Schemes and policies look at it; only the layer changes
//! it.

pub mod content_score;
pub mod counters;
pub mod events;
pub(crate) mod groups;
pub mod map;
pub mod sharing;
pub mod space_report;
pub(crate) mod table;
pub mod units;

use rewear_flash::{Array, Failures};

use crate::address::Unit;
use crate::config::choices::{CleaningStep, MovedTo};
use crate::shape::layout::Layout;
use crate::state::counters::Counters;
use crate::state::groups::Groups;
use crate::state::map::Map;
use crate::state::sharing::Sharing;
use crate::state::units::Units;

/// See the module's page. A scheme is given a shared reference: what changes anything needs a
/// mutable one.
#[derive(Debug, Clone)]
pub struct State {
    pub(crate) array: Array,
    pub(crate) layout: Layout,
    pub(crate) map: Map,
    pub(crate) units: Units,
    /// Who shares a page with whom; `None` where pages are never shared.
    pub(crate) sharing: Option<Sharing>,
    pub(crate) counters: Counters,
    pub(crate) cleaning_step: CleaningStep,
    /// Decides which operations fail; `None` where none can.
    pub(crate) failures: Option<Failures>,
    /// Units on which a program failed and whose valid pages are still to be moved.
    pub(crate) condemned: Vec<Unit>,
    /// Blocks that were bad from the factory or failed since.
    pub(crate) bad_blocks: u32,
    /// Which pools moved pages may go to.
    pub(crate) moved_to: MovedTo,
    /// Whether cleaning reads the summary of its victim.
    pub(crate) summary_reads: bool,
    /// Whether slots are prepared before they are programmed (see `hand/prepare.rs`).
    pub(crate) prepares: bool,
    /// Which slots hold one logical page together, on a drive where any do.
    pub(crate) groups: Option<Box<Groups>>,
    /// Programs and noted changes so far, on a drive that can be mounted.
    pub(crate) sequence: u64,
    /// Whether moved pages stay in their plane.
    pub(crate) copies_back: bool,
}

impl State {
    /// How much of a block's cycle a page of it uses, in pages: more than 1 while its cells hold
    /// one bit each.
    pub(crate) fn pages_for_each_programmed(&self, block: u32) -> f64 {
        match self.units.is_cached(self.layout.unit_of_block(block)) {
            true => f64::from(self.layout.slots_per_unit) / f64::from(self.units.cached_slots()),
            false => 1.0,
        }
    }
}
