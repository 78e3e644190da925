//! Tiny drives with stored cells, of any configuration.

use crate::common::timing;
use proptest::prelude::*;
use rewear_flash::FlashConfig;
use rewear_flash::config::{MediumKind, ServiceUnit};
use rewear_flash::failures::FailuresConfig;
use rewear_flash::page_kind::PageOrder;
use rewear_ftl::config::{CleaningStep, EraseUnit, FtlConfig, MovedTo};
use rewear_ftl::host::write_buffer::WriteBufferConfig;
use rewear_ftl::policies::slc_cache::SlcCacheConfig;
use rewear_ftl::policies::streams::StreamsConfig;
use rewear_ftl::recovery::{LogConfig, RecoveryConfig};
use rewear_ftl::reuse::ReuseConfig;
use rewear_ftl::reuse::second_write::config::PlaneChoice;
use rewear_ftl::reuse::wom_v::ReserveOf;
use rewear_ftl::{DriveConfig, Shape};

use super::other_axes::{effort, recycle};
use super::policies::{failures, policies, slc_cache, write_buffer};
use super::reuse::reuse;

pub(super) fn tiny_flash() -> FlashConfig {
    FlashConfig::single_plane(timing(10, 100, 400))
}

#[allow(clippy::too_many_lines)] // What goes together is decided in one place.
pub(super) fn drive() -> impl Strategy<Value = DriveConfig> {
    let erase_unit = prop_oneof![Just(EraseUnit::Block), Just(EraseUnit::Die), Just(EraseUnit::Drive)];
    let service = prop_oneof![Just(ServiceUnit::Plane), Just(ServiceUnit::Die)];
    let front = (write_buffer(), any::<bool>(), effort());
    let moved_to = prop_oneof![Just(MovedTo::Pool), Just(MovedTo::Drive), Just(MovedTo::DriveNested)];
    let order = prop_oneof![Just(PageOrder::Alternating), Just(PageOrder::Paired)];
    let map_pages = (any::<bool>(), any::<bool>(), moved_to, order, slc_cache());
    (
        (reuse(), recycle()),
        erase_unit,
        policies(),
        failures(),
        service,
        1u32..3,
        1u32..3,
        0u64..1000,
        0.85f64..1.2,
        front,
        map_pages,
    )
        .prop_map(
            |(
                ((bits_per_cell, reuse), recycle),
                erase_unit,
                policies,
                failures,
                service_unit,
                channels,
                planes_per_die,
                seed,
                op,
                (write_buffer, read_priority, effort),
                (summary_pages, summary_reads, moved_to, page_order, slc_cache),
            )| {
                // A drive that runs out of space while it destages has accepted the page that finds
                // no place.
                let fails = failures != FailuresConfig::default();
                let is_mlc = bits_per_cell == 2;
                let reopens_parts = match &reuse {
                    ReuseConfig::WomV(code) => code.writes_parts_of_units(),
                    ReuseConfig::Coset(_) => true,
                    _ => false,
                };
                let summary_pages = summary_pages && !reopens_parts;
                // Overwrite units are open beside the others.
                let op = if matches!(reuse, ReuseConfig::Seal(_)) { op + 0.4 } else { op };
                let page_order = if is_mlc { page_order } else { PageOrder::default() };
                let write_buffer = if fails { WriteBufferConfig::default() } else { write_buffer };
                // Second writes take spare blocks, and pair single blocks of two planes.
                let (erase_unit, planes_per_die, op) = match &reuse {
                    ReuseConfig::SecondWrite(config) => {
                        let pairs = config.parallel || config.plane_choice != Some(PlaneChoice::Striped);
                        (EraseUnit::Block, if pairs { 2 } else { planes_per_die }, op + 0.6)
                    }
                    _ => (erase_unit, planes_per_die, op),
                };
                // One unit at a time asks for no unit to be sealed.
                let seals = matches!(reuse, ReuseConfig::Seal(_));
                // A reserve of slots goes with the plainest policies alone.
                let waits = matches!(&reuse, ReuseConfig::WomV(code) if code.reserve != ReserveOf::default());
                let policies = if waits { plainest(policies) } else { policies };
                let cleaning_step = if seals { CleaningStep::UntilRoom } else { policies.cleaning_step };
                let is_group = matches!(reuse, ReuseConfig::SecondWrite(_));
                let moved_to = match moved_to {
                    MovedTo::DriveNested if is_group || erase_unit != EraseUnit::Block => MovedTo::Drive,
                    any => any,
                };
                // A cache takes the pages of all streams, and erases what it holds.
                let has_cache = reuse == (ReuseConfig::Nothing {}) && !slc_cache.is_nothing();
                let (bits_per_cell, moved_to, policies) = match has_cache {
                    true => (bits_per_cell.max(3), MovedTo::Pool, with_cache(policies, slc_cache)),
                    false => (bits_per_cell, moved_to, policies),
                };
                // The sparsest code of a drive whose rate changes takes up to twelve pages.
                let flash = FlashConfig {
                    channels,
                    planes_per_die,
                    pages_per_block: if is_mlc { 14 } else { 13 },
                    page_bytes: 1024,
                    bits_per_cell,
                    page_order,
                    medium: MediumKind::Stored,
                    service_unit,
                    read_priority,
                    erase_suspend_ns: read_priority.then_some(50),
                    endurance_cycles: Some(1000),
                    failures,
                    seed,
                    ..tiny_flash()
                };
                with_least_room(DriveConfig {
                    ftl: FtlConfig {
                        over_provisioning: op,
                        erase_unit,
                        write_buffer,
                        cleaning_step,
                        summary_pages,
                        summary_reads: summary_pages && summary_reads,
                        moved_to,
                        ..policies
                    },
                    recycle,
                    reuse,
                    effort,
                    ..DriveConfig::plain("tiny", flash)
                })
            },
        )
}

fn with_cache(policies: FtlConfig, slc_cache: SlcCacheConfig) -> FtlConfig {
    FtlConfig { streams: StreamsConfig::One {}, slc_cache, ..policies }
}

/// Policies that open one unit a pool, clean until there is room, and do nothing in idle time.
fn plainest(policies: FtlConfig) -> FtlConfig {
    let FtlConfig { victim, striping, gc_threshold, .. } = policies;
    FtlConfig { victim, striping, gc_threshold, ..FtlConfig::default() }
}

/// The same drive with as much over-provisioning as its open and spare units need, if it has less.
/// Little is the hard case, so what is drawn stays where it is enough; a drive that keeps all kinds
/// of data apart, and a unit for slots that refuse, needs more than the least that is drawn.
fn with_least_room(mut drive: DriveConfig) -> DriveConfig {
    let mut roomy = drive.clone();
    roomy.ftl.over_provisioning = 8.0;
    // What is wrong otherwise is said when the drive is made.
    if let Ok(Shape { layout, reserve, .. }) = Shape::new(&roomy) {
        // One page a pool is written before its old copy becomes invalid.
        let fixed = drive.ftl.slc_cache.fixed_units(layout.units_per_pool) * layout.slots_per_unit;
        let usable = (reserve.valid_limit - fixed - 1) * layout.pools;
        let least = f64::from(layout.slots()) / f64::from(usable) - 1.0;
        drive.ftl.over_provisioning = drive.ftl.over_provisioning.max(least);
    }
    drive
}

/// The same drive with records and a log, which take room.
pub(super) fn recoverable(drive: &DriveConfig) -> DriveConfig {
    let mut drive = drive.clone();
    drive.ftl.recovery = RecoveryConfig::Log(LogConfig { journal_pages: 1 });
    drive.ftl.over_provisioning += 0.6;
    drive.flash.blocks_per_plane = 26;
    if let ReuseConfig::WomV(code) = &mut drive.reuse {
        // A mount moves pages to erased units.
        code.reserve = ReserveOf::ErasedUnits;
    }
    if let WriteBufferConfig::Fifo(buffer)
    | WriteBufferConfig::Lru(buffer)
    | WriteBufferConfig::Slru(buffer) = &mut drive.ftl.write_buffer
    {
        buffer.survives_power_loss = false;
    }
    drive
}
