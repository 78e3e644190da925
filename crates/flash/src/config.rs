//! The `[flash]` table of a drive's configuration.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::bit_errors::BitErrorsConfig;
use crate::cell_physics::{CellConfig, CellsConfig};
use crate::energy::EnergyConfig;
use crate::error::ConfigError;
use crate::failures::FailuresConfig;
use crate::life::LifeConfig;
use crate::page_kind::PageOrder;
use crate::timing::TimingConfig;

/// A flash array: its shape, its cells and its times.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FlashConfig {
    /// Channels; each carries the transfers of its dies, one at a time.
    pub channels: u32,
    /// Dies (chips) on each channel.
    pub dies_per_channel: u32,
    /// Planes in each die.
    pub planes_per_die: u32,
    /// Blocks in each plane.
    pub blocks_per_plane: u32,
    /// Pages in each block.
    pub pages_per_block: u32,
    /// Data bytes in a page, without its spare area.
    pub page_bytes: u32,
    /// Consecutive pages of a block that are programmed together, once there are as many: mapping
    /// units that share a page of the chip. The times and energies are those of such a page. 1 unless
    /// given.
    #[serde(default = "one_page", skip_serializing_if = "is_one_page")]
    pub pages_per_program: u32,
    /// Bytes of a page's spare area; they are transferred with the page.
    #[serde(default)]
    pub spare_bytes: u32,
    /// Bits that a cell holds: 1 SLC, 2 MLC, 3 TLC, 4 QLC, 5 PLC. Decides the kinds of pages and
    /// their times.
    #[serde(default = "one")]
    pub bits_per_cell: u8,
    /// Order of the kinds of pages in a block.
    #[serde(default)]
    pub page_order: PageOrder,
    /// Model of the cells.
    #[serde(default)]
    pub medium: MediumKind,
    /// The unit that works alone.
    #[serde(default)]
    pub service_unit: ServiceUnit,
    /// A host's read overtakes programs and erases that wait for its service unit.
    #[serde(default)]
    pub read_priority: bool,
    /// With `read_priority`: after how long an erase under way makes room for a host's read,
    /// including what its later resumption costs. Absent: erases are not suspended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub erase_suspend_ns: Option<u64>,
    /// Erases that a block endures; worn blocks are retired. Absent: unlimited.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub endurance_cycles: Option<u32>,
    /// What blocks are rated for, from which reports compute lives; absent: `endurance_cycles`, or
    /// no life is named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub life: Option<LifeConfig>,
    /// The model of the cells: `life`, `bit_errors`, latencies derived from cells and the end of
    /// second writes read it. Absent: the published cell of docs/manual/physics.md, which has two
    /// bits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cells: Option<CellsConfig>,
    /// Stored cells: how often they are misread. Absent: never.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bit_errors: Option<BitErrorsConfig>,
    /// Stored cells: whether data is made to look random before a code that depends on it (`wom-v`,
    /// `second-write`) writes it. No key: drives always do so, tests show what it is worth.
    #[serde(skip, default = "yes")]
    pub scrambler: bool,
    /// Share of bits that a reuse code leaves wrong, which the error-correcting code corrects beside
    /// those that are misread. Follows from the code: no key.
    #[serde(skip)]
    pub wrong_bits: f64,
    /// Bad blocks and failing operations; by default there are none.
    #[serde(default)]
    pub failures: FailuresConfig,
    /// Seed of what the drive draws (Xoshiro256++): bad blocks, failures, misread bits, outcomes of
    /// writes on modelled cells, victims. Where dies are drives of their own every die draws for
    /// itself.
    #[serde(default = "first_seed")]
    pub seed: u64,
    /// Latencies.
    pub timing: TimingConfig,
    /// Energies; absent: none are estimated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub energy: Option<EnergyConfig>,
}

impl FlashConfig {
    /// Cycles after which a block is retired: `endurance_cycles`, or fewer where its pages are not
    /// corrected any more. `None` where none is.
    ///
    /// # Errors
    /// As [`LifeConfig::uncorrectable_cycles`].
    pub fn retires_at(&self) -> Result<Option<u32>, ConfigError> {
        let (Some(endurance), Some(life)) = (self.endurance_cycles, &self.life) else {
            return Ok(self.endurance_cycles);
        };
        let corrected = life.uncorrectable_cycles(self)?.map_or(u32::MAX, |cycles| cycles as u32);
        Ok(Some(endurance.min(corrected)))
    }

    /// The model of the cells. `otherwise` is what a user can do who has none.
    ///
    /// # Errors
    /// Another number of levels than `bits_per_cell` has.
    pub fn cell_model(&self, otherwise: &str) -> Result<CellConfig, ConfigError> {
        let cells = self.cells.clone().unwrap_or_default().model();
        let (found, wanted) = (cells.voltage.verify_v.len(), (1usize << self.bits_per_cell) - 1);
        if found == wanted {
            return Ok(cells);
        }
        Err(ConfigError::new(
            "flash.cells.verify_v",
            format!(
                "{found} programmed levels, where cells of {} bits (flash.bits_per_cell) have {wanted}",
                self.bits_per_cell
            ),
            format!("give the verify voltage of each programmed level, {otherwise}"),
        ))
    }

    /// Whether the level of every cell is kept.
    pub fn stores_cells(&self) -> bool {
        self.medium == MediumKind::Stored
    }

    /// The smallest plain array: one plane of 16 blocks of 64 pages of 4 KiB with one bit a cell,
    /// everything optional absent. A base for configurations made in code, which then name only
    /// what they mean to be different.
    pub fn single_plane(timing: TimingConfig) -> FlashConfig {
        FlashConfig {
            channels: 1,
            dies_per_channel: 1,
            planes_per_die: 1,
            blocks_per_plane: 16,
            pages_per_block: 64,
            page_bytes: 4096,
            pages_per_program: one_page(),
            spare_bytes: 0,
            bits_per_cell: one(),
            page_order: PageOrder::default(),
            medium: MediumKind::default(),
            service_unit: ServiceUnit::default(),
            read_priority: false,
            erase_suspend_ns: None,
            endurance_cycles: None,
            life: None,
            cells: None,
            bit_errors: None,
            scrambler: yes(),
            wrong_bits: 0.0,
            failures: FailuresConfig::default(),
            seed: first_seed(),
            timing,
            energy: None,
        }
    }
}

fn one() -> u8 {
    1
}

fn first_seed() -> u64 {
    1
}

fn one_page() -> u32 {
    1
}

#[allow(clippy::trivially_copy_pass_by_ref)] // The shape serde asks for.
fn is_one_page(given: &u32) -> bool {
    *given == one_page()
}

fn yes() -> bool {
    true
}

/// How the array keeps its cells.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum MediumKind {
    /// By counts only, without bytes.
    #[default]
    Modelled,
    /// With the level of every cell, in memory.
    Stored,
}

/// The smallest part of the array that executes operations on its own.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ServiceUnit {
    /// Every plane executes independently.
    #[default]
    Plane,
    /// A die executes one command at a time.
    Die,
    /// A die executes one operation of the host at a time; otherwise its planes are cleaned side by
    /// side, and the host waits for the longest (DiskSim's SSD extension). Rules out
    /// `read_priority`.
    Chip,
}
