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
//! garbage collection, cell and page layout), 3.2.2 (`GC_OPT`: [`garbage_collection`]; no-read mode).
//!
//! # Parameters
//! See [`WomVConfig`]; N is `flash.bits_per_cell`.
//!
//! # Cost
//! N/k flash pages are programmed and read for each page of data, and capacity shrinks by k/N. Unless in NR mode a page that
//! was written since its erase is read before it is programmed. Two bytes of counts a slot, and two more on modelled cells. Where the rate
//! changes, what a change moves and erases early.
//!
//! # Deviations
//! A logical page is the smallest whole number of flash pages that k bits in N fill: k/g pages of data in N/g pages, g =
//! gcd(k, N). A page that was not written since its erase is not read before it is written: there is nothing to know. The
//! error-correcting code restores every invalid cell that the check lets through and takes no time. The paper erases a unit if
//! a page "has reached" the threshold; `ecc_check` gives the three readings, `reopen` those of `GC_OPT`. Beyond the paper the rate
//! may change with the drive's fullness, unit by unit ([`rates`]).

mod cells;
pub mod config;
mod cycle;
mod garbage_collection;
mod rates;
mod restoring;
mod slots;
mod unit_code;

use cycle::Cycle;
use rates::Rates;
use rewear_codes::CodeError;
use rewear_flash::medium::{CellFormat, SpareFormat};
use rewear_flash::{ConfigError, FlashConfig, ProgramAgain};
use slots::Slots;
use unit_code::UnitCode;

use crate::address::{Slot, Unit};
use crate::error::FtlError;
use crate::shape::layout::{Layout, SlotShape};
pub use config::{InvalidCellCheck, Reopening, WomVConfig};

/// See the module's page.
#[derive(Debug, Clone)]
pub struct WomV {
    /// The sparsest first; more than one only where the rate changes.
    codes: Vec<UnitCode>,
    /// Which of them each unit has, or had before it was erased.
    of_unit: Vec<u8>,
    rates: Rates,
    shape: SlotShape,
    bits_per_cell: u32,
    format: CellFormat,
    reopening: Reopening,
    reads_first: bool,
    slots: Slots,
    /// Work space: the levels before a write.
    before: Vec<u8>,
}

impl WomV {
    pub(super) fn new(config: &WomVConfig, flash: &FlashConfig) -> Result<WomV, ConfigError> {
        config.check()?;
        let (bits, shape) = rates::shape(config, flash)?;
        let data_bytes = shape.logical_page_bytes as usize;
        let pages_of = |k: u8| shape.most_pages * u32::from(config.data_bits) / u32::from(k);
        let code = |&k: &u8| UnitCode::new(config, flash, k, (data_bytes, pages_of(k)));
        let codes = bits.iter().map(code).collect::<Result<Vec<_>, _>>()?;
        let image_bytes = codes.iter().map(|code| code.image_bytes.div_ceil(code.pages as usize));
        Ok(WomV {
            format: CellFormat {
                bits: if flash.bits_per_cell <= 4 { 4 } else { 8 },
                image_bytes: image_bytes.max().unwrap_or(0),
                spare: SpareFormat::NONE,
            },
            codes,
            of_unit: Vec::new(),
            rates: Rates::new(config),
            shape,
            bits_per_cell: u32::from(flash.bits_per_cell),
            reopening: config.reopen,
            reads_first: !config.no_read,
            slots: Slots::none(),
            before: Vec::new(),
        })
    }

    pub(super) fn prepare(&mut self, layout: &Layout) {
        for code in &mut self.codes {
            code.slots = layout.slots_per_unit * layout.slot_pages / code.pages;
            if let Some(cells) = &mut code.cells {
                cells.prepare(layout.slots() as usize);
            }
        }
        // Until it is opened a unit has the densest code, with room for all slots.
        let densest = self.codes.len() - 1;
        self.of_unit = vec![densest as u8; layout.units() as usize];
        self.rates.prepare(layout.pools);
        let is_drawn = self.codes.iter().any(|code| matches!(code.cycle, Cycle::Drawn { .. }));
        self.slots = Slots::new(layout.units(), layout.slots_per_unit, is_drawn);
        for unit in Unit::all(layout.units()) {
            self.slots.begin(unit, layout.slots_per_unit, &mut self.codes[densest].cycle);
        }
    }

    fn code(&self, unit: Unit) -> &UnitCode {
        &self.codes[usize::from(self.of_unit[unit.index()])]
    }

    pub(super) fn slot_shape(&self) -> SlotShape {
        self.shape
    }

    pub(super) fn program_again(&self) -> ProgramAgain {
        ProgramAgain::Pages { limit: self.codes.iter().map(|code| code.most_writes).max().unwrap_or(1) }
    }

    /// Writes of a page between two erases that are expected; where the rate changes, under the sparsest code.
    pub(super) fn programs_per_erase(&self) -> f64 {
        self.codes.first().map_or(1.0, |code| code.mean_writes)
    }

    /// The parts of their cycles that all units have begun, in erases of their blocks.
    pub(super) fn unfinished_cycles(&self, layout: &Layout) -> f64 {
        let part = |unit| {
            f64::from(self.slots.writes(unit))
                / (f64::from(self.code(unit).slots) * self.code(unit).mean_writes)
        };
        Unit::all(layout.units()).map(part).sum::<f64>() * f64::from(layout.width)
    }

    /// Times that a unit is expected to be emptied between two erases.
    pub(super) fn passes_per_erase(&self) -> f64 {
        match self.reopening {
            Reopening::AfterMoving => self.programs_per_erase(),
            _ => 1.0,
        }
    }

    pub(super) fn cell_format(&self) -> CellFormat {
        self.format
    }

    pub(super) fn reserve_units(&self) -> u32 {
        u32::from(self.reopening == Reopening::AfterMoving && (self.varies() || self.ever_refuses()))
    }

    pub(super) fn ever_reads_first(&self) -> bool {
        self.reads_first
    }

    pub(super) fn ever_refuses(&self) -> bool {
        self.codes.iter().any(|code| code.cycle.refuses())
    }

    /// Whether the slot must be read before it is written.
    pub(super) fn reads_first(&self, unit: Unit, slot: Slot) -> bool {
        self.reads_first && self.slots.written(unit, slot) > 0
    }

    /// Modelled cells: whether the slot takes another write. If so it is counted.
    pub(super) fn admit(&mut self, unit: Unit, slot: Slot) -> bool {
        self.slots.admit(unit, slot, &self.codes[usize::from(self.of_unit[unit.index()])].cycle)
    }

    /// Stored cells: encodes a write onto the levels of `image`. `false` if the slot does not take it.
    pub(super) fn encode(
        &mut self,
        unit: Unit,
        slot: Slot,
        data: &[u8],
        image: &mut [u8],
    ) -> Result<bool, FtlError> {
        let code = &mut self.codes[usize::from(self.of_unit[unit.index()])];
        let image = &mut image[..code.image_bytes];
        let Some(cells) = &mut code.cells else {
            let generation = u32::from(self.slots.written(unit, slot));
            self.before.clear();
            self.before.extend_from_slice(image);
            code.fill(generation, data, image).map_err(fault)?;
            if self.format.first_lowered(&self.before, image).is_some() {
                // A program of the next generation was torn here before the drive was mounted.
                self.slots.exhaust(unit, slot);
                return Ok(false);
            }
            return Ok(self.slots.admit(unit, slot, &code.cycle));
        };
        let index = self.slots.index(unit, slot);
        let outcome = cells.raise(index, data, image).map_err(fault)?;
        let exceeds = match code.cycle {
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

    pub(super) fn decode(
        &self,
        unit: Unit,
        slot: Slot,
        image: &[u8],
        data: &mut [u8],
    ) -> Result<(), FtlError> {
        let code = self.code(unit);
        code.read(self.slots.index(unit, slot), &image[..code.image_bytes], data).map_err(fault)
    }

    /// The unit was erased.
    pub(super) fn erased(&mut self, unit: Unit) {
        let code = &mut self.codes[usize::from(self.of_unit[unit.index()])];
        // Where the rate changes the next code may be another one: `opens` begins its cycle.
        self.slots.begin(unit, code.slots, &mut code.cycle);
        if let Some(cells) = &mut code.cells {
            cells.erased(self.slots.index(unit, Slot(0))..self.slots.index(unit + 1, Slot(0)));
        }
    }

    /// The slot takes no further write before an erase.
    pub(super) fn exhaust(&mut self, unit: Unit, slot: Slot) {
        self.slots.exhaust(unit, slot);
    }

    pub(super) fn exhausted_word(&self, unit: Unit, word: u32) -> u64 {
        self.slots.exhausted_word(unit, word)
    }
}

fn fault(error: CodeError) -> FtlError {
    FtlError::Code(error.to_string())
}
