//! What a recycling scheme will ask for, brought into the cache while earlier requests and pages are served.

use rewear_trace::{Batch, Fingerprint, Operation, Request};

use super::{LOOK_AHEAD, Replay};

/// Pages of a long request by which its places are prefetched, and later what a recycling scheme knows of contents.
pub(super) const PLACES_AHEAD: u64 = 8;
pub(super) const CONTENTS_AHEAD: u64 = 4;
const MATCHES_AHEAD: u64 = 2;

impl Replay<'_> {
    /// Brings into the cache what a recycling scheme will ask for when requests come that are near: of the first pages of each,
    /// since [`prefetch_in_request`](Self::prefetch_in_request) looks further.
    #[inline(never)]
    pub(super) fn prefetch_contents(&self, batch: &Batch, index: usize) {
        if let Some(coming) = batch.requests.get(index + LOOK_AHEAD * 3 / 4) {
            self.first_pages(coming, PLACES_AHEAD).for_each(|lpn| self.ftl.prefetch_place(lpn));
        }
        if let Some(coming) = batch.requests.get(index + LOOK_AHEAD / 2)
            && coming.operation != Operation::Read
        {
            let mut contents = batch.content_of(coming).unwrap_or_default().iter().copied();
            self.first_pages(coming, CONTENTS_AHEAD)
                .for_each(|lpn| self.ftl.prefetch_content(lpn, contents.next()));
        }
        if let Some(coming) = batch.requests.get(index + LOOK_AHEAD / 4)
            && let Some(contents) = batch.content_of(coming)
        {
            contents
                .iter()
                .take(MATCHES_AHEAD as usize)
                .for_each(|&content| self.ftl.prefetch_match(content));
        }
    }

    /// As [`prefetch_contents`](Self::prefetch_contents), for the pages behind `lpn` of a request of the pages from `first` to
    /// before `stop`.
    #[inline(never)]
    pub(super) fn prefetch_in_request(
        &self,
        (first, stop): (u64, u64),
        lpn: u64,
        contents: Option<&[Fingerprint]>,
    ) {
        if lpn + PLACES_AHEAD < stop {
            self.ftl.prefetch_place(lpn + PLACES_AHEAD);
        }
        let contents = contents.unwrap_or_default();
        let content_of = |lpn: u64| contents.get((lpn - first) as usize).copied();
        self.ftl.prefetch_content(lpn + CONTENTS_AHEAD, content_of(lpn + CONTENTS_AHEAD));
        if let Some(content) = content_of(lpn + MATCHES_AHEAD) {
            self.ftl.prefetch_match(content);
        }
    }

    /// The pages of a request, up to so many.
    #[inline]
    fn first_pages(&self, request: &Request, most: u64) -> std::ops::Range<u64> {
        let first = request.offset_bytes / self.page_divisor;
        let pages = match request.length_bytes <= self.page_bytes {
            true => 1,
            false => (request.length_bytes / self.page_divisor).min(most),
        };
        first..first + pages
    }
}
