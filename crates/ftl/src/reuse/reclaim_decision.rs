//! Decisions about a unit that cleaning takes.

use crate::address::Unit;
use crate::state::units::stream::Stream;

/// A unit that is cleaned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Victim {
    pub(crate) unit: Unit,
    /// Its valid pages when it was taken. The scheme is asked before they are moved and again
    /// behind that.
    pub(crate) valid_when_taken: u32,
    pub(crate) why: Why,
}

/// Why a unit is cleaned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Why {
    /// Room is needed, by a stream that has no open unit if one is named.
    Room { needy: Option<Stream> },
    /// A host write finds no unit that takes writes of groups of slots.
    Groups,
    /// The drive idles.
    Idle,
    /// Cold data moves for the sake of wear.
    Levelling,
}

/// Decision about a unit that cleaning takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReclaimDecision {
    /// Its valid pages are moved, and it is erased.
    Erase,
    /// Its valid pages are moved, and it is written again without an erase.
    Reopen,
    /// As `Reopen`, but slots of it may refuse a write, so cleaning cannot rely on it as a place
    /// for pages.
    ReopenUncertain,
    /// Its valid pages stay; the other slots are written again.
    ReopenInPlace,
    /// Its valid pages stay; the others take writes of groups of slots, which were asked for
    /// ([`Why::Groups`]).
    ReopenForGroups,
    /// Its valid pages stay; the pages that are still erased are written.
    Seal,
}

/// What the layer did with a unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum UnitEvent {
    /// Its valid pages are about to be moved.
    Emptying,
    /// It was erased and is kept.
    Erased,
    /// It went out of service, behind an erase or as it is.
    Lost,
    /// Without an erase, its slots are to be written again.
    Reopened,
    /// It takes no writes over invalid pages before it is erased: it was closed before it was full,
    /// or a mount found slots that were never programmed, or who knows how.
    BarredFromReuse,
}

/// What a scheme gives up where every pool is full of valid pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum GivesRoom {
    /// The writes of several slots of this unit: they are moved, as first writes.
    Clean { unit: Unit },
    /// Units that were held back; there may be more to clean now.
    AskAgain,
    /// Nothing.
    Nothing,
}
