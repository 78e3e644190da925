//! Byte ranges, cut into pages: the one place that says which pages a request touches, and which
//! part of each.

use std::ops::Range;

use strength_reduce::StrengthReducedU64;

/// The sector that traces count addresses in.
pub const SECTOR_BYTES: u64 = 512;

/// The pages of `page_bytes` (at least 1) that a byte range touches, wholly or in part; none for a
/// length of zero.
#[inline]
pub fn touched_pages(offset_bytes: u64, length_bytes: u64, page_bytes: u64) -> Range<u64> {
    let first = offset_bytes / page_bytes;
    if length_bytes == 0 {
        return first..first;
    }
    first..(offset_bytes.saturating_add(length_bytes) - 1) / page_bytes + 1
}

/// The pages of `page_bytes` (at least 1) that a byte range covers wholly; may be none.
#[inline]
pub fn covered_pages(offset_bytes: u64, length_bytes: u64, page_bytes: u64) -> Range<u64> {
    let first = offset_bytes.div_ceil(page_bytes);
    first..(offset_bytes.saturating_add(length_bytes) / page_bytes).max(first)
}

/// Cuts byte ranges into pages of one size.
#[derive(Debug, Clone, Copy)]
pub struct PageCutter {
    page_bytes: u64,
    /// Division by a number that is known only when a drive is made is the slowest step of a
    /// request without this.
    divisor: StrengthReducedU64,
}

impl PageCutter {
    /// For pages of `page_bytes`, at least 1.
    pub fn new(page_bytes: u64) -> PageCutter {
        PageCutter { page_bytes, divisor: StrengthReducedU64::new(page_bytes) }
    }

    /// Bytes of a page.
    #[inline]
    pub fn page_bytes(&self) -> u64 {
        self.page_bytes
    }

    /// The page in which a byte lies.
    #[inline]
    pub fn page_of(&self, offset_bytes: u64) -> u64 {
        offset_bytes / self.divisor
    }

    /// The pieces of a byte range, one for each page that it touches, in ascending order.
    #[inline(always)]
    pub fn pieces(&self, offset_bytes: u64, length_bytes: u64) -> Pieces {
        let page = self.page_of(offset_bytes);
        Pieces {
            page,
            start: offset_bytes - page * self.page_bytes,
            left: length_bytes,
            length_bytes,
            page_bytes: self.page_bytes,
        }
    }
}

/// The part of a byte range that lies in one page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece {
    /// The page.
    pub page: u64,
    /// Bytes within the page; never empty.
    pub in_page: Range<usize>,
    /// Bytes within the range.
    pub in_range: Range<usize>,
}

impl Piece {
    /// Bytes within the page, widened to whole sectors: hosts write no less. The page's size is a
    /// multiple of a sector's.
    #[inline]
    pub fn in_sectors(&self) -> Range<usize> {
        const SECTOR: usize = SECTOR_BYTES as usize;
        self.in_page.start / SECTOR * SECTOR..self.in_page.end.div_ceil(SECTOR) * SECTOR
    }

    /// Whether [`in_sectors`](Self::in_sectors) is the whole page.
    #[inline(always)]
    pub fn covers_page_in_sectors(&self, page_bytes: u64) -> bool {
        (self.in_page.start as u64) < SECTOR_BYTES && self.in_page.end as u64 + SECTOR_BYTES > page_bytes
    }
}

/// The pieces of a byte range; see [`PageCutter::pieces`].
#[derive(Debug, Clone)]
pub struct Pieces {
    page: u64,
    /// Where the next piece begins in its page.
    start: u64,
    /// Bytes from there to the end of the range.
    left: u64,
    length_bytes: u64,
    page_bytes: u64,
}

impl Iterator for Pieces {
    type Item = Piece;

    #[inline(always)]
    fn next(&mut self) -> Option<Piece> {
        if self.left == 0 {
            return None;
        }
        let bytes = (self.page_bytes - self.start).min(self.left);
        let done = self.length_bytes - self.left;
        let piece = Piece {
            page: self.page,
            in_page: self.start as usize..(self.start + bytes) as usize,
            in_range: done as usize..(done + bytes) as usize,
        };
        self.page += 1;
        self.start = 0;
        self.left -= bytes;
        Some(piece)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn pieces(offset: u64, length: u64) -> Vec<(u64, Range<usize>, Range<usize>)> {
        let pieces = PageCutter::new(100).pieces(offset, length);
        pieces.map(|piece| (piece.page, piece.in_page, piece.in_range)).collect()
    }

    #[test]
    fn a_range_falls_into_the_pages_that_it_touches() {
        assert_eq!(pieces(0, 0), []);
        assert_eq!(pieces(100, 0), []);
        assert_eq!(pieces(0, 100), [(0, 0..100, 0..100)]);
        assert_eq!(pieces(250, 30), [(2, 50..80, 0..30)]);
        assert_eq!(pieces(99, 1), [(0, 99..100, 0..1)]);
        assert_eq!(pieces(99, 2), [(0, 99..100, 0..1), (1, 0..1, 1..2)]);
        assert_eq!(
            pieces(90, 220),
            [(0, 90..100, 0..10), (1, 0..100, 10..110), (2, 0..100, 110..210), (3, 0..10, 210..220)]
        );
    }

    #[test]
    fn the_end_of_the_address_space_is_no_edge() {
        let cutter = PageCutter::new(4096);
        let last = cutter.pieces(u64::MAX - 9, 9).collect::<Vec<_>>();
        assert_eq!(last, [Piece { page: u64::MAX / 4096, in_page: 4086..4095, in_range: 0..9 }]);
        assert_eq!(touched_pages(u64::MAX, 1, 4096), u64::MAX / 4096..u64::MAX / 4096 + 1);
        assert!(covered_pages(u64::MAX, 4096, 4096).is_empty());
    }

    #[test]
    fn sectors_of_a_piece_are_whole_ones() {
        let sectors = |offset, length| {
            let pieces = PageCutter::new(4096).pieces(offset, length);
            pieces.map(|piece| piece.in_sectors()).map(|bytes| (bytes.start, bytes.end)).collect::<Vec<_>>()
        };
        assert_eq!(sectors(1, 1), [(0, 512)]);
        assert_eq!(sectors(511, 2), [(0, 1024)]);
        assert_eq!(sectors(4000, 200), [(3584, 4096), (0, 512)]);
        assert_eq!(sectors(511, 3074), [(0, 4096)]);
        assert_eq!(sectors(512, 3072), [(512, 3584)]);
    }

    proptest! {
        #[test]
        fn pieces_cover_a_range_once_and_in_order(
            offset in 0u64..100_000,
            length in 0u64..50_000,
            page in prop_oneof![Just(1u64), Just(100), Just(512), Just(4096), Just(12_288), 1u64..9000],
        ) {
            let (mut next, mut covered) = (offset, 0);
            let (touched, whole) =
                (touched_pages(offset, length, page), covered_pages(offset, length, page));
            let mut pages = touched.clone();
            for piece in PageCutter::new(page).pieces(offset, length) {
                prop_assert_eq!(Some(piece.page), pages.next());
                prop_assert_eq!(piece.page * page + piece.in_page.start as u64, next);
                prop_assert_eq!(piece.in_range.start as u64, covered);
                prop_assert_eq!(piece.in_range.len(), piece.in_page.len());
                prop_assert!(piece.in_page.end as u64 <= page && !piece.in_page.is_empty());
                prop_assert_eq!(whole.contains(&piece.page), piece.in_page.len() as u64 == page);
                if page % SECTOR_BYTES == 0 {
                    prop_assert_eq!(piece.covers_page_in_sectors(page), piece.in_sectors().len() as u64 == page);
                }
                next += piece.in_page.len() as u64;
                covered += piece.in_page.len() as u64;
            }
            prop_assert_eq!(covered, length);
            prop_assert!(pages.next().is_none());
        }
    }
}
