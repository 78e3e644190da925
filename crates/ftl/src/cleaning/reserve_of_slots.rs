//! Cleaning with a reserve that is counted in slots: those of the open unit, of free units and of
//! units that wait to be written again are worth the same.
//!
//! So the last erased unit is written like any other, and units are reopened before their slots are
//! needed. While they wait they lose more of their valid pages, and each pass over them writes
//! more.

use rewear_flash::Nanos;

use crate::address::Pool;
use crate::error::FtlError;
use crate::layer::Ftl;
use crate::state::units::stream::Stream;

impl Ftl {
    /// Makes sure that a stream has an open unit with a slot beside those in reserve, and offers it
    /// no more than those.
    pub(super) fn clean_until_slots(
        &mut self,
        at: Nanos,
        pool: Pool,
        stream: Stream,
    ) -> Result<(), FtlError> {
        loop {
            self.rescue(at, pool)?;
            if !self.has_room(pool, stream) {
                self.close_unit(at, pool, stream)?;
                // An erased unit first: it has nothing to gain from waiting.
                let opened = self.open(pool, stream, None).is_some() || self.open_reopened(pool, stream);
                if opened {
                    continue;
                }
            }
            let (waiting, kept) = self.state.units.slots_in_reserve(pool);
            let there = waiting + self.slots_of_open_unit(pool, stream);
            if there > kept {
                self.state.units.offer_few(pool, stream, there - kept);
                return Ok(());
            }
            match self.clean(at, pool, None) {
                // Nothing can be cleaned, so what is there is all there is.
                Err(FtlError::OutOfSpace { .. }) if self.has_room(pool, stream) => {
                    self.state.units.offer(pool, stream, false);
                    return Ok(());
                }
                cleaned => cleaned?,
            }
        }
    }

    /// Slots of a stream's open unit that still take a write.
    fn slots_of_open_unit(&self, pool: Pool, stream: Stream) -> u64 {
        let Some((unit, ahead)) = self.state.units.slots_ahead(pool, stream) else { return 0 };
        let blocked = |slot: u32| {
            let word =
                self.state.map.valid_word(unit, slot / 64) | self.reuse.exhausted_word(unit, slot / 64);
            word >> (slot % 64) & 1 == 1
        };
        ahead.filter(|&slot| !blocked(slot)).count() as u64
    }
}
