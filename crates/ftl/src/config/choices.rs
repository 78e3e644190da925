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

/// Which pool takes a host write.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Striping {
    /// Round robin over the pools: consecutive writes go to different dies, whatever they write.
    Dynamic,
    /// The die follows from the logical page number (striped by one page); within a die the pool
    /// with the most free pages, round robin on ties. The allocation of DiskSim's SSD extension.
    StaticDie,
    /// Round robin as `dynamic`, but a pool with less room for valid pages than the pools have on
    /// average, by more than one part in 32, is left out until it has as much again: all pools
    /// clean as often, so none is busier than the others.
    Balanced,
}

/// When cleaning starts, and how much is cleaned at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum CleaningStep {
    /// When a host write needs a fresh erase unit and the threshold forbids to open one: until
    /// there is a slot for it.
    UntilRoom,
    /// When a host write needs a fresh erase unit and the threshold forbids to open one: until the
    /// threshold is restored.
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
    /// Into the open unit that host writes go to.
    Together,
    /// Into an open unit of their own (separates cold from hot data).
    Apart,
}

/// Which pools take the pages that cleaning moves.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum MovedTo {
    /// The pool of the victim.
    #[default]
    Pool,
    /// All pools in turn, so that their planes program side by side; the pool of the victim where
    /// no other has an open unit with room. Rules out copyback.
    Drive,
    /// As `drive`, but a pool whose open unit is full makes room at once, by a collection within
    /// the one under way. So no victim lands as a whole in one pool. Needs `erase_unit = "block"`
    /// and a scheme without groups of slots.
    DriveNested,
}
