//! Marks in the course of a run, from which its long-run figures are taken.
//!
//! A run begins with a state that does not last: free space that is used up, blocks that are
//! written again and not erased yet. What lasts shows in its second half; whether it lasts, in how
//! far the last quarter differs from the one before. Marks are set at distances that grow with the
//! run, since each walks over the blocks, and at the ends of passes over a trace: whole passes
//! compare like with like.

use rewear_flash::Geometry;
use rewear_ftl::Ftl;

/// A mark is set when the host has written this much more, relative to the mark before.
const GROWTH: f64 = 1.25;
/// Marks at ends of passes that are kept; beyond that every other one is forgotten.
const MOST_PASSES: usize = 24;
/// Marks before this part of the run are forgotten: the first half is divided, too.
const OLDEST: f64 = 0.2;
/// From this many passes on the run is divided at their ends.
const ENOUGH_PASSES: u64 = 4;
/// A run until the drive is steady ends when flash erased for a byte and write amplification
/// drifted by no more than this from one of the last two quarters to the other, and changed by no
/// more when the run became twice as long. What creeps, as cold data that find their place over many
/// passes, drifts little at any time; all that is still to come of it is at most 2.4 times the last
/// change, as below ..
const SETTLED_DRIFT: f64 = 0.02;
/// .. and the evenness that the run foretells is by no more than this another than what its first
/// half foretold. What blocks differ by for a while only (a random walk) falls by the root of two
/// each time that a run is twice as long. So all changes still to come are at most 1 / (√2 - 1) =
/// 2.4 times the last one, 5% of a life ..
const SETTLED_EVENNESS: f64 = 0.02;
/// .. over at least this number of cycles of a block in its second half ..
const SETTLED_CYCLES: f64 = 2.0;
/// .. or after this number in all.
const MOST_CYCLES: f64 = 300.0;

/// Totals since the counters were last reset.
#[derive(Debug, Clone)]
pub struct Mark {
    /// Bytes that write requests carried.
    pub host_bytes: u64,
    /// Bytes programmed into cells.
    pub programmed_bytes: u64,
    /// Bytes of data in what was programmed.
    pub data_bytes: u64,
    /// Bytes of data that cleaning moved, a part of them.
    pub moved_bytes: u64,
    /// Bytes of flash erased, begun cycles included by the part used.
    pub flash_erased_bytes: f64,
    /// Programs of pages that already held data.
    pub reprograms: u64,
    /// Programs of flash pages in modes faster than the chip's normal one.
    pub coarse_programs: u64,
    /// Erases of blocks whose cells held one bit each.
    pub cached_erases: u64,
    /// Erases of each block.
    pub erases: Vec<u32>,
}

impl Mark {
    /// The totals of now. Walks over all blocks, and over all pages of a drive whose code programs
    /// them several times.
    pub fn of(ftl: &Ftl, host_bytes: u64) -> Mark {
        let (counters, layout) = (ftl.counters(), ftl.layout());
        let geometry = ftl.array().geometry();
        let page_bytes = u64::from(geometry.page_bytes);
        let block_bytes = page_bytes * u64::from(geometry.pages_per_block);
        let programmed = &counters.programmed;
        // A second write is one logical page on two slots.
        let slots = (programmed.total() - programmed.metadata) / u64::from(layout.slot_pages);
        let logical_pages = slots.saturating_sub(counters.second_writes);
        Mark {
            host_bytes,
            programmed_bytes: programmed.total() * page_bytes,
            data_bytes: logical_pages * u64::from(layout.logical_page_bytes)
                + programmed.metadata * page_bytes,
            moved_bytes: counters.pages_moved * u64::from(layout.logical_page_bytes),
            flash_erased_bytes: (ftl.erase_equivalents() * block_bytes as f64).max(0.0),
            reprograms: ftl.reprograms(),
            coarse_programs: ftl.coarse_programs(),
            cached_erases: counters.cached_erases,
            erases: ftl.erases_per_block().collect(),
        }
    }
}

/// The second half of a run, in two quarters.
#[derive(Debug, Clone, Copy)]
pub struct SecondHalf<'a> {
    /// Where it begins.
    pub from: &'a Mark,
    /// Its middle.
    pub middle: &'a Mark,
    /// The end of the run.
    pub to: &'a Mark,
}

impl SecondHalf<'_> {
    /// Flash erased for each byte that the host wrote in the last quarter, over that of the quarter
    /// before, less 1.
    pub fn drift(&self) -> Option<f64> {
        let (before, last) = (self.cost(self.from, self.middle)?, self.cost(self.middle, self.to)?);
        (before > 0.0).then(|| last / before - 1.0)
    }

    /// The same of what was programmed for each byte.
    fn programs_drift(&self) -> Option<f64> {
        let (before, last) = (programmed(self.from, self.middle)?, programmed(self.middle, self.to)?);
        (before > 0.0).then(|| last / before - 1.0)
    }

    /// Flash erased for each byte that the host wrote in this half, over that of the quarter of the
    /// run before it, less 1: what changed when the run became twice as long. `first` is the run up
    /// to this half, divided in its own middle.
    pub fn change(&self, first: &SecondHalf<'_>) -> Option<f64> {
        let (before, now) = (self.cost(first.from, first.to)?, self.cost(self.from, self.to)?);
        (before > 0.0).then(|| now / before - 1.0)
    }

    /// The same of what was programmed for each byte.
    fn programs_change(&self, first: &SecondHalf<'_>) -> Option<f64> {
        let (before, now) = (programmed(first.from, first.to)?, programmed(self.from, self.to)?);
        (before > 0.0).then(|| now / before - 1.0)
    }

    fn cost(&self, from: &Mark, to: &Mark) -> Option<f64> {
        let written = (to.host_bytes - from.host_bytes) as f64;
        (written > 0.0).then(|| (to.flash_erased_bytes - from.flash_erased_bytes) / written)
    }

    /// Whether what decides a life changes no more: flash erased and bytes programmed for a byte
    /// written, over two cycles of the blocks, and the evenness of wear, where `evenness` says what
    /// the first half of the run foretold and what all of it foretells. `first` is the run up to
    /// this half; without it nothing is settled.
    pub fn is_settled(
        &self,
        first: Option<&SecondHalf<'_>>,
        geometry: &Geometry,
        evenness: Option<[f64; 2]>,
    ) -> bool {
        let cycles = (self.to.flash_erased_bytes - self.from.flash_erased_bytes) / geometry.bytes() as f64;
        let holds = |drift: Option<f64>| drift.is_some_and(|drift| drift.abs() <= SETTLED_DRIFT);
        cycles >= SETTLED_CYCLES
            && holds(self.drift())
            && holds(self.programs_drift())
            && first.is_some_and(|first| holds(self.change(first)) && holds(self.programs_change(first)))
            && evenness.is_none_or(|[before, now]| (now / before - 1.0).abs() <= SETTLED_EVENNESS)
    }
}

fn programmed(from: &Mark, to: &Mark) -> Option<f64> {
    let written = (to.host_bytes - from.host_bytes) as f64;
    (written > 0.0).then(|| (to.programmed_bytes - from.programmed_bytes) as f64 / written)
}

/// Marks of a run under way.
#[derive(Debug, Clone)]
pub struct Marks {
    next_bytes: u64,
    grown: Vec<Mark>,
    passes: Vec<Mark>,
    /// Passes between two of the marks kept, and passes so far.
    every_passes: u64,
    passes_done: u64,
}

impl Marks {
    /// No mark yet, for a drive of this flash. The first is set when the host has written an
    /// eighth of that.
    pub fn new(flash_bytes: u64) -> Marks {
        let next_bytes = (flash_bytes / 8).max(1);
        Marks { next_bytes, grown: Vec::new(), passes: Vec::new(), every_passes: 1, passes_done: 0 }
    }

    /// Whether a mark is due.
    #[inline]
    pub fn is_due(&self, host_bytes: u64) -> bool {
        host_bytes >= self.next_bytes
    }

    /// Sets a mark.
    #[inline(never)]
    pub fn set(&mut self, mark: Mark) {
        self.next_bytes = (mark.host_bytes as f64 * GROWTH).ceil() as u64;
        let oldest = mark.host_bytes as f64 * OLDEST;
        self.grown.retain(|kept| kept.host_bytes as f64 >= oldest);
        self.grown.push(mark);
    }

    /// A pass over the workload ended.
    pub fn pass_ended(&mut self, now: impl FnOnce() -> Mark) {
        self.passes_done += 1;
        if !self.passes_done.is_multiple_of(self.every_passes) {
            return;
        }
        let mark = now();
        let oldest = mark.host_bytes as f64 * OLDEST;
        self.passes.retain(|kept| kept.host_bytes as f64 >= oldest);
        self.passes.push(mark);
        if self.passes.len() > MOST_PASSES {
            let kept = std::mem::take(&mut self.passes);
            self.passes = kept.into_iter().skip(1).step_by(2).collect();
            self.every_passes *= 2;
        }
    }

    /// Whether the drive was steady at the end of the last pass ([`SecondHalf::is_settled`]), or no
    /// more is to be expected. `evenness` is what a run foretells that is divided so, if anything.
    pub fn settled(&self, geometry: &Geometry, evenness: impl Fn(&SecondHalf<'_>) -> Option<f64>) -> bool {
        let Some(now) = self.passes.last() else { return false };
        now.flash_erased_bytes / geometry.bytes() as f64 >= MOST_CYCLES
            || self.second_half(now).is_some_and(|half| {
                let first = self.first_half(&half);
                let foretold = evenness(&half).map(|now| {
                    // Too short a run to have been halved twice foretold nothing.
                    [first.as_ref().and_then(&evenness).unwrap_or(f64::NAN), now]
                });
                half.is_settled(first.as_ref(), geometry, foretold)
            })
    }

    /// The run up to where its second half begins, divided in its own middle.
    pub fn first_half<'a>(&'a self, half: &SecondHalf<'a>) -> Option<SecondHalf<'a>> {
        let (from, to) = (self.nearest(half.from.host_bytes as f64 * 0.5)?, half.from);
        (from.host_bytes < to.host_bytes).then_some(SecondHalf { from, middle: from, to })
    }

    fn nearest(&self, host_bytes: f64) -> Option<&Mark> {
        let marks = if self.passes_done >= ENOUGH_PASSES { &self.passes } else { &self.grown };
        let distance = |mark: &&Mark| (mark.host_bytes as f64 - host_bytes).abs();
        marks.iter().min_by(|one, other| distance(one).total_cmp(&distance(other)))
    }

    /// Passes over the workload since the first mark.
    pub fn passes(&self) -> u64 {
        self.passes_done
    }

    /// The second half of the run that ends now; `None` where it is too short to have one.
    pub fn second_half<'a>(&'a self, now: &'a Mark) -> Option<SecondHalf<'a>> {
        let nearest = |part: f64| self.nearest(now.host_bytes as f64 * part);
        let (from, middle) = (nearest(0.5)?, nearest(0.75)?);
        let ordered = from.host_bytes < middle.host_bytes && middle.host_bytes < now.host_bytes;
        ordered.then_some(SecondHalf { from, middle, to: now })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mark(host_bytes: u64, erased: f64) -> Mark {
        Mark {
            host_bytes,
            programmed_bytes: host_bytes,
            data_bytes: host_bytes,
            moved_bytes: 0,
            flash_erased_bytes: erased,
            reprograms: 0,
            coarse_programs: 0,
            cached_erases: 0,
            erases: Vec::new(),
        }
    }

    #[test]
    fn the_second_half_begins_near_the_middle_and_its_drift_is_that_of_the_quarters() {
        let mut marks = Marks::new(800);
        for host_bytes in 1..10_000 {
            if marks.is_due(host_bytes) {
                marks.set(mark(host_bytes, 3.0 * host_bytes as f64));
            }
        }
        let now = mark(10_000, 30_000.0);
        let half = marks.second_half(&now).expect("a second half");
        assert!(half.from.host_bytes.abs_diff(5_000) < 1250, "{}", half.from.host_bytes);
        assert!(half.middle.host_bytes.abs_diff(7_500) < 1250, "{}", half.middle.host_bytes);
        assert!(half.drift().expect("a drift").abs() < 1e-12);
        assert!(marks.grown.len() < 10);
    }

    #[test]
    fn passes_divide_the_run_from_four_on_however_many_there_are() {
        for passes in [4u64, 7, 40, 1000] {
            let mut marks = Marks::new(1);
            for pass in 1..=passes {
                // The last quarter costs twice the one before.
                let erased = if pass * 4 > passes * 3 { 8 * pass - 3 * passes } else { 4 * pass };
                marks.pass_ended(|| mark(pass * 1000, erased as f64 * 1000.0));
            }
            let now = mark(passes * 1000, (5 * passes) as f64 * 1000.0);
            let half = marks.second_half(&now).expect("a second half");
            let away = half.from.host_bytes.abs_diff(passes * 500);
            assert!(away <= passes * 1000 / 16 + 500, "{passes}: {away}");
            assert!(half.drift().expect("a drift") > 0.5, "{passes}");
        }
    }

    /// Cold data that find their place over many passes: each quarter costs 1.5% more than the one
    /// before, which is a drift that settles, and the run of twice the length 3% more.
    #[test]
    fn what_creeps_is_not_settled() {
        let geometry = Geometry {
            channels: 1,
            dies_per_channel: 1,
            planes_per_die: 1,
            blocks_per_plane: 1,
            pages_per_block: 1,
            page_bytes: 1000,
            planes_per_service_unit: 1,
        };
        let settled = |exponent: f64| {
            let mut marks = Marks::new(1);
            for pass in 1..=16u64 {
                let erased = (pass as f64).powf(1.0 + exponent) * 1000.0;
                marks.pass_ended(|| Mark { programmed_bytes: erased as u64, ..mark(pass * 1000, erased) });
            }
            marks.settled(&geometry, |_| None)
        };
        assert!(settled(0.0) && settled(0.01) && !settled(0.04));
    }

    #[test]
    fn a_run_without_marks_has_no_second_half() {
        assert!(Marks::new(1 << 30).second_half(&mark(1000, 10.0)).is_none());
    }
}
