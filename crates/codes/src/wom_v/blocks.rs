//! Dividing a page into the blocks that a vector encoder works on.
//!
//! A block may overlap the one before it. Raising a cell twice to the same data changes nothing: it
//! holds the data already, or has stopped at the highest level and stops there again.

use std::ops::Range;

use super::lanes;

/// A part of a page, in whole blocks.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Part {
    pub(super) image: Range<usize>,
    pub(super) data: Range<usize>,
    /// Its first cell.
    pub(super) first: usize,
}

impl Part {
    #[inline(always)]
    fn new<const K: u32, const N: u32>(image: Range<usize>) -> Part {
        let data = data_before::<K, N>(image.start)..data_before::<K, N>(image.end);
        Part { first: image.start * lanes::in_byte(N), image, data }
    }
}

/// Bytes of data in the first `bytes` bytes of cells.
#[inline(always)]
pub(super) const fn data_before<const K: u32, const N: u32>(bytes: usize) -> usize {
    bytes * lanes::data_bytes(K, N) / 8
}

/// Bytes of an image of `image_bytes` that lie in whole words, of which each has all its data.
#[inline(always)]
pub(super) fn whole_words<const K: u32, const N: u32>(data_bytes: usize, image_bytes: usize) -> usize {
    8 * (data_bytes / lanes::data_bytes(K, N)).min(image_bytes / 8)
}

/// Covers `whole` bytes of cells with blocks of `BLOCK` bytes: one at the start; as many as fit from
/// the first cache line, so that no register straddles two cache lines;
/// one at the end. Calls `work` for each of these parts, and returns the bytes covered: none if there
/// is no whole block.
#[inline(always)]
pub(super) fn cover<const K: u32, const N: u32, const BLOCK: usize>(
    image: *const u8,
    whole: usize,
    mut work: impl FnMut(Part),
) -> usize {
    if whole < BLOCK {
        return 0;
    }
    let mut start = image.align_offset(64);
    let is_between_bytes = !(start * lanes::data_bytes(K, N)).is_multiple_of(8);
    if is_between_bytes || start + BLOCK > whole {
        start = 0;
    }
    if start != 0 {
        work(Part::new::<K, N>(0..BLOCK));
    }
    let end = start + (whole - start) / BLOCK * BLOCK;
    work(Part::new::<K, N>(start..end));
    if end != whole {
        work(Part::new::<K, N>(whole - BLOCK..whole));
    }
    whole
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_blocks_of_a_page_cover_its_whole_words_wherever_it_lies() {
        for whole in (0..=512).step_by(8) {
            for address in 0..64 {
                let mut covered = 0;
                let end = cover::<3, 4, 64>(std::ptr::without_provenance(4096 + address), whole, |part| {
                    assert!(part.image.start <= covered && part.image.end > covered);
                    assert!(part.image.len().is_multiple_of(64));
                    // Three bits of data in four of cells.
                    assert_eq!(4 * part.data.start, 3 * part.image.start);
                    assert_eq!(4 * part.data.end, 3 * part.image.end);
                    assert_eq!(part.first, 2 * part.image.start);
                    covered = part.image.end;
                });
                assert_eq!((covered, end), if whole < 64 { (0, 0) } else { (whole, whole) });
            }
        }
    }
}
