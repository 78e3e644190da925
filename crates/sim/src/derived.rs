//! Quantities that follow from a configuration.

use rewear_flash::ConfigError;
use rewear_ftl::shape::controller::ControllerMemory;
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

/// Everything that `rewear show` prints.
///
/// # Errors
/// A configuration that cannot be.
pub fn derive(config: &DriveConfig) -> Result<Vec<Derived>, ConfigError> {
    let shape = Shape::new(config)?;
    let (geometry, layout) = (&shape.geometry, &shape.layout);
    let exported_units =
        f64::from(layout.exported_pages) / f64::from(layout.slots_per_unit) / f64::from(layout.pools);
    let spare_units = f64::from(layout.units_per_pool) - exported_units;
    let item = |group, key, label, value: Value, unit| Derived { group, key, label, value, unit };
    let physical_bytes = geometry.bytes();
    let exported = layout.exported_bytes();
    let usable_bytes = u64::from(layout.slots()) * u64::from(layout.logical_page_bytes);
    let mut all = vec![
        item("array", "dies", "dies", geometry.dies().into(), ""),
        item("array", "planes", "planes", geometry.planes().into(), ""),
        item("array", "blocks", "blocks", geometry.blocks().into(), ""),
        item("array", "pages", "flash pages", geometry.pages().into(), ""),
        item(
            "array",
            "block_bytes",
            "block",
            (physical_bytes / u64::from(geometry.blocks())).into(),
            "bytes",
        ),
        item("array", "physical_bytes", "physical capacity", physical_bytes.into(), "bytes"),
        item(
            "array",
            "programs_per_page_and_erase",
            "programs of a page between erases (expected)",
            // A whole number as such: nearly all are.
            match shape.programs_per_erase {
                programs if programs.fract() == 0.0 => (programs as u64).into(),
                programs => ((programs * 1000.0).round() / 1000.0).into(),
            },
            "",
        ),
        item("capacity", "logical_page_bytes", "logical page", layout.logical_page_bytes.into(), "bytes"),
        item(
            "capacity",
            "flash_pages_per_logical_page",
            "flash pages of a logical page",
            layout.slot_pages.into(),
            "",
        ),
        item("capacity", "slots", "logical pages that fit", layout.slots().into(), ""),
        item("capacity", "usable_bytes", "data that fits", usable_bytes.into(), "bytes"),
        item("capacity", "exported_pages", "exported logical pages", layout.exported_pages.into(), ""),
        item("capacity", "exported_bytes", "exported capacity", exported.into(), "bytes"),
        item(
            "capacity",
            "effective_over_provisioning",
            "over-provisioning (T - U) / U",
            ((usable_bytes - exported) as f64 / exported as f64).into(),
            "",
        ),
        item("cleaning", "pools", "pools (allocate and clean on their own)", layout.pools.into(), ""),
        item("cleaning", "erase_units", "erase units", layout.units().into(), ""),
        item("cleaning", "blocks_per_erase_unit", "blocks of an erase unit", layout.width.into(), ""),
        item(
            "cleaning",
            "logical_pages_per_erase_unit",
            "logical pages of an erase unit",
            layout.slots_per_unit.into(),
            "",
        ),
        item("cleaning", "spare_units_per_pool", "spare erase units of a pool", spare_units.into(), ""),
        item(
            "cleaning",
            "reserved_units_per_pool",
            "free erase units at which cleaning starts",
            shape.reserve.free_units.into(),
            "",
        ),
        item(
            "cleaning",
            "model_memory_bytes",
            "memory of the model",
            shape.model_memory_bytes().into(),
            "bytes",
        ),
    ];
    all.extend(controller(&shape.controller));
    let recycling = config.recycle.size(layout);
    if config.recycle.wants_content() {
        all.push(item(
            "recycling",
            "fingerprint_store_bytes",
            "fingerprint store of the drive",
            recycling.store_bytes.into(),
            "bytes",
        ));
        all.push(item(
            "recycling",
            "recycling_tables_bytes",
            "tables of versions and accesses of the drive",
            recycling.tables_bytes.into(),
            "bytes",
        ));
        all.push(item(
            "recycling",
            "recycling_model_bytes",
            "of the model's memory, for recycling",
            shape.recycle_bytes.into(),
            "bytes",
        ));
    }
    Ok(all)
}

/// Memory that the firmware of such a drive takes: the map, and what the scheme of each axis keeps.
fn controller(memory: &ControllerMemory) -> impl Iterator<Item = Derived> {
    let parts = [
        ("controller_map_bytes", "map", memory.map),
        ("controller_recycle_bytes", "tables of recycling", memory.recycle),
        ("controller_reuse_bytes", "tables of the reuse scheme", memory.reuse),
        ("controller_effort_bytes", "tables of the effort scheme", memory.effort),
        ("controller_streams_bytes", "tables of the placement policy", memory.streams),
        ("controller_slc_cache_bytes", "order of the SLC cache", memory.slc_cache),
        ("controller_bytes", "memory of the controller", memory.total()),
    ];
    parts.into_iter().map(|(key, label, bytes)| Derived {
        group: "controller",
        key,
        label,
        value: bytes.into(),
        unit: "bytes",
    })
}
