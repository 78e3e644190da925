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
use rewear_ftl::config::{CleaningStep, EraseUnit, FtlConfig, MovedPages, MovedTo};
use rewear_ftl::effort::EffortConfig;
use rewear_ftl::effort::agcr::AgcrConfig;
use rewear_ftl::effort::agcr::config::HistoryKind;
use rewear_ftl::effort::differentiated_ecc::DifferentiatedEccConfig;
use rewear_ftl::effort::differentiated_ecc::config::{
    AccessUnit, Age, Filters, RewriteTime, SeparatorConfig, Turns, Unclassified,
};
use rewear_ftl::host_write::Command;
use rewear_ftl::recycle::RecycleConfig;
use rewear_ftl::recycle::fingerprints::config::*;
use rewear_ftl::reuse::ReuseConfig;
use rewear_ftl::reuse::seal::{SealConfig, policy::Policy};
use rewear_ftl::reuse::second_write::SecondWriteConfig;
use rewear_ftl::reuse::second_write::config::{Fidelity, PlaneChoice, Retry};
use rewear_ftl::reuse::second_write::separation::SeparationConfig;
use rewear_ftl::reuse::wom_v::{InvalidCellCheck, Reopening, WomVConfig};
use rewear_ftl::streams::{BySizeConfig, StreamsConfig, update_frequency::UpdateFrequencyConfig};
use rewear_ftl::units::free::FreeOrder;
use rewear_ftl::victim::{VictimConfig, d_choices::DChoicesConfig, recycle_aware::RecycleAwareConfig};
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

/// Few contents, so that they return, and some that are seen once.
fn content() -> impl Strategy<Value = u8> {
    prop_oneof![3 => 1u8..8, 1 => 1u8..255]
}

fn step() -> impl Strategy<Value = Step> {
    let hot_or_any = || prop_oneof![0u32..4, 0u32..10_000];
    prop_oneof![
        6 => (hot_or_any(), 0usize..8, 1usize..9, content()).prop_map(|(lpn, at, len, byte)| Step::Write(lpn, at, len, byte)),
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
        size.clone().prop_map(WriteBufferConfig::Lru),
        size.prop_map(WriteBufferConfig::Slru),
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
        (0.0f64..=1.0)
            .prop_map(|most_discount| VictimConfig::RecycleAware(RecycleAwareConfig { most_discount })),
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

/// Second writes in every way, on blocks of which some have outlived them.
fn second_write() -> impl Strategy<Value = SecondWriteConfig> {
    let fidelity = prop_oneof![Just(Fidelity::Table), Just(Fidelity::Mask), Just(Fidelity::Full)];
    let retry = prop_oneof![Just(Retry::Nothing), Just(Retry::SamePages), Just(Retry::OtherPages)];
    let separation = prop_oneof![
        Just(SeparationConfig::Nothing {}),
        Just(SeparationConfig::BySize(BySizeConfig { cold_bytes: 2048 })),
        Just(SeparationConfig::AdaptiveSize(Default::default())),
        Just(SeparationConfig::ByUpdateFrequency(UpdateFrequencyConfig {
            counters: 64,
            decay_writes: 50,
            hot_writes: 3
        })),
    ];
    let plane_choice = prop_oneof![
        Just(PlaneChoice::Striped),
        Just(PlaneChoice::MostClean),
        Just(PlaneChoice::FewestClean),
        Just(PlaneChoice::FewestValid),
        Just(PlaneChoice::OldCopy),
    ];
    let chances = (prop::option::of(0.3f64..=1.0), 2u8..9, 210.0f64..230.0);
    let limits = (1u32..4, 0.3f64..=1.0, prop_oneof![Just(1.0), Just(0.01)]);
    (fidelity, retry, separation, plane_choice, chances, limits, any::<bool>(), any::<bool>()).prop_map(
        |(fidelity, retry, separation, plane_choice, chances, limits, prefetch, parallel)| {
            SecondWriteConfig {
                fidelity,
                retry,
                separation,
                plane_choice,
                success_probability: chances.0,
                attempts: chances.1,
                storage_percent: chances.2,
                min_clean_blocks: limits.0,
                pair_failures: limits.0,
                recycle_max_valid_fraction: limits.1,
                life_fraction: limits.2,
                prefetch,
                parallel,
                ..SecondWriteConfig::default()
            }
        },
    )
}

/// Rising numbers of bits behind k, up to N, for a rate that changes; often none. Such as take no more flash pages together
/// than a drive allows.
fn denser_codes(k: u8, n: u8) -> impl Strategy<Value = Vec<u8>> {
    let all: Vec<u8> = (k + 1..=n).collect();
    let fills_whole_pages = move |codes: &Vec<u8>| {
        let config = WomVConfig { denser_codes: codes.clone(), ..WomVConfig::baseline(k) };
        let flash = FlashConfig { bits_per_cell: n, pages_per_block: 64, ..tiny_flash() };
        let mut drive = DriveConfig { reuse: ReuseConfig::WomV(config), ..DriveConfig::plain("tiny", flash) };
        drive.ftl.over_provisioning = 2.0;
        Shape::new(&drive).is_ok()
    };
    let some = prop::sample::subsequence(all.clone(), 1..=all.len())
        .prop_filter("a logical page that fills whole flash pages", fills_whole_pages);
    prop_oneof![1 => Just(Vec::new()), 1 => some]
}

/// Every code in every mode; with little or much patience for invalid cells.
fn wom_v() -> impl Strategy<Value = (u8, ReuseConfig)> {
    let code = (1u8..5).prop_flat_map(|k| (k + 1..7).prop_map(move |n| (k, n)));
    let code = code.prop_flat_map(|(k, n)| (Just((k, n)), denser_codes(k, n), 0.05f64..0.99));
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
        |(((k, n), denser_codes, max_fill), no_read, reopen, ecc_check, ecc_threshold)| {
            let config = WomVConfig {
                denser_codes,
                max_fill,
                no_read,
                reopen,
                ecc_check,
                ecc_threshold,
                ..WomVConfig::baseline(k)
            };
            (n, ReuseConfig::WomV(config))
        },
    )
}

/// Every choice of every effort scheme; thresholds and periods at which much is rewritten.
fn effort() -> impl Strategy<Value = EffortConfig> {
    let separator = (0u8..16, 1u8..9, 3u32..8, 1u8..5, 1u32..60).prop_map(
        |(choices, pairs, log_bits, hashes, decay_accesses)| SeparatorConfig {
            filters: if choices & 1 == 0 { Filters::Bloom } else { Filters::Exact },
            pairs,
            bits: 1 << log_bits,
            hashes,
            weights: (1..=pairs).rev().map(f64::from).collect(),
            decay_accesses,
            access: if choices & 2 == 0 { AccessUnit::Page } else { AccessUnit::Request },
            turns: if choices & 4 == 0 { Turns::Shared } else { Turns::Own },
            age: if choices & 8 == 0 { Age::Reset } else { Age::Update },
        },
    );
    let unclassified =
        prop_oneof![Just(Unclassified::Normal), Just(Unclassified::LowCost), Just(Unclassified::Keep)];
    let rewrite =
        prop_oneof![Just(RewriteTime::BehindRead), Just(RewriteTime::Idle), Just(RewriteTime::Never)];
    let differentiated = (separator, unclassified, rewrite, any::<bool>(), -4.0f64..4.0, -2.0f64..3.0)
        .prop_map(|(separator, unclassified, rewrite, rules_for_moved_pages, m, n)| {
            DifferentiatedEccConfig {
                m,
                n,
                low_cost_program_ns: vec![50],
                low_cost_read_ns: vec![40],
                unclassified,
                rules_for_moved_pages,
                rewrite,
                separator,
                ..DifferentiatedEccConfig::default()
            }
        });
    let agcr =
        (any::<bool>(), 1u8..8, any::<bool>()).prop_map(|(all, latest_accesses, rewrite_read_only)| {
            let history = if all { HistoryKind::SinceStart } else { HistoryKind::Latest };
            AgcrConfig { history, latest_accesses, rewrite_read_only, ..AgcrConfig::default() }
        });
    prop_oneof![
        1 => Just(EffortConfig::Uniform {}),
        1 => differentiated.prop_map(EffortConfig::DifferentiatedEcc),
        1 => agcr.prop_map(EffortConfig::Agcr),
    ]
}

/// Overwriting in place with every victim policy and little or much patience.
fn seal() -> impl Strategy<Value = (u8, ReuseConfig)> {
    let victims = prop_oneof![Just(Policy::Seal), Just(Policy::SealPreserve), Just(Policy::Automatic)];
    (victims, 1u8..10, any::<bool>()).prop_map(|(victims, limit, limit_counts_first)| {
        (2u8, ReuseConfig::Seal(SealConfig { victims, limit, limit_counts_first, ..SealConfig::default() }))
    })
}

/// Bits a cell and a reuse scheme that they allow. A new scheme is one more line.
fn reuse() -> impl Strategy<Value = (u8, ReuseConfig)> {
    prop_oneof![
        Just((1u8, ReuseConfig::Nothing {})),
        Just((3u8, ReuseConfig::Nothing {})),
        wom_v(),
        wom_v(),
        second_write().prop_map(|config| (1u8, ReuseConfig::SecondWrite(config))),
        second_write().prop_map(|config| (2u8, ReuseConfig::SecondWrite(config))),
        seal(),
        seal(),
    ]
}

/// Every way to recycle, half of them with digests so short that different contents collide.
fn recycle() -> impl Strategy<Value = RecycleConfig> {
    let order = prop_oneof![Just(Order::Lru), Just(Order::Probability)];
    let ties = prop_oneof![Just(Ties::NewestFirst), Just(Ties::OldestFirst)];
    let entry = prop_oneof![Just(EntryPer::Page), Just(EntryPer::Fingerprint)];
    let popularity = prop_oneof![Just(Popularity::PageReads), Just(Popularity::ValueAccesses)];
    let answers = prop_oneof![Just(Answers::Invalid), Just(Answers::Valid), Just(Answers::All)];
    let scope = prop_oneof![4 => Just(Scope::Drive), 1 => Just(Scope::Pool)];
    let bits = prop_oneof![Just(128u32), 1u32..6];
    let sizes = (0u32..50, 0u32..4, 0u32..3, 0u32..3, any::<bool>());
    let fingerprints = (order, ties, entry, popularity, answers, scope, bits, sizes).prop_map(
        |(order, ties, entry, popularity, answers, scope, fingerprint_bits, sizes)| {
            let (entries, fast_load_reach, fast_load_depth, hash_engines, own_page) = sizes;
            RecycleConfig::Fingerprints(FingerprintsConfig {
                entries,
                order,
                ties,
                entry,
                popularity,
                answers,
                scope,
                fingerprint_bits,
                verify: fingerprint_bits < 128,
                fast_load_reach,
                fast_load_depth,
                hash_ns: 30,
                hash_engines,
                own_page,
                comparison_ns: 1,
                ..FingerprintsConfig::default()
            })
        },
    );
    prop_oneof![1 => Just(RecycleConfig::Nothing {}), 2 => fingerprints]
}

fn tiny_flash() -> FlashConfig {
    FlashConfig::single_plane(TimingConfig {
        read_ns: vec![10],
        program_ns: vec![100],
        erase_ns: 1000,
        channel_mb_per_s: 400,
    })
}

fn drive() -> impl Strategy<Value = DriveConfig> {
    let erase_unit = prop_oneof![Just(EraseUnit::Block), Just(EraseUnit::Die), Just(EraseUnit::Drive)];
    let service = prop_oneof![Just(ServiceUnit::Plane), Just(ServiceUnit::Die)];
    let front = (write_buffer(), any::<bool>(), effort());
    let moved_to = prop_oneof![Just(MovedTo::Pool), Just(MovedTo::Drive)];
    let order = prop_oneof![Just(PageOrder::Alternating), Just(PageOrder::Paired)];
    let map_pages = (any::<bool>(), any::<bool>(), moved_to, order);
    (
        (reuse(), recycle()),
        erase_unit,
        policies(),
        failures(),
        service,
        1u32..3,
        1u32..3,
        any::<bool>(),
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
                cache_register,
                op,
                (write_buffer, read_priority, effort),
                (summary_pages, summary_reads, moved_to, page_order),
            )| {
                // A drive that runs out of space while it destages has accepted the page that finds no place.
                let fails = failures != FailuresConfig::default();
                let is_mlc = bits_per_cell == 2;
                let reopens_parts = matches!(&reuse, ReuseConfig::WomV(code) if code.writes_parts_of_units());
                let summary_pages = summary_pages && !reopens_parts;
                // Overwrite units are open beside the others.
                let op = if matches!(reuse, ReuseConfig::Seal(_)) { op + 0.4 } else { op };
                let page_order = if is_mlc { page_order } else { PageOrder::default() };
                let write_buffer = if fails { WriteBufferConfig::default() } else { write_buffer };
                // Second writes keep more clean blocks, and pair single blocks of two planes.
                let (erase_unit, planes_per_die, op) = match &reuse {
                    ReuseConfig::SecondWrite(config) => {
                        let pairs = config.parallel || config.plane_choice != PlaneChoice::Striped;
                        (EraseUnit::Block, if pairs { 2 } else { planes_per_die }, op + 0.6)
                    }
                    _ => (erase_unit, planes_per_die, op),
                };
                // One unit at a time asks for no unit to be sealed.
                let seals = matches!(reuse, ReuseConfig::Seal(_));
                let cleaning_step = if seals { CleaningStep::UntilRoom } else { policies.cleaning_step };
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
                    cache_register,
                    read_priority,
                    erase_suspend_ns: read_priority.then_some(50),
                    endurance_cycles: Some(1000),
                    failures,
                    ..tiny_flash()
                };
                DriveConfig {
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
        let most_entries = match &config.recycle {
            RecycleConfig::Fingerprints(recycle) if recycle.entries > 0 => u64::from(recycle.entries),
            _ => u64::MAX,
        };
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
        if let Some(counters) = ftl.recycle_counters() {
            prop_assert!(counters.most_entries <= most_entries && counters.entries <= counters.most_entries);
            prop_assert!(counters.hits == ftl.counters().writes_recycled && counters.hits <= counters.lookups);
        }
    }
}

fn check_conservation(ftl: &Ftl) {
    let (counters, slot_pages) = (ftl.counters(), u64::from(ftl.layout().slot_pages));
    let answered = counters.writes_absorbed + counters.writes_recycled + counters.writes_deduplicated;
    let written = counters.host_pages_written - answered;
    let placed = written + counters.pages_moved + counters.pages_rewritten + counters.program_failures;
    let summaries = counters.programmed.metadata;
    // A second write programs two pages; a changing rate as many as the code of the unit asks for.
    let least = placed * slot_pages + counters.second_writes + summaries;
    let most = placed * u64::from(ftl.layout().most_slot_pages) + counters.second_writes + summaries;
    assert!((least..=most).contains(&counters.programmed.total()), "{least} {most}");
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
