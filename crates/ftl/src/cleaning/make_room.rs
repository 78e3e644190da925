//! When cleaning starts, and how much is cleaned at a time (`ftl.cleaning_step`).
//!
//! It moves more than most options of the schemes. A step that ends with the first slot leaves a
//! unit, filled in part by moved pages and for the rest by the host, so cold pages lie among hot
//! ones. A step that restores the threshold cleans several victims in a row, whose pages lie
//! together.

use rewear_flash::Nanos;

use crate::address::Pool;
use crate::cleaning::Cleaner;
use crate::config::choices::MovedTo;
use crate::error::FtlError;
use crate::hand::Hand;
use crate::state::units::stream::Stream;

impl Cleaner {
    /// Makes sure that the open unit of a host write has a slot, cleaning as the configuration
    /// says.
    #[cold]
    pub(crate) fn make_room(
        &mut self,
        hand: &mut Hand,
        at: Nanos,
        pool: Pool,
        stream: Stream,
    ) -> Result<(), FtlError> {
        if !hand.state().units.counts_waiting() && hand.resume(pool, stream) {
            return Ok(());
        }
        self.clean_by_step(hand, at, pool, stream)?;
        self.level_wear(hand, at, pool)?;
        // Collections within the levelling put their pages into the open units of this pool, too.
        if hand.state().moved_to == MovedTo::DriveNested && !hand.offers_slot(pool, stream) {
            return self.clean_by_step(hand, at, pool, stream);
        }
        Ok(())
    }

    /// Cleans until there is a slot for a host write, and as much more as the configuration says.
    fn clean_by_step(
        &mut self,
        hand: &mut Hand,
        at: Nanos,
        pool: Pool,
        stream: Stream,
    ) -> Result<(), FtlError> {
        let step = hand.state().cleaning_step;
        match step.is_early() {
            _ if hand.state().units.counts_waiting() => self.clean_until_slots(hand, at, pool, stream),
            true => self.clean_early(hand, at, pool, stream, step.restores()),
            false => self.clean_late(hand, at, pool, stream, step.restores()),
        }
    }

    /// Makes room for a page that is moved from another pool.
    pub(super) fn clean_until_room(
        &mut self,
        hand: &mut Hand,
        at: Nanos,
        pool: Pool,
        stream: Stream,
    ) -> Result<(), FtlError> {
        if hand.state().units.counts_waiting() {
            return self.clean_until_slots(hand, at, pool, stream);
        }
        self.clean_late(hand, at, pool, stream, false)
    }

    /// Cleans when the open unit is full and none may be opened: until there is a slot, or, if it
    /// `restores` the threshold, until another unit may be opened.
    fn clean_late(
        &mut self,
        hand: &mut Hand,
        at: Nanos,
        pool: Pool,
        stream: Stream,
        restores: bool,
    ) -> Result<(), FtlError> {
        let mut has_begun = false;
        loop {
            self.rescue(hand, at, pool)?;
            let has_room = hand.has_room(pool, stream);
            if !has_room {
                hand.close_unit(at, pool, stream)?;
            }
            let units = &hand.state().units;
            let goes_on = units.is_short(pool) || restores && has_begun && !units.may_open(pool);
            match has_room {
                true if !goes_on => break,
                // `has_room` finds the first slot to be written.
                false if self.open_reopened(hand, pool, stream) => {}
                false if hand.state().units.may_open(pool) => {
                    self.open(hand, pool, stream);
                    has_begun = false;
                }
                has_room => match self.clean(hand, at, pool, (!has_room).then_some(stream)) {
                    // The reserve stays short until something can be cleaned. Pages moved so far
                    // may have taken the room.
                    Err(FtlError::OutOfSpace { .. }) if hand.has_room(pool, stream) => break,
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
    fn clean_early(
        &mut self,
        hand: &mut Hand,
        at: Nanos,
        pool: Pool,
        stream: Stream,
        restores: bool,
    ) -> Result<(), FtlError> {
        self.rescue(hand, at, pool)?;
        hand.units().offer(pool, stream, false);
        self.open_if_full(hand, at, pool, stream)?;
        if !hand.state().units.may_open(pool) {
            self.clean_if_possible(hand, at, pool, stream)?;
            // A unit reopened for groups is no place for the pages that the next victim loses.
            while restores && !hand.state().units.may_open(pool) || hand.state().units.lacks_free(pool) {
                match self.clean(hand, at, pool, None) {
                    Err(FtlError::OutOfSpace { .. }) => break,
                    cleaned => cleaned?,
                }
            }
            self.open_if_full(hand, at, pool, stream)?;
        }
        let one_by_one = !hand.state().units.may_open(pool);
        hand.units().offer(pool, stream, one_by_one);
        Ok(())
    }

    /// Cleans a victim; without one a write goes on as long as its open unit has a slot.
    fn clean_if_possible(
        &mut self,
        hand: &mut Hand,
        at: Nanos,
        pool: Pool,
        stream: Stream,
    ) -> Result<(), FtlError> {
        match self.clean(hand, at, pool, None) {
            Err(FtlError::OutOfSpace { .. }) if hand.has_room(pool, stream) => Ok(()),
            cleaned => cleaned,
        }
    }

    /// Opens a unit, of the reserve too: the cleaning that follows restores it. A victim whose
    /// erase failed gave nothing back, and a reopened unit is written to its end without another.
    /// So nothing may be left to open, and a victim comes first.
    fn open_if_full(
        &mut self,
        hand: &mut Hand,
        at: Nanos,
        pool: Pool,
        stream: Stream,
    ) -> Result<(), FtlError> {
        while !hand.has_room(pool, stream) {
            hand.close_unit(at, pool, stream)?;
            if !self.open_reopened(hand, pool, stream) && self.open(hand, pool, stream).is_none() {
                self.clean(hand, at, pool, Some(stream))?;
            }
        }
        Ok(())
    }

    /// Cleans with a reserve that is counted in slots: those of the open unit, of free units and of
    /// units that wait to be written again are worth the same. Makes sure that a stream has an open
    /// unit with a slot beside those in reserve, and offers it no more than those.
    ///
    /// So the last erased unit is written like any other, and units are reopened before their slots
    /// are needed. While they wait they lose more of their valid pages, and each pass over them
    /// writes more.
    fn clean_until_slots(
        &mut self,
        hand: &mut Hand,
        at: Nanos,
        pool: Pool,
        stream: Stream,
    ) -> Result<(), FtlError> {
        loop {
            self.rescue(hand, at, pool)?;
            if !hand.has_room(pool, stream) {
                hand.close_unit(at, pool, stream)?;
                // An erased unit first: it has nothing to gain from waiting.
                let opened =
                    self.open(hand, pool, stream).is_some() || self.open_reopened(hand, pool, stream);
                if opened {
                    continue;
                }
            }
            let (waiting, kept) = hand.state().units.slots_in_reserve(pool);
            let there = waiting + hand.slots_of_open_unit(pool, stream);
            if there > kept {
                hand.units().offer_few(pool, stream, there - kept);
                return Ok(());
            }
            match self.clean(hand, at, pool, None) {
                // Nothing can be cleaned, so what is there is all there is.
                Err(FtlError::OutOfSpace { .. }) if hand.has_room(pool, stream) => {
                    hand.units().offer(pool, stream, false);
                    return Ok(());
                }
                cleaned => cleaned?,
            }
        }
    }
}
