//! Small numbers for the pages that are touched.

use foldhash::fast::FixedState;
use hashbrown::HashMap;

use crate::error::{ErrorKind, TraceError};

/// Gives pages the numbers 0, 1, 2, ... in the order in which they are met, so that each analysis
/// keeps what it knows of a page in a plain array. About 25 bytes a page.
#[derive(Clone, Debug, Default)]
pub(crate) struct PageTable {
    numbers: HashMap<u64, u32, FixedState>,
    pages: Vec<u64>,
}

impl PageTable {
    /// The number of `page`; the next one if it is new.
    ///
    /// # Errors
    /// More than 2^32 - 1 pages.
    #[inline]
    pub(crate) fn number(&mut self, page: u64) -> Result<u32, TraceError> {
        let next = self.pages.len();
        if next >= u32::MAX as usize {
            return Err(TraceError::new(
                ErrorKind::DoesNotFit,
                "the trace touches more pages than can be told apart (2^32 - 1)",
                "choose one volume or cut the trace",
            ));
        }
        let pages = &mut self.pages;
        Ok(*self.numbers.entry(page).or_insert_with(|| {
            pages.push(page);
            next as u32
        }))
    }

    /// The number of `page`, if it has been met.
    #[inline]
    pub(crate) fn find(&self, page: u64) -> Option<u32> {
        self.numbers.get(&page).copied()
    }

    /// The pages by number.
    pub(crate) fn pages(&self) -> &[u64] {
        &self.pages
    }
}
