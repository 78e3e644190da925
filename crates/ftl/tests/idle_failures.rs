//! Cleaning in idle time on a drive whose programs fail: it may give up, but it is no error.
#![allow(clippy::unwrap_used, missing_docs)]

use rewear_flash::FlashConfig;
use rewear_flash::failures::FailuresConfig;
use rewear_flash::timing::TimingConfig;
use rewear_ftl::config::CleaningStep;
use rewear_ftl::host::HostWrite;
use rewear_ftl::policies::background::{BackgroundConfig, IdleConfig};
use rewear_ftl::{DriveConfig, Ftl, FtlError, Lpn};

const STEPS: [CleaningStep; 4] =
    [CleaningStep::UntilRoom, CleaningStep::RestoreLazy, CleaningStep::RestoreEager, CleaningStep::OneUnit];

fn drive(cleaning_step: CleaningStep, seed: u64) -> Ftl {
    let flash = FlashConfig {
        blocks_per_plane: 16,
        pages_per_block: 13,
        failures: FailuresConfig { program_failure_probability: 0.02, ..FailuresConfig::default() },
        seed,
        ..FlashConfig::single_plane(TimingConfig {
            read_ns: vec![10],
            program_ns: vec![100],
            erase_ns: 1000,
            channel_mb_per_s: 400,
        })
    };
    let mut config = DriveConfig::plain("failing", flash);
    config.ftl.over_provisioning = 1.2;
    config.ftl.cleaning_step = cleaning_step;
    config.ftl.background =
        BackgroundConfig::Idle(IdleConfig { after_ns: 0, free_fraction: 0.5, max_valid_fraction: 1.0 });
    Ftl::new(&config).unwrap()
}

#[test]
fn idle_time_without_room_ends_in_peace_and_loses_nothing() {
    let mut failed = 0;
    for cleaning_step in STEPS {
        for seed in 0..200 {
            let mut ftl = drive(cleaning_step, seed);
            let pages = ftl.layout().exported_pages;
            let (mut now, mut at) = (0, seed as u32);
            for _ in 0..1500 {
                at = at.wrapping_mul(747_796_405).wrapping_add(2_891_336_453);
                now = match ftl.write(now, Lpn((at >> 8) % pages), HostWrite::WHOLE) {
                    Ok(end) => end,
                    Err(FtlError::OutOfSpace { .. }) => break,
                    Err(error) => panic!("{error}"),
                };
                if at >> 24 < 64 {
                    now = now.max(ftl.array().idle_at()) + 50_000;
                    ftl.idle(now).unwrap();
                }
            }
            ftl.audit().unwrap();
            failed += ftl.counters().program_failures;
        }
    }
    assert!(failed > 400, "{failed} programs failed");
}
