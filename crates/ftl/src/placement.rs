//! Where a host write goes: the pool whose turn it is, or any that has or can make room.

use rewear_flash::Nanos;

use crate::Lpn;
use crate::error::FtlError;
use crate::ftl::Ftl;
use crate::units::Stream;

impl Ftl {
    /// The next place for a host write.
    #[inline]
    pub(crate) fn place(&mut self, at: Nanos, lpn: Lpn, stream: Stream) -> Result<(u32, u32), FtlError> {
        let Some(pool) = self.core.units.choose_pool(lpn) else { return Err(self.out_of_space()) };
        if let Some(place) = self.core.units.take_slot(pool, stream) {
            return Ok(place);
        }
        match self.make_room(at, pool, stream) {
            // Failures may have used up one pool's reserve while others have theirs.
            Err(FtlError::OutOfSpace { .. }) if self.core.may_fail() => self.place_anywhere(at, lpn, stream),
            made => {
                made?;
                self.core.units.take_slot(pool, stream).ok_or_else(|| self.out_of_space())
            }
        }
    }

    /// The next place for a host write in whichever pool has or can make room.
    #[cold]
    fn place_anywhere(&mut self, at: Nanos, lpn: Lpn, stream: Stream) -> Result<(u32, u32), FtlError> {
        for _ in 0..self.core.layout.pools {
            let Some(pool) = self.core.units.choose_pool(lpn) else { break };
            if !self.has_room(pool, stream) {
                match self.make_room(at, pool, stream) {
                    Err(FtlError::OutOfSpace { .. }) => continue,
                    made => made?,
                }
            }
            if let Some(place) = self.core.units.take_slot(pool, stream) {
                return Ok(place);
            }
        }
        Err(self.out_of_space())
    }
}
