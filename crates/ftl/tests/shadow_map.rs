//! Random operations on tiny drives with stored cells, against a shadow map: every byte at every time.
#![allow(clippy::unwrap_used, missing_docs)]

use std::collections::BTreeMap;

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use rewear_flash::FlashConfig;
use rewear_flash::config::{MediumKind, ServiceUnit};
use rewear_flash::failures::FailuresConfig;
use rewear_flash::timing::TimingConfig;
use rewear_ftl::background::{BackgroundConfig, IdleConfig};
use rewear_ftl::config::{CleaningStep, EraseUnit, FtlConfig, MovedPages};
use rewear_ftl::host_write::Command;
use rewear_ftl::reuse::ReuseConfig;
use rewear_ftl::reuse::wom_v::{InvalidCellCheck, Reopening, WomVConfig};
use rewear_ftl::streams::{BySizeConfig, StreamsConfig, update_frequency::UpdateFrequencyConfig};
use rewear_ftl::units::free::FreeOrder;
use rewear_ftl::victim::{VictimConfig, d_choices::DChoicesConfig};
use rewear_ftl::wear_levelling::WearLevellingConfig;
use rewear_ftl::write_buffer::{BufferConfig, WriteBufferConfig};
use rewear_ftl::{DriveConfig, Ftl, FtlError, Shape};

const SECTOR: usize = 512;

#[derive(Debug, Clone)]
enum Step {
    /// Page (modulo the exported pages), first sector, sectors, byte to fill with.
    Write(u32, usize, usize, u8),
    Trim(u32),
    Read(u32),
    /// Nothing comes for so many nanoseconds.
    Idle(u64),
    Flush,
}

fn step() -> impl Strategy<Value = Step> {
    let hot_or_any = || prop_oneof![0u32..4, 0u32..10_000];
    prop_oneof![
        6 => (hot_or_any(), 0usize..8, 1usize..9, 1u8..255).prop_map(|(lpn, at, len, byte)| Step::Write(lpn, at, len, byte)),
        1 => hot_or_any().prop_map(Step::Trim),
        2 => hot_or_any().prop_map(Step::Read),
        1 => (0u64..20_000).prop_map(Step::Idle),
        1 => Just(Step::Flush),
    ]
}

fn write_buffer() -> impl Strategy<Value = WriteBufferConfig> {
    let size =
        (1u32..40, 0.0f64..=1.0, any::<bool>()).prop_map(|(pages, destage_at, survives_power_loss)| {
            BufferConfig { pages, destage_at, survives_power_loss }
        });
    prop_oneof![
        Just(WriteBufferConfig::Nothing {}),
        size.clone().prop_map(WriteBufferConfig::Fifo),
        size.prop_map(WriteBufferConfig::Lru),
    ]
}

/// Every choice of every policy, in any combination.
fn policies() -> impl Strategy<Value = FtlConfig> {
    let victim = prop_oneof![
        Just(VictimConfig::Greedy {}),
        Just(VictimConfig::CostBenefit {}),
        (1u32..20, 0u64..9)
            .prop_map(|(choices, seed)| VictimConfig::DChoices(DChoicesConfig { choices, seed })),
        Just(VictimConfig::WearAware(Default::default())),
    ];
    let streams = prop_oneof![
        Just(StreamsConfig::One {}),
        Just(StreamsConfig::BySize(BySizeConfig { cold_bytes: 2048 })),
        Just(StreamsConfig::ByUpdateFrequency(UpdateFrequencyConfig {
            counters: 64,
            decay_writes: 50,
            hot_writes: 3
        })),
    ];
    let wear_levelling = prop_oneof![
        Just(WearLevellingConfig::Nothing {}),
        (1u32..4).prop_map(|spread| WearLevellingConfig::Static { spread }),
    ];
    let background = prop_oneof![
        Just(BackgroundConfig::Nothing {}),
        (0.0f64..0.5, 0.0f64..1.0).prop_map(|(free_fraction, max_valid_fraction)| {
            BackgroundConfig::Idle(IdleConfig { after_ns: 100, free_fraction, max_valid_fraction })
        }),
    ];
    let moved = prop_oneof![Just(MovedPages::Together), Just(MovedPages::Apart)];
    let order = prop_oneof![Just(FreeOrder::Fifo), Just(FreeOrder::LeastWorn)];
    let step = prop_oneof![3 => Just(CleaningStep::UntilRoom), 1 => Just(CleaningStep::OneUnit)];
    (victim, streams, wear_levelling, background, moved, order, step).prop_map(
        |(victim, streams, wear_levelling, background, moved_pages, free_order, cleaning_step)| FtlConfig {
            cleaning_step,
            victim,
            streams,
            wear_levelling,
            background,
            moved_pages,
            free_order,
            ..FtlConfig::default()
        },
    )
}

/// Mostly none; else so often that a run sees several.
fn failures() -> impl Strategy<Value = FailuresConfig> {
    let some = (0.0f64..0.05, 0.0f64..0.004, 0.0f64..0.02, prop::option::of(1u32..20), 0u64..1000).prop_map(
        |(factory, program, erase, doubling_cycles, seed)| FailuresConfig {
            factory_bad_fraction: factory,
            program_failure_probability: program,
            erase_failure_probability: erase,
            doubling_cycles,
            seed,
        },
    );
    prop_oneof![1 => Just(FailuresConfig::default()), 1 => some]
}

/// Every code in every mode; with little or much patience for invalid cells.
fn wom_v() -> impl Strategy<Value = (u8, ReuseConfig)> {
    let code = (1u8..5).prop_flat_map(|k| (k + 1..7).prop_map(move |n| (k, n)));
    let reopen = prop_oneof![
        Just(Reopening::AfterMoving),
        Just(Reopening::InPlace),
        Just(Reopening::InPlaceIntact),
        Just(Reopening::InPlaceAny),
    ];
    let check =
        prop_oneof![Just(InvalidCellCheck::Pre), Just(InvalidCellCheck::Post), Just(InvalidCellCheck::Unit)];
    let threshold = prop_oneof![Just(None), (0.0f64..0.5).prop_map(Some)];
    (code, any::<bool>(), reopen, check, threshold).prop_map(
        |((k, n), no_read, reopen, ecc_check, ecc_threshold)| {
            let config = WomVConfig { no_read, reopen, ecc_check, ecc_threshold, ..WomVConfig::baseline(k) };
            (n, ReuseConfig::WomV(config))
        },
    )
}

fn drive() -> impl Strategy<Value = DriveConfig> {
    let reuse = prop_oneof![
        Just((1u8, ReuseConfig::Nothing {})),
        Just((3u8, ReuseConfig::Nothing {})),
        wom_v(),
        wom_v(),
    ];
    let erase_unit = prop_oneof![Just(EraseUnit::Block), Just(EraseUnit::Die), Just(EraseUnit::Drive)];
    let service = prop_oneof![Just(ServiceUnit::Plane), Just(ServiceUnit::Die)];
    let front = (write_buffer(), any::<bool>());
    (
        reuse,
        erase_unit,
        policies(),
        failures(),
        service,
        1u32..3,
        1u32..3,
        any::<bool>(),
        0.65f64..0.95,
        front,
    )
        .prop_map(
            |(
                (bits_per_cell, reuse),
                erase_unit,
                policies,
                failures,
                service_unit,
                channels,
                planes_per_die,
                cache_register,
                op,
                (write_buffer, read_priority),
            )| {
                // A drive that runs out of space while it destages has accepted the page that finds no place.
                let fails = failures != FailuresConfig::default();
                let write_buffer = if fails { WriteBufferConfig::default() } else { write_buffer };
                // Slots that refuse cost one more unit in reserve.
                let refuses =
                    matches!(&reuse, ReuseConfig::WomV(womv) if womv.ecc_check == InvalidCellCheck::Pre);
                let op = if refuses { op + 0.17 } else { op };
                // One unit at a time restores no reserve that failures have used up.
                let cleaning_step = if fails { CleaningStep::UntilRoom } else { policies.cleaning_step };
                let flash = FlashConfig {
                    channels,
                    planes_per_die,
                    pages_per_block: 13,
                    page_bytes: 1024,
                    bits_per_cell,
                    medium: MediumKind::Stored,
                    service_unit,
                    cache_register,
                    read_priority,
                    erase_suspend_ns: read_priority.then_some(50),
                    endurance_cycles: Some(1000),
                    failures,
                    ..FlashConfig::single_plane(TimingConfig {
                        read_ns: vec![10],
                        program_ns: vec![100],
                        erase_ns: 1000,
                        channel_mb_per_s: 400,
                    })
                };
                DriveConfig {
                    ftl: FtlConfig {
                        over_provisioning: op,
                        erase_unit,
                        write_buffer,
                        cleaning_step,
                        ..policies
                    },
                    reuse,
                    ..DriveConfig::plain("tiny", flash)
                }
            },
        )
}

fn check_page(ftl: &mut Ftl, shadow: &BTreeMap<u32, Vec<u8>>, lpn: u32, page: &mut [u8]) {
    ftl.read_bytes(lpn, page).unwrap();
    match shadow.get(&lpn) {
        Some(expected) => assert_eq!(expected, page, "page {lpn}"),
        None => assert!(page.iter().all(|&byte| byte == 0), "page {lpn} was never written"),
    }
}

/// A drive and what it should hold.
struct Watched {
    ftl: Ftl,
    shadow: BTreeMap<u32, Vec<u8>>,
    now: u64,
    /// Whether a write may end at once.
    buffered: bool,
}

impl Watched {
    /// Whether the drive still has room. Where it has not, everything written before must be there.
    fn write(&mut self, lpn: u32, start: usize, data: &[u8]) -> bool {
        let page_bytes = self.ftl.layout().logical_page_bytes as usize;
        self.ftl.announce_write(data.len() as u64);
        match self.ftl.write_bytes(self.now, lpn, start, data, Command::Write) {
            Ok(end) => {
                assert!(end > self.now || (self.buffered && end == self.now));
                self.now = end;
                let page = self.shadow.entry(lpn).or_insert_with(|| vec![0; page_bytes]);
                page[start..start + data.len()].copy_from_slice(data);
                true
            }
            Err(FtlError::OutOfSpace { .. }) => false,
            Err(error) => panic!("{error}"),
        }
    }

    /// Whether the drive still has room.
    fn take(&mut self, step: &Step) -> bool {
        let pages = self.ftl.layout().exported_pages;
        let page_bytes = self.ftl.layout().logical_page_bytes as usize;
        match *step {
            Step::Write(lpn, first, sectors, byte) => {
                let start = (first * SECTOR).min(page_bytes - SECTOR);
                let stop = (start + sectors * SECTOR).min(page_bytes);
                return self.write(lpn % pages, start, &vec![byte; stop - start]);
            }
            Step::Trim(lpn) => {
                self.ftl.trim(lpn % pages).unwrap();
                self.shadow.remove(&(lpn % pages));
            }
            Step::Read(lpn) => {
                self.now = self.ftl.read(self.now, lpn % pages).unwrap();
                check_page(&mut self.ftl, &self.shadow, lpn % pages, &mut vec![0; page_bytes]);
            }
            Step::Flush => self.now = self.ftl.flush(self.now).unwrap(),
            Step::Idle(ns) => {
                self.now = self.now.max(self.ftl.array().idle_at()) + ns;
                self.ftl.idle(self.now).unwrap();
                assert!(self.ftl.array().idle_at() <= self.now || self.ftl.bad_blocks() > 0);
            }
        }
        true
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, ..ProptestConfig::default() })]

    #[test]
    fn the_drive_agrees_with_a_shadow_map(config in drive(), steps in prop::collection::vec(step(), 200..1200)) {
        // Too many bad blocks from the factory are refused.
        let ftl = match Ftl::new(&config) {
            Ok(ftl) => ftl,
            Err(error) => {
                prop_assert!(config.flash.failures.factory_bad_fraction > 0.0, "{}", error);
                return Ok(());
            }
        };
        let (pages, page_bytes) = (ftl.layout().exported_pages, ftl.layout().logical_page_bytes as usize);
        let buffered = config.ftl.write_buffer != WriteBufferConfig::default();
        let mut watched = Watched { ftl, shadow: BTreeMap::new(), now: 0, buffered };
        // A full drive is the hard case.
        let mut has_room = (0..pages).all(|lpn| watched.write(lpn, 0, &vec![lpn as u8; page_bytes]));
        has_room = has_room && steps.iter().all(|step| watched.take(step));
        let Watched { mut ftl, shadow, now, .. } = watched;
        if !has_room {
            // Bad blocks have eaten up the spare space, or failures came so quickly that a pool's reserve was not yet restored.
            let (shape, layout) = (Shape::new(&config).unwrap(), ftl.layout());
            let lost = u64::from(ftl.retired_units()) * u64::from(layout.slots_per_unit);
            let usable = u64::from(shape.reserve.valid_limit) * u64::from(layout.pools) - lost;
            let failures = ftl.counters().program_failures + ftl.counters().erase_failures;
            let is_full = usable < u64::from(pages + layout.pools);
            prop_assert!(failures > 0 && (is_full || failures > 1), "{} usable for {}", usable, pages);
        }
        ftl.audit().unwrap();
        let mut page = vec![0; page_bytes];
        for lpn in 0..pages {
            check_page(&mut ftl, &shadow, lpn, &mut page);
        }
        if has_room {
            ftl.drain(now).unwrap();
            ftl.audit().unwrap();
            for lpn in 0..pages {
                check_page(&mut ftl, &shadow, lpn, &mut page);
            }
            check_conservation(&ftl);
        }
    }
}

fn check_conservation(ftl: &Ftl) {
    let (counters, slot_pages) = (ftl.counters(), u64::from(ftl.layout().slot_pages));
    let written = counters.host_pages_written - counters.writes_absorbed;
    let placed = written + counters.pages_moved + counters.program_failures;
    assert_eq!(counters.programmed.total(), placed * slot_pages);
    assert_eq!(ftl.erases_per_block().map(u64::from).sum::<u64>(), counters.erases);
    let width = u64::from(ftl.layout().width);
    assert_eq!(
        counters.garbage_collections + counters.levellings,
        counters.erases / width + counters.reopens
    );
    assert!(counters.pages_levelled + counters.pages_moved_idle <= counters.pages_moved);
}

#[test]
fn pages_beyond_the_exported_capacity_are_refused() {
    let config = drive().new_tree(&mut proptest::test_runner::TestRunner::deterministic()).unwrap().current();
    let mut ftl = Ftl::new(&config).unwrap();
    let beyond = ftl.layout().exported_pages;
    assert!(ftl.read(0, beyond).is_err());
    assert!(ftl.trim(beyond).is_err());
    assert!(ftl.write_bytes(0, beyond, 0, &[0; 512], Command::Write).is_err());
    assert!(ftl.write_bytes(0, 0, 0, &vec![0; 1 << 20], Command::Write).is_err());
}
