//! Which parts of the address space are read, written, or both.

use serde::Serialize;

use super::PAGE_BYTES;
use super::access_counts::AccessCounts;
use super::page_table::PageTable;
use super::space::{Space, VolumeExtent};

/// Pages by what happens to them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Roles {
    /// Pages that are read and never written.
    pub only_read: u64,
    /// Pages that are written and never read.
    pub only_written: u64,
    /// Pages that are both.
    pub shared: u64,
}

impl Roles {
    /// Counts a page that is known to be read, written or both.
    pub(crate) fn count(&mut self, read: bool, written: bool) {
        match (read, written) {
            (true, true) => self.shared += 1,
            (true, false) => self.only_read += 1,
            (false, true) => self.only_written += 1,
            (false, false) => {}
        }
    }

    /// Pages that are read or written.
    pub fn total(&self) -> u64 {
        self.only_read + self.only_written + self.shared
    }
}

/// One part of the address space; all parts have the same length.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Region {
    /// Distinct pages.
    #[serde(flatten)]
    pub pages: Roles,
    /// Page reads, each time counted.
    pub page_reads: u64,
    /// Page writes, each time counted.
    pub page_writes: u64,
}

/// The footprint.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Regions {
    /// Distinct pages of the whole trace.
    #[serde(flatten)]
    pub pages: Roles,
    /// The volumes, laid one behind the other.
    pub volumes: Vec<VolumeExtent>,
    /// Length of a region.
    pub region_bytes: u64,
    /// The regions in the order of addresses; the last may reach beyond the last volume.
    pub regions: Vec<Region>,
}

/// Sorts the pages into at most `count` regions.
pub(crate) fn regions(
    space: &Space,
    names: &[String],
    table: &PageTable,
    counts: &AccessCounts,
    count: u64,
) -> Regions {
    let region_pages = space.cell_pages(count);
    let mut regions = vec![Region::default(); space.pages.div_ceil(region_pages) as usize];
    let mut all = Roles::default();
    for (number, page) in table.pages().iter().enumerate() {
        let region = &mut regions[(page / region_pages) as usize];
        let [reads, writes] = counts.of(number);
        all.count(reads > 0, writes > 0);
        region.pages.count(reads > 0, writes > 0);
        region.page_reads += u64::from(reads);
        region.page_writes += u64::from(writes);
    }
    Regions { pages: all, volumes: space.extents(names), region_bytes: region_pages * PAGE_BYTES, regions }
}
