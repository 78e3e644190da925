//! Where a logical page is written: the values that a scheme and the layer exchange.

use std::ops::Range;

use rewear_flash::Nanos;

use crate::address::{Lpn, Pool, SlotAddress, Unit};
use crate::state::groups::{Group, GroupSlot};

/// Where a logical page is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    /// A slot that was not written since the erase of its unit, or since its unit was reopened.
    Slot(SlotAddress),
    /// Several slots, over the invalid pages that lie there.
    Group(GroupSlot),
    /// The slot where the logical page lies: it is programmed again in place.
    Again(SlotAddress),
}

/// Where a host write goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Placed {
    /// To the next slot of the open unit of its stream in a pool.
    Next { pool: Pool },
    /// Over what lies in the slots of a group.
    Group(GroupSlot),
}

/// What a scheme answers when it is asked for a place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Answer {
    /// The write goes there.
    Go(Placed),
    /// The next victim of each of these pools is reopened for groups, if the scheme wants it; then
    /// the scheme is asked again.
    AfterRecycling { pools: Range<Pool> },
}

/// A host write that is looking for its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct HostPage {
    pub(crate) lpn: Lpn,
    /// The pool whose turn it is.
    pub(crate) pool: Pool,
    /// Whether it may go to a group, and where: one of the pools of that group.
    pub(crate) group_pool: Option<Pool>,
    /// Whether a victim was reopened for it.
    pub(crate) recycled: bool,
}

/// Slots whose content is wanted before the write comes that goes over it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ReadAhead {
    /// When the reads begin; their planes idled then.
    pub(crate) at: Nanos,
    pub(crate) slots: GroupSlot,
}

/// A page for the real cells of a group, whose images were loaded.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PageForCells<'a> {
    pub(crate) data: &'a [u8],
    /// What a reader knows of the place.
    pub(crate) address: u64,
    /// Whether the images are what the cells hold.
    pub(crate) cells_are_known: bool,
}

/// Attempts that were made at one group of slots.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Tried {
    /// Attempts of the page that they used up.
    pub(crate) attempts: u8,
    /// Those that failed.
    pub(crate) failed: u8,
    /// Whether the last one succeeded.
    pub(crate) success: bool,
    /// Time that the failed ones took.
    pub(crate) lasted_ns: Nanos,
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

/// What the layer does for a scheme.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Order {
    /// These units form a group from now on.
    Tie(Group),
    /// This unit takes no more writes of groups, and is a candidate for cleaning again.
    End(Unit),
    /// Pages that cleaning moves have open units of their own, or share those of host writes. Only
    /// where they shared them at first.
    MoveApart(bool),
}
