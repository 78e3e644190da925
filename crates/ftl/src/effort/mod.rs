//! Axis `effort`: with how much effort must it be written?
//!
//! A scheme hears of the host's reads and writes, picks the programming mode of every write, remembers it for every page, and
//! may ask for a page to be rewritten when it is read.

pub mod agcr;
pub mod counts;
pub mod differentiated_ecc;
pub mod latencies;
mod page_modes;
pub mod uniform;

use agcr::{Agcr, AgcrConfig};
use counts::Figures;
use differentiated_ecc::{DifferentiatedEcc, DifferentiatedEccConfig};
use rewear_flash::timing::ModeTiming;
use rewear_flash::{ConfigError, FlashConfig, ProgramMode};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::address::{Lpn, Ppn};
use crate::shape::layout::Layout;

/// The `[effort]` table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "scheme", rename_all = "kebab-case", deny_unknown_fields)]
pub enum EffortConfig {
    /// Every page is programmed in the chip's normal mode.
    #[serde(rename = "uniform")]
    Uniform {},
    /// Pages that are mostly written are written quickly under a stronger code.
    DifferentiatedEcc(DifferentiatedEccConfig),
    /// Three write costs under one strong code, by exact access histories.
    Agcr(AgcrConfig),
}

impl Default for EffortConfig {
    fn default() -> Self {
        EffortConfig::Uniform {}
    }
}

impl EffortConfig {
    /// Bytes that the model of the scheme takes.
    pub(crate) fn model_bytes(&self, layout: &Layout) -> u64 {
        match self {
            EffortConfig::Uniform {} => 0,
            EffortConfig::DifferentiatedEcc(config) => {
                differentiated_ecc::model_bytes(config, layout.exported_pages, layout.slots())
            }
            EffortConfig::Agcr(_) => agcr::model_bytes(layout.exported_pages, layout.slots()),
        }
    }
}

/// What a host does to a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// It reads it.
    Read = 0,
    /// It writes it.
    Write = 1,
}

/// Whether and when a page should be rewritten that was just read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RewritesWhen {
    /// Not at all.
    Never,
    /// Right behind the read.
    Now,
    /// When the drive idles, if it still should be then.
    Idle,
}

/// The effort scheme of a drive.
///
/// What a scheme does for a page is kept out of line, so that the loops of a drive without one stay as small as they were.
#[derive(Debug, Clone)]
pub enum Effort {
    /// See [`uniform`].
    Uniform(uniform::Uniform),
    /// See [`differentiated_ecc`].
    DifferentiatedEcc(Box<DifferentiatedEcc>),
    /// See [`agcr`].
    Agcr(Box<Agcr>),
}

impl Effort {
    /// Builds the scheme of a configuration for a flash array.
    ///
    /// # Errors
    /// A parameter out of range; latencies that do not fit the kinds of pages, or cannot be derived.
    pub fn new(config: &EffortConfig, flash: &FlashConfig) -> Result<Effort, ConfigError> {
        Ok(match config {
            EffortConfig::Uniform {} => Effort::Uniform(uniform::Uniform),
            EffortConfig::DifferentiatedEcc(config) => {
                Effort::DifferentiatedEcc(Box::new(DifferentiatedEcc::new(config, flash)?))
            }
            EffortConfig::Agcr(config) => Effort::Agcr(Box::new(Agcr::new(config, flash)?)),
        })
    }

    /// Makes room for the state of every page, once the layout is known.
    pub fn prepare(&mut self, layout: &Layout) {
        match self {
            Effort::Uniform(_) => {}
            Effort::DifferentiatedEcc(scheme) => scheme.prepare(layout.exported_pages, layout.slots()),
            Effort::Agcr(scheme) => scheme.prepare(layout.exported_pages, layout.slots()),
        }
    }

    /// Programming modes beside the chip's normal one.
    pub fn extra_modes(&self) -> &[ModeTiming] {
        match self {
            Effort::Uniform(_) => &[],
            Effort::DifferentiatedEcc(scheme) => scheme.extra_modes(),
            Effort::Agcr(scheme) => scheme.extra_modes(),
        }
    }

    /// Whether the scheme wants to hear of the host's accesses.
    pub fn listens(&self) -> bool {
        !matches!(self, Effort::Uniform(_))
    }

    /// Whether what happens from now on is the workload. While it is not, the drive is being prepared: nothing is remembered of
    /// the accesses, and data is written as if nothing were known of it.
    pub fn set_listening(&mut self, listening: bool) {
        match self {
            Effort::Uniform(_) => {}
            Effort::DifferentiatedEcc(scheme) => scheme.set_listening(listening),
            Effort::Agcr(scheme) => scheme.set_listening(listening),
        }
    }

    /// The accesses that follow belong to another request of the host.
    #[inline]
    pub fn begin_request(&mut self) {
        if let Effort::DifferentiatedEcc(scheme) = self {
            scheme.begin_request();
        }
    }

    /// The host reads or writes a logical page.
    #[inline]
    pub fn hear(&mut self, lpn: Lpn, access: Access) {
        match self {
            Effort::Uniform(_) => {}
            Effort::DifferentiatedEcc(scheme) => scheme.hear(lpn, access),
            Effort::Agcr(scheme) => scheme.hear(lpn, access),
        }
    }

    /// The mode in which the page `to` is to be programmed now for a host write. The scheme remembers it.
    #[inline]
    pub fn mode_to_write(&mut self, lpn: Lpn, to: Ppn) -> ProgramMode {
        match self {
            Effort::Uniform(_) => ProgramMode::NORMAL,
            Effort::DifferentiatedEcc(scheme) => scheme.mode_to_write(lpn, to),
            Effort::Agcr(scheme) => scheme.mode_to_write(lpn, to),
        }
    }

    /// The mode in which a logical page is to be programmed now that cleaning moves from one page to another.
    #[inline]
    pub fn mode_to_move(&mut self, lpn: Lpn, from: Ppn, to: Ppn) -> ProgramMode {
        match self {
            Effort::Uniform(_) => ProgramMode::NORMAL,
            Effort::DifferentiatedEcc(scheme) => scheme.mode_to_move(lpn, from, to),
            Effort::Agcr(scheme) => scheme.mode_to_move(lpn, from, to),
        }
    }

    /// The mode in which the page `to` is to be programmed now with data that shall be read more cheaply.
    #[inline]
    pub fn mode_to_rewrite(&mut self, to: Ppn) -> ProgramMode {
        match self {
            Effort::Uniform(_) => ProgramMode::NORMAL,
            Effort::DifferentiatedEcc(scheme) => scheme.mode_to_rewrite(to),
            Effort::Agcr(scheme) => scheme.mode_to_rewrite(to),
        }
    }

    /// A mount found a page that was programmed in a mode.
    pub(crate) fn restore_mode(&mut self, ppn: Ppn, mode: ProgramMode) {
        match self {
            Effort::Uniform(_) => {}
            Effort::DifferentiatedEcc(scheme) => scheme.restore_mode(ppn, mode),
            Effort::Agcr(scheme) => scheme.restore_mode(ppn, mode),
        }
    }

    /// The mode in which a physical page was programmed.
    #[inline]
    pub fn mode_of(&self, ppn: Ppn) -> ProgramMode {
        match self {
            Effort::Uniform(_) => ProgramMode::NORMAL,
            Effort::DifferentiatedEcc(scheme) => scheme.mode_of(ppn),
            Effort::Agcr(scheme) => scheme.mode_of(ppn),
        }
    }

    /// A host read of a page was served; whether the page should be rewritten to be read more cheaply from now on.
    #[inline]
    pub fn was_read(&mut self, lpn: Lpn, ppn: Ppn) -> RewritesWhen {
        match self {
            Effort::Uniform(_) => RewritesWhen::Never,
            Effort::DifferentiatedEcc(scheme) => scheme.was_read(lpn, ppn),
            Effort::Agcr(scheme) => scheme.was_read(lpn, ppn),
        }
    }

    /// Whether a page should be rewritten, as things stand.
    pub fn wants_rewrite(&self, lpn: Lpn, ppn: Ppn) -> bool {
        match self {
            Effort::Uniform(_) => false,
            Effort::DifferentiatedEcc(scheme) => scheme.wants_rewrite(lpn, ppn),
            Effort::Agcr(scheme) => scheme.wants_rewrite(lpn, ppn),
        }
    }

    /// Whether rewrites wait for idle time.
    pub fn rewrites_in_idle_time(&self) -> bool {
        matches!(self, Effort::DifferentiatedEcc(scheme) if scheme.rewrites_in_idle_time())
    }

    /// What the scheme did since the last reset; `None` where there is nothing to say.
    pub fn figures(&self) -> Option<Figures> {
        match self {
            Effort::Uniform(_) => None,
            Effort::DifferentiatedEcc(scheme) => Some(scheme.figures()),
            Effort::Agcr(scheme) => Some(scheme.figures()),
        }
    }

    /// Starts counting anew; what is known of the pages stays.
    pub fn reset_counts(&mut self) {
        match self {
            Effort::Uniform(_) => {}
            Effort::DifferentiatedEcc(scheme) => scheme.reset_counts(),
            Effort::Agcr(scheme) => scheme.reset_counts(),
        }
    }
}
