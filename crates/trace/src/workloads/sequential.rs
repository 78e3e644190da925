//! Sequential: every page in order, from the first again when the next request would reach beyond
//! the last.

/// Where the next request begins.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sequential {
    next: u64,
}

impl Sequential {
    /// The first page of a request of `span` pages in a region of `pages`.
    #[inline]
    pub(crate) fn next_page(&mut self, pages: u64, span: u64) -> u64 {
        let page = if self.next + span > pages { 0 } else { self.next };
        self.next = page + span;
        page
    }
}
