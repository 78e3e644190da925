//! Effort `differentiated-ecc`: pages that are mostly written are written quickly, pages that are
//! mostly read are read quickly.
//!
//! # Idea
//! A program with a doubled step voltage takes half the time and leaves more errors, which a
//! stronger code corrects; decoding that takes longer. So a page that is written again before it is
//! read should be written at low cost, and a page that is read should not. The drive remembers
//! recent reads and writes in pairs of Bloom filters and chooses for each write.
//!
//! # Paper
//! Xia, Xiao: Improving MLC Flash Performance with Workload-Aware Differentiated ECC, 2016. Section
//! IV.A ([`separator`]), IV.B (the rules below), IV.C (cost), Table I (latencies).
//!
//! - Write-only page: low cost. Overlapped page: low cost if write hotness - read hotness > m. Else
//!   normal.
//! - A page at low cost whose read hotness - write hotness > n, and is above 0, is rewritten in the
//!   normal mode when it is read.
//!
//! # Parameters
//! `m`, `n`, `low_cost_program_ns`, `low_cost_read_ns`, `unclassified`, `rewrite`, and the table
//! `separator`: `bits`, `decay_accesses`, `access`, `age`.
//!
//! # Cost
//! Filters: 2 x 4 x bits / 8 bytes, 2 KiB by default, whatever the drive's size. A bit for each
//! physical page. A rewrite is a program that the host did not ask for.
//!
//! Controller RAM: `2 * 4 * 2048 / 8 + slots / 8`.
//!
//! # Deviations
//! - Pairs age by the time since their last reset, not since their last update. As 512 is a
//!   multiple of four pairs, the letter resets one pair for ever and the others fill up
//!   (`separator.age = "update"`).
//! - Turns and decay count accessed pages, where the text counts requests. The paper's example has
//!   requests of one page (`separator.access = "request"`).
//! - The paper has no rule for a moved page without access history, or one that
//!   was only read. The former is `unclassified`, the latter is written in the normal mode.
//! - The hash functions are not named in the paper: here the finaliser of SplitMix64.

mod bloom;
pub mod config;
pub mod separator;

use config::{RewriteTime, Unclassified};
use rewear_flash::timing::ModeTiming;
use rewear_flash::{ConfigError, FlashConfig, ProgramMode};
use separator::{PAIRS, Separator};

use super::scheme::{Access, Facts, RecordFigures, RewritesWhen, Scheme};
use crate::address::Lpn;
pub use config::DifferentiatedEccConfig;

/// Low-cost write, stronger code.
const LOW_COST: ProgramMode = ProgramMode(1);

/// See the module's page.
#[derive(Debug, Clone)]
pub struct DifferentiatedEcc {
    config: DifferentiatedEccConfig,
    separator: Separator,
}

impl Scheme for DifferentiatedEcc {
    type Config = DifferentiatedEccConfig;
    const MODES: usize = 2;

    fn new(
        config: &DifferentiatedEccConfig,
        flash: &FlashConfig,
    ) -> Result<(DifferentiatedEcc, Facts), ConfigError> {
        config.check()?;
        let low_cost = ModeTiming::new(
            flash.bits_per_cell,
            ("effort.low_cost_read_ns", &config.low_cost_read_ns),
            ("effort.low_cost_program_ns", &config.low_cost_program_ns),
        )?;
        let facts = Facts {
            extra_modes: vec![low_cost],
            names: &[(ProgramMode::NORMAL, "normal"), (LOW_COST, "low-cost")],
            at_first: ProgramMode::NORMAL,
            rewritten: ProgramMode::NORMAL,
            rewrites: match config.rewrite {
                RewriteTime::BehindRead => RewritesWhen::Now,
                RewriteTime::Idle => RewritesWhen::Idle,
                RewriteTime::Never => RewritesWhen::Never,
            },
        };
        let separator = Separator::new(&config.separator);
        Ok((DifferentiatedEcc { config: config.clone(), separator }, facts))
    }

    fn model_bytes(config: &DifferentiatedEccConfig, _: u32) -> u64 {
        u64::from(config.separator.bits) * 2
    }

    fn controller_bytes(config: &DifferentiatedEccConfig, _: u32) -> u64 {
        2 * PAIRS as u64 * u64::from(config.separator.bits) / 8
    }

    #[inline]
    fn begin_request(&mut self) {
        self.separator.begin_request();
    }

    #[inline]
    fn hear(&mut self, lpn: Lpn, access: Access) {
        self.separator.hear(lpn, access);
    }

    #[inline]
    fn mode_to_write(&self, lpn: Lpn) -> ProgramMode {
        self.by_rule(lpn, ProgramMode::NORMAL)
    }

    #[inline]
    fn mode_to_move(&self, lpn: Lpn, present: ProgramMode) -> ProgramMode {
        self.by_rule(lpn, present)
    }

    /// Rule n.
    #[inline]
    fn wants_rewrite(&self, lpn: Lpn, present: ProgramMode) -> bool {
        present == LOW_COST && self.separator.hotness(lpn).favours_rewrite(self.config.n)
    }

    fn figures(&self) -> RecordFigures {
        RecordFigures {
            bytes: self.separator.bytes(),
            decays: self.separator.decays(),
            false_hits: self.separator.false_hits(),
        }
    }

    fn reset_counts(&mut self) {
        self.separator.reset_counts();
    }
}

impl DifferentiatedEcc {
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
}
