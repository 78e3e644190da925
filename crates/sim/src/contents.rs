//! The content of every logical page that is written: from the fingerprints of a trace, or new to
//! the drive.
//!
//! Traces tell the content of pages of 4 KiB. The digest of a larger logical page follows from
//! those of its parts, that of a smaller one from the page that it is a part of. A write
//! without content in the trace, or over a part of a page, counts as content that
//! was never there before.

use rewear_ftl::host::fingerprint;
use rewear_ftl::host::fingerprint::Fingerprint;
use rewear_trace::{FINGERPRINT_PAGE_BYTES, Request};

/// Marks contents that no trace knows.
const MADE_UP: Fingerprint = 0x4e65_7720_636f_6e74 << 64;

/// Numbers new contents, and counts pages written with and without known content.
#[derive(Debug, Clone, Default)]
pub struct Contents {
    made_up: u64,
    known: u64,
    unknown: u64,
}

impl Contents {
    /// A content that was never there before.
    pub fn fresh(&mut self) -> Fingerprint {
        self.made_up += 1;
        MADE_UP | Fingerprint::from(self.made_up)
    }

    /// The content of the logical page of `page_bytes` at `page_start`, of a request with these
    /// fingerprints.
    #[inline]
    pub fn of_page(
        &mut self,
        fingerprints: Option<&[Fingerprint]>,
        request: &Request,
        page_start: u64,
        page_bytes: u64,
    ) -> Fingerprint {
        match fingerprints.and_then(|known| known_content(known, request, page_start, page_bytes)) {
            Some(content) => {
                self.known += 1;
                content
            }
            None => {
                self.unknown += 1;
                self.fresh()
            }
        }
    }

    /// Pages are counted anew; what was never there before stays so.
    pub fn restart_counts(&mut self) {
        (self.known, self.unknown) = (0, 0);
    }

    /// Logical pages that requests wrote with known content, and all that they wrote.
    pub fn known_of_all(&self) -> (u64, u64) {
        (self.known, self.known + self.unknown)
    }
}

/// The content of a logical page, if the fingerprints of a request tell it.
pub fn known_content(
    fingerprints: &[Fingerprint],
    request: &Request,
    page_start: u64,
    page_bytes: u64,
) -> Option<Fingerprint> {
    let first = request.offset_bytes / FINGERPRINT_PAGE_BYTES;
    let covers =
        |start: u64, length: u64| start >= request.offset_bytes && start + length <= request.end_bytes();
    if page_bytes.is_multiple_of(FINGERPRINT_PAGE_BYTES) && covers(page_start, page_bytes) {
        let index = (page_start / FINGERPRINT_PAGE_BYTES - first) as usize;
        let parts = (page_bytes / FINGERPRINT_PAGE_BYTES) as usize;
        return fingerprints.get(index..index + parts).map(fingerprint::of_parts);
    }
    let whole = page_start / FINGERPRINT_PAGE_BYTES;
    if FINGERPRINT_PAGE_BYTES.is_multiple_of(page_bytes)
        && covers(whole * FINGERPRINT_PAGE_BYTES, FINGERPRINT_PAGE_BYTES)
    {
        let part = page_start % FINGERPRINT_PAGE_BYTES / page_bytes;
        return fingerprints.get((whole - first) as usize).map(|&whole| fingerprint::of_part(whole, part));
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use rewear_trace::Operation;

    #[test]
    fn pages_of_any_size_have_the_content_of_their_part_of_the_trace() {
        let write = |offset, length| Request::new(0, Operation::Write, offset, length);
        let told = [7, 8, 9, 10];
        let four = write(8192, 16384);
        assert_eq!(known_content(&told, &four, 12288, 4096), Some(8));
        // Two fingerprint pages a logical page; the order matters.
        let large = known_content(&told, &four, 16384, 8192);
        assert_eq!(large, Some(fingerprint::of_parts(&[9, 10])));
        assert_ne!(large, Some(fingerprint::of_parts(&[10, 9])));
        // Half a fingerprint page.
        let halves = [0, 2048].map(|at| known_content(&told, &four, 8192 + at, 2048));
        assert!(halves[0].is_some() && halves[0] != halves[1]);
        assert_eq!(halves[1], known_content(&[7], &write(8192, 4096), 8192 + 2048, 2048));
        // Not all of the page, or of the page that was digested.
        assert_eq!(known_content(&[7, 8], &write(8192 + 512, 4096), 8192, 4096), None);
        assert_eq!(known_content(&[7], &write(8192, 2048), 8192, 2048), None);
        assert_eq!(known_content(&told, &four, 24576 - 4096, 12288), None);
    }

    #[test]
    fn what_is_not_told_is_new_every_time() {
        let mut contents = Contents::default();
        let request = Request::new(0, Operation::Write, 0, 4096);
        let first = contents.of_page(None, &request, 0, 4096);
        assert_ne!(contents.of_page(None, &request, 0, 4096), first);
        assert_eq!(contents.of_page(Some(&[5]), &request, 0, 4096), 5);
        assert_eq!(contents.known_of_all(), (1, 3));
    }
}
