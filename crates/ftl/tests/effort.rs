//! The effort schemes against the definitions of the paper.
#![allow(clippy::unwrap_used, missing_docs)]

use rewear_flash::FlashConfig;
use rewear_flash::timing::TimingConfig;
use rewear_ftl::config::FtlConfig;
use rewear_ftl::effort::EffortConfig;
use rewear_ftl::effort::agcr::AgcrConfig;
use rewear_ftl::effort::agcr::config::HistoryKind;
use rewear_ftl::effort::counts::{Figures, ModeCounts};
use rewear_ftl::effort::differentiated_ecc::DifferentiatedEccConfig;
use rewear_ftl::effort::differentiated_ecc::config::{RewriteTime, SeparatorConfig, Unclassified};
use rewear_ftl::host::HostWrite;
use rewear_ftl::{DriveConfig, Ftl, Lpn};

/// One plane with the latencies of Table I, so that every operation says by its time in which mode
/// it was.
fn drive(effort: EffortConfig) -> Ftl {
    let flash = FlashConfig {
        bits_per_cell: 2,
        ..FlashConfig::single_plane(TimingConfig {
            read_ns: vec![45_000],
            program_ns: vec![1_300_000],
            erase_ns: 3_800_000,
            channel_mb_per_s: 0,
        })
    };
    let ftl = FtlConfig { over_provisioning: 0.5, ..FtlConfig::default() };
    Ftl::new(&DriveConfig { ftl, effort, ..DriveConfig::plain("tiny", flash) }).unwrap()
}

fn differentiated(config: DifferentiatedEccConfig) -> Ftl {
    drive(EffortConfig::DifferentiatedEcc(config))
}

/// Time that a write takes on the idle drive.
fn write(ftl: &mut Ftl, lpn: u32) -> u64 {
    let now = ftl.array().idle_at();
    ftl.write(now, Lpn(lpn), HostWrite::WHOLE).unwrap() - now
}

fn read(ftl: &mut Ftl, lpn: u32) -> u64 {
    let now = ftl.array().idle_at();
    ftl.read(now, Lpn(lpn)).unwrap() - now
}

fn mode(figures: &Figures, name: &str) -> ModeCounts {
    figures.modes.iter().find(|(mode, _)| *mode == name).unwrap().1
}

#[test]
fn a_written_page_is_quick_to_write_and_slow_to_read_until_it_is_rewritten() {
    let mut ftl = differentiated(DifferentiatedEccConfig { n: 2.0, ..Default::default() });
    // Write-only: low cost.
    assert_eq!(write(&mut ftl, 7), 650_000);
    let mut reads = 0;
    // Accesses take the pairs in turn (weights by default 0.5, 1, 1.5, 2): the write has 0.5, three
    // reads 1 + 1.5 + 2.
    while ftl.counters().pages_rewritten == 0 {
        assert_eq!(read(&mut ftl, 7), 145_000);
        reads += 1;
    }
    // 1 + 1.5 - 0.5 = 2 does not exceed n = 2; the third read adds 2.
    assert_eq!(reads, 3);
    assert_eq!(read(&mut ftl, 7), 45_000);
    let figures = ftl.effort_figures().unwrap();
    assert_eq!(
        mode(&figures, "low-cost"),
        ModeCounts { host_writes: 1, host_reads: 3, rewritten_from: 1, ..Default::default() }
    );
    assert_eq!(mode(&figures, "normal"), ModeCounts { host_reads: 1, rewrites: 1, ..Default::default() });
    assert_eq!(figures.history_bytes, 2048);
    assert_eq!(ftl.counters().programmed.rewritten, 1);
    ftl.audit().unwrap();
}

#[test]
fn an_overlapped_page_is_written_as_m_says() {
    // Two reads and a write in the pairs of weight 0.5, 1 and 1.5: write hotness - read hotness =
    // 0.
    for (m, write_ns) in [(-1.0, 650_000), (-0.5, 650_000), (0.0, 1_300_000), (4.0, 1_300_000)] {
        let mut ftl = differentiated(DifferentiatedEccConfig { m, ..Default::default() });
        read(&mut ftl, 3);
        read(&mut ftl, 3);
        assert_eq!(write(&mut ftl, 3), write_ns, "m = {m}");
    }
}

#[test]
fn what_prepares_the_drive_is_normal_and_leaves_no_history() {
    let mut ftl = differentiated(DifferentiatedEccConfig::default());
    ftl.set_listening(false);
    assert_eq!(write(&mut ftl, 1), 1_300_000);
    ftl.set_listening(true);
    assert_eq!(read(&mut ftl, 1), 45_000);
    let mut ftl = drive(EffortConfig::Agcr(AgcrConfig::default()));
    ftl.set_listening(false);
    assert_eq!(write(&mut ftl, 1), 1_300_000);
    ftl.set_listening(true);
    assert_eq!(read(&mut ftl, 1), 110_000);
}

/// Overwrites all other pages at random until cleaning has certainly moved page 0; its accesses are
/// forgotten meanwhile.
fn move_page_0(ftl: &mut Ftl) {
    let others = ftl.layout().exported_pages - 1;
    let mut random = 1u32;
    for _ in 0..20_000 {
        random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        write(ftl, 1 + (random >> 8) % others);
    }
    assert!(ftl.counters().pages_moved > 0);
}

#[test]
fn a_moved_page_of_which_nothing_is_known_is_written_as_configured() {
    for (unclassified, read_ns) in
        [(Unclassified::Normal, 45_000), (Unclassified::LowCost, 145_000), (Unclassified::Keep, 145_000)]
    {
        let mut ftl = differentiated(DifferentiatedEccConfig {
            unclassified,
            // False hits would let the rules decide.
            separator: SeparatorConfig { bits: 1 << 16, ..Default::default() },
            ..Default::default()
        });
        assert_eq!(write(&mut ftl, 0), 650_000);
        move_page_0(&mut ftl);
        assert_eq!(read(&mut ftl, 0), read_ns, "{unclassified:?}");
    }
}

#[test]
fn a_package_serves_one_operation_at_a_time() {
    for (effort, program_ns) in [
        (EffortConfig::default(), 1_300_000),
        (EffortConfig::DifferentiatedEcc(DifferentiatedEccConfig::default()), 650_000),
    ] {
        let mut ftl = drive(effort);
        ftl.watch_queues();
        for lpn in 0..4 {
            ftl.look_at_queues(10);
            assert_eq!(
                ftl.write(10, Lpn(lpn), HostWrite::WHOLE).unwrap(),
                10 + u64::from(lpn + 1) * program_ns
            );
        }
        // A read that arrives during the second program waits for the fourth.
        let read_ns = if program_ns == 650_000 { 145_000 } else { 45_000 };
        ftl.look_at_queues(10 + program_ns);
        assert_eq!(ftl.read(10 + program_ns, Lpn(0)).unwrap(), 10 + 4 * program_ns + read_ns);
        let queues = ftl.array().queue_lengths().unwrap();
        // 0, 1, 2, 3 operations before the writes, 3 before the read.
        assert_eq!((queues.seen(), queues.longest()), (5, 3));
        assert!((queues.mean() - 9.0 / 5.0).abs() < 1e-12);
    }
}

#[test]
fn idle_rewrites_wait_for_time_and_a_place() {
    let config = DifferentiatedEccConfig { n: 0.0, rewrite: RewriteTime::Idle, ..Default::default() };
    let mut ftl = differentiated(config);
    write(&mut ftl, 5);
    read(&mut ftl, 5);
    assert!(ftl.uses_idle_time());
    // Reading and writing once more takes 145 + 1300 us at most.
    let now = ftl.array().idle_at();
    ftl.idle(now + 1_444_999).unwrap();
    assert_eq!((ftl.counters().pages_rewritten, ftl.array().idle_at()), (0, now));
    ftl.idle(now + 1_445_000).unwrap();
    assert_eq!((ftl.counters().pages_rewritten, ftl.counters().read.rewritten), (1, 1));
    assert_eq!(ftl.array().idle_at(), now + 1_445_000);
    assert_eq!(read(&mut ftl, 5), 45_000);
}

#[test]
fn agcr_follows_exact_histories() {
    // Read before: interleaved from then on, or until the latest two accesses are writes.
    for (history, second_write_ns) in [(HistoryKind::SinceStart, 1_300_000), (HistoryKind::Latest, 650_000)] {
        let mut ftl = drive(EffortConfig::Agcr(AgcrConfig { history, ..Default::default() }));
        assert_eq!(write(&mut ftl, 2), 650_000);
        assert_eq!(read(&mut ftl, 2), 145_000);
        assert_eq!(write(&mut ftl, 2), 1_300_000);
        assert_eq!(read(&mut ftl, 2), 110_000);
        write(&mut ftl, 2);
        assert_eq!(write(&mut ftl, 2), second_write_ns);
    }
}

#[test]
fn agcr_writes_read_only_pages_at_high_cost_when_they_move() {
    let mut ftl = drive(EffortConfig::Agcr(AgcrConfig::default()));
    ftl.set_listening(false);
    write(&mut ftl, 0);
    ftl.set_listening(true);
    assert_eq!(read(&mut ftl, 0), 110_000);
    move_page_0(&mut ftl);
    assert_eq!(read(&mut ftl, 0), 75_000);
    assert_eq!(mode(&ftl.effort_figures().unwrap(), "high-cost").host_reads, 1);
}

#[test]
fn impossible_parameters_are_refused_by_name() {
    let refused = |effort: EffortConfig, key: &str| {
        let flash = FlashConfig {
            bits_per_cell: 2,
            ..FlashConfig::single_plane(TimingConfig {
                read_ns: vec![1],
                program_ns: vec![1],
                erase_ns: 1,
                channel_mb_per_s: 0,
            })
        };
        let ftl = FtlConfig { over_provisioning: 0.5, ..FtlConfig::default() };
        let config = DriveConfig { ftl, effort, ..DriveConfig::plain("tiny", flash) };
        let error = Ftl::new(&config).unwrap_err().to_string();
        assert!(error.contains(key), "{error}");
    };
    let with = |change: fn(&mut DifferentiatedEccConfig)| {
        let mut config = DifferentiatedEccConfig::default();
        change(&mut config);
        EffortConfig::DifferentiatedEcc(config)
    };
    refused(with(|config| config.m = f64::NAN), "effort.m");
    refused(with(|config| config.low_cost_read_ns = vec![1; 3]), "effort.low_cost_read_ns");
    refused(
        EffortConfig::Agcr(AgcrConfig { low_cost_program_ns: vec![], ..Default::default() }),
        "low_cost_program_ns",
    );
}
