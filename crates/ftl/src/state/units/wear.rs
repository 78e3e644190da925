//! How worn the units of a pool are: least and most without a search.
//!
//! The wear of a unit is the number of times that it was emptied. Where a code reopens units
//! without an erase, each pass wears a unit too, so passes are counted; without such a code a pass
//! is an erase.

/// The units in service of a pool, counted by their wear.
#[derive(Debug, Clone)]
pub(super) struct PoolWear {
    /// Units in service by their wear.
    units_at: Vec<u32>,
    least: u32,
    most: u32,
}

impl PoolWear {
    /// `units` units without wear.
    pub(super) fn new(units: u32) -> PoolWear {
        PoolWear { units_at: vec![units], least: 0, most: 0 }
    }

    /// Units in service with known wear.
    pub(super) fn of(wears: impl Iterator<Item = u32>) -> PoolWear {
        let mut all = PoolWear { units_at: vec![0], least: 0, most: 0 };
        for wear in wears {
            if all.units_at.len() <= wear as usize {
                all.units_at.resize(wear as usize + 1, 0);
            }
            all.units_at[wear as usize] += 1;
            all.most = all.most.max(wear);
        }
        all.settle();
        all
    }

    /// A unit of wear `before` was emptied once more.
    pub(super) fn used(&mut self, before: u32) {
        let after = before as usize + 1;
        if self.units_at.len() <= after {
            self.units_at.resize(after + 1, 0);
        }
        self.units_at[before as usize] -= 1;
        self.units_at[after] += 1;
        self.most = self.most.max(after as u32);
        self.settle();
    }

    /// A unit of this wear went out of service.
    pub(super) fn left(&mut self, wear: u32) {
        self.units_at[wear as usize] -= 1;
        self.settle();
    }

    pub(super) fn least(&self) -> u32 {
        self.least
    }

    pub(super) fn most(&self) -> u32 {
        self.most
    }

    /// Units in service of this wear.
    pub(super) fn units_at(&self, wear: u32) -> u32 {
        self.units_at.get(wear as usize).copied().unwrap_or(0)
    }

    /// Moves the ends to units that exist.
    fn settle(&mut self) {
        while self.least < self.most && self.units_at[self.least as usize] == 0 {
            self.least += 1;
        }
        while self.most > self.least && self.units_at[self.most as usize] == 0 {
            self.most -= 1;
        }
    }
}
