//! What an effort scheme decides: the programming mode of every write, from what the host did
//! before.
//!
//! A scheme keeps its record of accesses and nothing else. Which page has which mode, and what was
//! done in it, is kept for all schemes alike in [`Tagged`](super::tagged::Tagged).

use rewear_flash::timing::ModeTiming;
use rewear_flash::{ConfigError, FlashConfig, ProgramMode};

use crate::address::Lpn;

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

/// What follows from a configuration once and for all.
#[derive(Debug, Clone)]
pub struct Facts {
    /// Modes 1 and up. Mode 0 is the chip's normal one.
    pub extra_modes: Vec<ModeTiming>,
    /// The modes that reports show, by number and name.
    pub names: &'static [(ProgramMode, &'static str)],
    /// The mode of what the host writes before the workload begins.
    pub at_first: ProgramMode,
    /// The mode of a rewrite.
    pub rewritten: ProgramMode,
    /// When a page is rewritten that [should be](Scheme::wants_rewrite).
    pub rewrites: RewritesWhen,
}

/// What a scheme's record of accesses takes and how true it is.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct RecordFigures {
    /// Bytes that it takes in the drive.
    pub bytes: u64,
    /// Times that it was aged.
    pub decays: u64,
    /// Probability that a page which was never read, and one which was never written, looks as if
    /// it had been; estimated from the filters' load whenever they age, and averaged. Absent where
    /// the record is exact.
    pub false_hits: Option<[f64; 2]>,
}

/// An effort scheme. All questions are about logical pages; none of them changes the drive.
pub trait Scheme: Sized {
    /// Its parameters.
    type Config: Clone + Default;

    /// Programming modes, the chip's normal one included; at most four.
    const MODES: usize;

    /// The scheme of a configuration.
    ///
    /// # Errors
    /// A parameter out of range; latencies that do not fit the kinds of pages, or cannot be
    /// derived.
    fn new(config: &Self::Config, flash: &FlashConfig) -> Result<(Self, Facts), ConfigError>;

    /// Bytes that the model of the record of accesses takes.
    fn model_bytes(config: &Self::Config, logical_pages: u32) -> u64;

    /// Bytes that the record of accesses takes in the memory of a controller, as *Cost* says.
    fn controller_bytes(config: &Self::Config, logical_pages: u32) -> u64;

    /// Makes room for the record of every logical page.
    fn prepare(&mut self, _logical_pages: u32) {}

    /// The accesses that follow belong to another request of the host.
    fn begin_request(&mut self) {}

    /// The host reads or writes a logical page.
    fn hear(&mut self, lpn: Lpn, access: Access);

    /// The mode of a host write.
    fn mode_to_write(&self, lpn: Lpn) -> ProgramMode;

    /// The mode in which cleaning programs a page again that has this one.
    fn mode_to_move(&self, lpn: Lpn, present: ProgramMode) -> ProgramMode;

    /// Whether a page that has this mode should be rewritten to be read more cheaply, as things
    /// stand.
    fn wants_rewrite(&self, lpn: Lpn, present: ProgramMode) -> bool;

    /// What the record takes, and how true it was since the last reset.
    fn figures(&self) -> RecordFigures;

    /// Starts counting anew; what is known of the pages stays.
    fn reset_counts(&mut self) {}
}
