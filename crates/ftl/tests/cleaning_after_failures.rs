//! A failed erase takes a unit out of a pool's reserve: a drive that has room for its pages goes
//! on.
#![allow(clippy::unwrap_used, missing_docs)]

use crate::common::timing;
use rewear_flash::FlashConfig;
use rewear_flash::failures::FailuresConfig;
use rewear_ftl::config::CleaningStep;
use rewear_ftl::host::HostWrite;
use rewear_ftl::policies::streams::StreamsConfig;
use rewear_ftl::reuse::ReuseConfig;
use rewear_ftl::reuse::wom_v::{InvalidCellCheck, Reopening, WomVConfig};
use rewear_ftl::{DriveConfig, Ftl, FtlError, Lpn, Shape};

const STEPS: [CleaningStep; 4] =
    [CleaningStep::UntilRoom, CleaningStep::RestoreLazy, CleaningStep::RestoreEager, CleaningStep::OneUnit];

/// Six streams, and units that are reopened for a slot or two.
fn drive(cleaning_step: CleaningStep, seed: u64) -> DriveConfig {
    let flash = FlashConfig {
        blocks_per_plane: 24,
        pages_per_block: 52,
        bits_per_cell: 4,
        failures: FailuresConfig { erase_failure_probability: 0.03, ..FailuresConfig::default() },
        seed,
        ..FlashConfig::single_plane(timing(10, 100, 400))
    };
    let mut config = DriveConfig::plain("failing", flash);
    config.reuse = ReuseConfig::WomV(WomVConfig {
        reopen: Reopening::InPlaceAny,
        ecc_check: InvalidCellCheck::Pre,
        ..WomVConfig::baseline(3)
    });
    config.ftl.over_provisioning = 1.2;
    config.ftl.streams = StreamsConfig::SepBit {};
    config.ftl.cleaning_step = cleaning_step;
    config
}

/// Writes until a second erase fails. Returns how many have.
fn write_past_a_failed_erase(config: &DriveConfig) -> u64 {
    let mut ftl = Ftl::new(config).unwrap();
    let pages = ftl.layout().exported_pages;
    let limit = Shape::new(config).unwrap().reserve.valid_limit;
    assert!(limit > pages + ftl.layout().slots_per_unit, "a unit can be spared");
    let mut at = config.flash.seed as u32;
    for write in 0..3000 {
        at = at.wrapping_mul(747_796_405).wrapping_add(2_891_336_453);
        // Three of four writes go to an eighth of the drive.
        let below = if at % 1024 < 768 { pages / 8 } else { pages };
        let lpn = if write < pages { write } else { (at >> 10) % below };
        let written = ftl.write(0, Lpn(lpn), HostWrite::WHOLE);
        match written {
            _ if ftl.counters().erase_failures > 1 => break,
            Err(FtlError::OutOfSpace { .. }) => panic!("write {write} found no space: {config:?}"),
            written => drop(written.unwrap()),
        }
    }
    ftl.audit().unwrap();
    ftl.counters().erase_failures
}

#[test]
fn streams_that_opened_the_whole_reserve_wait_for_a_victim() {
    let drives = STEPS.into_iter().flat_map(|step| (0..100).map(move |seed| drive(step, seed)));
    let failed = drives.filter(|config| write_past_a_failed_erase(config) > 0).count();
    assert!(failed > 350, "{failed} of 400 drives had a failure");
}
