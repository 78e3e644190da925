//! Stored cells: the level of every cell of every programmed page and of its spare area.

use super::backing::Backing;
use super::image::Image;
use super::power::{PowerCut, Supply};
use super::progress::{self, Operation, Progress, Spoiled};
use super::record;
use crate::Address;
use crate::error::Illegal;

/// How the cell levels of a page are packed into its image, and so what raising a cell means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CellFormat {
    /// Bits per level in the image: 1 (the page is one bit of its cells), 4 or 8 (a level a nibble
    /// or byte).
    pub bits: u8,
    /// Bytes of a page's image.
    pub image_bytes: usize,
    /// What is kept of the page's spare area beside the image.
    pub spare: SpareFormat,
}

/// What is kept of a page's spare area: the part that the translation layer's records take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SpareFormat {
    /// Bytes; 0 where no records are kept.
    pub bytes: usize,
    /// Whether the code of the page covers the spare area, too, so that each program of the page
    /// writes it anew. Otherwise its bits are only ever set between two erases.
    pub coded: bool,
}

impl SpareFormat {
    /// Nothing is kept.
    pub const NONE: SpareFormat = SpareFormat { bytes: 0, coded: false };
}

impl CellFormat {
    /// A page that holds one bit of each cell, as in plain flash.
    pub fn binary(page_bytes: u32) -> CellFormat {
        CellFormat { bits: 1, image_bytes: page_bytes as usize, spare: SpareFormat::NONE }
    }

    /// Bytes that a page takes in a medium: its image, then what is kept of its spare area.
    pub fn page_bytes(&self) -> usize {
        self.image_bytes + self.spare.bytes
    }

    /// A byte between an old and a new one of the image, as a torn program may leave it.
    fn mixed(self, old: u8, new: u8, random: u64) -> u8 {
        match self.bits {
            1 => old | (new & random as u8),
            4 => {
                let (low, high) = (old & 15, old >> 4);
                let low = between(low, new & 15, random & 0xffff);
                low | between(high, new >> 4, random >> 16 & 0xffff) << 4
            }
            _ => between(old, new, random & 0xffff),
        }
    }

    /// The first cell that `new` would lower below `old`. Erased cells have level 0.
    pub fn first_lowered(self, old: &[u8], new: &[u8]) -> Option<u32> {
        let pairs = || old.iter().zip(new).map(|(&old, &new)| (old, new));
        // Nearly always nothing is lowered: look over all bytes without a branch, and only then for
        // the place.
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

/// A level from `old` to `new`, by 16 random bits.
fn between(old: u8, new: u8, random: u64) -> u8 {
    old + ((u64::from(new.saturating_sub(old)) * (random + 1)) >> 16) as u8
}

/// Cell levels of a whole array, in memory or in an image file.
#[derive(Debug, Clone)]
pub struct Stored {
    format: CellFormat,
    pages_per_block: usize,
    blocks: Backing,
    power: Option<Box<PowerCut>>,
}

impl Stored {
    /// All cells erased (level 0).
    pub fn new(format: CellFormat, blocks: u32, pages_per_block: u32) -> Stored {
        let pages_per_block = pages_per_block as usize;
        let blocks = Backing::in_memory(blocks as usize, pages_per_block * format.page_bytes());
        Stored { format, pages_per_block, blocks, power: None }
    }

    /// The cells of an image, which was opened with the same format and pages.
    pub fn on_image(format: CellFormat, pages_per_block: u32, image: Image) -> Stored {
        Stored {
            format,
            pages_per_block: pages_per_block as usize,
            blocks: Backing::File(image),
            power: None,
        }
    }

    /// Bytes of a page's image.
    pub fn image_bytes(&self) -> usize {
        self.format.image_bytes
    }

    /// How pages are packed.
    pub fn format(&self) -> CellFormat {
        self.format
    }

    /// Blocks, and pages of each.
    pub fn shape(&self) -> (usize, usize) {
        (self.blocks.blocks(), self.pages_per_block)
    }

    /// Takes the memory of all cells now, and not block by block when they are first programmed.
    /// Cells of an image stay where they are.
    pub fn take_memory(&mut self) {
        self.blocks.take_memory();
    }

    /// Lets power fail, or (with `None`) no more.
    pub fn set_power(&mut self, power: Option<PowerCut>) {
        self.power = power.map(Box::new);
    }

    /// The power that fails, if any.
    pub fn power(&self) -> Option<&PowerCut> {
        self.power.as_deref()
    }

    /// What is known of the operations on these cells.
    pub fn progress(&self) -> Progress<'_> {
        Progress::new(self.blocks.progress())
    }

    /// An operation of the translation layer begins, which may take several programs or erases.
    #[inline]
    pub fn begin(&mut self, operation: Operation) {
        if self.has_power() {
            progress::begin(self.blocks.progress_mut(), operation);
        }
    }

    /// The program that began has ended.
    #[inline]
    pub fn end_program(&mut self) {
        if self.has_power() {
            progress::end_program(self.blocks.progress_mut());
        }
    }

    /// The erase of a unit that began has ended; these physical pages lie in it.
    pub fn end_erase(&mut self, unit: u32, pages: std::ops::Range<u32>) {
        if self.has_power() {
            progress::end_erase(self.blocks.progress_mut(), unit, pages);
        }
    }

    /// From now on no whole program need be found there, until it is erased.
    pub fn note_spoiled(&mut self, spoiled: Spoiled) {
        progress::note_spoiled(self.blocks.progress_mut(), spoiled);
    }

    /// Forgets which operation was under way, as if the cells were those of a chip of which nothing
    /// else is known.
    pub fn forget_progress(&mut self) {
        progress::forget(self.blocks.progress_mut());
    }

    /// Changes a page (its image, then its spare area) behind the drive's back, as no operation of
    /// flash does.
    pub fn damage(&mut self, at: Address, change: impl FnOnce(&mut [u8])) {
        let (start, bytes) = (self.start(at), self.format.page_bytes());
        change(&mut self.blocks.get_mut(at.block as usize)[start..start + bytes]);
    }

    fn has_power(&self) -> bool {
        self.power.as_ref().is_none_or(|power| !power.is_off())
    }

    /// Whether no more than a few stray bits of a page and its spare area are set: nothing was
    /// programmed there.
    pub fn is_nearly_blank(&self, at: Address) -> bool {
        self.page(at).is_none_or(record::is_blank)
    }

    /// Programs a page: raises its cells to the levels of `image`, and writes the kept part of its
    /// spare area.
    ///
    /// # Errors
    /// An image or spare area of the wrong size, or one that would lower a cell; the cells then
    /// stay as they were. Power that failed.
    pub fn raise(&mut self, at: Address, image: &[u8], spare: &[u8]) -> Result<(), Illegal> {
        self.check_size(at, image.len(), self.format.image_bytes)?;
        self.check_size(at, spare.len(), self.format.spare.bytes)?;
        let (format, start) = (self.format, self.start(at));
        let block = self.blocks.get_mut(at.block as usize);
        let page = &mut block[start..start + format.page_bytes()];
        let (cells, old_spare) = page.split_at_mut(format.image_bytes);
        if let Some(cell) = format.first_lowered(cells, image) {
            return Err(Illegal::LowersCell { at, cell });
        }
        if !format.spare.coded && old_spare.iter().zip(spare).any(|(&old, &new)| old & !new != 0) {
            return Err(Illegal::LowersSpareCell { at });
        }
        match self.power.as_mut().map_or(Supply::On, |power| power.next_operation()) {
            Supply::On => {
                cells.copy_from_slice(image);
                old_spare.copy_from_slice(spare);
                Ok(())
            }
            Supply::Off => Err(Illegal::NoPower),
            Supply::FailsNow => {
                let new = |index: usize| {
                    if index < image.len() { image[index] } else { spare[index - image.len()] }
                };
                let mixed = |old, new, random| format.mixed(old, new, random);
                if let Some(power) = &mut self.power {
                    power.tear(page, new, mixed);
                }
                Err(Illegal::NoPower)
            }
        }
    }

    /// Copies the cell levels of a page into `image`.
    ///
    /// # Errors
    /// A buffer of the wrong size.
    pub fn read(&self, at: Address, image: &mut [u8]) -> Result<(), Illegal> {
        self.check_size(at, image.len(), self.format.image_bytes)?;
        match self.page(at) {
            Some(page) => image.copy_from_slice(&page[..image.len()]),
            None => image.fill(0),
        }
        Ok(())
    }

    /// The kept part of a page's spare area; empty where the block was never programmed.
    pub fn spare(&self, at: Address) -> &[u8] {
        self.page(at).map_or(&[], |page| &page[self.format.image_bytes..])
    }

    /// Whether every cell of a page and of its spare area is erased.
    pub fn is_blank(&self, at: Address) -> bool {
        self.page(at).is_none_or(|page| page.iter().all(|&byte| byte == 0))
    }

    /// The levels of a page, once a page of its block was programmed.
    pub(crate) fn levels(&self, at: Address) -> Option<&[u8]> {
        self.page(at).map(|page| &page[..self.format.image_bytes])
    }

    /// Lowers all cells of a block to level 0, unless power fails.
    pub fn erase(&mut self, block: u32) {
        let supply = self.power.as_mut().map_or(Supply::On, |power| power.next_operation());
        let Some(cells) = self.blocks.written_mut(block as usize) else { return };
        match (supply, &mut self.power) {
            (Supply::On, _) => cells.fill(0),
            (Supply::FailsNow, Some(power)) => {
                power.tear(cells, |_| 0, |old, _, random| if random & 1 == 0 { old } else { 0 });
            }
            _ => {}
        }
    }

    fn page(&self, at: Address) -> Option<&[u8]> {
        let block = self.blocks.get(at.block as usize)?;
        Some(&block[self.start(at)..][..self.format.page_bytes()])
    }

    fn start(&self, at: Address) -> usize {
        at.page as usize * self.format.page_bytes()
    }

    fn check_size(&self, at: Address, got: usize, expected: usize) -> Result<(), Illegal> {
        if got == expected { Ok(()) } else { Err(Illegal::ImageSize { at, got, expected }) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_lowered_level_is_found_exhaustively() {
        let nibbles = CellFormat { bits: 4, ..CellFormat::binary(1) };
        let bytes = CellFormat { bits: 8, ..CellFormat::binary(1) };
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
