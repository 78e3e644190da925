//! Writes pages beside those that end at about the same time.
//!
//! Each of k open units takes the pages whose versions end in a stretch of time of its own. The
//! stretches are cut anew every k units' worth of events, so that the open units fill at known
//! rates. A moved page goes where a page that the host writes with the same end would go. The
//! victim is the unit with the least v / (B - v) / r, where v of its B pages are valid and have r
//! events before them on average: one that is about to empty itself is left alone.

use rewear_ftl::shape::layout::Layout;

use super::future::{Event, Future, NEVER};

/// How the ends of the pages to come are divided among the open units.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Split {
    /// As many pages to each.
    Even,
    /// Fewer to those of later ends, which moved pages fill as well.
    Tail,
}

impl Split {
    pub(super) const ALL: [Split; 2] = [Split::Even, Split::Tail];

    /// How many of `pages` come before the border behind part `part` (from 1) of `parts`.
    fn border(self, pages: u64, part: u64, parts: u64) -> u64 {
        match self {
            Split::Even => pages * part / parts,
            Split::Tail => pages - pages * (parts - part).pow(2) / parts.pow(2),
        }
    }
}

/// Which unit is emptied, and when.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Victims {
    /// The one that the module's rule names, while two units are not free.
    Foreseen,
    /// The one with the fewest valid pages, when the open unit is full and one unit is free: what a
    /// drive does that knows nothing.
    Fewest,
}

/// Free units below which cleaning begins. A victim has at most one page less than a unit, so one
/// free unit takes its valid pages.
const RESERVE: usize = 2;

/// Units beside the exported ones and the open ones without which cleaning might find no victim.
const LEAST_SPARE: u32 = 2;

const NOWHERE: u32 = u32::MAX;

/// Counts of valid pages of units that are not closed.
const NO_VICTIM: u32 = u32::MAX;

/// Events between two looks whether to go on.
const EVENTS_PER_STEP: usize = 1 << 20;

/// A drive whose placement knows the future.
pub(super) struct Placement<'a> {
    future: &'a Future,
    pages_per_unit: u32,
    split: Split,
    pub(super) victims: Victims,
    /// By logical page: its slot, and when its version ends.
    slot_of: Vec<u32>,
    end_of: Vec<u32>,
    /// By slot: the page in it, if it is valid.
    page_in: Vec<u32>,
    /// By unit: its valid pages, how many slots are written, the sum of its valid pages' ends.
    valid: Vec<u32>,
    filled: Vec<u32>,
    ends: Vec<u64>,
    /// By unit: its valid pages if it is closed.
    closed: Vec<u32>,
    free: Vec<u32>,
    /// By class of ends: the open unit.
    open: Vec<u32>,
    /// The last end of each class but the last.
    borders: Vec<u32>,
    /// What stands for the end of a version that lasts.
    horizon: u64,
    sorted: Vec<u32>,
}

/// The size of a drive, in pages and units of them.
#[derive(Debug, Clone, Copy)]
pub(super) struct Size {
    pub(super) units: u32,
    pub(super) pages_per_unit: u32,
    pub(super) exported: u32,
}

impl<'a> Placement<'a> {
    /// The most open units for which a drive with `spare_units` spare units always finds room.
    pub(super) fn most_open(spare_units: u32) -> u32 {
        spare_units.saturating_sub(LEAST_SPARE)
    }

    /// An empty drive with 1 to [`most_open`](Self::most_open) open units.
    pub(super) fn new(future: &'a Future, layout: &Layout, open_units: u32, split: Split) -> Placement<'a> {
        let (units, pages) = (layout.units(), layout.exported_pages);
        Self::of_size(
            future,
            Size { units, pages_per_unit: layout.slots_per_unit, exported: pages },
            open_units,
            split,
        )
    }

    /// An empty drive that knows nothing and has one open unit.
    pub(super) fn greedy(future: &'a Future, layout: &Layout) -> Placement<'a> {
        Placement { victims: Victims::Fewest, ..Self::new(future, layout, 1, Split::Even) }
    }

    pub(super) fn of_size(
        future: &'a Future,
        Size { units, pages_per_unit, exported }: Size,
        open_units: u32,
        split: Split,
    ) -> Placement<'a> {
        Placement {
            future,
            pages_per_unit,
            split,
            victims: Victims::Foreseen,
            slot_of: vec![NOWHERE; exported as usize],
            end_of: vec![NEVER; exported as usize],
            page_in: vec![NOWHERE; units as usize * pages_per_unit as usize],
            valid: vec![0; units as usize],
            filled: vec![0; units as usize],
            ends: vec![0; units as usize],
            closed: vec![NO_VICTIM; units as usize],
            free: (0..units).rev().collect(),
            open: vec![NOWHERE; open_units as usize],
            borders: vec![NEVER; open_units as usize - 1],
            horizon: future.len() as u64 + 2 * u64::from(exported),
            sorted: Vec::new(),
        }
    }

    /// Writes everything; pages moved behind the warm-up. `None` where `go_on` says so.
    pub(super) fn run(&mut self, go_on: &mut dyn FnMut() -> bool) -> Option<u64> {
        let step = self.open.len() * self.pages_per_unit as usize;
        let mut moved = 0;
        for at in 0..self.future.len() {
            if at % EVENTS_PER_STEP == 0 && !go_on() {
                return None;
            }
            if at % step == 0 {
                self.divide(at, (at + step).min(self.future.len()));
            }
            let counts = u64::from(at >= self.future.counted_from);
            match self.future.event(at) {
                Event::Trim { page } => self.release(page),
                Event::Write { page, end } => {
                    self.release(page);
                    while self.free.len() < RESERVE && self.cleans_for(end) {
                        let Some(pages) = self.clean(at as u64) else { break };
                        moved += counts * pages;
                    }
                    self.put(page, end);
                }
            }
        }
        Some(moved)
    }

    /// Whether cleaning begins before a page is written whose version ends then.
    fn cleans_for(&self, end: u32) -> bool {
        let own = self.open[self.class_of(end)];
        self.victims == Victims::Foreseen
            || own == NOWHERE
            || self.filled[own as usize] == self.pages_per_unit
    }

    fn class_of(&self, end: u32) -> usize {
        self.borders.partition_point(|&border| border < end)
    }

    /// Divides the ends of the versions that these events write.
    fn divide(&mut self, at: usize, until: usize) {
        self.sorted.clear();
        self.sorted.extend(self.future.ends(at, until));
        self.sorted.sort_unstable();
        let Some(last) = self.sorted.len().checked_sub(1) else { return };
        let parts = self.open.len() as u64;
        for (index, border) in self.borders.iter_mut().enumerate() {
            let before = self.split.border(last as u64 + 1, index as u64 + 1, parts);
            *border = self.sorted[(before as usize).min(last)];
        }
    }

    fn capped(&self, end: u32) -> u64 {
        if end == NEVER { self.horizon } else { u64::from(end) }
    }

    /// The version of a page ends.
    fn release(&mut self, page: u32) {
        let slot = std::mem::replace(&mut self.slot_of[page as usize], NOWHERE);
        if slot == NOWHERE {
            return;
        }
        let unit = (slot / self.pages_per_unit) as usize;
        self.page_in[slot as usize] = NOWHERE;
        self.ends[unit] -= self.capped(self.end_of[page as usize]);
        self.valid[unit] -= 1;
        if self.closed[unit] != NO_VICTIM {
            self.close(unit as u32);
        }
    }

    /// A unit takes no more pages; one without valid pages is erased at once.
    fn close(&mut self, unit: u32) {
        let index = unit as usize;
        if self.valid[index] == 0 {
            self.erase(unit);
        } else {
            self.closed[index] = self.valid[index];
        }
    }

    fn erase(&mut self, unit: u32) {
        let index = unit as usize;
        (self.filled[index], self.closed[index]) = (0, NO_VICTIM);
        self.free.push(unit);
    }

    /// Writes a page whose version ends then.
    fn put(&mut self, page: u32, end: u32) {
        let unit = self.open_unit(self.class_of(end));
        let index = unit as usize;
        let slot = unit * self.pages_per_unit + self.filled[index];
        self.filled[index] += 1;
        self.valid[index] += 1;
        self.ends[index] += self.capped(end);
        self.page_in[slot as usize] = page;
        (self.slot_of[page as usize], self.end_of[page as usize]) = (slot, end);
    }

    /// A unit with room for pages of a class: its own, or where none is free the nearest.
    fn open_unit(&mut self, class: usize) -> u32 {
        let has_room = |unit: u32| unit != NOWHERE && self.filled[unit as usize] < self.pages_per_unit;
        let own = self.open[class];
        if has_room(own) {
            return own;
        }
        if self.free.is_empty() {
            let others = self.open.iter().enumerate().filter(|&(_, &unit)| has_room(unit));
            let nearest = others.min_by_key(|(other, _)| other.abs_diff(class));
            // Cleaning keeps slots free, so there is one.
            return nearest.map_or(own, |(_, &unit)| unit);
        }
        if own != NOWHERE {
            self.close(own);
        }
        let fresh = self.free.pop().unwrap_or(own);
        self.open[class] = fresh;
        fresh
    }

    /// Empties a unit; pages moved. `None` if no closed unit has an invalid page.
    fn clean(&mut self, now: u64) -> Option<u64> {
        let victim = self.victim(now)?;
        let index = victim as usize;
        self.closed[index] = NO_VICTIM;
        let first = index * self.pages_per_unit as usize;
        let mut moved = 0;
        for slot in first..first + self.pages_per_unit as usize {
            let page = std::mem::replace(&mut self.page_in[slot], NOWHERE);
            if page != NOWHERE {
                self.put(page, self.end_of[page as usize]);
                moved += 1;
            }
        }
        (self.valid[index], self.ends[index]) = (0, 0);
        self.erase(victim);
        Some(moved)
    }

    fn victim(&self, now: u64) -> Option<u32> {
        if self.victims == Victims::Fewest {
            let units = (0..).zip(&self.closed).filter(|&(_, &valid)| valid < self.pages_per_unit);
            return units.min_by_key(|&(_, &valid)| valid).map(|(unit, _)| unit);
        }
        let mut best = (f64::INFINITY, NOWHERE);
        for (unit, (&valid, &ends)) in self.closed.iter().zip(&self.ends).enumerate() {
            if valid >= self.pages_per_unit {
                continue;
            }
            let (valid, invalid) = (f64::from(valid), f64::from(self.pages_per_unit - valid));
            let left = ends as f64 / valid - now as f64 + 1.0;
            let cost = valid / invalid / left;
            if cost < best.0 {
                best = (cost, unit as u32);
            }
        }
        (best.1 != NOWHERE).then_some(best.1)
    }

    /// Whether every account of valid pages agrees.
    #[cfg(test)]
    fn check(&self) {
        for (unit, slots) in self.page_in.chunks(self.pages_per_unit as usize).enumerate() {
            let valid = slots.iter().filter(|&&page| page != NOWHERE);
            assert_eq!(valid.clone().count() as u32, self.valid[unit]);
            assert_eq!(
                valid.map(|&page| self.capped(self.end_of[page as usize])).sum::<u64>(),
                self.ends[unit]
            );
        }
        for (page, &slot) in self.slot_of.iter().enumerate() {
            assert!(slot == NOWHERE || self.page_in[slot as usize] == page as u32);
        }
        assert_eq!(
            self.page_in.iter().filter(|&&page| page != NOWHERE).count(),
            self.slot_of.iter().filter(|&&slot| slot != NOWHERE).count()
        );
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn pages_that_end_in_turn_are_never_moved() {
        // Round and round: what is written first ends first.
        let pages: Vec<u32> = (0..4000).map(|at| at % 100).collect();
        let future = Future::of_writes(&pages, 100);
        for open in [1, 2, 4] {
            let mut placement = Placement::of_size(
                &future,
                Size { units: 16, pages_per_unit: 10, exported: 100 },
                open,
                Split::Even,
            );
            assert_eq!(placement.run(&mut || true), Some(0), "{open} open units");
        }
    }

    #[test]
    fn two_open_units_keep_two_rates_apart() {
        // A page in turn of ten, and now and then one in turn of ninety.
        let page = |at: u32| if at % 10 == 9 { 10 + at / 10 % 90 } else { at % 10 };
        let pages: Vec<u32> = (0..100).chain((0..20_000).map(page)).collect();
        let future = Future::of_writes(&pages, 100);
        let moved = |open| {
            Placement::of_size(
                &future,
                Size { units: 14, pages_per_unit: 10, exported: 100 },
                open,
                Split::Tail,
            )
            .run(&mut || true)
        };
        assert!(moved(2) < moved(1), "{:?} {:?}", moved(2), moved(1));
    }

    proptest! {
        #[test]
        fn every_page_lies_in_one_slot_and_room_is_found(
            pages in prop::collection::vec((0u32..60, any::<bool>()), 1..2000),
            open in 1u32..6,
            tail in any::<bool>(),
        ) {
            let pages: Vec<u32> = pages.into_iter().map(|(page, hot)| if hot { page % 5 } else { page }).collect();
            let future = Future::of_writes(&pages, 60);
            // As few spare units as are allowed: sixty pages in units of four, the open ones, and two.
            let units = 15 + open + LEAST_SPARE;
            let split = if tail { Split::Tail } else { Split::Even };
            let mut placement = Placement::of_size(&future, Size { units, pages_per_unit: 4, exported: 60 }, open, split);
            prop_assert!(placement.run(&mut || true).is_some());
            placement.check();
        }
    }
}
