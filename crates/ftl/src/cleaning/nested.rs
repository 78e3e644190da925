//! Moved pages dealt round all pools, with collections within the one under way (`ftl.moved_to =
//! "drive-nested"`).
//!
//! The firmware that Margaglia and Brinkmann (MSST '15) released deals the pages of a victim round
//! all banks. A bank whose open block fills collects or seals at once. A pool that is being
//! collected is passed over, and a page that finds no place elsewhere goes to the reserve of its
//! victim's own pool.

use rewear_flash::Nanos;

use crate::address::{Pool, SlotAddress};
use crate::error::FtlError;
use crate::layer::Ftl;
use crate::state::units::stream::Stream;

/// Collections within each other, at most: the stack of the thread is finite, drives are not.
const DEEPEST: u32 = 64;

/// Which pools are being collected.
#[derive(Debug, Clone, Default)]
pub(crate) struct Collecting {
    pools: Vec<bool>,
    depth: u32,
}

impl Collecting {
    /// For so many pools. A drive without collections within each other has none.
    pub(crate) fn new(pools: u32) -> Collecting {
        Collecting { pools: vec![false; pools as usize], depth: 0 }
    }

    /// Sets whether a pool is being collected, and returns whether it was.
    pub(super) fn set(&mut self, pool: Pool, is_collected: bool) -> bool {
        self.pools.get_mut(pool.index()).is_some_and(|entry| std::mem::replace(entry, is_collected))
    }

    /// Sets whether the collection that begins may have others within it.
    pub(super) fn allow(&mut self, others: bool) {
        self.depth = if others { 0 } else { DEEPEST };
    }

    fn takes_another(&self, pool: Pool) -> bool {
        self.depth < DEEPEST && !self.pools[pool.index()]
    }
}

impl Ftl {
    /// A slot in the open unit of the next pool in turn that has one or can make room for it;
    /// `None` if none can.
    #[inline(never)]
    pub(super) fn take_slot_in_turn(
        &mut self,
        at: Nanos,
        stream: Stream,
    ) -> Result<Option<SlotAddress>, FtlError> {
        for _ in 0..self.state.layout.pools {
            let pool = self.state.units.next_pool_of_moves();
            if !self.state.units.takes_writes(pool) {
                continue;
            }
            if let Some(place) = self.state.units.take_slot(pool, stream) {
                return Ok(Some(place));
            }
            if !self.collecting.takes_another(pool) {
                continue;
            }
            match self.make_room_within(at, pool, stream) {
                Err(FtlError::OutOfSpace { .. }) => continue,
                made => made?,
            }
            if let Some(place) = self.state.units.take_slot(pool, stream) {
                return Ok(Some(place));
            }
        }
        Ok(None)
    }

    fn make_room_within(&mut self, at: Nanos, pool: Pool, stream: Stream) -> Result<(), FtlError> {
        let was_collected = self.collecting.set(pool, true);
        self.collecting.depth += 1;
        let made = self.clean_until_room(at, pool, stream);
        self.collecting.depth -= 1;
        self.collecting.set(pool, was_collected);
        // The collection around this one goes on.
        self.state.array.work_apart(true);
        made
    }
}
