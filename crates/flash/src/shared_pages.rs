//! Mapping units that share a page of the chip (`flash.pages_per_program`).
//!
//! Drives map 4 KiB on flash pages of 16 KiB. The units of a page wait in a buffer of the
//! controller, whose contents outlast a loss of power, until the page is full. Here each unit is a
//! page of the array: the last one of a program is charged with all of it, those before it end when
//! they are asked for. A unit that waits is read from the buffer. A unit of the page that a plane
//! sensed last is still in the register of the plane, and only its transfer takes time.

use crate::config::{FlashConfig, MediumKind, ServiceUnit};
use crate::error::ConfigError;
use crate::timing::ProgramMode;
use crate::{Address, Array, Geometry, Nanos};

const KEY: &str = "flash.pages_per_program";

/// No page of the chip.
const NOTHING: u64 = u64::MAX;

/// What the planes have in their registers, where pages are shared.
#[derive(Debug, Clone)]
pub(crate) struct SharedPages {
    units: u32,
    /// For each plane the page of the chip that it sensed last.
    sensed: Vec<u64>,
}

impl SharedPages {
    pub(crate) fn new(config: &FlashConfig, geometry: &Geometry) -> Option<Box<SharedPages>> {
        let sensed = || vec![NOTHING; geometry.planes() as usize];
        (config.pages_per_program > 1)
            .then(|| Box::new(SharedPages { units: config.pages_per_program, sensed: sensed() }))
    }

    /// Whether the program of this page is the one that programs the page of the chip.
    pub(crate) fn ends(config: &FlashConfig, page: usize) -> bool {
        (page + 1).is_multiple_of(config.pages_per_program as usize)
    }

    /// Checks the key against the rest of the array.
    ///
    /// # Errors
    /// A number of pages that does not divide a block; cells, queues or chips that know pages of
    /// their own only.
    pub(crate) fn check(config: &FlashConfig) -> Result<(), ConfigError> {
        let units = config.pages_per_program;
        let whole = units >= 1 && config.pages_per_block.is_multiple_of(units);
        if !whole || u64::from(units) * u64::from(config.page_bytes) > 1 << 20 {
            return Err(ConfigError::new(
                KEY,
                format!(
                    "{units} pages of {} bytes, {} in a block",
                    config.page_bytes, config.pages_per_block
                ),
                "give a divisor of flash.pages_per_block that makes a page of the chip of at most 1 MiB",
            ));
        }
        let refused = |problem: &str, remedy: &str| Err(ConfigError::new(KEY, problem, remedy));
        if units > 1 && config.medium == MediumKind::Stored {
            return refused(
                "cells are stored a page at a time",
                "give flash.medium = \"modelled\", or leave it out",
            );
        }
        if units > 1 && config.read_priority {
            return refused(
                "reads that overtake are booked by pages of the array",
                "set flash.read_priority = false, or leave it out",
            );
        }
        if units > 1 && config.service_unit == ServiceUnit::Chip {
            return refused(
                "a chip that works as a whole has one page at a time",
                "set flash.service_unit = \"plane\" or \"die\", or leave it out",
            );
        }
        Ok(())
    }

    fn page_of_chip(&self, at: Address) -> u64 {
        u64::from(at.block) << 32 | u64::from(at.page / self.units)
    }
}

impl Array {
    /// Whether a page that was programmed waits for others of its page of the chip.
    pub(crate) fn is_buffered(&self, at: Address) -> bool {
        let Some(shared) = &self.shared else { return false };
        let programmed = self.blocks[at.block as usize].programmed;
        !programmed.is_multiple_of(shared.units) && at.page / shared.units == programmed / shared.units
    }

    /// What sensing a page takes now.
    pub(crate) fn sensing_ns(&mut self, mode: ProgramMode, at: Address) -> Nanos {
        let read_ns = self.timing.of(mode, at.page).read_ns;
        let Some(shared) = &mut self.shared else { return read_ns };
        let page = shared.page_of_chip(at);
        let before = std::mem::replace(&mut shared.sensed[at.plane as usize], page);
        if before == page { 0 } else { read_ns }
    }

    /// Another operation has used the register of a plane.
    pub(crate) fn forget_sensed(&mut self, plane: u32) {
        if let Some(shared) = &mut self.shared {
            shared.sensed[plane as usize] = NOTHING;
        }
    }
}
