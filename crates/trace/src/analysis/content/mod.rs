//! Savings by recycling invalid pages by their content: Figures 1 to 4 and section III.B of
//! Zhou, Hu, Huang and Zhao, "LX-SSD: enhancing the lifespan of NAND flash-based memory via
//! recycling invalid pages".
//!
//! The drive is ideal: it erases nothing while it has room, knows the content of every invalid
//! page, and answers a write whose content lies on an invalid page by making that page valid again,
//! the one that became invalid last. The old copy of the page that is written becomes invalid after
//! the lookup. So a page that became invalid is counted as recycled if and only if a later write
//! made it valid again, and those are the writes that an unbounded fingerprint store removes.

mod chain;
mod drive;

use std::ops::Range;

use serde::Serialize;

use super::page_table::PageTable;
use crate::request::Fingerprint;
use drive::Drive;

/// Physical pages of the drive: those of the paper's Table II (64 pages, 2048 blocks, 8 planes, 10
/// chips), 40 GiB.
pub const DRIVE_PAGES: usize = 64 * 2048 * 8 * 10;

/// Classes of popularity and of versions: four bits each in the paper.
pub const CLASSES: usize = 16;

/// Points of the course over time.
const POINTS: u64 = 240;

/// Pages that became invalid with one popularity.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct PopularityClass {
    /// Times that a page of this popularity became invalid.
    pub invalid: u64,
    /// Times that a write found one of them and made it valid again.
    pub recycled: u64,
    /// Those of them in the second half of the page writes, which is how the paper seems to count.
    pub recycled_in_second_half: u64,
}

/// Counts of a part of the trace.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Part {
    /// Page writes.
    pub page_writes: u64,
    /// Pages that became invalid, by a write or a trim.
    pub invalidated: u64,
    /// Writes that an invalid page answered.
    pub recycled: u64,
}

/// Valid and invalid pages at one time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Moment {
    /// Page writes so far.
    pub page_writes: u64,
    /// Arrival of the request.
    pub at_ns: u64,
    /// Pages that are valid: written or read, and not trimmed since.
    pub valid: u64,
    /// Pages that have become invalid so far and that a drive which neither cleans nor recycles
    /// would hold.
    pub invalid: u64,
    /// Pages recycled so far.
    pub recycled: u64,
}

/// Pages that could be recycled. The counts that need content are of a trace without it absent.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Content {
    /// Physical pages of the ideal drive.
    pub drive_pages: u64,
    /// Over the whole trace.
    pub whole: Part,
    /// Over the second half of its page writes; the first ages the drive, as the first of two weeks
    /// in section III.B.
    pub second_half: Part,
    /// Distinct pages read or written.
    pub distinct_pages: u64,
    /// 1 - distinct pages / page writes, as section III.B counts overwrites; absent where that is
    /// negative or nothing is written.
    pub overwrite_share: Option<f64>,
    /// Valid and invalid pages over the trace (Figure 1).
    pub moments: Vec<Moment>,
    /// Figures of the content, if any is known.
    pub recycling: Option<Recycling>,
}

/// Figures of a trace's content.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Recycling {
    /// Page writes whose content is known.
    pub writes_with_content: u64,
    /// Distinct contents. One without a copy on the drive counts anew when it comes
    /// again.
    pub distinct_values: u64,
    /// Page writes that repeat what the page holds.
    pub writes_of_same_content: u64,
    /// Page writes of a content that a valid page of the drive holds: what deduplication would
    /// find.
    pub writes_of_valid_content: u64,
    /// Invalid pages that the drive had no room to keep, the oldest first.
    pub forgotten: u64,
    /// Recycled pages / page writes, over the whole trace: what an unbounded store removes.
    pub removed_share: Option<f64>,
    /// Recycled pages / invalid pages, both over the whole trace.
    pub recyclable_share: Option<f64>,
    /// Pages recycled in the second half / pages invalid over the whole trace: how the figures of
    /// section III.B seem to be counted.
    pub recyclable_share_second_half: Option<f64>,
    /// By reads of the page before it became invalid, 0 to 15 and more (Figures 2 and 3 as the text
    /// defines popularity).
    pub by_page_reads: Vec<PopularityClass>,
    /// By accesses of its content before it became invalid: reads, and writes after the first, 0 to
    /// 15 and more.
    pub by_value_accesses: Vec<PopularityClass>,
    /// Recycled pages by their version, 0 to 15 (Figure 4): 15 less the invalid pages of the same
    /// logical page that are newer.
    pub recycled_by_version: Vec<u64>,
}

/// Follows reads, writes and trims. One byte a logical page; where the trace has content, what the
/// drive takes in addition.
#[derive(Clone, Debug)]
pub(crate) struct Contents {
    drive: Option<Drive>,
    drive_pages: usize,
    /// Whether each page is valid.
    valid: Vec<bool>,
    valid_pages: u64,
    whole: Part,
    first_half: Part,
    step: u64,
    all_page_writes: u64,
    with_content: u64,
    moments: Vec<Moment>,
}

impl Contents {
    /// For a trace of `page_writes` page writes; `has_content` says whether any content is known.
    pub(crate) fn new(page_writes: u64, has_content: bool, drive_pages: usize) -> Self {
        Self {
            drive: has_content.then(|| Drive::new(drive_pages)),
            drive_pages,
            valid: Vec::new(),
            valid_pages: 0,
            whole: Part::default(),
            first_half: Part::default(),
            step: page_writes.div_ceil(POINTS).max(1),
            all_page_writes: page_writes,
            with_content: 0,
            moments: Vec::new(),
        }
    }

    pub(crate) fn read(&mut self, page: u32, content: Option<Fingerprint>) {
        self.becomes_valid(page);
        if let Some(drive) = &mut self.drive {
            drive.read(page, content);
        }
    }

    pub(crate) fn write(&mut self, page: u32, content: Option<Fingerprint>, now_ns: u64) {
        self.whole.invalidated += u64::from(!self.becomes_valid(page));
        self.with_content += u64::from(content.is_some());
        self.whole.page_writes += 1;
        if let Some(drive) = &mut self.drive {
            drive.write(page, content);
            self.whole.recycled = drive.counts().recycled;
        }
        if self.whole.page_writes == self.all_page_writes / 2 {
            self.first_half = self.whole;
            if let Some(drive) = &mut self.drive {
                drive.begin_second_half();
            }
        }
        if self.whole.page_writes.is_multiple_of(self.step) || self.whole.page_writes == self.all_page_writes
        {
            self.moments.push(self.moment(now_ns));
        }
    }

    /// A trim of whole pages.
    pub(crate) fn trim(&mut self, pages: Range<u64>, table: &PageTable) {
        // A trim of a whole drive is longer than all that was ever touched.
        if pages.end - pages.start > self.valid.len() as u64 {
            let within = table.pages().iter().enumerate().filter(|(_, page)| pages.contains(page));
            within.for_each(|(number, _)| self.becomes_invalid(number as u32));
        } else {
            pages.filter_map(|page| table.find(page)).for_each(|number| self.becomes_invalid(number));
        }
    }

    /// Returns whether it was not.
    fn becomes_valid(&mut self, page: u32) -> bool {
        if page as usize >= self.valid.len() {
            self.valid.resize(page as usize + 1, false);
        }
        let was = std::mem::replace(&mut self.valid[page as usize], true);
        self.valid_pages += u64::from(!was);
        !was
    }

    fn becomes_invalid(&mut self, page: u32) {
        if let Some(valid) = self.valid.get_mut(page as usize)
            && std::mem::replace(valid, false)
        {
            self.valid_pages -= 1;
            self.whole.invalidated += 1;
            if let Some(drive) = &mut self.drive {
                drive.invalidate(page);
            }
        }
    }

    fn moment(&self, at_ns: u64) -> Moment {
        Moment {
            page_writes: self.whole.page_writes,
            at_ns,
            valid: self.valid_pages,
            invalid: self.whole.invalidated,
            recycled: self.whole.recycled,
        }
    }

    pub(crate) fn finish(self) -> Content {
        let (whole, first) = (self.whole, self.first_half);
        let second_half = Part {
            page_writes: whole.page_writes - first.page_writes,
            invalidated: whole.invalidated - first.invalidated,
            recycled: whole.recycled - first.recycled,
        };
        let distinct_pages = self.valid.len() as u64;
        let share = |part: u64, all: u64| (all > 0).then(|| part as f64 / all as f64);
        let recycling = self.drive.as_ref().map(|drive| {
            let counts = drive.counts();
            Recycling {
                writes_with_content: self.with_content,
                distinct_values: counts.values,
                writes_of_same_content: counts.same_content,
                writes_of_valid_content: counts.duplicates,
                forgotten: counts.forgotten,
                removed_share: share(whole.recycled, whole.page_writes),
                recyclable_share: share(whole.recycled, whole.invalidated),
                recyclable_share_second_half: share(second_half.recycled, whole.invalidated),
                by_page_reads: counts.by_page_reads.to_vec(),
                by_value_accesses: counts.by_value_accesses.to_vec(),
                recycled_by_version: counts.recycled_by_version.to_vec(),
            }
        });
        Content {
            drive_pages: self.drive_pages as u64,
            overwrite_share: share(whole.page_writes.saturating_sub(distinct_pages), whole.page_writes)
                .filter(|_| whole.page_writes >= distinct_pages),
            whole,
            second_half,
            distinct_pages,
            moments: self.moments,
            recycling,
        }
    }
}

#[cfg(test)]
mod tests;
