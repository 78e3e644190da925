//! Stored cells: the level of every cell of every programmed page, in memory.

use crate::Address;
use crate::error::Illegal;

/// How the cell levels of a page are packed into its image, and so what raising a cell means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CellFormat {
    /// Bits per level in the image: 1 (the page is one bit of its cells), 4 or 8 (a level a nibble or byte).
    pub bits: u8,
    /// Bytes of a page's image.
    pub image_bytes: usize,
}

impl CellFormat {
    /// A page that holds one bit of each cell, as in plain flash.
    pub fn binary(page_bytes: u32) -> CellFormat {
        CellFormat { bits: 1, image_bytes: page_bytes as usize }
    }

    /// The first cell that `new` would lower below `old`. Erased cells have level 0.
    fn first_lowered(self, old: &[u8], new: &[u8]) -> Option<u32> {
        let pairs = || old.iter().zip(new).map(|(&old, &new)| (old, new));
        // Nearly always nothing is lowered: look over all bytes without a branch, and only then for the place.
        let any = match self.bits {
            1 => pairs().fold(0, |any, (old, new)| any | (old & !new)) != 0,
            4 => pairs().fold(false, |any, (old, new)| any | (new & 15 < old & 15) | (new >> 4 < old >> 4)),
            _ => pairs().fold(false, |any, (old, new)| any | (new < old)),
        };
        if !any {
            return None;
        }
        let (cells_per_byte, mask) = (8 / u32::from(self.bits), (0xffu16 >> (8 - self.bits)) as u8);
        let level = |byte: u8, cell: u32| byte >> (cell * u32::from(self.bits)) & mask;
        pairs().enumerate().find_map(|(index, (old, new))| {
            let cell = (0..cells_per_byte).find(|&cell| level(new, cell) < level(old, cell))?;
            Some(index as u32 * cells_per_byte + cell)
        })
    }
}

/// Cell levels of a whole array, allocated block by block when first programmed.
#[derive(Debug, Clone)]
pub struct Stored {
    format: CellFormat,
    pages_per_block: usize,
    blocks: Vec<Option<Box<[u8]>>>,
}

impl Stored {
    /// All cells erased (level 0).
    pub fn new(format: CellFormat, blocks: u32, pages_per_block: u32) -> Stored {
        Stored { format, pages_per_block: pages_per_block as usize, blocks: vec![None; blocks as usize] }
    }

    /// Bytes of a page's image.
    pub fn image_bytes(&self) -> usize {
        self.format.image_bytes
    }

    /// Raises the cells of a page to the levels of `image`.
    ///
    /// # Errors
    /// An image of the wrong size, or one that would lower a cell; the cells then stay as they were.
    pub fn raise(&mut self, at: Address, image: &[u8]) -> Result<(), Illegal> {
        self.check_size(at, image.len())?;
        let range = self.range(at);
        let block_bytes = self.pages_per_block * self.format.image_bytes;
        let block =
            self.blocks[at.block as usize].get_or_insert_with(|| vec![0; block_bytes].into_boxed_slice());
        let cells = &mut block[range];
        if let Some(cell) = self.format.first_lowered(cells, image) {
            return Err(Illegal::LowersCell { at, cell });
        }
        cells.copy_from_slice(image);
        Ok(())
    }

    /// Copies the cell levels of a page into `image`.
    ///
    /// # Errors
    /// A buffer of the wrong size.
    pub fn read(&self, at: Address, image: &mut [u8]) -> Result<(), Illegal> {
        self.check_size(at, image.len())?;
        match &self.blocks[at.block as usize] {
            Some(block) => image.copy_from_slice(&block[self.range(at)]),
            None => image.fill(0),
        }
        Ok(())
    }

    /// The levels of a page, once a page of its block was programmed.
    pub(crate) fn levels(&self, at: Address) -> Option<&[u8]> {
        self.blocks[at.block as usize].as_ref().map(|block| &block[self.range(at)])
    }

    /// Lowers all cells of a block to level 0.
    pub fn erase(&mut self, block: u32) {
        if let Some(cells) = &mut self.blocks[block as usize] {
            cells.fill(0);
        }
    }

    fn range(&self, at: Address) -> std::ops::Range<usize> {
        let start = at.page as usize * self.format.image_bytes;
        start..start + self.format.image_bytes
    }

    fn check_size(&self, at: Address, got: usize) -> Result<(), Illegal> {
        let expected = self.format.image_bytes;
        if got == expected { Ok(()) } else { Err(Illegal::ImageSize { at, got, expected }) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_lowered_level_is_found_exhaustively() {
        let nibbles = CellFormat { bits: 4, image_bytes: 1 };
        let bytes = CellFormat { bits: 8, image_bytes: 1 };
        let bits = CellFormat::binary(1);
        for old in 0..=255u8 {
            for new in 0..=255u8 {
                let low = (new & 15) < (old & 15);
                let high = (new >> 4) < (old >> 4);
                let expected = if low { Some(0) } else { high.then_some(1) };
                assert_eq!(nibbles.first_lowered(&[old], &[new]), expected, "{old:02x} -> {new:02x}");
                assert_eq!(bytes.first_lowered(&[old], &[new]), (new < old).then_some(0));
                let cleared = old & !new;
                assert_eq!(
                    bits.first_lowered(&[old], &[new]),
                    (cleared != 0).then(|| cleared.trailing_zeros())
                );
            }
        }
    }
}
