//! Wear levelling: cold data is moved as policy `ftl.wear_levelling` asks.

use rewear_flash::Nanos;

use crate::address::Pool;
use crate::error::FtlError;
use crate::layer::Ftl;
use crate::reuse::reclaim_decision::Why;
use crate::state::units::stream::Stream;

impl Ftl {
    /// Empties the coldest unit of a pool if the wear of the pool's units lies too far apart.
    pub(crate) fn level_wear(&mut self, at: Nanos, pool: Pool) -> Result<(), FtlError> {
        let Some(spread) = self.spread_passes else { return Ok(()) };
        let limit = self.state.units.most_wear(pool).saturating_sub(spread);
        self.empty_coldest(at, pool, limit)
    }

    /// Empties the least worn closed unit of a pool, if its wear is below `limit`, into the most
    /// worn free one.
    pub(crate) fn empty_coldest(&mut self, at: Nanos, pool: Pool, limit: u32) -> Result<(), FtlError> {
        if self.state.units.free(pool) == 0 {
            return Ok(());
        }
        let Some(cold) = self.state.units.least_worn_closed(pool, limit) else { return Ok(()) };
        let victim = self.victim_of(cold, Why::Levelling);
        self.begin_to_empty(cold);
        let before = self.state.counters.pages_moved;
        let moved = self.move_valid_pages(at, pool, cold, Stream::Levelled);
        self.state.counters.pages_levelled += self.state.counters.pages_moved - before;
        let moved_at = moved?;
        self.state.counters.levellings += 1;
        self.reclaim(moved_at, &victim)?;
        Ok(())
    }
}
