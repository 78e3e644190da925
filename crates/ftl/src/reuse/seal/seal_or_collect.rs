//! Seal or collect: which unit gives room, and what sealing does (section IV, "Overwrite Block Sealing" and "Garbage
//! Collection").

use rewear_flash::Nanos;

use crate::address::{Pool, Unit};
use crate::error::FtlError;
use crate::layer::Ftl;
use crate::policies::victim::VictimPolicy;
use crate::reuse::reclaim_decision::ReclaimDecision;
use crate::reuse::seal::Seal;
use crate::state::State;
use crate::state::units::Units;
use crate::state::units::fill::Fill;
use crate::state::units::stream::Stream;

impl Seal {
    /// The victim of a pool: the write unit that the drive's policy names, or the overwrite unit with the fewest valid pages, whichever
    /// counts fewer.
    pub(in crate::reuse) fn victim(
        &mut self,
        policy: &mut VictimPolicy,
        units: &mut Units,
        pool: Pool,
    ) -> Option<Unit> {
        let written = policy.choose(units, pool);
        let Some(low) = units.fewest_valid_low(pool) else { return written };
        let slots = units.slots_per_unit();
        let preserves = self.counting.preserves(written.map(|unit| units.valid(unit)), slots);
        let high_slots = if preserves { units.fill_order().count(Fill::High, slots) } else { 0 };
        let counted = units.valid(low) + high_slots;
        written.filter(|&unit| units.valid(unit) <= counted).or(Some(low))
    }
}

/// What becomes of a victim: an overwrite unit is sealed if its high pages help the stream that needs room, else collected with its
/// high pages unused. Overwrites need an erased unit.
pub(in crate::reuse) fn fate(state: &State, unit: Unit, needy: Option<Stream>) -> ReclaimDecision {
    let helps = needy.is_some_and(|stream| stream != Stream::Overwrite);
    if helps && state.units.fill(unit) == Fill::Low { ReclaimDecision::Seal } else { ReclaimDecision::Erase }
}

impl Ftl {
    /// Seals an overwrite unit: its low pages are never programmed again, and its high pages become the open unit of `stream`.
    /// The inverse map on its last low page says whose bits in the map are to be cleared.
    pub(crate) fn seal(&mut self, at: Nanos, unit: Unit, stream: Stream) -> Result<(), FtlError> {
        self.state.read_summary(at, unit)?;
        self.state.units.open_sealed(unit, stream);
        self.state.counters.seals += 1;
        Ok(())
    }
}
