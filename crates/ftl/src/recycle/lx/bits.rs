//! The most frequently read facts about pages: 64 in a word.

use crate::address::Ppn;

/// A bit for each page, clear at first.
#[derive(Debug, Clone)]
pub(super) struct Bits(Vec<u64>);

impl Bits {
    pub(super) fn new(slots: u32) -> Bits {
        Bits(vec![0; (slots as usize).div_ceil(64)])
    }

    #[inline]
    pub(super) fn has(&self, ppn: Ppn) -> bool {
        self.0[ppn.index() / 64] >> (ppn.0 % 64) & 1 == 1
    }

    #[inline]
    pub(super) fn set(&mut self, ppn: Ppn) {
        self.0[ppn.index() / 64] |= 1 << (ppn.0 % 64);
    }

    #[inline]
    pub(super) fn clear(&mut self, ppn: Ppn) {
        self.0[ppn.index() / 64] &= !(1 << (ppn.0 % 64));
    }
}
