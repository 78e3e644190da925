//! Which pages of stored cells are known to be erased, so that nobody has to look at their cells.
//!
//! Pages of a block are mostly programmed in order. So one number a block tells them: from which
//! page on all are blank. Their bytes in memory mean nothing. An erase needs to write none, and the
//! program of a blank page needs to read none.

use crate::Address;

/// The blank pages of all blocks.
#[derive(Debug, Clone)]
pub(super) struct Blank {
    /// By block: the first page from which on all are known to be blank.
    from: Vec<u32>,
    /// What each of them holds.
    page: Box<[u8]>,
}

impl Blank {
    /// The pages of each block are blank from one on.
    pub(super) fn new(from: Vec<u32>, page_bytes: usize) -> Blank {
        Blank { from, page: vec![0; page_bytes].into_boxed_slice() }
    }

    /// The bytes of a page that is known to be blank.
    #[inline]
    pub(super) fn page(&self, at: Address) -> Option<&[u8]> {
        (at.page >= self.from[at.block as usize]).then_some(&self.page)
    }

    /// The first page of a block from which on all are known to be blank.
    #[inline]
    pub(super) fn first(&self, block: u32) -> u32 {
        self.from[block as usize]
    }

    /// From page `first` on all are blank; the bytes of those before are what they hold.
    #[inline]
    pub(super) fn begins_at(&mut self, block: u32, first: u32) {
        self.from[block as usize] = first;
    }
}
