//! What a mounted drive knows again, what a mount reads, and what it refuses.
#![allow(clippy::unwrap_used, missing_docs)]

use crate::common::timing;
use rewear_flash::config::MediumKind;
use rewear_flash::failures::FailuresConfig;
use rewear_flash::{Address, FlashConfig};
use rewear_ftl::config::FtlConfig;
use rewear_ftl::host::{Command, HostWrite};
use rewear_ftl::recovery::{LogConfig, RecoveryConfig};
use rewear_ftl::reuse::ReuseConfig;
use rewear_ftl::reuse::second_write::SecondWriteConfig;
use rewear_ftl::{DriveConfig, Ftl, FtlError, Lpn, Shape, SlotAddress};

fn drive(medium: MediumKind) -> DriveConfig {
    let flash = FlashConfig {
        channels: 2,
        blocks_per_plane: 24,
        pages_per_block: 16,
        page_bytes: 512,
        medium,
        ..FlashConfig::single_plane(timing(10, 100, 400))
    };
    DriveConfig {
        ftl: FtlConfig {
            over_provisioning: 0.6,
            recovery: RecoveryConfig::Log(LogConfig::default()),
            ..FtlConfig::default()
        },
        ..DriveConfig::plain("tiny", flash)
    }
}

/// Writes, trims and flushes that depend on nothing but their number.
fn work(ftl: &mut Ftl, steps: std::ops::Range<u32>) {
    let pages = ftl.layout().exported_pages;
    for step in steps {
        let lpn = (step.wrapping_mul(2_654_435_761) >> 12) % pages;
        match step % 16 {
            5 => ftl.trim(Lpn(lpn)).unwrap(),
            11 => {
                ftl.flush(0).unwrap();
            }
            _ if ftl.array().stores_cells() => {
                ftl.write_bytes(0, Lpn(lpn), 0, &[step as u8; 512], Command::Write).unwrap();
            }
            _ => {
                ftl.write(0, Lpn(lpn), HostWrite::WHOLE).unwrap();
            }
        }
    }
}

fn contents(ftl: &mut Ftl) -> Vec<Vec<u8>> {
    let pages = ftl.layout().exported_pages;
    let page = |lpn| {
        let mut page = vec![0; 512];
        ftl.read_bytes(lpn, &mut page).unwrap();
        page
    };
    Lpn::all(pages).map(page).collect()
}

#[test]
fn the_log_costs_the_same_on_modelled_and_on_stored_cells() {
    let run = |medium, journal_pages| {
        let mut config = drive(medium);
        config.ftl.recovery = RecoveryConfig::Log(LogConfig { journal_pages });
        let mut ftl = Ftl::new(&config).unwrap();
        work(&mut ftl, 0..4000);
        (*ftl.counters(), ftl.erases_per_block().collect::<Vec<_>>(), ftl.array().idle_at())
    };
    for journal_pages in [0, 1] {
        let modelled = run(MediumKind::Modelled, journal_pages);
        assert_eq!(modelled, run(MediumKind::Stored, journal_pages));
        assert!(modelled.0.programmed.metadata > 0 && modelled.0.log_erases > 0);
        assert!(modelled.0.erases > modelled.0.log_erases);
    }
}

#[test]
fn records_cost_no_program_and_move_nothing() {
    // Without trims nothing waits for the journal.
    let run = |recovery| {
        let mut config = drive(MediumKind::Stored);
        config.ftl.recovery = recovery;
        let mut ftl = Ftl::new(&config).unwrap();
        let pages = ftl.layout().exported_pages;
        for step in 0..3 * pages {
            ftl.write_bytes(0, Lpn(step * 7 % pages), 0, &[step as u8; 512], Command::Write).unwrap();
            ftl.flush(0).unwrap();
        }
        *ftl.counters()
    };
    let counters = run(RecoveryConfig::Log(LogConfig::default()));
    assert_eq!((counters.programmed.metadata, counters.log_erases), (0, 0));
    assert!(counters.erases > 0 && run(RecoveryConfig::default()).programmed.metadata == 0);
}

#[test]
fn wear_and_content_come_back_and_a_closed_drive_is_read_in_part() {
    let config = drive(MediumKind::Stored);
    let mut ftl = Ftl::new(&config).unwrap();
    work(&mut ftl, 0..6000);
    ftl.close(0).unwrap();
    let (before, erases) = (contents(&mut ftl), ftl.array().wear().erases().to_vec());
    let (mut ftl, report) = Ftl::mount(&config, ftl.into_cells().unwrap()).unwrap();
    assert_eq!(contents(&mut ftl), before);
    // The mount itself erased the other half of the log.
    let after = ftl.array().wear().erases();
    let differs = erases.iter().zip(after).filter(|(before, after)| before != after).count();
    assert!(differs <= 1, "{erases:?} {after:?}");
    let pages = u64::from(ftl.array().geometry().blocks()) * 16;
    assert!(report.records_read < pages / 2, "{report:?}");
    assert_eq!((report.journal_changes, report.torn_pages), (0, 0));
    // Without the checkpoint that ends its work, what was programmed since the last one is read,
    // too. Without trims no journal begins another.
    for step in 0..200 {
        let lpn = Lpn(step * 7 % ftl.layout().exported_pages);
        ftl.write_bytes(0, lpn, 0, &[step as u8; 512], Command::Write).unwrap();
    }
    let (_, unclean) = Ftl::mount(&config, ftl.into_cells().unwrap()).unwrap();
    assert!(unclean.records_read > report.records_read && unclean.sequence > unclean.checkpoint_sequence);
}

#[test]
fn a_mount_of_a_closed_drive_writes_nothing_and_reads_one_half_of_the_log() {
    let config = drive(MediumKind::Stored);
    let checkpoint_pages = Shape::new(&config).unwrap().log.unwrap().checkpoint_pages;
    let mut ftl = Ftl::new(&config).unwrap();
    // Several epochs, so both halves hold one.
    work(&mut ftl, 0..6000);
    for round in 0..3 {
        ftl.close(0).unwrap();
        let (before, sequence) = (contents(&mut ftl), ftl.sequence());
        for _ in 0..3 {
            let (mounted, report) = Ftl::mount(&config, ftl.into_cells().unwrap()).unwrap();
            ftl = mounted;
            assert_eq!(report.log_pages_read, u64::from(checkpoint_pages));
            assert_eq!((ftl.sequence(), report.checkpoint_sequence), (sequence, report.sequence));
            assert_eq!(contents(&mut ftl), before);
        }
        // Whatever is noted begins the next epoch, with a checkpoint.
        let steps = 6000 + round * 1000;
        work(&mut ftl, steps..steps + 1000);
        ftl.flush(0).unwrap();
        let before = contents(&mut ftl);
        let (mounted, report) = Ftl::mount(&config, ftl.into_cells().unwrap()).unwrap();
        ftl = mounted;
        assert!(report.sequence > report.checkpoint_sequence && contents(&mut ftl) == before);
        ftl.audit().unwrap();
    }
}

#[test]
fn units_that_failed_stay_out_of_service() {
    let mut config = drive(MediumKind::Stored);
    config.flash.failures = FailuresConfig {
        program_failure_probability: 0.001,
        erase_failure_probability: 0.004,
        ..FailuresConfig::default()
    };
    config.ftl.over_provisioning = 1.5;
    let mut ftl = Ftl::new(&config).unwrap();
    let mut step = 0;
    while ftl.retired_units() < 3 {
        work(&mut ftl, step..step + 16);
        step += 16;
    }
    ftl.flush(0).unwrap();
    let (before, retired) = (contents(&mut ftl), ftl.retired_units());
    let (mut ftl, _) = Ftl::mount(&config, ftl.into_cells().unwrap()).unwrap();
    assert_eq!(contents(&mut ftl), before);
    assert!(ftl.retired_units() >= retired, "{} of {retired}", ftl.retired_units());
    ftl.audit().unwrap();
}

#[test]
fn a_damaged_page_is_an_error_wherever_it_is_moved() {
    let config = drive(MediumKind::Stored);
    let mut ftl = Ftl::new(&config).unwrap();
    let pages = ftl.layout().exported_pages;
    for lpn in 0..pages {
        ftl.write_bytes(0, Lpn(lpn), 0, &[lpn as u8 & 0x7f; 512], Command::Write).unwrap();
    }
    ftl.flush(0).unwrap();
    // One more cell of page 3 is charged.
    let SlotAddress { unit, slot } = ftl.find(Lpn(3)).unwrap();
    let at: Address = ftl.layout().address(unit, slot.0);
    let cells = ftl.cells_mut().unwrap();
    let (mut image, spare) = (vec![0; 512], cells.spare(at).to_vec());
    cells.read(at, &mut image).unwrap();
    image[100] |= 0x80;
    cells.raise(at, &image, &spare).unwrap();
    let mut page = vec![0; 512];
    assert_eq!(ftl.read_bytes(Lpn(3), &mut page), Err(FtlError::Uncorrectable { lpn: Lpn(3) }));
    // Cleaning moves it as it is, a mount finds it as it is.
    for lpn in (0..20 * pages).map(|step| step * 7 % pages).filter(|&lpn| lpn != 3) {
        ftl.write_bytes(0, Lpn(lpn), 0, &[1; 512], Command::Write).unwrap();
    }
    assert_ne!(ftl.find(Lpn(3)), Some(SlotAddress { unit, slot }));
    assert_eq!(ftl.read_bytes(Lpn(3), &mut page), Err(FtlError::Uncorrectable { lpn: Lpn(3) }));
    let (mut ftl, _) = Ftl::mount(&config, ftl.into_cells().unwrap()).unwrap();
    assert_eq!(ftl.read_bytes(Lpn(3), &mut page), Err(FtlError::Uncorrectable { lpn: Lpn(3) }));
    assert!(
        ftl.write_bytes(0, Lpn(3), 0, &[9; 100], Command::Write).is_err(),
        "the rest of the page is unknown"
    );
    // Written anew it is whole.
    ftl.write_bytes(0, Lpn(3), 0, &[9; 512], Command::Write).unwrap();
    ftl.read_bytes(Lpn(3), &mut page).unwrap();
    assert_eq!(page, [9; 512]);
}

#[test]
fn blank_cells_are_an_empty_drive() {
    let config = drive(MediumKind::Stored);
    let cells = Ftl::new(&config).unwrap().into_cells().unwrap();
    let (mut ftl, report) = Ftl::mount(&config, cells).unwrap();
    assert!(contents(&mut ftl).iter().flatten().all(|&byte| byte == 0));
    assert_eq!((report.sequence, report.journal_changes), (0, 0));
    work(&mut ftl, 0..2000);
    ftl.audit().unwrap();
}

#[test]
fn what_cannot_be_mounted_is_refused_with_a_remedy() {
    let config = drive(MediumKind::Stored);
    let cells = || Ftl::new(&config).unwrap().into_cells().unwrap();
    let refusal = |change: &dyn Fn(&mut DriveConfig)| {
        let mut other = config.clone();
        change(&mut other);
        Ftl::mount(&other, cells()).unwrap_err().to_string()
    };
    let without = refusal(&|drive| drive.ftl.recovery = RecoveryConfig::default());
    assert!(without.contains("ftl.recovery.scheme"), "{without}");
    let modelled = refusal(&|drive| drive.flash.medium = MediumKind::Modelled);
    assert!(modelled.contains("stored"), "{modelled}");
    let larger = refusal(&|drive| drive.flash.blocks_per_plane = 30);
    assert!(larger.contains("the configuration that they were written under"), "{larger}");
    let small_spare = refusal(&|drive| drive.flash.spare_bytes = 32);
    assert!(small_spare.contains("flash.spare_bytes") && small_spare.contains("44"), "{small_spare}");
    let pairs = refusal(&|drive| {
        drive.flash.spare_bytes = 100;
        drive.flash.planes_per_die = 2;
        drive.ftl.over_provisioning = 2.0;
        drive.reuse = ReuseConfig::SecondWrite(SecondWriteConfig::default());
    });
    assert!(pairs.contains("flash.spare_bytes"), "{pairs}");
    let no_room = refusal(&|drive| {
        drive.ftl.recovery = RecoveryConfig::Log(LogConfig { journal_pages: 500 });
    });
    assert!(no_room.contains("ftl.recovery"), "{no_room}");
}
