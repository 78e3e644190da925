//! Reads and writes of each page.

/// Counts accesses. 8 bytes a page.
#[derive(Clone, Debug, Default)]
pub(crate) struct AccessCounts {
    /// For each page its reads and its writes.
    counts: Vec<[u32; 2]>,
}

/// A kind of access.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Access {
    Read = 0,
    Write = 1,
}

impl AccessCounts {
    pub(crate) fn add(&mut self, page: u32, access: Access) {
        if page as usize >= self.counts.len() {
            self.counts.resize(page as usize + 1, [0; 2]);
        }
        let count = &mut self.counts[page as usize][access as usize];
        *count = count.saturating_add(1);
    }

    /// Reads and writes of a page.
    pub(crate) fn of(&self, page: usize) -> [u32; 2] {
        self.counts.get(page).copied().unwrap_or_default()
    }
}
