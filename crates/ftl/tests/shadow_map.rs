//! Random operations on tiny drives with stored cells, against a shadow map: every byte at every time.
#![allow(clippy::unwrap_used, missing_docs)]

use std::collections::BTreeMap;

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use rewear_flash::FlashConfig;
use rewear_flash::config::{MediumKind, ServiceUnit};
use rewear_flash::failures::FailuresConfig;
use rewear_flash::page_kind::PageOrder;
use rewear_flash::timing::TimingConfig;
use rewear_ftl::background::{BackgroundConfig, IdleConfig};
use rewear_ftl::config::{EraseUnit, FtlConfig, MovedPages, MovedTo};
use rewear_ftl::host_write::Command;
use rewear_ftl::reuse::seal::{SealConfig, policy::Policy};
use rewear_ftl::reuse::{ReuseConfig, wom_v::WomVConfig};
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
    /// As a write, but by the overwrite command; the bits of the byte that are 0 are cleared, or, one time in eight, the byte is written
    /// as it is, whatever the command promises.
    Overwrite(u32, usize, usize, u8, bool),
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
        6 => (hot_or_any(), 0usize..8, 1usize..9, any::<u8>(), prop::bool::weighted(0.125))
            .prop_map(|(lpn, at, len, byte, breaks)| Step::Overwrite(lpn, at, len, byte, breaks)),
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
        Just(BackgroundConfig::EraseInvalid {}),
        (0.0f64..0.5, 0.0f64..1.0).prop_map(|(free_fraction, max_valid_fraction)| {
            BackgroundConfig::Idle(IdleConfig { after_ns: 100, free_fraction, max_valid_fraction })
        }),
    ];
    let moved = prop_oneof![Just(MovedPages::Together), Just(MovedPages::Apart)];
    let order = prop_oneof![Just(FreeOrder::Fifo), Just(FreeOrder::LeastWorn)];
    (victim, streams, wear_levelling, background, moved, order).prop_map(
        |(victim, streams, wear_levelling, background, moved_pages, free_order)| FtlConfig {
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

fn drive() -> impl Strategy<Value = DriveConfig> {
    let victims = prop_oneof![Just(Policy::Seal), Just(Policy::SealPreserve), Just(Policy::Automatic)];
    let seal = (victims, 1u8..10, any::<bool>()).prop_map(|(victims, limit, limit_counts_first)| {
        (2u8, ReuseConfig::Seal(SealConfig { victims, limit, limit_counts_first, ..SealConfig::default() }))
    });
    let reuse = prop_oneof![
        1 => Just((1u8, ReuseConfig::Nothing {})),
        1 => Just((3u8, ReuseConfig::Nothing {})),
        2 => seal,
        1 => (1u8..5).prop_flat_map(
            |k| (k + 1..7).prop_map(move |n| (n, ReuseConfig::WomV(WomVConfig { data_bits: k })))
        ),
    ];
    let erase_unit = prop_oneof![Just(EraseUnit::Block), Just(EraseUnit::Die), Just(EraseUnit::Drive)];
    let service = prop_oneof![Just(ServiceUnit::Plane), Just(ServiceUnit::Die)];
    let moved_to = prop_oneof![Just(MovedTo::Pool), Just(MovedTo::Drive)];
    let order = prop_oneof![Just(PageOrder::Alternating), Just(PageOrder::Paired)];
    let front = (write_buffer(), any::<bool>());
    let map_pages = (any::<bool>(), any::<bool>(), moved_to, order);
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
        map_pages,
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
                (summary_pages, summary_reads, moved_to, page_order),
            )| {
                // A drive that runs out of space while it destages has accepted the page that finds no place.
                let fails = failures != FailuresConfig::default();
                let is_mlc = bits_per_cell == 2;
                // Overwrite units are open beside the others.
                let op = if matches!(reuse, ReuseConfig::Seal(_)) { op + 0.4 } else { op };
                let page_order = if is_mlc { page_order } else { PageOrder::default() };
                let write_buffer = if fails { WriteBufferConfig::default() } else { write_buffer };
                let flash = FlashConfig {
                    channels,
                    planes_per_die,
                    pages_per_block: if is_mlc { 14 } else { 13 },
                    page_bytes: 1024,
                    bits_per_cell,
                    page_order,
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
                        summary_pages,
                        summary_reads: summary_pages && summary_reads,
                        moved_to,
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
    /// Whether an erase may begin when a request arrives.
    erases_on_arrival: bool,
    /// The page of an overwrite that found no space.
    doubtful: Option<u32>,
}

impl Watched {
    /// Whether the drive still has room. Where it has not, everything written before must be there.
    fn write(&mut self, lpn: u32, start: usize, data: &[u8], command: Command) -> bool {
        let page_bytes = self.ftl.layout().logical_page_bytes as usize;
        self.ftl.announce_write(data.len() as u64);
        match self.ftl.write_bytes(self.now, lpn, start, data, command) {
            Ok(end) => {
                assert!(end > self.now || (self.buffered && end == self.now));
                self.now = end;
                let page = self.shadow.entry(lpn).or_insert_with(|| vec![0; page_bytes]);
                page[start..start + data.len()].copy_from_slice(data);
                true
            }
            Err(FtlError::OutOfSpace { .. }) => {
                if command == Command::Overwrite {
                    // The program of the page in place may have failed: it holds the old data or the new.
                    self.shadow.remove(&lpn);
                    self.doubtful = Some(lpn);
                }
                false
            }
            Err(FtlError::NotOverwritable { lpn: refused, byte }) => {
                // Only where the data sets a bit, and then nothing has happened.
                assert!(command == Command::Overwrite && refused == lpn && byte < page_bytes);
                let old = &self.shadow[&lpn];
                assert!(data[byte - start] & !old[byte] != 0);
                check_page(&mut self.ftl, &self.shadow, lpn, &mut vec![0; page_bytes]);
                true
            }
            Err(error) => panic!("{error}"),
        }
    }

    /// What the overwrite of a page writes: its present data with bits cleared, or anything.
    fn overwriting(&self, lpn: u32, range: std::ops::Range<usize>, byte: u8, breaks: bool) -> Vec<u8> {
        match self.shadow.get(&lpn) {
            Some(page) if !breaks => page[range].iter().map(|old| old & byte).collect(),
            _ => vec![byte; range.len()],
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
                return self.write(lpn % pages, start, &vec![byte; stop - start], Command::Write);
            }
            Step::Overwrite(lpn, first, sectors, byte, breaks) => {
                let start = (first * SECTOR).min(page_bytes - SECTOR);
                let stop = (start + sectors * SECTOR).min(page_bytes);
                let data = self.overwriting(lpn % pages, start..stop, byte, breaks);
                return self.write(lpn % pages, start, &data, Command::Overwrite);
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
                let may_overlap = self.erases_on_arrival || self.ftl.bad_blocks() > 0;
                assert!(self.ftl.array().idle_at() <= self.now || may_overlap);
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
        let erases_on_arrival = config.ftl.background == BackgroundConfig::EraseInvalid {};
        let mut watched = Watched { ftl, shadow: BTreeMap::new(), now: 0, buffered, erases_on_arrival, doubtful: None };
        // A full drive is the hard case.
        let mut has_room = (0..pages).all(|lpn| {
            let command = if lpn % 3 == 0 { Command::Overwrite } else { Command::Write };
            watched.write(lpn, 0, &vec![lpn as u8; page_bytes], command)
        });
        has_room = has_room && steps.iter().all(|step| watched.take(step));
        let Watched { mut ftl, shadow, now, doubtful, .. } = watched;
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
        for lpn in (0..pages).filter(|&lpn| Some(lpn) != doubtful) {
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
    let summaries = counters.programmed.metadata;
    assert_eq!(counters.programmed.total() - summaries, placed * slot_pages);
    assert!(ftl.reprograms() == 0 || counters.overwrites > 0 || counters.reopens > 0);
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
