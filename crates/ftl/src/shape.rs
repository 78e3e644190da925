//! What follows from a configuration before any memory is taken: layout, reserve, model size.

use rewear_flash::timing::Timing;
use rewear_flash::{ConfigError, Geometry};

use crate::config::DriveConfig;
use crate::effort::Effort;
use crate::layout::Layout;
use crate::reuse::{Reuse, ReuseConfig};
use crate::sharing::Sharing;
use crate::write_buffer::MODEL_BYTES_PER_PAGE;

/// A checked configuration's consequences.
#[derive(Debug, Clone)]
pub struct Shape {
    /// The array.
    pub geometry: Geometry,
    /// How page numbers lie over it.
    pub layout: Layout,
    /// Units that cleaning keeps for itself.
    pub reserve: Reserve,
    /// Erase units of each pool that are left out because blocks are bad from the factory. The controller numbers the
    /// good blocks of each plane first, so a pool loses as many units as its worst plane has bad blocks.
    pub bad_units: Vec<u32>,
    /// Blocks of the array that are bad from the factory.
    pub factory_bad_blocks: u32,
    /// Programs of one page between two erases that the reuse code is expected to give.
    pub programs_per_erase: f64,
    /// Whether programs of each page are counted.
    pub counts_programs: bool,
    /// Bytes that the reuse scheme's model keeps for each slot.
    pub reuse_bytes_per_slot: u64,
    /// Logical pages of the write buffer.
    pub buffer_pages: u32,
    /// Bytes that the model takes for the effort scheme.
    pub effort_bytes: u64,
    /// Bytes that the model takes for the recycling scheme.
    pub recycle_bytes: u64,
}

/// The erase units of each pool that the host never fills, so that cleaning always finds a victim and a place to move to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reserve {
    /// Cleaning starts when no more than this many units of a pool are free.
    pub free_units: u32,
    /// Free units that cleaning restores; less than that where recycled units, too, count towards the threshold. Those
    /// beyond the needed ones may wait for host writes instead.
    pub kept_units: u32,
    /// Units that are free again after each cleaning, come what may.
    pub needed_units: u32,
    /// Open units of a pool: one, and one more for each kind of data that is kept apart.
    pub streams: u32,
    /// Host writes avoid a pool that holds this many valid pages.
    pub valid_limit: u32,
}

impl Shape {
    /// Checks a configuration as a whole and derives its shape.
    ///
    /// # Errors
    /// Whatever cannot be, with key and remedy.
    pub fn new(config: &DriveConfig) -> Result<Shape, ConfigError> {
        Ok(Shape::with_reuse(config)?.0)
    }

    pub(crate) fn with_reuse(config: &DriveConfig) -> Result<(Shape, Reuse), ConfigError> {
        config.ftl.check()?;
        let geometry = Geometry::new(&config.flash)?;
        Timing::new(&config.flash, Effort::new(&config.effort, &config.flash)?.extra_modes())?;
        if config.flash.endurance_cycles == Some(0) {
            return Err(ConfigError::new(
                "flash.endurance_cycles",
                "0 erases",
                "give at least 1, or leave it out",
            ));
        }
        let reuse = Reuse::new(&config.reuse, &config.flash)?;
        if config.ftl.summary_pages
            && matches!(&config.reuse, ReuseConfig::WomV(womv) if womv.writes_parts_of_units())
        {
            return Err(ConfigError::new(
                "ftl.summary_pages",
                "the summary of a unit would be written more often than its cells can be raised",
                "set it to false, or reuse.reopen = \"after-moving\" without reuse.ecc_check = \"pre\"",
            ));
        }
        let layout = Layout::new(&geometry, &config.ftl, reuse.slot_shape())?;
        reuse.check_layout(&layout, &geometry)?;
        config.flash.failures.check()?;
        config.ftl.victim.check(&config.flash)?;
        config.recycle.check()?;
        let recycle_bytes = config.recycle.size(&layout).model_bytes;
        let sharing_bytes = if config.recycle.shares_pages() {
            u64::from(layout.exported_pages) * Sharing::BYTES_PER_LPN
        } else {
            0
        };
        let bad_blocks = config.flash.failures.factory_bad_blocks(&geometry);
        let bad_units: Vec<u32> = bad_blocks
            .chunks(layout.width as usize)
            .map(|planes| planes.iter().copied().max().unwrap_or(0))
            .collect();
        reuse.check(&config.ftl)?;
        let reserve = Reserve::new(&layout, config, &reuse, &bad_units)?;
        let (programs_per_erase, counts_programs) = (reuse.programs_per_erase(), reuse.counts_programs());
        let buffer_pages = config.ftl.write_buffer.buffer().map_or(0, |(buffer, _)| buffer.pages);
        let shape = Shape {
            geometry,
            reserve,
            bad_units,
            factory_bad_blocks: bad_blocks.iter().sum(),
            programs_per_erase,
            counts_programs,
            reuse_bytes_per_slot: reuse.bytes_per_slot(),
            buffer_pages,
            effort_bytes: config.effort.model_bytes(&layout),
            recycle_bytes: recycle_bytes + sharing_bytes,
            layout,
        };
        Ok((shape, reuse))
    }

    /// Bytes that the model takes for maps and counts (without stored cells).
    pub fn model_memory_bytes(&self) -> u64 {
        let slots = u64::from(self.layout.slots());
        // Two bytes a flash page in the array; two counts and a bit a slot in the scheme.
        let counts = if self.counts_programs { 2 * self.geometry.pages() + 4 * slots + slots / 8 } else { 0 };
        let blocks = u64::from(self.geometry.blocks());
        let buffer = u64::from(self.buffer_pages) * MODEL_BYTES_PER_PAGE;
        u64::from(self.layout.exported_pages) * 4
            + slots * 4
            + slots / 8
            + slots * self.reuse_bytes_per_slot
            + counts
            + blocks * 56
            + buffer
            + self.effort_bytes
            + self.recycle_bytes
    }
}

impl Reserve {
    fn new(
        layout: &Layout,
        config: &DriveConfig,
        reuse: &Reuse,
        bad_units: &[u32],
    ) -> Result<Reserve, ConfigError> {
        // A unit that fails while it is written does not come back, and its pages need a place.
        // A unit that is retired when it is erased gives nothing back for the one that its pages moved to.
        let units_retire = config.flash.failures.operations_fail() || config.flash.endurance_cycles.is_some();
        let for_failures = u32::from(units_retire);
        let config = &config.ftl;
        let threshold = (config.gc_threshold * f64::from(layout.units_per_pool)).floor() as u32;
        let least = reuse.min_free_units();
        let free_units = threshold.max(least.unwrap_or(1)) + for_failures + reuse.reserve_units();
        let streams = config.open_units() + reuse.open_units();
        let needed = free_units + streams;
        let valid_limit = layout.units_per_pool.saturating_sub(needed) * layout.slots_per_unit;
        // One page a pool beside the exported ones: a page is written before its old copy becomes invalid.
        let usable = bad_units
            .iter()
            .map(|&bad| valid_limit.saturating_sub(bad * layout.slots_per_unit))
            .map(|pages| u64::from(pages).saturating_sub(1))
            .sum::<u64>();
        if usable >= u64::from(layout.exported_pages) {
            let kept_units = least.map_or(free_units, |units| units + for_failures);
            let needed_units = kept_units - reuse.reserve_units();
            return Ok(Reserve { free_units, kept_units, needed_units, streams, valid_limit });
        }
        let remedy = if layout.units_per_pool > needed && usable > 0 {
            let least = f64::from(layout.slots()) / usable as f64 - 1.0;
            format!("give at least {:.4}, or more flash.blocks_per_plane", (least * 1e4).ceil() / 1e4)
        } else {
            format!("give more than {needed} flash.blocks_per_plane")
        };
        Err(ConfigError::new(
            "ftl.over_provisioning",
            format!(
                "{} of {} erase units in each pool{} leaves less than the {needed} spare ones that cleaning works with",
                config.over_provisioning,
                layout.units_per_pool,
                match bad_units.iter().max() {
                    Some(&bad) if bad > 0 => format!(", of which up to {bad} are bad,"),
                    _ => String::new(),
                }
            ),
            remedy,
        ))
    }
}
