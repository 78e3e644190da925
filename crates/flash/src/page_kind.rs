//! Kinds of pages: which bit of a cell a page holds, and so how long it takes.

use crate::error::ConfigError;

/// The most bits a cell can hold here (PLC and one beyond).
pub const MAX_BITS_PER_CELL: u8 = 6;

/// Which bit of its cells each page of a block holds: 0 is the fastest page.
///
/// The kinds alternate page by page (SLC `0 0 0 ..`, MLC low/high, TLC, QLC `L CL CU U L ..`), as in the emulator
/// behind the WOM-v paper (section 3.2.3).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageKinds {
    of_page: Vec<u8>,
}

impl PageKinds {
    /// The kinds of a block's pages.
    ///
    /// # Errors
    /// Bits per cell outside `1..=6`.
    pub fn alternating(bits_per_cell: u8, pages_per_block: u32) -> Result<PageKinds, ConfigError> {
        if !(1..=MAX_BITS_PER_CELL).contains(&bits_per_cell) {
            return Err(ConfigError::new(
                "flash.bits_per_cell",
                format!("{bits_per_cell} bits per cell are not known"),
                format!("give 1 (SLC) to {MAX_BITS_PER_CELL}"),
            ));
        }
        let of_page = (0..pages_per_block).map(|page| (page % u32::from(bits_per_cell)) as u8).collect();
        Ok(PageKinds { of_page })
    }

    /// The kinds of a block's pages, in order.
    pub fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        self.of_page.iter().map(|&kind| usize::from(kind))
    }
}
