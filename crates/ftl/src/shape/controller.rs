//! The memory of a controller's firmware: its map, and the tables that its schemes state.
//!
//! Each scheme states its own, in its code and under *Cost* in its head comment, from where a test
//! reads the formula. Left out is what all drives have (lists of units, valid counts, buffers).

use crate::config::drive::DriveConfig;
use crate::reuse::Reuse;
use crate::shape::layout::Layout;
use crate::shape::slc_cache;
use crate::state::sharing::Sharing;

/// Bytes of a map entry: a physical page number.
const MAP_ENTRY_BYTES: u64 = 4;

/// Memory of a controller, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ControllerMemory {
    /// The map: four bytes a logical page.
    pub map: u64,
    /// Tables of the recycling scheme, its store included.
    pub recycle: u64,
    /// Tables of the reuse scheme.
    pub reuse: u64,
    /// Record and page tags of the effort scheme.
    pub effort: u64,
    /// Tables of the placement policy.
    pub streams: u64,
    /// The order of the units of `ftl.slc_cache`.
    pub slc_cache: u64,
}

impl ControllerMemory {
    pub(super) fn new(config: &DriveConfig, reuse: &Reuse, layout: &Layout) -> Self {
        let pages = u64::from(layout.exported_pages);
        let recycling = config.recycle.size(layout);
        let sharing = if config.recycle.shares_pages() { pages * Sharing::BYTES_PER_LPN } else { 0 };
        ControllerMemory {
            map: MAP_ENTRY_BYTES * pages,
            recycle: recycling.store_bytes + recycling.tables_bytes + sharing,
            reuse: reuse.controller_bytes(layout),
            effort: config.effort.controller_bytes(layout),
            streams: config.ftl.streams.table_bytes(layout),
            slc_cache: slc_cache::controller_bytes(config, layout),
        }
    }

    /// All of it.
    pub fn total(&self) -> u64 {
        let ControllerMemory { map, recycle, reuse, effort, streams, slc_cache } = *self;
        map + recycle + reuse + effort + streams + slc_cache
    }
}
