//! GC_OPT of WOM-v with a reserve that is counted in slots: units that wait are worth as much as
//! erased ones.
#![allow(clippy::unwrap_used, missing_docs)]

use crate::common::timing;
use rewear_flash::FlashConfig;
use rewear_ftl::config::CleaningStep;
use rewear_ftl::host::HostWrite;
use rewear_ftl::recovery::{LogConfig, RecoveryConfig};
use rewear_ftl::reuse::ReuseConfig;
use rewear_ftl::reuse::wom_v::{InvalidCellCheck, Reopening, ReserveOf, WomVConfig};
use rewear_ftl::{DriveConfig, Ftl, Lpn};

fn drive(reserve: ReserveOf) -> DriveConfig {
    let flash = FlashConfig {
        blocks_per_plane: 24,
        pages_per_block: 48,
        page_bytes: 512,
        bits_per_cell: 4,
        ..FlashConfig::single_plane(timing(10, 100, 400))
    };
    let code = WomVConfig { reopen: Reopening::InPlace, reserve, ..WomVConfig::baseline(1) };
    let mut drive = DriveConfig { reuse: ReuseConfig::WomV(code), ..DriveConfig::plain("reserve", flash) };
    drive.ftl.over_provisioning = 0.2;
    drive
}

/// Cycles of blocks after so many random writes to all of the drive.
fn cycles(config: &DriveConfig) -> f64 {
    let mut ftl = Ftl::new(config).unwrap();
    let pages = ftl.layout().exported_pages;
    let (mut now, mut at) = (0, 1u32);
    for write in 0..150 * pages {
        at = at.wrapping_mul(747_796_405).wrapping_add(2_891_336_453);
        let lpn = if write < pages { write } else { (at >> 8) % pages };
        now = ftl.write(now, Lpn(lpn), HostWrite::WHOLE).unwrap();
    }
    ftl.audit().unwrap();
    ftl.erase_equivalents()
}

#[test]
fn waiting_units_save_cycles_on_a_full_drive() {
    let (erased, slots) =
        (cycles(&drive(ReserveOf::ErasedUnits)), cycles(&drive(ReserveOf::ProgrammableSlots)));
    assert!(slots < 0.99 * erased, "{slots} cycles, with an erased unit in reserve {erased}");
}

#[test]
fn what_a_reserve_of_slots_cannot_rely_on_is_refused() {
    let slots = |change: fn(&mut WomVConfig)| {
        let mut config = drive(ReserveOf::ProgrammableSlots);
        let ReuseConfig::WomV(code) = &mut config.reuse else { unreachable!() };
        change(code);
        config
    };
    let step = DriveConfig { ..drive(ReserveOf::ProgrammableSlots) };
    let mut one_unit = step.clone();
    one_unit.ftl.cleaning_step = CleaningStep::OneUnit;
    let mut logged = step;
    logged.ftl.recovery = RecoveryConfig::Log(LogConfig::default());
    let refused = [
        slots(|code| code.reopen = Reopening::AfterMoving),
        slots(|code| code.reopen = Reopening::InPlaceAny),
        slots(|code| code.ecc_check = InvalidCellCheck::Pre),
        one_unit,
        logged,
    ];
    for config in refused {
        assert_eq!(Ftl::new(&config).unwrap_err().key, "reuse.reserve");
    }
}
