//! Parameters of `wom-v`.

use rewear_codes::wom_v::{DataModel, EccCheck, EccThreshold};
use rewear_flash::ConfigError;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Parameters of the `wom-v` scheme.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WomVConfig {
    /// Data bits per cell (k of WOM-v(k, N)); N is `flash.bits_per_cell`.
    pub data_bits: u8,
    /// NR mode: every write of a page goes to the next generation, so that the page need not be
    /// read first.
    #[serde(default)]
    pub no_read: bool,
    /// Valid pages of a unit that is written again, and its choice.
    #[serde(default)]
    pub reopen: Reopening,
    /// Reserve of cleaning for moved pages, with an in-place `reopen`.
    #[serde(default, skip_serializing_if = "is_default")]
    pub reserve: ReserveOf,
    /// Check of the limit on invalid cells, which NR mode has not.
    #[serde(default)]
    pub ecc_check: InvalidCellCheck,
    /// Share of a page's cells (of a unit's under `unit`) that may be invalid, 0 to below 1. By
    /// default 0.03 as in the paper, and 0.0775 under `unit` as in its authors' program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ecc_threshold: Option<f64>,
    /// Modelled cells: share of bits that a write changes against what its pages held before, 0
    /// to 1. Absent: every write is fresh random data. Stored cells hold what is written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub flip_rate: Option<f64>,
}

/// How a unit that still takes writes is written again.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Reopening {
    /// Its valid pages are moved away first: the baseline.
    #[default]
    AfterMoving,
    /// `GC_OPT`: its valid pages stay and are skipped. The unit is the one that cleaning would take
    /// anyway; if a page of it is exhausted, its pages are moved and it is erased.
    InPlace,
    /// `GC_OPT`, but units with an exhausted page are erased only when no other has an invalid
    /// page.
    InPlaceIntact,
    /// `GC_OPT` of the unit with the most programmable pages; exhausted ones are skipped too. Units
    /// are erased only when no page is programmable.
    InPlaceAny,
}

/// What cleaning keeps in reserve.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ReserveOf {
    /// Erased units. A unit is reopened when its slots are needed.
    #[default]
    ErasedUnits,
    /// As many slots that take a write, on erased or reopened units, which so lose more valid
    /// pages. Needs `reopen` to be `in-place` or `in-place-intact`, slots that refuse nothing, and
    /// a drive that is not mounted.
    ProgrammableSlots,
}

/// Where the limit on invalid cells is checked.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum InvalidCellCheck {
    /// Before a write: one that would exceed the limit goes to another page, so the limit is never
    /// exceeded.
    Pre,
    /// After a write: the one that exceeds the limit is the last of its page. Gives the writes per
    /// page of the paper.
    #[default]
    Post,
    /// After a write, of the cells in the last generation: those that may become invalid by the
    /// next write. The letter of the paper.
    LastGeneration,
    /// Over the whole erase unit, when it is cleaned.
    Unit,
}

fn is_default(reserve: &ReserveOf) -> bool {
    *reserve == ReserveOf::default()
}

impl WomVConfig {
    /// The paper's baseline for k data bits a cell: reading before writing, moving before
    /// reopening, checks after the write.
    pub fn baseline(data_bits: u8) -> WomVConfig {
        WomVConfig {
            data_bits,
            no_read: false,
            reopen: Reopening::default(),
            reserve: ReserveOf::default(),
            ecc_check: InvalidCellCheck::default(),
            ecc_threshold: None,
            flip_rate: None,
        }
    }

    /// Checks shares; the codes themselves are checked where they are made.
    ///
    /// # Errors
    /// Parameters out of range.
    pub(super) fn check(&self) -> Result<(), ConfigError> {
        for (key, value, most) in
            [("ecc_threshold", self.ecc_threshold, 1.0 - f64::EPSILON), ("flip_rate", self.flip_rate, 1.0)]
        {
            if value.is_some_and(|value| !(0.0..=most).contains(&value)) {
                return Err(ConfigError::new(
                    format!("reuse.{key}"),
                    format!("{} is no share of cells or bits", value.unwrap_or_default()),
                    "give a fraction from 0 to below 1, e.g. 0.03",
                ));
            }
        }
        let stays = matches!(self.reopen, Reopening::InPlace | Reopening::InPlaceIntact);
        let refuses = self.ecc_check == InvalidCellCheck::Pre && !self.no_read;
        if self.counts_waiting() && (!stays || refuses) {
            return Err(ConfigError::new(
                "reuse.reserve",
                "\"programmable-slots\" relies on every slot of a reopened unit that is not valid",
                "give reuse.reopen = \"in-place\" or \"in-place-intact\" without reuse.ecc_check = \"pre\", \
                 or reuse.reserve = \"erased-units\"",
            ));
        }
        Ok(())
    }

    pub(super) fn counts_waiting(&self) -> bool {
        self.reserve == ReserveOf::ProgrammableSlots
    }

    pub(super) fn threshold(&self) -> EccThreshold {
        let check = match self.ecc_check {
            InvalidCellCheck::Pre => EccCheck::Pre,
            InvalidCellCheck::Post => EccCheck::Post,
            InvalidCellCheck::LastGeneration => EccCheck::LastGeneration,
            InvalidCellCheck::Unit => EccCheck::Unit,
        };
        let default = match check {
            EccCheck::Unit => EccThreshold::RELEASED_CODE,
            EccCheck::Pre | EccCheck::Post | EccCheck::LastGeneration => EccThreshold::PAPER,
        };
        EccThreshold { check, max_invalid_share: self.ecc_threshold.unwrap_or(default.max_invalid_share) }
    }

    pub(super) fn data(&self) -> DataModel {
        self.flip_rate.map_or(DataModel::Random, DataModel::BitFlips)
    }

    /// Whether units are closed at other times than when all their pages were written.
    pub fn writes_parts_of_units(&self) -> bool {
        let refuses = self.ecc_check == InvalidCellCheck::Pre && !self.no_read;
        self.reopen != Reopening::AfterMoving || refuses
    }
}
