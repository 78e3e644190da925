//! What a drive is: the configuration schema, and the capacity that follows from it.

use rewear_flash::{ConfigError, FlashConfig};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::background::BackgroundConfig;
use crate::effort::EffortConfig;
use crate::recycle::RecycleConfig;
use crate::reuse::ReuseConfig;
use crate::streams::StreamsConfig;
use crate::units::free::FreeOrder;
use crate::victim::VictimConfig;
use crate::wear_levelling::WearLevellingConfig;
use crate::write_buffer::WriteBufferConfig;

/// A drive: a flash array and one scheme for each of the three questions.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DriveConfig {
    /// Short name, shown in tables.
    pub name: String,
    /// What this drive stands for and where its figures come from.
    #[serde(default)]
    pub description: String,
    /// The flash array.
    pub flash: FlashConfig,
    /// The flash translation layer.
    #[serde(default)]
    pub ftl: FtlConfig,
    /// Must it be written at all?
    #[serde(default)]
    pub recycle: RecycleConfig,
    /// Where can it be written without an erase?
    #[serde(default)]
    pub reuse: ReuseConfig,
    /// With how much effort must it be written?
    #[serde(default)]
    pub effort: EffortConfig,
}

impl DriveConfig {
    /// A plain drive on a flash array: greedy cleaning, no scheme on any axis. A base for configurations made in code.
    pub fn plain(name: &str, flash: FlashConfig) -> DriveConfig {
        DriveConfig {
            name: name.to_owned(),
            description: String::new(),
            flash,
            ftl: FtlConfig::default(),
            recycle: RecycleConfig::default(),
            reuse: ReuseConfig::default(),
            effort: EffortConfig::default(),
        }
    }
}

/// Space and garbage collection.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct FtlConfig {
    /// Over-provisioning (T - U) / U, with T physical and U exported capacity.
    pub over_provisioning: f64,
    /// What is erased and written together.
    pub erase_unit: EraseUnit,
    /// Which pool takes a host write.
    pub striping: Striping,
    /// Whether the last page of every block is kept for a summary (the inverse map of its block), written when the erase
    /// unit is full. Costs one page a block of capacity and a program each.
    pub summary_pages: bool,
    /// Whether cleaning reads the summary of its victim first, because the controller has no other record of the owners of its
    /// pages. Needs `summary_pages`.
    pub summary_reads: bool,
    /// Cleaning starts when at most this fraction of a pool's erase units is free (never less than one unit).
    pub gc_threshold: f64,
    /// How much is cleaned at a time.
    pub cleaning_step: CleaningStep,
    /// Whether pages moved by cleaning share the open unit of host writes or have one of their own.
    pub moved_pages: MovedPages,
    /// Whether cleaning moves pages within the pool of its victim or to the open units of all pools.
    pub moved_to: MovedTo,
    /// Whether a page moved inside its plane stays off the channel (copyback).
    pub copyback: bool,
    /// Which free erase unit is written next.
    pub free_order: FreeOrder,
    /// Which closed erase unit is cleaned next.
    pub victim: VictimConfig,
    /// Whether hot and cold host writes are kept apart.
    pub streams: StreamsConfig,
    /// Whether cold data is moved so that all erase units wear alike.
    pub wear_levelling: WearLevellingConfig,
    /// Whether idle time is used for cleaning.
    pub background: BackgroundConfig,
    /// Whether writes end in a buffer in front of the flash.
    pub write_buffer: WriteBufferConfig,
}

impl Default for FtlConfig {
    fn default() -> Self {
        FtlConfig {
            over_provisioning: 0.07,
            erase_unit: EraseUnit::Block,
            striping: Striping::Dynamic,
            summary_pages: false,
            summary_reads: false,
            gc_threshold: 0.0,
            cleaning_step: CleaningStep::UntilRoom,
            moved_pages: MovedPages::Together,
            moved_to: MovedTo::Pool,
            copyback: true,
            free_order: FreeOrder::default(),
            victim: VictimConfig::default(),
            streams: StreamsConfig::default(),
            wear_levelling: WearLevellingConfig::default(),
            background: BackgroundConfig::default(),
            write_buffer: WriteBufferConfig::default(),
        }
    }
}

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
    /// The die follows from the logical page number (striped by one page); within a die the pool with the most free
    /// pages, round robin on ties. The allocation of DiskSim's SSD extension.
    StaticDie,
}

/// How much is cleaned at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum CleaningStep {
    /// When a host write needs a fresh erase unit and the threshold forbids to open one: until there is a slot for it.
    UntilRoom,
    /// Before every host write to a pool at or below the threshold: one erase unit (DiskSim with copyback).
    OneUnit,
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
    /// All pools in turn, so that their planes program side by side; the pool of the victim where no other has an open unit
    /// with room. Rules out copyback.
    Drive,
}

impl FtlConfig {
    /// Checks ranges.
    ///
    /// # Errors
    /// An over-provisioning outside `(0, 100]`, a threshold outside `[0, 0.5]`, a policy's parameter out of range.
    pub fn check(&self) -> Result<(), ConfigError> {
        if !(self.over_provisioning > 0.0 && self.over_provisioning <= 100.0) {
            return Err(ConfigError::new(
                "ftl.over_provisioning",
                format!("{} is no over-provisioning", self.over_provisioning),
                "give (T - U) / U as a fraction above 0, e.g. 0.07",
            ));
        }
        if !(0.0..=0.5).contains(&self.gc_threshold) {
            return Err(ConfigError::new(
                "ftl.gc_threshold",
                format!("{} is no threshold", self.gc_threshold),
                "give the fraction of free erase units at which cleaning starts, 0 to 0.5",
            ));
        }
        if self.summary_reads && !self.summary_pages {
            return Err(ConfigError::new(
                "ftl.summary_reads",
                "there are no summaries to read",
                "give ftl.summary_pages = true, or leave it out",
            ));
        }
        self.streams.check()?;
        self.wear_levelling.check()?;
        self.background.check()?;
        self.write_buffer.check()
    }

    /// Open units that each pool has at most.
    pub(crate) fn open_units(&self) -> u32 {
        let moved = u32::from(self.moved_pages == MovedPages::Apart);
        self.streams.count() + moved + u32::from(self.levels_wear())
    }

    /// Whether cold data is moved for the sake of wear.
    pub(crate) fn levels_wear(&self) -> bool {
        self.wear_levelling != WearLevellingConfig::Nothing {} || self.victim.levels_wear()
    }
}
