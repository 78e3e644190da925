//! Where a hot write goes that finds no pair of pages: to four or eight pages, or else to a clean block.

use rewear_flash::Nanos;

use crate::error::FtlError;
use crate::layer::Ftl;
use crate::reuse::Reuse;
use crate::reuse::place::Place;

impl Ftl {
    /// The place of a hot write that came to a pair of planes and finds neither a group nor a pair; `None` if it must be a first write.
    #[inline]
    pub(in crate::reuse::second_write) fn place_after_cleaning(
        &mut self,
        at: Nanos,
        lane: usize,
    ) -> Result<Option<Place>, FtlError> {
        match &self.reuse {
            Reuse::SecondWrite(scheme) if !scheme.further.is_empty() => self.clean_and_place(at, lane),
            _ => Ok(None),
        }
    }

    #[inline(never)]
    fn clean_and_place(&mut self, at: Nanos, lane: usize) -> Result<Option<Place>, FtlError> {
        let Reuse::SecondWrite(scheme) = &mut self.reuse else { return Ok(None) };
        if !scheme.has_capacity(&self.state, lane) {
            return Ok(None);
        }
        for plane in scheme.pools_of(lane) {
            self.recycle_one_more(at, plane)?;
        }
        let Reuse::SecondWrite(scheme) = &mut self.reuse else { return Ok(None) };
        let pair = scheme.next_pair(&mut self.state, lane);
        Ok(pair.or_else(|| scheme.next_group(&mut self.state, lane)))
    }

    /// What waits on a plane waits for partners: cleaning goes on as if it were not there.
    fn recycle_one_more(&mut self, at: Nanos, plane: u32) -> Result<(), FtlError> {
        let Reuse::SecondWrite(scheme) = &self.reuse else { return Ok(()) };
        let (units, waiting) = (&self.state.units, scheme.blocks.waiting_blocks(plane));
        // With fewer clean blocks than these, victims would be erased.
        let is_least = units.free(plane) <= scheme.config.min_clean_blocks as usize;
        if !is_least && !units.is_low_without(plane, waiting) {
            return Ok(());
        }
        match self.clean(at, plane, None) {
            Err(FtlError::OutOfSpace { .. }) => Ok(()),
            cleaned => cleaned,
        }
    }
}
