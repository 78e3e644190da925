//! Finds the runs of a trace: requests of one operation, each of which begins where an earlier one
//! ended.

use super::recent::Recent;
use super::sites::Shape;

/// Pages of the longest run, 4 GiB, as long as the longest request: work on one run stays short.
const LONGEST_PAGES: u64 = 1 << 20;

/// A run that may go on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Open {
    /// Its number, in the order of beginnings.
    pub(super) run: u32,
    behind: u64,
    pages: u64,
    request: u64,
}

/// The role of a request among the runs.
#[derive(Clone, Copy, Debug)]
pub(super) enum Step {
    /// It begins the run of this number.
    Begins(u32),
    /// It continues a run, with that many requests of the operation between.
    Continues { open: Open, between: u64 },
}

/// The runs of one operation.
#[derive(Clone, Debug, Default)]
pub(super) struct Runs {
    open: Recent<Open>,
    begun: u32,
    requests: u64,
}

impl Runs {
    /// The next request of the operation: pages `first` up to `behind`.
    pub(super) fn request(&mut self, first: u64, behind: u64) -> Step {
        let pages = behind - first;
        let goes_on = |open: Open| open.behind == first && open.pages + pages <= LONGEST_PAGES;
        let step = match self.open.take(goes_on) {
            Some((_, open)) => Step::Continues { open, between: self.requests - open.request - 1 },
            None => {
                self.begun += 1;
                Step::Begins(self.begun - 1)
            }
        };
        let (run, before) = match step {
            Step::Begins(run) => (run, 0),
            Step::Continues { open, .. } => (open.run, open.pages),
        };
        self.open.push(Open { run, behind, pages: before + pages, request: self.requests });
        self.requests += 1;
        step
    }
}

/// The shapes of all runs of one operation, found as the trace goes by.
#[derive(Clone, Debug, Default)]
pub(super) struct Shapes {
    runs: Runs,
    shapes: Vec<Shape>,
}

impl Shapes {
    /// The next request of the operation.
    pub(super) fn request(&mut self, first: u64, behind: u64) {
        let pages = u32::try_from(behind - first).unwrap_or(u32::MAX);
        match self.runs.request(first, behind) {
            Step::Begins(_) => self.shapes.push(Shape { pages, request_pages: pages, requests: 1 }),
            Step::Continues { open, .. } => {
                let shape = &mut self.shapes[open.run as usize];
                shape.pages = shape.pages.saturating_add(pages);
                shape.requests += 1;
            }
        }
    }

    /// The shapes in the order of the runs' beginnings.
    pub(super) fn finish(self) -> Vec<Shape> {
        self.shapes
    }
}
