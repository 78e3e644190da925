//! The code of a drive: how it lays a logical page on cells, and how many writes these take.

use rewear_codes::CodeError;
use rewear_codes::wom_v::Code;
use rewear_flash::config::MediumKind;
use rewear_flash::{ConfigError, FlashConfig};

use super::cells::Cells;
use super::config::WomVConfig;
use super::cycle;
use super::cycle::{Cycle, Worked};
use crate::shape::layout::SlotShape;

/// WOM-v(k, N) on the slots of a drive.
#[derive(Debug, Clone)]
pub(super) struct DriveCode {
    code: Code,
    /// Bytes of the cell image of a logical page.
    pub(super) image_bytes: usize,
    pub(super) cycle: Cycle,
    /// Writes of a slot between two erases that are expected.
    pub(super) mean_writes: f64,
    /// Writes of a slot that no one exceeds.
    pub(super) most_writes: u16,
    /// On stored cells, unless in NR mode.
    pub(super) cells: Option<Cells>,
}

impl DriveCode {
    /// The code of a configuration, and the slot that it fills: k/g pages of data in N/g flash
    /// pages, g = gcd(k, N).
    ///
    /// # Errors
    /// A code that does not exist.
    pub(super) fn new(
        config: &WomVConfig,
        flash: &FlashConfig,
    ) -> Result<(DriveCode, SlotShape), ConfigError> {
        let (k, n, stored) = (config.data_bits, flash.bits_per_cell, flash.medium == MediumKind::Stored);
        let code = Code::new(k, n).map_err(|error| wrong_bits(k, n, &error))?;
        let divisor = gcd(k.into(), n.into());
        let (data_pages, pages) = (u32::from(k) / divisor, u32::from(n) / divisor);
        let shape = SlotShape { pages, logical_page_bytes: flash.page_bytes * data_pages };
        let data_bytes = shape.logical_page_bytes as usize;
        let image_bytes = code.image_bytes(data_bytes);
        // Five or three bits a cell do not divide a page evenly: the last page of a slot has cells
        // to spare.
        let page_cells = image_bytes.div_ceil(pages as usize) * if n <= 4 { 2 } else { 1 };
        let Worked { cycle, mean_writes, most_writes } =
            cycle::work_out(config, code, page_cells, pages, flash);
        let check = config.threshold().check;
        let cells = (stored && !config.no_read).then(|| Cells::new(code, data_bytes, page_cells, check));
        Ok((DriveCode { code, image_bytes, cycle, mean_writes, most_writes, cells }, shape))
    }

    /// Writes that any data is sure to get between two erases.
    pub(super) fn generations(&self) -> u32 {
        self.code.generations()
    }

    /// The levels of `data` on cells of this generation, without looking at them.
    pub(super) fn fill(&self, generation: u32, data: &[u8], image: &mut [u8]) -> Result<(), CodeError> {
        self.code.encode_no_read(generation, data, image)
    }

    /// The data of a slot of stored cells.
    pub(super) fn read(&self, slot: usize, image: &[u8], data: &mut [u8]) -> Result<(), CodeError> {
        match &self.cells {
            Some(cells) => cells.decode(slot, image, data),
            None => self.code.decode(image, data),
        }
    }
}

fn gcd(a: u32, b: u32) -> u32 {
    if b == 0 { a } else { gcd(b, a % b) }
}

fn wrong_bits(k: u8, n: u8, error: &CodeError) -> ConfigError {
    ConfigError::new(
        "reuse.data_bits",
        format!("WOM-v({k},{n}): {error}"),
        format!("give a value below flash.bits_per_cell = {n}, which must be at most 6"),
    )
}
