//! How long it takes at most to make durable what a step depends on: what work in idle time must
//! know before it begins.

use rewear_flash::Nanos;

use super::checkpoint::Snapshot;
use super::log::{HEADER_BYTES, Log};
use crate::address::{Slot, SlotAddress, Unit};
use crate::hand::Hand;

impl Hand {
    /// The time that [`before_emptying`](Self::before_emptying) takes of a unit at most on an idle
    /// array, if no program fails.
    pub(crate) fn commit_before_emptying_ns(&self, unit: Unit) -> Nanos {
        let first = self.state.layout.ppn(unit, Slot(0));
        let pages = first..first + self.state.layout.slots_per_unit;
        match &self.log {
            Some(log) if log.must_precede(|page| pages.contains(&page)) => self.commit_ns(log),
            _ => 0,
        }
    }

    /// The time that [`before_overwriting`](Self::before_overwriting) takes at most on an idle
    /// array, if no program fails, whichever slot of the units that are open now a page goes to.
    /// Those opened later are free and were emptied before.
    pub(crate) fn commit_before_overwriting_ns(&self) -> Nanos {
        let is_ahead = |page| {
            let SlotAddress { unit, slot } = self.state.layout.slot_address(page);
            self.state.units.is_ahead(unit, slot) && self.reuse.goes_over_data(SlotAddress { unit, slot })
        };
        match &self.log {
            Some(log) if log.must_precede(is_ahead) => self.commit_ns(log),
            _ => 0,
        }
    }

    /// The waiting changes, or a checkpoint in the other half if this one has no room for them.
    fn commit_ns(&self, log: &Log) -> Nanos {
        let timing = self.state.array.timing();
        let slot_pages = u64::from(self.state.layout.slot_pages);
        let page_ns = (timing.slowest().program_ns + timing.transfer_ns) * slot_pages;
        if log.pending_pages() <= log.room() {
            return u64::from(log.pending_pages()) * page_ns;
        }
        let other = log.active ^ 1;
        let erases = if log.in_use[other] { log.halves[other].len() as u64 } else { 0 };
        let payload_bytes = log.buffers.page.len() - HEADER_BYTES;
        let pages = Snapshot::bytes(&self.state.layout).div_ceil(payload_bytes) as u64;
        erases * self.longest_erase_ns() + pages * page_ns
    }
}
