//! The code of a unit: how it lays a logical page on cells, and how many writes these take.

use rewear_codes::CodeError;
use rewear_codes::wom_v::{Code, Plain};
use rewear_flash::config::MediumKind;
use rewear_flash::{ConfigError, FlashConfig};

use super::cells::Cells;
use super::config::WomVConfig;
use super::cycle;
use super::cycle::{Cycle, Worked};

/// What a cell's level means.
#[derive(Debug, Clone, Copy)]
pub(super) enum Levels {
    WomV(Code),
    /// The data itself.
    Plain(Plain),
}

/// One of the codes that a drive's units may have.
#[derive(Debug, Clone)]
pub(super) struct UnitCode {
    /// Data bits a cell.
    pub(super) data_bits: u8,
    pub(super) levels: Levels,
    /// Flash pages of a logical page.
    pub(super) pages: u32,
    /// Logical pages of a unit.
    pub(super) slots: u32,
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

impl UnitCode {
    /// The code with `k` data bits a cell for logical pages of `data_bytes` on `pages` flash pages.
    pub(super) fn new(
        config: &WomVConfig,
        flash: &FlashConfig,
        k: u8,
        (data_bytes, pages): (usize, u32),
    ) -> Result<UnitCode, ConfigError> {
        let (n, stored) = (flash.bits_per_cell, flash.medium == MediumKind::Stored);
        if k == n {
            let plain = Plain::new(n).map_err(|error| wrong_bits(k, n, &error))?;
            return Ok(UnitCode {
                data_bits: k,
                levels: Levels::Plain(plain),
                pages,
                slots: 0,
                image_bytes: plain.image_bytes(data_bytes),
                cycle: Cycle::Generations { limit: 1 },
                mean_writes: 1.0,
                most_writes: 1,
                cells: None,
            });
        }
        let code = wom_v_code(k, n)?;
        let image_bytes = code.image_bytes(data_bytes);
        // Five or three bits a cell do not divide a page evenly: the last page of a slot has cells
        // to spare.
        let page_cells = image_bytes.div_ceil(pages as usize) * if n <= 4 { 2 } else { 1 };
        let Worked { cycle, mean_writes, most_writes } =
            cycle::work_out(config, code, page_cells, pages, stored);
        let cells = (stored && !config.no_read).then(|| Cells::new(code, data_bytes, page_cells));
        let levels = Levels::WomV(code);
        Ok(UnitCode {
            data_bits: k,
            levels,
            pages,
            slots: 0,
            image_bytes,
            cycle,
            mean_writes,
            most_writes,
            cells,
        })
    }

    /// Writes that any data is sure to get between two erases.
    pub(super) fn generations(&self) -> u32 {
        match self.levels {
            Levels::WomV(code) => code.generations(),
            Levels::Plain(_) => 1,
        }
    }

    /// The levels of `data` on cells that were written so many times, without looking at them.
    pub(super) fn fill(&self, generation: u32, data: &[u8], image: &mut [u8]) -> Result<(), CodeError> {
        match self.levels {
            Levels::WomV(code) => code.encode_no_read(generation, data, image),
            Levels::Plain(plain) => plain.encode(data, image),
        }
    }

    /// The data of a slot of stored cells.
    pub(super) fn read(&self, slot: usize, image: &[u8], data: &mut [u8]) -> Result<(), CodeError> {
        match (&self.cells, self.levels) {
            (Some(cells), _) => cells.decode(slot, image, data),
            (None, Levels::WomV(code)) => code.decode(image, data),
            (None, Levels::Plain(plain)) => plain.decode(image, data),
        }
    }
}

/// WOM-v(k, N).
///
/// # Errors
/// A pair that does not exist.
pub(super) fn wom_v_code(k: u8, n: u8) -> Result<Code, ConfigError> {
    Code::new(k, n).map_err(|error| wrong_bits(k, n, &error))
}

fn wrong_bits(k: u8, n: u8, error: &CodeError) -> ConfigError {
    ConfigError::new(
        "reuse.data_bits",
        format!("WOM-v({k},{n}): {error}"),
        format!("give a value below flash.bits_per_cell = {n}, which must be at most 6"),
    )
}
