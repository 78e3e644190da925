//! The valid pages of a victim move: in rows of slots where pages are copied within their plane and no
//! option has a say in how they are programmed ([`Path`]), or else one by one.
//!
//! Such rows make up most programs of many a drive. What their pages have in common is done once a
//! row.

use rewear_flash::Nanos;

use crate::address::{Lpn, Pool, Slot, SlotAddress, Unit};
use crate::cache_hints::Soon;
use crate::cleaning::Cleaner;
use crate::config::choices::MovedTo;
use crate::error::FtlError;
use crate::hand::Hand;
use crate::hand::cause::{Cause, LogicalPage, Source};
use crate::hand::path::{Fast, General, Graded, Grouped, Observed, Path, Way};
use crate::hand::units::Emptying;
use crate::state::units::stream::Stream;

impl Cleaner {
    /// Who has a say in how the pages of a victim are moved: second writes only where it holds any.
    fn path_to_move(&self, hand: &Hand, victim: Unit) -> Path {
        let has_groups = hand.state().groups.as_deref().is_some_and(|groups| groups.any_in(victim));
        if self.streams.sorts_moves() { Path::General } else { hand.path(has_groups) }
    }

    /// Moves the valid pages of a unit under cleaning; returns when the last of them is safe. If
    /// they find no place, the unit goes back among the candidates (a condemned one stays what it
    /// is).
    pub(super) fn move_valid_pages(
        &mut self,
        hand: &mut Hand,
        at: Nanos,
        pool: Pool,
        victim: Emptying,
        stream: Stream,
    ) -> Result<Nanos, FtlError> {
        self.move_up_to(hand, u32::MAX, at, pool, victim, stream)
    }

    /// Moves the first `pages` valid pages of a unit under cleaning.
    pub(super) fn move_up_to(
        &mut self,
        hand: &mut Hand,
        pages: u32,
        at: Nanos,
        pool: Pool,
        victim: Emptying,
        stream: Stream,
    ) -> Result<Nanos, FtlError> {
        let victim = victim.unit();
        debug_assert!(!hand.state().units.is_free(victim), "a free unit holds no pages");
        // On a chip that does one operation of the host at a time, its planes move pages side by
        // side.
        hand.clock().work_apart(true);
        let was_collected = self.collecting.set(pool, true);
        let moved = match self.path_to_move(hand, victim) {
            _ if !hand.state().copies_back => self.move_pages(hand, pages, at, pool, victim, stream),
            Path::Fast => self.move_in_rows::<Fast>(hand, pages, at, pool, victim, stream),
            Path::Grouped => self.move_in_rows::<Grouped>(hand, pages, at, pool, victim, stream),
            Path::Graded => self.move_in_rows::<Graded>(hand, pages, at, pool, victim, stream),
            Path::Observed => self.move_in_rows::<Observed>(hand, pages, at, pool, victim, stream),
            Path::General => self.move_pages(hand, pages, at, pool, victim, stream),
        };
        self.collecting.set(pool, was_collected);
        hand.clock().work_apart(false);
        moved
    }

    /// The only loop over pages that are moved one by one, so that everything it does is compiled
    /// into it.
    #[inline(never)]
    fn move_pages(
        &mut self,
        hand: &mut Hand,
        pages: u32,
        at: Nanos,
        pool: Pool,
        victim: Unit,
        stream: Stream,
    ) -> Result<Nanos, FtlError> {
        let (mut asked_at, mut safe_at, mut left) = (at, at, pages);
        let has_groups = hand.state().groups.is_some();
        let reads_ahead = self.read_ahead.is_on();
        let mut is_again = false;
        if reads_ahead {
            self.read_ahead.begin(&hand.state().map, victim);
        }
        if left > 1 {
            let (first, slots) =
                (hand.state().layout.ppn(victim, Slot(0)), hand.state().layout.slots_per_unit);
            hand.recycle().hint(Soon::Row { first, pages: slots });
        }
        for word in 0..hand.state().map.words_per_unit() {
            let mut valid = hand.state().map.valid_word(victim, word);
            if left > 1 {
                let first = hand.state().layout.ppn(victim, Slot::of_bit(word, 0));
                hand.state().map.hint_owners(first, valid);
            }
            while valid != 0 && left > 0 {
                let slot = Slot::of_bit(word, valid.trailing_zeros());
                if has_groups && !hand.state().map.is_valid(victim, slot) {
                    // It left together with another part of its write.
                    valid &= valid - 1;
                    continue;
                }
                let from = SlotAddress { unit: victim, slot };
                let read_at =
                    if reads_ahead && !is_again { self.read_for_move(hand, at, victim, left)? } else { None };
                match self.move_page(hand, asked_at, pool, (from, read_at), stream, has_groups) {
                    Ok(end) => safe_at = safe_at.max(end),
                    Err(error) => {
                        hand.units().break_off(victim);
                        return Err(error);
                    }
                }
                if hand.state().may_fail() && hand.state().map.is_valid(victim, slot) {
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
    fn read_for_move(
        &mut self,
        hand: &mut Hand,
        at: Nanos,
        victim: Unit,
        left: u32,
    ) -> Result<Option<Nanos>, FtlError> {
        while let Some(slot) = self.read_ahead.next_to_read(&hand.state().map, victim, left) {
            let end = hand.read_slot(at, SlotAddress { unit: victim, slot })?;
            self.read_ahead.reads(end);
        }
        Ok(self.read_ahead.take())
    }

    /// Moves one page, that was read by `read_at` if it was read ahead; returns the end. If the
    /// program fails, the page stays valid where it was.
    #[inline(always)]
    fn move_page(
        &mut self,
        hand: &mut Hand,
        at: Nanos,
        pool: Pool,
        (from, read_at): (SlotAddress, Option<Nanos>),
        stream: Stream,
        has_groups: bool,
    ) -> Result<Nanos, FtlError> {
        let stream = if self.streams.sorts_moves() { self.sort_move(hand, from, stream) } else { stream };
        let place = match hand.state().moved_to {
            MovedTo::Pool => match hand.units().take_slot(pool, stream) {
                Some(place) => place,
                None => self.open_for_moves(hand, at, pool, stream)?,
            },
            MovedTo::Drive | MovedTo::DriveNested => self.take_slot_anywhere(hand, at, pool, stream)?,
        };
        let (place, at) = if hand.state().prepares {
            self.prepare_for_move(hand, at, pool, from, stream, place)?
        } else {
            (place, at)
        };
        let group = if has_groups { hand.state().group_of(from) } else { None };
        // A write of several slots is known by its first part.
        let whole = group.map_or(from, |group| group.first);
        let ppn = hand.state().layout.ppn(whole.unit, whole.slot);
        let source = Source { at: from, ppn, group, read_at };
        let page = LogicalPage { lpn: hand.state().map.owner(ppn), stream, cause: Cause::Moved(source) };
        Ok(hand.program_page::<General>(at, page, place)?.end)
    }

    /// Prepares a slot for a page that is moved from `from`, or another one if that refuses. Returns
    /// the slot and when its program may begin.
    #[inline(never)]
    fn prepare_for_move(
        &mut self,
        hand: &mut Hand,
        at: Nanos,
        pool: Pool,
        from: SlotAddress,
        stream: Stream,
        place: SlotAddress,
    ) -> Result<(SlotAddress, Nanos), FtlError> {
        let (mut at, mut place) = (at, place);
        loop {
            hand.load(from)?;
            let (ready_at, taken) = hand.prepare(at, place)?;
            if taken {
                return Ok((place, ready_at));
            }
            at = ready_at;
            place = match hand.units().take_slot(pool, stream) {
                Some(place) => place,
                None => self.open_for_moves(hand, at, pool, stream)?,
            };
        }
    }

    /// The stream of a page that is moved, as the placement policy says. Wear levelling chooses the
    /// unit itself.
    #[inline(never)]
    fn sort_move(&mut self, hand: &mut Hand, from: SlotAddress, stream: Stream) -> Stream {
        let lpn = hand.state().map.owner(hand.state().layout.ppn(from.unit, from.slot));
        let sorted = self.streams.stream_of_move(lpn, hand.state().units.last_stream(from.unit));
        if stream == Stream::Moved { sorted } else { stream }
    }

    /// A slot in the open unit of any pool, in turn, or else one of the victim's own pool.
    #[inline(never)]
    fn take_slot_anywhere(
        &mut self,
        hand: &mut Hand,
        at: Nanos,
        own: Pool,
        stream: Stream,
    ) -> Result<SlotAddress, FtlError> {
        let anywhere = match hand.state().moved_to {
            MovedTo::DriveNested => self.take_slot_in_turn(hand, at, stream)?,
            _ => hand.units().take_slot_anywhere(stream),
        };
        match anywhere.or_else(|| hand.units().take_slot(own, stream)) {
            Some(place) => Ok(place),
            None => self.open_for_moves(hand, at, own, stream),
        }
    }

    /// Moves the first `pages` valid pages of a unit under cleaning; returns when the last of them
    /// is safe.
    #[inline(never)]
    fn move_in_rows<W: Way>(
        &mut self,
        hand: &mut Hand,
        pages: u32,
        at: Nanos,
        pool: Pool,
        victim: Unit,
        stream: Stream,
    ) -> Result<Nanos, FtlError> {
        let mut leaving = std::mem::take(&mut self.leaving);
        leaving.resize(hand.state().map.words_per_unit() as usize * 64, (Slot(0), Lpn::NONE));
        let first = hand.state().layout.ppn(victim, Slot(0));
        if W::OBSERVED && pages > 1 {
            hand.recycle().hint(Soon::Row { first, pages: hand.state().layout.slots_per_unit });
        }
        let listed = hand.state().map.list_valid(victim, first, &mut leaving);
        if W::OBSERVED {
            hand.hint_sharers(&leaving[..listed]);
        }
        let moved = self.move_listed::<W>(hand, at, pool, victim, stream, (&leaving[..listed], pages));
        self.leaving = leaving;
        if moved.is_err() {
            hand.units().break_off(victim);
        }
        moved
    }

    #[inline(always)]
    fn move_listed<W: Way>(
        &mut self,
        hand: &mut Hand,
        at: Nanos,
        pool: Pool,
        victim: Unit,
        stream: Stream,
        (leaving, pages): (&[(Slot, Lpn)], u32),
    ) -> Result<Nanos, FtlError> {
        let (mut safe_at, mut left, mut pages) = (at, leaving, pages);
        while let (Some(&(slot, _)), true) = (left.first(), pages > 0) {
            let together = if W::GROUPED { hand.state().alone_among(victim, left) } else { left.len() };
            if together == 0 {
                // Otherwise it left together with another part of its write.
                if hand.state().map.is_valid(victim, slot) {
                    let from = SlotAddress { unit: victim, slot };
                    safe_at = safe_at.max(self.move_page(hand, at, pool, (from, None), stream, true)?);
                    pages -= 1;
                }
                left = &left[1..];
                continue;
            }
            let most = (together as u32).min(pages);
            let (to, slots) = match hand.units().take_slots(pool, stream, most) {
                Some(row) => row,
                None => (self.open_for_moves(hand, at, pool, stream)?, 1),
            };
            let (row, later) = left.split_at(slots as usize);
            let end = hand.copy_row::<W>(at, pool, victim, row, to)?;
            safe_at = safe_at.max(end);
            pages -= slots;
            left = later;
        }
        Ok(safe_at)
    }

    /// A slot in the open unit of the next pool in turn that has one or can make room for it;
    /// `None` if none can.
    #[inline(never)]
    fn take_slot_in_turn(
        &mut self,
        hand: &mut Hand,
        at: Nanos,
        stream: Stream,
    ) -> Result<Option<SlotAddress>, FtlError> {
        for _ in 0..hand.state().layout.pools {
            let pool = hand.units().next_pool_of_moves();
            if !hand.state().units.takes_writes(pool) {
                continue;
            }
            if let Some(place) = hand.units().take_slot(pool, stream) {
                return Ok(Some(place));
            }
            if !self.collecting.takes_another(pool) {
                continue;
            }
            match self.make_room_within(hand, at, pool, stream) {
                Err(FtlError::OutOfSpace { .. }) => continue,
                made => made?,
            }
            if let Some(place) = hand.units().take_slot(pool, stream) {
                return Ok(Some(place));
            }
        }
        Ok(None)
    }

    fn make_room_within(
        &mut self,
        hand: &mut Hand,
        at: Nanos,
        pool: Pool,
        stream: Stream,
    ) -> Result<(), FtlError> {
        let was_collected = self.collecting.set(pool, true);
        self.collecting.begin();
        let made = self.clean_until_room(hand, at, pool, stream);
        self.collecting.end();
        self.collecting.set(pool, was_collected);
        // The collection around this one goes on.
        hand.clock().work_apart(true);
        made
    }
}
