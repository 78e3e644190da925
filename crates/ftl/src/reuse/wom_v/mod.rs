//! Reuse `wom-v`: voltage-based write-once-memory codes on cells of several levels.
//!
//! # Idea
//! A WOM-v(k, N) code stores k bits of data in a cell of N bits. Any data can be written again by raising the cell's level,
//! at least G = floor((2^N - 1) / (2^k - 1)) times between two erases. Cleaning erases a unit only when a page of it takes no
//! further write; until then it is written again as it is, and need not even give up its valid pages.
//!
//! # Paper
//! Jaffer, Mahdaviani, Schroeder: Improving the Reliability of Next Generation SSDs using WOM-v Codes, FAST '22.
//! Section 2.1 and 2.2 (the codes, same-generation transitions, ECC threshold: [`cycle`], [`cells`]), 3.2.1 (write, read,
//! garbage collection, cell and page layout), 3.2.2 (`GC_OPT`: [`choice`]; no-read mode).
//!
//! # Parameters
//! See [`WomVConfig`]; N is `flash.bits_per_cell`.
//!
//! # Cost
//! N/k flash pages are programmed and read for each page of data, and capacity shrinks by k/N. Unless in NR mode a page that
//! was written since its erase is read before it is programmed. Two bytes of counts a slot, and two more on modelled cells.
//!
//! # Deviations
//! A logical page is the smallest whole number of flash pages that k bits in N fill: k/g pages of data in N/g pages, g =
//! gcd(k, N). A page that was not written since its erase is not read before it is written: there is nothing to know. The
//! error-correcting code restores every invalid cell that the check lets through and takes no time. The paper erases a unit if
//! a page "has reached" the threshold; `ecc_check` gives the three readings, `reopen` those of `GC_OPT`.

mod cells;
mod choice;
pub mod config;
mod cycle;
mod slots;

use rewear_codes::CodeError;
use rewear_codes::wom_v::Code;
use rewear_flash::config::MediumKind;
use rewear_flash::medium::CellFormat;
use rewear_flash::{ConfigError, FlashConfig, ProgramAgain};

use crate::error::FtlError;
use crate::layout::{Layout, SlotShape};
use cells::Cells;
pub use config::{InvalidCellCheck, Reopening, WomVConfig};
use cycle::{Cycle, Worked};
use slots::Slots;

/// See the module's page.
#[derive(Debug, Clone)]
pub struct WomV {
    code: Code,
    shape: SlotShape,
    format: CellFormat,
    /// Bytes of the cell image of a logical page.
    image_bytes: usize,
    reopening: Reopening,
    reads_first: bool,
    cycle: Cycle,
    mean_writes: f64,
    most_writes: u16,
    slots: Slots,
    /// On stored cells, unless in NR mode.
    cells: Option<Cells>,
}

impl WomV {
    pub(super) fn new(config: &WomVConfig, flash: &FlashConfig) -> Result<WomV, ConfigError> {
        let code = config.code(flash)?;
        let (k, n) = (config.data_bits, flash.bits_per_cell);
        let divisor = u32::from(gcd(k, n));
        let (data_pages, pages) = (u32::from(k) / divisor, u32::from(n) / divisor);
        let logical_page_bytes = flash.page_bytes * data_pages;
        let data_bytes = logical_page_bytes as usize;
        let image_bytes = code.image_bytes(data_bytes);
        let bits = if n <= 4 { 4 } else { 8 };
        // Five or three bits a cell do not divide a page evenly: the last page of a slot has cells to spare.
        let format = CellFormat { bits, image_bytes: image_bytes.div_ceil(pages as usize) };
        let page_cells = format.image_bytes * 8 / usize::from(bits);
        let stored = flash.medium == MediumKind::Stored;
        let Worked { cycle, mean_writes, most_writes } =
            cycle::work_out(config, code, page_cells, pages, stored);
        Ok(WomV {
            code,
            shape: SlotShape { pages, logical_page_bytes },
            format,
            image_bytes,
            reopening: config.reopen,
            reads_first: !config.no_read,
            cycle,
            mean_writes,
            most_writes,
            slots: Slots::none(),
            cells: (stored && !config.no_read).then(|| Cells::new(code, data_bytes, page_cells)),
        })
    }

    pub(super) fn prepare(&mut self, layout: &Layout) {
        self.slots = Slots::new(layout.units(), layout.slots_per_unit, &mut self.cycle);
        if let Some(cells) = &mut self.cells {
            cells.prepare(layout.slots() as usize);
        }
    }

    pub(super) fn slot_shape(&self) -> SlotShape {
        self.shape
    }

    pub(super) fn program_again(&self) -> ProgramAgain {
        ProgramAgain::Pages { limit: self.most_writes }
    }

    /// Writes of a page between two erases that are expected.
    pub(super) fn programs_per_erase(&self) -> f64 {
        self.mean_writes
    }

    /// Times that a unit is expected to be emptied between two erases.
    pub(super) fn passes_per_erase(&self) -> f64 {
        match self.reopening {
            Reopening::AfterMoving => self.mean_writes,
            _ => 1.0,
        }
    }

    pub(super) fn cell_format(&self) -> CellFormat {
        self.format
    }

    pub(super) fn reserve_units(&self) -> u32 {
        u32::from(self.cycle.refuses() && self.reopening == Reopening::AfterMoving)
    }

    pub(super) fn ever_reads_first(&self) -> bool {
        self.reads_first
    }

    pub(super) fn ever_refuses(&self) -> bool {
        self.cycle.refuses()
    }

    /// Whether the slot must be read before it is written.
    pub(super) fn reads_first(&self, unit: u32, slot: u32) -> bool {
        self.reads_first && self.slots.written(unit, slot) > 0
    }

    /// Modelled cells: whether the slot takes another write. If so it is counted.
    pub(super) fn admit(&mut self, unit: u32, slot: u32) -> bool {
        self.slots.admit(unit, slot, &self.cycle)
    }

    /// Stored cells: encodes a write onto the levels of `image`. `false` if the slot does not take it.
    pub(super) fn encode(
        &mut self,
        unit: u32,
        slot: u32,
        data: &[u8],
        image: &mut [u8],
    ) -> Result<bool, FtlError> {
        let image = &mut image[..self.image_bytes];
        let Some(cells) = &mut self.cells else {
            let generation = u32::from(self.slots.written(unit, slot));
            self.code.encode_no_read(generation, data, image).map_err(fault)?;
            return Ok(self.slots.admit(unit, slot, &self.cycle));
        };
        let index = self.slots.index(unit, slot);
        let outcome = cells.raise(index, data, image).map_err(fault)?;
        let exceeds = match self.cycle {
            Cycle::Counted { limit, refuses: true } if outcome.most_of_a_page > limit => {
                self.slots.exhaust(unit, slot);
                return Ok(false);
            }
            Cycle::Counted { limit, .. } => outcome.most_of_a_page > limit,
            _ => false,
        };
        cells.keep(index, data, image).map_err(fault)?;
        self.slots.add_invalid(unit, outcome.newly_invalid as f64 / cells.slot_cells() as f64);
        self.slots.wrote(unit, slot, exceeds);
        Ok(true)
    }

    pub(super) fn decode(&self, unit: u32, slot: u32, image: &[u8], data: &mut [u8]) -> Result<(), FtlError> {
        let image = &image[..self.image_bytes];
        match &self.cells {
            Some(cells) => cells.decode(self.slots.index(unit, slot), image, data),
            None => self.code.decode(image, data),
        }
        .map_err(fault)
    }

    /// The unit was erased.
    pub(super) fn erased(&mut self, unit: u32) {
        self.slots.erased(unit, &mut self.cycle);
        if let Some(cells) = &mut self.cells {
            cells.erased(self.slots.index(unit, 0)..self.slots.index(unit + 1, 0));
        }
    }

    pub(super) fn exhausted_word(&self, unit: u32, word: u32) -> u64 {
        self.slots.exhausted_word(unit, word)
    }
}

fn fault(error: CodeError) -> FtlError {
    FtlError::Code(error.to_string())
}

fn gcd(a: u8, b: u8) -> u8 {
    if b == 0 { a } else { gcd(b, a % b) }
}
