//! Cleaning in idle time: what policy `ftl.background` asks for.

use rewear_flash::Nanos;

use crate::address::{Pool, Unit};
use crate::error::FtlError;
use crate::layer::Ftl;
use crate::policies::background::{Background, Idle};
use crate::reuse::reclaim_decision::ReclaimDecision;
use crate::state::units::stream::Stream;

impl Ftl {
    /// Whether [`idle`](Self::idle) does anything.
    pub fn uses_idle_time(&self) -> bool {
        self.background.is_some() || self.state.effort.rewrites_in_idle_time()
    }

    /// The next request arrives at `until`; the idle time before it may be used.
    ///
    /// # Errors
    /// A fault of the translation layer.
    pub fn idle(&mut self, until: Nanos) -> Result<(), FtlError> {
        self.rewrite_in_idle_time(until)?;
        match self.background.take() {
            None => Ok(()),
            Some(Background::EraseInvalid) => {
                self.background = Some(Background::EraseInvalid);
                self.erase_invalid(until)
            }
            Some(Background::Idle(mut background)) => {
                let begin = self.state.array.idle_at() + background.after_ns;
                let outcome =
                    if begin < until { self.clean_idle(&mut background, begin, until) } else { Ok(()) };
                for victim in &mut background.victims {
                    if let Some((unit, _)) = victim.take() {
                        self.state.units.enlist(Unit(unit.0));
                    }
                }
                self.background = Some(Background::Idle(background));
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
            let Some(unit) = self.state.units.fewest_valid(pool).filter(|_| is_idle) else { continue };
            if self.state.units.valid(unit) == 0 {
                self.state.counters.garbage_collections += 1;
                self.state.counters.idle_collections += 1;
                match self.takes_victim(unit, None) {
                    ReclaimDecision::ReopenForGroups => self.reopen_for_groups(now, unit)?,
                    _ => drop(self.reclaim(now, unit)?),
                }
            }
        }
        Ok(())
    }

    fn clean_idle(&mut self, background: &mut Idle, begin: Nanos, until: Nanos) -> Result<(), FtlError> {
        // Everything asked for so far ends by `busy`, so a step that begins then takes its own time only.
        let (mut busy, mut worked) = (begin, true);
        while worked {
            worked = false;
            for pool in Pool::all(self.state.layout.pools) {
                if let Some(end) = self.idle_step(background, begin, until - busy, pool)? {
                    (busy, worked) = (busy.max(end), true);
                }
                if busy >= until {
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    /// One step of a pool: a page moved or a unit reclaimed. Returns its end; `None` if there is nothing to do or no time.
    fn idle_step(
        &mut self,
        background: &mut Idle,
        at: Nanos,
        left_ns: Nanos,
        pool: Pool,
    ) -> Result<Option<Nanos>, FtlError> {
        let timing = self.state.array.timing();
        let (page, transfer_ns) = (timing.slowest(), timing.transfer_ns);
        // The summary of the victim may be read first, and that of a full unit written.
        let summary_ns = page.read_ns + page.program_ns + 2 * transfer_ns;
        let page_ns = self.longest_move_ns() + summary_ns * u64::from(self.state.layout.summary_pages);
        if left_ns < page_ns.max(self.longest_erase_ns()) {
            return Ok(None);
        }
        let under_way = background.victims[pool.index()];
        let (victim, safe_at) = match under_way {
            Some((victim, _)) if left_ns < self.longest_step_ns(Unit(victim.0), page_ns, true) => {
                return Ok(None);
            }
            Some(victim) => victim,
            None => {
                let Some(victim) = self.idle_victim(background, pool) else { return Ok(None) };
                if left_ns < self.longest_step_ns(victim, page_ns, false) {
                    return Ok(None);
                }
                if self.takes_victim(victim, None) == ReclaimDecision::ReopenForGroups {
                    self.state.counters.garbage_collections += 1;
                    self.state.counters.idle_collections += 1;
                    return self.reopen_for_groups(at, victim).map(|()| Some(at));
                }
                (victim, self.find_owners(at, victim)?)
            }
        };
        if self.state.units.valid(victim) > 0 {
            background.victims[pool.index()] = None;
            // Where the owners of the pages had to be read first, they are known by then.
            let asked_at = if self.state.summary_reads { at.max(safe_at) } else { at };
            let end = match self.move_up_to(1, asked_at, pool, victim, Stream::Moved) {
                // Programs that failed took the room that the victim's pages were to have. Nobody waits for it: it is a
                // candidate again, and a write that needs room says whether there is none.
                Err(FtlError::OutOfSpace { .. }) => return Ok(None),
                moved => moved?,
            };
            background.victims[pool.index()] = Some((Unit(victim.0), safe_at.max(end)));
            self.state.counters.pages_moved_idle += 1;
            return Ok(Some(end));
        }
        background.victims[pool.index()] = None;
        self.state.counters.garbage_collections += 1;
        self.state.counters.idle_collections += 1;
        self.reclaim(safe_at, victim).map(Some)
    }

    /// The time that the next step with a victim takes at most on an idle array, if no program fails; `page_ns` is that of
    /// moving a page.
    fn longest_step_ns(&self, victim: Unit, page_ns: Nanos, is_under_way: bool) -> Nanos {
        // It keeps its pages and waits to be written over.
        if !is_under_way && self.reuse.fate(&self.state, victim, None) == ReclaimDecision::ReopenForGroups {
            return 0;
        }
        if self.state.units.valid(victim) > 0 {
            return page_ns + self.commit_before_overwriting_ns();
        }
        let timing = self.state.array.timing();
        let reads =
            if self.state.summary_reads && !is_under_way { self.state.layout.summary_pages } else { 0 };
        let summary_ns = u64::from(reads) * (timing.slowest().read_ns + timing.transfer_ns);
        let erase_ns = match self.fate_of_emptied(victim) {
            ReclaimDecision::Erase => self.longest_erase_ns(),
            _ => 0,
        };
        summary_ns + self.commit_before_emptying_ns(victim) + erase_ns
    }

    /// The time that the erase of a unit takes at most: a die may erase the blocks of its planes one after the other.
    pub(crate) fn longest_erase_ns(&self) -> Nanos {
        let blocks = self.state.layout.width.min(self.state.array.geometry().planes_per_service_unit);
        self.state.array.timing().erase_ns * u64::from(blocks)
    }

    fn idle_victim(&mut self, background: &Idle, pool: Pool) -> Option<Unit> {
        if self.state.units.ready(pool) >= background.free_units {
            return None;
        }
        let unit = self.choose_victim(pool)?;
        // A unit whose pages stay is reopened in no time when a write needs it.
        if self.reuse.fate(&self.state, unit, None) == ReclaimDecision::ReopenInPlace {
            return None;
        }
        let valid = self.state.units.valid(unit);
        let fits = u64::from(valid) <= self.state.units.unreserved_room(pool, Stream::Moved)
            || self.reuse.fate(&self.state, unit, None) == ReclaimDecision::ReopenForGroups;
        let max_valid = background.max_valid_fraction * f64::from(self.state.layout.slots_of(unit));
        (f64::from(valid) <= max_valid && fits).then_some(unit)
    }
}
