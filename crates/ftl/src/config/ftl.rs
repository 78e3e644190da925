//! The `[ftl]` table: space, cleaning, and the policies beside the three questions.

use rewear_flash::ConfigError;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::config::choices::{CleaningStep, EraseUnit, MovedPages, MovedTo, Striping};
use crate::host::write_buffer::WriteBufferConfig;
use crate::policies::background::BackgroundConfig;
use crate::policies::slc_cache::SlcCacheConfig;
use crate::policies::streams::StreamsConfig;
use crate::policies::victim::VictimConfig;
use crate::policies::wear_levelling::WearLevellingConfig;
use crate::recovery::RecoveryConfig;
use crate::shape::layout::Division;

/// Space and garbage collection.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct FtlConfig {
    /// Over-provisioning (T - U) / U, with T physical and U exported capacity.
    pub over_provisioning: f64,
    /// Blocks that are erased and written together.
    pub erase_unit: EraseUnit,
    /// Bytes that one entry of the page map stands for, a multiple of `flash.page_bytes`; a flash
    /// page unless given. A write of less reads the unit and programs all of its pages.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub indirection_unit_bytes: Option<u32>,
    /// Choice of the pool of a host write.
    pub striping: Striping,
    /// The last page of every block holds a summary, its inverse map, written when the erase unit
    /// is full.
    pub summary_pages: bool,
    /// Cleaning reads the summary of its victim first, the only record of the owners of its pages.
    /// Needs `summary_pages`.
    pub summary_reads: bool,
    /// Cleaning starts when at most this fraction of a pool's erase units is free (never less than
    /// one unit).
    pub gc_threshold: f64,
    /// Start and extent of cleaning.
    pub cleaning_step: CleaningStep,
    /// Open unit of moved pages.
    pub moved_pages: MovedPages,
    /// Pools that take moved pages.
    pub moved_to: MovedTo,
    /// A page moved inside its plane stays off the channel.
    pub copyback: bool,
    /// Choice of the closed erase unit that is cleaned next.
    pub victim: VictimConfig,
    /// Pages with open erase units of their own, so that pages which die together lie together.
    pub streams: StreamsConfig,
    /// Erase units with one bit a cell that take host writes first.
    #[serde(skip_serializing_if = "SlcCacheConfig::is_nothing")]
    pub slc_cache: SlcCacheConfig,
    /// Moves of cold data so that all erase units wear alike.
    pub wear_levelling: WearLevellingConfig,
    /// Cleaning beside host writes that need room.
    pub background: BackgroundConfig,
    /// Requests that the drive takes at a time; further ones wait in front of it, and response
    /// times do not count that. Absent: any number. 20 in DiskSim's SSD extension, 32 with SATA's
    /// native command queuing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub command_queue: Option<u32>,
    /// Buffer in front of the flash.
    pub write_buffer: WriteBufferConfig,
    /// Programs of the page map's journal and checkpoints for each program of data, as a drive
    /// without `ftl.recovery` has them (modelled cells only). 0 to 1.
    pub metadata_share: f64,
    /// Records on the flash from which the drive mounts.
    pub recovery: RecoveryConfig,
}

impl Default for FtlConfig {
    fn default() -> Self {
        FtlConfig {
            over_provisioning: 0.07,
            erase_unit: EraseUnit::Block,
            indirection_unit_bytes: None,
            striping: Striping::Dynamic,
            summary_pages: false,
            summary_reads: false,
            gc_threshold: 0.0,
            cleaning_step: CleaningStep::UntilRoom,
            moved_pages: MovedPages::Together,
            moved_to: MovedTo::Pool,
            copyback: true,
            victim: VictimConfig::default(),
            streams: StreamsConfig::default(),
            slc_cache: SlcCacheConfig::default(),
            wear_levelling: WearLevellingConfig::default(),
            background: BackgroundConfig::default(),
            command_queue: None,
            write_buffer: WriteBufferConfig::default(),
            metadata_share: 0.0,
            recovery: RecoveryConfig::default(),
        }
    }
}

impl FtlConfig {
    /// Checks ranges.
    ///
    /// # Errors
    /// An over-provisioning outside `(0, 100]`, a threshold outside `[0, 0.5]`, a policy's
    /// parameter out of range.
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
        if let Some(requests) = self.command_queue.filter(|requests| !(1..=65_536).contains(requests)) {
            return Err(ConfigError::new(
                "ftl.command_queue",
                format!("{requests} requests at a time"),
                "give 1 to 65536, or leave it out for any number",
            ));
        }
        if !(0.0..=1.0).contains(&self.metadata_share) {
            return Err(ConfigError::new(
                "ftl.metadata_share",
                format!("{} is no share", self.metadata_share),
                "give the programs of metadata for each program of data, 0 to 1",
            ));
        }
        if self.metadata_share > 0.0 && self.recovery.log().is_some() {
            return Err(ConfigError::new(
                "ftl.metadata_share",
                "ftl.recovery.scheme = \"log\" writes its metadata itself",
                "leave one of them out",
            ));
        }
        self.streams.check()?;
        self.slc_cache.check()?;
        self.wear_levelling.check()?;
        self.background.check()?;
        self.write_buffer.check()?;
        self.recovery.check(self.write_buffer.buffer().is_some_and(|(buffer, _)| buffer.survives_power_loss))
    }

    /// How the flash is divided into erase units, and how much of it is exported.
    pub fn division(&self) -> Division {
        Division {
            over_provisioning: self.over_provisioning,
            erase_unit: self.erase_unit,
            summary_pages: self.summary_pages,
        }
    }

    /// Open units that each pool has at most.
    pub(crate) fn open_units(&self) -> u32 {
        let journal = u32::from(self.metadata_share > 0.0);
        self.streams.open_units(self.moved_pages)
            + u32::from(self.levels_wear())
            + journal
            + self.slc_cache.open_units()
    }

    /// Whether cold data is moved for the sake of wear.
    pub(crate) fn levels_wear(&self) -> bool {
        self.wear_levelling != WearLevellingConfig::Nothing {}
    }
}
