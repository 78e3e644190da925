//! The runs that are under way, and when each goes on.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use rand_xoshiro::Xoshiro256PlusPlus;

use super::profile::Access;
use super::sites::class_of;

/// A run under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Going {
    /// Where it goes on.
    pub(super) next: u64,
    /// Pages that are left of it.
    pub(super) left: u32,
    /// Pages of the request to come.
    pub(super) pages: u32,
    /// Pages of the whole run.
    pub(super) run_pages: u32,
}

impl Going {
    /// The same run with the size of its next request drawn.
    pub(super) fn later(self, access: &mut Access, random: &mut Xoshiro256PlusPlus) -> Going {
        let run = &mut access.runs[class_of(self.run_pages)];
        let drawn = if run.steady.draw_yes(random) { None } else { run.later_pages.draw(random) };
        Going { pages: drawn.map_or(self.pages, |shape| shape.pages), ..self }
    }

    /// Takes the pages of one request off.
    pub(super) fn take(&mut self) -> u32 {
        let pages = self.pages.clamp(1, self.left.max(1));
        self.next += u64::from(pages);
        self.left = self.left.saturating_sub(pages);
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
