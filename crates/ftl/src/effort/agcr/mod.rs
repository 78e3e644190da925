//! Effort `agcr`: three write costs under one strong code, chosen by exact access histories.
//!
//! # Idea
//! The more carefully a page is programmed, the fewer errors it has and the sooner its code is decoded. So pages that are only
//! read should be programmed at high cost, pages that are only written at low cost, and the others in between.
//!
//! # Paper
//! Li et al., Access Characteristic Guided Read and Write Cost Regulation for Performance Improvement on Flash Memory, FAST '16, as described and
//! measured by Xia and Xiao (see [`differentiated_ecc`](super::differentiated_ecc)), section II.B and Table I.
//!
//! # Parameters
//! Latencies of the three costs, or `latencies = "derived"` and `cells`; `history`, `latest_accesses`, `unclassified`, `rewrite_read_only`.
//!
//! # Cost
//! Two bits a logical page (or one more than the accesses that are kept), two bits a physical page for its mode. No page is read as
//! quickly as with the weaker code.
//!
//! # Deviations
//! - A host write is itself an access, so a page that is written is write-only or interleaved; high cost comes from cleaning,
//!   or from rewrites (`rewrite_read_only`), which the paper does not mention.
//! - "Access history" is not defined there: all accesses since the start, or the latest few (`history`).
//! - Data that lay on the drive before the workload is taken to be of medium cost.

pub mod config;
pub mod history;

use config::Unclassified;
use history::{History, Usage};
use rewear_flash::timing::ModeTiming;
use rewear_flash::{ConfigError, FlashConfig, ProgramMode};

use super::counts;
use super::counts::{Counts, Figures};
use super::latencies;
use super::latencies::Row;
use super::page_modes::PageModes;
use super::{Access, RewritesWhen};
use crate::address::{Lpn, Ppn};
pub use config::AgcrConfig;

const HIGH: ProgramMode = ProgramMode(1);
const MEDIUM: ProgramMode = ProgramMode(2);
const LOW: ProgramMode = ProgramMode(3);

/// See the module's page.
#[derive(Debug, Clone)]
pub struct Agcr {
    config: AgcrConfig,
    modes: Vec<ModeTiming>,
    history: History,
    page_modes: PageModes,
    counts: Counts,
    /// Whether what happens is the workload, and not the preparation of the drive.
    listening: bool,
}

impl Agcr {
    pub(super) fn new(config: &AgcrConfig, flash: &FlashConfig) -> Result<Agcr, ConfigError> {
        config.check()?;
        let default = AgcrConfig::default();
        let rows = [
            Row {
                derived: "high",
                read: ("effort.high_cost_read_ns", &config.high_cost_read_ns),
                program: ("effort.high_cost_program_ns", &config.high_cost_program_ns),
                default_ns: (&default.high_cost_read_ns, &default.high_cost_program_ns),
            },
            Row {
                derived: "medium",
                read: ("effort.medium_cost_read_ns", &config.medium_cost_read_ns),
                program: ("effort.medium_cost_program_ns", &config.medium_cost_program_ns),
                default_ns: (&default.medium_cost_read_ns, &default.medium_cost_program_ns),
            },
            Row {
                derived: "low",
                read: ("effort.low_cost_read_ns", &config.low_cost_read_ns),
                program: ("effort.low_cost_program_ns", &config.low_cost_program_ns),
                default_ns: (&default.low_cost_read_ns, &default.low_cost_program_ns),
            },
        ];
        Ok(Agcr {
            modes: latencies::timings(config.latencies, &config.cells, &rows, flash)?,
            history: History::new(config.history, config.latest_accesses, 0),
            page_modes: PageModes::default(),
            counts: Counts::default(),
            listening: true,
            config: config.clone(),
        })
    }

    pub(super) fn prepare(&mut self, logical_pages: u32, physical_pages: u32) {
        self.history = History::new(self.config.history, self.config.latest_accesses, logical_pages);
        self.page_modes = PageModes::new(physical_pages, 4);
    }

    pub(super) fn extra_modes(&self) -> &[ModeTiming] {
        &self.modes
    }

    pub(super) fn set_listening(&mut self, listening: bool) {
        self.listening = listening;
    }

    #[inline]
    pub(super) fn hear(&mut self, lpn: Lpn, access: Access) {
        if self.listening {
            self.history.hear(lpn, access);
        }
    }

    #[inline(never)]
    pub(super) fn mode_to_write(&mut self, lpn: Lpn, to: Ppn) -> ProgramMode {
        let mode = if self.listening { self.by_history(lpn, MEDIUM) } else { MEDIUM };
        self.page_modes.set(to, mode);
        counts::of(&mut self.counts, mode).host_writes += 1;
        mode
    }

    #[inline(never)]
    pub(super) fn mode_to_move(&mut self, lpn: Lpn, from: Ppn, to: Ppn) -> ProgramMode {
        let present = self.page_modes.of(from);
        let mode = if self.listening { self.by_history(lpn, present) } else { present };
        self.page_modes.set(to, mode);
        counts::of(&mut self.counts, mode).moved += 1;
        mode
    }

    #[inline(never)]
    pub(super) fn mode_to_rewrite(&mut self, to: Ppn) -> ProgramMode {
        self.page_modes.set(to, HIGH);
        counts::of(&mut self.counts, HIGH).rewrites += 1;
        HIGH
    }

    pub(super) fn restore_mode(&mut self, ppn: Ppn, mode: ProgramMode) {
        self.page_modes.set(ppn, mode);
    }

    #[inline(never)]
    pub(super) fn mode_of(&self, ppn: Ppn) -> ProgramMode {
        self.page_modes.of(ppn)
    }

    #[inline(never)]
    pub(super) fn was_read(&mut self, lpn: Lpn, ppn: Ppn) -> RewritesWhen {
        counts::of(&mut self.counts, self.page_modes.of(ppn)).host_reads += 1;
        if self.wants_rewrite(lpn, ppn) { RewritesWhen::Now } else { RewritesWhen::Never }
    }

    #[inline]
    pub(super) fn wants_rewrite(&self, lpn: Lpn, ppn: Ppn) -> bool {
        self.config.rewrite_read_only
            && self.listening
            && self.page_modes.of(ppn) != HIGH
            && self.history.usage(lpn) == Usage::ReadOnly
    }

    #[inline]
    fn by_history(&self, lpn: Lpn, present: ProgramMode) -> ProgramMode {
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

    pub(super) fn figures(&self) -> Figures {
        let [_, high, medium, low] = self.counts;
        Figures {
            modes: vec![("high-cost", high), ("medium-cost", medium), ("low-cost", low)],
            history_bytes: self.history.bytes(),
            tag_bytes: self.page_modes.bytes(),
            decays: 0,
            false_read_hits: None,
            false_write_hits: None,
        }
    }

    pub(super) fn reset_counts(&mut self) {
        self.counts = Counts::default();
    }
}

/// Bytes that the model takes.
pub(super) fn model_bytes(logical_pages: u32, physical_pages: u32) -> u64 {
    u64::from(logical_pages) + u64::from(physical_pages).div_ceil(32) * 8
}
