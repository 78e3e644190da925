//! Effort `differentiated-ecc`: pages that are mostly written are written quickly, pages that are mostly read are read quickly.
//!
//! # Idea
//! A program with a doubled step voltage takes half the time and leaves more errors, which a stronger code corrects; decoding
//! that takes longer. So a page that is written again before it is read should be written at low cost, and a page that is
//! read should not. The drive remembers recent reads and writes in pairs of Bloom filters and chooses for each write.
//!
//! # Paper
//! Xia, Xiao: Improving MLC Flash Performance with Workload-Aware Differentiated ECC, 2016. Section IV.A ([`separator`]), IV.B (the rules
//! below), IV.C (cost), Table I (latencies).
//!
//! - Write-only page: low cost. Overlapped page: low cost if write hotness - read hotness > m. Else normal.
//! - A page at low cost whose read hotness - write hotness > n, and is above 0, is rewritten in the normal mode when it is read.
//!
//! # Parameters
//! `m`, `n`, `latencies` (`low_cost_program_ns` and `low_cost_read_ns`, or derived from `cells`), `unclassified`, `rules_for_moved_pages`, `rewrite`, and the table
//! `separator`: `filters`, `pairs`, `bits`, `hashes`, `weights`, `decay_accesses`, `access`, `turns`, `age`.
//!
//! # Cost
//! Filters: 2 x pairs x bits / 8 bytes, 2 KiB by default, whatever the drive's size. A bit for each physical page. A rewrite is a
//! program that the host did not ask for.
//!
//! # Deviations
//! - Pairs age by the time since their last reset, not since their last update: with 512 a multiple of four pairs, the letter
//!   resets one pair for ever and the others fill up (`separator.age = "update"`).
//! - The rules have no line for a page that cleaning moves and of which nothing is known, or which was only read: the former
//!   is `unclassified`, the latter is written in the normal mode.

mod bloom;
pub mod config;
mod exact;
pub mod separator;

use config::{RewriteTime, Unclassified};
use rewear_flash::timing::ModeTiming;
use rewear_flash::{ConfigError, FlashConfig, ProgramMode};
use separator::Separator;

use super::counts;
use super::counts::{Counts, Figures};
use super::latencies;
use super::latencies::Row;
use super::page_modes::PageModes;
use super::{Access, RewritesWhen};
use crate::address::{Lpn, Ppn};
pub use config::DifferentiatedEccConfig;

/// Low-cost write, stronger code.
const LOW_COST: ProgramMode = ProgramMode(1);

/// See the module's page.
#[derive(Debug, Clone)]
pub struct DifferentiatedEcc {
    config: DifferentiatedEccConfig,
    modes: Vec<ModeTiming>,
    separator: Separator,
    page_modes: PageModes,
    counts: Counts,
    /// Whether what happens is the workload, and not the preparation of the drive.
    listening: bool,
}

impl DifferentiatedEcc {
    pub(super) fn new(
        config: &DifferentiatedEccConfig,
        flash: &FlashConfig,
    ) -> Result<DifferentiatedEcc, ConfigError> {
        config.check()?;
        let default = DifferentiatedEccConfig::default();
        let low_cost = Row {
            derived: "low",
            read: ("effort.low_cost_read_ns", &config.low_cost_read_ns),
            program: ("effort.low_cost_program_ns", &config.low_cost_program_ns),
            default_ns: (&default.low_cost_read_ns, &default.low_cost_program_ns),
        };
        latencies::check_normal_mode(config.latencies, &config.cells, flash)?;
        Ok(DifferentiatedEcc {
            modes: latencies::timings(config.latencies, &config.cells, &[low_cost], flash)?,
            separator: Separator::new(&config.separator, 0),
            page_modes: PageModes::default(),
            counts: Counts::default(),
            listening: true,
            config: config.clone(),
        })
    }

    pub(super) fn prepare(&mut self, logical_pages: u32, physical_pages: u32) {
        self.separator = Separator::new(&self.config.separator, logical_pages);
        self.page_modes = PageModes::new(physical_pages, 2);
    }

    pub(super) fn extra_modes(&self) -> &[ModeTiming] {
        &self.modes
    }

    pub(super) fn set_listening(&mut self, listening: bool) {
        self.listening = listening;
    }

    #[inline]
    pub(super) fn begin_request(&mut self) {
        self.separator.begin_request();
    }

    #[inline]
    pub(super) fn hear(&mut self, lpn: Lpn, access: Access) {
        if self.listening {
            self.separator.hear(lpn, access);
        }
    }

    #[inline(never)]
    pub(super) fn mode_to_write(&mut self, lpn: Lpn, to: Ppn) -> ProgramMode {
        let mode = if self.listening { self.by_rule(lpn, ProgramMode::NORMAL) } else { ProgramMode::NORMAL };
        self.page_modes.set(to, mode);
        counts::of(&mut self.counts, mode).host_writes += 1;
        mode
    }

    #[inline(never)]
    pub(super) fn mode_to_move(&mut self, lpn: Lpn, from: Ppn, to: Ppn) -> ProgramMode {
        let present = self.page_modes.of(from);
        let mode = match (self.listening, self.config.rules_for_moved_pages) {
            (false, _) => present,
            (true, true) => self.by_rule(lpn, present),
            (true, false) => self.unclassified(present),
        };
        self.page_modes.set(to, mode);
        counts::of(&mut self.counts, mode).moved += 1;
        mode
    }

    #[inline(never)]
    pub(super) fn mode_to_rewrite(&mut self, to: Ppn) -> ProgramMode {
        self.page_modes.set(to, ProgramMode::NORMAL);
        counts::of(&mut self.counts, ProgramMode::NORMAL).rewrites += 1;
        ProgramMode::NORMAL
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
        match self.config.rewrite {
            RewriteTime::Never => RewritesWhen::Never,
            _ if !self.wants_rewrite(lpn, ppn) => RewritesWhen::Never,
            RewriteTime::BehindRead => RewritesWhen::Now,
            RewriteTime::Idle => RewritesWhen::Idle,
        }
    }

    /// Rule n.
    #[inline]
    pub(super) fn wants_rewrite(&self, lpn: Lpn, ppn: Ppn) -> bool {
        if !self.listening || self.page_modes.of(ppn) != LOW_COST {
            return false;
        }
        self.separator.hotness(lpn).favours_rewrite(self.config.n)
    }

    pub(super) fn rewrites_in_idle_time(&self) -> bool {
        self.config.rewrite == RewriteTime::Idle
    }

    /// The first rules of section IV.B.
    #[inline]
    fn by_rule(&self, lpn: Lpn, present: ProgramMode) -> ProgramMode {
        match self.separator.hotness(lpn).favours_low_cost(self.config.m) {
            Some(true) => LOW_COST,
            Some(false) => ProgramMode::NORMAL,
            None => self.unclassified(present),
        }
    }

    #[inline]
    fn unclassified(&self, present: ProgramMode) -> ProgramMode {
        match self.config.unclassified {
            Unclassified::Normal => ProgramMode::NORMAL,
            Unclassified::LowCost => LOW_COST,
            Unclassified::Keep => present,
        }
    }

    pub(super) fn figures(&self) -> Figures {
        let false_hits = self.separator.false_hits();
        Figures {
            modes: vec![("normal", self.counts[0]), ("low-cost", self.counts[1])],
            history_bytes: self.separator.bytes(),
            tag_bytes: self.page_modes.bytes(),
            decays: self.separator.decays(),
            false_read_hits: false_hits.map(|hits| hits[0]),
            false_write_hits: false_hits.map(|hits| hits[1]),
        }
    }

    pub(super) fn reset_counts(&mut self) {
        self.counts = Counts::default();
        self.separator.reset_counts();
    }
}

/// Bytes that the model takes.
pub(super) fn model_bytes(config: &DifferentiatedEccConfig, logical_pages: u32, physical_pages: u32) -> u64 {
    let history = match config.separator.filters {
        config::Filters::Bloom => u64::from(config.separator.bits) * 2,
        config::Filters::Exact => u64::from(logical_pages) * 2,
    };
    history + u64::from(physical_pages).div_ceil(64) * 8
}
