//! Why a logical page is programmed, and what comes of it.

use rewear_flash::Nanos;
use rewear_flash::medium::Kind;

use crate::address::{Lpn, Ppn, SlotAddress};
use crate::state::counters::ProgramCause;
use crate::state::groups::GroupSlot;
use crate::state::units::stream::Stream;

/// A logical page that is about to be programmed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LogicalPage {
    pub(crate) lpn: Lpn,
    /// Through whose open unit it goes.
    pub(crate) stream: Stream,
    pub(crate) cause: Cause,
}

impl LogicalPage {
    #[inline(always)]
    pub(super) fn recorded(&self) -> RecordedPage {
        let kind = match self.cause {
            Cause::Host | Cause::Moved(_) | Cause::Rewritten { .. } => Kind::Slot,
            Cause::Overwritten => Kind::Again,
            Cause::Metadata => Kind::Log,
        };
        RecordedPage { lpn: self.lpn, stream: self.stream, kind }
    }
}

/// A logical page as its record calls it: small, so that the page itself need not lie in memory.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RecordedPage {
    pub(crate) lpn: Lpn,
    pub(crate) stream: Stream,
    pub(crate) kind: Kind,
}

/// Why.
#[derive(Debug, Clone, Copy)]
#[repr(u8)] // With a tag of its own: one that shares a byte with `Source::group` would be looked at for every page that is moved.
pub(crate) enum Cause {
    /// The host wrote it.
    Host,
    /// The host overwrites it where it lies.
    Overwritten,
    /// Cleaning or wear levelling moves it, or a rescue off a unit that failed.
    Moved(Source),
    /// It lies at `from` and shall be read more cheaply.
    Rewritten { from: SlotAddress },
    /// It is a page of the log; its number stands for a logical page's.
    Metadata,
}

impl Cause {
    /// Under which cause it counts.
    #[inline(always)]
    pub(crate) fn kind(&self) -> ProgramCause {
        match self {
            Cause::Host | Cause::Overwritten => ProgramCause::Host,
            Cause::Moved(_) => ProgramCause::Moved,
            Cause::Rewritten { .. } => ProgramCause::Rewritten,
            Cause::Metadata => ProgramCause::Metadata,
        }
    }
}

/// Where a page lies that is moved.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Source {
    /// The slot that is emptied: the page's own, or one of several.
    pub(crate) at: SlotAddress,
    /// Where the page map points.
    pub(crate) ppn: Ppn,
    /// All slots of the page, where it lies in several.
    pub(crate) group: Option<GroupSlot>,
    /// When the page was read, if it was read ahead.
    pub(crate) read_at: Option<Nanos>,
}

/// A program that was made.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Outcome {
    pub(crate) end: Nanos,
    /// The page must be programmed once more, elsewhere; its unit is condemned.
    pub(crate) failed: bool,
}
