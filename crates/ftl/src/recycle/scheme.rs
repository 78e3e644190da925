//! What a recycling scheme decides: which pages may answer a write with what they hold.
//!
//! For every host write the layer asks in this order: a valid page that holds the content
//! ([`Scheme::find_live`]), the page that the write replaces ([`Scheme::finds_own_page`]), an
//! invalid page ([`Scheme::find_match`]). The last is asked again while the layer may not take the
//! page. It compares contents, makes pages valid, counts, and tells the scheme what happened
//! ([`Event`]).

use rewear_flash::{ConfigError, Nanos};

use super::counters::RecycleCounters;
use crate::address::{Lpn, Ppn};
use crate::cache_hints::Soon;
use crate::host::fingerprint::Fingerprint;
use crate::shape::layout::Layout;
use crate::state::State;
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
    /// A physical page is written over, or given back to be (for those of a unit see
    /// [`Scheme::hear_destroyed`]).
    Destroyed {
        /// The logical page that had left it behind, of a page that was invalid.
        lpn: Lpn,
        /// The physical page.
        ppn: Ppn,
    },
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

/// What does not change while the drive runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Facts {
    /// Whether several logical pages may share a physical one.
    pub shares_pages: bool,
    /// Whether only a page of the pool that the write would go to otherwise may answer it.
    pub stays_in_pool: bool,
    /// Time of a comparison in the store.
    pub comparison_ns: Nanos,
}

/// A recycling scheme. No question has an answer unless the scheme gives it, but for hints, which
/// change no result.
pub(crate) trait Scheme: Sized {
    /// Its parameters.
    type Config;

    /// Checks parameters.
    ///
    /// # Errors
    /// A parameter out of range.
    fn check(config: &Self::Config) -> Result<(), ConfigError>;

    /// What the layer must know of it.
    fn facts(config: &Self::Config) -> Facts;

    /// Memory that it takes.
    fn size(config: &Self::Config, layout: &Layout) -> ModelSize;

    /// The scheme of a new drive.
    fn new(config: &Self::Config, layout: &Layout) -> Self;

    /// Its parameters.
    fn config(&self) -> &Self::Config;

    /// Its [`facts`](Scheme::facts).
    #[inline]
    fn own_facts(&self) -> Facts {
        Self::facts(self.config())
    }

    /// A write of a content begins at a time; returns when its fingerprint is known.
    fn begin_write(&mut self, at: Nanos, fingerprint: Option<Fingerprint>) -> Nanos;

    /// Whether a page holds the content of the write under way, as far as fingerprints tell.
    fn holds_pending(&self, ppn: Ppn) -> bool;

    /// A valid page that holds the content of the write under way.
    fn find_live(&self) -> Option<Ppn>;

    /// Whether the page that the write under way replaces would answer it if it became invalid
    /// before the look-up. Returns the comparisons of the scan that finds it.
    fn finds_own_page(&mut self, ppn: Ppn) -> Option<u64>;

    /// The first invalid page, in the scheme's order, that matches the write under way; with
    /// `tried`, the first one behind that.
    fn find_match(&mut self, tried: Option<Ppn>) -> Option<Ppn>;

    /// Comparisons of a scan that ends at a page.
    fn comparisons(&self, ppn: Ppn) -> u64;

    /// Time of a scan that finds nothing.
    fn scan_ns(&self) -> Nanos;

    /// Hears of an event, and notes in `loss` how probable it is that the content of invalid pages
    /// is needed again.
    fn hear(&mut self, event: Event, loss: &mut ContentScore);

    /// Hears that all invalid pages among some in a row were destroyed, from `first` on, which
    /// `owners` had left behind.
    fn hear_destroyed(&mut self, first: Ppn, owners: &[Lpn], loss: &mut ContentScore);

    /// Gives the processor hints of what will be asked for soon; no effect on results.
    fn hint(&self, _: Soon) {}

    /// Counters since the last reset.
    fn counters(&self) -> RecycleCounters;

    /// For what the layer counts on the scheme's behalf.
    fn counters_mut(&mut self) -> &mut RecycleCounters;

    /// The clock starts anew.
    fn restart_clock(&mut self);

    /// Whether what the scheme keeps is consistent with the map. For tests.
    ///
    /// # Errors
    /// A description of the first inconsistency.
    fn audit(&self, state: &State) -> Result<(), String>;
}
