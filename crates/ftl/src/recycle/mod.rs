//! Axis `recycle`: must it be written at all?
//!
//! A scheme may answer a host write with a page that still holds the content ([`scheme`]). It
//! learns from events which pages became invalid and whose content was destroyed; it never asks
//! another axis. This file is the registry: a line a scheme.

pub mod counters;
pub mod lx;
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

/// Makes the `[recycle]` table and the scheme of a drive of a list of schemes. Every question goes
/// to the scheme that is configured, by a predictable branch instead of a virtual call.
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
    /// Invalid pages with the content of a write become valid again (LX-SSD); on request valid ones
    /// are shared.
    Lx(lx::config::LxConfig) => lx::Lx;
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

    /// What the scheme counted since the last reset; `None` if there is none.
    pub fn counters(&self) -> Option<RecycleCounters> {
        ask!(self, scheme => Some(scheme.counters()), None)
    }

    /// Counts what the layer did on the scheme's behalf.
    #[inline]
    pub(crate) fn count(&mut self, change: impl FnOnce(&mut RecycleCounters)) {
        ask!(self, scheme => change(scheme.counters_mut()), ());
    }

    pass_on! {
        #[inline]
        fn holds_pending(&self, ppn: Ppn) -> bool = false;
        #[inline]
        fn find_live(&self) -> Option<Ppn> = None;
        #[inline]
        fn comparisons(&self, ppn: Ppn) -> u64 = 0;
        #[inline]
        fn scan_ns(&self) -> Nanos = 0;
        #[inline(always)]
        fn hint(&self, soon: Soon) = ();
        fn audit(&self, state: &State) -> Result<(), String> = Ok(());
    }

    pass_on_mut! {
        #[inline]
        fn begin_write(&mut self, at: Nanos, fingerprint: Option<Fingerprint>) -> Nanos = at;
        #[inline]
        fn finds_own_page(&mut self, ppn: Ppn) -> Option<u64> = None;
        #[inline]
        fn find_match(&mut self, tried: Option<Ppn>) -> Option<Ppn> = None;
        #[inline(always)]
        fn hear(&mut self, event: Event, loss: &mut ContentScore) = ();
        fn hear_destroyed(&mut self, first: Ppn, owners: &[Lpn], loss: &mut ContentScore) = ();
        fn restart_clock(&mut self) = ();
    }
}
