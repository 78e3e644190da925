//! Page allocation (sections 4 and 5.1): hot data goes to the RecycledActive blocks, the rest to a
//! clean block.

use std::cmp::Ordering;
use std::ops::Range;

use super::SecondWrite;
use super::config::{PlaneChoice, Recycling};
use crate::address::{Lpn, Pool, Ppn};
use crate::config::choices::Striping;
use crate::state::State;
use crate::state::groups::{GroupSlot, Groups};
use crate::state::units::Units;

/// A host write that is looking for its place.
#[derive(Debug, Clone, Copy)]
pub(super) struct HostPage {
    pub(super) lpn: Lpn,
    /// The pool whose turn it is.
    pub(super) pool: Pool,
    /// Whether it may go to a group, and where: one of the pools of that group.
    pub(super) group_pool: Option<Pool>,
}

/// Where a host write goes.
#[derive(Debug, Clone, Copy)]
pub(super) enum Placed {
    /// To the next slot of the open unit of its stream in a pool.
    Next { pool: Pool },
    /// Over what lies in the slots of a group.
    Group(GroupSlot),
}

impl SecondWrite {
    /// Whether a page is hot, and the planes that it may go to then.
    #[inline]
    pub(super) fn hot_or_cold(&mut self, lpn: Lpn, pool: Pool) -> HostPage {
        let is_hot = self.separation.is_hot(lpn) && !self.pauses();
        HostPage { lpn, pool, group_pool: is_hot.then(|| self.plane_in_turn(pool)) }
    }

    /// The planes that share the second writes to which a page may belong.
    pub(super) fn planes_for(&self, page: &HostPage) -> Range<Pool> {
        self.active.planes_of(self.active.lane_of(page.group_pool.unwrap_or(page.pool)))
    }

    /// The place of a host write; `None` if a victim of planes that are at the threshold of cleaning
    /// `may_be_recycled` for it first.
    #[inline]
    pub(super) fn allocate(
        &mut self,
        state: &mut State,
        page: &HostPage,
        may_be_recycled: bool,
    ) -> Option<Placed> {
        let Some(pool) = page.group_pool else { return Some(self.first_write(state, page)) };
        let lane = self.active.lane_of(pool);
        let pools = self.active.planes_of(lane);
        // Mostly there is nothing to write on and nothing to recycle; room for second writes, which
        // takes longest, is asked for last.
        let may_recycle =
            may_be_recycled && Pool::each(pools).any(|plane| self.asks_to_recycle(state, plane));
        if !(self.active.may_have_next(&self.blocks, lane) || may_recycle) || !self.has_room_for(state, lane)
        {
            return Some(self.first_write(state, page));
        }
        match self.active.next_slots(state, &mut self.blocks, lane) {
            Some(slots) => Some(Placed::Group(slots)),
            None if may_recycle => None,
            None => Some(self.first_write(state, page)),
        }
    }

    /// Whether a hot write that finds no pair has victims of a plane recycled.
    #[inline]
    fn asks_to_recycle(&self, view: &State, plane: Pool) -> bool {
        if self.config.recycling == Recycling::BeforeErasing {
            return view.units.is_short(plane);
        }
        // Early steps of cleaning leave a clean block more, which the next write opens.
        view.units.free(plane) <= view.units.reserved() + usize::from(view.cleaning_step.is_early())
    }

    /// The plane of a chip that takes a first write.
    #[inline]
    pub(super) fn first_write(&self, view: &State, page: &HostPage) -> Placed {
        Placed::Next { pool: self.plane_for(view, page) }
    }

    #[inline(always)] // The way of every page that is written for the first time.
    fn plane_for(&self, view: &State, page: &HostPage) -> Pool {
        let (pool, other, units) = (page.pool, Pool(page.pool.0 ^ 1), &view.units);
        let choice = self.plane_choice(units.striping());
        // While second writes pause, first writes go where those of the plain drive go.
        if choice == PlaneChoice::Striped || self.pauses() || !units.takes_writes(other) {
            return pool;
        }
        let prefers_other = match choice {
            PlaneChoice::Striped => false,
            PlaneChoice::MostClean => self.is_cleaner(units, other, pool),
            PlaneChoice::FewestClean => units.clean_pages(other) < units.clean_pages(pool),
            PlaneChoice::FewestValid => units.pool_valid(other) < units.pool_valid(pool),
            PlaneChoice::OldCopy => match view.map.find(page.lpn) {
                Ppn::NONE => false,
                ppn => view.layout.pool_of(view.layout.slot_address(ppn).unit) == other,
            },
        };
        if prefers_other { other } else { pool }
    }

    /// Whether a plane has more clean pages than another, or as many and no erase since the other
    /// had one. If a tie went to the plane whose turn it is, the plane that was cleaned last would
    /// often be cleaned again. Its victims would be fuller, its blocks worn faster, and its
    /// recycled blocks without partners.
    #[inline]
    fn is_cleaner(&self, units: &Units, plane: Pool, other: Pool) -> bool {
        let erased_at = |plane| self.blocks.plane(plane).erased_at;
        match units.clean_pages(plane).cmp(&units.clean_pages(other)) {
            Ordering::Equal => erased_at(plane) < erased_at(other),
            order => order == Ordering::Greater,
        }
    }

    /// Under striping that does not ask for clean pages the planes of a pair would be cleaned at
    /// different times, and wear apart.
    #[inline]
    fn plane_choice(&self, striping: Striping) -> PlaneChoice {
        match (self.config.plane_choice, striping) {
            (Some(choice), _) => choice,
            (None, Striping::Dynamic | Striping::Balanced) if self.planes_per_die.is_multiple_of(2) => {
                PlaneChoice::MostClean
            }
            (None, _) => PlaneChoice::Striped,
        }
    }

    /// Lanes of a chip, which take turns: pairs of planes, in sequential mode planes.
    pub(super) fn lanes_in_turn(&self) -> usize {
        (if self.config.parallel { self.planes_per_die / 2 } else { self.planes_per_die }) as usize
    }

    /// A plane of the lane for a hot write that was sent to this plane. Lanes take turns, since the
    /// clean pages of a plane say nothing of its recycled ones. On a lane that gets no hot writes
    /// recycled blocks would wait for ever, full of pages that may not be erased. Every chip has
    /// its own turns, since requests that go over all chips in order would else always meet the
    /// same lane of a chip.
    #[inline]
    fn plane_in_turn(&mut self, pool: Pool) -> Pool {
        let lanes = self.lanes_in_turn();
        if lanes < 2 {
            return pool;
        }
        let lane = self.active.lane_of(pool);
        let turn = &mut self.turns[lane / lanes];
        *turn = (*turn + 1) % lanes;
        self.active.planes_of(lane - lane % lanes + *turn).start
    }

    /// Whether one more second write leaves room for every logical page: its two halves count as
    /// two valid pages.
    #[inline]
    fn has_room_for(&self, view: &State, lane: usize) -> bool {
        let (units, Some(groups)) = (&view.units, view.groups.as_deref()) else { return false };
        let planes = self.active.planes_of(lane);
        let count = u64::from(planes.end - planes.start);
        let Some(limit) = units.limit_of_takers(planes) else { return false };
        u64::from(groups.excess(lane)) + self.exported_per_lane + count < limit
            && (units.retired() == 0 || has_room_on_drive(view, groups))
    }
}

/// Where units were lost, what other planes have in excess may be needed on those that have more
/// room.
#[cold]
fn has_room_on_drive(view: &State, groups: &Groups) -> bool {
    groups.excess_total() + u64::from(view.layout.exported_pages) + u64::from(view.layout.pools)
        < view.units.valid_limit()
}
