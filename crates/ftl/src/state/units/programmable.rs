//! Closed units by their programmable slots: those that take a write as they are, around valid
//! pages and exhausted slots.
//!
//! Which slots are exhausted the scheme knows, and it counts a unit word by word. So a unit is
//! listed with the most that it can have: its invalid slots when it is closed, and one more for
//! each page that becomes invalid. Before a look those at the head are counted, until only counted
//! ones have as many ([`settle_programmable`](Units::settle_programmable)). So a unit is counted
//! once for each page that it loses at most.

use std::cmp::Ordering;

use crate::address::{Pool, Unit};
use crate::state::units::valid_count_index::ValidCountIndex;
use crate::state::units::{UnitState, Units};

/// The index: see the module's page.
#[derive(Debug, Clone)]
pub(super) struct ProgrammableIndex {
    /// By twice the slots that are known to take no write, and one more where they were counted. So
    /// the unit with the most programmable slots comes first, and behind those not counted yet.
    by_key: ValidCountIndex,
    /// The key of each unit.
    keys: Vec<u32>,
}

impl ProgrammableIndex {
    /// Adds a unit that was just closed.
    pub(super) fn insert(&mut self, unit: Unit, queue: u32, valid: u32) {
        self.put(unit, queue, 2 * valid);
    }

    pub(super) fn remove(&mut self, unit: Unit) {
        self.by_key.remove(unit);
    }

    fn put(&mut self, unit: Unit, queue: u32, key: u32) {
        self.keys[unit.index()] = key;
        self.by_key.insert(unit, queue, key, 0);
    }

    #[inline]
    fn blocked(&self, unit: Unit) -> u32 {
        self.keys[unit.index()] / 2
    }

    fn is_counted(&self, unit: Unit) -> bool {
        self.keys[unit.index()] % 2 == 1
    }
}

impl Units {
    /// Keeps the index from now on, on a fresh drive.
    pub(crate) fn rank_programmable(&mut self) {
        let (units, queues, highest) = (self.count(), self.victims.queues(), 2 * self.slots_per_unit + 1);
        let by_key = ValidCountIndex::new(units, queues, highest, false);
        self.programmable = Some(Box::new(ProgrammableIndex { by_key, keys: vec![0; units as usize] }));
    }

    /// One slot of a unit became invalid, or none, and takes a write unless they are
    /// exhausted; or an invalid one was revived. It must be counted anew.
    #[inline]
    pub(crate) fn may_program_more(&mut self, unit: Unit, slots: u32) {
        let Some(index) = &mut self.programmable else { return };
        let state = &self.units[unit.index()];
        if state.state == UnitState::Closed {
            // Valid slots take no write.
            let blocked = index.blocked(unit).saturating_sub(slots).max(state.valid);
            index.remove(unit);
            index.put(unit, state.queue, 2 * blocked);
        }
    }

    /// Counts the units of a pool that are listed first, until the first was counted.
    pub(crate) fn settle_programmable(&mut self, pool: Pool, programmable: impl Fn(Unit) -> u32) {
        let Some(index) = &mut self.programmable else { return };
        loop {
            index.by_key.settle(pool.0);
            match index.by_key.fewest_valid(pool.0) {
                Some(unit) if !index.is_counted(unit) => {
                    let blocked = self.slots_per_unit - programmable(unit);
                    debug_assert!(blocked >= index.blocked(unit), "unit {unit} has more slots than listed");
                    index.remove(unit);
                    index.put(unit, pool.0, 2 * blocked + 1);
                }
                _ => return,
            }
        }
    }

    /// The closed unit of a pool with the most programmable slots, if any has one. The first of
    /// equals has the fewest valid pages, and has had them longest. `programmable` may leave out
    /// units.
    pub(crate) fn most_programmable(&self, pool: Pool, programmable: impl Fn(Unit) -> u32) -> Option<Unit> {
        let index = self.programmable.as_deref()?;
        let head = index.by_key.fewest_valid(pool.0).filter(|&unit| index.is_counted(unit));
        let first = head.map(|head| self.first_of_bucket(index, pool, head));
        if let Some(first) = first.filter(|&unit| programmable(unit) > 0) {
            return Some(first);
        }
        let (mut best, mut most) = (None, 0);
        for at in self.by_valid(pool) {
            let count = programmable(at.unit);
            if count > most {
                (best, most) = (Some(at.unit), count);
            }
        }
        best
    }

    /// Which unit of a bucket comes first by valid pages. It is looked for in the bucket and among all
    /// units at once, as the first of many is near the head of those, and few are soon compared.
    fn first_of_bucket(&self, index: &ProgrammableIndex, pool: Pool, head: Unit) -> Unit {
        let (key, mut best) = (index.keys[head.index()], head);
        let mut bucket = index.by_key.from(head);
        for at in self.by_valid(pool) {
            if index.keys[at.unit.index()] == key {
                return at.unit;
            }
            match bucket.next() {
                Some(unit) if self.comes_before(unit, best) => best = unit,
                Some(_) => {}
                None => break,
            }
        }
        best
    }

    /// Whether a closed unit has fewer valid pages than another of its pool, or as many and longer.
    fn comes_before(&self, unit: Unit, other: Unit) -> bool {
        match self.valid(unit).cmp(&self.valid(other)) {
            Ordering::Equal => unit != other && self.victims.is_before(unit, other),
            order => order == Ordering::Less,
        }
    }

    /// Compares the index with a look at every closed unit.
    ///
    /// # Errors
    /// The first inconsistency, in words.
    pub(crate) fn audit_programmable(&self, programmable: impl Fn(Unit) -> u32) -> Result<(), String> {
        let Some(index) = &self.programmable else { return Ok(()) };
        for pool in Pool::all(self.pools.len() as u32) {
            let (listed, closed) = (index.by_key.count(pool.0), self.victims.count(pool.0));
            if listed != closed {
                return Err(format!("pool {pool}: {closed} closed units, {listed} by programmable slots"));
            }
            for unit in self.by_valid(pool).map(|at| at.unit) {
                let (listed, has) = (self.slots_per_unit - index.blocked(unit), programmable(unit));
                if listed < has || index.is_counted(unit) && listed > has {
                    return Err(format!("unit {unit}: listed with {listed} programmable slots, has {has}"));
                }
            }
            let mut settled = self.clone();
            settled.settle_programmable(pool, &programmable);
            let more = |best: Unit, unit| if programmable(unit) > programmable(best) { unit } else { best };
            let most = self.by_valid(pool).map(|at| at.unit).reduce(more);
            let (most, found) =
                (most.filter(|&unit| programmable(unit) > 0), settled.most_programmable(pool, &programmable));
            if found != most {
                return Err(format!(
                    "pool {pool}: {most:?} has the most programmable slots, found {found:?}"
                ));
            }
        }
        Ok(())
    }
}
