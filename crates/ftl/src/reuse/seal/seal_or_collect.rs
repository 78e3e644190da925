//! Seal or collect: the unit that gives room, and its fate (section IV, "Overwrite Block
//! Sealing" and "Garbage Collection").

use crate::address::{Pool, Unit};
use crate::reuse::reclaim_decision::{ReclaimDecision, Victim, Why};
use crate::reuse::seal::Seal;
use crate::state::State;
use crate::state::units::Units;
use crate::state::units::low_then_high::Fill;
use crate::state::units::stream::Stream;

impl Seal {
    /// The victim of a pool: the write unit that the drive's policy names, or the overwrite unit
    /// with the fewest valid pages, whichever counts fewer.
    pub(super) fn write_or_overwrite_unit(
        &self,
        units: &Units,
        pool: Pool,
        written: Option<Unit>,
    ) -> Option<Unit> {
        let Some(low) = units.fewest_valid_low(pool) else { return written };
        let slots = units.slots_per_unit();
        let preserves = self.victims.preserves(written.map(|unit| units.valid(unit)), slots);
        let high_slots = if preserves { units.fill_order().count(Fill::High, slots) } else { 0 };
        let counted = units.valid(low) + high_slots;
        written.filter(|&unit| units.valid(unit) <= counted).or(Some(low))
    }
}

/// Decision about a victim: an overwrite unit is sealed if its high pages help the stream that
/// needs room, else collected with its high pages unused. Overwrites need an erased unit.
pub(super) fn seal_or_collect(view: &State, victim: &Victim) -> ReclaimDecision {
    let helps = matches!(victim.why, Why::Room { needy: Some(stream) } if stream != Stream::Overwrite);
    let is_low = view.units.fill(victim.unit) == Fill::Low;
    if helps && is_low { ReclaimDecision::Seal } else { ReclaimDecision::Erase }
}
