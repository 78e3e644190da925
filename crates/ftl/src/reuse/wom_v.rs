//! Reuse `wom-v`: voltage-based write-once-memory codes on cells of several levels.
//!
//! # Idea
//! A WOM-v(k, N) code stores k bits of data in a cell of N bits. Any data can be written again by raising the cell's
//! level, G = floor((2^N - 1) / (2^k - 1)) times between two erases. Cleaning moves the valid pages of an erase unit away
//! and gives the unit back without an erase until its generations are used up.
//!
//! # Paper
//! Jaffer, Mahdaviani, Schroeder: Improving the Reliability of Next Generation SSDs using WOM-v Codes, FAST '22.
//! Section 2.1 (the codes), 3.2.1 (write, read, garbage collection, cell and page layout), 3.2.2 (no-read mode).
//!
//! # Parameters
//! `data_bits` (k); N is `flash.bits_per_cell`.
//!
//! # Cost
//! N/k flash pages are programmed and read for each page of data, and capacity shrinks by k/N. The generation of each
//! erase unit: one byte.
//!
//! # Deviations
//! One generation per write (the paper's no-read mode, section 3.2.2): a write goes to the next generation without
//! reading the cells, so same-generation transitions and the ECC threshold are not used. A logical page is the smallest
//! whole number of flash pages that k bits in N fill: k/g pages of data in N/g pages, g = gcd(k, N).

use rewear_codes::wom_v::Code;
use rewear_flash::medium::CellFormat;
use rewear_flash::{ConfigError, FlashConfig, ProgramAgain};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::error::FtlError;
use crate::layout::SlotShape;
use crate::reuse::Reclaim;

/// Parameters of the `wom-v` scheme.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WomVConfig {
    /// Data bits per cell (k of WOM-v(k, N)); N is `flash.bits_per_cell`.
    pub data_bits: u8,
}

/// See the module's page.
#[derive(Debug, Clone)]
pub struct WomV {
    code: Code,
    shape: SlotShape,
    cells: CellFormat,
    /// Bytes of the cell image of a logical page.
    image_bytes: usize,
    generations: u8,
    /// Generation that the present pass over each unit writes, from 0.
    generation_of: Vec<u8>,
}

impl WomV {
    pub(super) fn new(config: &WomVConfig, flash: &FlashConfig) -> Result<WomV, ConfigError> {
        let (k, n) = (config.data_bits, flash.bits_per_cell);
        let code = Code::new(k, n).map_err(|error| {
            ConfigError::new(
                "reuse.data_bits",
                format!("WOM-v({k},{n}): {error}"),
                format!("give a value below flash.bits_per_cell = {n}, which must be at most 6"),
            )
        })?;
        let divisor = u32::from(gcd(k, n));
        let (data_pages, pages) = (u32::from(k) / divisor, u32::from(n) / divisor);
        let logical_page_bytes = flash.page_bytes * data_pages;
        let image_bytes = code.image_bytes(logical_page_bytes as usize);
        let bits = if n <= 4 { 4 } else { 8 };
        let generations = code.generations().min(u32::from(u8::MAX)) as u8;
        Ok(WomV {
            code,
            shape: SlotShape { pages, logical_page_bytes },
            // Five or three bits a cell do not divide a page evenly: the last page of a slot has cells to spare.
            cells: CellFormat { bits, image_bytes: image_bytes.div_ceil(pages as usize) },
            image_bytes,
            generations,
            generation_of: Vec::new(),
        })
    }

    pub(super) fn prepare(&mut self, units: u32) {
        self.generation_of = vec![0; units as usize];
    }

    pub(super) fn slot_shape(&self) -> SlotShape {
        self.shape
    }

    pub(super) fn program_again(&self) -> ProgramAgain {
        ProgramAgain::Passes { limit: self.generations }
    }

    pub(super) fn cell_format(&self) -> CellFormat {
        self.cells
    }

    /// Cells of another generation hold other levels, so data passes through the controller.
    pub(super) fn copies_verbatim(&self) -> bool {
        false
    }

    pub(super) fn reclaim(&mut self, unit: u32) -> Reclaim {
        let generation = &mut self.generation_of[unit as usize];
        *generation += 1;
        if *generation < self.generations {
            return Reclaim::Reopen;
        }
        *generation = 0;
        Reclaim::Erase
    }

    pub(super) fn encode(&self, unit: u32, data: &[u8], image: &mut [u8]) -> Result<(), FtlError> {
        let generation = u32::from(self.generation_of[unit as usize]);
        let image = &mut image[..self.image_bytes];
        self.code.encode_no_read(generation, data, image).map_err(|error| FtlError::Code(error.to_string()))
    }

    pub(super) fn decode(&self, image: &[u8], data: &mut [u8]) -> Result<(), FtlError> {
        self.code.decode(&image[..self.image_bytes], data).map_err(|error| FtlError::Code(error.to_string()))
    }
}

fn gcd(a: u8, b: u8) -> u8 {
    if b == 0 { a } else { gcd(b, a % b) }
}
