//! The runs that are under way, and when each goes on.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::sites::Shape;

/// A run under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Going {
    /// Where it goes on.
    pub(super) next: u64,
    /// Pages that are left of it.
    pub(super) left: u32,
    /// Pages of the request to come.
    pages: u32,
    /// Requests that are left.
    requests: u32,
}

impl Going {
    /// A run that begins.
    pub(super) fn new(first: u64, shape: Shape) -> Going {
        let pages = if shape.requests > 1 { shape.request_pages } else { shape.pages };
        Going { next: first, left: shape.pages, pages, requests: shape.requests }
    }

    /// Takes the pages of one request off; what is left is spread evenly over the later ones.
    pub(super) fn take(&mut self) -> u32 {
        let pages = self.pages.clamp(1, self.left.max(1));
        self.next += u64::from(pages);
        self.left = self.left.saturating_sub(pages);
        self.requests = self.requests.saturating_sub(1).max(1);
        self.pages = self.left.div_ceil(self.requests);
        pages
    }
}

/// The runs of one operation that are under way.
#[derive(Clone, Debug, Default)]
pub(super) struct Schedule {
    due: BinaryHeap<Reverse<(u64, Going)>>,
    requests: u64,
}

impl Schedule {
    /// The run that goes on now, if one does; counts a request.
    pub(super) fn next(&mut self) -> Option<Going> {
        self.requests += 1;
        let Reverse((due, _)) = self.due.peek()?;
        if *due > self.requests {
            return None;
        }
        self.due.pop().map(|Reverse((_, going))| going)
    }

    /// A run goes on after some other requests, unless it is over.
    pub(super) fn put(&mut self, going: Going, between: u64) {
        if going.left > 0 {
            self.due.push(Reverse((self.requests + 1 + between, going)));
        }
    }
}
