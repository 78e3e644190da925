//! Garbage collection: making room in a pool.
//!
//! The reuse scheme names the victim, its valid pages are moved within the pool, and the scheme says whether the unit is
//! erased or given back as it is.

use rewear_flash::Nanos;

use crate::config::{CleaningStep, MovedTo};
use crate::error::FtlError;
use crate::ftl::Ftl;
use crate::recycle::Event;
use crate::reuse::Reclaim;
use crate::stored;
use crate::units::Stream;
use crate::victim::VictimPolicy;

impl Ftl {
    /// Makes sure that the open unit of a host write has a slot, cleaning as the configuration says.
    #[cold]
    pub(crate) fn make_room(&mut self, at: Nanos, pool: u32, stream: Stream) -> Result<(), FtlError> {
        match self.core.cleaning_step {
            CleaningStep::UntilRoom => self.clean_until_room(at, pool, stream)?,
            CleaningStep::OneUnit => self.clean_one_unit(at, pool, stream)?,
        }
        self.level_wear(at, pool)
    }

    fn clean_until_room(&mut self, at: Nanos, pool: u32, stream: Stream) -> Result<(), FtlError> {
        self.core.close(at, pool, stream)?;
        loop {
            self.rescue(at, pool)?;
            let units = &mut self.core.units;
            match units.has_room(pool, stream) {
                true if !units.is_short(pool) => break,
                false if units.may_open(pool) => {
                    units.open(pool, stream);
                }
                has_room => match self.clean(at, pool, (!has_room).then_some(stream)) {
                    // The reserve stays short until something can be cleaned.
                    Err(FtlError::OutOfSpace { .. }) if has_room => break,
                    cleaned => cleaned?,
                },
            }
        }
        Ok(())
    }

    /// While a pool stays at or below the threshold, every host write to it comes by here: its open unit offers one slot
    /// at a time.
    fn clean_one_unit(&mut self, at: Nanos, pool: u32, stream: Stream) -> Result<(), FtlError> {
        self.rescue(at, pool)?;
        self.core.units.offer(pool, stream, false);
        self.open_if_full(at, pool, stream)?;
        if !self.core.units.may_open(pool) {
            self.clean(at, pool, None)?;
            self.open_if_full(at, pool, stream)?;
        }
        self.core.units.offer(pool, stream, !self.core.units.may_open(pool));
        Ok(())
    }

    fn open_if_full(&mut self, at: Nanos, pool: u32, stream: Stream) -> Result<(), FtlError> {
        if !self.core.units.has_room(pool, stream) {
            self.core.close(at, pool, stream)?;
            self.core.units.open(pool, stream).ok_or_else(|| self.out_of_space())?;
        }
        Ok(())
    }

    /// Makes room by one victim of a pool. `needy` is the stream that has no room, if any.
    fn clean(&mut self, at: Nanos, pool: u32, needy: Option<Stream>) -> Result<(), FtlError> {
        let victim = self.reuse.victim(&mut self.victim, &mut self.core.units, pool, needy);
        let (victim, outcome) = victim.ok_or_else(|| self.out_of_space())?;
        if let (Reclaim::Seal, Some(stream)) = (outcome, needy) {
            return self.seal(at, victim, stream);
        }
        self.core.units.begin_cleaning(victim);
        let at = self.find_owners(at, victim)?;
        let moved_at = self.move_valid_pages(at, pool, victim, Stream::Moved)?;
        self.core.counters.garbage_collections += 1;
        self.reclaim(moved_at, victim)?;
        match &self.victim {
            VictimPolicy::WearAware(policy) if policy.wants_cold_data(&self.core.units, victim, pool) => {
                let limit = self.core.units.wear(victim);
                self.empty_coldest(at, pool, limit)
            }
            _ => Ok(()),
        }
    }

    /// Reads the summary of a victim, if the drive keeps the owners of its pages there only.
    pub(crate) fn find_owners(&mut self, at: Nanos, victim: u32) -> Result<Nanos, FtlError> {
        if self.core.summary_reads { Ok(self.core.read_summary(at, victim)?) } else { Ok(at) }
    }

    /// Moves the valid pages of a unit under cleaning; returns when the last of them is safe. If they find no place, the
    /// unit goes back among the candidates (a condemned one stays what it is).
    pub(crate) fn move_valid_pages(
        &mut self,
        at: Nanos,
        pool: u32,
        victim: u32,
        stream: Stream,
    ) -> Result<Nanos, FtlError> {
        self.move_up_to(u32::MAX, at, pool, victim, stream)
    }

    /// Moves the first `pages` valid pages of a unit under cleaning. The only loop over pages to be moved, so that
    /// everything it does is compiled into it.
    #[inline(never)]
    pub(crate) fn move_up_to(
        &mut self,
        pages: u32,
        at: Nanos,
        pool: u32,
        victim: u32,
        stream: Stream,
    ) -> Result<Nanos, FtlError> {
        let (mut asked_at, mut safe_at, mut left) = (at, at, pages);
        for word in 0..self.core.map.words_per_unit() {
            let mut valid = self.core.map.valid_word(victim, word);
            while valid != 0 && left > 0 {
                let slot = word * 64 + valid.trailing_zeros();
                match self.move_page(asked_at, pool, (victim, slot), stream) {
                    Ok(end) => safe_at = safe_at.max(end),
                    Err(error) => {
                        self.core.units.break_off(victim);
                        return Err(error);
                    }
                }
                if self.core.may_fail() && self.core.map.is_valid(victim, slot) {
                    // The program failed: once more, elsewhere, when that is known.
                    asked_at = safe_at;
                    continue;
                }
                valid &= valid - 1;
                left -= 1;
            }
        }
        Ok(safe_at)
    }

    /// Moves one page; returns the end. If the program fails, the page stays valid where it was.
    #[inline(always)]
    fn move_page(
        &mut self,
        at: Nanos,
        pool: u32,
        from: (u32, u32),
        stream: Stream,
    ) -> Result<Nanos, FtlError> {
        let (unit, to) = match self.core.moved_to {
            MovedTo::Pool => match self.core.units.take_slot(pool, stream) {
                Some(place) => place,
                None => self.open_for_moves(at, pool, stream)?,
            },
            MovedTo::Drive => self.take_slot_anywhere(at, pool, stream)?,
        };
        let core = &mut self.core;
        let lpn = core.map.owner(core.layout.ppn(from.0, from.1));
        if core.array.stores_cells() {
            stored::copy(core, &self.reuse, &mut self.buffers, from, (unit, to))?;
        }
        let mode = core.effort.mode_to_write(lpn, Stream::Moved);
        let end = core.copy(at, from, (unit, to), mode)?;
        core.counters.read.moved += u64::from(core.layout.slot_pages);
        core.counters.programmed.moved += u64::from(core.layout.slot_pages);
        if core.may_fail() && core.program_failed(unit, to) {
            return Ok(end);
        }
        core.map.bind(lpn, core.layout.ppn(unit, to), unit, to);
        core.map.invalidate(from.0, from.1);
        match core.moved_to {
            MovedTo::Pool => core.units.valid_moved(from.0, unit),
            MovedTo::Drive => core.units.valid_moved_anywhere(from.0, unit),
        }
        core.counters.pages_moved += 1;
        Ok(end)
    }

    /// A slot in the open unit of any pool, in turn, or else one of the victim's own pool.
    #[inline(never)]
    fn take_slot_anywhere(&mut self, at: Nanos, own: u32, stream: Stream) -> Result<(u32, u32), FtlError> {
        match self.core.units.take_slot_anywhere(stream).or_else(|| self.core.units.take_slot(own, stream)) {
            Some(place) => Ok(place),
            None => self.open_for_moves(at, own, stream),
        }
    }

    /// Cleaning itself may use the reserved units.
    #[cold]
    fn open_for_moves(&mut self, at: Nanos, pool: u32, stream: Stream) -> Result<(u32, u32), FtlError> {
        self.core.close(at, pool, stream)?;
        self.core.units.open(pool, stream);
        self.core.units.take_slot(pool, stream).ok_or_else(|| self.out_of_space())
    }

    /// Erases or reopens an emptied unit, as the reuse scheme says; returns when that ends.
    pub(crate) fn reclaim(&mut self, at: Nanos, unit: u32) -> Result<Nanos, FtlError> {
        match self.reuse.reclaim(unit) {
            // A sealed unit is not emptied.
            Reclaim::Erase | Reclaim::Seal => Ok(self.erase(at, unit)),
            Reclaim::Reopen => self.reopen(unit).map(|()| at),
        }
    }

    fn erase(&mut self, at: Nanos, unit: u32) -> Nanos {
        let core = &mut self.core;
        if core.recycle.listens() {
            let first = core.layout.ppn(unit, 0);
            (first..first + core.layout.slots_per_unit)
                .for_each(|ppn| core.recycle.hear(Event::Destroyed { ppn }));
        }
        let (mut end, mut unfit) = (at, false);
        for index in 0..core.layout.width {
            let address = core.layout.block_of(unit, index);
            end = end.max(core.array.erase(at, address.plane, address.block));
            core.counters.erases += 1;
            unfit |= core.array.wear().is_worn_out(address.block);
            unfit |= core.may_fail() && core.erase_failed(address.block);
        }
        if unfit {
            core.units.retire(unit)
        } else {
            core.units.release(unit)
        }
        end
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
