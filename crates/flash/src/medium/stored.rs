//! Stored cells: the level of every cell of every programmed page and of its spare area.

use super::backing::Backing;
use super::blank::Blank;
use super::cell_format::CellFormat;
use super::image::Image;
use super::power::{PowerCut, Supply};
use super::progress::{self, Operation, Progress, Spoiled};
use super::record;
use crate::Address;
use crate::error::Illegal;

/// Cell levels of a whole array, in memory or in an image file.
#[derive(Debug, Clone)]
pub struct Stored {
    format: CellFormat,
    pages_per_block: usize,
    blocks: Backing,
    blank: Blank,
    power: Option<Box<PowerCut>>,
}

impl Stored {
    /// All cells erased (level 0).
    pub fn new(format: CellFormat, blocks: u32, pages_per_block: u32) -> Stored {
        let pages_per_block = pages_per_block as usize;
        let blank = Blank::new(vec![0; blocks as usize], format.page_bytes());
        let blocks = Backing::in_memory(blocks as usize, pages_per_block * format.page_bytes());
        Stored { format, pages_per_block, blocks, blank, power: None }
    }

    /// The cells of an image, which was opened with the same format and pages.
    pub fn on_image(format: CellFormat, pages_per_block: u32, image: Image) -> Stored {
        // Holes of the file were never programmed. What the rest holds is not known before it is looked at.
        let first_blank = |end: usize| end.div_ceil(format.page_bytes()) as u32;
        let from = image.data_ends().into_iter().map(first_blank).collect();
        let blank = Blank::new(from, format.page_bytes());
        let pages_per_block = pages_per_block as usize;
        Stored { format, pages_per_block, blocks: Backing::File(image), blank, power: None }
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

    /// Forgets the operation under way, as if the cells were those of a chip without
    /// any other record.
    pub fn forget_progress(&mut self) {
        progress::forget(self.blocks.progress_mut());
    }

    /// Changes a page (its image, then its spare area) behind the drive's back, as no operation of
    /// flash does.
    pub fn damage(&mut self, at: Address, change: impl FnOnce(&mut [u8])) {
        let (start, bytes) = (self.start(at), self.format.page_bytes());
        let was_blank = self.claim(at);
        let page = &mut self.blocks.get_mut(at.block as usize)[start..start + bytes];
        if was_blank {
            page.fill(0);
        }
        change(page);
    }

    /// Changes what is known of the operations behind the drive's back.
    pub fn damage_progress(&mut self, change: impl FnOnce(&mut [u8])) {
        change(self.blocks.progress_mut());
    }

    fn has_power(&self) -> bool {
        self.power.as_ref().is_none_or(|power| !power.is_off())
    }

    /// Whether no more than a few stray bits of a page and its spare area are set: nothing was
    /// programmed there.
    pub fn is_nearly_blank(&self, at: Address) -> bool {
        self.is_known_blank(at) || self.page(at).is_none_or(record::is_blank)
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
        let (format, start, was_blank) = (self.format, self.start(at), self.claim(at));
        let block = self.blocks.get_mut(at.block as usize);
        let page = &mut block[start..start + format.page_bytes()];
        if was_blank && self.power.is_some() {
            // Power that fails leaves a mixture of old and new.
            page.fill(0);
        }
        let (cells, old_spare) = page.split_at_mut(format.image_bytes);
        // Every level is at least that of an erased cell.
        if !was_blank {
            if let Some(cell) = format.first_lowered(cells, image) {
                return Err(Illegal::LowersCell { at, cell });
            }
            if !format.spare.coded && old_spare.iter().zip(spare).any(|(&old, &new)| old & !new != 0) {
                return Err(Illegal::LowersSpareCell { at });
            }
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

    /// Whether nobody need look at a page to know that it is erased.
    pub fn is_known_blank(&self, at: Address) -> bool {
        self.blank.first(at.block) <= at.page
    }

    /// Whether nobody need look at a block to know that all of it is erased.
    pub fn is_known_blank_block(&self, block: u32) -> bool {
        self.blank.first(block) == 0
    }

    /// Whether every cell of a page and of its spare area is erased.
    pub fn is_blank(&self, at: Address) -> bool {
        self.is_known_blank(at) || self.page(at).is_none_or(|page| page.iter().all(|&byte| byte == 0))
    }

    /// The levels of a page, once a page of its block was programmed.
    pub(crate) fn levels(&self, at: Address) -> Option<&[u8]> {
        self.page(at).map(|page| &page[..self.format.image_bytes])
    }

    /// Lowers all cells of a block to level 0, unless power fails.
    pub fn erase(&mut self, block: u32) {
        let supply = self.power.as_mut().map_or(Supply::On, |power| power.next_operation());
        if self.blocks.written_mut(block as usize).is_none() {
            return;
        }
        match supply {
            Supply::On => {
                // In memory, blank pages become zeros when a page behind them is programmed. Those of a file
                // are zeros.
                if self.blocks.is_file() {
                    let written = self.blank.first(block) as usize * self.format.page_bytes();
                    self.blocks.get_mut(block as usize)[..written].fill(0);
                }
                self.blank.begins_at(block, 0);
            }
            Supply::FailsNow => {
                self.settle(block, self.pages_per_block as u32);
                let cells = self.blocks.get_mut(block as usize);
                if let Some(power) = &mut self.power {
                    power.tear(cells, |_| 0, |old, _, random| if random & 1 == 0 { old } else { 0 });
                }
            }
            Supply::Off => {}
        }
    }

    fn page(&self, at: Address) -> Option<&[u8]> {
        let block = self.blocks.get(at.block as usize)?;
        Some(self.blank.page(at).unwrap_or_else(|| &block[self.start(at)..][..self.format.page_bytes()]))
    }

    /// A page is to be changed: whether it was known to be blank, and its bytes mean nothing.
    #[inline]
    fn claim(&mut self, at: Address) -> bool {
        let first = self.blank.first(at.block);
        if at.page < first {
            return false;
        }
        if first < at.page {
            self.settle(at.block, at.page);
        }
        self.blank.begins_at(at.block, at.page + 1);
        true
    }

    /// Sets the bytes of blank pages before page `end` of a block to zero.
    #[cold]
    fn settle(&mut self, block: u32, end: u32) {
        let first = self.blank.first(block);
        if first >= end {
            return;
        }
        // Those of a file are zeros already.
        if !self.blocks.is_file() {
            let bytes = self.format.page_bytes();
            self.blocks.get_mut(block as usize)[first as usize * bytes..end as usize * bytes].fill(0);
        }
        self.blank.begins_at(block, end);
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
    use super::super::cell_format::SpareFormat;
    use super::super::power::Tear;
    use super::*;
    use rand_xoshiro::Xoshiro256PlusPlus;
    use rand_xoshiro::rand_core::{Rng, SeedableRng};

    /// In any order of programs, erases, damage and power cuts, against bytes that every erase sets
    /// to zero.
    #[test]
    fn blank_pages_read_as_zeros_whatever_their_bytes_were() {
        const BLOCKS: u32 = 3;
        const PAGES: u32 = 8;
        const BYTES: usize = 16;
        let spare = SpareFormat { bytes: 4, coded: false };
        let format = CellFormat { spare, ..CellFormat::binary(BYTES as u32) };
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(3);
        for round in 0..40 {
            let mut stored = Stored::new(format, BLOCKS, PAGES);
            let mut expected = vec![[0; BYTES + 4]; (BLOCKS * PAGES) as usize];
            for _ in 0..200 {
                let (block, page) = (rng.next_u32() % BLOCKS, rng.next_u32() % PAGES);
                let at = Address { plane: 0, block, page };
                let bytes = &mut expected[(block * PAGES + page) as usize];
                match rng.next_u32() % 8 {
                    0 => {
                        stored.erase(block);
                        expected[(block * PAGES) as usize..][..PAGES as usize].fill([0; BYTES + 4]);
                    }
                    1 => {
                        bytes[5] ^= 8;
                        stored.damage(at, |page| page[5] ^= 8);
                    }
                    _ => {
                        let mut new = [0; BYTES + 4];
                        rng.fill_bytes(&mut new);
                        let lowers = bytes.iter().zip(new).any(|(&old, new)| old & !new != 0);
                        let raised = stored.raise(at, &new[..BYTES], &new[BYTES..]);
                        assert_eq!(raised.is_err(), lowers);
                        if !lowers {
                            *bytes = new;
                        }
                    }
                }
                for (index, bytes) in expected.iter().enumerate() {
                    let (block, page) = (index as u32 / PAGES, index as u32 % PAGES);
                    let at = Address { plane: 0, block, page };
                    let mut image = [1; BYTES];
                    stored.read(at, &mut image).expect("the size fits");
                    assert_eq!(image, bytes[..BYTES]);
                    assert!(stored.spare(at).is_empty() || stored.spare(at) == &bytes[BYTES..]);
                    assert_eq!(stored.is_blank(at), bytes.iter().all(|&byte| byte == 0));
                }
            }
            // The erase that is not done leaves bits of what was there, and none of before.
            let tear = Tear::ALL[round % Tear::ALL.len()];
            stored.set_power(Some(PowerCut::new(0, tear, round as u64)));
            stored.erase(0);
            for page in 0..PAGES {
                let mut image = [1; BYTES];
                stored.read(Address { plane: 0, block: 0, page }, &mut image).expect("the size fits");
                assert!(image.iter().zip(expected[page as usize]).all(|(&found, old)| found & !old == 0));
            }
        }
    }
}
