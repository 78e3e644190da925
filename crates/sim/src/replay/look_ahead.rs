//! What a recycling scheme will ask for, brought into the cache while earlier requests and pages
//! are served.

use std::ops::Range;

use rewear_ftl::cache_hints::{Ahead, MATCHES_AHEAD_IN_REQUEST, PAGES_AHEAD_IN_REQUEST};
use rewear_trace::{Batch, Fingerprint, Operation};

use super::Replay;

/// Requests by which hints of the map are ahead of its use.
pub(super) const LOOK_AHEAD: usize = 8;
/// Requests by which hints of what a write changes at the old place of its page are ahead, after the
/// map.
pub(super) const PLACES_AHEAD: usize = LOOK_AHEAD / 2;
/// Requests by which a recycling scheme's pages are hinted at, after the map, and then what depends
/// on those.
const PAGES_AHEAD: usize = LOOK_AHEAD * 5 / 8;
const MATCHES_AHEAD: usize = LOOK_AHEAD / 4;

/// The first pages of the requests of a batch that come next, which are looked up three times each.
pub(super) struct LookAhead<'b> {
    batch: &'b Batch,
    coming: [Coming<'b>; COMING],
}

/// More than those from the request under way to the farthest one looked at.
const COMING: usize = (LOOK_AHEAD + 1).next_power_of_two();

#[derive(Clone, Copy)]
struct Coming<'b> {
    first: u64,
    pages: u64,
    /// Of these pages and more, as far as they are known.
    contents: Option<&'b [Fingerprint]>,
    /// Whether it writes or trims.
    changes: bool,
}

impl Coming<'_> {
    const NONE: Coming<'static> = Coming { first: 0, pages: 0, contents: None, changes: false };

    #[inline(always)]
    fn each(&self, most: u64, mut look_up: impl FnMut(u64, Option<Fingerprint>)) {
        let contents = self.contents.unwrap_or_default();
        for index in 0..self.pages.min(most) {
            look_up(self.first + index, contents.get(index as usize).copied());
        }
    }
}

impl<'b> LookAhead<'b> {
    /// Before the first request of a batch.
    pub(super) fn new(batch: &'b Batch, replay: &Replay<'_>) -> LookAhead<'b> {
        let mut ahead = LookAhead { batch, coming: [Coming::NONE; COMING] };
        (0..LOOK_AHEAD).for_each(|index| ahead.resolve(index, replay));
        ahead
    }

    #[inline(always)]
    fn resolve(&mut self, index: usize, replay: &Replay<'_>) {
        self.coming[index % COMING] = match self.batch.requests.get(index) {
            None => Coming::NONE,
            Some(request) => Coming {
                first: replay.pages.page_of(request.offset_bytes),
                pages: match request.length_bytes <= replay.pages.page_bytes() {
                    true => u64::from(request.length_bytes > 0),
                    false => replay.pages.page_of(request.length_bytes),
                },
                contents: self.batch.content_of(request),
                changes: request.operation != Operation::Read,
            },
        };
    }

    /// A request is about to be served. Brings into the cache what a recycling scheme will ask for
    /// when those come that are near: of the first pages of each, since
    /// [`hint_in_request`](Replay::hint_in_request) looks further. Returns the contents of the
    /// request, as far as they are known.
    #[inline]
    pub(super) fn advance(&mut self, index: usize, replay: &Replay<'_>) -> Option<&'b [Fingerprint]> {
        self.resolve(index + LOOK_AHEAD, replay);
        self.coming[(index + LOOK_AHEAD) % COMING]
            .each(PAGES_AHEAD_IN_REQUEST, |lpn, content| replay.ftl.hint(Ahead::Keys, lpn, content));
        self.coming[(index + PAGES_AHEAD) % COMING]
            .each(PAGES_AHEAD_IN_REQUEST, |lpn, _| replay.ftl.hint(Ahead::Place, lpn, None));
        let near = self.coming[(index + MATCHES_AHEAD) % COMING];
        if near.changes {
            near.each(MATCHES_AHEAD_IN_REQUEST, |lpn, content| {
                replay.ftl.hint(Ahead::Match, lpn, content);
            });
        }
        self.coming[index % COMING].contents
    }
}

impl Replay<'_> {
    /// As [`LookAhead::advance`], for the pages behind `lpn` of a request of these pages.
    #[inline(never)]
    pub(super) fn hint_in_request(&self, pages: &Range<u64>, lpn: u64, contents: Option<&[Fingerprint]>) {
        let contents = contents.unwrap_or_default();
        let content_of = |lpn: u64| contents.get((lpn - pages.start) as usize).copied();
        if lpn + PAGES_AHEAD_IN_REQUEST < pages.end {
            let lpn = lpn + PAGES_AHEAD_IN_REQUEST;
            self.ftl.hint(Ahead::Keys, lpn, content_of(lpn));
            self.ftl.hint(Ahead::Place, lpn, None);
        }
        let lpn = lpn + MATCHES_AHEAD_IN_REQUEST;
        self.ftl.hint(Ahead::Match, lpn, content_of(lpn));
    }
}
