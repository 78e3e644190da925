//! Units are opened for the host and for pages that move.

use rewear_flash::Nanos;

use crate::address::{Pool, SlotAddress, Unit};
use crate::cleaning::Cleaner;
use crate::error::FtlError;
use crate::hand::Hand;
use crate::state::units::stream::Stream;

impl Cleaner {
    /// Opens a free unit for a stream. `None` if the pool has none.
    pub(super) fn open(&mut self, hand: &mut Hand, pool: Pool, stream: Stream) -> Option<Unit> {
        let unit = hand.units().open(pool, stream)?;
        self.streams.opened(unit, stream);
        Some(unit)
    }

    /// Opens a unit that waits to be written again, if there is one.
    pub(super) fn open_reopened(&mut self, hand: &mut Hand, pool: Pool, stream: Stream) -> bool {
        let opened = hand.units().open_reopened(pool, stream);
        if let Some(unit) = opened {
            self.streams.opened(unit, stream);
        }
        opened.is_some()
    }

    /// The next slot for a page of a victim, once the open unit is full. Cleaning itself may use
    /// the reserved units.
    #[cold]
    pub(super) fn open_for_moves(
        &mut self,
        hand: &mut Hand,
        at: Nanos,
        pool: Pool,
        stream: Stream,
    ) -> Result<SlotAddress, FtlError> {
        hand.resume(pool, stream);
        // The host may have been offered a part of the unit only; cleaning may use all of it.
        hand.units().offer(pool, stream, false);
        if let Some(place) = hand.units().take_slot(pool, stream) {
            return Ok(place);
        }
        hand.close_unit(at, pool, stream)?;
        if hand.state().units.counts_waiting() && self.open_reopened(hand, pool, stream) {
            hand.resume(pool, stream);
        } else {
            self.open(hand, pool, stream);
        }
        let own = hand.units().take_slot(pool, stream);
        own.or_else(|| self.take_slot_of_others(hand, pool, stream)).ok_or_else(|| hand.out_of_space())
    }

    /// Failures took the free units: a slot for a page that cleaning moves in what the other
    /// streams have open. After a failure the pages of the condemned unit and those of the next
    /// victim may fit only with these slots, and a pool without a free unit gets one by cleaning
    /// only.
    fn take_slot_of_others(&self, hand: &mut Hand, pool: Pool, stream: Stream) -> Option<SlotAddress> {
        // Levelling can wait.
        if stream == Stream::Levelled {
            return None;
        }
        // Moved pages are colder than what the host writes, and later classes colder than earlier
        // ones.
        let classes = hand.state().units.classes().rev();
        let others = [Stream::Levelled].into_iter().chain(classes).chain([Stream::HostCold, Stream::Host]);
        others.into_iter().find_map(|other| {
            hand.resume(pool, other);
            hand.units().offer(pool, other, false);
            hand.units().take_slot(pool, other)
        })
    }
}
