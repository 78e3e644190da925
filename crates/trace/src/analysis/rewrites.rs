//! How far apart the writes of the same page are.

use serde::Serialize;

use super::PAGE_BYTES;
use super::histogram::{Class, PowerHistogram};

/// Distances between two writes of the same page. A trim between them does not end the count.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Rewrites {
    /// Page writes, overwrites among them.
    pub page_writes: u64,
    /// Those of a page never written before.
    pub first_writes: u64,
    /// All others.
    pub rewrites: u64,
    /// Rewrites by the number of pages written in between, each time counted (the distance of
    /// Margaglia and Brinkmann, "Improving MLC flash performance and endurance with extended P/E
    /// cycles", section V). Weight: bytes rewritten.
    pub pages_written: Vec<Class>,
}

/// Follows writes. 8 bytes a page.
#[derive(Clone, Debug, Default)]
pub(crate) struct RewriteDistances {
    /// For each page the number of page writes up to its last one; 0 before its first.
    last_write: Vec<u64>,
    page_writes: u64,
    first_writes: u64,
    pages_written: PowerHistogram,
}

impl RewriteDistances {
    pub(crate) fn write(&mut self, page: u32) {
        let index = page as usize;
        if index >= self.last_write.len() {
            self.last_write.resize(index + 1, 0);
        }
        match self.last_write[index] {
            0 => self.first_writes += 1,
            last => self.pages_written.add(self.page_writes - last, PAGE_BYTES),
        }
        self.page_writes += 1;
        self.last_write[index] = self.page_writes;
    }

    pub(crate) fn finish(&self) -> Rewrites {
        Rewrites {
            page_writes: self.page_writes,
            first_writes: self.first_writes,
            rewrites: self.page_writes - self.first_writes,
            pages_written: self.pages_written.classes(),
        }
    }
}
