//! Requests of a host, and the reusable buffer in which they travel.

use std::ops::Range;

use crate::operation::Operation;
use crate::pages::{covered_pages, touched_pages};

/// A 128-bit digest of the content of one page of [`FINGERPRINT_PAGE_BYTES`] bytes.
/// Equal fingerprints stand for equal content; nothing else is asked of the digest.
pub type Fingerprint = u128;

/// The page that one [`Fingerprint`] covers: 4 KiB, aligned in the address space of the trace.
pub const FINGERPRINT_PAGE_BYTES: u64 = 4096;

/// One request of a host: 32 bytes, so that a batch of a thousand stays in the first-level cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request {
    /// Arrival in nanoseconds since the first request of the trace. A request that the trace dates
    /// earlier than its first one has 0. Times may go backwards; a replay clamps them to the
    /// largest seen so far.
    pub at_ns: u64,
    /// First byte.
    pub offset_bytes: u64,
    /// Length. Zero is passed on as recorded; such a request touches no page.
    pub length_bytes: u64,
    /// Index of the request's first fingerprint in its batch.
    content: ContentIndex,
    /// The placement identifier that the host gave with it: the data placement directive's DSPEC of
    /// NVMe, `write_stream` of Linux, an entry of fio's `plids`. 0 where it gave none.
    pub stream: u8,
    /// The volume (disk, device, ASU) the request went to: an index into
    /// [`crate::Source::volumes`].
    pub volume: u16,
    /// The operation asked for.
    pub operation: Operation,
    /// Whether the next request is the rest of this one, which a mapping tore apart: together they
    /// are one request of the host.
    pub torn: bool,
}

/// An index below 2^24 - 1, or none, in three bytes: what a request has room for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct ContentIndex([u8; 3]);

impl ContentIndex {
    const NONE: Self = Self([u8::MAX; 3]);

    /// `None` for an index that is too large.
    #[inline]
    fn of(index: usize) -> Option<Self> {
        let [a, b, c, 0] = u32::try_from(index).ok()?.to_le_bytes() else { return None };
        Some(Self([a, b, c])).filter(|&index| index != Self::NONE)
    }

    #[inline]
    fn index(self) -> Option<usize> {
        let [a, b, c] = self.0;
        (self != Self::NONE).then(|| u32::from_le_bytes([a, b, c, 0]) as usize)
    }
}

impl Request {
    /// A request without known content or placement identifier on volume 0.
    #[inline]
    pub fn new(at_ns: u64, operation: Operation, offset_bytes: u64, length_bytes: u64) -> Self {
        Self::placed(at_ns, operation, (offset_bytes, length_bytes), 0)
    }

    /// As [`new`](Self::new), of `length_bytes` from an offset on, with a placement identifier.
    #[inline(always)] // Once a generated request, with every field in a register.
    pub fn placed(
        at_ns: u64,
        operation: Operation,
        (offset_bytes, length_bytes): (u64, u64),
        stream: u8,
    ) -> Self {
        Self {
            at_ns,
            offset_bytes,
            length_bytes,
            content: ContentIndex::NONE,
            stream,
            volume: 0,
            operation,
            torn: false,
        }
    }

    /// A flush at `at_ns`.
    pub fn flush(at_ns: u64) -> Self {
        Self::new(at_ns, Operation::Flush, 0, 0)
    }

    /// An update of a handle at `at_ns`.
    pub fn update_handle(at_ns: u64, stream: u8) -> Self {
        Self::placed(at_ns, Operation::UpdateHandle, (0, 0), stream)
    }

    /// The first byte behind the request.
    #[inline]
    pub fn end_bytes(&self) -> u64 {
        self.offset_bytes.saturating_add(self.length_bytes)
    }

    /// The logical pages of `page_bytes` (at least 1) that the request touches, whole or in part;
    /// empty for a length of zero.
    #[inline]
    pub fn pages(&self, page_bytes: u64) -> Range<u64> {
        touched_pages(self.offset_bytes, self.length_bytes, page_bytes)
    }

    /// The logical pages of `page_bytes` (at least 1) that the request covers wholly; may be empty.
    #[inline]
    pub fn whole_pages(&self, page_bytes: u64) -> Range<u64> {
        covered_pages(self.offset_bytes, self.length_bytes, page_bytes)
    }

    /// How many fingerprints describe this request's content: its pages of
    /// [`FINGERPRINT_PAGE_BYTES`].
    #[inline]
    pub fn fingerprint_count(&self) -> usize {
        let pages = self.pages(FINGERPRINT_PAGE_BYTES);
        (pages.end - pages.start) as usize
    }
}

/// A reusable buffer of requests and of the fingerprints of their content.
///
/// [`crate::Source::fill`] empties and refills it, so that no request costs an allocation. It
/// counts as full early when its requests are long: work on a batch page by page has
/// an end in sight, and can be interrupted between two batches.
#[derive(Clone, Debug)]
pub struct Batch {
    /// The requests, in the order of the trace.
    pub requests: Vec<Request>,
    fingerprints: Vec<Fingerprint>,
    limit: usize,
    /// The lengths of the requests together.
    bytes: u64,
    /// Whether a request is torn.
    torn: bool,
}

/// Odd, so that no two passes have the same product, and no small number: 2^128 over the golden
/// ratio.
const SALT_OF_A_PASS: u128 = 0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835;

impl Default for Batch {
    fn default() -> Self {
        Self::with_limit(Self::DEFAULT_LIMIT)
    }
}

impl Batch {
    /// Requests a batch holds unless told otherwise: 32 KiB of them.
    pub const DEFAULT_LIMIT: usize = 1024;

    /// Bytes that the requests of a full batch have at least, where there are fewer than
    /// [`Batch::limit`]: 256 MiB.
    pub const FULL_BYTES: u64 = 1 << 28;

    /// A batch that sources fill with at most `limit` requests (at least 1).
    pub fn with_limit(limit: usize) -> Self {
        let limit = limit.max(1);
        Self { requests: Vec::with_capacity(limit), fingerprints: Vec::new(), limit, bytes: 0, torn: false }
    }

    /// The number of requests a source puts in at most.
    pub fn limit(&self) -> usize {
        self.limit
    }

    /// True once the batch holds [`Batch::limit`] requests, or requests of [`Batch::FULL_BYTES`]
    /// together.
    #[inline]
    pub fn is_full(&self) -> bool {
        self.requests.len() >= self.limit || self.bytes >= Self::FULL_BYTES
    }

    /// The lengths of all requests together.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Bytes of its requests and their fingerprints in memory.
    pub(crate) fn memory_bytes(&self) -> usize {
        size_of_val(&*self.requests) + size_of_val(&*self.fingerprints)
    }

    /// Keeps the requests that `is_kept` names, with their contents.
    pub(crate) fn retain(&mut self, is_kept: impl Fn(&Request) -> bool) {
        self.requests.retain(is_kept);
        self.bytes = self.requests.iter().map(|request| request.length_bytes).sum();
    }

    /// Keeps the first `count` requests.
    pub(crate) fn truncate(&mut self, count: usize) {
        self.requests.truncate(count);
    }

    /// Forgets the requests and their content, keeps the memory.
    pub fn clear(&mut self) {
        self.requests.clear();
        self.bytes = 0;
        self.torn = false;
        self.fingerprints.clear();
    }

    /// How many entries the first `most` requests of the host take up, and how many requests they
    /// are: fewer than entries where a mapping tore some apart.
    pub fn first(&self, most: u64) -> (usize, u64) {
        if !self.torn {
            let count = self.requests.len().min(usize::try_from(most).unwrap_or(usize::MAX));
            return (count, count as u64);
        }
        let mut whole = 0;
        for (index, request) in self.requests.iter().enumerate() {
            if whole == most {
                return (index, whole);
            }
            whole += u64::from(!request.torn);
        }
        (self.requests.len(), whole)
    }

    /// Appends a request without known content.
    #[inline]
    pub fn push(&mut self, mut request: Request) {
        request.content = ContentIndex::NONE;
        self.append(request);
    }

    #[inline]
    fn append(&mut self, request: Request) {
        self.bytes = self.bytes.saturating_add(request.length_bytes);
        self.torn |= request.torn;
        self.requests.push(request);
    }

    /// Appends a request with one fingerprint for each of its pages, [`Request::fingerprint_count`]
    /// in all. With another number of them the content cannot be told by page and is dropped;
    /// returns whether it was kept.
    pub fn push_with_content(&mut self, mut request: Request, content: &[Fingerprint]) -> bool {
        let fits = !content.is_empty() && content.len() == request.fingerprint_count();
        let start = ContentIndex::of(self.fingerprints.len()).filter(|_| fits);
        request.content = start.unwrap_or(ContentIndex::NONE);
        if start.is_some() {
            self.fingerprints.extend_from_slice(content);
        }
        self.append(request);
        start.is_some()
    }

    /// Gives the requests the contents of another pass over a recording: equal ones stay equal,
    /// and none equals one of another pass.
    pub fn renew_contents(&mut self, pass: u64) {
        let salt = u128::from(pass).wrapping_mul(SALT_OF_A_PASS);
        self.fingerprints.iter_mut().for_each(|fingerprint| *fingerprint ^= salt);
    }

    /// The fingerprints of the pages of a request of this batch, in address order, if its content
    /// is known. Where the request covers a page only in part, the fingerprint is that of the
    /// covered bytes.
    #[inline]
    pub fn content_of(&self, request: &Request) -> Option<&[Fingerprint]> {
        let start = request.content.index()?;
        self.fingerprints.get(start..start + request.fingerprint_count())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_is_half_a_cache_line() {
        assert_eq!(std::mem::size_of::<Request>(), 32);
    }

    #[test]
    fn an_index_of_content_has_three_bytes() {
        for index in [0, 1, 255, 256, 0xfe_ffff, 0xff_fffe] {
            assert_eq!(ContentIndex::of(index).and_then(ContentIndex::index), Some(index));
        }
        for index in [0xff_ffff, 1 << 24, 1 << 32] {
            assert_eq!(ContentIndex::of(index), None);
        }
    }

    #[test]
    fn pages_cover_every_touched_byte_and_nothing_else() {
        let pages = |offset, length| Request::new(0, Operation::Read, offset, length).pages(4096);
        assert_eq!(pages(0, 4096), 0..1);
        assert_eq!(pages(4095, 2), 0..2);
        assert_eq!(pages(4096, 0), 1..1);
        assert_eq!(pages(512, 4096), 0..2);
        assert_eq!(pages(8192, 1), 2..3);
    }

    #[test]
    fn content_is_found_again_and_a_wrong_count_is_dropped() {
        let mut batch = Batch::default();
        let two_pages = Request::new(0, Operation::Write, 4096, 8192);
        assert!(batch.push_with_content(two_pages, &[1, 2]));
        assert!(!batch.push_with_content(two_pages, &[1]));
        batch.push(two_pages);
        assert!(batch.push_with_content(two_pages, &[3, 4]));
        let found: Vec<_> = batch.requests.iter().map(|request| batch.content_of(request)).collect();
        assert_eq!(found, [Some(&[1, 2][..]), None, None, Some(&[3, 4][..])]);
    }

    #[test]
    fn a_torn_request_counts_once() {
        let mut batch = Batch::default();
        let part = |torn| Request { torn, ..Request::new(0, Operation::Write, 0, 4096) };
        [false, true, true, false, false].into_iter().for_each(|torn| batch.push(part(torn)));
        let found: Vec<_> = (0..5).map(|most| batch.first(most)).collect();
        assert_eq!(found, [(0, 0), (1, 1), (4, 2), (5, 3), (5, 3)]);
        batch.clear();
        assert_eq!(batch.first(7), (0, 0));
    }
}
