//! Reuse `coset`: cells of several levels written several times, at rates near 1.
//!
//! # Idea
//! Many words of cell levels hold the same data. A write takes the one that can be reached by
//! raising cells and leaves the most room for further writes; a read takes the choice off again. So
//! two writes of QLC cells cost 14 to 17% of the capacity, where the sparsest codes of whole cells
//! cost half. Cleaning erases a unit only when no page of it takes a further write.
//!
//! # Paper
//! No single one: cosets are those of Jacobvitz, Calderbank, Sorin (FlipMin, HPCA '13) and
//! Methuselah Flash (DSN '16), the codes those of Filler, Judas, Fridrich (IEEE TIFS 2011), the
//! reopening of units that of Jaffer et al. (FAST '22, `GC_OPT`).
//!
//! # Parameters
//! See [`CosetConfig`].
//!
//! # Cost
//! A unit holds floor(pages x rate) logical pages; each takes 1/rate of a page's time and
//! energy ([`coded_flash`]). A page that was written since its erase is read before it is
//! programmed. A few cells are left at wrong levels, which the error-correcting code must find
//! beside all others. A byte of writes and a bit a slot; the model takes two bytes.
//!
//! Controller RAM: `slots + slots / 8` bytes.
//!
//! # Deviations
//! Words have whole cells, so a page takes up to 0.7% more of them than the rate says, which blocks do
//! not count: 256 pages of 4 KiB at the rate 0.857 count 219, and have cells for 218.45.
//!
//! The error-correcting code protects levels, is ideal up to `ecc_threshold`, and takes no time. It
//! is known of no chip whether any cell of a word line can be raised to any level beside others
//! that stay.

mod cells;
mod coded_flash;
pub mod config;

use cells::Cells;
pub use config::{CosetConfig, Reopening};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use rewear_codes::CodeError;
use rewear_codes::coset::Code;
use rewear_flash::config::MediumKind;
use rewear_flash::medium::{CellFormat, RECORD_BYTES, Record, SpareFormat};
use rewear_flash::{ConfigError, FlashConfig, Geometry, ProgramAgain};

use crate::address::{Pool, Ppn, SlotAddress, Unit};
use crate::config::ftl::FtlConfig;
use crate::error::FtlError;
use crate::policies::slc_cache::SlcCacheConfig;
use crate::reuse::facts::{Facts, Passes, ProgramRule, ReadsBeforeWrite, Remembers, SpareUse};
use crate::reuse::reclaim_decision::{ReclaimDecision, UnitEvent, Victim};
use crate::reuse::scheme::Scheme;
use crate::reuse::slot_code::SlotCode;
use crate::reuse::slots::Slots;
use crate::shape::layout::{Layout, SlotShape};
use crate::state::State;
use crate::state::map::Map;

/// See the module's page.
#[derive(Debug, Clone)]
pub struct Coset {
    writes: u16,
    reopening: Reopening,
    slots: Slots,
    /// On modelled cells: the probability that the last write of a slot leaves too many invalid
    /// cells, and what it is drawn with.
    refusal: f64,
    rng: Xoshiro256PlusPlus,
    /// On stored cells.
    cells: Option<Cells>,
}

impl Coset {
    fn facts(&self, flash: &FlashConfig, (code, spare): (&Code, SpareFormat)) -> Facts {
        let per_erase = f64::from(self.writes);
        let moves_first = self.reopening == Reopening::AfterMoving;
        let codes = self.writes > 1;
        Facts {
            slot_shape: SlotShape::single(flash.page_bytes),
            cell_format: CellFormat { bits: 4, image_bytes: code.image_bytes(), spare: SpareFormat::NONE },
            programs: ProgramRule {
                again: ProgramAgain::Pages { limit: self.writes },
                per_erase,
                passes_per_erase: if moves_first { per_erase } else { 1.0 },
            },
            spare: SpareUse {
                format: spare,
                record_bytes: (RECORD_BYTES as f64 / code.rate()).ceil() as u32,
                code_bytes: 0,
            },
            // Cells of another generation hold other levels, so data passes through the controller.
            copies_cells: false,
            scrambles_data: true,
            counts_programs: true,
            reads_before_write: if codes { ReadsBeforeWrite::Several } else { ReadsBeforeWrite::Never },
            passes: if codes { Passes::Parts } else { Passes::Whole },
            reserve_units: u32::from(codes && moves_first),
            ranks_units: codes && self.reopening == Reopening::InPlaceAny,
            remembers: Remembers { bytes_per_slot: 2, bit_a_slot: true, bytes_per_unit: 12 },
            ..Facts::plain(flash)
        }
    }

    /// A slot takes a write.
    fn wrote(&mut self, at: SlotAddress) {
        self.slots.wrote(at, self.slots.written(at) + 1 >= self.writes);
    }
}

impl Scheme for Coset {
    type Config = CosetConfig;

    fn new(config: &CosetConfig, flash: &FlashConfig) -> Result<(Coset, Facts), ConfigError> {
        let measured = config.measured(flash)?;
        let code = Code::new(flash.bits_per_cell, config.rate, flash.page_bytes as usize, measured.writes)
            .map_err(|error| ConfigError::new("reuse.rate", error.to_string(), "give another rate"))?;
        let limit = config.most_invalid(code.cells());
        let stored = flash.medium == MediumKind::Stored;
        let cells = stored.then(|| Cells::new(code.clone(), limit));
        let side_bytes = cells.as_ref().map_or(0, Cells::side_bytes);
        let spare = SpareFormat { bytes: RECORD_BYTES + side_bytes, coded: true };
        let scheme = Coset {
            writes: measured.writes as u16,
            reopening: config.reopen,
            slots: Slots::default(),
            refusal: measured.exceeds(code.cells(), limit),
            rng: Xoshiro256PlusPlus::seed_from_u64(flash.seed),
            cells,
        };
        let facts = scheme.facts(flash, (&code, spare));
        Ok((scheme, facts))
    }

    fn check(&self, config: &FtlConfig, _: &Layout, _: &Geometry) -> Result<(), ConfigError> {
        if config.slc_cache == SlcCacheConfig::default() {
            return Ok(());
        }
        Err(ConfigError::new(
            "ftl.slc_cache",
            "blocks of coded pages hold no whole number of pages with one bit a cell",
            "set ftl.slc_cache.scheme = \"none\", or another reuse.scheme",
        ))
    }

    fn prepare(&mut self, _: &FlashConfig, layout: &Layout) -> Result<(), ConfigError> {
        self.slots = Slots::new(layout.units(), layout.slots_per_unit);
        if let Some(cells) = &mut self.cells {
            cells.prepare(layout.slots() as usize);
        }
        Ok(())
    }

    fn controller_bytes(&self, layout: &Layout) -> u64 {
        let slots = u64::from(layout.slots());
        slots + slots.div_ceil(8)
    }

    fn programmable(&self, map: &Map, unit: Unit) -> u32 {
        self.slots.programmable(unit, map.valid_words(unit))
    }

    fn own_victim(&mut self, view: &State, pool: Pool) -> Option<Unit> {
        match self.reopening {
            Reopening::InPlaceAny if self.writes > 1 => {
                view.units.most_programmable(pool, |unit| self.programmable(&view.map, unit))
            }
            _ => None,
        }
    }

    fn reclaim(&self, view: &State, victim: &Victim) -> ReclaimDecision {
        let unit = victim.unit;
        match self.reopening {
            Reopening::InPlaceAny if self.writes > 1 && self.programmable(&view.map, unit) > 0 => {
                ReclaimDecision::ReopenInPlace
            }
            Reopening::AfterMoving if !self.slots.is_worn(unit) => {
                let may_refuse = self.slots.most_written(unit) + 1 >= self.writes;
                if may_refuse { ReclaimDecision::ReopenUncertain } else { ReclaimDecision::Reopen }
            }
            _ => ReclaimDecision::Erase,
        }
    }

    fn hears(&mut self, _: &State, unit: Unit, event: UnitEvent) {
        if matches!(event, UnitEvent::Erased | UnitEvent::Lost) {
            self.slots.begin(unit);
            if let Some(cells) = &mut self.cells {
                cells.erased(self.slots.of(unit));
            }
        }
    }
}

impl SlotCode for Coset {
    #[inline]
    fn goes_over_data(&self, at: SlotAddress) -> bool {
        self.slots.written(at) > 0
    }

    #[inline]
    fn reads_first(&self, at: SlotAddress) -> bool {
        self.goes_over_data(at)
    }

    #[inline]
    fn exhausted_word(&self, unit: Unit, word: u32) -> u64 {
        self.slots.exhausted_word(unit, word)
    }

    fn exhaust(&mut self, at: SlotAddress) {
        self.slots.exhaust(at);
    }

    fn admit(&mut self, at: SlotAddress) -> bool {
        if self.cells.is_some() {
            return true;
        }
        let written = self.slots.written(at) + 1;
        // A draw only where it can matter.
        if written == self.writes && self.refusal > 0.0 {
            let drawn = (self.rng.next_u64() >> 11) as f64 / (1u64 << 53) as f64;
            if drawn < self.refusal {
                self.slots.exhaust(at);
                return false;
            }
        }
        self.wrote(at);
        true
    }

    fn encode(&mut self, at: SlotAddress, data: &[u8], image: &mut [u8]) -> Result<bool, FtlError> {
        let (slot, written) = (self.slots.index(at), self.slots.written(at));
        let takes = match &mut self.cells {
            Some(cells) if written < self.writes => {
                let bytes = cells.code.image_bytes();
                cells.write(slot, written.into(), data, &mut image[..bytes]).map_err(fault)?
            }
            _ => false,
        };
        if takes {
            self.wrote(at)
        } else {
            self.slots.exhaust(at)
        }
        Ok(takes)
    }

    fn decode(&self, at: SlotAddress, image: &[u8], data: &mut [u8]) -> Result<(), FtlError> {
        let Some(cells) = &self.cells else { return Ok(()) };
        let write = self.slots.written(at).saturating_sub(1);
        let image = &image[..cells.code.image_bytes()];
        cells.read(self.slots.index(at), write.into(), image, data).map_err(fault)
    }

    #[inline]
    fn programs_of(&self, at: SlotAddress, _: Ppn, _: bool) -> u16 {
        self.slots.written(at)
    }

    fn side_information(&self, at: SlotAddress, side: &mut Vec<u8>) {
        if let Some(cells) = &self.cells {
            cells.side_information(self.slots.index(at), side);
        }
    }

    fn restore_slot(&mut self, at: SlotAddress, _: Ppn, record: Option<&Record>, side: &[u8]) {
        let Some(record) = record else {
            // The history of its cells is not known.
            self.slots.restore(at, 1, true);
            return;
        };
        self.slots.restore(at, record.programs.min(self.writes), record.exhausted);
        if let Some(cells) = &mut self.cells {
            cells.restore(self.slots.index(at), side);
        }
    }
}

fn fault(error: CodeError) -> FtlError {
    FtlError::Code(error.to_string())
}
