//! Where a host write goes (sections 4 and 5.1): hot data to a pair of recycled blocks, the rest to a clean block.

use rewear_flash::Nanos;

use super::SecondWrite;
use super::config::PlaneChoice;
use super::lane::{Active, Prefetch, TriedPair, next_eligible};
use crate::address::{Lpn, NONE};
use crate::config::choices::Striping;
use crate::error::FtlError;
use crate::layer::Ftl;
use crate::reuse::Reuse;
use crate::reuse::place::Place;
use crate::state::State;
use crate::state::units::stream::Stream;

impl Ftl {
    /// The place of a host write on a drive with second writes.
    #[inline(never)]
    pub(crate) fn place_second(&mut self, at: Nanos, lpn: Lpn, stream: Stream) -> Result<Place, FtlError> {
        let pool = self.pool_for_write(at, lpn)?;
        let Reuse::SecondWrite(scheme) = &mut self.reuse else { return Err(self.out_of_space()) };
        let is_hot = scheme.separation.is_hot(lpn);
        let lane = if is_hot { scheme.lane_for(pool) } else { scheme.lane_of(pool) };
        scheme.settle_prefetch(&mut self.state, lane, at)?;
        if is_hot
            && !scheme.further.is_empty()
            && let Some(place) = scheme.next_group(&mut self.state, lane)
        {
            return Ok(place);
        }
        if is_hot && scheme.has_capacity(&self.state, lane) {
            let mut place = scheme.next_pair(&mut self.state, lane);
            if place.is_none() {
                self.recycle_if_low(at, lane)?;
                place = self.next_pair(lane);
            }
            if let Some(place) = place {
                return Ok(place);
            }
        }
        if is_hot && let Some(place) = self.place_after_cleaning(at, lane)? {
            return Ok(place);
        }
        let pool = self.plane_for(pool, lpn);
        let (unit, slot) = self.place_in(at, pool, lpn, stream)?;
        Ok(Place::Slot { unit, slot })
    }

    pub(super) fn next_pair(&mut self, lane: usize) -> Option<Place> {
        let Reuse::SecondWrite(scheme) = &mut self.reuse else { return None };
        scheme.next_pair(&mut self.state, lane)
    }

    /// Cleaning starts when clean and recycled blocks together reach the threshold, whichever is wanted.
    #[inline(always)] // Its only caller, the way of every hot page.
    fn recycle_if_low(&mut self, at: Nanos, lane: usize) -> Result<(), FtlError> {
        let Reuse::SecondWrite(scheme) = &self.reuse else { return Ok(()) };
        for pool in scheme.pools_of(lane) {
            while self.state.units.is_low(pool) {
                match self.clean(at, pool, None) {
                    Err(FtlError::OutOfSpace { .. }) => break,
                    cleaned => cleaned?,
                }
            }
        }
        Ok(())
    }

    /// The plane of a chip that takes a first write.
    #[inline(always)] // The way of every page that is written for the first time.
    fn plane_for(&self, pool: u32, lpn: Lpn) -> u32 {
        let Reuse::SecondWrite(scheme) = &self.reuse else { return pool };
        let other = pool ^ 1;
        let units = &self.state.units;
        let choice = scheme.plane_choice(units.striping());
        if choice == PlaneChoice::Striped || !units.takes_writes(other) {
            return pool;
        }
        let prefers_other = match choice {
            PlaneChoice::Striped => false,
            PlaneChoice::MostClean => units.clean_pages(other) > units.clean_pages(pool),
            PlaneChoice::FewestClean => units.clean_pages(other) < units.clean_pages(pool),
            PlaneChoice::FewestValid => units.pool_valid(other) < units.pool_valid(pool),
            PlaneChoice::OldCopy => match self.state.map.find(lpn) {
                NONE => false,
                ppn => self.state.layout.pool_of(self.state.layout.unit_and_slot(ppn).0) == other,
            },
        };
        if prefers_other { other } else { pool }
    }
}

impl SecondWrite {
    /// Striping that does not ask for clean pages would fill one plane of a pair and leave the other empty.
    #[inline]
    fn plane_choice(&self, striping: Striping) -> PlaneChoice {
        match (self.config.plane_choice, striping) {
            (Some(choice), _) => choice,
            (None, Striping::Dynamic) if self.planes_per_die.is_multiple_of(2) => PlaneChoice::MostClean,
            (None, _) => PlaneChoice::Striped,
        }
    }

    /// Lanes of a chip, which take turns: pairs of planes, in sequential mode planes.
    pub(super) fn lanes_in_turn(&self) -> usize {
        (if self.config.parallel { self.planes_per_die / 2 } else { self.planes_per_die }) as usize
    }

    /// The lane of a hot write that was sent to this plane. Lanes take turns: which plane has more clean pages says nothing of its
    /// recycled ones, and on a lane that gets no hot writes recycled blocks wait for ever, full of pages that nobody may erase. Every
    /// chip has its own turns, since requests that go over all chips in order would else always meet the same lane of a chip.
    #[inline]
    fn lane_for(&mut self, pool: u32) -> usize {
        let (lane, lanes) = (self.lane_of(pool), self.lanes_in_turn());
        if lanes < 2 {
            return lane;
        }
        let turn = &mut self.turns[lane / lanes];
        *turn = (*turn + 1) % lanes;
        lane - lane % lanes + *turn
    }

    /// Whether one more second write leaves room for every logical page: its two halves count as two valid pages.
    #[inline(always)] // The way of every hot page.
    pub(super) fn has_capacity(&self, state: &State, lane: usize) -> bool {
        self.has_room_for(state, lane, (0, 0))
    }

    /// As [`has_capacity`](Self::has_capacity), for a write that takes so many pages more of a lane, and of the drive.
    #[inline(always)]
    pub(super) fn has_room_for(&self, state: &State, lane: usize, (of_lane, of_drive): (u32, u32)) -> bool {
        let (units, Some(pairs)) = (&state.units, &state.pairs) else { return false };
        let planes = self.pools_of(lane);
        if !planes.clone().all(|plane| units.takes_writes(plane)) {
            return false;
        }
        let exported = u64::from(state.layout.exported_pages);
        let count = u64::from(planes.end - planes.start);
        let limit: u64 = planes.map(|plane| u64::from(units.pool_valid_limit(plane))).sum();
        let fits = |valid: u64, share: u64, spare: u64, limit: u64| valid + share + spare < limit;
        fits(u64::from(pairs.valid(lane as u32) + of_lane), self.exported_per_lane, count, limit)
            // Where units were lost, what other planes have in excess may be needed here.
            && (units.retired() == 0
                || fits(pairs.valid_total() + u64::from(of_drive), exported, u64::from(state.layout.pools), units.valid_limit()))
    }

    /// The next place for a second write: of the active pair, or of the next one.
    #[inline]
    pub(super) fn next_pair(&mut self, state: &mut State, lane: usize) -> Option<Place> {
        loop {
            let Some(active) = self.lanes[lane].active else {
                self.open_pair(state, lane)?;
                continue;
            };
            let pairs = state.pairs.as_deref()?;
            if let Some(slot) = next_eligible(pairs, &state.map, state.layout.slots_per_unit, active) {
                return Some(Place::Pair { unit: active.unit, partner: active.partner, slot });
            }
            self.close_pair(state, lane);
        }
    }

    /// Takes the oldest recycled block of each plane; `None` if there is none.
    fn open_pair(&mut self, state: &mut State, lane: usize) -> Option<()> {
        let planes = self.pools_of(lane);
        if !planes.clone().all(|plane| self.blocks.has_recycled(plane, 2)) {
            return None;
        }
        let unit = self.blocks.next_recycled(planes.start, 2)?;
        let partner = if planes.len() == 2 { self.blocks.next_recycled(planes.end - 1, 2)? } else { unit };
        state.pairs.as_deref_mut()?.link(unit, partner);
        self.lanes[lane].active = Some(Active { unit, partner, next: 0 });
        Some(())
    }

    /// Nothing is left to write on the active pair: its blocks are reused, and candidates for cleaning.
    pub(super) fn close_pair(&mut self, state: &mut State, lane: usize) {
        let Some(Active { unit, partner, .. }) = self.lanes[lane].active.take() else { return };
        self.lanes[lane].prefetch = Prefetch::Nothing;
        self.lanes[lane].tried = TriedPair::NEVER;
        self.blocks.reuse(unit);
        state.units.end_reopened_for_groups(unit);
        if partner != unit {
            self.blocks.reuse(partner);
            state.units.end_reopened_for_groups(partner);
        }
    }

    /// The offset counter moves past a slot. Where that was the last one the next pair is taken, so that its old content can
    /// be prefetched.
    #[inline]
    pub(super) fn advance(&mut self, state: &mut State, lane: usize, slot: u32, done_at: Nanos) {
        let own = &mut self.lanes[lane];
        own.tried = TriedPair::NEVER;
        if let Some(active) = &mut own.active {
            active.next = slot + 1;
        }
        if self.config.prefetch && self.next_pair(state, lane).is_some() {
            self.lanes[lane].prefetch = Prefetch::Due(done_at);
        }
    }
}
