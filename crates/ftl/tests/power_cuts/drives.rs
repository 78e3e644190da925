//! Tiny drives with every scheme.

use rewear_flash::FlashConfig;
use rewear_flash::config::MediumKind;
use rewear_flash::timing::TimingConfig;
use rewear_ftl::DriveConfig;
use rewear_ftl::config::FtlConfig;
use rewear_ftl::recovery::{LogConfig, RecoveryConfig};

fn flash() -> FlashConfig {
    FlashConfig {
        blocks_per_plane: 14,
        pages_per_block: 8,
        page_bytes: 512,
        medium: MediumKind::Stored,
        ..FlashConfig::single_plane(TimingConfig {
            read_ns: vec![10],
            program_ns: vec![100],
            erase_ns: 1000,
            channel_mb_per_s: 400,
        })
    }
}

fn base(name: &str, flash: FlashConfig) -> DriveConfig {
    DriveConfig {
        ftl: FtlConfig {
            over_provisioning: 1.5,
            recovery: RecoveryConfig::Log(LogConfig::default()),
            ..FtlConfig::default()
        },
        ..DriveConfig::plain(name, flash)
    }
}

pub fn all() -> Vec<DriveConfig> {
    vec![base("plain", flash())]
}
