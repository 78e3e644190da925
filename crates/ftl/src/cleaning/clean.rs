//! Garbage collection: a victim is emptied.
//!
//! The reuse scheme names the victim and says what becomes of it: its valid pages are moved within
//! the pool and the unit is erased or given back as it is, or the pages stay and the rest of the
//! unit is written again.

use rewear_flash::Nanos;

use crate::address::{Pool, Slot, SlotAddress, Unit};
use crate::cache_hints::Soon;
use crate::cleaning::fold::FoldInto;
use crate::config::choices::MovedTo;
use crate::error::FtlError;
use crate::layer::Ftl;
use crate::layer::cause::{Cause, LogicalPage, Source};
use crate::layer::path::Path;
use crate::state::units::stream::Stream;

impl Ftl {
    /// Whether a stream's open unit has a slot left, behind those that must be left out.
    pub(crate) fn has_room(&mut self, pool: Pool, stream: Stream) -> bool {
        self.resume(pool, stream);
        self.state.units.has_room(pool, stream)
    }

    /// Finds the next slots to be written in an open unit of which some must be left out; `false`
    /// if there are none.
    pub(crate) fn resume(&mut self, pool: Pool, stream: Stream) -> bool {
        let (map, reuse) = (&self.state.map, &self.reuse);
        let blocked = |unit, word| map.valid_word(unit, word) | reuse.exhausted_word(unit, word);
        self.state.units.resume(pool, stream, blocked)
    }

    /// Makes room by one victim of a pool. `needy` is the stream that has no room, if any.
    pub(crate) fn clean(&mut self, at: Nanos, pool: Pool, needy: Option<Stream>) -> Result<(), FtlError> {
        if self.slc_cache.as_ref().is_some_and(|cache| cache.gives_room(&self.state.units, pool)) {
            return self.fold(at, pool, FoldInto::Reserve).map(drop);
        }
        let unit = self.choose_victim_or_yield(pool).ok_or_else(|| self.out_of_space())?;
        self.clean_unit(at, pool, unit, needy)
    }

    /// Moves the valid pages of a unit under cleaning; returns when the last of them is safe. If
    /// they find no place, the unit goes back among the candidates (a condemned one stays what it
    /// is).
    pub(crate) fn move_valid_pages(
        &mut self,
        at: Nanos,
        pool: Pool,
        victim: Unit,
        stream: Stream,
    ) -> Result<Nanos, FtlError> {
        self.move_up_to(u32::MAX, at, pool, victim, stream)
    }

    /// Moves the first `pages` valid pages of a unit under cleaning.
    pub(crate) fn move_up_to(
        &mut self,
        pages: u32,
        at: Nanos,
        pool: Pool,
        victim: Unit,
        stream: Stream,
    ) -> Result<Nanos, FtlError> {
        // On a chip that does one operation of the host at a time, its planes move pages side by
        // side.
        self.state.array.work_apart(true);
        let was_collected = self.collecting.set(pool, true);
        let moved = match self.path_to_move(victim) {
            Path::Fast if self.state.copies_back => self.move_in_rows(pages, at, pool, victim, stream),
            Path::Observed if self.state.copies_back => {
                self.move_pages::<false, true>(pages, at, pool, victim, stream)
            }
            _ => self.move_pages::<true, true>(pages, at, pool, victim, stream),
        };
        self.collecting.set(pool, was_collected);
        self.state.array.work_apart(false);
        moved
    }

    /// The only loop over pages that are moved one by one, so that everything it does is compiled
    /// into it, as far as the drive's [`Path`] needs it.
    #[inline(never)]
    fn move_pages<const GENERAL: bool, const OBSERVED: bool>(
        &mut self,
        pages: u32,
        at: Nanos,
        pool: Pool,
        victim: Unit,
        stream: Stream,
    ) -> Result<Nanos, FtlError> {
        let (mut asked_at, mut safe_at, mut left) = (at, at, pages);
        let has_groups = GENERAL && self.state.groups.is_some();
        let reads_ahead = GENERAL && self.read_ahead.is_on();
        let mut is_again = false;
        if reads_ahead {
            self.read_ahead.begin(&self.state.map, victim);
        }
        if OBSERVED && left > 1 {
            let (first, slots) = (self.state.layout.ppn(victim, Slot(0)), self.state.layout.slots_per_unit);
            self.recycle.hint(Soon::Row { first, pages: slots });
        }
        for word in 0..self.state.map.words_per_unit() {
            let mut valid = self.state.map.valid_word(victim, word);
            if left > 1 {
                let first = self.state.layout.ppn(victim, Slot::of_bit(word, 0));
                self.state.map.hint_owners(first, valid);
                if OBSERVED {
                    self.hint_sharers(first, valid);
                }
            }
            while valid != 0 && left > 0 {
                let slot = Slot::of_bit(word, valid.trailing_zeros());
                if has_groups && !self.state.map.is_valid(victim, slot) {
                    // It left together with another part of its write.
                    valid &= valid - 1;
                    continue;
                }
                let from = SlotAddress { unit: victim, slot };
                let read_at =
                    if reads_ahead && !is_again { self.read_for_move(at, victim, left)? } else { None };
                match self.move_page::<GENERAL, OBSERVED>(asked_at, pool, (from, read_at), stream, has_groups)
                {
                    Ok(end) => safe_at = safe_at.max(end),
                    Err(error) => {
                        self.state.units.break_off(victim);
                        return Err(error);
                    }
                }
                if GENERAL && self.state.may_fail() && self.state.map.is_valid(victim, slot) {
                    // The program failed: once more, elsewhere, when that is known. Folded pages wait
                    // for room, as those of the host.
                    if stream == Stream::Host {
                        return Ok(safe_at);
                    }
                    (asked_at, is_again) = (safe_at, true);
                    continue;
                }
                is_again = false;
                valid &= valid - 1;
                left -= 1;
            }
        }
        Ok(safe_at)
    }

    /// Reads pages ahead of the one that is moved next, of the `left` that are to be moved; returns
    /// when that one is read.
    #[inline(never)]
    fn read_for_move(&mut self, at: Nanos, victim: Unit, left: u32) -> Result<Option<Nanos>, FtlError> {
        while let Some(slot) = self.read_ahead.next_to_read(&self.state.map, victim, left) {
            let end = self.read_slot(at, SlotAddress { unit: victim, slot })?;
            self.read_ahead.reads(end);
        }
        Ok(self.read_ahead.take())
    }

    /// Moves one page, that was read by `read_at` if it was read ahead; returns the end. If the
    /// program fails, the page stays valid where it was.
    #[inline(always)]
    fn move_page<const GENERAL: bool, const OBSERVED: bool>(
        &mut self,
        at: Nanos,
        pool: Pool,
        (from, read_at): (SlotAddress, Option<Nanos>),
        stream: Stream,
        has_groups: bool,
    ) -> Result<Nanos, FtlError> {
        let moved_to = if GENERAL { self.state.moved_to } else { MovedTo::Pool };
        let stream =
            if GENERAL && self.streams.sorts_moves() { self.sort_move(from, stream) } else { stream };
        let place = match moved_to {
            MovedTo::Pool => match self.state.units.take_slot(pool, stream) {
                Some(place) => place,
                None => self.open_for_moves(at, pool, stream, from.unit)?,
            },
            MovedTo::Drive | MovedTo::DriveNested => self.take_slot_anywhere(at, pool, stream, from.unit)?,
        };
        let (place, at) = if GENERAL && self.state.prepares {
            self.prepare_for_move(at, pool, from, stream, place)?
        } else {
            (place, at)
        };
        let group = if has_groups { self.state.group_of(from) } else { None };
        // A write of several slots is known by its first part.
        let whole = group.map_or(from, |group| group.first);
        let ppn = self.state.layout.ppn(whole.unit, whole.slot);
        let source = Source { at: from, ppn, pool, group, read_at };
        let page = LogicalPage { lpn: self.state.map.owner(ppn), stream, cause: Cause::Moved(source) };
        Ok(self.program_page::<GENERAL, OBSERVED>(at, page, place)?.end)
    }

    /// Opens a free unit for a stream: for the pages of a victim or for the host. `None` if the
    /// pool has none.
    pub(super) fn open(&mut self, pool: Pool, stream: Stream, victim: Option<Unit>) -> Option<Unit> {
        let unit = self.state.units.open(pool, stream)?;
        self.streams.opened(unit, stream);
        if self.state.layout.varies()
            && let Some(shape) = self.reuse.opens(&self.state, unit, victim)
        {
            self.state.layout.set_slot_pages(unit, shape.slot_pages);
            self.state.units.set_slots(unit, shape.slots);
        }
        Some(unit)
    }

    /// Opens a unit that waits to be written again, if there is one.
    pub(super) fn open_reopened(&mut self, pool: Pool, stream: Stream) -> bool {
        let opened = self.state.units.open_reopened(pool, stream);
        if let Some(unit) = opened {
            self.streams.opened(unit, stream);
        }
        opened.is_some()
    }

    /// The stream of a page that is moved, as the placement policy says. Wear levelling chooses the
    /// unit itself.
    #[inline(never)]
    fn sort_move(&mut self, from: SlotAddress, stream: Stream) -> Stream {
        let lpn = self.state.map.owner(self.state.layout.ppn(from.unit, from.slot));
        let sorted = self.streams.stream_of_move(lpn, self.state.units.last_stream(from.unit));
        if stream == Stream::Moved { sorted } else { stream }
    }

    /// A slot in the open unit of any pool, in turn, or else one of the victim's own pool.
    #[inline(never)]
    fn take_slot_anywhere(
        &mut self,
        at: Nanos,
        own: Pool,
        stream: Stream,
        victim: Unit,
    ) -> Result<SlotAddress, FtlError> {
        let anywhere = match self.state.moved_to {
            MovedTo::DriveNested => self.take_slot_in_turn(at, stream)?,
            _ => self.state.units.take_slot_anywhere(stream),
        };
        match anywhere.or_else(|| self.state.units.take_slot(own, stream)) {
            Some(place) => Ok(place),
            None => self.open_for_moves(at, own, stream, victim),
        }
    }

    /// The next slot for a page of a victim, once the open unit is full. Cleaning itself may use
    /// the reserved units.
    #[cold]
    pub(crate) fn open_for_moves(
        &mut self,
        at: Nanos,
        pool: Pool,
        stream: Stream,
        victim: Unit,
    ) -> Result<SlotAddress, FtlError> {
        self.resume(pool, stream);
        // The host may have been offered a part of the unit only; cleaning may use all of it.
        self.state.units.offer(pool, stream, false);
        if let Some(place) = self.state.units.take_slot(pool, stream) {
            return Ok(place);
        }
        self.close_unit(at, pool, stream)?;
        if self.state.units.counts_waiting() && self.open_reopened(pool, stream) {
            self.resume(pool, stream);
        } else {
            self.open(pool, stream, Some(victim));
        }
        let own = self.state.units.take_slot(pool, stream);
        own.or_else(|| self.take_slot_of_others(pool, stream)).ok_or_else(|| self.out_of_space())
    }

    pub(crate) fn out_of_space(&self) -> FtlError {
        FtlError::OutOfSpace { retired_units: self.state.units.retired(), units: self.state.units.count() }
    }
}
