//! The scheme's answers to the translation layer, each from the file of its section.

use std::ops::Range;

use rewear_flash::Nanos;

use super::SecondWrite;
use super::encoding::GroupCells;
use super::prefetch::Prefetch;
use crate::address::{Lpn, Pool, Unit};
use crate::error::FtlError;
use crate::reuse::place::{Answer, GivesRoom, HostPage, Order, PageForCells, ReadAhead, Tried};
use crate::reuse::placing::Placing;
use crate::state::State;
use crate::state::groups::GroupSlot;

impl Placing for SecondWrite {
    #[inline]
    fn arrives(&mut self, lpn: Lpn, pool: Pool) -> HostPage {
        self.hot_or_cold(lpn, pool)
    }

    #[inline]
    fn place(&mut self, view: &State, page: &HostPage, round: u32) -> Answer {
        if round == 0 {
            self.watch(view, page.lpn);
        }
        self.allocate(view, page, round)
    }

    #[inline]
    fn read_ahead(&mut self, view: &State, pool: Pool, at: Nanos) -> Option<ReadAhead> {
        self.next_read_ahead(view, pool, at)
    }

    fn was_read(&mut self, ahead: &ReadAhead, end: Nanos) {
        let lane = self.active.lane_at(ahead.slots);
        self.active.lanes[lane].prefetch = Prefetch::Done { at: end, slot: ahead.slots.first.slot };
    }

    #[inline]
    fn content_at_hand(&mut self, slots: GroupSlot) -> Option<Nanos> {
        let lane = self.active.lane_at(slots);
        match std::mem::replace(&mut self.active.lanes[lane].prefetch, Prefetch::Nothing) {
            Prefetch::Done { at, slot } if slot == slots.first.slot => Some(at),
            _ => None,
        }
    }

    #[inline]
    fn encode_over(
        &mut self,
        slots: GroupSlot,
        used: u8,
        page: Option<PageForCells<'_>>,
    ) -> Result<Tried, FtlError> {
        self.try_encoding(slots, used, page)
    }

    fn refused(&mut self, view: &State, slots: GroupSlot, used: u8, at: Nanos) -> Option<GroupSlot> {
        self.next_after_failure(view, slots, used, at)
    }

    #[inline]
    fn programmed(&mut self, view: &State, slots: GroupSlot, at: Nanos) {
        self.pass(view, slots, at);
    }

    fn program_failed(&mut self, slots: GroupSlot) {
        let lane = self.active.lane_at(slots);
        self.active.close(&mut self.blocks, lane);
    }

    fn reopened(&mut self, view: &State, unit: Unit, at: Nanos) {
        self.recycle(view, unit, at);
    }

    fn trimmed(&mut self, lpn: Lpn) {
        if let Some(guard) = &mut self.guard {
            guard.trimmed(lpn);
        }
    }

    fn gives_room(&mut self, view: &State, pools: Range<Pool>) -> GivesRoom {
        self.room_for_pages(view, pools)
    }

    #[inline]
    fn next_order(&mut self) -> Option<Order> {
        self.blocks.next_order()
    }

    fn images(&mut self) -> &mut [Vec<u8>] {
        self.active.cells.as_deref_mut().map_or(&mut [], GroupCells::images)
    }

    fn decode_group(&mut self, address: u64, data: &mut [u8]) -> Result<(), FtlError> {
        match &mut self.active.cells {
            Some(cells) => cells.decode(address, data),
            None => Err(FtlError::Code("a second write on a drive without them".into())),
        }
    }
}
