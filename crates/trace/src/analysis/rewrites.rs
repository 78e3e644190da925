//! How far apart the writes of the same page are.

use serde::Serialize;

use super::PAGE_BYTES;
use super::histogram::{Class, PowerHistogram};
use super::reuse_distance::ReuseDistance;

/// Distances between two writes of the same page. A trim between them does not end the count.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Rewrites {
    /// Page writes, overwrites among them.
    pub page_writes: u64,
    /// Those of a page never written before.
    pub first_writes: u64,
    /// All others.
    pub rewrites: u64,
    /// Rewrites by the number of distinct other pages written in between (the exact reuse distance
    /// over writes): a write buffer of that many pages, replaced least recently used first, would
    /// have absorbed the write before. Weight: bytes rewritten.
    pub distinct_pages: Vec<Class>,
    /// Rewrites by the number of pages written in between, each time counted (the distance of
    /// Margaglia and Brinkmann, "Improving MLC flash performance and endurance with extended P/E
    /// cycles", section V). Weight: bytes rewritten.
    pub pages_written: Vec<Class>,
}

/// Follows writes. About 32 bytes a page.
#[derive(Clone, Debug, Default)]
pub(crate) struct RewriteDistances {
    reuse: ReuseDistance,
    /// For each page the number of page writes up to its last one.
    last_write: Vec<u64>,
    page_writes: u64,
    first_writes: u64,
    distinct_pages: PowerHistogram,
    pages_written: PowerHistogram,
}

impl RewriteDistances {
    pub(crate) fn write(&mut self, page: u32) {
        let index = page as usize;
        if index >= self.last_write.len() {
            self.last_write.resize(index + 1, 0);
        }
        match self.reuse.access(page) {
            None => self.first_writes += 1,
            Some(distance) => {
                self.distinct_pages.add(u64::from(distance), PAGE_BYTES);
                self.pages_written.add(self.page_writes - self.last_write[index], PAGE_BYTES);
            }
        }
        self.page_writes += 1;
        self.last_write[index] = self.page_writes;
    }

    pub(crate) fn finish(&self) -> Rewrites {
        Rewrites {
            page_writes: self.page_writes,
            first_writes: self.first_writes,
            rewrites: self.page_writes - self.first_writes,
            distinct_pages: self.distinct_pages.classes(),
            pages_written: self.pages_written.classes(),
        }
    }
}
