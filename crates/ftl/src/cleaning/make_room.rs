//! When cleaning starts, and how much is cleaned at a time (`ftl.cleaning_step`).
//!
//! It moves more than most options of the schemes. A step that ends with the first slot leaves a
//! unit of which the moved pages fill a part and the host the rest, so cold pages lie among hot
//! ones. A step that restores the threshold cleans several victims in a row, whose pages lie
//! together.

use rewear_flash::Nanos;

use crate::address::Pool;
use crate::config::choices::MovedTo;
use crate::error::FtlError;
use crate::layer::Ftl;
use crate::state::units::stream::Stream;

impl Ftl {
    /// Makes sure that the open unit of a host write has a slot, cleaning as the configuration
    /// says.
    #[cold]
    pub(crate) fn make_room(&mut self, at: Nanos, pool: Pool, stream: Stream) -> Result<(), FtlError> {
        if !self.state.units.counts_waiting() && self.resume(pool, stream) {
            return Ok(());
        }
        self.clean_by_step(at, pool, stream)?;
        self.level_wear(at, pool)?;
        // Collections within the levelling put their pages into the open units of this pool, too.
        if self.state.moved_to == MovedTo::DriveNested && !self.offers_slot(pool, stream) {
            return self.clean_by_step(at, pool, stream);
        }
        Ok(())
    }

    /// Whether a host write finds a slot.
    pub(super) fn offers_slot(&mut self, pool: Pool, stream: Stream) -> bool {
        self.has_room(pool, stream) && self.state.units.offered(pool, stream) > 0
    }

    /// Cleans until there is a slot for a host write, and as much more as the configuration says.
    fn clean_by_step(&mut self, at: Nanos, pool: Pool, stream: Stream) -> Result<(), FtlError> {
        let step = self.state.cleaning_step;
        match step.is_early() {
            _ if self.state.units.counts_waiting() => self.clean_until_slots(at, pool, stream),
            true => self.clean_early(at, pool, stream, step.restores()),
            false => self.clean_late(at, pool, stream, step.restores()),
        }
    }

    /// Makes room for a page that is moved from another pool.
    pub(super) fn clean_until_room(&mut self, at: Nanos, pool: Pool, stream: Stream) -> Result<(), FtlError> {
        if self.state.units.counts_waiting() {
            return self.clean_until_slots(at, pool, stream);
        }
        self.clean_late(at, pool, stream, false)
    }

    /// Cleans when the open unit is full and none may be opened: until there is a slot, or, if it
    /// `restores` the threshold, until another unit may be opened.
    fn clean_late(&mut self, at: Nanos, pool: Pool, stream: Stream, restores: bool) -> Result<(), FtlError> {
        let mut has_begun = false;
        loop {
            self.rescue(at, pool)?;
            let has_room = self.has_room(pool, stream);
            if !has_room {
                self.close_unit(at, pool, stream)?;
            }
            let units = &self.state.units;
            let goes_on = units.is_short(pool) || restores && has_begun && !units.may_open(pool);
            match has_room {
                true if !goes_on => break,
                // `has_room` finds the first slot to be written.
                false if self.open_reopened(pool, stream) => {}
                false if self.state.units.may_open(pool) => {
                    self.open(pool, stream, None);
                    has_begun = false;
                }
                has_room => match self.clean(at, pool, (!has_room).then_some(stream)) {
                    // The reserve stays short until something can be cleaned. Pages moved so far
                    // may have taken the room.
                    Err(FtlError::OutOfSpace { .. }) if self.has_room(pool, stream) => break,
                    cleaned => {
                        cleaned?;
                        has_begun = true;
                    }
                },
            }
        }
        Ok(())
    }

    /// Cleans before a unit is wanted: one victim, or as many as restore the threshold. While a
    /// pool stays at or below the threshold, every host write to it comes by here: its open unit
    /// offers one slot at a time.
    fn clean_early(&mut self, at: Nanos, pool: Pool, stream: Stream, restores: bool) -> Result<(), FtlError> {
        self.rescue(at, pool)?;
        self.state.units.offer(pool, stream, false);
        self.open_if_full(at, pool, stream)?;
        if !self.state.units.may_open(pool) {
            self.clean_if_possible(at, pool, stream)?;
            while restores && !self.state.units.may_open(pool) {
                match self.clean(at, pool, None) {
                    Err(FtlError::OutOfSpace { .. }) => break,
                    cleaned => cleaned?,
                }
            }
            self.open_if_full(at, pool, stream)?;
        }
        self.state.units.offer(pool, stream, !self.state.units.may_open(pool));
        Ok(())
    }

    /// Cleans a victim; without one a write goes on as long as its open unit has a slot.
    fn clean_if_possible(&mut self, at: Nanos, pool: Pool, stream: Stream) -> Result<(), FtlError> {
        match self.clean(at, pool, None) {
            Err(FtlError::OutOfSpace { .. }) if self.has_room(pool, stream) => Ok(()),
            cleaned => cleaned,
        }
    }

    /// Opens a unit, of the reserve too: the cleaning that follows restores it. A victim whose
    /// erase failed gave nothing back, and a reopened unit is written to its end without another.
    /// So nothing may be left to open, and a victim comes first.
    fn open_if_full(&mut self, at: Nanos, pool: Pool, stream: Stream) -> Result<(), FtlError> {
        while !self.has_room(pool, stream) {
            self.close_unit(at, pool, stream)?;
            if !self.open_reopened(pool, stream) && self.open(pool, stream, None).is_none() {
                self.clean(at, pool, Some(stream))?;
            }
        }
        Ok(())
    }
}
