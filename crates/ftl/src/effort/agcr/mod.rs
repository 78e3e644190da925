//! Effort `agcr`: three write costs under one strong code, chosen by exact access histories.
//!
//! # Idea
//! The more carefully a page is programmed, the fewer errors it has and the sooner its code is
//! decoded. So pages that are only read should be programmed at high cost, pages that are only
//! written at low cost, and the others in between.
//!
//! # Paper
//! Li et al., Access Characteristic Guided Read and Write Cost Regulation for Performance
//! Improvement on Flash Memory, FAST '16. Xia and Xiao describe and measure it (see
//! [`differentiated_ecc`](super::differentiated_ecc)) in section II.B and Table I.
//!
//! # Parameters
//! Latencies of the three costs, `history`, `unclassified`.
//!
//! # Cost
//! Two bits a logical page (three with `history = "latest"`), two bits a physical page
//! for its mode. No page is read as quickly as with the weaker code.
//!
//! Controller RAM: `pages / 4 + slots / 4`.
//!
//! # Deviations
//! - A host write is itself an access, so a page that is written is write-only or interleaved. High
//!   cost comes from cleaning only. Rewriting what is only read, which the paper does not mention,
//!   multiplies response times (docs/notebook/differentiated-ecc.md).
//! - "Access history" is not defined there: all accesses since the start, or the latest two
//!   (`history`).
//! - Data that lay on the drive before the workload is taken to be of medium cost.

pub mod config;
pub mod history;

use config::Unclassified;
use history::{History, Usage};
use rewear_flash::timing::ModeTiming;
use rewear_flash::{ConfigError, FlashConfig, ProgramMode};

use super::scheme::{Access, Facts, RecordFigures, RewritesWhen, Scheme};
use crate::address::Lpn;
pub use config::AgcrConfig;

const HIGH: ProgramMode = ProgramMode(1);
const MEDIUM: ProgramMode = ProgramMode(2);
const LOW: ProgramMode = ProgramMode(3);

/// See the module's page.
#[derive(Debug, Clone)]
pub struct Agcr {
    config: AgcrConfig,
    history: History,
}

impl Scheme for Agcr {
    type Config = AgcrConfig;
    const MODES: usize = 4;

    fn new(config: &AgcrConfig, flash: &FlashConfig) -> Result<(Agcr, Facts), ConfigError> {
        let times = |read: (&str, &[u64]), program: (&str, &[u64])| {
            ModeTiming::new(flash.bits_per_cell, read, program)
        };
        let extra_modes = vec![
            times(
                ("effort.high_cost_read_ns", &config.high_cost_read_ns),
                ("effort.high_cost_program_ns", &config.high_cost_program_ns),
            )?,
            times(
                ("effort.medium_cost_read_ns", &config.medium_cost_read_ns),
                ("effort.medium_cost_program_ns", &config.medium_cost_program_ns),
            )?,
            times(
                ("effort.low_cost_read_ns", &config.low_cost_read_ns),
                ("effort.low_cost_program_ns", &config.low_cost_program_ns),
            )?,
        ];
        let facts = Facts {
            extra_modes,
            names: &[(HIGH, "high-cost"), (MEDIUM, "medium-cost"), (LOW, "low-cost")],
            at_first: MEDIUM,
            rewritten: HIGH,
            rewrites: RewritesWhen::Never,
        };
        let history = History::new(config.history, 0);
        Ok((Agcr { config: config.clone(), history }, facts))
    }

    fn model_bytes(_: &AgcrConfig, logical_pages: u32) -> u64 {
        u64::from(logical_pages)
    }

    fn controller_bytes(config: &AgcrConfig, logical_pages: u32) -> u64 {
        history::bytes_of(config.history, u64::from(logical_pages))
    }

    fn prepare(&mut self, logical_pages: u32) {
        self.history = History::new(self.config.history, logical_pages);
    }

    #[inline]
    fn hear(&mut self, lpn: Lpn, access: Access) {
        self.history.hear(lpn, access);
    }

    #[inline]
    fn mode_to_write(&self, lpn: Lpn) -> ProgramMode {
        self.mode_to_move(lpn, MEDIUM)
    }

    #[inline]
    fn mode_to_move(&self, lpn: Lpn, present: ProgramMode) -> ProgramMode {
        match self.history.usage(lpn) {
            Usage::ReadOnly => HIGH,
            Usage::WriteOnly => LOW,
            Usage::Interleaved => MEDIUM,
            Usage::Unknown => match self.config.unclassified {
                Unclassified::High => HIGH,
                Unclassified::Medium => MEDIUM,
                Unclassified::Low => LOW,
                Unclassified::Keep => present,
            },
        }
    }

    fn wants_rewrite(&self, _: Lpn, _: ProgramMode) -> bool {
        false
    }

    fn figures(&self) -> RecordFigures {
        RecordFigures { bytes: self.history.bytes(), ..RecordFigures::default() }
    }
}
