//! The memory of a drive's model: the one place where it is computed, before any of it is taken.

use rewear_flash::geometry::Geometry;
use rewear_flash::timeline::Timeline;

use crate::config::drive::DriveConfig;
use crate::reuse::facts::Facts;
use crate::shape::Shape;
use crate::shape::layout::Layout;

/// State, wear, links of a unit and its place in a queue.
const UNIT_BYTES: u64 = 48;
/// Open units of a pool and what is known of all of its units.
const POOL_BYTES: u64 = 2048;
/// What figures and recovery keep for a block.
const BLOCK_BYTES: u64 = 8;
/// Times of a page of a block, which all blocks share.
const PAGE_TIMES_BYTES: u64 = 8;

impl Shape {
    /// Bytes that the model takes at most for maps and counts, stored cells left out.
    pub fn model_memory_bytes(&self) -> u64 {
        let layout = &self.layout;
        let map =
            4 * (u64::from(layout.exported_pages) + u64::from(layout.slots())) + layout.bytes_of_bit_a_slot();
        // Units lie in a bucket of their pool for each count of valid pages; a fill of halves
        // doubles the buckets.
        let buckets = u64::from(layout.pools) * (u64::from(layout.slots_per_unit) + 1) * 16;
        map + buckets
            + u64::from(layout.units()) * UNIT_BYTES
            + u64::from(layout.pools) * POOL_BYTES
            + u64::from(self.geometry.blocks()) * BLOCK_BYTES
            + u64::from(self.geometry.pages_per_block) * PAGE_TIMES_BYTES
            + self.array_bytes
            + self.reuse_bytes
            + self.buffer_bytes
            + self.stream_bytes
            + self.effort_bytes
            + self.recycle_bytes
            + self.cache_bytes
    }
}

/// Bytes that channels remember for units that span planes.
pub(super) fn of_channels(layout: &Layout, geometry: &Geometry) -> u64 {
    if layout.width > 1 { u64::from(geometry.channels) * Timeline::ALL_GAPS_BYTES } else { 0 }
}

/// Bytes for what the registers of planes hold, where mapping units share pages of the chip.
pub(super) fn of_shared_pages(config: &DriveConfig, geometry: &Geometry) -> u64 {
    if config.flash.pages_per_program > 1 { 64 + 8 * u64::from(geometry.planes()) } else { 0 }
}

/// Bytes for what a scheme remembers of slots and units, and for the groups that it ties.
pub(super) fn of_scheme(facts: &Facts, layout: &Layout) -> u64 {
    let (slots, units) = (u64::from(layout.slots()), u64::from(layout.units()));
    let remembers = facts.remembers;
    let bits = if remembers.bit_a_slot { layout.bytes_of_bit_a_slot() } else { 0 };
    let groups = facts.groups.map_or(0, |shape| shape.table_bytes(layout));
    // A key and links a unit, and two buckets for each count of slots.
    let buckets = u64::from(layout.pools) * (2 * u64::from(layout.slots_per_unit) + 2);
    let ranks = if facts.ranks_units { 12 * units + 8 * buckets } else { 0 };
    remembers.bytes_per_slot * slots + bits + remembers.bytes_per_unit * units + groups + ranks
}
