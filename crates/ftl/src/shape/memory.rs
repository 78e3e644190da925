//! The memory of a drive's model: the one place where it is computed, before any of it is taken.

use crate::shape::Shape;
use crate::shape::layout::Layout;

/// State, wear, links of a unit and its place in a queue.
const UNIT_BYTES: u64 = 48;
/// Open units of a pool and what is known of all of its units.
const POOL_BYTES: u64 = 2048;
/// What figures and recovery keep for a block.
const BLOCK_BYTES: u64 = 8;

impl Shape {
    /// Bytes that the model takes at most for maps and counts, stored cells left out.
    pub fn model_memory_bytes(&self) -> u64 {
        let layout = &self.layout;
        let map = 4 * (u64::from(layout.exported_pages) + u64::from(layout.slots())) + bit_a_slot(layout);
        // Units lie in a bucket of their pool for each count of valid pages; a fill of halves doubles the buckets.
        let buckets = u64::from(layout.pools) * (u64::from(layout.slots_per_unit) + 1) * 16;
        map + buckets
            + u64::from(layout.units()) * UNIT_BYTES
            + u64::from(layout.pools) * POOL_BYTES
            + u64::from(self.geometry.blocks()) * BLOCK_BYTES
            + self.array_bytes
            + self.reuse_bytes
            + self.buffer_bytes
            + self.effort_bytes
            + self.recycle_bytes
    }
}

/// Bytes of a table with a bit for every slot, in which units begin with a word of their own.
pub(crate) fn bit_a_slot(layout: &Layout) -> u64 {
    u64::from(layout.units()) * u64::from(layout.slots_per_unit.div_ceil(64)) * 8
}
