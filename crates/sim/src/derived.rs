//! Quantities that follow from a configuration.

use rewear_flash::ConfigError;
use rewear_ftl::shape::controller::ControllerMemory;
use rewear_ftl::shape::layout::Layout;
use rewear_ftl::{DriveConfig, Shape};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

/// One derived quantity.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Derived {
    /// What it belongs to: `array`, `capacity`, `cleaning`, `controller` or
    /// `recycling`.
    pub group: &'static str,
    /// Stable key, unit last.
    pub key: &'static str,
    /// For people.
    pub label: &'static str,
    /// The value.
    pub value: Value,
    /// Unit of the value; empty for counts.
    pub unit: &'static str,
}

/// A quantity without its group: key, label, value, unit.
type Item = (&'static str, &'static str, Value, &'static str);

/// Everything that `rewear show` prints.
///
/// # Errors
/// A configuration that cannot be.
pub fn derive(config: &DriveConfig) -> Result<Vec<Derived>, ConfigError> {
    let shape = Shape::new(config)?;
    let groups = [
        ("array", array(&shape)),
        ("capacity", capacity(&shape.layout)),
        ("cleaning", cleaning(&shape)),
        ("controller", controller(&shape.controller)),
        ("recycling", recycling(config, &shape)),
    ];
    let derived = |group, (key, label, value, unit): Item| Derived { group, key, label, value, unit };
    Ok(groups
        .into_iter()
        .flat_map(|(group, items)| items.into_iter().map(move |item| derived(group, item)))
        .collect())
}

fn array(shape: &Shape) -> Vec<Item> {
    let geometry = &shape.geometry;
    let block_bytes = geometry.bytes() / u64::from(geometry.blocks());
    // A whole number as such: nearly all are.
    let programs = match shape.programs_per_erase {
        programs if programs.fract() == 0.0 => (programs as u64).into(),
        programs => ((programs * 1000.0).round() / 1000.0).into(),
    };
    vec![
        ("dies", "dies", geometry.dies().into(), ""),
        ("planes", "planes", geometry.planes().into(), ""),
        ("blocks", "blocks", geometry.blocks().into(), ""),
        ("pages", "flash pages", geometry.pages().into(), ""),
        ("block_bytes", "block", block_bytes.into(), "bytes"),
        ("physical_bytes", "physical capacity", geometry.bytes().into(), "bytes"),
        ("programs_per_page_and_erase", "programs of a page between erases (expected)", programs, ""),
    ]
}

fn capacity(layout: &Layout) -> Vec<Item> {
    let exported = layout.exported_bytes();
    let usable = u64::from(layout.slots()) * u64::from(layout.logical_page_bytes);
    let spare = (usable - exported) as f64 / exported as f64;
    vec![
        ("logical_page_bytes", "logical page", layout.logical_page_bytes.into(), "bytes"),
        ("flash_pages_per_logical_page", "flash pages of a logical page", layout.slot_pages.into(), ""),
        ("slots", "logical pages that fit", layout.slots().into(), ""),
        ("usable_bytes", "data that fits", usable.into(), "bytes"),
        ("exported_pages", "exported logical pages", layout.exported_pages.into(), ""),
        ("exported_bytes", "exported capacity", exported.into(), "bytes"),
        ("effective_over_provisioning", "over-provisioning (T - U) / U", spare.into(), ""),
    ]
}

fn cleaning(shape: &Shape) -> Vec<Item> {
    let layout = &shape.layout;
    let exported_units =
        f64::from(layout.exported_pages) / f64::from(layout.slots_per_unit) / f64::from(layout.pools);
    let spare_units = f64::from(layout.units_per_pool) - exported_units;
    let free_units = shape.reserve.free_units;
    vec![
        ("pools", "pools (allocate and clean on their own)", layout.pools.into(), ""),
        ("erase_units", "erase units", layout.units().into(), ""),
        ("blocks_per_erase_unit", "blocks of an erase unit", layout.width.into(), ""),
        ("logical_pages_per_erase_unit", "logical pages of an erase unit", layout.slots_per_unit.into(), ""),
        ("spare_units_per_pool", "spare erase units of a pool", spare_units.into(), ""),
        ("reserved_units_per_pool", "free erase units at which cleaning starts", free_units.into(), ""),
        ("model_memory_bytes", "memory of the model", shape.model_memory_bytes().into(), "bytes"),
    ]
}

/// Memory that the firmware of such a drive takes: the map, and what the scheme of each axis keeps.
fn controller(memory: &ControllerMemory) -> Vec<Item> {
    vec![
        ("controller_map_bytes", "map", memory.map.into(), "bytes"),
        ("controller_recycle_bytes", "tables of recycling", memory.recycle.into(), "bytes"),
        ("controller_reuse_bytes", "tables of the reuse scheme", memory.reuse.into(), "bytes"),
        ("controller_effort_bytes", "tables of the effort scheme", memory.effort.into(), "bytes"),
        ("controller_streams_bytes", "tables of the placement policy", memory.streams.into(), "bytes"),
        ("controller_slc_cache_bytes", "order of the SLC cache", memory.slc_cache.into(), "bytes"),
        ("controller_bytes", "memory of the controller", memory.total().into(), "bytes"),
    ]
}

fn recycling(config: &DriveConfig, shape: &Shape) -> Vec<Item> {
    if !config.recycle.wants_content() {
        return Vec::new();
    }
    let (size, model) = (config.recycle.size(&shape.layout), shape.recycle_bytes);
    let tables = "tables of versions and accesses of the drive";
    vec![
        ("fingerprint_store_bytes", "fingerprint store of the drive", size.store_bytes.into(), "bytes"),
        ("recycling_tables_bytes", tables, size.tables_bytes.into(), "bytes"),
        ("recycling_model_bytes", "of the model's memory, for recycling", model.into(), "bytes"),
    ]
}
