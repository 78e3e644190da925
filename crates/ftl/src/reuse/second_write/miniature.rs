//! What the drive would cost without the scheme: a plain drive in miniature, which sees a sample of
//! the writes.
//!
//! Whether a technique gains cannot be read off a drive that uses it: the moves of cleaning without
//! it are not there to be counted. So a model that is smaller by a factor S takes every S-th page:
//! one of each S logical pages in a row, picked by a hash. Caches are modelled in this way
//! (Waldspurger, Saemundsson, Ahmad, Park: Cache Modeling and Optimization using Miniature
//! Simulations, USENIX ATC '17). Its planes have as many blocks as a plane of the drive, with S
//! times fewer slots in all, the same reserve and greedy cleaning. So it has the drive's spare
//! share and the drive's age of a block when it is cleaned. Where striping fills the planes of a
//! die in turns, a die's planes stand side by side in it. Merged into one of larger blocks it moved
//! up to half as many pages again. It keeps a map, no data.
//!
//! A few pages may have a large share of the writes, and whether they are in the sample would
//! decide everything. So pages that are written again soon are sampled by writes instead; a table
//! remembers the last ones. Each S-th of these writes takes a slot, for a page of the sample that
//! was written so, or for none.

use std::collections::VecDeque;

use crate::address::{Lpn, Unit};
use crate::cache_hints::hint;
use crate::config::choices::{CleaningStep, Striping};
use crate::shape::layout::Layout;
use crate::state::State;
use crate::state::units::valid_count_index::ValidCountIndex;

/// Fewest slots of a block: greedy cleaning finds better victims among smaller blocks.
const LEAST_SLOTS: u32 = 32;
/// The largest sampling factor.
const MOST_SAMPLE: u32 = 16;
/// No slot, or no page.
const NONE: u32 = u32::MAX;
/// In place of a slot: the page waits for one.
const WAITS: u32 = u32::MAX - 1;

/// The sampling factor: a power of two that leaves blocks with enough slots, of `row` pages of the
/// drive.
fn sample_of(row: u32) -> u32 {
    let divides = |&sample: &u32| row.is_multiple_of(sample) && row / sample >= LEAST_SLOTS;
    (0..=MOST_SAMPLE.ilog2()).rev().map(|log2| 1 << log2).find(divides).unwrap_or(1)
}

/// How many of the last pages are remembered: a power of two, an eighth to a quarter of the spare
/// slots. They are invalid again before their block is cleaned.
fn recent_of(layout: &Layout) -> usize {
    let spare = layout.slots() - layout.exported_pages;
    1 << (spare / 4).max(2).ilog2()
}

/// A plane of the miniature.
#[derive(Debug, Clone)]
struct Plane {
    free: VecDeque<Unit>,
    /// Where host writes and moved pages go: block, next slot. One for both unless they are kept
    /// apart.
    open: [(Unit, u32); 2],
}

/// See the module's page.
#[derive(Debug, Clone)]
pub(crate) struct Miniature {
    /// Of 2^`sample_log2` pages one is in the sample.
    sample_log2: u32,
    slots: u32,
    blocks: u32,
    /// Slot of each page of the sample.
    places: Vec<u32>,
    /// Page of each slot.
    owners: Vec<u32>,
    valid: Vec<u32>,
    closed: ValidCountIndex,
    planes: Vec<Plane>,
    /// The plane that took the last write.
    last: usize,
    /// Free blocks that host writes leave alone.
    reserve: usize,
    moved_open: usize,
    step: CleaningStep,
    /// The pages written last, and when.
    recent: Vec<(u32, u32)>,
    now: u32,
    /// Writes of such pages since one took a slot.
    skipped: u32,
    /// Pages of the sample that were written so, and wait for a slot.
    waiting: VecDeque<u32>,
    /// Pages of the sample that the host wrote.
    pub(crate) written: u64,
    /// Pages that cleaning moved.
    pub(crate) moved: u64,
}

impl Miniature {
    /// Bytes that the miniature of a drive takes at most.
    pub(crate) fn bytes(layout: &Layout, planes: u32) -> u64 {
        let sample = u64::from(sample_of(layout.slots_per_unit * layout.pools / planes));
        let pages = (u64::from(layout.exported_pages) + u64::from(layout.slots())) / sample;
        4 * pages + 8 * recent_of(layout) as u64 + 24 * u64::from(planes * layout.units_per_pool)
    }

    /// Planes of the miniature. Where the plane of a die with the most clean pages takes a write,
    /// the planes of a die fill in turns, a block at a time. Otherwise all planes fill side by
    /// side, and are as one of larger blocks.
    pub(crate) fn planes(striping: Striping, pools_per_die: u32) -> u32 {
        match striping {
            Striping::StaticDie => pools_per_die,
            Striping::Dynamic | Striping::Balanced => 1,
        }
    }

    /// The miniature of a drive, holding what the drive holds. Pages that cleaning moves lie
    /// `apart` from host writes or among them.
    pub(crate) fn of(view: &State, apart: bool) -> Miniature {
        let layout = &view.layout;
        let planes = Miniature::planes(view.units.striping(), view.units.pools_per_die());
        let row = layout.slots_per_unit * layout.pools / planes;
        let sample = sample_of(row);
        let (blocks, slots) = (layout.units_per_pool, row / sample);
        let none = (Unit::NONE, slots);
        let plane = |plane| Plane {
            free: Unit::each(Unit(plane * blocks)..Unit((plane + 1) * blocks)).collect(),
            open: [none, none],
        };
        let mut made = Miniature {
            sample_log2: sample.ilog2(),
            slots,
            blocks,
            places: vec![NONE; layout.exported_pages.div_ceil(sample) as usize],
            owners: vec![NONE; (planes * blocks * slots) as usize],
            valid: vec![0; (planes * blocks) as usize],
            closed: ValidCountIndex::new(planes * blocks, planes, slots, false),
            planes: (0..planes).map(plane).collect(),
            last: 0,
            reserve: view.units.reserved(),
            moved_open: usize::from(apart),
            step: view.cleaning_step,
            recent: vec![(NONE, 0); recent_of(layout)],
            now: 0,
            skipped: 0,
            waiting: VecDeque::new(),
            written: 0,
            moved: 0,
        };
        for page in 0..made.places.len() as u32 {
            let lpn = Lpn(page * sample + made.picked(page));
            if lpn.0 < layout.exported_pages && view.map.find(lpn).is_some() {
                made.put(page);
            }
        }
        (made.written, made.moved) = (0, 0);
        made
    }

    /// Brings what a write of a page looks up into the cache.
    #[inline]
    pub(crate) fn hint(&self, Lpn(lpn): Lpn) {
        hint(&self.recent, lpn as usize & (self.recent.len() - 1));
        hint(&self.places, (lpn >> self.sample_log2) as usize);
    }

    /// The host writes a page.
    #[inline]
    pub(crate) fn write(&mut self, Lpn(lpn): Lpn) {
        let size = self.recent.len();
        self.now = self.now.wrapping_add(1);
        let (last, at) = std::mem::replace(&mut self.recent[lpn as usize & (size - 1)], (lpn, self.now));
        if last == lpn && (self.now.wrapping_sub(at) as usize) < size {
            self.skipped += 1;
            if self.is_picked(lpn) || self.skipped >> self.sample_log2 != 0 {
                self.write_again(lpn);
            }
        } else if self.is_picked(lpn) {
            self.write_first(lpn);
        }
    }

    /// A page of the sample was not written lately.
    #[inline(never)]
    fn write_first(&mut self, lpn: u32) {
        self.invalidate(lpn >> self.sample_log2);
        self.put(lpn >> self.sample_log2);
    }

    /// A page was written lately: one of the sample waits for a slot, and each S-th write takes
    /// one.
    #[inline(never)]
    fn write_again(&mut self, lpn: u32) {
        if self.is_picked(lpn) {
            self.wait(lpn >> self.sample_log2);
        }
        if self.skipped >> self.sample_log2 != 0 {
            self.skipped = 0;
            let page = self.waiting.pop_front();
            let still_waits = |&page: &u32| self.places[page as usize] == WAITS;
            self.put(page.filter(still_waits).unwrap_or(NONE));
        }
    }

    /// The host trims a page.
    pub(crate) fn trim(&mut self, Lpn(lpn): Lpn) {
        if self.is_picked(lpn) {
            self.invalidate(lpn >> self.sample_log2);
        }
    }

    /// Which of the pages in a row is in the sample.
    #[inline]
    fn picked(&self, page: u32) -> u32 {
        page.wrapping_mul(0x9e37_79b9) >> 16 & ((1 << self.sample_log2) - 1)
    }

    #[inline]
    fn is_picked(&self, lpn: u32) -> bool {
        lpn & ((1 << self.sample_log2) - 1) == self.picked(lpn >> self.sample_log2)
    }

    /// A page loses its place and waits for another.
    fn wait(&mut self, page: u32) {
        if self.places[page as usize] != WAITS {
            self.invalidate(page);
            self.places[page as usize] = WAITS;
            self.waiting.push_back(page);
        }
    }

    fn invalidate(&mut self, page: u32) {
        let slot = std::mem::replace(&mut self.places[page as usize], NONE);
        if slot >= WAITS {
            return;
        }
        self.owners[slot as usize] = NONE;
        let unit = Unit(slot / self.slots);
        self.valid[unit.index()] -= 1;
        let plane = self.plane_of(unit);
        if self.planes[plane].open.iter().all(|&(open, _)| open != unit) {
            self.closed.recount(unit, plane as u32, self.valid[unit.index()], 0);
        }
    }

    fn plane_of(&self, unit: Unit) -> usize {
        (unit.0 / self.blocks) as usize
    }

    /// The plane that takes a write: the one with the most clean pages, of equals the one after the
    /// last.
    fn plane_for_write(&self) -> usize {
        let clean = |plane: &Plane| plane.free.len() as u32 * self.slots + (self.slots - plane.open[0].1);
        let count = self.planes.len();
        let mut best = (self.last + 1) % count;
        for step in 2..=count {
            let plane = (self.last + step) % count;
            if clean(&self.planes[plane]) > clean(&self.planes[best]) {
                best = plane;
            }
        }
        best
    }

    /// A page, or one that is invalid at once, takes a slot.
    fn put(&mut self, page: u32) {
        let plane = self.plane_for_write();
        self.last = plane;
        self.make_room(plane);
        self.take(page, plane, 0);
        self.written += 1;
    }

    /// Cleans when the drive would, and as much.
    fn make_room(&mut self, plane: usize) {
        let has_room = |this: &Self| this.has_room(plane, 0);
        let is_low = |this: &Self| this.planes[plane].free.len() <= this.reserve;
        // As if the unit that the write needs were open already.
        let is_low_early =
            |this: &Self| this.planes[plane].free.len() <= this.reserve + usize::from(!has_room(this));
        match self.step {
            CleaningStep::UntilRoom => while !has_room(self) && is_low(self) && self.clean(plane) {},
            CleaningStep::RestoreLazy if has_room(self) => {}
            CleaningStep::RestoreLazy => while is_low(self) && self.clean(plane) {},
            CleaningStep::RestoreEager => while is_low_early(self) && self.clean(plane) {},
            CleaningStep::OneUnit if is_low_early(self) => _ = self.clean(plane),
            CleaningStep::OneUnit => {}
        }
    }

    fn has_room(&self, plane: usize, stream: usize) -> bool {
        self.planes[plane].open[stream].1 < self.slots
    }

    /// Takes the next slot of a stream, in a free block where the open one is full.
    fn take(&mut self, page: u32, plane: usize, stream: usize) {
        if !self.has_room(plane, stream) {
            let Some(unit) = self.planes[plane].free.pop_front() else { return };
            let (full, _) = std::mem::replace(&mut self.planes[plane].open[stream], (unit, 0));
            if !full.is_none() {
                self.closed.insert(full, plane as u32, self.valid[full.index()], 0);
            }
        }
        let (unit, slot) = self.planes[plane].open[stream];
        self.planes[plane].open[stream].1 += 1;
        if page != NONE {
            let slot = unit.0 * self.slots + slot;
            self.owners[slot as usize] = page;
            self.places[page as usize] = slot;
            self.valid[unit.index()] += 1;
        }
    }

    /// Cleans the block with the fewest valid pages; `false` if none has an invalid one.
    fn clean(&mut self, plane: usize) -> bool {
        let queue = plane as u32;
        self.closed.settle(queue);
        let fewest = self.closed.fewest_valid(queue);
        let Some(victim) = fewest.filter(|unit| self.valid[unit.index()] < self.slots) else { return false };
        self.closed.remove(victim);
        for slot in victim.0 * self.slots..(victim.0 + 1) * self.slots {
            let page = std::mem::replace(&mut self.owners[slot as usize], NONE);
            if page != NONE {
                self.places[page as usize] = NONE;
                self.take(page, plane, self.moved_open);
                self.moved += 1;
            }
        }
        self.valid[victim.index()] = 0;
        self.planes[plane].free.push_back(victim);
        true
    }
}
