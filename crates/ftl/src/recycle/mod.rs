//! Axis `recycle`: must it be written at all?
//!
//! A scheme may answer a host write with a page that still holds the content. It learns from [`Event`]s which
//! pages became invalid and whose content was destroyed; it never asks another axis.

pub mod counters;
pub mod fingerprints;

use counters::RecycleCounters;
use fingerprints::Fingerprints;
use fingerprints::config::FingerprintsConfig;
use rewear_flash::ConfigError;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::address::{Lpn, Ppn};
use crate::cache_hints::Soon;
use crate::shape::layout::Layout;
use crate::state::content_score::ContentScore;

/// What the flash translation layer tells a recycling scheme.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Event {
    /// The write under way was programmed to a physical page, which becomes valid.
    Written {
        /// The physical page.
        ppn: Ppn,
    },
    /// The write under way was answered by a page that is valid and stays so.
    Answered {
        /// The physical page.
        ppn: Ppn,
    },
    /// A physical page became invalid; its content is still there.
    Invalidated {
        /// The logical page it held.
        lpn: Lpn,
        /// The physical page.
        ppn: Ppn,
    },
    /// An invalid page answered the write under way and is valid again.
    Revived {
        /// The logical page that had left it behind.
        lpn: Lpn,
        /// The physical page.
        ppn: Ppn,
    },
    /// The content of a valid page is in another page now, which is valid instead.
    Moved {
        /// Where it was.
        from: Ppn,
        /// Where it is.
        to: Ppn,
    },
    /// The host read a valid page.
    Read {
        /// The physical page.
        ppn: Ppn,
    },
    /// A physical page is written over, or given back to be (for those of a unit see [`Recycle::hear_destroyed`]).
    Destroyed {
        /// The logical page that had left it behind, of a page that was invalid.
        lpn: Lpn,
        /// The physical page.
        ppn: Ppn,
    },
}

/// The `[recycle]` table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "scheme", rename_all = "kebab-case", deny_unknown_fields)]
pub enum RecycleConfig {
    /// Every host write is written.
    #[serde(rename = "none")]
    Nothing {},
    /// Invalid pages with the content of a write become valid again (LX-SSD); on request valid ones are shared.
    Fingerprints(FingerprintsConfig),
}

impl Default for RecycleConfig {
    fn default() -> Self {
        RecycleConfig::Nothing {}
    }
}

/// Memory of a scheme, in bytes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ModelSize {
    /// In a drive: the store.
    pub store_bytes: u64,
    /// In a drive: tables about pages.
    pub tables_bytes: u64,
    /// Of the model.
    pub model_bytes: u64,
}

impl RecycleConfig {
    /// Checks parameters.
    ///
    /// # Errors
    /// A parameter out of range.
    pub fn check(&self) -> Result<(), ConfigError> {
        match self {
            RecycleConfig::Nothing {} => Ok(()),
            RecycleConfig::Fingerprints(config) => config.check(),
        }
    }

    /// Whether several logical pages may share a physical one.
    pub fn shares_pages(&self) -> bool {
        match self {
            RecycleConfig::Nothing {} => false,
            RecycleConfig::Fingerprints(config) => config.shares_pages(),
        }
    }

    /// Whether the scheme asks for the content of writes.
    pub fn wants_content(&self) -> bool {
        match self {
            RecycleConfig::Nothing {} => false,
            RecycleConfig::Fingerprints(_) => true,
        }
    }

    /// Memory that the scheme takes.
    pub fn size(&self, layout: &Layout) -> ModelSize {
        match self {
            RecycleConfig::Nothing {} => ModelSize::default(),
            RecycleConfig::Fingerprints(config) => {
                Fingerprints::size(config, layout.exported_pages, layout.slots())
            }
        }
    }
}

/// The recycling scheme of a drive.
#[derive(Debug, Clone)]
pub enum Recycle {
    /// Every host write is written.
    Nothing,
    /// See [`fingerprints`].
    Fingerprints(Box<Fingerprints>),
}

impl Recycle {
    /// Builds the scheme of a configuration.
    pub fn new(config: &RecycleConfig, layout: &Layout) -> Recycle {
        match config {
            RecycleConfig::Nothing {} => Recycle::Nothing,
            RecycleConfig::Fingerprints(config) => {
                let scheme = Fingerprints::new(config, layout.exported_pages, layout.slots());
                Recycle::Fingerprints(Box::new(scheme))
            }
        }
    }

    /// Whether the scheme wants events at all.
    #[inline]
    pub fn listens(&self) -> bool {
        !matches!(self, Recycle::Nothing)
    }

    /// Hears of an event, and notes in `loss` how probable it is that the content of invalid pages is needed again.
    #[inline(always)]
    pub fn hear(&mut self, event: Event, loss: &mut ContentScore) {
        match self {
            Recycle::Nothing => {}
            Recycle::Fingerprints(scheme) => scheme.hear(event, loss),
        }
    }

    /// Hears that all invalid pages among some in a row were destroyed, from `first` on, which `owners` had left behind.
    pub fn hear_destroyed(&mut self, first: Ppn, owners: &[Lpn], loss: &mut ContentScore) {
        match self {
            Recycle::Nothing => {}
            Recycle::Fingerprints(scheme) => scheme.hear_destroyed(first, owners, loss),
        }
    }

    /// Gives the processor hints of what will be asked for soon; no effect on results.
    #[inline(always)]
    pub fn hint(&self, soon: Soon) {
        match self {
            Recycle::Nothing => {}
            Recycle::Fingerprints(scheme) => scheme.hint(soon),
        }
    }

    /// What the scheme counted since the last reset; `None` if there is none.
    pub fn counters(&self) -> Option<RecycleCounters> {
        match self {
            Recycle::Nothing => None,
            Recycle::Fingerprints(scheme) => Some(scheme.counters()),
        }
    }

    /// Starts counting anew.
    pub fn reset_counters(&mut self) {
        match self {
            Recycle::Nothing => {}
            Recycle::Fingerprints(scheme) => scheme.counters = RecycleCounters::default(),
        }
    }

    /// The clock starts anew.
    pub fn restart_clock(&mut self) {
        match self {
            Recycle::Nothing => {}
            Recycle::Fingerprints(scheme) => scheme.restart_clock(),
        }
    }
}
