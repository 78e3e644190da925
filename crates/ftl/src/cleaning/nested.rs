//! Moved pages dealt round all pools, with collections within the one under way (`ftl.moved_to =
//! "drive-nested"`).
//!
//! The firmware that Margaglia and Brinkmann (MSST '15) released deals the pages of a victim round
//! all banks. A bank whose open block fills collects or seals at once. A pool that is being
//! collected is passed over, and a page that finds no place elsewhere goes to the reserve of its
//! victim's own pool.

use crate::address::Pool;

/// Collections within each other, at most: the stack of the thread is finite, drives are not.
const DEEPEST: u32 = 64;

/// Which pools are being collected.
#[derive(Debug, Clone, Default)]
pub(crate) struct Collecting {
    pools: Vec<bool>,
    depth: u32,
}

impl Collecting {
    /// For `pools` pools. A drive without collections within each other has none.
    pub(crate) fn new(pools: u32) -> Collecting {
        Collecting { pools: vec![false; pools as usize], depth: 0 }
    }

    /// Sets whether a pool is being collected, and returns whether it was.
    pub(super) fn set(&mut self, pool: Pool, is_collected: bool) -> bool {
        self.pools.get_mut(pool.index()).is_some_and(|entry| std::mem::replace(entry, is_collected))
    }

    /// A collection within the one under way begins.
    pub(super) fn begin(&mut self) {
        debug_assert!(self.depth < DEEPEST, "collections within each other have a bound");
        self.depth += 1;
    }

    /// It is over.
    pub(super) fn end(&mut self) {
        debug_assert!(self.depth > 0, "no collection is under way");
        self.depth -= 1;
    }

    /// Whether a collection of a pool may begin within the one under way.
    pub(super) fn takes_another(&self, pool: Pool) -> bool {
        self.depth < DEEPEST && !self.pools[pool.index()]
    }
}
