//! Axis `recycle`: must it be written at all?
//!
//! A scheme may answer a host write with a page that still holds the content ([`scheme`]). It learns from events which pages became
//! invalid and whose content was destroyed; it never asks another axis. This file is the registry: a line a scheme.

pub mod counters;
pub mod fingerprints;
pub mod scheme;

use counters::RecycleCounters;
use rewear_flash::{ConfigError, Nanos};
use schemars::JsonSchema;
use scheme::{Event, Facts, ModelSize, Scheme};
use serde::{Deserialize, Serialize};

use crate::address::{Lpn, Ppn};
use crate::cache_hints::Soon;
use crate::host::fingerprint::Fingerprint;
use crate::shape::layout::Layout;
use crate::state::State;
use crate::state::content_score::ContentScore;

/// Makes the `[recycle]` table and the scheme of a drive of a list of schemes, and passes every question to the scheme that is
/// configured: a predictable branch instead of a virtual call.
macro_rules! schemes {
    ($($(#[doc = $doc:literal])* $name:ident($config:ty) => $scheme:ty;)*) => {
        /// The `[recycle]` table.
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
        #[serde(tag = "scheme", rename_all = "kebab-case", deny_unknown_fields)]
        pub enum RecycleConfig {
            /// Every host write is written.
            #[serde(rename = "none")]
            Nothing {},
            $($(#[doc = $doc])* $name($config),)*
        }

        impl RecycleConfig {
            /// Configurations of every scheme, for tests of all of them.
            pub fn examples() -> Vec<RecycleConfig> {
                let mut all = vec![RecycleConfig::Nothing {}];
                $(all.extend(<$scheme>::examples().into_iter().map(RecycleConfig::$name));)*
                all
            }

            /// Checks parameters.
            ///
            /// # Errors
            /// A parameter out of range.
            pub fn check(&self) -> Result<(), ConfigError> {
                match self {
                    RecycleConfig::Nothing {} => Ok(()),
                    $(RecycleConfig::$name(config) => <$scheme>::check(config),)*
                }
            }

            /// What the layer must know of the scheme; `None` without one.
            pub fn facts(&self) -> Option<Facts> {
                match self {
                    RecycleConfig::Nothing {} => None,
                    $(RecycleConfig::$name(config) => Some(<$scheme>::facts(config)),)*
                }
            }

            /// Memory that the scheme takes.
            pub fn size(&self, layout: &Layout) -> ModelSize {
                match self {
                    RecycleConfig::Nothing {} => ModelSize::default(),
                    $(RecycleConfig::$name(config) => <$scheme as Scheme>::size(config, layout),)*
                }
            }
        }

        /// The recycling scheme of a drive.
        #[derive(Debug, Clone)]
        pub enum Recycle {
            /// Every host write is written.
            Nothing,
            $($(#[doc = $doc])* $name(Box<$scheme>),)*
        }

        impl Recycle {
            /// Builds the scheme of a configuration.
            pub fn new(config: &RecycleConfig, layout: &Layout) -> Recycle {
                match config {
                    RecycleConfig::Nothing {} => Recycle::Nothing,
                    $(RecycleConfig::$name(config) => {
                        Recycle::$name(Box::new(<$scheme as Scheme>::new(config, layout)))
                    })*
                }
            }
        }

        impl Recycle {
            /// What the layer must know of the scheme; `None` without one.
            #[inline]
            pub(crate) fn facts(&self) -> Option<Facts> {
                match self {
                    Recycle::Nothing => None,
                    $(Recycle::$name(scheme) => Some(<$scheme>::facts(scheme.config())),)*
                }
            }
        }

        /// Calls a method on the scheme that is configured; without one the answer is the second.
        macro_rules! ask {
            ($recycle:expr, $called:ident => $call:expr, $otherwise:expr) => {
                match $recycle {
                    Recycle::Nothing => $otherwise,
                    $(Recycle::$name($called) => $call,)*
                }
            };
        }
    };
}

schemes! {
    /// Invalid pages with the content of a write become valid again (LX-SSD); on request valid ones are shared.
    Fingerprints(fingerprints::config::FingerprintsConfig) => fingerprints::Fingerprints;
}

impl Default for RecycleConfig {
    fn default() -> Self {
        RecycleConfig::Nothing {}
    }
}

impl RecycleConfig {
    /// Whether several logical pages may share a physical one.
    pub fn shares_pages(&self) -> bool {
        self.facts().is_some_and(|facts| facts.shares_pages)
    }

    /// Whether the scheme asks for the content of writes.
    pub fn wants_content(&self) -> bool {
        self.facts().is_some()
    }
}

/// What the scheme is asked: see [`Scheme`].
impl Recycle {
    /// Whether the scheme wants events at all.
    #[inline]
    pub fn listens(&self) -> bool {
        !matches!(self, Recycle::Nothing)
    }

    /// A write of a content begins; returns when its fingerprint is known.
    #[inline]
    pub(crate) fn begin_write(&mut self, at: Nanos, fingerprint: Option<Fingerprint>) -> Nanos {
        ask!(self, scheme => scheme.begin_write(at, fingerprint), at)
    }

    /// Whether a page holds the content of the write under way, as far as fingerprints tell.
    #[inline]
    pub(crate) fn holds_pending(&self, ppn: Ppn) -> bool {
        ask!(self, scheme => scheme.holds_pending(ppn), false)
    }

    /// A valid page that holds the content of the write under way.
    #[inline]
    pub(crate) fn find_live(&self) -> Option<Ppn> {
        ask!(self, scheme => scheme.find_live(), None)
    }

    /// The comparisons after which the page that the write under way replaces would answer it, if it would.
    #[inline]
    pub(crate) fn finds_own_page(&mut self, ppn: Ppn) -> Option<u64> {
        ask!(self, scheme => scheme.finds_own_page(ppn), None)
    }

    /// The first invalid page that matches the write under way, behind `tried`.
    #[inline]
    pub(crate) fn find_match(&mut self, tried: Option<Ppn>) -> Option<Ppn> {
        ask!(self, scheme => scheme.find_match(tried), None)
    }

    /// Comparisons of a scan that ends at a page.
    #[inline]
    pub(crate) fn comparisons(&self, ppn: Ppn) -> u64 {
        ask!(self, scheme => scheme.comparisons(ppn), 0)
    }

    /// Time of a scan that finds nothing.
    #[inline]
    pub(crate) fn scan_ns(&self) -> Nanos {
        ask!(self, scheme => scheme.scan_ns(), 0)
    }

    /// Hears of an event, and notes in `loss` how probable it is that the content of invalid pages is needed again.
    #[inline(always)]
    pub fn hear(&mut self, event: Event, loss: &mut ContentScore) {
        ask!(self, scheme => scheme.hear(event, loss), ());
    }

    /// Hears that all invalid pages among some in a row were destroyed, from `first` on, which `owners` had left behind.
    pub fn hear_destroyed(&mut self, first: Ppn, owners: &[Lpn], loss: &mut ContentScore) {
        ask!(self, scheme => scheme.hear_destroyed(first, owners, loss), ());
    }

    /// Gives the processor hints of what will be asked for soon; no effect on results.
    #[inline(always)]
    pub fn hint(&self, soon: Soon) {
        ask!(self, scheme => scheme.hint(soon), ());
    }

    /// What the scheme counted since the last reset; `None` if there is none.
    pub fn counters(&self) -> Option<RecycleCounters> {
        ask!(self, scheme => Some(scheme.counters()), None)
    }

    /// Counts what the layer did on the scheme's behalf.
    #[inline]
    pub(crate) fn count(&mut self, change: impl FnOnce(&mut RecycleCounters)) {
        ask!(self, scheme => change(scheme.counters_mut()), ());
    }

    /// Starts counting anew.
    pub fn reset_counters(&mut self) {
        self.count(|counters| *counters = RecycleCounters::default());
    }

    /// The clock starts anew.
    pub fn restart_clock(&mut self) {
        ask!(self, scheme => scheme.restart_clock(), ());
    }

    /// Whether what the scheme keeps is consistent with the map. For tests.
    ///
    /// # Errors
    /// A description of the first inconsistency.
    pub(crate) fn audit(&self, state: &State) -> Result<(), String> {
        ask!(self, scheme => scheme.audit(state), Ok(()))
    }
}
