//! Cleaning in idle time: what policy `ftl.background` asks for.

use rewear_flash::Nanos;

use crate::address::Pool;
use crate::cleaning::Cleaner;
use crate::error::FtlError;
use crate::hand::Hand;
use crate::hand::units::Emptying;
use crate::policies::background::{Background, EachRequest, Idle};
use crate::reuse::reclaim_decision::{ReclaimDecision, Victim, Why};
use crate::state::units::stream::Stream;

/// A victim that is cleaned in idle time, page by page.
#[derive(Debug, Clone, Copy)]
pub(super) struct UnderWay {
    victim: Victim,
    emptying: Emptying,
    /// When its pages moved so far are safe.
    safe_at: Nanos,
}

impl Cleaner {
    /// Whether [`clean_in_idle_time`](Self::clean_in_idle_time) does anything.
    pub(crate) fn uses_idle_time(&self) -> bool {
        self.background.is_some() || self.folds_in_idle_time()
    }

    /// Folds and cleans until a request arrives at `until`.
    pub(crate) fn clean_in_idle_time(&mut self, hand: &mut Hand, until: Nanos) -> Result<(), FtlError> {
        self.fold_in_idle_time(hand, until)?;
        match self.background.take() {
            None => Ok(()),
            Some(Background::EraseInvalid) => {
                self.background = Some(Background::EraseInvalid);
                self.erase_invalid(hand, until)
            }
            Some(Background::EachRequest(policy)) => {
                self.background = Some(Background::EachRequest(policy));
                self.clean_at_request(hand, policy, until)
            }
            Some(Background::Idle(policy)) => {
                let begin = policy.begins(hand.state().array.idle_at());
                let outcome =
                    if begin < until { self.clean_idle(hand, &policy, begin, until) } else { Ok(()) };
                self.background = Some(Background::Idle(policy));
                for pool in 0..self.under_way.len() {
                    if let Some(UnderWay { victim, .. }) = self.under_way[pool].take() {
                        hand.units().break_off(victim.unit);
                    }
                }
                outcome
            }
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

    fn clean_idle(
        &mut self,
        hand: &mut Hand,
        policy: &Idle,
        begin: Nanos,
        until: Nanos,
    ) -> Result<(), FtlError> {
        // Everything asked for so far ends by `busy`, so a step that begins then takes its own time
        // only.
        let (mut busy, mut worked) = (begin, true);
        while worked {
            worked = false;
            for pool in Pool::all(hand.state().layout.pools) {
                if let Some(end) = self.idle_step(hand, policy, begin, until - busy, pool)? {
                    (busy, worked) = (busy.max(end), true);
                }
                if busy >= until {
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    /// One step of a pool: a page moved or a unit reclaimed. Returns its end; `None` if there is
    /// nothing to do or no time.
    fn idle_step(
        &mut self,
        hand: &mut Hand,
        policy: &Idle,
        at: Nanos,
        left_ns: Nanos,
        pool: Pool,
    ) -> Result<Option<Nanos>, FtlError> {
        let page_ns = hand.longest_move_with_summaries_ns();
        if left_ns < page_ns.max(hand.longest_erase_ns()) {
            return Ok(None);
        }
        let under_way = self.under_way[pool.index()];
        let UnderWay { victim, emptying, safe_at } = match under_way {
            Some(UnderWay { victim, .. }) if left_ns < longest_step_ns(hand, &victim, page_ns, true) => {
                return Ok(None);
            }
            Some(under_way) => under_way,
            None => {
                let Some(victim) = self.idle_victim(hand, policy, pool) else { return Ok(None) };
                if left_ns < longest_step_ns(hand, &victim, page_ns, false) {
                    return Ok(None);
                }
                let emptying = self.take_victim(hand, &victim);
                UnderWay { victim, emptying, safe_at: hand.find_owners(at, victim.unit)? }
            }
        };
        self.under_way[pool.index()] = None;
        if hand.state().units.valid(victim.unit) > 0 {
            // Where the owners of the pages had to be read first, they are known by then.
            let asked_at = if hand.state().summary_reads { at.max(safe_at) } else { at };
            // A collection within this one could last beyond the idle time.
            self.collecting.allow(false);
            let moved = self.move_up_to(hand, 1, asked_at, pool, emptying, Stream::Moved);
            self.collecting.allow(true);
            let end = match moved {
                // Programs that failed took the room that the victim's pages were to have. Nobody
                // waits for it: it is a candidate again, and a write that needs room says whether
                // there is none.
                Err(FtlError::OutOfSpace { .. }) => return Ok(None),
                moved => moved?,
            };
            self.under_way[pool.index()] = Some(UnderWay { victim, emptying, safe_at: safe_at.max(end) });
            hand.counters().pages_moved_idle += 1;
            return Ok(Some(end));
        }
        hand.counters().garbage_collections += 1;
        hand.counters().idle_collections += 1;
        hand.reclaim(safe_at, &victim).map(Some)
    }

    /// The victim that the policy lets begin in idle time, if there is one.
    fn idle_victim(&mut self, hand: &mut Hand, policy: &Idle, pool: Pool) -> Option<Victim> {
        if !policy.wants_units(&hand.state().units, pool) {
            return None;
        }
        let unit = self.choose_victim(hand, pool)?;
        let victim = hand.victim_of(unit, Why::Idle);
        let decision = hand.decision(&victim);
        let room = hand.state().units.unreserved_room(pool, Stream::Moved);
        let fits = match decision {
            // A unit whose pages stay is reopened in no time when a write needs it.
            ReclaimDecision::ReopenInPlace => false,
            _ => u64::from(victim.valid_when_taken) <= room,
        };
        let slots = hand.state().layout.slots_per_unit;
        (policy.takes(victim.valid_when_taken, slots) && fits).then_some(victim)
    }
}

/// The time that the next step with a victim takes at most on an idle array, if no program
/// fails; `page_ns` is that of moving a page.
fn longest_step_ns(hand: &Hand, victim: &Victim, page_ns: Nanos, is_under_way: bool) -> Nanos {
    if hand.state().units.valid(victim.unit) > 0 {
        return page_ns + hand.commit_before_overwriting_ns();
    }
    let timing = hand.state().array.timing();
    let reads =
        if hand.state().summary_reads && !is_under_way { hand.state().layout.summary_pages } else { 0 };
    let summary_ns = u64::from(reads) * (timing.slowest().read_ns + timing.transfer_ns);
    let erase_ns = match hand.decision_when_emptied(victim) {
        ReclaimDecision::Erase => hand.longest_erase_ns(),
        _ => 0,
    };
    summary_ns + hand.commit_before_emptying_ns(victim.unit) + erase_ns
}
