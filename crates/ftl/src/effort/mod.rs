//! Axis `effort`: with how much effort must it be written?
//!
//! A scheme picks the programming mode of every write, remembers it for every page, and may ask for a page to be
//! rewritten when it is read.

pub mod uniform;

use rewear_flash::ProgramMode;
use rewear_flash::timing::ModeTiming;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::units::Stream;
use crate::{Lpn, Ppn};

/// The `[effort]` table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "scheme", rename_all = "kebab-case", deny_unknown_fields)]
pub enum EffortConfig {
    /// Every page is programmed in the chip's normal mode.
    #[serde(rename = "uniform")]
    Uniform {},
}

impl Default for EffortConfig {
    fn default() -> Self {
        EffortConfig::Uniform {}
    }
}

/// The effort scheme of a drive.
#[derive(Debug, Clone)]
pub enum Effort {
    /// See [`uniform`].
    Uniform(uniform::Uniform),
}

impl Effort {
    /// Builds the scheme of a configuration.
    pub fn new(config: &EffortConfig) -> Effort {
        match config {
            EffortConfig::Uniform {} => Effort::Uniform(uniform::Uniform),
        }
    }

    /// Programming modes beside the chip's normal one.
    pub fn extra_modes(&self) -> Vec<ModeTiming> {
        match self {
            Effort::Uniform(_) => Vec::new(),
        }
    }

    /// The mode in which a logical page is to be programmed now.
    #[inline]
    pub fn mode_to_write(&mut self, lpn: Lpn, stream: Stream) -> ProgramMode {
        match self {
            Effort::Uniform(scheme) => scheme.mode_to_write(lpn, stream),
        }
    }

    /// The mode in which a physical page was programmed.
    #[inline]
    pub fn mode_of(&self, ppn: Ppn) -> ProgramMode {
        match self {
            Effort::Uniform(scheme) => scheme.mode_of(ppn),
        }
    }

    /// A host read of a page was served; whether the page should be rewritten to be read more cheaply from now on.
    #[inline]
    pub fn should_rewrite(&mut self, lpn: Lpn, ppn: Ppn) -> bool {
        match self {
            Effort::Uniform(scheme) => scheme.should_rewrite(lpn, ppn),
        }
    }
}
