//! Uniform: every page equally likely, every place where the request still fits.

use rand_xoshiro::Xoshiro256PlusPlus;

use super::random::below;

/// The first page of a request of `span` pages in a region of `pages`.
#[inline(always)]
pub(crate) fn next_page(random: &mut Xoshiro256PlusPlus, pages: u64, span: u64) -> u64 {
    below(random, pages - span + 1)
}
