//! What there is: channels, dies, planes, blocks, pages.

use crate::config::{FlashConfig, ServiceUnit};
use crate::error::ConfigError;

/// The largest number of pages: page numbers are `u32` with one value reserved for "none" (16 TB of
/// 4 KB pages).
pub const MAX_PAGES: u64 = u32::MAX as u64;

/// The checked shape of an array. All counts are of the whole array unless the name says otherwise.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Geometry {
    /// Channels.
    pub channels: u32,
    /// Dies on each channel.
    pub dies_per_channel: u32,
    /// Planes in each die.
    pub planes_per_die: u32,
    /// Blocks in each plane.
    pub blocks_per_plane: u32,
    /// Pages in each block.
    pub pages_per_block: u32,
    /// Data bytes in a page.
    pub page_bytes: u32,
    /// Planes that share one service unit: 1, or the planes of a die.
    pub planes_per_service_unit: u32,
}

impl Geometry {
    /// Checks that pages are made of sectors, as those of a chip are. Pages of a code need not be.
    ///
    /// # Errors
    /// A page size that is no multiple of 512 bytes, or more than 1 MiB.
    pub fn check_page_bytes(&self) -> Result<(), ConfigError> {
        if !self.page_bytes.is_multiple_of(512) || self.page_bytes > 1 << 20 {
            return Err(ConfigError::new(
                "flash.page_bytes",
                format!("{} bytes is no page", self.page_bytes),
                "give a multiple of 512 up to 1048576",
            ));
        }
        Ok(())
    }

    /// Checks the counts of a configuration.
    ///
    /// # Errors
    /// A count of zero, more spare bytes than bytes, more than `u32` page numbers can name.
    pub fn new(config: &FlashConfig) -> Result<Geometry, ConfigError> {
        for (key, value) in [
            ("flash.channels", config.channels),
            ("flash.dies_per_channel", config.dies_per_channel),
            ("flash.planes_per_die", config.planes_per_die),
            ("flash.blocks_per_plane", config.blocks_per_plane),
            ("flash.pages_per_block", config.pages_per_block),
            ("flash.page_bytes", config.page_bytes),
        ] {
            if value == 0 {
                return Err(ConfigError::new(key, "0 is impossible", "give at least 1"));
            }
        }
        if config.spare_bytes > config.page_bytes {
            return Err(ConfigError::new(
                "flash.spare_bytes",
                format!("{} spare bytes for {} bytes of data", config.spare_bytes, config.page_bytes),
                "give the spare area of one page, a fraction of flash.page_bytes",
            ));
        }
        let geometry = Geometry {
            channels: config.channels,
            dies_per_channel: config.dies_per_channel,
            planes_per_die: config.planes_per_die,
            blocks_per_plane: config.blocks_per_plane,
            pages_per_block: config.pages_per_block,
            page_bytes: config.page_bytes,
            planes_per_service_unit: match config.service_unit {
                ServiceUnit::Plane | ServiceUnit::Chip => 1,
                ServiceUnit::Die => config.planes_per_die,
            },
        };
        let pages =
            [config.dies_per_channel, config.planes_per_die, config.blocks_per_plane, config.pages_per_block]
                .iter()
                .try_fold(u64::from(config.channels), |product, &factor| {
                    product.checked_mul(u64::from(factor))
                });
        match pages {
            Some(pages) if pages < MAX_PAGES => Ok(geometry),
            _ => Err(ConfigError::new(
                "flash.blocks_per_plane",
                "the array has more pages than 32-bit page numbers can name (4294967294)",
                "give fewer blocks or larger pages",
            )),
        }
    }

    /// Dies in the array.
    pub fn dies(&self) -> u32 {
        self.channels * self.dies_per_channel
    }

    /// Planes in the array.
    pub fn planes(&self) -> u32 {
        self.dies() * self.planes_per_die
    }

    /// Blocks in the array.
    pub fn blocks(&self) -> u32 {
        self.planes() * self.blocks_per_plane
    }

    /// Pages in the array.
    pub fn pages(&self) -> u64 {
        u64::from(self.blocks()) * u64::from(self.pages_per_block)
    }

    /// Data bytes in the array.
    pub fn bytes(&self) -> u64 {
        self.pages() * u64::from(self.page_bytes)
    }

    /// The die of a plane. Planes of one die have consecutive numbers.
    pub fn die_of_plane(&self, plane: u32) -> u32 {
        plane / self.planes_per_die
    }

    /// The channel of a plane. Dies are numbered round the channels, so that consecutive dies
    /// transfer in parallel.
    pub fn channel_of_plane(&self, plane: u32) -> u32 {
        self.die_of_plane(plane) % self.channels
    }
}
