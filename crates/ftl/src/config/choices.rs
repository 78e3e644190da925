//! Choices of the `[ftl]` table that are one word each.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How many blocks are erased and written together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum EraseUnit {
    /// One block; every plane is a pool of its own.
    Block,
    /// One block of each plane of a die.
    Die,
    /// One block of every plane of the drive (a superblock; the erase unit of the WOM-v paper).
    Drive,
}

/// Choice of the pool of a host write.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Striping {
    /// Round robin over the pools.
    Dynamic,
    /// The die follows from the logical page number; within it the pool with the most free pages
    /// (DiskSim's SSD extension).
    StaticDie,
    /// As `dynamic`, but pools with less room for valid pages than the mean, by more than one part
    /// in 32, are left out: all pools clean as often.
    Balanced,
}

/// Start and extent of cleaning.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum CleaningStep {
    /// For a host write that needs an erase unit below the threshold: until there is a slot.
    UntilRoom,
    /// For the same: until the threshold is restored.
    RestoreLazy,
    /// Before every host write to a pool at or below the threshold: until it is restored (DiskSim
    /// without copyback).
    RestoreEager,
    /// Before every host write to a pool at or below the threshold: one erase unit (DiskSim with
    /// copyback).
    OneUnit,
}

impl CleaningStep {
    /// Whether a pool at its threshold is cleaned before a write needs a fresh unit.
    pub(crate) fn is_early(self) -> bool {
        matches!(self, CleaningStep::RestoreEager | CleaningStep::OneUnit)
    }

    /// Whether cleaning goes on until the threshold is restored.
    pub(crate) fn restores(self) -> bool {
        matches!(self, CleaningStep::RestoreLazy | CleaningStep::RestoreEager)
    }
}

/// Where cleaning writes the pages it moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum MovedPages {
    /// That of host writes.
    Together,
    /// One of their own, which separates cold from hot data.
    Apart,
}

/// Which pools take the pages that cleaning moves.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum MovedTo {
    /// The pool of the victim.
    #[default]
    Pool,
    /// All pools in turn, so that their planes program side by side. Rules out copyback.
    Drive,
    /// As `drive`, but a pool whose open unit is full makes room at once, by a collection within
    /// the one under way. Needs `erase_unit = "block"` and a scheme without groups of slots.
    DriveNested,
}
