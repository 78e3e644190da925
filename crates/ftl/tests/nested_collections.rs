//! Collections within others (`ftl.moved_to = "drive-nested"`) beside wear levelling: what a
//! levelling puts into the open unit of a pool is not the room of the host write that asked for it.
#![allow(clippy::unwrap_used, missing_docs)]

use crate::common::timing;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use rewear_flash::FlashConfig;
use rewear_ftl::config::{CleaningStep, FtlConfig, MovedTo};
use rewear_ftl::host::HostWrite;
use rewear_ftl::policies::wear_levelling::WearLevellingConfig;
use rewear_ftl::{DriveConfig, Ftl, Lpn};

/// A drive of two small pools with the least spare flash that is accepted.
fn crowded(cleaning_step: CleaningStep) -> DriveConfig {
    let flash = FlashConfig {
        planes_per_die: 2,
        blocks_per_plane: 16,
        pages_per_block: 6,
        ..FlashConfig::single_plane(timing(10, 100, 0))
    };
    let ftl = FtlConfig {
        over_provisioning: 0.34,
        moved_to: MovedTo::DriveNested,
        wear_levelling: WearLevellingConfig::Static { spread: 2 },
        cleaning_step,
        ..FtlConfig::default()
    };
    DriveConfig { ftl, ..DriveConfig::plain("crowded", flash) }
}

#[test]
fn a_levelling_leaves_the_host_its_slot() {
    for cleaning_step in [
        CleaningStep::OneUnit,
        CleaningStep::UntilRoom,
        CleaningStep::RestoreEager,
        CleaningStep::RestoreLazy,
    ] {
        let mut levellings = 0;
        for seed in 0..200 {
            let mut ftl = Ftl::new(&crowded(cleaning_step)).unwrap();
            let pages = ftl.layout().exported_pages;
            (0..pages).for_each(|lpn| _ = ftl.write(0, Lpn(lpn), HostWrite::WHOLE).unwrap());
            let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
            for write in 0..1500 {
                let below = if random.next_u64() >> 63 == 1 { 4 } else { pages };
                let lpn = Lpn((random.next_u64() >> 32) as u32 % below);
                let written = ftl.write(0, lpn, HostWrite::WHOLE);
                assert!(written.is_ok(), "{cleaning_step:?}, seed {seed}, write {write}: {written:?}");
            }
            ftl.audit().unwrap();
            levellings += ftl.counters().levellings;
        }
        assert!(levellings > 0, "{cleaning_step:?}: nothing was levelled");
    }
}
