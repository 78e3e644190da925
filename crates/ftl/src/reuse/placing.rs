//! The interface of a scheme that names the places of host writes: over the invalid slots of a group of units.
//!
//! The scheme decides on a view of the translation layer's state, and says in values what is to be done; the layer does it
//! (`group_write.rs`), and asks again where an answer needs it done first.

use std::ops::Range;

use rewear_flash::Nanos;

use crate::address::{Lpn, Pool, Unit};
use crate::error::FtlError;
use crate::state::State;
use crate::state::groups::GroupSlot;

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
    /// Each of these pools is cleaned as long as [`wants_cleaning`](Placing::wants_cleaning) says so; then the scheme is asked
    /// again. Where nothing can be cleaned it is asked all the same.
    AfterCleaning { pools: Range<Pool> },
}

/// A host write that is looking for its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct HostPage {
    pub(crate) lpn: Lpn,
    /// The pool whose turn it is.
    pub(crate) pool: Pool,
    /// Whether it may go to a group, and where: one of the pools of that group.
    pub(crate) group_pool: Option<Pool>,
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

/// What such a scheme decides. `view` is the state as it is, once the orders so far were executed.
pub(crate) trait Placing {
    /// Whether a host write may go to a group, and where.
    fn arrives(&mut self, lpn: Lpn, pool: Pool) -> HostPage;

    /// Where a write goes, asked for the `round`th time, from 0.
    fn place(&mut self, view: &State, page: &HostPage, round: u32) -> Answer;

    /// Whether a pool shall give a victim before the scheme is asked again. It gave so many already.
    fn wants_cleaning(&self, view: &State, pool: Pool, round: u32, cleaned: u32) -> bool;

    /// An operation on a pool is asked for at `at`: the next reads that its planes had time for since they were wanted.
    fn read_ahead(&mut self, view: &State, pool: Pool, at: Nanos) -> Option<ReadAhead>;

    /// They were made, and ended at `end`.
    fn was_read(&mut self, ahead: &ReadAhead, end: Nanos);

    /// When the content of some slots was read, if it is at hand. It is used up.
    fn content_at_hand(&mut self, slots: &GroupSlot) -> Option<Nanos>;

    /// Tries to encode a page on some slots, after `used` attempts elsewhere. `page` is given on stored cells.
    ///
    /// # Errors
    /// A fault of the code.
    fn encode(
        &mut self,
        slots: &GroupSlot,
        used: u8,
        page: Option<PageForCells<'_>>,
    ) -> Result<Tried, FtlError>;

    /// After `used` attempts in all the page was not encoded, the last of them ended at `at`: the slots for the next one, if there is one.
    fn refused(&mut self, view: &State, slots: &GroupSlot, used: u8, at: Nanos) -> Option<GroupSlot>;

    /// The slots were programmed; the program ended at `at`.
    fn programmed(&mut self, view: &State, slots: &GroupSlot, at: Nanos);

    /// A program failed on one of the units.
    fn program_failed(&mut self, slots: &GroupSlot);

    /// A unit was reopened at `at`: its invalid slots are for groups.
    fn reopened(&mut self, view: &State, unit: Unit, at: Nanos);

    /// No pool of these takes a valid page more.
    fn gives_room(&mut self, view: &State, pools: Range<Pool>) -> GivesRoom;

    /// A unit that takes no more writes of groups, and is a candidate for cleaning again: all are taken before the scheme is asked
    /// anything else.
    fn next_ended(&mut self) -> Option<Unit>;

    /// The cell images of a kind's slots, on stored cells.
    fn images(&mut self, kind: u8) -> &mut [Vec<u8>];

    /// Reads the page of the loaded images.
    ///
    /// # Errors
    /// Cells that hold no such write.
    fn decode_group(&mut self, kind: u8, address: u64, data: &mut [u8]) -> Result<(), FtlError>;
}
