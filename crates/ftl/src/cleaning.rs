//! Garbage collection: making room in a pool.
//!
//! The reuse scheme names the victim, its valid pages are moved within the pool, and the scheme says whether the unit is
//! erased or given back as it is.

use rewear_flash::Nanos;

use crate::config::CleaningStep;
use crate::error::FtlError;
use crate::ftl::Ftl;
use crate::recycle::Event;
use crate::reuse::Reclaim;
use crate::stored;
use crate::units::Stream;

impl Ftl {
    /// Makes sure that the open unit of a host write has a slot, cleaning as the configuration says.
    #[cold]
    pub(crate) fn make_room(&mut self, at: Nanos, pool: u32) -> Result<(), FtlError> {
        match self.core.cleaning_step {
            CleaningStep::UntilRoom => self.clean_until_room(at, pool),
            CleaningStep::OneUnit => self.clean_one_unit(at, pool),
        }
    }

    fn clean_until_room(&mut self, at: Nanos, pool: u32) -> Result<(), FtlError> {
        self.core.close(at, pool, Stream::Host)?;
        while !self.core.units.has_room(pool, Stream::Host) {
            if self.core.units.may_open(pool) {
                self.core.units.open(pool, Stream::Host);
            } else {
                self.clean(at, pool)?;
            }
        }
        Ok(())
    }

    /// While a pool stays at or below the threshold, every host write to it comes by here: its open unit offers one slot
    /// at a time.
    fn clean_one_unit(&mut self, at: Nanos, pool: u32) -> Result<(), FtlError> {
        self.core.units.offer(pool, false);
        self.open_if_full(at, pool)?;
        if !self.core.units.may_open(pool) {
            self.clean(at, pool)?;
            self.open_if_full(at, pool)?;
        }
        self.core.units.offer(pool, !self.core.units.may_open(pool));
        Ok(())
    }

    fn open_if_full(&mut self, at: Nanos, pool: u32) -> Result<(), FtlError> {
        if !self.core.units.has_room(pool, Stream::Host) {
            self.core.close(at, pool, Stream::Host)?;
            self.core.units.open(pool, Stream::Host).ok_or_else(|| self.out_of_space())?;
        }
        Ok(())
    }

    /// Cleans one victim of a pool.
    fn clean(&mut self, at: Nanos, pool: u32) -> Result<(), FtlError> {
        let victim = self.reuse.victim(&mut self.core.units, pool).ok_or_else(|| self.out_of_space())?;
        self.core.counters.garbage_collections += 1;
        self.core.units.begin_cleaning(victim);
        let moved_at = self.move_valid_pages(at, pool, victim)?;
        match self.reuse.reclaim(victim) {
            Reclaim::Erase => self.erase(moved_at, victim),
            Reclaim::Reopen => self.reopen(victim),
        }
    }

    /// Moves the valid pages of a unit; returns when the last of them is safe.
    fn move_valid_pages(&mut self, at: Nanos, pool: u32, victim: u32) -> Result<Nanos, FtlError> {
        let mut safe_at = at;
        for word in 0..self.core.map.words_per_unit() {
            let mut valid = self.core.map.valid_word(victim, word);
            while valid != 0 {
                let slot = word * 64 + valid.trailing_zeros();
                valid &= valid - 1;
                safe_at = safe_at.max(self.move_page(at, pool, victim, slot)?);
            }
        }
        Ok(safe_at)
    }

    #[inline]
    fn move_page(&mut self, at: Nanos, pool: u32, victim: u32, slot: u32) -> Result<Nanos, FtlError> {
        let (unit, to) = match self.core.units.take_slot(pool, Stream::Moved) {
            Some(place) => place,
            None => self.open_for_moves(at, pool)?,
        };
        let core = &mut self.core;
        let lpn = core.map.owner(core.layout.ppn(victim, slot));
        if core.array.stores_cells() {
            stored::copy(core, &self.reuse, &mut self.buffers, (victim, slot), (unit, to))?;
        }
        let mode = core.effort.mode_to_write(lpn, Stream::Moved);
        let end = core.copy(at, (victim, slot), (unit, to), mode)?;
        core.map.bind(lpn, core.layout.ppn(unit, to), unit, to);
        core.map.invalidate(victim, slot);
        core.units.valid_moved(victim, unit);
        core.counters.pages_moved += 1;
        core.counters.read.moved += u64::from(core.layout.slot_pages);
        core.counters.programmed.moved += u64::from(core.layout.slot_pages);
        Ok(end)
    }

    /// Cleaning itself may use the reserved units.
    #[cold]
    fn open_for_moves(&mut self, at: Nanos, pool: u32) -> Result<(u32, u32), FtlError> {
        self.core.close(at, pool, Stream::Moved)?;
        self.core.units.open(pool, Stream::Moved);
        self.core.units.take_slot(pool, Stream::Moved).ok_or_else(|| self.out_of_space())
    }

    fn erase(&mut self, at: Nanos, unit: u32) -> Result<(), FtlError> {
        let core = &mut self.core;
        if core.recycle.listens() {
            let first = core.layout.ppn(unit, 0);
            (first..first + core.layout.slots_per_unit)
                .for_each(|ppn| core.recycle.hear(Event::Destroyed { ppn }));
        }
        let mut worn_out = false;
        for index in 0..core.layout.width {
            let address = core.layout.block_of(unit, index);
            core.array.erase(at, address.plane, address.block);
            core.counters.erases += 1;
            worn_out |= core.array.wear().is_worn_out(address.block);
        }
        if worn_out {
            core.units.retire(unit)
        } else {
            core.units.release(unit)
        }
        Ok(())
    }

    fn reopen(&mut self, unit: u32) -> Result<(), FtlError> {
        for index in 0..self.core.layout.width {
            self.core.array.reopen(self.core.layout.block_of(unit, index).block)?;
        }
        self.core.counters.reopens += 1;
        self.core.units.release(unit);
        Ok(())
    }

    pub(crate) fn out_of_space(&self) -> FtlError {
        FtlError::OutOfSpace { retired_units: self.core.units.retired(), units: self.core.units.count() }
    }
}
