//! Axis `effort`: with how much effort must it be written?
//!
//! A scheme hears of the host's reads and writes and picks the programming mode of every write
//! ([`scheme`]); the mode of each page is kept for it ([`tagged`]). It may ask for a page to be
//! rewritten when it is read. This file is the registry: a line a scheme.

pub mod agcr;
pub mod counts;
pub mod differentiated_ecc;
pub mod latencies;
mod page_modes;
pub mod scheme;
mod tagged;

use counts::{Counts, Figures};
use rewear_flash::timing::ModeTiming;
use rewear_flash::{ConfigError, FlashConfig, ProgramMode};
use schemars::JsonSchema;
use scheme::{Access, RewritesWhen};
use serde::{Deserialize, Serialize};
use tagged::Tagged;

use crate::address::{Lpn, Ppn};
use crate::shape::layout::Layout;

/// Makes the `[effort]` table and the scheme of a drive of a list of schemes. Every question goes
/// to the scheme that is configured, by a predictable branch instead of a virtual call.
macro_rules! schemes {
    ($($(#[doc = $doc:literal])* $name:ident($config:ty) => $scheme:ty;)*) => {
        /// The `[effort]` table: the scheme and its parameters.
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
        #[serde(tag = "scheme", rename_all = "kebab-case", deny_unknown_fields)]
        pub enum EffortConfig {
            /// Every page is programmed in the chip's normal mode.
            #[serde(rename = "uniform")]
            Uniform {},
            $($(#[doc = $doc])* $name($config),)*
        }

        impl EffortConfig {
            /// Bytes that the model of the scheme takes.
            pub(crate) fn model_bytes(&self, layout: &Layout) -> u64 {
                match self {
                    EffortConfig::Uniform {} => 0,
                    $(EffortConfig::$name(config) => Tagged::<$scheme>::model_bytes(config, layout),)*
                }
            }

            /// Bytes that the scheme's tables take in the memory of a controller.
            pub(crate) fn controller_bytes(&self, layout: &Layout) -> u64 {
                match self {
                    EffortConfig::Uniform {} => 0,
                    $(EffortConfig::$name(config) => Tagged::<$scheme>::controller_bytes(config, layout),)*
                }
            }
        }

        /// The effort scheme of a drive.
        #[derive(Debug, Clone)]
        pub enum Effort {
            /// The chip as its maker delivers it: one mode, one latency, no record.
            Uniform,
            $($(#[doc = $doc])* $name(Box<Tagged<$scheme>>),)*
        }

        impl Effort {
            /// Builds the scheme of a configuration for a flash array.
            ///
            /// # Errors
            /// A parameter out of range; latencies that do not fit the kinds of pages, or cannot be
            /// derived.
            pub fn new(config: &EffortConfig, flash: &FlashConfig) -> Result<Effort, ConfigError> {
                Ok(match config {
                    EffortConfig::Uniform {} => Effort::Uniform,
                    $(EffortConfig::$name(config) => Effort::$name(Box::new(Tagged::new(config, flash)?)),)*
                })
            }
        }

        /// Calls a method on the scheme that is configured; without one the answer is the second.
        macro_rules! ask {
            ($effort:expr, $called:ident => $call:expr, $otherwise:expr) => {
                match $effort {
                    Effort::Uniform => $otherwise,
                    $(Effort::$name($called) => $call,)*
                }
            };
        }
    };
}

schemes! {
    /// Pages that are mostly written are written quickly under a stronger code.
    DifferentiatedEcc(differentiated_ecc::DifferentiatedEccConfig) => differentiated_ecc::DifferentiatedEcc;
    /// Three write costs under one strong code, by exact access histories.
    Agcr(agcr::AgcrConfig) => agcr::Agcr;
}

impl Default for EffortConfig {
    fn default() -> Self {
        EffortConfig::Uniform {}
    }
}

impl Effort {
    /// Whether the scheme wants to hear of the host's accesses.
    pub fn listens(&self) -> bool {
        !matches!(self, Effort::Uniform)
    }

    /// What the scheme did since the last reset; `None` where there is nothing to say.
    pub fn figures(&self) -> Option<Figures> {
        ask!(self, scheme => Some(scheme.figures()), None)
    }

    pass_on! {
        /// Programming modes beside the chip's normal one.
        fn extra_modes(&self) -> &[ModeTiming] = &[];
        /// The mode in which a physical page was programmed.
        #[inline]
        fn mode_of(&self, ppn: Ppn) -> ProgramMode = ProgramMode::NORMAL;
        /// Whether a page should be rewritten, as things stand.
        fn wants_rewrite(&self, lpn: Lpn, ppn: Ppn) -> bool = false;
        /// Whether rewrites wait for idle time.
        fn rewrites_in_idle_time(&self) -> bool = false;
        /// What was done in each mode since the last reset, by its number.
        fn counts(&self) -> Counts = Counts::default();
    }

    pass_on_mut! {
        /// Makes room for the state of every page, once the layout is known.
        fn prepare(&mut self, layout: &Layout) = ();
        /// Whether what happens from now on is the workload. While it is not, the drive is being
        /// prepared: nothing is remembered of the accesses, and data is written as if nothing were
        /// known of it.
        fn set_listening(&mut self, listening: bool) = ();
        /// The accesses that follow belong to another request of the host.
        #[inline]
        fn begin_request(&mut self) = ();
        /// The host reads or writes a logical page.
        #[inline]
        fn hear(&mut self, lpn: Lpn, access: Access) = ();
        /// The mode in which the page `to` is to be programmed now for a host write. The scheme
        /// remembers it.
        #[inline]
        fn mode_to_write(&mut self, lpn: Lpn, to: Ppn) -> ProgramMode = ProgramMode::NORMAL;
        /// The mode in which a logical page is to be programmed now that cleaning moves from one
        /// page to another.
        #[inline]
        fn mode_to_move(&mut self, lpn: Lpn, from: Ppn, to: Ppn) -> ProgramMode = ProgramMode::NORMAL;
        /// The mode in which the page `to` is to be programmed now with the data of the page
        /// `from`, which shall be read more cheaply.
        #[inline]
        fn mode_to_rewrite(&mut self, from: Ppn, to: Ppn) -> ProgramMode = ProgramMode::NORMAL;
        /// A mount found a page that was programmed in a mode.
        fn restore_mode(&mut self, ppn: Ppn, mode: ProgramMode) = ();
        /// A host read of a page was served; whether the page should be rewritten to be read more
        /// cheaply from now on.
        #[inline]
        fn was_read(&mut self, lpn: Lpn, ppn: Ppn) -> RewritesWhen = RewritesWhen::Never;
        /// Starts counting anew; what is known of the pages stays.
        fn reset_counts(&mut self) = ();
    }
}
