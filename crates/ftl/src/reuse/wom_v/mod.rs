//! Reuse `wom-v`: voltage-based write-once-memory codes on cells of several levels.
//!
//! # Idea
//! A WOM-v(k, N) code stores k bits of data in a cell of N bits. Any data can be written again by
//! raising the cell's level, at least G = floor((2^N - 1) / (2^k - 1)) times between two erases.
//! Cleaning erases a unit only when a page of it takes no further write. Until then it is written
//! again as it is, and need not even give up its valid pages.
//!
//! # Paper
//! Jaffer, Mahdaviani, Schroeder: Improving the Reliability of Next Generation SSDs using WOM-v
//! Codes, FAST '22. Section 2.1 and 2.2 (the codes, same-generation transitions, ECC threshold:
//! [`cycle`], [`cells`]), 3.2.1 (write, read, garbage collection, cell and page layout), 3.2.2
//! (`GC_OPT`: [`garbage_collection`]; no-read mode).
//!
//! # Parameters
//! See [`WomVConfig`]; N is `flash.bits_per_cell`.
//!
//! # Cost
//! N/k flash pages are programmed and read for each page of data, and capacity shrinks by k/N.
//! Unless in NR mode a page that was written since its erase is read before it is programmed. Two
//! bytes of counts a slot, and two more on modelled cells; a bit a slot that takes no further write.
//!
//! Controller RAM: `2 * slots + slots / 8`.
//!
//! # Deviations
//! A logical page is the smallest whole number of flash pages that k bits in N fill: k/g pages of
//! data in N/g pages, g = gcd(k, N). A page that was not written since its erase is not read before
//! it is written: there is nothing to know. The error-correcting code restores every invalid cell
//! that the check lets through and takes no time. The paper erases a unit if a page "has reached"
//! the threshold; `ecc_check` gives four readings, `reopen` those of `GC_OPT`. The paper counts the
//! cells in their last generation (`last-generation`); the default counts those that a write left
//! behind.

mod cells;
mod code;
pub mod config;
mod cycle;
mod garbage_collection;
mod restoring;
mod writes_left;

use code::DriveCode;
use cycle::Cycle;
use rewear_codes::CodeError;
use rewear_flash::medium::{CellFormat, RECORD_BYTES, Record, SpareFormat};
use rewear_flash::{ConfigError, FlashConfig, Geometry, ProgramAgain};
use writes_left::WritesLeft;

use crate::address::{Pool, Ppn, SlotAddress, Unit};
use crate::config::choices::CleaningStep;
use crate::config::ftl::FtlConfig;
use crate::error::FtlError;
use crate::policies::background::BackgroundConfig;
use crate::reuse::facts::{Facts, Passes, ProgramRule, ReadsBeforeWrite, Remembers, SpareUse};
use crate::reuse::reclaim_decision::{ReclaimDecision, UnitEvent, Victim};
use crate::reuse::scheme::Scheme;
use crate::reuse::slot_code::SlotCode;
use crate::reuse::slots::Slots;
use crate::shape::layout::{Layout, SlotShape};
use crate::state::State;
use crate::state::map::Map;
pub use config::{InvalidCellCheck, Reopening, ReserveOf, WomVConfig};

/// See the module's page.
#[derive(Debug, Clone)]
pub struct WomV {
    code: DriveCode,
    shape: SlotShape,
    format: CellFormat,
    reopening: Reopening,
    counts_waiting: bool,
    reads_first: bool,
    slots: Slots,
    left: WritesLeft,
    /// Work space: the levels before a write.
    before: Vec<u8>,
}

impl WomV {
    fn facts(&self, config: &WomVConfig, flash: &FlashConfig) -> Facts {
        let record_bytes =
            (RECORD_BYTES as u32).div_ceil(config.data_bits.into()) * u32::from(flash.bits_per_cell);
        let moves_first = self.reopening == Reopening::AfterMoving;
        let (per_erase, refuses) = (self.code.mean_writes, self.code.cycle.refuses());
        Facts {
            slot_shape: self.shape,
            cell_format: self.format,
            programs: ProgramRule {
                again: ProgramAgain::Pages { limit: self.code.most_writes },
                per_erase,
                passes_per_erase: if moves_first { per_erase } else { 1.0 },
            },
            spare: SpareUse { format: self.spare_format(), record_bytes, code_bytes: 0 },
            // Cells of another generation hold other levels, so data passes through the controller.
            copies_cells: false,
            scrambles_data: true,
            counts_programs: true,
            reads_before_write: match (self.reads_first, refuses) {
                (false, _) => ReadsBeforeWrite::Never,
                (true, false) => ReadsBeforeWrite::One,
                (true, true) => ReadsBeforeWrite::Several,
            },
            passes: if config.writes_parts_of_units() { Passes::Parts } else { Passes::Whole },
            reserve_units: u32::from(moves_first && refuses),
            counts_waiting_units: config.counts_waiting(),
            ranks_units: self.reopening == Reopening::InPlaceAny,
            // Two counts and a bit a slot, and the counts of units.
            remembers: Remembers { bytes_per_slot: 4, bit_a_slot: true, bytes_per_unit: 32 },
            ..Facts::plain(flash)
        }
    }

    fn erased(&mut self, unit: Unit) {
        self.begin(unit);
        if let Some(cells) = &mut self.code.cells {
            cells.erased(self.slots.of(unit));
        }
    }
}

impl Scheme for WomV {
    type Config = WomVConfig;

    fn new(config: &WomVConfig, flash: &FlashConfig) -> Result<(WomV, Facts), ConfigError> {
        config.check()?;
        let (code, shape) = DriveCode::new(config, flash)?;
        let scheme = WomV {
            format: CellFormat {
                bits: if flash.bits_per_cell <= 4 { 4 } else { 8 },
                image_bytes: code.image_bytes.div_ceil(shape.pages as usize),
                spare: SpareFormat::NONE,
            },
            code,
            shape,
            reopening: config.reopen,
            counts_waiting: config.counts_waiting(),
            reads_first: !config.no_read,
            slots: Slots::default(),
            left: WritesLeft::default(),
            before: Vec::new(),
        };
        let facts = scheme.facts(config, flash);
        Ok((scheme, facts))
    }

    fn check(&self, config: &FtlConfig, _: &Layout, _: &Geometry) -> Result<(), ConfigError> {
        if !self.counts_waiting {
            return Ok(());
        }
        let (problem, remedy) = if config.cleaning_step == CleaningStep::OneUnit {
            ("one unit at a time keeps erased units", "ftl.cleaning_step = \"until-room\"")
        } else if config.recovery.log().is_some() {
            ("a mount can only move pages to erased units", "ftl.recovery.scheme = \"none\"")
        } else if config.open_units() > 1 {
            (
                "moved pages take the slots of the host's open unit",
                "one stream and ftl.moved_pages = \"together\"",
            )
        } else if config.background != BackgroundConfig::default() {
            ("cleaning beside writes takes slots of the reserve", "ftl.background.scheme = \"none\"")
        } else {
            return Ok(());
        };
        Err(ConfigError::new(
            "reuse.reserve",
            format!("\"programmable-slots\": {problem}"),
            format!("give \"erased-units\", or {remedy}"),
        ))
    }

    fn prepare(&mut self, _: &FlashConfig, layout: &Layout) -> Result<(), ConfigError> {
        if let Some(cells) = &mut self.code.cells {
            cells.prepare(layout.slots() as usize);
        }
        let is_drawn = matches!(self.code.cycle, Cycle::Drawn { .. });
        self.slots = Slots::new(layout.units(), layout.slots_per_unit);
        self.left = WritesLeft::new(layout.units(), layout.slots(), is_drawn);
        for unit in Unit::all(layout.units()) {
            self.begin(unit);
        }
        Ok(())
    }

    fn programmable(&self, map: &Map, unit: Unit) -> u32 {
        self.programmable_in(unit, map)
    }

    fn own_victim(&mut self, view: &State, pool: Pool) -> Option<Unit> {
        self.unit_to_reopen(view, pool)
    }

    fn controller_bytes(&self, layout: &Layout) -> u64 {
        let slots = u64::from(layout.slots());
        2 * slots + slots.div_ceil(8)
    }

    fn reclaim(&self, view: &State, victim: &Victim) -> ReclaimDecision {
        self.write_again_or_erase(view, victim.unit)
    }

    fn hears(&mut self, _: &State, unit: Unit, event: UnitEvent) {
        match event {
            UnitEvent::Erased | UnitEvent::Lost => self.erased(unit),
            UnitEvent::Emptying | UnitEvent::Reopened | UnitEvent::BarredFromReuse => {}
        }
    }
}

impl SlotCode for WomV {
    #[inline]
    fn goes_over_data(&self, at: SlotAddress) -> bool {
        self.slots.written(at) > 0
    }

    #[inline]
    fn reads_first(&self, at: SlotAddress) -> bool {
        self.reads_first && self.goes_over_data(at)
    }

    #[inline]
    fn exhausted_word(&self, unit: Unit, word: u32) -> u64 {
        self.slots.exhausted_word(unit, word)
    }

    fn exhaust(&mut self, at: SlotAddress) {
        self.slots.exhaust(at);
    }

    fn admit(&mut self, at: SlotAddress) -> bool {
        self.admits(at)
    }

    fn encode(&mut self, at: SlotAddress, data: &[u8], image: &mut [u8]) -> Result<bool, FtlError> {
        let code = &mut self.code;
        let image = &mut image[..code.image_bytes];
        let Some(cells) = &mut code.cells else {
            let generation = u32::from(self.slots.written(at));
            self.before.clear();
            self.before.extend_from_slice(image);
            code.fill(generation, data, image).map_err(fault)?;
            if self.format.first_lowered(&self.before, image).is_some() {
                // A program of the next generation was torn here before the drive was mounted.
                self.slots.exhaust(at);
                return Ok(false);
            }
            return Ok(self.admits(at));
        };
        let index = self.slots.index(at);
        let outcome = cells.raise(index, data, image).map_err(fault)?;
        let exceeds = match code.cycle {
            Cycle::Counted { limit, refuses: true } if outcome.most_of_a_page > limit => {
                self.slots.exhaust(at);
                return Ok(false);
            }
            Cycle::Counted { limit, .. } => outcome.most_of_a_page > limit,
            _ => false,
        };
        cells.keep(index, data, image).map_err(fault)?;
        self.left.add_invalid(at.unit, outcome.newly_invalid as f64 / cells.slot_cells() as f64);
        self.slots.wrote(at, exceeds);
        Ok(true)
    }

    fn decode(&self, at: SlotAddress, image: &[u8], data: &mut [u8]) -> Result<(), FtlError> {
        let code = &self.code;
        code.read(self.slots.index(at), &image[..code.image_bytes], data).map_err(fault)
    }

    #[inline]
    fn programs_of(&self, at: SlotAddress, _: Ppn, _: bool) -> u16 {
        self.slots.written(at)
    }

    fn side_information(&self, at: SlotAddress, side: &mut Vec<u8>) {
        self.append_side_information(at, side);
    }

    fn restore_slot(&mut self, at: SlotAddress, _: Ppn, record: Option<&Record>, side: &[u8]) {
        self.restore(at, record, side);
    }
}

fn fault(error: CodeError) -> FtlError {
    FtlError::Code(error.to_string())
}
