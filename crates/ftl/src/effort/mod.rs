//! Axis `effort`: with how much effort must it be written?
//!
//! A scheme hears of the host's reads and writes and picks the programming mode of every write
//! ([`scheme`]); the mode of each page is kept for it ([`tagged`]). It may ask for a page to be
//! rewritten when it is read. This file is the registry: a line a scheme.

pub mod agcr;
pub mod counts;
pub mod differentiated_ecc;
mod page_modes;
pub mod scheme;
mod tagged;

use counts::{Counts, Figures};
use rewear_flash::copies::Copied;
use rewear_flash::timing::ModeTiming;
use rewear_flash::{ConfigError, FlashConfig, ProgramMode};
use schemars::JsonSchema;
use scheme::{Access, RewritesWhen};
use serde::{Deserialize, Serialize};
use tagged::Tagged;

use crate::address::{Lpn, Ppn, Slot};
use crate::shape::layout::Layout;

registry! {
    /// The `[effort]` table: the scheme and its parameters.
    EffortConfig, default Uniform;
    /// The effort scheme of a drive.
    pub enum Effort;
    without {
        /// Every page is programmed in the chip's normal mode.
        Uniform;
    }
    with_parameters {
        /// Pages that are mostly written are written quickly under a stronger code.
        DifferentiatedEcc(differentiated_ecc::DifferentiatedEccConfig) => Tagged<differentiated_ecc::DifferentiatedEcc>;
        /// Three write costs under one strong code, by exact access histories.
        Agcr(agcr::AgcrConfig) => Tagged<agcr::Agcr>;
    }
}

impl EffortConfig {
    /// Bytes that the model of the scheme takes.
    pub(crate) fn model_bytes(&self, layout: &Layout) -> u64 {
        of!(self, Kind, config => Kind::model_bytes(config, layout), 0)
    }

    /// Bytes that the scheme's tables take in the memory of a controller.
    pub(crate) fn controller_bytes(&self, layout: &Layout) -> u64 {
        of!(self, Kind, config => Kind::controller_bytes(config, layout), 0)
    }
}

impl Effort {
    /// Builds the scheme of a configuration for a flash array.
    ///
    /// # Errors
    /// A parameter out of range; latencies that do not fit the kinds of pages.
    pub fn new(config: &EffortConfig, flash: &FlashConfig) -> Result<Effort, ConfigError> {
        Ok(make!(config, Kind, config => Kind::new(config, flash)?))
    }

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
        pub(crate) fn extra_modes(&self) -> &[ModeTiming] = &[];
        /// The mode in which a physical page was programmed.
        #[inline]
        pub(crate) fn mode_of(&self, ppn: Ppn) -> ProgramMode = ProgramMode::NORMAL;
        /// Whether a page should be rewritten, as things stand.
        pub(crate) fn wants_rewrite(&self, lpn: Lpn, ppn: Ppn) -> bool = false;
        /// Whether rewrites wait for idle time.
        pub(crate) fn rewrites_in_idle_time(&self) -> bool = false;
        /// What was done in each mode since the last reset, by its number.
        pub(crate) fn counts(&self) -> Counts = Counts::default();
    }

    pass_on_mut! {
        /// Makes room for the state of every page, once the layout is known.
        pub(crate) fn prepare(&mut self, layout: &Layout) = ();
        /// Whether what happens from now on is the workload. While it is not, the drive is being
        /// prepared: nothing is remembered of the accesses, and data is written as if nothing were
        /// known of it.
        pub(crate) fn set_listening(&mut self, listening: bool) = ();
        /// The accesses that follow belong to another request of the host.
        #[inline]
        pub(crate) fn begin_request(&mut self) = ();
        /// The host reads or writes a logical page.
        #[inline]
        pub(crate) fn hear(&mut self, lpn: Lpn, access: Access) = ();
        /// The mode in which the page `to` is to be programmed now for a host write. The scheme
        /// remembers it.
        #[inline]
        pub(crate) fn mode_to_write(&mut self, lpn: Lpn, to: Ppn) -> ProgramMode = ProgramMode::NORMAL;
        /// The mode in which a logical page is to be programmed now that cleaning moves from one
        /// page to another.
        #[inline]
        pub(crate) fn mode_to_move(&mut self, lpn: Lpn, from: Ppn, to: Ppn) -> ProgramMode = ProgramMode::NORMAL;
        /// As [`mode_to_move`](Self::mode_to_move), of pages in slots behind `from` that move to
        /// those from `to` on, each with its owner: appends how each is copied.
        pub(crate) fn modes_to_move(&mut self, row: &[(Slot, Lpn)], from: Ppn, to: Ppn, copies: &mut Vec<Copied>) = ();
        /// The mode in which the page `to` is to be programmed now with the data of the page
        /// `from`, which shall be read more cheaply.
        #[inline]
        pub(crate) fn mode_to_rewrite(&mut self, from: Ppn, to: Ppn) -> ProgramMode = ProgramMode::NORMAL;
        /// A mount found a page that was programmed in a mode.
        pub(crate) fn restore_mode(&mut self, ppn: Ppn, mode: ProgramMode) = ();
        /// A host read of a page was served; whether the page should be rewritten to be read more
        /// cheaply from now on.
        #[inline]
        pub(crate) fn was_read(&mut self, lpn: Lpn, ppn: Ppn) -> RewritesWhen = RewritesWhen::Never;
        /// Starts counting anew; what is known of the pages stays.
        pub(crate) fn reset_counts(&mut self) = ();
    }
}
