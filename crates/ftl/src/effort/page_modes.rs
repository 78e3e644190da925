//! The mode in which each physical page was programmed.

use rewear_flash::ProgramMode;

use crate::address::Ppn;

/// A tag of one or two bits for every physical page, as a controller keeps it in the page's
/// metadata. It stays with the page until the page is programmed again.
#[derive(Debug, Clone, Default)]
pub(crate) struct PageModes {
    words: Vec<u64>,
    /// Base-two logarithm of the bits of a tag: 0 or 1.
    log_bits: u32,
}

impl PageModes {
    /// All pages in mode 0; tags of one bit for two modes, of two bits for up to four.
    pub(crate) fn new(pages: u32, modes: usize) -> PageModes {
        let words = PageModes::bytes_of(pages, modes) / 8;
        PageModes { words: vec![0; words as usize], log_bits: log_bits(modes) }
    }

    /// Bytes of the tags of `pages` pages.
    pub(crate) fn bytes_of(pages: u32, modes: usize) -> u64 {
        (u64::from(pages) << log_bits(modes)).div_ceil(64) * 8
    }

    #[inline]
    fn place(&self, ppn: Ppn) -> (usize, u32) {
        let bit = u64::from(ppn) << self.log_bits;
        ((bit / 64) as usize, (bit % 64) as u32)
    }

    #[inline]
    fn mask(&self) -> u64 {
        (1 << (1 << self.log_bits)) - 1
    }

    #[inline]
    pub(crate) fn of(&self, ppn: Ppn) -> ProgramMode {
        let (word, shift) = self.place(ppn);
        ProgramMode((self.words[word] >> shift & self.mask()) as u8)
    }

    /// A page is about to be programmed in `mode`.
    #[inline]
    pub(crate) fn set(&mut self, ppn: Ppn, mode: ProgramMode) {
        let (word, shift) = self.place(ppn);
        let mask = self.mask() << shift;
        self.words[word] = self.words[word] & !mask | u64::from(mode.0) << shift;
    }

    /// Memory that the tags take in the drive.
    pub(crate) fn bytes(&self) -> u64 {
        self.words.len() as u64 * 8
    }
}

fn log_bits(modes: usize) -> u32 {
    u32::from(modes > 2)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn tags_agree_with_a_list(modes in 2usize..5, sets in prop::collection::vec((0u32..200, 0u8..4), 0..300)) {
            let (mut tags, mut list) = (PageModes::new(200, modes), [0; 200]);
            for (ppn, mode) in sets {
                let mode = mode % modes as u8;
                tags.set(Ppn(ppn), ProgramMode(mode));
                list[ppn as usize] = mode;
            }
            for (ppn, &mode) in (0..).zip(&list) {
                prop_assert_eq!(tags.of(Ppn(ppn)), ProgramMode(mode));
            }
            prop_assert_eq!(tags.bytes(), if modes == 2 { 32 } else { 56 });
        }
    }
}
