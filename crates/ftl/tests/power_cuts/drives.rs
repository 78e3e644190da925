//! Tiny drives with every scheme.

use crate::common::timing;
use rewear_flash::FlashConfig;
use rewear_flash::config::MediumKind;
use rewear_flash::failures::FailuresConfig;
use rewear_flash::page_kind::PageOrder;
use rewear_ftl::DriveConfig;
use rewear_ftl::config::{EraseUnit, FtlConfig, MovedPages};
use rewear_ftl::effort::EffortConfig;
use rewear_ftl::effort::agcr::AgcrConfig;
use rewear_ftl::effort::differentiated_ecc::DifferentiatedEccConfig;
use rewear_ftl::host::write_buffer::{BufferConfig, WriteBufferConfig};
use rewear_ftl::policies::slc_cache::{CacheConfig, SlcCacheConfig, WhenFull};
use rewear_ftl::policies::streams::StreamsConfig;
use rewear_ftl::policies::streams::host::{HostConfig, Isolation};
use rewear_ftl::recovery::{LogConfig, RecoveryConfig};
use rewear_ftl::recycle::RecycleConfig;
use rewear_ftl::recycle::lx::config::{Answers, LxConfig};
use rewear_ftl::reuse::ReuseConfig;
use rewear_ftl::reuse::coset::{self, CosetConfig};
use rewear_ftl::reuse::seal::SealConfig;
use rewear_ftl::reuse::second_write::SecondWriteConfig;
use rewear_ftl::reuse::second_write::config::{Fidelity, Recycling};
use rewear_ftl::reuse::second_write::hot_cold_separation::SeparationConfig;
use rewear_ftl::reuse::wom_v::{InvalidCellCheck, Reopening, WomVConfig};

fn flash(bits_per_cell: u8) -> FlashConfig {
    FlashConfig {
        blocks_per_plane: 14,
        pages_per_block: 8,
        page_bytes: 512,
        bits_per_cell,
        medium: MediumKind::Stored,
        ..FlashConfig::single_plane(timing(10, 100, 400))
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
    drive.ftl.streams = StreamsConfig::Host(HostConfig { handles: 2, isolation: Isolation::Persistent });
    drive.ftl.recovery = RecoveryConfig::Log(LogConfig { journal_pages: 1 });
    drive
}

fn wom_v_drive(name: &str, change: impl FnOnce(&mut WomVConfig)) -> DriveConfig {
    let mut config = WomVConfig::baseline(2);
    change(&mut config);
    let mut drive = base(name, FlashConfig { blocks_per_plane: 13, ..flash(4) });
    drive.ftl.over_provisioning = 2.0;
    drive.reuse = ReuseConfig::WomV(config);
    drive
}

/// With the guard, whose ghost list and counts a cut loses. Drives whose planes work alone recycle as
/// the paper does.
fn second_write_drive(name: &str, parallel: bool) -> DriveConfig {
    let mut drive = base(name, FlashConfig { planes_per_die: 2, ..flash(2) });
    drive.ftl.over_provisioning = 2.0;
    drive.reuse = ReuseConfig::SecondWrite(SecondWriteConfig {
        parallel,
        recycling: if parallel { Recycling::ForHotWrites } else { Recycling::BeforeErasing },
        fidelity: Fidelity::Full,
        separation: SeparationConfig::Nothing {},
        ..SecondWriteConfig::default()
    });
    drive
}

fn seal_drive(name: &str, summary_pages: bool) -> DriveConfig {
    let flash = FlashConfig { page_order: PageOrder::Paired, blocks_per_plane: 20, ..flash(2) };
    let mut drive = base(name, flash);
    drive.ftl.over_provisioning = 3.0;
    drive.ftl.summary_pages = summary_pages;
    drive.reuse = ReuseConfig::Seal(SealConfig { limit: 3, ..SealConfig::default() });
    drive
}

fn fingerprints(name: &str, answers: Answers) -> DriveConfig {
    DriveConfig {
        recycle: RecycleConfig::Lx(LxConfig { answers, ..LxConfig::default() }),
        ..base(name, flash(1))
    }
}

fn low_cost() -> EffortConfig {
    EffortConfig::DifferentiatedEcc(DifferentiatedEccConfig {
        low_cost_program_ns: vec![50],
        low_cost_read_ns: vec![40],
        ..DifferentiatedEccConfig::default()
    })
}

fn some_failures() -> FailuresConfig {
    FailuresConfig {
        program_failure_probability: 0.002,
        erase_failure_probability: 0.002,
        ..FailuresConfig::default()
    }
}

/// A cache of cells with one bit each.
pub(crate) fn cached() -> Vec<DriveConfig> {
    let drive = |name: &str, cache| {
        let mut drive = base(name, FlashConfig { blocks_per_plane: 20, ..flash(2) });
        drive.ftl.over_provisioning = 3.0;
        drive.ftl.slc_cache = cache;
        drive
    };
    let cache = |share, when_full| CacheConfig { share, when_full, ..CacheConfig::default() };
    let fixed = drive("static cache", SlcCacheConfig::Static(cache(0.1, WhenFull::Fold)));
    let mut failing = DriveConfig { name: "static cache, failing".to_owned(), ..fixed.clone() };
    failing.flash.failures = some_failures();
    failing.flash.blocks_per_plane = 30;
    failing.ftl.over_provisioning = 5.0;
    let mut combined =
        drive("dynamic cache, folds, effort", SlcCacheConfig::Dynamic(cache(0.4, WhenFull::Fold)));
    combined.recycle = fingerprints("", Answers::All).recycle;
    combined.effort = low_cost();
    let mut wide = drive("dynamic cache", SlcCacheConfig::Dynamic(cache(0.3, WhenFull::Direct)));
    (wide.flash.channels, wide.flash.pages_per_block) = (2, 4);
    wide.ftl.erase_unit = EraseUnit::Drive;
    vec![fixed, failing, combined, wide]
}

/// No reuse, no recycling.
pub(crate) fn plain() -> Vec<DriveConfig> {
    let with_effort = |name: &str, effort: EffortConfig| DriveConfig { effort, ..base(name, flash(2)) };
    let mut failing = base("plain, failing", FlashConfig { blocks_per_plane: 28, ..flash(1) });
    failing.ftl.over_provisioning = 4.0;
    failing.flash.failures = some_failures();
    vec![
        base("plain", flash(1)),
        policies(),
        failing,
        with_effort("differentiated-ecc", low_cost()),
        with_effort("agcr", EffortConfig::Agcr(AgcrConfig::default())),
    ]
}

pub(crate) fn wom_v() -> Vec<DriveConfig> {
    vec![
        wom_v_drive("wom-v (2,4)", |_| {}),
        wom_v_drive("wom-v (2,4), no read", |config| config.no_read = true),
        wom_v_drive("wom-v (2,4), in place", |config| config.reopen = Reopening::InPlaceAny),
        wom_v_drive("wom-v (2,4), no read, in place", |config| {
            (config.no_read, config.reopen) = (true, Reopening::InPlace);
        }),
        wom_v_drive("wom-v (2,4), checked before", |config| config.ecc_check = InvalidCellCheck::Pre),
        wom_v_drive("wom-v (2,4), checked by unit", |config| config.ecc_check = InvalidCellCheck::Unit),
    ]
}

pub(crate) fn coset() -> Vec<DriveConfig> {
    let drive = |name: &str, rate, reopen| {
        // On so few cells single invalid ones are shares.
        let config = CosetConfig { reopen, ecc_threshold: 0.06, ..CosetConfig::of_rate(rate) };
        let mut drive = base(name, FlashConfig { blocks_per_plane: 16, ..flash(4) });
        drive.reuse = ReuseConfig::Coset(config);
        drive
    };
    vec![
        drive("coset 0.8", 0.8, coset::Reopening::InPlaceAny),
        drive("coset 0.6", 0.6, coset::Reopening::InPlaceAny),
        drive("coset 0.75, after moving", 0.75, coset::Reopening::AfterMoving),
    ]
}

pub(crate) fn second_write() -> Vec<DriveConfig> {
    let parallel = second_write_drive("second-write", true);
    let combined = DriveConfig {
        name: "second-write, fingerprints, differentiated-ecc".to_owned(),
        recycle: fingerprints("", Answers::All).recycle,
        effort: low_cost(),
        ..parallel.clone()
    };
    let failing = wearing(parallel.clone(), "second-write, wearing and failing");
    vec![parallel, second_write_drive("second-write, sequential", false), combined, failing]
}

/// Blocks that take no second writes after three erases, wear out, and fail.
fn wearing(mut drive: DriveConfig, name: &str) -> DriveConfig {
    drive.name = name.to_owned();
    (drive.flash.blocks_per_plane, drive.ftl.over_provisioning) = (16, 2.6);
    drive.flash.endurance_cycles = Some(100);
    drive.flash.failures = some_failures();
    if let ReuseConfig::SecondWrite(config) = &mut drive.reuse {
        config.life_fraction = 0.03;
    }
    drive
}

pub(crate) fn seal() -> Vec<DriveConfig> {
    let combined = DriveConfig {
        name: "seal, fingerprints".to_owned(),
        recycle: fingerprints("", Answers::All).recycle,
        ..seal_drive("", false)
    };
    vec![seal_drive("seal", false), seal_drive("seal, with summaries", true), combined]
}

pub(crate) fn recycling() -> Vec<DriveConfig> {
    let combined = DriveConfig {
        name: "wom-v (2,4), fingerprints".to_owned(),
        recycle: fingerprints("", Answers::All).recycle,
        ..wom_v_drive("", |_| {})
    };
    vec![
        fingerprints("fingerprints of invalid pages", Answers::Invalid),
        fingerprints("deduplication", Answers::Valid),
        fingerprints("fingerprints and deduplication", Answers::All),
        combined,
    ]
}

/// Without coset codes: one wrong cell of a log page is several wrong bytes there, more than the log
/// corrects.
pub(crate) fn all() -> Vec<DriveConfig> {
    [plain(), cached(), wom_v(), second_write(), seal(), recycling()].concat()
}
