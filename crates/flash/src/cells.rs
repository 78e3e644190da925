//! The array's operations on stored cells: their levels, what is kept of spare areas, and what a
//! mount says of blocks.

use crate::Address;
use crate::array::{Array, Block};
use crate::bit_errors::{Misreads, Programmed};
use crate::error::{ConfigError, Illegal};
use crate::medium::{Medium, Stored};

/// What a block went through since its erase, as far as what comes next depends on it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct BlockHistory {
    /// Erases of the block.
    pub erases: u32,
    /// Highest programmed page + 1.
    pub programmed: u32,
    /// Whether the present pass goes on behind the highest programmed page; otherwise nothing more
    /// is programmed before the block is erased or reopened.
    pub goes_on: bool,
    /// Passes before the present one.
    pub passes_done: u32,
}

impl Array {
    /// Gives the cell image of the page whose program comes next, and what is kept of its spare
    /// area. On modelled cells nothing happens.
    ///
    /// # Errors
    /// A wrong image size, a cell that would be lowered or whose other bit would be lost, a page
    /// whose turn it is not; the cells then stay as they were. Power that failed.
    pub fn raise_cells(&mut self, at: Address, image: &[u8], spare: &[u8]) -> Result<(), Illegal> {
        let Medium::Stored(cells) = &mut self.medium else { return Ok(()) };
        if let Some(word_lines) = &self.word_lines {
            word_lines.check(at)?;
            let pages = (cells.levels(at), cells.levels(word_lines.partner(at)));
            if let (Some(old), Some(partner)) = pages
                && let Some(cell) = word_lines.first_corrupted(at, old, partner, image)
            {
                return Err(Illegal::CorruptsCell { at, cell });
            }
        }
        cells.raise(at, image, spare)
    }

    /// Loads the cell image of a page; an erased page reads as level 0. On modelled cells the
    /// buffer is left alone. Returns whether the image is right: `false` if more bits were misread
    /// than the error-correcting code corrects.
    ///
    /// # Errors
    /// A wrong buffer size.
    pub fn load_cells(&self, at: Address, image: &mut [u8]) -> Result<bool, Illegal> {
        let Medium::Stored(cells) = &self.medium else { return Ok(true) };
        cells.read(at, image)?;
        match &self.bit_errors {
            Some(errors) if !cells.is_blank(at) => Ok(errors.read(self.program_of(at), image)),
            _ => Ok(true),
        }
    }

    fn program_of(&self, at: Address) -> Programmed {
        let page = at.block as usize * self.geometry.pages_per_block as usize + at.page as usize;
        let programs = self.programs.get(page).copied().unwrap_or(1);
        let erases = self.wear.erases()[at.block as usize];
        Programmed { block: at.block, page: at.page, erases, programs }
    }

    /// What reads misread so far; `None` where no cell ever is.
    pub fn misreads(&self) -> Option<Misreads> {
        self.bit_errors.as_ref().map(|errors| errors.misreads())
    }

    /// The stored cells; `None` where they are modelled.
    pub fn stored(&self) -> Option<&Stored> {
        match &self.medium {
            Medium::Modelled => None,
            Medium::Stored(cells) => Some(cells),
        }
    }

    /// As [`stored`](Self::stored), to be changed.
    pub fn stored_mut(&mut self) -> Option<&mut Stored> {
        match &mut self.medium {
            Medium::Modelled => None,
            Medium::Stored(cells) => Some(cells),
        }
    }

    /// Whether operations still reach the cells (see [`PowerCut`](crate::medium::PowerCut)).
    pub fn has_power(&self) -> bool {
        self.stored().and_then(Stored::power).is_none_or(|power| !power.is_off())
    }

    /// The stored cells, without the array.
    pub fn into_stored(self) -> Option<Stored> {
        match self.medium {
            Medium::Modelled => None,
            Medium::Stored(cells) => Some(cells),
        }
    }

    /// Takes the place of the cells of an array of the same shape, whose blocks must then be
    /// [restored](Self::restore_block).
    ///
    /// # Errors
    /// Cells of another shape; modelled cells.
    pub fn adopt(&mut self, cells: Stored) -> Result<(), ConfigError> {
        let own = self.stored().map(|own| (own.format(), own.shape()));
        if own != Some((cells.format(), cells.shape())) {
            return Err(ConfigError::new(
                "flash",
                format!(
                    "the stored cells have the shape {:?} and the drive {own:?}",
                    (cells.format(), cells.shape())
                ),
                "mount them with the configuration that they were written under, and flash.medium = \"stored\"",
            ));
        }
        self.medium = Medium::Stored(cells);
        Ok(())
    }

    /// Whether [`restore_block`](Self::restore_block) looks at the programs of pages.
    pub fn counts_programs_of_pages(&self) -> bool {
        self.word_lines.is_some() || !self.programs.is_empty()
    }

    /// Says what a block went through before the drive was mounted. `programs` counts the programs
    /// of each of its pages; without effect where the rule permits only one.
    pub fn restore_block(&mut self, block: u32, history: BlockHistory, programs: &[u16]) {
        let BlockHistory { erases, programmed, goes_on, passes_done } = history;
        let next_page = if goes_on { programmed } else { self.geometry.pages_per_block };
        self.wear.restore(block, erases);
        if let Some(word_lines) = &mut self.word_lines {
            return word_lines.restore(block, programs);
        }
        self.blocks[block as usize] = Block { next_page, passes_done, programmed };
        if !self.programs.is_empty() {
            let first = block as usize * self.geometry.pages_per_block as usize;
            self.programs[first..first + programs.len()].copy_from_slice(programs);
        }
    }
}
