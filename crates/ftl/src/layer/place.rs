//! Where a host write goes: where the reuse scheme sends it, or else to the pool whose turn it is,
//! or any that has or can make room.

use rewear_flash::Nanos;

use crate::address::{Lpn, Pool, SlotAddress};
use crate::error::FtlError;
use crate::host::Command;
use crate::layer::Ftl;
use crate::reuse::facts::Places;
use crate::reuse::place::Place;
use crate::state::units::stream::Stream;

impl Ftl {
    /// The place for a host write, as the reuse scheme says.
    #[inline(always)] // As its caller, the way of every page.
    pub(crate) fn place<const GENERAL: bool>(
        &mut self,
        at: Nanos,
        lpn: Lpn,
        stream: Stream,
        command: Command,
    ) -> Result<Place, FtlError> {
        match self.reuse.facts.places {
            _ if !GENERAL => Ok(Place::Slot(self.place_slot_inline(at, lpn, stream)?)),
            Places::Chosen => self.place_by_scheme(at, lpn, stream),
            Places::InPlace if command == Command::Overwrite => self.place_overwrite(at, lpn),
            Places::InOrder | Places::InPlace => Ok(Place::Slot(self.place_slot_inline(at, lpn, stream)?)),
        }
    }

    /// The next free slot for a host write, for all but the way of every page.
    #[inline(never)]
    pub(crate) fn place_slot(
        &mut self,
        at: Nanos,
        lpn: Lpn,
        stream: Stream,
    ) -> Result<SlotAddress, FtlError> {
        let pool = self.pool_for_write(at, lpn)?;
        self.place_in(at, pool, lpn, stream)
    }

    /// The pool for a host write, on a drive that may have second writes.
    #[inline(always)] // The way of every page of such a drive.
    pub(crate) fn pool_for_write(&mut self, at: Nanos, lpn: Lpn) -> Result<Pool, FtlError> {
        match self.state.units.choose_pool(lpn) {
            Some(pool) => Ok(pool),
            None => self.make_pages_of_groups(at, lpn),
        }
    }

    #[inline(always)]
    fn place_slot_inline(&mut self, at: Nanos, lpn: Lpn, stream: Stream) -> Result<SlotAddress, FtlError> {
        let Some(pool) = self.state.units.choose_pool(lpn) else { return Err(self.out_of_space()) };
        self.place_in(at, pool, lpn, stream)
    }

    /// The next free slot of a pool, or of another where that has none.
    #[inline(always)] // Through memory, the pair of numbers would be waited for.
    pub(crate) fn place_in(
        &mut self,
        at: Nanos,
        pool: Pool,
        lpn: Lpn,
        stream: Stream,
    ) -> Result<SlotAddress, FtlError> {
        if let Some(place) = self.state.units.take_slot(pool, stream) {
            return Ok(place);
        }
        match self.make_room(at, pool, stream) {
            // Failures and wear may have used up one pool's reserve while others have theirs.
            Err(FtlError::OutOfSpace { .. }) if self.state.may_fail() || self.state.units.retired() > 0 => {
                self.place_anywhere(at, lpn, stream)
            }
            made => {
                made?;
                self.state.units.take_slot(pool, stream).ok_or_else(|| self.out_of_space())
            }
        }
    }

    /// The next place for a host write in whichever pool has or can make room.
    #[cold]
    fn place_anywhere(&mut self, at: Nanos, lpn: Lpn, stream: Stream) -> Result<SlotAddress, FtlError> {
        for _ in 0..self.state.layout.pools {
            let Some(pool) = self.state.units.choose_pool(lpn) else { break };
            if !self.has_room(pool, stream) {
                match self.make_room(at, pool, stream) {
                    Err(FtlError::OutOfSpace { .. }) => continue,
                    made => made?,
                }
            }
            if let Some(place) = self.state.units.take_slot(pool, stream) {
                return Ok(place);
            }
        }
        Err(self.out_of_space())
    }
}
