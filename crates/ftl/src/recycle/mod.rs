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

registry! {
    /// The `[recycle]` table.
    RecycleConfig, default Nothing;
    /// The recycling scheme of a drive.
    pub enum Recycle;
    without {
        /// Every host write is written.
        Nothing = "none";
    }
    with_parameters {
        /// Invalid pages with the content of a write become valid again (LX-SSD); on request valid
        /// ones are shared.
        Lx(lx::config::LxConfig) => lx::Lx;
    }
}

impl RecycleConfig {
    /// Checks parameters.
    ///
    /// # Errors
    /// A parameter out of range.
    pub fn check(&self) -> Result<(), ConfigError> {
        of!(self, Kind, config => Kind::check(config), Ok(()))
    }

    /// What the layer must know of the scheme; `None` without one.
    pub fn facts(&self) -> Option<Facts> {
        of!(self, Kind, config => Some(Kind::facts(config)), None)
    }

    /// Memory that the scheme takes.
    pub fn size(&self, layout: &Layout) -> ModelSize {
        of!(self, Kind, config => Kind::size(config, layout), ModelSize::default())
    }

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
    /// Builds the scheme of a configuration.
    pub fn new(config: &RecycleConfig, layout: &Layout) -> Recycle {
        make!(config, Kind, config => Kind::new(config, layout))
    }

    /// What the layer must know of the scheme; `None` without one.
    #[inline]
    pub(crate) fn facts(&self) -> Option<Facts> {
        ask!(self, scheme => Some(scheme.own_facts()), None)
    }

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
        pub(crate) fn holds_pending(&self, ppn: Ppn) -> bool = false;
        #[inline]
        pub(crate) fn find_live(&self) -> Option<Ppn> = None;
        #[inline]
        pub(crate) fn comparisons(&self, ppn: Ppn) -> u64 = 0;
        #[inline]
        pub(crate) fn scan_ns(&self) -> Nanos = 0;
        #[inline(always)]
        pub(crate) fn hint(&self, soon: Soon) = ();
        pub(crate) fn audit(&self, state: &State) -> Result<(), String> = Ok(());
    }

    pass_on_mut! {
        #[inline]
        pub(crate) fn begin_write(&mut self, at: Nanos, fingerprint: Option<Fingerprint>) -> Nanos = at;
        #[inline]
        pub(crate) fn finds_own_page(&mut self, ppn: Ppn) -> Option<u64> = None;
        #[inline]
        pub(crate) fn find_match(&mut self, tried: Option<Ppn>) -> Option<Ppn> = None;
        #[inline(always)]
        pub(crate) fn hear(&mut self, event: Event, loss: &mut ContentScore) = ();
        pub(crate) fn hear_destroyed(&mut self, first: Ppn, owners: &[Lpn], loss: &mut ContentScore) = ();
        pub(crate) fn restart_clock(&mut self) = ();
    }
}
