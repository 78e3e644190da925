//! Uniform: every page equally likely, every place where the request still fits.

use rand_xoshiro::Xoshiro256PlusPlus;

use super::random::below;
use crate::request::{Batch, Operation, Request};

/// The first page of a request of `span` pages in a region of `pages`.
#[inline]
pub(crate) fn next_page(random: &mut Xoshiro256PlusPlus, pages: u64, span: u64) -> u64 {
    below(random, pages - span + 1)
}

/// Fills a batch with `count` one-page operations that all arrive at once: what speed is measured
/// with, so without any decision per request.
pub(crate) fn fill_pages(
    random: &mut Xoshiro256PlusPlus,
    (pages, page_bytes): (u64, u64),
    (offset_bytes, at_ns): (u64, u64),
    operation: Operation,
    count: usize,
    batch: &mut Batch,
) {
    let draws = (0..count).map(|_| {
        let offset = offset_bytes + below(random, pages) * page_bytes;
        Request::new(at_ns, operation, offset, page_bytes)
    });
    batch.requests.extend(draws);
}
