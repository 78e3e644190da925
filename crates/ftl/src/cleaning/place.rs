//! A slot for a page of the host, in the pool whose turn it is or any that has or can make room.

use rewear_flash::Nanos;

use crate::address::{Lpn, Pool, SlotAddress};
use crate::cleaning::Cleaner;
use crate::error::FtlError;
use crate::hand::Hand;
use crate::hand::cause::{Cause, LogicalPage};
use crate::hand::path::{Fast, General, Graded, Grouped, Path, Way};
use crate::host::Content;
use crate::reuse::reclaim_decision::GivesRoom;
use crate::state::units::stream::Stream;

impl Cleaner {
    /// The next free slot for a host write, for all but the way of every page.
    #[inline(never)]
    pub(crate) fn place_slot(
        &mut self,
        hand: &mut Hand,
        at: Nanos,
        lpn: Lpn,
        stream: Stream,
    ) -> Result<SlotAddress, FtlError> {
        let pool = self.pool_for_write(hand, at, lpn)?;
        self.place_in(hand, at, pool, lpn, stream)
    }

    /// The pool for a host write, on a drive that may have second writes.
    #[inline(always)] // The way of every page of such a drive.
    pub(crate) fn pool_for_write(&mut self, hand: &mut Hand, at: Nanos, lpn: Lpn) -> Result<Pool, FtlError> {
        match hand.units().choose_pool(lpn) {
            Some(pool) => Ok(pool),
            None => self.make_pool_for_write(hand, at, lpn),
        }
    }

    #[inline(always)]
    pub(crate) fn place_slot_inline(
        &mut self,
        hand: &mut Hand,
        at: Nanos,
        lpn: Lpn,
        stream: Stream,
    ) -> Result<SlotAddress, FtlError> {
        let Some(pool) = hand.units().choose_pool(lpn) else { return Err(hand.out_of_space()) };
        self.place_in(hand, at, pool, lpn, stream)
    }

    /// The next free slot of a pool, or of another where that has none.
    #[inline(always)] // Through memory, the pair of numbers would be waited for.
    pub(crate) fn place_in(
        &mut self,
        hand: &mut Hand,
        at: Nanos,
        pool: Pool,
        lpn: Lpn,
        stream: Stream,
    ) -> Result<SlotAddress, FtlError> {
        if let Some(place) = hand.units().take_slot(pool, stream) {
            return Ok(place);
        }
        match self.make_room(hand, at, pool, stream) {
            // Failures and wear may have used up one pool's reserve while others have theirs.
            Err(FtlError::OutOfSpace { .. })
                if hand.state().may_fail() || hand.state().units.retired() > 0 =>
            {
                self.place_anywhere(hand, at, lpn, stream)
            }
            made => {
                made?;
                hand.units().take_slot(pool, stream).ok_or_else(|| hand.out_of_space())
            }
        }
    }

    /// The next place for a host write in whichever pool has or can make room.
    #[cold]
    fn place_anywhere(
        &mut self,
        hand: &mut Hand,
        at: Nanos,
        lpn: Lpn,
        stream: Stream,
    ) -> Result<SlotAddress, FtlError> {
        for _ in 0..hand.state().layout.pools {
            let Some(pool) = hand.units().choose_pool(lpn) else { break };
            if !hand.has_room(pool, stream) {
                match self.make_room(hand, at, pool, stream) {
                    Err(FtlError::OutOfSpace { .. }) => continue,
                    made => made?,
                }
            }
            if let Some(place) = hand.units().take_slot(pool, stream) {
                return Ok(place);
            }
        }
        Err(hand.out_of_space())
    }

    /// Every pool holds as many valid pages as it may: units that the scheme gives up are cleaned
    /// until a pool takes host writes. Returns that pool.
    #[cold]
    fn make_pool_for_write(&mut self, hand: &mut Hand, at: Nanos, lpn: Lpn) -> Result<Pool, FtlError> {
        loop {
            if let Some(pool) = hand.units().choose_pool(lpn) {
                return Ok(pool);
            }
            match hand.gives_room(lpn) {
                GivesRoom::Clean { unit } => self.give_up(hand, at, unit)?,
                GivesRoom::AskAgain => {}
                GivesRoom::Nothing => return Err(hand.out_of_space()),
            }
        }
    }

    /// Prepares a slot for a host's page, or another one if that refuses. Returns the slot and when
    /// its program may begin.
    #[inline(never)]
    pub(crate) fn prepare_for_host(
        &mut self,
        hand: &mut Hand,
        at: Nanos,
        (lpn, stream): (Lpn, Stream),
        place: SlotAddress,
        content: Content<'_>,
    ) -> Result<(SlotAddress, Nanos), FtlError> {
        let (mut at, mut place) = (at, place);
        loop {
            // Finding another place may have moved pages, which takes the same buffer.
            hand.take_content(content)?;
            let (ready_at, taken) = hand.prepare(at, place)?;
            if taken {
                return Ok((place, ready_at));
            }
            at = ready_at;
            place = self.place_slot(hand, at, lpn, stream)?;
        }
    }

    /// As [`write_to`](Self::write_to), by the way of pages that was found out for the drive.
    #[inline]
    pub(crate) fn write_by(
        &mut self,
        path: Path,
        hand: &mut Hand,
        ready_at: Nanos,
        page: (Lpn, Stream),
        place: SlotAddress,
        content: Content<'_>,
    ) -> Result<Nanos, FtlError> {
        match path {
            Path::Fast => self.write_to::<Fast>(hand, ready_at, page, place, content),
            Path::Grouped => self.write_to::<Grouped>(hand, ready_at, page, place, content),
            Path::Graded => self.write_to::<Graded>(hand, ready_at, page, place, content),
            Path::Observed | Path::General => self.write_to::<General>(hand, ready_at, page, place, content),
        }
    }

    /// Writes a page to a slot, or where else it goes if the slot refuses it or the program fails.
    #[inline(always)] // The way of every page.
    pub(crate) fn write_to<W: Way>(
        &mut self,
        hand: &mut Hand,
        ready_at: Nanos,
        (lpn, stream): (Lpn, Stream),
        place: SlotAddress,
        content: Content<'_>,
    ) -> Result<Nanos, FtlError> {
        let (place, ready_at) = if W::GENERAL && hand.state().prepares {
            self.prepare_for_host(hand, ready_at, (lpn, stream), place, content)?
        } else {
            (place, ready_at)
        };
        let page = LogicalPage { lpn, stream, cause: Cause::Host };
        let done = hand.program_page::<W>(ready_at, page, place)?;
        if W::GENERAL && done.failed {
            return self.write_elsewhere(hand, done.end, (lpn, stream), content);
        }
        Ok(done.end)
    }

    /// Writes a page whose program failed, or its encoding, in other units until one takes it.
    #[cold]
    pub(crate) fn write_elsewhere(
        &mut self,
        hand: &mut Hand,
        failed_at: Nanos,
        (lpn, stream): (Lpn, Stream),
        content: Content<'_>,
    ) -> Result<Nanos, FtlError> {
        let mut at = failed_at;
        loop {
            let place = self.place_slot(hand, at, lpn, stream)?;
            let (place, ready_at) = if hand.state().prepares {
                self.prepare_for_host(hand, at, (lpn, stream), place, content)?
            } else {
                (place, at)
            };
            let page = LogicalPage { lpn, stream, cause: Cause::Host };
            let done = hand.program_page::<General>(ready_at, page, place)?;
            at = done.end;
            if !done.failed {
                return Ok(at);
            }
        }
    }
}
