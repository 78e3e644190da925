//! Kinds of pages: which bit of a cell a page holds, and so how long it takes.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::config::FlashConfig;
use crate::error::ConfigError;
use crate::shared_pages::SharedPages;

/// The most bits a cell can hold here (PLC and one beyond).
pub const MAX_BITS_PER_CELL: u8 = 6;

/// Order of the kinds of pages in a block.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PageOrder {
    /// Kind after kind: MLC low high low high, QLC L CL CU U L ..; the pages of a cell are
    /// neighbours.
    #[default]
    Alternating,
    /// MLC only: pages 0 and 1 are low, then high and low pages take turns. The high page of a cell
    /// comes three pages behind its low page (two in the first and the last pair), which disturbs
    /// neighbouring cells least.
    Paired,
}

/// Which bit of its cells each page of a block holds: 0 is the fastest page.
///
/// Two orders are known. [`PageOrder::Alternating`] is that of the emulator behind the WOM-v paper
/// (Jaffer et al., FAST '22, section 3.2.3). [`PageOrder::Paired`] is Figure 2 of Margaglia and
/// Brinkmann, "Improving MLC flash performance and endurance with extended P/E cycles" (MSST '15),
/// found alike in the chips of Grupp et al. (MICRO '09): in a block of 128 pages the low pages are
/// 0, 1, 3, 5, .. 125 and the high pages 2, 4, 6, .. 126, 127; the cells of the n-th low page are
/// those of the n-th high page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageKinds {
    of_page: Vec<u8>,
}

impl PageKinds {
    /// The kinds of a block's pages.
    ///
    /// # Errors
    /// Bits per cell outside `1..=6`; the paired order on cells that do not hold 2 bits, or with an
    /// odd number of pages.
    pub fn new(order: PageOrder, bits_per_cell: u8, pages_per_block: u32) -> Result<PageKinds, ConfigError> {
        if !(1..=MAX_BITS_PER_CELL).contains(&bits_per_cell) {
            return Err(ConfigError::new(
                "flash.bits_per_cell",
                format!("{bits_per_cell} bits per cell are not known"),
                format!("give 1 (SLC) to {MAX_BITS_PER_CELL}"),
            ));
        }
        let of_page = match order {
            PageOrder::Alternating => {
                (0..pages_per_block).map(|page| (page % u32::from(bits_per_cell)) as u8).collect()
            }
            PageOrder::Paired => {
                check_paired(bits_per_cell, pages_per_block)?;
                let low = |page: u32| page == 0 || (page % 2 == 1 && page + 1 != pages_per_block);
                (0..pages_per_block).map(|page| u8::from(!low(page))).collect()
            }
        };
        Ok(PageKinds { of_page })
    }

    /// The kinds of the pages of a configuration's blocks; several may be one page of the
    /// chip.
    ///
    /// # Errors
    /// As [`PageKinds::new`], and an impossible `flash.pages_per_program`.
    pub fn of_blocks(config: &FlashConfig) -> Result<PageKinds, ConfigError> {
        SharedPages::check(config)?;
        let units = config.pages_per_program;
        let chip = PageKinds::new(config.page_order, config.bits_per_cell, config.pages_per_block / units)?;
        let of_page = chip.of_page.iter().flat_map(|&kind| std::iter::repeat_n(kind, units as usize));
        Ok(PageKinds { of_page: of_page.collect() })
    }

    /// The kinds of a block's pages, in order.
    pub fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        self.of_page.iter().map(|&kind| usize::from(kind))
    }

    /// How many pages of a block are of each of `kinds` kinds.
    pub fn counts(&self, kinds: usize) -> Vec<u32> {
        let mut counts = vec![0; kinds];
        self.iter().for_each(|kind| counts[kind] += 1);
        counts
    }
}

fn check_paired(bits_per_cell: u8, pages_per_block: u32) -> Result<(), ConfigError> {
    let refused = |problem: String| {
        let remedy =
            "use it with flash.bits_per_cell = 2 and an even number of pages, or take \"alternating\"";
        Err(ConfigError::new("flash.page_order", problem, remedy))
    };
    if bits_per_cell != 2 {
        return refused(format!("the paired order is that of cells of 2 bits, not {bits_per_cell}"));
    }
    if !pages_per_block.is_multiple_of(2) {
        return refused(format!("{pages_per_block} pages do not make pairs"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(order: PageOrder, bits: u8, pages: u32) -> Vec<usize> {
        PageKinds::new(order, bits, pages).unwrap().iter().collect()
    }

    #[test]
    fn the_paired_order_is_that_of_the_paper() {
        let kinds = kinds(PageOrder::Paired, 2, 128);
        assert_eq!(kinds[..8], [0, 0, 1, 0, 1, 0, 1, 0]);
        assert_eq!(kinds[124..], [1, 0, 1, 1]);
        let of = |kind: usize| (0..128).filter(|&page| kinds[page] == kind).collect::<Vec<_>>();
        let (low, high) = (of(0), of(1));
        assert_eq!((low.len(), high.len()), (64, 64));
        assert_eq!(low.last(), Some(&125), "the last low page");
        // A sealed block goes through its high pages in steps of two (section IV).
        assert!(high[..63].windows(2).all(|pair| pair[1] - pair[0] == 2));
        // In order, the low page of a cell always comes first.
        assert!(low.iter().zip(&high).all(|(low, high)| low < high && high - low <= 3));
    }

    #[test]
    fn kinds_alternate_page_by_page() {
        assert_eq!(kinds(PageOrder::Alternating, 4, 6), [0, 1, 2, 3, 0, 1]);
        assert_eq!(kinds(PageOrder::Alternating, 1, 3), [0, 0, 0]);
        assert_eq!(PageKinds::new(PageOrder::Alternating, 4, 6).unwrap().counts(4), [2, 2, 1, 1]);
    }

    #[test]
    fn pairs_are_of_two_bits_and_even() {
        for (bits, pages) in [(1, 128), (3, 128), (4, 128), (2, 127)] {
            let error = PageKinds::new(PageOrder::Paired, bits, pages).unwrap_err().to_string();
            assert!(error.contains("flash.page_order"), "{error}");
        }
        assert!(PageKinds::new(PageOrder::Alternating, 7, 8).is_err());
    }
}
