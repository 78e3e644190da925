//! Byte ranges, cut into logical pages the way a replay cuts them.

use std::ops::Range;

use rewear_ftl::Lpn;
use rewear_ftl::host::Coverage;
use rewear_trace::SECTOR_BYTES;

/// The part of a byte range that lies in one logical page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Piece {
    pub(crate) lpn: Lpn,
    /// Bytes within the page.
    pub(crate) in_page: Range<usize>,
    /// Bytes within the range.
    pub(crate) in_range: Range<usize>,
}

impl Piece {
    /// Whether the page counts as covered wholly. Hosts write whole sectors, and a byte range is widened to them, as a replay of
    /// its recording does.
    pub(crate) fn coverage(&self, page_bytes: usize) -> Coverage {
        let sector = SECTOR_BYTES as usize;
        let whole = self.in_page.start < sector && self.in_page.end > page_bytes.saturating_sub(sector);
        if whole { Coverage::Whole } else { Coverage::Part }
    }
}

/// The pieces of `length` bytes from `offset_bytes`.
pub(crate) fn pieces(offset_bytes: u64, length: usize, page_bytes: usize) -> impl Iterator<Item = Piece> {
    let mut done = 0;
    std::iter::from_fn(move || {
        if done == length {
            return None;
        }
        let at = offset_bytes + done as u64;
        let start = (at % page_bytes as u64) as usize;
        let bytes = (page_bytes - start).min(length - done);
        let piece = Piece {
            lpn: Lpn((at / page_bytes as u64) as u32),
            in_page: start..start + bytes,
            in_range: done..done + bytes,
        };
        done += bytes;
        Some(piece)
    })
}

/// The logical pages that a byte range covers wholly.
pub(crate) fn whole_pages(offset_bytes: u64, length_bytes: u64, page_bytes: u64) -> Range<u64> {
    let first = offset_bytes.div_ceil(page_bytes);
    first..((offset_bytes + length_bytes) / page_bytes).max(first)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn pieces_cover_a_range_once_and_in_order(offset in 0u64..100_000, length in 0usize..50_000) {
            const PAGE: usize = 4096;
            let (mut next, mut covered) = (offset, 0);
            for piece in pieces(offset, length, PAGE) {
                prop_assert_eq!(u64::from(piece.lpn) * PAGE as u64 + piece.in_page.start as u64, next);
                prop_assert_eq!(piece.in_range.start, covered);
                prop_assert_eq!(piece.in_range.len(), piece.in_page.len());
                prop_assert!(piece.in_page.end <= PAGE && !piece.in_page.is_empty());
                let whole = whole_pages(offset, length as u64, PAGE as u64).contains(&u64::from(piece.lpn));
                prop_assert!(!whole || piece.coverage(PAGE) == Coverage::Whole);
                next += piece.in_page.len() as u64;
                covered += piece.in_page.len();
            }
            prop_assert_eq!(covered, length);
        }
    }
}
