//! Cleaning in idle time: what policy `ftl.background` asks for.

use rewear_flash::Nanos;

use crate::address::Pool;
use crate::cleaning::under_way::UnderWay;
use crate::error::FtlError;
use crate::layer::Ftl;
use crate::policies::background::{Background, Idle};
use crate::reuse::reclaim_decision::{ReclaimDecision, Victim, Why};
use crate::state::units::stream::Stream;

impl Ftl {
    /// Whether [`idle`](Self::idle) does anything.
    pub fn uses_idle_time(&self) -> bool {
        let folds = self.slc_cache.as_ref().is_some_and(|cache| cache.idle_after_ns.is_some());
        self.background.is_some() || self.effort.rewrites_in_idle_time() || folds
    }

    /// The next request arrives at `until`; the idle time before it may be used.
    ///
    /// # Errors
    /// A fault of the translation layer.
    pub fn idle(&mut self, until: Nanos) -> Result<(), FtlError> {
        self.rewrite_in_idle_time(until)?;
        self.fold_in_idle_time(until)?;
        match self.background.take() {
            None => Ok(()),
            Some(Background::EraseInvalid) => {
                self.background = Some(Background::EraseInvalid);
                self.erase_invalid(until)
            }
            Some(Background::Idle(policy)) => {
                let begin = policy.begins(self.state.array.idle_at());
                let outcome = if begin < until { self.clean_idle(&policy, begin, until) } else { Ok(()) };
                self.background = Some(Background::Idle(policy));
                for pool in 0..self.under_way.len() {
                    if let Some(UnderWay { victim, .. }) = self.under_way[pool].take() {
                        self.state.units.break_off(victim.unit);
                    }
                }
                outcome
            }
        }
    }

    /// Every pool that is idle at `now` reclaims a unit without valid pages, if it has one.
    fn erase_invalid(&mut self, now: Nanos) -> Result<(), FtlError> {
        for pool in Pool::all(self.state.layout.pools) {
            let width = self.state.layout.width;
            let is_idle =
                (pool.0 * width..(pool.0 + 1) * width).all(|plane| self.state.array.free_at(plane) <= now);
            self.state.units.settle_queues(pool);
            let Some(unit) = self.state.units.fewest_valid(pool).filter(|_| is_idle) else { continue };
            let victim = self.victim_of(unit, Why::Idle);
            if victim.valid_when_taken == 0 {
                self.state.counters.garbage_collections += 1;
                self.state.counters.idle_collections += 1;
                self.take_victim(&victim);
                self.reclaim(now, &victim)?;
            }
        }
        Ok(())
    }

    fn clean_idle(&mut self, policy: &Idle, begin: Nanos, until: Nanos) -> Result<(), FtlError> {
        // Everything asked for so far ends by `busy`, so a step that begins then takes its own time
        // only.
        let (mut busy, mut worked) = (begin, true);
        while worked {
            worked = false;
            for pool in Pool::all(self.state.layout.pools) {
                if let Some(end) = self.idle_step(policy, begin, until - busy, pool)? {
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
        policy: &Idle,
        at: Nanos,
        left_ns: Nanos,
        pool: Pool,
    ) -> Result<Option<Nanos>, FtlError> {
        let page_ns = self.longest_move_with_summaries_ns();
        if left_ns < page_ns.max(self.longest_erase_ns()) {
            return Ok(None);
        }
        let under_way = self.under_way[pool.index()];
        let UnderWay { victim, safe_at } = match under_way {
            Some(UnderWay { victim, .. }) if left_ns < self.longest_step_ns(&victim, page_ns, true) => {
                return Ok(None);
            }
            Some(under_way) => under_way,
            None => {
                let Some(victim) = self.idle_victim(policy, pool) else { return Ok(None) };
                if left_ns < self.longest_step_ns(&victim, page_ns, false) {
                    return Ok(None);
                }
                self.take_victim(&victim);
                UnderWay { victim, safe_at: self.find_owners(at, victim.unit)? }
            }
        };
        self.under_way[pool.index()] = None;
        if self.state.units.valid(victim.unit) > 0 {
            // Where the owners of the pages had to be read first, they are known by then.
            let asked_at = if self.state.summary_reads { at.max(safe_at) } else { at };
            // A collection within this one could last beyond the idle time.
            self.collecting.allow(false);
            let moved = self.move_up_to(1, asked_at, pool, victim.unit, Stream::Moved);
            self.collecting.allow(true);
            let end = match moved {
                // Programs that failed took the room that the victim's pages were to have. Nobody
                // waits for it: it is a candidate again, and a write that needs room says whether
                // there is none.
                Err(FtlError::OutOfSpace { .. }) => return Ok(None),
                moved => moved?,
            };
            self.under_way[pool.index()] = Some(UnderWay { victim, safe_at: safe_at.max(end) });
            self.state.counters.pages_moved_idle += 1;
            return Ok(Some(end));
        }
        self.state.counters.garbage_collections += 1;
        self.state.counters.idle_collections += 1;
        self.reclaim(safe_at, &victim).map(Some)
    }

    /// The time that the next step with a victim takes at most on an idle array, if no program
    /// fails; `page_ns` is that of moving a page.
    fn longest_step_ns(&self, victim: &Victim, page_ns: Nanos, is_under_way: bool) -> Nanos {
        if self.state.units.valid(victim.unit) > 0 {
            return page_ns + self.commit_before_overwriting_ns();
        }
        let timing = self.state.array.timing();
        let reads =
            if self.state.summary_reads && !is_under_way { self.state.layout.summary_pages } else { 0 };
        let summary_ns = u64::from(reads) * (timing.slowest().read_ns + timing.transfer_ns);
        let erase_ns = match self.decision_when_emptied(victim) {
            ReclaimDecision::Erase => self.longest_erase_ns(),
            _ => 0,
        };
        summary_ns + self.commit_before_emptying_ns(victim.unit) + erase_ns
    }

    /// The time that moving a page takes at most: the summary of the victim may be read first, and
    /// that of a full unit written.
    pub(crate) fn longest_move_with_summaries_ns(&self) -> Nanos {
        let timing = self.state.array.timing();
        let (page, transfer_ns) = (timing.slowest(), timing.transfer_ns);
        let summary_ns = page.read_ns + page.program_ns + 2 * transfer_ns;
        self.longest_move_ns() + summary_ns * u64::from(self.state.layout.summary_pages)
    }

    /// The time that the erase of a unit takes at most: a die may erase the blocks of its planes
    /// one after the other.
    pub(crate) fn longest_erase_ns(&self) -> Nanos {
        let blocks = self.state.layout.width.min(self.state.array.geometry().planes_per_service_unit);
        self.state.array.timing().erase_ns * u64::from(blocks)
    }

    /// The victim that the policy lets begin in idle time, if there is one.
    fn idle_victim(&mut self, policy: &Idle, pool: Pool) -> Option<Victim> {
        if !policy.wants_units(&self.state.units, pool) {
            return None;
        }
        let unit = self.choose_victim(pool)?;
        let victim = self.victim_of(unit, Why::Idle);
        let decision = self.reuse.reclaim(&self.state, &victim);
        let room = self.state.units.unreserved_room(pool, Stream::Moved);
        let fits = match decision {
            // A unit whose pages stay is reopened in no time when a write needs it.
            ReclaimDecision::ReopenInPlace => false,
            _ => u64::from(victim.valid_when_taken) <= room,
        };
        let slots = self.state.layout.slots_of(unit);
        (policy.takes(victim.valid_when_taken, slots) && fits).then_some(victim)
    }
}
