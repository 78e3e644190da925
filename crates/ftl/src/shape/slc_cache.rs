//! What follows for a drive from `ftl.slc_cache`, and with what it does not go together.

use rewear_flash::{ConfigError, Geometry};

use crate::config::choices::MovedTo;
use crate::config::drive::DriveConfig;
use crate::policies::slc_cache::SlcCacheConfig;
use crate::policies::streams::StreamsConfig;
use crate::reuse::ReuseConfig;
use crate::shape::layout::Layout;

/// Slots of an erase unit whose cells hold one bit each; `None` on a drive without a cache.
pub(crate) fn slots(config: &DriveConfig, layout: &Layout) -> Option<u32> {
    config.ftl.slc_cache.cache()?;
    let pages = config.flash.pages_per_block / u32::from(config.flash.bits_per_cell);
    Some(layout.width * pages / layout.slot_pages)
}

/// Bytes that the model takes for the cache: slots and a place in a queue for every unit, wear for
/// every block, a further open unit for every pool.
pub(super) fn model_bytes(config: &DriveConfig, layout: &Layout, geometry: &Geometry) -> u64 {
    if config.ftl.slc_cache.cache().is_none() {
        return 0;
    }
    /// A further open unit and the heads of queues.
    const POOL_BYTES: u64 = 192;
    let buckets = u64::from(layout.pools) * (u64::from(layout.slots_per_unit) + 1) * 16;
    16 * u64::from(layout.units())
        + 8 * u64::from(geometry.blocks())
        + buckets
        + POOL_BYTES * u64::from(layout.pools)
}

/// Bytes that the order in which its units were filled takes in the memory of a controller.
pub(super) fn controller_bytes(config: &DriveConfig, layout: &Layout) -> u64 {
    config.ftl.slc_cache.cache().map_or(0, |_| 4 * u64::from(layout.units()))
}

/// Checks a cache against the rest of the drive.
///
/// # Errors
/// Cells of one bit; blocks of too few pages; an option that needs pages of the cache for itself.
pub(super) fn check(config: &DriveConfig, layout: &Layout) -> Result<(), ConfigError> {
    let wrong = |key: &str, what: &str, remedy: &str| Err(ConfigError::new(key, what, remedy));
    let Some(slots) = slots(config, layout) else { return Ok(()) };
    if config.flash.bits_per_cell < 2 {
        return wrong(
            "ftl.slc_cache.scheme",
            "the cells of this flash hold one bit anyway",
            "leave it out, or give flash.bits_per_cell = 2 or more",
        );
    }
    if slots == 0 {
        return wrong(
            "flash.pages_per_block",
            "a block whose cells hold one bit each has no room for a page of the drive",
            "give at least flash.bits_per_cell of them for each flash page of ftl.indirection_unit_bytes",
        );
    }
    if config.reuse != (ReuseConfig::Nothing {}) {
        return wrong(
            "ftl.slc_cache.scheme",
            "the reuse scheme says how often cells are programmed, and those of the cache are erased each time",
            "give reuse.scheme = \"none\", or ftl.slc_cache.scheme = \"none\"",
        );
    }
    if config.ftl.streams != (StreamsConfig::One {}) {
        return wrong(
            "ftl.slc_cache.scheme",
            "the cache takes the pages of all streams, and does not know them apart when it is folded",
            "give ftl.streams.scheme = \"one\", or ftl.slc_cache.scheme = \"none\"",
        );
    }
    if config.ftl.moved_to == MovedTo::DriveNested {
        return wrong(
            "ftl.moved_to",
            "a fold makes room in its own pool only",
            "give \"pool\" or \"drive\", or ftl.slc_cache.scheme = \"none\"",
        );
    }
    if config.flash.bit_errors.is_some() && config.flash.stores_cells() {
        return wrong(
            "flash.bit_errors",
            "its rates are those of cells that hold all of their bits",
            "leave it out, or give ftl.slc_cache.scheme = \"none\"",
        );
    }
    let fixed = matches!(config.ftl.slc_cache, SlcCacheConfig::Static(_));
    if fixed && config.ftl.slc_cache.fixed_units(layout.units_per_pool) >= layout.units_per_pool {
        return wrong(
            "ftl.slc_cache.share",
            "the cache would take all erase units",
            "give less, or more flash.blocks_per_plane",
        );
    }
    Ok(())
}
