//! Tiny drives with every scheme.

use rewear_flash::FlashConfig;
use rewear_flash::config::MediumKind;
use rewear_flash::page_kind::PageOrder;
use rewear_flash::timing::TimingConfig;
use rewear_ftl::DriveConfig;
use rewear_ftl::config::{EraseUnit, FtlConfig, MovedPages};
use rewear_ftl::effort::EffortConfig;
use rewear_ftl::effort::agcr::AgcrConfig;
use rewear_ftl::effort::differentiated_ecc::DifferentiatedEccConfig;
use rewear_ftl::recovery::{LogConfig, RecoveryConfig};
use rewear_ftl::recycle::RecycleConfig;
use rewear_ftl::recycle::fingerprints::config::{Answers, FingerprintsConfig};
use rewear_ftl::reuse::ReuseConfig;
use rewear_ftl::reuse::seal::SealConfig;
use rewear_ftl::reuse::second_write::SecondWriteConfig;
use rewear_ftl::reuse::second_write::config::Fidelity;
use rewear_ftl::reuse::second_write::separation::SeparationConfig;
use rewear_ftl::reuse::wom_v::{InvalidCellCheck, Reopening, WomVConfig};
use rewear_ftl::streams::{StreamsConfig, update_frequency::UpdateFrequencyConfig};
use rewear_ftl::write_buffer::{BufferConfig, WriteBufferConfig};

fn flash(bits_per_cell: u8) -> FlashConfig {
    FlashConfig {
        blocks_per_plane: 14,
        pages_per_block: 8,
        page_bytes: 512,
        bits_per_cell,
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
            over_provisioning: 1.2,
            recovery: RecoveryConfig::Log(LogConfig::default()),
            ..FtlConfig::default()
        },
        ..DriveConfig::plain(name, flash)
    }
}

/// Superblocks, a write buffer, streams, checkpoints in between.
fn policies() -> DriveConfig {
    let flash = FlashConfig { channels: 2, pages_per_block: 4, ..flash(2) };
    let mut drive = base("plain, all policies", flash);
    drive.ftl.over_provisioning = 1.6;
    drive.ftl.erase_unit = EraseUnit::Drive;
    drive.ftl.moved_pages = MovedPages::Apart;
    drive.ftl.write_buffer =
        WriteBufferConfig::Lru(BufferConfig { pages: 5, destage_at: 0.6, survives_power_loss: false });
    drive.ftl.streams = StreamsConfig::ByUpdateFrequency(UpdateFrequencyConfig {
        counters: 64,
        decay_writes: 50,
        hot_writes: 3,
    });
    drive.ftl.recovery =
        RecoveryConfig::Log(LogConfig { checkpoint_after_pages: 10, ..LogConfig::default() });
    drive
}

fn wom_v(name: &str, change: impl FnOnce(&mut WomVConfig)) -> DriveConfig {
    let mut config = WomVConfig::baseline(2);
    change(&mut config);
    let mut drive = base(name, FlashConfig { blocks_per_plane: 13, ..flash(4) });
    drive.ftl.over_provisioning = 2.0;
    drive.reuse = ReuseConfig::WomV(config);
    drive
}

fn second_write(name: &str, parallel: bool) -> DriveConfig {
    let mut drive = base(name, FlashConfig { planes_per_die: 2, ..flash(2) });
    drive.ftl.over_provisioning = 2.0;
    drive.reuse = ReuseConfig::SecondWrite(SecondWriteConfig {
        parallel,
        fidelity: Fidelity::Full,
        min_clean_blocks: 1,
        recycle_max_valid_fraction: 1.0,
        separation: SeparationConfig::Nothing {},
        ..SecondWriteConfig::default()
    });
    drive
}

fn seal(name: &str, summary_pages: bool) -> DriveConfig {
    let flash = FlashConfig { page_order: PageOrder::Paired, blocks_per_plane: 20, ..flash(2) };
    let mut drive = base(name, flash);
    drive.ftl.over_provisioning = 3.0;
    drive.ftl.summary_pages = summary_pages;
    drive.reuse = ReuseConfig::Seal(SealConfig { limit: 3, ..SealConfig::default() });
    drive
}

fn fingerprints(name: &str, answers: Answers) -> DriveConfig {
    DriveConfig {
        recycle: RecycleConfig::Fingerprints(FingerprintsConfig { answers, ..FingerprintsConfig::default() }),
        ..base(name, flash(1))
    }
}

pub(crate) fn all() -> Vec<DriveConfig> {
    let low_cost = DifferentiatedEccConfig {
        low_cost_program_ns: vec![50],
        low_cost_read_ns: vec![40],
        ..DifferentiatedEccConfig::default()
    };
    let with_effort = |name: &str, effort: EffortConfig| DriveConfig { effort, ..base(name, flash(2)) };
    let mut combined = fingerprints("second-write, fingerprints, differentiated-ecc", Answers::All);
    let pairs = second_write("", true);
    (combined.reuse, combined.flash) = (pairs.reuse, pairs.flash);
    combined.ftl = pairs.ftl;
    combined.effort = EffortConfig::DifferentiatedEcc(low_cost.clone());
    vec![
        base("plain", flash(1)),
        policies(),
        wom_v("wom-v (2,4)", |_| {}),
        wom_v("wom-v (2,4), no read", |config| config.no_read = true),
        wom_v("wom-v (2,4), in place", |config| config.reopen = Reopening::InPlaceAny),
        wom_v("wom-v (2,4), no read, in place", |config| {
            (config.no_read, config.reopen) = (true, Reopening::InPlace);
        }),
        wom_v("wom-v (2,4), checked before", |config| config.ecc_check = InvalidCellCheck::Pre),
        wom_v("wom-v (2,4), checked by unit", |config| config.ecc_check = InvalidCellCheck::Unit),
        second_write("second-write", true),
        second_write("second-write, sequential", false),
        seal("seal", false),
        seal("seal, with summaries", true),
        with_effort("differentiated-ecc", EffortConfig::DifferentiatedEcc(low_cost)),
        with_effort("agcr", EffortConfig::Agcr(AgcrConfig::default())),
        fingerprints("fingerprints of invalid pages", Answers::Invalid),
        fingerprints("deduplication", Answers::Valid),
        fingerprints("fingerprints and deduplication", Answers::All),
        combined,
    ]
}
