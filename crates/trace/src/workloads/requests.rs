//! Properties that all patterns of a phase share: number, sizes, times and content of requests.

use rand_xoshiro::Xoshiro256PlusPlus;

use super::arrival::Arrival;
use super::content::Contents;
use super::kv_cache::KvCache;
use super::pattern::{Aimed, Asked};
use super::placement::Placement;
use super::random::chance;
use super::size::Size;
use crate::operation::Operation;
use crate::request::{Batch, Request};

/// The requests of one phase, but for where they go.
#[derive(Clone, Debug)]
pub(crate) struct Requests {
    pub(crate) pages: u64,
    pub(crate) page_bytes: u64,
    pub(crate) offset_bytes: u64,
    pub(crate) read: f64,
    pub(crate) size: Size,
    pub(crate) arrival: Arrival,
    pub(crate) contents: Option<Contents>,
    pub(crate) left: u64,
    pub(crate) bytes_left: Option<u64>,
    pub(crate) placement: Placement,
    pub(crate) random: Xoshiro256PlusPlus,
    pub(crate) start_ns: u64,
    pub(crate) now_ns: u64,
}

impl Requests {
    /// Whether the phase is over.
    pub(crate) fn are_over(&self) -> bool {
        self.left == 0 || self.bytes_left == Some(0)
    }

    /// Appends requests to the batch until it is full or the phase is over; `aim` draws the place
    /// of each.
    #[inline]
    pub(crate) fn draw_aimed(
        &mut self,
        batch: &mut Batch,
        mut aim: impl FnMut(&mut Xoshiro256PlusPlus, Asked) -> Aimed,
    ) {
        match (&self.size, &self.arrival, &self.contents, self.bytes_left) {
            (&Size::Fixed(length_bytes), Arrival::Closed, None, None) => {
                self.draw_even(length_bytes, batch, aim);
            }
            _ => self.draw(batch, |requests| requests.next_aimed(&mut aim)),
        }
    }

    /// Requests that differ in nothing but their place and operation: no other question is asked
    /// of each.
    #[inline(always)]
    fn draw_even(
        &mut self,
        length_bytes: u64,
        batch: &mut Batch,
        mut aim: impl FnMut(&mut Xoshiro256PlusPlus, Asked) -> Aimed,
    ) {
        let span = length_bytes.div_ceil(self.page_bytes);
        let (read, placement, at_ns) = (self.read, self.placement, self.start_ns);
        let (offset_bytes, page_bytes) = (self.offset_bytes, self.page_bytes);
        let most = self.left.min((batch.limit() - batch.requests.len()) as u64);
        let mut random = self.random.clone();
        let mut drawn = 0;
        while drawn < most && batch.bytes() < Batch::FULL_BYTES {
            let operation = if chance(&mut random, read) { Operation::Read } else { Operation::Write };
            let Aimed { page, component, operation, length_bytes } =
                aim(&mut random, Asked { operation, length_bytes, span });
            let place = (offset_bytes + page * page_bytes, length_bytes);
            batch.push(Request::placed(at_ns, operation, place, placement.identifier(component)));
            drawn += 1;
        }
        (self.random, self.now_ns) = (random, at_ns);
        self.left -= drawn;
    }

    /// Appends requests to the batch until it is full or the phase is over.
    #[inline(always)]
    pub(crate) fn draw(&mut self, batch: &mut Batch, mut next: impl FnMut(&mut Requests) -> Request) {
        let most = self.left.min((batch.limit() - batch.requests.len()) as u64);
        let mut contents = self.contents.take();
        let mut drawn = 0;
        while drawn < most && batch.bytes() < Batch::FULL_BYTES && self.bytes_left != Some(0) {
            let request = next(self);
            drawn += 1;
            self.move_bytes(&request);
            match &mut contents {
                Some(contents) if request.operation.is_write() => {
                    batch.push_with_content(request, contents.draw(&request));
                }
                _ => batch.push(request),
            }
        }
        self.left -= drawn;
        self.contents = contents;
    }

    /// Takes what a request moves off the volume, without what is trimmed.
    #[inline(always)]
    fn move_bytes(&mut self, request: &Request) {
        let moved = if request.operation == Operation::Trim { 0 } else { request.length_bytes };
        self.bytes_left = self.bytes_left.map(|bytes| bytes.saturating_sub(moved));
    }

    /// As [`draw`](Self::draw), of a key-value cache.
    pub(crate) fn draw_from_cache(&mut self, batch: &mut Batch, cache: &mut KvCache) {
        while !batch.is_full() && !self.are_over() {
            let access = cache.next(&mut self.random);
            self.now_ns = self.start_ns.saturating_add(self.arrival.next_ns(&mut self.random));
            let place = (self.offset_bytes + access.page * self.page_bytes, cache.block_bytes());
            let stream = self.placement.identifier(access.component);
            let request = Request::placed(self.now_ns, access.operation, place, stream);
            self.left -= 1;
            self.move_bytes(&request);
            let content = if access.operation.is_write() { cache.contents(&access, &request) } else { None };
            match content {
                Some(content) => _ = batch.push_with_content(request, content),
                None => batch.push(request),
            }
        }
    }

    #[inline(always)]
    fn next_aimed(&mut self, mut aim: impl FnMut(&mut Xoshiro256PlusPlus, Asked) -> Aimed) -> Request {
        let random = &mut self.random;
        let length_bytes = self.size.next_bytes(random);
        let span = length_bytes.div_ceil(self.page_bytes);
        let operation = if chance(random, self.read) { Operation::Read } else { Operation::Write };
        let Aimed { page, component, operation, length_bytes } =
            aim(random, Asked { operation, length_bytes, span });
        self.now_ns = self.start_ns.saturating_add(self.arrival.next_ns(random));
        let place = (self.offset_bytes + page * self.page_bytes, length_bytes);
        Request::placed(self.now_ns, operation, place, self.placement.identifier(component))
    }
}
