//! Attempts to encode, and what follows a failed one: a retry, or a first write (section 5.6).

use rewear_flash::Nanos;

use super::SecondWrite;
use super::config::Retry;
use super::encoding::PageForCells;
use super::prefetch::Prefetch;
use super::recycled_active::TriedSlots;
use crate::error::FtlError;
use crate::state::State;
use crate::state::groups::GroupSlot;

/// Attempts that were made at one group of slots.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Tried {
    /// Attempts of the page that they used up.
    pub(super) attempts: u8,
    /// Those that failed.
    pub(super) failed: u8,
    /// Whether the last one succeeded.
    pub(super) success: bool,
    /// Time that the failed ones took.
    pub(super) lasted_ns: Nanos,
}

impl SecondWrite {
    /// Up to as many attempts as are left of a page's; on stored cells their new levels are then in
    /// the images.
    #[inline]
    pub(super) fn try_encoding(
        &mut self,
        slots: GroupSlot,
        used: u8,
        page: Option<PageForCells<'_>>,
    ) -> Result<Tried, FtlError> {
        let attempts = if self.config.retry == Retry::OtherPages { 1 } else { self.config.tries() - used };
        let lane = self.active.lane_at(slots);
        let drawn = self.active.outcomes.draw(attempts, &mut self.active.lanes[lane].tried.mask);
        let outcome = match (drawn, page, &mut self.active.cells) {
            (Some(drawn), None, _) => drawn,
            (Some(drawn), _, _) if !drawn.success => drawn,
            (drawn, Some(page), Some(cells)) => {
                let encoded = cells.encode(page, if drawn.is_some() { None } else { Some(attempts) })?;
                drawn.filter(|_| encoded.success).unwrap_or(encoded)
            }
            _ => return Err(FtlError::Code("the code has no cells to work on".into())),
        };
        // The first encoding takes the place of a first write's error-correcting code, which the
        // program's time includes.
        let lasted_ns = Nanos::from(outcome.failed) * self.encode_ns;
        Ok(Tried { attempts, failed: outcome.failed, success: outcome.success, lasted_ns })
    }

    /// A write failed on the next slots of a group, whose content is still at hand: where it goes
    /// on.
    pub(super) fn next_after_failure(
        &mut self,
        state: &mut State,
        slots: GroupSlot,
        used: u8,
        at: Nanos,
    ) -> Option<GroupSlot> {
        let lane = self.active.lane_at(slots);
        let tried = &mut self.active.lanes[lane].tried;
        tried.failures += 1;
        if self.config.retry == Retry::OtherPages || tried.failures >= self.config.pair_failures {
            self.pass(state, slots, at);
        } else {
            self.active.lanes[lane].prefetch = Prefetch::Done { at, slot: slots.first.slot };
        }
        let next = self.active.next_slots(state, &mut self.blocks, lane);
        // Only the retry on other pages has attempts left.
        next.filter(|_| used < self.config.tries())
    }

    /// The offset counter moves past a slot. Where that was the last one the next group is taken,
    /// so that its old content can be prefetched.
    #[inline]
    pub(super) fn pass(&mut self, state: &mut State, slots: GroupSlot, done_at: Nanos) {
        let lane = self.active.lane_at(slots);
        let own = &mut self.active.lanes[lane];
        own.tried = TriedSlots::default();
        if let Some(active) = &mut own.active {
            active.next = slots.first.slot + 1;
        }
        self.want_next(state, lane, done_at);
    }

    /// A program failed on one of the units: the group takes no more second writes.
    pub(super) fn program_failed(&mut self, state: &mut State, slots: GroupSlot) {
        let lane = self.active.lane_at(slots);
        self.active.close(&mut state.units, &mut self.blocks, lane);
    }
}
