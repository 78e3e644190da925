//! Copies of several pages of a block within their plane, as one operation of the model.
//!
//! All are asked for at the same time and follow each other on one plane. So the end of the last is
//! known from the sum of their times, and the pages of the block that is written are the next ones.

use crate::array::{Array, Clock};
use crate::error::Illegal;
use crate::timing::ProgramMode;
use crate::{Address, Nanos};

impl Array {
    /// Copies pages of a block, in ascending order, to pages in a row of another block of the
    /// plane, from `first` on: as [`copy_back`](Self::copy_back) of each in the normal mode.
    /// Returns the end of the last; `asked_at` if there is none.
    ///
    /// # Errors
    /// As [`copy_back`](Self::copy_back); the copies before the first illegal one were made.
    #[inline]
    pub fn copy_back_row(
        &mut self,
        asked_at: Nanos,
        plane: u32,
        (from, pages): (u32, impl ExactSizeIterator<Item = u32> + DoubleEndedIterator + Clone),
        (to, first): (u32, u32),
    ) -> Result<Nanos, Illegal> {
        let count = pages.len() as u32;
        let Some(last) = pages.clone().next_back() else { return Ok(asked_at) };
        if self.clock == Clock::IsHeard || !self.admits_copies((from, last), (to, first), count) {
            return self.copy_back_each(asked_at, plane, (from, pages), (to, first));
        }
        if self.clock == Clock::Stands {
            return Ok(asked_at);
        }
        let both_ns = self.timing.reads_ns(pages) + self.timing.programs_ns(first..first + count);
        let plane = &mut self.planes[plane as usize];
        plane.busy_ns += both_ns;
        let free_at = &mut self.free_at[plane.service_unit as usize];
        *free_at = asked_at.max(*free_at) + both_ns;
        Ok(*free_at)
    }

    #[inline(never)]
    fn copy_back_each(
        &mut self,
        asked_at: Nanos,
        plane: u32,
        (from, pages): (u32, impl Iterator<Item = u32>),
        (to, first): (u32, u32),
    ) -> Result<Nanos, Illegal> {
        let mut end = asked_at;
        for (page, place) in pages.zip(first..) {
            let source = Address { plane, block: from, page };
            let place = Address { plane, block: to, page: place };
            let normal = ProgramMode::NORMAL;
            end = end.max(self.copy_back(asked_at, (source, normal), (place, normal))?);
        }
        Ok(end)
    }
}
