//! The interface of a scheme that names the places of host writes: over the invalid slots of a
//! group of units.
//!
//! The scheme decides on a view of the translation layer's state, and returns a value that the
//! layer carries out (`group_write.rs`). Where an answer needs that done first, the layer asks
//! again.

use std::ops::Range;

use rewear_flash::Nanos;

use crate::address::{Lpn, Pool, Unit};
use crate::error::FtlError;
use crate::reuse::place::{Answer, GivesRoom, HostPage, Order, PageForCells, ReadAhead, Tried};
use crate::state::State;
use crate::state::groups::GroupSlot;

/// What such a scheme decides. `view` is the state as it is, once the orders so far were executed.
pub(crate) trait Placing {
    /// Whether a host write may go to a group, and where.
    fn arrives(&mut self, lpn: Lpn, pool: Pool) -> HostPage;

    /// Where a write goes, asked for the `round`th time, from 0.
    fn place(&mut self, view: &State, page: &HostPage, round: u32) -> Answer;

    /// An operation on a pool is asked for at `at`: the next reads that its planes had time for
    /// since they were wanted.
    fn read_ahead(&mut self, view: &State, pool: Pool, at: Nanos) -> Option<ReadAhead>;

    /// They were made, and ended at `end`.
    fn was_read(&mut self, ahead: &ReadAhead, end: Nanos);

    /// When the content of some slots was read, if it is at hand. It is used up.
    fn content_at_hand(&mut self, slots: GroupSlot) -> Option<Nanos>;

    /// Tries to encode a page on some slots, after `used` attempts elsewhere. `page` is given on
    /// stored cells.
    ///
    /// # Errors
    /// A fault of the code.
    fn encode_over(
        &mut self,
        slots: GroupSlot,
        used: u8,
        page: Option<PageForCells<'_>>,
    ) -> Result<Tried, FtlError>;

    /// After `used` attempts in all the page was not encoded, the last of them ended at `at`: the
    /// slots for the next one, if there is one.
    fn refused(&mut self, view: &State, slots: GroupSlot, used: u8, at: Nanos) -> Option<GroupSlot>;

    /// The slots were programmed; the program ended at `at`.
    fn programmed(&mut self, view: &State, slots: GroupSlot, at: Nanos);

    /// A program failed on one of the units.
    fn program_failed(&mut self, slots: GroupSlot);

    /// A unit was reopened at `at`: its invalid slots are for groups.
    fn reopened(&mut self, view: &State, unit: Unit, at: Nanos);

    /// The host trimmed a page.
    fn trimmed(&mut self, lpn: Lpn);

    /// No pool of these takes a valid page more.
    fn gives_room(&mut self, view: &State, pools: Range<Pool>) -> GivesRoom;

    /// What is to be done next; all orders are executed before the scheme is asked anything else.
    fn next_order(&mut self) -> Option<Order>;

    /// The cell images of a kind's slots, on stored cells.
    fn images(&mut self) -> &mut [Vec<u8>];

    /// Reads the page of the loaded images.
    ///
    /// # Errors
    /// Cells that hold no such write.
    fn decode_group(&mut self, address: u64, data: &mut [u8]) -> Result<(), FtlError>;
}
