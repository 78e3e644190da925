//! Policy `ftl.background`: cleaning in idle time.
//!
//! When the array was idle for a while, victims are cleaned until enough units are free or the next request arrives. The
//! pools work side by side, page by page, and no step begins that might end after the arrival: the host never waits for
//! it. On a drive that keeps a log, what must be durable before a step is a part of it. A victim that is not finished goes
//! back among the candidates with the pages that it still has.
//!
//! Units reserved for foreground cleaning are not touched, so a victim is begun only if its pages fit elsewhere.
//!
//! `erase-invalid` does less: whenever a request arrives, each pool whose planes are idle then erases a unit that holds no valid page,
//! if it has one (Margaglia and Brinkmann, MSST '15, section IV). The request may have to wait for it.

use rewear_flash::{ConfigError, Nanos};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::error::FtlError;
use crate::ftl::Ftl;
use crate::layout::Layout;
use crate::reuse::Fate;
use crate::units::Stream;

/// The `[ftl.background]` table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "scheme", rename_all = "kebab-case", deny_unknown_fields)]
pub enum BackgroundConfig {
    /// Cleaning waits until a write needs room.
    #[serde(rename = "none")]
    Nothing {},
    /// Idle time is used.
    Idle(IdleConfig),
    /// When a request arrives, each idle pool erases a unit without valid pages.
    EraseInvalid {},
}

/// Parameters of `idle`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct IdleConfig {
    /// Nanoseconds that the whole array must have been idle before cleaning begins.
    pub after_ns: u64,
    /// Cleaning ends when this fraction of a pool's erase units is free, 0 to 0.5.
    pub free_fraction: f64,
    /// Only units with at most this fraction of valid pages are cleaned, 0 to 1.
    pub max_valid_fraction: f64,
}

impl Default for IdleConfig {
    fn default() -> Self {
        IdleConfig { after_ns: 10_000_000, free_fraction: 0.05, max_valid_fraction: 0.5 }
    }
}

impl Default for BackgroundConfig {
    fn default() -> Self {
        BackgroundConfig::Nothing {}
    }
}

impl BackgroundConfig {
    pub(crate) fn check(&self) -> Result<(), ConfigError> {
        let BackgroundConfig::Idle(config) = self else { return Ok(()) };
        for (key, value, most) in [
            ("free_fraction", config.free_fraction, 0.5),
            ("max_valid_fraction", config.max_valid_fraction, 1.0),
        ] {
            if !(0.0..=most).contains(&value) {
                return Err(ConfigError::new(
                    format!("ftl.background.{key}"),
                    format!("{value} is out of range"),
                    format!("give 0 to {most}"),
                ));
            }
        }
        Ok(())
    }
}

/// The policy of a drive.
#[derive(Debug, Clone)]
pub(crate) enum Background {
    Idle(Idle),
    EraseInvalid,
}

/// Cleaning in idle time, in counts.
#[derive(Debug, Clone)]
pub(crate) struct Idle {
    after_ns: Nanos,
    free_units: usize,
    max_valid_fraction: f64,
    /// The unit that each pool is cleaning in the present idle time, and when its pages moved so far are safe.
    victims: Vec<Option<(u32, Nanos)>>,
}

impl Background {
    pub(crate) fn new(config: &BackgroundConfig, layout: &Layout) -> Option<Background> {
        match config {
            BackgroundConfig::Nothing {} => None,
            BackgroundConfig::EraseInvalid {} => Some(Background::EraseInvalid),
            BackgroundConfig::Idle(config) => Some(Background::Idle(Idle {
                after_ns: config.after_ns,
                free_units: (config.free_fraction * f64::from(layout.units_per_pool)).ceil() as usize,
                max_valid_fraction: config.max_valid_fraction,
                victims: vec![None; layout.pools as usize],
            })),
        }
    }
}

impl Ftl {
    /// Whether [`idle`](Self::idle) does anything.
    pub fn uses_idle_time(&self) -> bool {
        self.background.is_some() || self.core.effort.rewrites_in_idle_time()
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
                let begin = self.core.array.idle_at() + background.after_ns;
                let outcome =
                    if begin < until { self.clean_idle(&mut background, begin, until) } else { Ok(()) };
                for victim in &mut background.victims {
                    if let Some((unit, _)) = victim.take() {
                        self.core.units.enlist(unit);
                    }
                }
                self.background = Some(Background::Idle(background));
                outcome
            }
        }
    }

    /// Every pool that is idle at `now` reclaims a unit without valid pages, if it has one.
    fn erase_invalid(&mut self, now: Nanos) -> Result<(), FtlError> {
        for pool in 0..self.core.layout.pools {
            let width = self.core.layout.width;
            let is_idle =
                (pool * width..(pool + 1) * width).all(|plane| self.core.array.free_at(plane) <= now);
            let Some(unit) = self.core.units.fewest_valid(pool).filter(|_| is_idle) else { continue };
            if self.core.units.valid(unit) == 0 {
                self.core.counters.garbage_collections += 1;
                self.core.counters.idle_collections += 1;
                match self.takes_victim(unit, None) {
                    Fate::Recycle => self.recycle_block(now, unit)?,
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
            for pool in 0..self.core.layout.pools {
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
        pool: u32,
    ) -> Result<Option<Nanos>, FtlError> {
        let timing = self.core.array.timing();
        let (page, transfer_ns) = (timing.slowest(), timing.transfer_ns);
        // The summary of the victim may be read first, and that of a full unit written.
        let summary_ns = page.read_ns + page.program_ns + 2 * transfer_ns;
        let page_ns = self.longest_move_ns() + summary_ns * u64::from(self.core.layout.summary_pages);
        if left_ns < page_ns.max(self.longest_erase_ns()) {
            return Ok(None);
        }
        let under_way = background.victims[pool as usize];
        let (victim, safe_at) = match under_way {
            Some((victim, _)) if left_ns < self.longest_step_ns(victim, page_ns, true) => return Ok(None),
            Some(victim) => victim,
            None => {
                let Some(victim) = self.idle_victim(background, pool) else { return Ok(None) };
                if left_ns < self.longest_step_ns(victim, page_ns, false) {
                    return Ok(None);
                }
                if self.takes_victim(victim, None) == Fate::Recycle {
                    self.core.counters.garbage_collections += 1;
                    self.core.counters.idle_collections += 1;
                    return self.recycle_block(at, victim).map(|()| Some(at));
                }
                (victim, self.find_owners(at, victim)?)
            }
        };
        if self.core.units.valid(victim) > 0 {
            background.victims[pool as usize] = None;
            // Where the owners of the pages had to be read first, they are known by then.
            let asked_at = if self.core.summary_reads { at.max(safe_at) } else { at };
            let end = match self.move_up_to(1, asked_at, pool, victim, Stream::Moved) {
                // Programs that failed took the room that the victim's pages were to have. Nobody waits for it: it is a
                // candidate again, and a write that needs room says whether there is none.
                Err(FtlError::OutOfSpace { .. }) => return Ok(None),
                moved => moved?,
            };
            background.victims[pool as usize] = Some((victim, safe_at.max(end)));
            self.core.counters.pages_moved_idle += 1;
            return Ok(Some(end));
        }
        background.victims[pool as usize] = None;
        self.core.counters.garbage_collections += 1;
        self.core.counters.idle_collections += 1;
        self.reclaim(safe_at, victim).map(Some)
    }

    /// The time that the next step with a victim takes at most on an idle array, if no program fails; `page_ns` is that of
    /// moving a page.
    fn longest_step_ns(&self, victim: u32, page_ns: Nanos, is_under_way: bool) -> Nanos {
        // It keeps its pages and waits to be written over.
        if !is_under_way && self.reuse.fate(&self.core, victim, None) == Fate::Recycle {
            return 0;
        }
        if self.core.units.valid(victim) > 0 {
            return page_ns + self.commit_before_overwriting_ns();
        }
        let timing = self.core.array.timing();
        let reads = if self.core.summary_reads && !is_under_way { self.core.layout.summary_pages } else { 0 };
        let summary_ns = u64::from(reads) * (timing.slowest().read_ns + timing.transfer_ns);
        let erase_ns = match self.fate_of_emptied(victim) {
            Fate::Erase => self.longest_erase_ns(),
            _ => 0,
        };
        summary_ns + self.commit_before_emptying_ns(victim) + erase_ns
    }

    /// The time that the erase of a unit takes at most: a die may erase the blocks of its planes one after the other.
    pub(crate) fn longest_erase_ns(&self) -> Nanos {
        let blocks = self.core.layout.width.min(self.core.array.geometry().planes_per_service_unit);
        self.core.array.timing().erase_ns * u64::from(blocks)
    }

    fn idle_victim(&mut self, background: &Idle, pool: u32) -> Option<u32> {
        if self.core.units.ready(pool) >= background.free_units {
            return None;
        }
        let unit = self.choose_victim(pool)?;
        // A unit whose pages stay is reopened in no time when a write needs it.
        if self.reuse.fate(&self.core, unit, None) == Fate::ReopenInPlace {
            return None;
        }
        let valid = self.core.units.valid(unit);
        let fits = u64::from(valid) <= self.core.units.unreserved_room(pool, Stream::Moved)
            || self.reuse.fate(&self.core, unit, None) == Fate::Recycle;
        let max_valid = background.max_valid_fraction * f64::from(self.core.layout.slots_of(unit));
        (f64::from(valid) <= max_valid && fits).then_some(unit)
    }
}
