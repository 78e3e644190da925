//! Where and when reads and writes meet: Figures 1 and 2 of "Workload-aware differentiated ECC"
//! (section III).

use serde::Serialize;

use super::PAGE_BYTES;
use super::access_counts::Access;
use super::footprint::Roles;
use super::page_table::PageTable;
use crate::error::TraceError;

/// The logical page of the paper: 8 KiB.
pub const OVERLAP_PAGE_BYTES: u64 = 8192;

/// Overlap of reads and writes.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Overlap {
    /// Size of the logical pages that are told apart.
    pub page_bytes: u64,
    /// In space (Figure 1): distinct pages over the whole trace.
    #[serde(flatten)]
    pub pages: Roles,
    /// Shared pages over all pages; absent where there are none.
    pub shared_share: Option<f64>,
    /// The same where only reads and writes within one interval meet: the mean over the intervals,
    /// weighted by their pages. The smaller it is beside `shared_share`, the better time separates
    /// what space does not.
    pub shared_share_within_intervals: Option<f64>,
    /// Length of an interval.
    pub interval_ns: u64,
    /// Pages of each interval, by what happens to them in it.
    pub intervals: Vec<Roles>,
    /// Length of a cell in the address space.
    pub cell_bytes: u64,
    /// Page reads in time and space (Figure 2): for each interval, the cells in the order of
    /// addresses.
    pub page_reads: Vec<Vec<u64>>,
    /// Page writes in time and space.
    pub page_writes: Vec<Vec<u64>>,
}

/// Accesses of a page so far.
#[derive(Clone, Copy, Debug, Default)]
struct Page {
    ever: [bool; 2],
    /// The interval in which it was accessed last, and how.
    interval: u32,
    now: [bool; 2],
}

/// Follows reads and writes. About 35 bytes a page of 8 KiB, 16 bytes a cell and interval.
#[derive(Clone, Debug)]
pub(crate) struct Meetings {
    table: PageTable,
    pages: Vec<Page>,
    interval_ns: u64,
    cell_pages: u64,
    intervals: Vec<Roles>,
    /// Reads and writes of each cell, interval by interval.
    accesses: [Vec<Vec<u64>>; 2],
}

impl Meetings {
    /// Intervals of `interval_ns` up to `last_ns`; cells of `cell_pages` pages of 4 KiB (an even
    /// number) up to `pages`.
    pub(crate) fn new(interval_ns: u64, last_ns: u64, cell_pages: u64, pages: u64) -> Self {
        let intervals = (last_ns / interval_ns) as usize + 1;
        let cells = vec![vec![0; pages.div_ceil(cell_pages) as usize]; intervals];
        Self {
            table: PageTable::default(),
            pages: Vec::new(),
            interval_ns,
            cell_pages,
            intervals: vec![Roles::default(); intervals],
            accesses: [cells.clone(), cells],
        }
    }

    /// An access to a range of pages of 4 KiB at a time that does not go backwards.
    pub(crate) fn add(
        &mut self,
        at_ns: u64,
        pages: std::ops::Range<u64>,
        access: Access,
    ) -> Result<(), TraceError> {
        let per_page = OVERLAP_PAGE_BYTES / PAGE_BYTES;
        let (interval, kind) = ((at_ns / self.interval_ns) as usize, access as usize);
        for page in pages.start / per_page..pages.end.div_ceil(per_page) {
            let number = self.table.number(page)? as usize;
            if number == self.pages.len() {
                self.pages.push(Page::default());
            }
            let known = &mut self.pages[number];
            if known.interval != interval as u32 {
                (known.interval, known.now) = (interval as u32, [false; 2]);
            }
            let other = known.now[1 - kind];
            if !known.now[kind] {
                let roles = &mut self.intervals[interval];
                // A page of one kind in this interval becomes shared.
                match (kind, other) {
                    (0, false) => roles.only_read += 1,
                    (_, false) => roles.only_written += 1,
                    (0, true) => {
                        (roles.only_written, roles.shared) = (roles.only_written - 1, roles.shared + 1)
                    }
                    (_, true) => (roles.only_read, roles.shared) = (roles.only_read - 1, roles.shared + 1),
                }
                known.now[kind] = true;
            }
            known.ever[kind] = true;
            self.accesses[kind][interval][(page * per_page / self.cell_pages) as usize] += 1;
        }
        Ok(())
    }

    pub(crate) fn finish(self) -> Overlap {
        let mut pages = Roles::default();
        self.pages.iter().for_each(|page| pages.count(page.ever[0], page.ever[1]));
        let share = |shared: u64, all: u64| (all > 0).then(|| shared as f64 / all as f64);
        let sum = |count: fn(&Roles) -> u64| self.intervals.iter().map(count).sum();
        let [page_reads, page_writes] = self.accesses;
        Overlap {
            page_bytes: OVERLAP_PAGE_BYTES,
            shared_share: share(pages.shared, pages.total()),
            shared_share_within_intervals: share(sum(|roles| roles.shared), sum(Roles::total)),
            pages,
            interval_ns: self.interval_ns,
            cell_bytes: self.cell_pages * PAGE_BYTES,
            page_reads,
            page_writes,
            intervals: self.intervals,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    proptest! {
        #[test]
        fn it_agrees_with_sets(accesses in prop::collection::vec((0u64..5, 0u64..40, 1u64..6, any::<bool>()), 0..150)) {
            let mut accesses = accesses;
            accesses.sort_by_key(|access| access.0);
            let mut meetings = Meetings::new(10, 49, 8, 46);
            let mut ever: BTreeMap<u64, [bool; 2]> = BTreeMap::new();
            let mut now: BTreeMap<(u64, u64), [bool; 2]> = BTreeMap::new();
            let mut cells = BTreeMap::new();
            for (interval, first, length, write) in accesses {
                let access = if write { Access::Write } else { Access::Read };
                meetings.add(interval * 10 + first % 10, first..first + length, access).unwrap();
                for page in first / 2..=(first + length - 1) / 2 {
                    ever.entry(page).or_default()[usize::from(write)] = true;
                    now.entry((interval, page)).or_default()[usize::from(write)] = true;
                    *cells.entry((usize::from(write), interval as usize, page as usize * 2 / 8)).or_insert(0u64) += 1;
                }
            }
            let found = meetings.finish();
            let mut expected = Roles::default();
            ever.values().for_each(|page| expected.count(page[0], page[1]));
            prop_assert_eq!(found.pages, expected);
            for (interval, roles) in (0u64..).zip(&found.intervals) {
                let mut expected = Roles::default();
                now.iter().filter(|((at, _), _)| *at == interval).for_each(|(_, page)| expected.count(page[0], page[1]));
                prop_assert_eq!(*roles, expected);
            }
            for (kind, grid) in [&found.page_reads, &found.page_writes].into_iter().enumerate() {
                for (interval, row) in grid.iter().enumerate() {
                    for (cell, &count) in row.iter().enumerate() {
                        prop_assert_eq!(count, cells.get(&(kind, interval, cell)).copied().unwrap_or(0));
                    }
                }
            }
        }
    }

    #[test]
    fn time_separates_what_space_does_not() {
        let mut meetings = Meetings::new(10, 19, 2, 20);
        meetings.add(0, 0..20, Access::Read).unwrap();
        meetings.add(15, 0..20, Access::Write).unwrap();
        let found = meetings.finish();
        assert_eq!((found.shared_share, found.shared_share_within_intervals), (Some(1.0), Some(0.0)));
    }
}
