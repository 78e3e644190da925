//! The set of invalid cells of a page.

use crate::bits;

/// Cells of one page that could not be raised to their data since the last erase.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Invalid {
    words: Vec<u64>,
    cells: usize,
    count: usize,
}

impl Invalid {
    /// The empty set over `cells` cells ([`super::Code::cells_for`]).
    pub fn new(cells: usize) -> Invalid {
        Invalid { words: vec![0; bits::words_for(cells)], cells, count: 0 }
    }

    /// Cells of the page.
    pub fn cells(&self) -> usize {
        self.cells
    }

    /// Invalid cells.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Whether `cell` is invalid; cells past the page are not.
    pub fn contains(&self, cell: usize) -> bool {
        cell < self.cells && bits::get(&self.words, cell)
    }

    /// The invalid cells in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        self.words.iter().enumerate().flat_map(|(i, &word)| {
            std::iter::successors((word != 0).then_some(word), |w| Some(w & (w - 1)).filter(|w| *w != 0))
                .map(move |w| 64 * i + w.trailing_zeros() as usize)
        })
    }

    /// Forgets all cells: the page was erased.
    pub fn clear(&mut self) {
        self.words.fill(0);
        self.count = 0;
    }

    /// Adds a cell of the page; cells past it are left out.
    pub fn insert(&mut self, cell: usize) {
        if cell < self.cells {
            self.add(cell, 1);
        }
    }

    /// Adds the cells `first + i` for every bit `i` of `mask`; all are cells of the page.
    #[inline(always)]
    pub(super) fn add(&mut self, first: usize, mask: u64) {
        let (word, shift) = (first / 64, first % 64);
        for (word, mask) in [(word, mask << shift), (word + 1, (mask >> 1) >> (63 - shift))] {
            if mask != 0 {
                let fresh = mask & !self.words[word];
                self.words[word] |= fresh;
                self.count += fresh.count_ones() as usize;
            }
        }
    }

    /// How many of the cells `first + i` for every bit `i` of `mask` are not in the set yet.
    pub(super) fn count_fresh(&self, first: usize, mask: u64) -> usize {
        ((mask << (first % 64)) & !self.words[first / 64]).count_ones() as usize
    }
}
