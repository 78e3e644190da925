//! When the host has its answers: a request whose pages lie in several parts ends with the last of
//! them.
//!
//! Parts are at different moments, so nobody knows that end when it comes. Each keeps the ends of
//! its pieces of such requests, in their order, and here stands which requests they are of. When the
//! parts are looked at, which they are now and then for this alone, all of them are put together.

use rewear_flash::Nanos;
use rewear_trace::{Operation, Request};

use super::part::{Answer, Part};

/// Requests without an answer at most: what is kept of them fits a cache.
const MOST: usize = 1 << 16;

/// A request whose answer is to come.
#[derive(Debug, Clone, Copy)]
struct Waiting {
    operation: Operation,
    at: Nanos,
    /// The latest end that is known of.
    end: Nanos,
}

/// Requests that several parts answer together.
#[derive(Debug)]
pub(super) struct Answers {
    keeps_time: bool,
    requests: Vec<Waiting>,
    /// Whether the rest of the last request comes next.
    is_torn: bool,
    /// Of every part: the requests of the ends that it keeps.
    of_ends: Vec<Vec<u32>>,
}

impl Answers {
    pub(super) fn new(parts: usize, keeps_time: bool) -> Answers {
        Answers { keeps_time, requests: Vec::new(), is_torn: false, of_ends: vec![Vec::new(); parts] }
    }

    /// Whether so many requests wait that the parts should be looked at.
    #[inline]
    pub(super) fn are_many(&self) -> bool {
        self.requests.len() >= MOST
    }

    /// A request that touches so many pages is about to be asked for; who answers it.
    #[inline]
    pub(super) fn begin(&mut self, request: &Request, at: Nanos, pages: usize) -> Answer {
        let is_timed = request.operation.is_write() || request.operation == Operation::Read;
        if !(self.keeps_time && is_timed) {
            return Answer::Nobody;
        }
        if pages == 1 && !request.torn && !self.is_torn {
            return Answer::Part;
        }
        if !self.is_torn {
            self.requests.push(Waiting { operation: request.operation, at, end: at });
        }
        self.is_torn = request.torn;
        Answer::Together
    }

    /// A part was asked for a piece of the last request.
    #[inline]
    pub(super) fn asked(&mut self, part: usize) {
        self.of_ends[part].push(self.requests.len() as u32 - 1);
    }

    /// All parts have done what they were asked for: the host has its answers, which the first part
    /// counts.
    pub(super) fn settle(&mut self, parts: &mut [Box<Part>]) {
        for (part, of_ends) in parts.iter_mut().zip(&mut self.of_ends) {
            for (request, end) in of_ends.drain(..).zip(part.ends.drain(..)) {
                let request = &mut self.requests[request as usize];
                request.end = request.end.max(end);
            }
        }
        let torn = if self.is_torn { self.requests.pop() } else { None };
        if let Some(counts) = parts.first_mut() {
            for Waiting { operation, at, end } in self.requests.drain(..) {
                counts.served.answered(operation, at, end);
            }
        }
        self.requests.extend(torn);
    }
}
