//! Where the latencies of an effort scheme's modes come from: a table, or the cells.
//!
//! Derived latencies are those of [`rewear_flash::cell_physics::derived_modes`] for blocks of one
//! age and data kept for one time; a run does not age them. A mode that its code could not read
//! back is refused, not replaced by a stronger one.

use rewear_flash::cell_physics::{DerivedMode, derived_modes, in_flash_cells};
use rewear_flash::timing::ModeTiming;
use rewear_flash::{ConfigError, FlashConfig};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Where latencies come from.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Latencies {
    /// The table `effort.*_ns`, by default that of the paper.
    #[default]
    Table,
    /// The cells of `flash.cells`, at the age that `effort.cells` names.
    Derived,
}

/// The `[effort.cells]` table: with `latencies = "derived"`, of what age the cells are.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct CellsConfig {
    /// Program/erase cycles behind every block.
    pub cycles: f64,
    /// Hours for which data must stay readable.
    pub retention_hours: f64,
}

impl Default for CellsConfig {
    fn default() -> Self {
        CellsConfig { cycles: 3000.0, retention_hours: 8760.0 }
    }
}

/// A mode of a scheme: what the cell model calls it, and the keys and values of its row in the
/// table.
pub(super) struct Row<'a> {
    pub(super) derived: &'static str,
    pub(super) read: (&'static str, &'a [u64]),
    pub(super) program: (&'static str, &'a [u64]),
    /// The values of the table unless others are given.
    pub(super) default_ns: (&'a [u64], &'a [u64]),
}

/// The timings of a scheme's modes.
///
/// # Errors
/// A latency that cannot be; cells of other bits than the drive's; a mode that cannot be read at
/// that age; parameters of the source that is not used.
pub(super) fn timings(
    source: Latencies,
    cells: &CellsConfig,
    rows: &[Row<'_>],
    flash: &FlashConfig,
) -> Result<Vec<ModeTiming>, ConfigError> {
    let bits = flash.bits_per_cell;
    if source == Latencies::Table {
        if *cells != CellsConfig::default() {
            let problem = "given, but the latencies come from the table";
            return Err(ConfigError::new(
                "effort.cells",
                problem,
                "set effort.latencies = \"derived\", or leave it out",
            ));
        }
        return rows.iter().map(|row| ModeTiming::new(bits, row.read, row.program)).collect();
    }
    for row in rows {
        for ((key, given), default) in [(row.read, row.default_ns.0), (row.program, row.default_ns.1)] {
            if given != default {
                let problem = format!("{given:?} is given, but latencies are derived from the cells");
                return Err(ConfigError::new(
                    key,
                    problem,
                    "leave it out, or set effort.latencies = \"table\"",
                ));
            }
        }
    }
    let modes = modes_of(cells, flash)?;
    rows.iter().map(|row| timing(row.derived, &modes, cells, bits)).collect()
}

/// Refuses a chip whose normal mode is another than that of the cells: the scheme would be compared
/// with a different flash.
///
/// # Errors
/// The latency that differs; normal pages that BCH cannot read at that age.
pub(super) fn check_normal_mode(
    source: Latencies,
    cells: &CellsConfig,
    flash: &FlashConfig,
) -> Result<(), ConfigError> {
    if source == Latencies::Table {
        return Ok(());
    }
    let normal = timing("normal", &modes_of(cells, flash)?, cells, flash.bits_per_cell)?;
    let times = &flash.timing;
    for (key, given, derived) in [
        ("flash.timing.read_ns", &times.read_ns, normal.read_ns[0]),
        ("flash.timing.program_ns", &times.program_ns, normal.program_ns[0]),
    ] {
        if given.iter().any(|&ns| ns != derived) {
            return Err(ConfigError::new(
                key,
                format!("{given:?}, but the cells of flash.cells take {derived} in the normal mode"),
                "give the cells' times in flash.cells.latency, or set effort.latencies = \"table\"",
            ));
        }
    }
    Ok(())
}

fn modes_of(cells: &CellsConfig, flash: &FlashConfig) -> Result<Vec<DerivedMode>, ConfigError> {
    let within = |error| in_flash_cells(error, "effort.cells");
    let model = flash.cell_model("or set effort.latencies = \"table\"")?;
    model.check().map_err(within)?;
    derived_modes(&model, cells.cycles, cells.retention_hours).map_err(within)
}

fn timing(
    name: &'static str,
    modes: &[DerivedMode],
    cells: &CellsConfig,
    bits_per_cell: u8,
) -> Result<ModeTiming, ConfigError> {
    let mode = modes.iter().find(|mode| mode.kind.name == name);
    let Some(mode) = mode else {
        return Err(ConfigError::new(
            "effort.latencies",
            format!("no cell has the mode {name}"),
            "set it to \"table\"",
        ));
    };
    let Some(read_ns) = mode.read_ns else {
        let code =
            if mode.kind.ldpc { "LDPC with any number of references that was measured" } else { "BCH" };
        return Err(ConfigError::new(
            "effort.cells.cycles",
            format!(
                "after {} cycles and {} hours a {name} page has a raw bit error rate of {:.2e}, which {code} does not read",
                cells.cycles, cells.retention_hours, mode.rber
            ),
            "give fewer cycles or hours; `rewear physics` says how many",
        ));
    };
    ModeTiming::new(
        bits_per_cell,
        ("flash.cells.latency", &[read_ns]),
        ("flash.cells.latency", &[mode.program_ns]),
    )
}
