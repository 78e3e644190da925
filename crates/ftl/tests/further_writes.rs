//! Third and fourth writes: the best case, the limits, times, real data on real cells, agreement of
//! modelled and stored cells.
#![allow(clippy::unwrap_used, missing_docs)]

use proptest::prelude::*;
use rewear_flash::FlashConfig;
use rewear_flash::config::{MediumKind, ServiceUnit};
use rewear_flash::failures::FailuresConfig;
use rewear_flash::timing::TimingConfig;
use rewear_ftl::config::{FtlConfig, Striping};
use rewear_ftl::host::{Command, HostWrite};
use rewear_ftl::recycle::RecycleConfig;
use rewear_ftl::reuse::ReuseConfig;
use rewear_ftl::reuse::second_write::SecondWriteConfig;
use rewear_ftl::reuse::second_write::config::{Fidelity, GuardChoice, Retry};
use rewear_ftl::reuse::second_write::hot_cold_separation::SeparationConfig;
use rewear_ftl::{Counters, DriveConfig, Ftl, Lpn, Pool};

const PAGES_PER_BLOCK: u32 = 32;
const READ_NS: u64 = 20;
const PROGRAM_NS: u64 = 100;
/// Pages that are written round and round, few enough for victims to be empty.
const HOT: u32 = 128;

fn drive(planes: u32, blocks_per_plane: u32, scheme: Option<SecondWriteConfig>, op: f64) -> DriveConfig {
    let flash = FlashConfig {
        planes_per_die: planes,
        blocks_per_plane,
        pages_per_block: PAGES_PER_BLOCK,
        service_unit: ServiceUnit::Die,
        ..FlashConfig::single_plane(TimingConfig {
            read_ns: vec![READ_NS],
            program_ns: vec![PROGRAM_NS],
            erase_ns: 1000,
            channel_mb_per_s: 0,
        })
    };
    let ftl = FtlConfig {
        over_provisioning: op,
        gc_threshold: 0.2,
        striping: Striping::StaticDie,
        ..FtlConfig::default()
    };
    let reuse = scheme.map_or(ReuseConfig::Nothing {}, ReuseConfig::SecondWrite);
    DriveConfig { reuse, ftl, ..DriveConfig::plain("test", flash) }
}

fn certain(writes: u8) -> SecondWriteConfig {
    SecondWriteConfig {
        writes,
        success_probability: Some(1.0),
        further_success_probability: Some(1.0),
        guard: GuardChoice::Nothing,
        ..SecondWriteConfig::default()
    }
}

/// Flash pages that second and further writes programmed beyond one for each page of data.
fn more_pages(counters: &Counters) -> u64 {
    let [third, fourth] = counters.further_writes;
    counters.second_writes + 3 * third + 7 * fourth
}

/// Fills the drive, then writes its first `hot` pages in order, round and round, `writes` times.
fn rewrite(config: &DriveConfig, hot: u32, writes: u32) -> (Ftl, Counters) {
    let mut ftl = Ftl::new(config).unwrap();
    for lpn in 0..ftl.layout().exported_pages {
        ftl.write(0, Lpn(lpn), HostWrite::WHOLE).unwrap();
    }
    ftl.reset_counters();
    for write in 0..writes {
        ftl.write(0, Lpn(write % hot), HostWrite::WHOLE).unwrap();
    }
    ftl.audit().unwrap();
    let counters = *ftl.counters();
    (ftl, counters)
}

/// N + N/2 + N/4 pages a block and erase with third writes, N/8 more with fourth ones.
#[test]
fn in_the_best_case_every_further_write_adds_half_as_many_pages() {
    // Planes do not quite keep step, so some blocks are erased before their last writes.
    for (writes, expected, error) in [(2, 2.0 / 3.0, 0.005), (3, 4.0 / 7.0, 0.02), (4, 8.0 / 15.0, 0.03)] {
        let planes = 1 << (writes - 1);
        let erases = |scheme: Option<SecondWriteConfig>| {
            let (_, counters) = rewrite(&drive(planes, 64, scheme, 1.0), HOT, 900_000);
            assert_eq!(counters.pages_moved, 0, "the best case moves nothing");
            counters.erases as f64
        };
        let share = erases(Some(certain(writes))) / erases(None);
        assert!((share - expected).abs() < error, "{writes} writes: {share} instead of {expected}");
    }
}

/// The response times of a write of the last kind that follows another one and finds an idle drive,
/// and of its read.
fn times(writes: u8, prefetch: bool) -> (u64, u64) {
    let scheme = SecondWriteConfig { prefetch, ..certain(writes) };
    let (mut ftl, _) = rewrite(&drive(8, 32, Some(scheme), 1.0), HOT, 20_000);
    ftl.restart_clock();
    let kind = usize::from(writes) - 3;
    let (mut now, mut before, mut followed) = (0, *ftl.counters(), false);
    for write in 0..20_000 {
        now += 1_000_000;
        let took = ftl.write(now, Lpn(write % HOT), HostWrite::WHOLE).unwrap() - now;
        let is_further = ftl.counters().further_writes[kind] > before.further_writes[kind];
        if is_further && followed && ftl.counters().garbage_collections == before.garbage_collections {
            now += 1_000_000;
            return (took, ftl.read(now, Lpn(write % HOT)).unwrap() - now);
        }
        (before, followed) = (*ftl.counters(), is_further);
    }
    panic!("no such write");
}

#[test]
fn all_planes_are_read_and_programmed_together() {
    for writes in [3, 4] {
        assert_eq!(times(writes, true), (PROGRAM_NS, READ_NS));
        assert_eq!(times(writes, false), (READ_NS + PROGRAM_NS, READ_NS));
    }
}

fn scheme(writes: u8) -> impl Strategy<Value = SecondWriteConfig> {
    let retry = prop_oneof![Just(Retry::Nothing), Just(Retry::SamePages), Just(Retry::OtherPages)];
    let separation = prop_oneof![Just(SeparationConfig::Nothing {}), Just(SeparationConfig::default())];
    (retry, separation, 0.5f64..=1.0, 1u32..4, any::<bool>(), prop_oneof![Just(1.0), 0.3f64..1.0]).prop_map(
        move |(retry, separation, probability, few, prefetch, most_valid)| SecondWriteConfig {
            writes,
            retry,
            separation,
            success_probability: Some(probability),
            further_success_probability: Some(probability),
            pair_failures: few,
            prefetch,
            recycle_max_valid_fraction: most_valid,
            ..SecondWriteConfig::default()
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, ..ProptestConfig::default() })]

    /// The exported capacity is there at any time, each plane keeps its clean blocks, and recycled
    /// and reused blocks lose no more than the spare blocks hold (`audit`, which also checks lives,
    /// groups and parts).
    #[test]
    fn the_limits_hold_whatever_is_written(
        scheme in prop_oneof![scheme(3), scheme(4)],
        over_provisioning in 0.3f64..0.8,
        runs in prop::collection::vec((0u32..6000, 1u32..900, any::<bool>(), any::<bool>()), 10..60),
    ) {
        let config = drive(8, 24, Some(scheme), over_provisioning);
        let mut ftl = Ftl::new(&config).unwrap();
        let exported = ftl.layout().exported_pages;
        prop_assert_eq!(exported, (f64::from(8 * 24 * PAGES_PER_BLOCK) / (1.0 + over_provisioning)).floor() as u32);
        let mut now = 0;
        for (first, length, large, scattered) in runs {
            ftl.announce_write(if large { 1 << 20 } else { 4096 }, 0);
            for step in 0..length {
                let lpn = (first + if scattered { step * 37 } else { step }) % exported;
                now = ftl.write(now, Lpn(lpn), HostWrite::WHOLE).unwrap();
                ftl.read(now, Lpn(lpn)).unwrap();
                for plane in 0..8 {
                    prop_assert!(ftl.free_units(Pool(plane)) >= 1);
                }
            }
            ftl.audit().map_err(TestCaseError::fail)?;
        }
        // Every page of a full drive takes another write.
        for lpn in (0..exported).chain((0..exported).rev()) {
            ftl.write(now, Lpn(lpn), HostWrite::WHOLE).unwrap();
        }
        ftl.audit().map_err(TestCaseError::fail)?;
        let counters = *ftl.counters();
        let [third, fourth] = counters.further_writes;
        let programmed = counters.host_pages_written + counters.pages_moved + more_pages(&counters);
        prop_assert_eq!(counters.programmed.total(), programmed);
        prop_assert_eq!(ftl.reprograms(), 2 * counters.second_writes + 4 * third + 8 * fourth);
        prop_assert!(counters.read.before_write >= ftl.reprograms());
        prop_assert_eq!(counters.garbage_collections, counters.erases + counters.reopens);
    }
}

/// Small pages on stored cells, and room for what fails.
fn stored(writes: u8, scheme: SecondWriteConfig, page_bytes: u32) -> DriveConfig {
    let mut config = drive(
        1 << (writes - 1),
        14,
        Some(SecondWriteConfig { writes, guard: GuardChoice::Nothing, ..scheme }),
        1.2,
    );
    config.flash.pages_per_block = 9;
    config.flash.page_bytes = page_bytes;
    config.flash.medium = MediumKind::Stored;
    config
}

#[derive(Debug, Clone)]
enum Step {
    Write(u32, u8),
    Trim(u32),
    Idle,
    ReadAll,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        40 => (0u32..20, any::<u8>()).prop_map(|(lpn, byte)| Step::Write(lpn, byte)),
        10 => (0u32..1000, any::<u8>()).prop_map(|(lpn, byte)| Step::Write(lpn, byte)),
        1 => (0u32..1000).prop_map(Step::Trim),
        1 => Just(Step::Idle),
        1 => Just(Step::ReadAll),
    ]
}

/// A page of data that looks random.
fn page_of(seed: u64, bytes: usize) -> Vec<u8> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 24) as u8
    };
    (0..bytes).map(|_| next()).collect()
}

fn check_all(ftl: &mut Ftl, shadow: &[Option<Vec<u8>>]) {
    let mut page = vec![0; 512];
    for (lpn, expected) in (0..).zip(shadow) {
        ftl.read_bytes(Lpn(lpn), &mut page).unwrap();
        match expected {
            Some(expected) => assert_eq!(expected, &page, "page {lpn}"),
            None => assert!(page.iter().all(|&byte| byte == 0), "page {lpn} was never written"),
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]

    /// Whatever was written is read back at any time, through the real codes, with programs that
    /// fail and with content that is recycled and shared.
    #[test]
    fn no_byte_is_lost(
        writes in 3u8..=4,
        fidelity in prop_oneof![Just(Fidelity::Table), Just(Fidelity::Full)],
        scheme in scheme(2),
        fails in prop_oneof![3 => Just(0.0), 1 => 0.0f64..0.003],
        shares in any::<bool>(),
        steps in prop::collection::vec(step(), 500..1500),
    ) {
        let scheme = SecondWriteConfig { fidelity, separation: SeparationConfig::Nothing {}, ..scheme };
        let mut config = stored(writes, scheme, 512);
        config.flash.failures = FailuresConfig { program_failure_probability: fails, ..FailuresConfig::default() };
        if shares {
            config.recycle = RecycleConfig::Lx(Default::default());
        }
        let mut ftl = Ftl::new(&config).unwrap();
        let pages = ftl.layout().exported_pages;
        let mut shadow = vec![None; pages as usize];
        let mut now = 0;
        for (index, step) in steps.into_iter().enumerate() {
            match step {
                Step::Write(lpn, byte) => {
                    let lpn = lpn % pages;
                    // Some content comes back.
                    let data = page_of(if byte < 40 { u64::from(byte) } else { index as u64 + 100 }, 512);
                    match ftl.write_bytes(now, Lpn(lpn), 0, &data, Command::Write) {
                        Ok(end) => now = end,
                        Err(error) => {
                            prop_assert!(fails > 0.0 && ftl.retired_units() > 0, "{error}");
                            break;
                        }
                    }
                    shadow[lpn as usize] = Some(data);
                }
                Step::Trim(lpn) => {
                    ftl.trim(Lpn(lpn % pages)).unwrap();
                    shadow[(lpn % pages) as usize] = None;
                }
                Step::Idle => {
                    now = now.max(ftl.array().idle_at()) + 10_000;
                    ftl.idle(now).unwrap();
                }
                Step::ReadAll => check_all(&mut ftl, &shadow),
            }
        }
        check_all(&mut ftl, &shadow);
        ftl.audit().map_err(TestCaseError::fail)?;
    }
}

/// Modelled cells do the same as stored ones, to the nanosecond.
#[test]
fn media_agree() {
    for writes in [3, 4] {
        let run = |medium: MediumKind| {
            let scheme = SecondWriteConfig { seed: 5, ..SecondWriteConfig::default() };
            let mut config = stored(writes, scheme, 4096);
            config.flash.medium = medium;
            let mut ftl = Ftl::new(&config).unwrap();
            let mut now = 0;
            for index in 0..6_000u32 {
                let lpn = if index % 10 < 9 { index % 30 } else { index.wrapping_mul(40_503) % 200 };
                now = match medium {
                    MediumKind::Modelled => ftl.write(now, Lpn(lpn), HostWrite::WHOLE).unwrap(),
                    MediumKind::Stored => ftl
                        .write_bytes(now, Lpn(lpn), 0, &page_of(index.into(), 4096), Command::Write)
                        .unwrap(),
                };
            }
            ftl.audit().unwrap();
            (now, *ftl.counters())
        };
        let (modelled, stored) = (run(MediumKind::Modelled), run(MediumKind::Stored));
        assert_eq!(modelled, stored);
        assert!(stored.1.further_writes[..usize::from(writes) - 2].iter().all(|&count| count > 100));
    }
}

#[test]
fn what_cannot_be_is_refused_with_a_remedy() {
    let refused = |planes: u32, scheme: SecondWriteConfig| {
        Ftl::new(&drive(planes, 64, Some(scheme), 0.5)).unwrap_err().to_string()
    };
    assert!(
        refused(2, certain(3))
            .contains("3 writes need 4 planes that are programmed at once, and a die has 2")
    );
    assert!(refused(4, certain(4)).contains("4 writes need 8 planes"));
    assert!(refused(6, certain(3)).contains("flash.planes_per_die"));
    assert!(refused(8, certain(5)).contains("give 2, 3 or 4"));
    assert!(refused(8, certain(1)).contains("give 2, 3 or 4"));
    assert!(refused(4, SecondWriteConfig { parallel: false, ..certain(3) }).contains("reuse.parallel"));
    let likely = SecondWriteConfig { further_success_probability: Some(1.5), ..certain(3) };
    assert!(refused(4, likely).contains("further_success_probability"));
    let mut config = drive(4, 64, Some(certain(3)), 0.5);
    config.flash.spare_bytes = 300;
    assert!(Ftl::new(&config).unwrap_err().to_string().contains("363"));
    config.flash.spare_bytes = 0;
    config.ftl.recovery = rewear_ftl::recovery::RecoveryConfig::Log(Default::default());
    assert!(Ftl::new(&config).unwrap_err().to_string().contains("cannot be mounted"));
}
