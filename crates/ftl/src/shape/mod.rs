//! What follows from a configuration before any memory is taken: layout, reserve, model size.

pub mod controller;
mod indirection;
pub mod layout;
pub(crate) mod memory;
pub mod reserve;
pub(crate) mod slc_cache;

use rewear_flash::config::MediumKind;
use rewear_flash::medium::CellFormat;
use rewear_flash::timing::Timing;
use rewear_flash::{Array, ConfigError, FlashConfig, Geometry};

use crate::config::choices::{EraseUnit, MovedTo};
use crate::config::drive::DriveConfig;
use crate::effort::Effort;
use crate::host::write_buffer::MODEL_BYTES_PER_PAGE;
use crate::recovery::log::LogShape;
use crate::recovery::spare_area;
use crate::reuse::Reuse;
use crate::reuse::facts::Passes;
use crate::shape::controller::ControllerMemory;
use crate::shape::layout::Layout;
use crate::shape::reserve::{Reserve, units_retire};
use crate::state::sharing::Sharing;

/// A checked configuration's consequences.
#[derive(Debug, Clone)]
pub struct Shape {
    /// The array.
    pub geometry: Geometry,
    /// The flash as the reuse code leaves it.
    pub flash: FlashConfig,
    /// How page numbers lie over it.
    pub layout: Layout,
    /// Units that cleaning keeps for itself.
    pub reserve: Reserve,
    /// Erase units of each pool that are left out because blocks are bad from the factory. The
    /// controller numbers the good blocks of each plane first, so a pool loses as many units as its
    /// worst plane has bad blocks.
    pub bad_units: Vec<u32>,
    /// How large the log of `ftl.recovery` is; it lies in front of the bad units of the first pool.
    pub log: Option<LogShape>,
    /// Blocks of the array that are bad from the factory.
    pub factory_bad_blocks: u32,
    /// Programs of one page between two erases that the reuse code is expected to give.
    pub programs_per_erase: f64,
    /// Bytes that the model takes for the array, stored cells left out.
    pub array_bytes: u64,
    /// Bytes that all cells take where they are stored.
    pub cells_bytes: u64,
    /// Bytes that the model takes for the reuse scheme.
    pub reuse_bytes: u64,
    /// Bytes that the model takes for the write buffer.
    pub buffer_bytes: u64,
    /// Bytes that the model takes for the placement policy.
    pub stream_bytes: u64,
    /// Bytes that the model takes for the effort scheme.
    pub effort_bytes: u64,
    /// Bytes that the model takes for the recycling scheme.
    pub recycle_bytes: u64,
    /// Bytes that the model takes for the cache of `ftl.slc_cache`.
    pub cache_bytes: u64,
    /// Memory of a controller that has this map and these schemes.
    pub controller: ControllerMemory,
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
        Geometry::new(&config.flash)?.check_page_bytes()?;
        Timing::new(&config.flash, Effort::new(&config.effort, &config.flash)?.extra_modes())?;
        config.ftl.slc_cache.timing(&config.flash)?;
        let flash = config.coded_flash()?.into_owned();
        if let Some(life) = &config.flash.life {
            life.check(&flash)?;
        }
        let mut reuse = Reuse::new(&config.reuse, &config.flash)?;
        let geometry = Geometry::new(&flash)?;
        if let Some(bytes) = config.ftl.indirection_unit_bytes {
            reuse.facts.slot_shape = indirection::slot_shape(config, bytes)?;
        }
        check_choices(config, &reuse)?;
        let layout = Layout::new(&geometry, &config.ftl.division(), reuse.facts.slot_shape)?;
        reuse.check(&config.ftl, &layout, &geometry)?;
        slc_cache::check(config, &layout)?;
        indirection::check_shared_pages(config, &layout)?;
        config.flash.failures.check()?;
        config.ftl.victim.check(&config.flash)?;
        config.recycle.check()?;
        let bad_blocks = config.flash.failures.factory_bad_blocks(&geometry, config.flash.seed);
        let bad_units: Vec<u32> = bad_blocks
            .chunks(layout.width as usize)
            .map(|planes| planes.iter().copied().max().unwrap_or(0))
            .collect();
        // Log units may fail as others do.
        let spare_units = u32::from(units_retire(config));
        let log = config.ftl.recovery.log();
        let log = log.map(|log| LogShape::new(log, &layout, spare_units)).transpose()?;
        let mut without_log = bad_units.clone();
        without_log[0] += log.map_or(0, |log| log.units());
        let fixed = config.ftl.slc_cache.fixed_units(layout.units_per_pool);
        without_log.iter_mut().for_each(|units| *units += fixed);
        let reserve = Reserve::new(&layout, config, &reuse, &without_log)?;
        let stored = config.flash.medium == MediumKind::Stored;
        let page_bytes = cell_format(config, &reuse)?.page_bytes() as u64;
        let buffered_bytes =
            MODEL_BYTES_PER_PAGE + if stored { u64::from(layout.logical_page_bytes) } else { 0 };
        let buffer_pages = config.ftl.write_buffer.buffer().map_or(0, |(buffer, _)| u64::from(buffer.pages));
        let shape = Shape {
            reserve,
            bad_units,
            log,
            factory_bad_blocks: bad_blocks.iter().sum(),
            programs_per_erase: reuse.facts.programs.per_erase,
            array_bytes: Array::model_bytes(&geometry, reuse.facts.programs.again)
                + memory::of_channels(&layout, &geometry)
                + memory::of_shared_pages(config, &geometry),
            cells_bytes: if stored { geometry.pages() * page_bytes } else { 0 },
            reuse_bytes: memory::of_scheme(&reuse.facts, &layout),
            buffer_bytes: buffer_pages * buffered_bytes,
            stream_bytes: config.ftl.streams.model_bytes(&layout, config.ftl.moved_pages),
            effort_bytes: config.effort.model_bytes(&layout),
            recycle_bytes: recycle_bytes(config, &layout),
            cache_bytes: slc_cache::model_bytes(config, &layout, &geometry),
            controller: ControllerMemory::new(config, &reuse, &layout),
            layout,
            geometry,
            flash,
        };
        Ok((shape, reuse))
    }
}

/// Refuses choices that rule each other out.
fn check_choices(config: &DriveConfig, reuse: &Reuse) -> Result<(), ConfigError> {
    if config.flash.endurance_cycles == Some(0) {
        return Err(ConfigError::new(
            "flash.endurance_cycles",
            "0 erases",
            "give at least 1, or leave it out",
        ));
    }
    if config.ftl.metadata_share > 0.0 && config.flash.medium == MediumKind::Stored {
        return Err(ConfigError::new(
            "ftl.metadata_share",
            "the journal of the map has no contents to store",
            "give flash.medium = \"modelled\", or ftl.recovery.scheme = \"log\" for a real journal",
        ));
    }
    if config.ftl.summary_pages && reuse.facts.passes == Passes::Parts {
        return Err(ConfigError::new(
            "ftl.summary_pages",
            "the summary of a unit would be written more often than its cells can be raised",
            "set it to false, or reuse.reopen = \"after-moving\" without reuse.ecc_check = \"pre\"",
        ));
    }
    let nests = config.ftl.moved_to == MovedTo::DriveNested;
    if nests && (config.ftl.erase_unit != EraseUnit::Block || reuse.facts.groups.is_some()) {
        return Err(ConfigError::new(
            "ftl.moved_to",
            "collections within others need erase units of one block, and pages in one slot each",
            "give \"drive\" or \"pool\"",
        ));
    }
    Ok(())
}

/// Bytes that the model takes for the recycling scheme.
fn recycle_bytes(config: &DriveConfig, layout: &Layout) -> u64 {
    let sharing = if config.recycle.shares_pages() { Sharing::BYTES_PER_LPN } else { 0 };
    config.recycle.size(layout).model_bytes + u64::from(layout.exported_pages) * sharing
}

/// How the cells of a drive are stored, records of the spare area included.
pub(crate) fn cell_format(config: &DriveConfig, reuse: &Reuse) -> Result<CellFormat, ConfigError> {
    let mut cells = reuse.facts.cell_format;
    cells.spare = spare_area::spare_format(config, reuse)?;
    Ok(cells)
}
