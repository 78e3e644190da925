//! Reuse `seal`: extended P/E cycles on MLC flash.
//!
//! # Idea
//! Some data only ever clears bits: an append-only node, a Bloom filter, a word of a WOM code. A
//! page of it can be programmed again where it lies. In an MLC block that is safe for low pages as
//! long as no high page is programmed. So data that the host writes by the overwrite command goes
//! to overwrite blocks. These use low pages only, each up to a limit of programs. When
//! space runs low the drive seals such a block, which makes its high pages a write block, or cleans
//! a victim.
//!
//! # Paper
//! Margaglia, Brinkmann: Improving MLC flash performance and endurance with Extended P/E Cycles,
//! MSST '15. Section III (the cell: [`rewear_flash::ProgramAgain::LowPages`]), IV (the translation
//! layer): overwrite operation ([`overwrite`]), overwrite block sealing ([`seal_or_collect`]),
//! victim selection policies ([`victim_selection`]), ECC (`limit`, `ecc_bytes`).
//!
//! # Parameters
//! `victims`, `limit`, `limit_counts_first`, `ecc_bytes`. The paper's drive also
//! has `ftl.summary_pages` and `ftl.summary_reads` (the inverse map of each block) and
//! `ftl.moved_to = "drive"`.
//!
//! # Cost
//! A byte a slot for the counts of programs. An overwrite block holds half of a block's data until
//! it is sealed, and a sealed one a page less than a write block (its inverse map is written
//! twice).
//!
//! Controller RAM: `slots`.
//!
//! # Deviations
//! The paper reserves a bit of each map entry for pages that may be programmed again. It is the
//! same for all pages of a block, so here it is kept with the block; the reads that clearing the
//! bits costs are made. The paper's idle banks erase blocks without valid pages
//! (`ftl.background.scheme = "erase-invalid"`), which is off here and in `openssd`, since it changes
//! no figure (docs/notebook/seal.md). Sealing waits for no one: the inverse map is read while the write that
//! asked for room is on its way.

pub mod overwrite;
pub mod seal_or_collect;
pub mod victim_selection;

use rewear_flash::medium::Record;
use rewear_flash::page_kind::PageKinds;
use rewear_flash::{ConfigError, FlashConfig, Geometry, ProgramAgain};
use schemars::JsonSchema;
use seal_or_collect::seal_or_collect;
use serde::{Deserialize, Serialize};
use victim_selection::Policy;

use crate::address::{Pool, Ppn, SlotAddress, Unit};
use crate::config::choices::CleaningStep;
use crate::config::ftl::FtlConfig;
use crate::error::FtlError;
use crate::reuse::facts::{Facts, Places, ProgramRule, Remembers, SpareUse};
use crate::reuse::reclaim_decision::{ReclaimDecision, Victim};
use crate::reuse::scheme::Scheme;
use crate::reuse::slot_code::SlotCode;
use crate::shape::layout::Layout;
use crate::state::State;

/// Parameters of the `seal` scheme.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct SealConfig {
    /// Valid pages that an overwrite block counts as a victim.
    pub victims: Policy,
    /// Programs of a page after which its next overwrite goes to another page, 1 to 254.
    pub limit: u8,
    /// The first program of a page counts towards `limit`.
    pub limit_counts_first: bool,
    /// Bytes of ECC that every program of a page appends in its spare area; 0, or a spare area of 0
    /// bytes: not checked.
    pub ecc_bytes: u32,
}

impl Default for SealConfig {
    fn default() -> Self {
        SealConfig { victims: Policy::Seal, limit: 8, limit_counts_first: true, ecc_bytes: 64 }
    }
}

/// See the module's page.
#[derive(Debug, Clone)]
pub struct Seal {
    /// Programs of a page between two erases.
    programs_per_page: u8,
    victims: Policy,
    /// Programs of each page of an overwrite block since it was first written.
    programs: Vec<u8>,
}

impl Scheme for Seal {
    type Config = SealConfig;

    fn new(config: &SealConfig, flash: &FlashConfig) -> Result<(Seal, Facts), ConfigError> {
        check_flash(flash)?;
        let programs_per_page = config.limit.saturating_add(u8::from(!config.limit_counts_first));
        if config.limit == 0 || config.limit == u8::MAX {
            return Err(ConfigError::new(
                "reuse.limit",
                format!("{} programs of a page", config.limit),
                "give 1 to 254; 8 in the paper",
            ));
        }
        let ecc_bytes = u64::from(config.ecc_bytes) * u64::from(programs_per_page);
        if flash.spare_bytes > 0 && ecc_bytes > u64::from(flash.spare_bytes) {
            return Err(ConfigError::new(
                "reuse.limit",
                format!(
                    "{programs_per_page} programs of a page append {ecc_bytes} bytes of ECC, and its spare area has {}",
                    flash.spare_bytes
                ),
                "give a lower limit or reuse.ecc_bytes, or more flash.spare_bytes",
            ));
        }
        let kinds = PageKinds::new(flash.page_order, flash.bits_per_cell, flash.pages_per_block)?;
        let is_low: Vec<bool> = kinds.iter().map(|kind| kind == 0).collect();
        let limit = u16::from(programs_per_page);
        let facts = Facts {
            // A program of a page again is no part of a cycle: only the erase frees the block.
            programs: ProgramRule {
                again: ProgramAgain::LowPages { limit },
                per_erase: 1.0,
                passes_per_erase: 1.0,
            },
            places: Places::InPlace,
            spare: SpareUse::records(limit.into(), config.ecc_bytes * u32::from(limit)),
            low_rows: Some(is_low),
            open_units: 1,
            remembers: Remembers { bytes_per_slot: 1, ..Remembers::default() },
            ..Facts::plain(flash)
        };
        Ok((Seal { programs_per_page, victims: config.victims, programs: Vec::new() }, facts))
    }

    fn check(&self, config: &FtlConfig, _: &Layout, _: &Geometry) -> Result<(), ConfigError> {
        if config.cleaning_step == CleaningStep::UntilRoom {
            return Ok(());
        }
        // A block is sealed where a write has no slot. The other steps go on beyond that, or begin
        // before.
        Err(ConfigError::new(
            "ftl.cleaning_step",
            "only \"until-room\" leaves a moment at which a block could be sealed",
            "give \"until-room\" with reuse.scheme = \"seal\"",
        ))
    }

    fn prepare(&mut self, _: &FlashConfig, layout: &Layout) -> Result<(), ConfigError> {
        self.programs = vec![0; layout.slots() as usize];
        Ok(())
    }

    fn victim(&mut self, view: &State, pool: Pool, chosen: Option<Unit>) -> Option<Unit> {
        self.write_or_overwrite_unit(&view.units, pool, chosen)
    }

    fn controller_bytes(&self, layout: &Layout) -> u64 {
        u64::from(layout.slots())
    }

    fn reclaim(&self, view: &State, victim: &Victim) -> ReclaimDecision {
        seal_or_collect(view, victim)
    }
}

impl SlotCode for Seal {
    /// An erased cell reads 1, and charging it clears the bit: the image is the complement of the
    /// data.
    fn encode(&mut self, _: SlotAddress, data: &[u8], image: &mut [u8]) -> Result<bool, FtlError> {
        image.iter_mut().zip(data).for_each(|(level, byte)| *level = !byte);
        Ok(true)
    }

    fn decode(&self, _: SlotAddress, image: &[u8], data: &mut [u8]) -> Result<(), FtlError> {
        data.iter_mut().zip(image).for_each(|(byte, level)| *byte = !level);
        Ok(())
    }

    fn programs_of(&self, _: SlotAddress, ppn: Ppn, again: bool) -> u16 {
        if again { u16::from(self.programs[ppn.index()]) } else { 1 }
    }

    fn restore_slot(&mut self, _: SlotAddress, ppn: Ppn, record: Option<&Record>, _: &[u8]) {
        let programs = record.map_or(u16::MAX, |record| record.programs);
        self.programs[ppn.index()] = u8::try_from(programs).unwrap_or(u8::MAX).min(self.programs_per_page);
    }
}

fn check_flash(flash: &FlashConfig) -> Result<(), ConfigError> {
    if flash.bits_per_cell != 2 {
        return Err(ConfigError::new(
            "flash.bits_per_cell",
            format!("extended P/E cycles are those of cells of 2 bits, not of {}", flash.bits_per_cell),
            "give 2 with reuse.scheme = \"seal\"",
        ));
    }
    if flash.pages_per_block < 6 || !flash.pages_per_block.is_multiple_of(2) {
        return Err(ConfigError::new(
            "flash.pages_per_block",
            format!("{} pages do not make three word lines or more", flash.pages_per_block),
            "give an even number from 6 on with reuse.scheme = \"seal\"",
        ));
    }
    Ok(())
}
