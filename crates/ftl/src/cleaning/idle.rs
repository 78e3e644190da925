//! Cleaning when a request arrives: what policy `ftl.background` asks for.

use rewear_flash::Nanos;

use crate::address::Pool;
use crate::cleaning::Cleaner;
use crate::error::FtlError;
use crate::hand::Hand;
use crate::policies::background::{Background, EachRequest};
use crate::reuse::reclaim_decision::Why;

impl Cleaner {
    /// Whether [`clean_in_idle_time`](Self::clean_in_idle_time) does anything.
    pub(crate) fn uses_idle_time(&self) -> bool {
        self.background.is_some() || self.folds_in_idle_time()
    }

    /// Folds and cleans until a request arrives at `until`.
    pub(crate) fn clean_in_idle_time(&mut self, hand: &mut Hand, until: Nanos) -> Result<(), FtlError> {
        self.fold_in_idle_time(hand, until)?;
        match self.background {
            None => Ok(()),
            Some(Background::EraseInvalid) => self.erase_invalid(hand, until),
            Some(Background::EachRequest(policy)) => self.clean_at_request(hand, policy, until),
        }
    }

    /// Every pool that is idle at `now` reclaims a unit without valid pages, if it has one.
    fn erase_invalid(&mut self, hand: &mut Hand, now: Nanos) -> Result<(), FtlError> {
        for pool in Pool::all(hand.state().layout.pools) {
            let width = hand.state().layout.width;
            let is_idle =
                (pool.0 * width..(pool.0 + 1) * width).all(|plane| hand.state().array.free_at(plane) <= now);
            hand.settle_queues(pool);
            let Some(unit) = hand.state().units.fewest_valid(pool).filter(|_| is_idle) else { continue };
            let victim = hand.victim_of(unit, Why::Idle);
            if victim.valid_when_taken == 0 {
                hand.counters().garbage_collections += 1;
                hand.counters().idle_collections += 1;
                self.take_victim(hand, &victim);
                hand.reclaim(now, &victim)?;
            }
        }
        Ok(())
    }

    /// Every pool with few free units cleans one that has enough invalid pages. Its valid ones may go to
    /// the reserve, as those of any victim.
    fn clean_at_request(&mut self, hand: &mut Hand, policy: EachRequest, now: Nanos) -> Result<(), FtlError> {
        for pool in Pool::all(hand.state().layout.pools) {
            if !policy.wants_units(&hand.state().units, pool) {
                continue;
            }
            let Some(unit) = self.choose_victim(hand, pool) else { continue };
            let (valid, slots) = (hand.state().units.valid(unit), hand.state().layout.slots_per_unit);
            if policy.takes(valid, slots) {
                hand.counters().idle_collections += 1;
                // A scheme may leave the valid pages where they are.
                let before = hand.state().counters.pages_moved;
                let cleaned = self.clean_unit(hand, now, pool, unit, None);
                hand.counters().pages_moved_idle += hand.state().counters.pages_moved - before;
                match cleaned {
                    // Programs that failed took the room. Nobody waits for it.
                    Err(FtlError::OutOfSpace { .. }) => {}
                    cleaned => cleaned?,
                }
            }
        }
        Ok(())
    }
}
