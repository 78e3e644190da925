//! Page allocation (sections 4 and 5.1): hot data goes to the RecycledActive blocks, the rest to a
//! clean block.

use std::cmp::Ordering;

use super::SecondWrite;
use super::config::PlaneChoice;
use crate::address::{Lpn, Pool, Ppn};
use crate::config::choices::Striping;
use crate::reuse::place::{Answer, HostPage, Placed};
use crate::reuse::reclaim_decision::{ReclaimDecision, Victim};
use crate::state::State;
use crate::state::groups::{GroupSlot, Groups};
use crate::state::units::Units;

/// Part of its pages that a victim may hold and be cleaned ahead.
const CHEAP: u32 = 4;

/// Pages that a write takes of a pair of planes, and of the drive, beyond those of a second write.
#[derive(Debug, Clone, Copy, Default)]
struct More {
    of_lane: u32,
    of_drive: u32,
}

impl SecondWrite {
    /// Whether a page is hot, and the planes that it may go to then.
    #[inline]
    pub(super) fn hot_or_cold(&mut self, lpn: Lpn, pool: Pool) -> HostPage {
        let is_hot = self.separation.is_hot(lpn) && self.rule.share > 0;
        HostPage { lpn, pool, group_pool: is_hot.then(|| self.plane_in_turn(pool)), cleaned: false }
    }

    /// The place of a host write: asked at first, when cleaning has reached the threshold, and when
    /// one more victim is recycled.
    #[inline]
    pub(super) fn allocate(&mut self, view: &State, page: &HostPage, round: u32) -> Answer {
        let Some(pool) = page.group_pool else { return self.first_write(view, page) };
        let (lane, makes_further) = (self.kinds[0].lane_of(pool), self.kinds.len() > 1);
        if round == 0 {
            if makes_further && let Some(slots) = self.next_further(view, pool) {
                return Answer::Go(Placed::Group(slots));
            }
            // Mostly there is nothing to write on and nothing to clean; room for second writes,
            // which takes longest, is asked for last.
            if !self.may_place_or_clean(view, lane) || !self.has_room_for(view, lane, More::default()) {
                return self.first_write(view, page);
            }
        }
        if round == 1 && !makes_further && !page.cleaned {
            // Nothing was recycled since the first answer.
            return self.first_write(view, page);
        }
        if let Some(slots) = self.kinds[0].next_slots(view, &mut self.blocks, lane) {
            return Answer::Go(Placed::Group(slots));
        }
        let pools = self.kinds[0].planes_of(lane);
        match round {
            // Groups that just ended are not in `view` yet.
            0 if self.blocks.has_orders()
                || makes_further
                || Pool::each(pools.clone()).any(|plane| view.units.is_low(plane)) =>
            {
                Answer::AfterCleaning { pools }
            }
            1 if makes_further && self.has_room_for(view, lane, More::default()) => {
                Answer::AfterCleaning { pools }
            }
            0 | 1 => self.first_write(view, page),
            _ => match self.next_further(view, pool) {
                Some(slots) => Answer::Go(Placed::Group(slots)),
                None => self.first_write(view, page),
            },
        }
    }

    /// Whether a lane may have slots for second writes, or its planes may be cleaned for them.
    #[inline]
    fn may_place_or_clean(&self, view: &State, lane: usize) -> bool {
        let second = &self.kinds[0];
        let wants_cleaning =
            |plane| view.units.is_low(plane) || self.kinds.len() > 1 && self.is_to_clean(view, plane, 1, 0);
        second.may_have_next(&self.blocks, lane)
            // What just ended is not in `view` yet.
            || self.blocks.has_orders()
            || Pool::each(second.planes_of(lane)).any(wants_cleaning)
    }

    /// Cleaning starts when clean and recycled blocks together reach the threshold, whichever is
    /// wanted. Where there are third writes, what waits on a plane waits for partners: cleaning
    /// goes on as if it were not there, by one victim.
    #[inline]
    pub(super) fn is_to_clean(&self, view: &State, plane: Pool, round: u32, cleaned: u32) -> bool {
        if round == 0 {
            return view.units.is_low(plane);
        }
        // With fewer clean blocks than these, victims would be erased.
        let has_least = view.units.free(plane) <= view.units.needed_free();
        cleaned == 0 && (has_least || view.units.is_low_without(plane, self.blocks.waiting_blocks(plane)))
    }

    /// Whether a hot write that finds no recycled blocks cleans this victim: one that is recycled,
    /// or hardly costs a move. Other victims wait until a first write needs their room, as on the
    /// plain drive. Cleaned earlier, they would have more valid pages, and the write would wait for
    /// the moves of two planes. Where the plane with more clean pages takes a write, one that is
    /// short of those that recycling asks for is cleaned as well. When second writes begin, its
    /// partner may have a block more already, and would take all first writes. Where there are
    /// third writes, planes must keep step.
    pub(super) fn takes_ahead(&self, view: &State, victim: &Victim) -> bool {
        let chooses = self.plane_choice(view.units.striping()) == PlaneChoice::MostClean;
        self.kinds.len() > 1
            || chooses && view.units.is_short(view.units.pool_of(victim.unit))
            || CHEAP * victim.valid_when_taken <= view.layout.slots_per_unit
            || self.recycle_or_erase(view, victim.unit) == ReclaimDecision::ReopenForGroups
    }

    /// The next slots for a third or fourth write.
    #[inline(never)] // Not on the way of a page where there are second writes only.
    fn next_further(&mut self, view: &State, pool: Pool) -> Option<GroupSlot> {
        for index in 1..self.kinds.len() {
            let lane = self.kinds[index].lane_of(pool);
            if !self.kinds[index].may_have_next(&self.blocks, lane)
                || !self.has_room_for_further(view, index, pool)
            {
                continue;
            }
            let next = self.kinds[index].next_slots(view, &mut self.blocks, lane);
            if next.is_some() {
                return next;
            }
        }
        None
    }

    /// The plane of a chip that takes a first write.
    #[inline]
    fn first_write(&self, view: &State, page: &HostPage) -> Answer {
        Answer::Go(Placed::Next { pool: self.plane_for(view, page) })
    }

    #[inline(always)] // The way of every page that is written for the first time.
    fn plane_for(&self, view: &State, page: &HostPage) -> Pool {
        let (pool, other, units) = (page.pool, Pool(page.pool.0 ^ 1), &view.units);
        let choice = self.plane_choice(units.striping());
        if self.has_tried && units.striping() == Striping::StaticDie && units.keeps_moved_apart() {
            return units.roomy_of_die(page.lpn, pool);
        }
        // While second writes pause, first writes go where those of the plain drive go.
        if choice == PlaneChoice::Striped || self.rule.share == 0 || !units.takes_writes(other) {
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

    /// Striping that does not ask for clean pages would fill one plane of a pair and leave the
    /// other empty.
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
        let lane = self.kinds[0].lane_of(pool);
        let turn = &mut self.turns[lane / lanes];
        *turn = (*turn + 1) % lanes;
        self.kinds[0].planes_of(lane - lane % lanes + *turn).start
    }

    /// Whether one more second write leaves room for every logical page: its two halves count as
    /// two valid pages. A further write takes so many pages more of a lane, and of the drive.
    #[inline]
    fn has_room_for(&self, view: &State, lane: usize, more: More) -> bool {
        let (units, Some(groups)) = (&view.units, view.groups.as_deref()) else { return false };
        let planes = self.kinds[0].planes_of(lane);
        let count = u64::from(planes.end - planes.start);
        let Some(limit) = units.limit_of_takers(planes) else { return false };
        u64::from(groups.excess(lane) + more.of_lane) + self.exported_per_lane + count < limit
            && (units.retired() == 0 || has_room_on_drive(view, groups, more))
    }

    /// Whether one more third or fourth write leaves room for every logical page.
    fn has_room_for_further(&self, view: &State, index: usize, pool: Pool) -> bool {
        let kind = &self.kinds[index];
        let planes = kind.planes_of(kind.lane_of(pool));
        // Two pages of a pair of planes beyond the data, where a second write has one; of the drive
        // all but one.
        let more = More { of_lane: 1, of_drive: planes.end - planes.start - 2 };
        Pool::each(planes).step_by(2).all(|plane| self.has_room_for(view, self.kinds[0].lane_of(plane), more))
    }
}

/// Where units were lost, what other planes have in excess may be needed on those that have more
/// room.
#[cold]
fn has_room_on_drive(view: &State, groups: &Groups, more: More) -> bool {
    let taken = groups.excess_total() + u64::from(more.of_drive);
    taken + u64::from(view.layout.exported_pages) + u64::from(view.layout.pools) < view.units.valid_limit()
}
