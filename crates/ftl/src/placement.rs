//! Where a host write goes: the pool whose turn it is, or any that has or can make room.

use rewear_flash::Nanos;

use crate::Lpn;
use crate::error::FtlError;
use crate::ftl::Ftl;
use crate::host_write::Command;
use crate::reuse::Reuse;
use crate::units::Stream;

/// Where a host write goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    /// A slot that was not programmed in the present pass over its unit.
    Slot {
        /// The unit.
        unit: u32,
        /// The slot.
        slot: u32,
    },
    /// The slot where the logical page lies: it is programmed again in place.
    Again {
        /// The unit.
        unit: u32,
        /// The slot.
        slot: u32,
    },
}

impl Ftl {
    /// The place for a host write, as the reuse scheme says.
    #[inline(always)] // As its caller, the way of every page.
    pub(crate) fn place(
        &mut self,
        at: Nanos,
        lpn: Lpn,
        stream: Stream,
        command: Command,
    ) -> Result<Place, FtlError> {
        match &self.reuse {
            Reuse::Seal(_) if command == Command::Overwrite => self.place_overwrite(at, lpn),
            Reuse::Nothing(_) | Reuse::WomV(_) | Reuse::Seal(_) => {
                let (unit, slot) = self.place_slot_inline(at, lpn, stream)?;
                Ok(Place::Slot { unit, slot })
            }
        }
    }

    /// The next slot for a host write, for all but the way of every page.
    #[inline(never)]
    pub(crate) fn place_slot(&mut self, at: Nanos, lpn: Lpn, stream: Stream) -> Result<(u32, u32), FtlError> {
        self.place_slot_inline(at, lpn, stream)
    }

    #[inline(always)]
    fn place_slot_inline(&mut self, at: Nanos, lpn: Lpn, stream: Stream) -> Result<(u32, u32), FtlError> {
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
            if !self.core.units.has_room(pool, stream) {
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
