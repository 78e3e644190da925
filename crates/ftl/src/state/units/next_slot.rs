//! Where the next page goes: the pool of a host write, and the next slot of a stream's open unit.

use std::ops::Range;

use crate::address::{Lpn, Pool, Slot, SlotAddress, Unit};
use crate::config::choices::Striping;
use crate::state::units::Units;
use crate::state::units::low_then_high::Fill;
use crate::state::units::stream::Stream;

/// Under balanced striping no pool takes writes that has less room than the mean by more than one
/// part in this number. Cleaning's work goes with one over the room, so pools differ as little.
const BALANCED_WITHIN: u64 = 32;

impl Units {
    /// The pool that takes a host write of a logical page, leaving out pools that are full of valid
    /// pages.
    #[inline(always)] // The way of every page.
    pub fn choose_pool(&mut self, lpn: Lpn) -> Option<Pool> {
        match self.striping {
            Striping::Dynamic => {
                let (visits, pools) = (&mut self.visits, &self.pools);
                (0..pools.len()).map(|_| visits.next_pool()).find(|&pool| pools[pool.index()].takes_writes())
            }
            Striping::StaticDie => {
                let die = lpn.0 % self.visits.dies;
                let chosen = self.emptiest_pool_of_die(die)?;
                self.visits.chosen(die, chosen);
                Some(chosen)
            }
            Striping::Balanced => self.roomy_in_turn(),
        }
    }

    /// The next pool in turn that has as much room for valid pages as the pools have on average, or
    /// little less. What that is is found once a round.
    #[inline(never)] // Apart from the way of every page of other drives.
    fn roomy_in_turn(&mut self) -> Option<Pool> {
        let (visits, pools) = (&mut self.visits, &self.pools);
        let mut too_full = None;
        for _ in 0..pools.len() {
            if visits.begins_round() {
                let mean = pools.iter().map(|pool| u64::from(pool.room())).sum::<u64>() / pools.len() as u64;
                visits.least_room = (mean - mean / BALANCED_WITHIN) as u32;
            }
            let pool = visits.next_pool();
            match pools[pool.index()].room() {
                0 => {}
                room if room >= visits.least_room => return Some(pool),
                _ => too_full = too_full.or(Some(pool)),
            }
        }
        too_full
    }

    /// How host writes are spread over the pools.
    #[inline]
    pub fn striping(&self) -> Striping {
        self.striping
    }

    /// The pools that may take a host write of a logical page.
    pub fn pools_for(&self, lpn: Lpn) -> Range<Pool> {
        match self.striping {
            Striping::Dynamic | Striping::Balanced => Pool(0)..Pool(self.pools.len() as u32),
            Striping::StaticDie => {
                let first = lpn.0 % self.visits.dies * self.visits.pools_per_die;
                Pool(first)..Pool(first + self.visits.pools_per_die)
            }
        }
    }

    /// The pool that is likely to take the next host write, which would be of a logical page.
    pub fn next_pool(&self, lpn: Lpn) -> Pool {
        match self.striping {
            Striping::Dynamic | Striping::Balanced => self.visits.peek_pool(),
            Striping::StaticDie => {
                let die = lpn.0 % self.visits.dies;
                self.emptiest_pool_of_die(die).unwrap_or(Pool(die * self.visits.pools_per_die))
            }
        }
    }

    /// The pool of a die with the most free pages, round robin on ties.
    #[inline(always)] // The way of every page.
    fn emptiest_pool_of_die(&self, die: u32) -> Option<Pool> {
        let pools = self.visits.pools_of_die(die).filter(|&pool| self.takes_writes(pool));
        // The first of equals: `max_by_key` would give the last.
        let emptier = |best, pool| if self.clean_pages(pool) > self.clean_pages(best) { pool } else { best };
        pools.reduce(emptier)
    }

    /// The next slot of a stream's open unit; `None` if there is no open unit or it is full.
    #[inline]
    pub fn take_slot(&mut self, pool: Pool, stream: Stream) -> Option<SlotAddress> {
        let index = self.stream(stream);
        let open = self.pools[pool.index()].open_mut(index);
        let index = open.next_slot;
        (index < open.stop_slot).then(|| {
            open.next_slot += 1;
            SlotAddress { unit: open.unit, slot: self.fill_order.slot(open.fill, index) }
        })
    }

    /// As [`take_slot`](Self::take_slot), of slots that follow each other: the first, and how many,
    /// `most` at most.
    #[inline]
    pub(crate) fn take_slots(&mut self, pool: Pool, stream: Stream, most: u32) -> Option<(SlotAddress, u32)> {
        let index = self.stream(stream);
        let open = self.pools[pool.index()].open_mut(index);
        if open.fill != Fill::All {
            return self.take_slot(pool, stream).map(|slot| (slot, 1));
        }
        let slots = open.stop_slot.saturating_sub(open.next_slot).min(most);
        let first = SlotAddress { unit: open.unit, slot: Slot(open.next_slot) };
        open.next_slot += slots;
        (slots > 0).then_some((first, slots))
    }

    /// A slot in the open unit of a stream in some pool that takes writes, in turn.
    pub fn take_slot_anywhere(&mut self, stream: Stream) -> Option<SlotAddress> {
        (0..self.pools.len()).find_map(|_| {
            let pool = self.next_pool_of_moves();
            if self.pools[pool.index()].takes_writes() { self.take_slot(pool, stream) } else { None }
        })
    }

    /// The pool whose turn it is to take a moved page, where all pools take them.
    pub(crate) fn next_pool_of_moves(&mut self) -> Pool {
        self.moves.next_pool()
    }

    /// Whether a stream's open unit has a slot left.
    pub fn has_room(&self, pool: Pool, stream: Stream) -> bool {
        let open = self.pools[pool.index()].open(self.stream(stream));
        open.next_slot < open.end
    }

    /// Slots of a stream's open unit that may be taken before the cleaner is asked again.
    pub(crate) fn offered(&self, pool: Pool, stream: Stream) -> u32 {
        let open = self.pools[pool.index()].open(self.stream(stream));
        open.stop_slot.saturating_sub(open.next_slot)
    }

    /// Whether a slot lies in an open unit at or behind its write pointer, where units are filled
    /// in order.
    pub fn is_ahead(&self, unit: Unit, slot: Slot) -> bool {
        let pool = &self.pools[self.units[unit.index()].pool.index()];
        pool.all_open().any(|open| open.unit == unit && (open.next_slot..open.end).contains(&slot.0))
    }

    /// The open unit of a stream and its slots that were not passed yet, if it has one.
    pub(crate) fn slots_ahead(&self, pool: Pool, stream: Stream) -> Option<(Unit, Range<u32>)> {
        let open = self.pools[pool.index()].open(self.stream(stream));
        (!open.unit.is_none()).then_some((open.unit, open.next_slot..open.end))
    }

    /// Offers the host at most `slots` slots of its open unit, before the cleaner is asked again.
    pub(crate) fn offer_few(&mut self, pool: Pool, stream: Stream, slots: u64) {
        let index = self.stream(stream);
        let open = self.pools[pool.index()].open_mut(index);
        let last = u64::from(open.next_slot) + slots;
        open.stop_slot = u32::try_from(last).unwrap_or(u32::MAX).min(open.run_end);
    }

    /// Offers the host all slots of its open unit, or only the next one.
    pub fn offer(&mut self, pool: Pool, stream: Stream, one: bool) {
        let index = self.stream(stream);
        let open = self.pools[pool.index()].open_mut(index);
        open.stop_slot = if one { (open.next_slot + 1).min(open.run_end) } else { open.run_end };
    }
}
