//! The example of a translation layer in 300 lines does what the crate does.
#![allow(clippy::unwrap_used, missing_docs)]

#[path = "../examples/ftl_in_300_lines.rs"]
#[allow(unreachable_pub)]
mod ftl_in_300_lines;

use ftl_in_300_lines::{Counts, Shape, Technique, request};
use rewear_flash::FlashConfig;
use rewear_flash::timing::TimingConfig;
use rewear_ftl::config::FtlConfig;
use rewear_ftl::host::HostWrite;
use rewear_ftl::{DriveConfig, Ftl, Lpn};

const SHAPE: Shape = Shape { blocks: 64, pages_per_block: 32, exported: 1_700 };
const WRITES: u32 = 40_000;

/// The example's drive under the example's workload, every page read back after each write.
fn example(technique: Technique, skewed: bool) -> Counts {
    let mut ftl = ftl_in_300_lines::Ftl::new(SHAPE, technique).unwrap();
    let mut newest = vec![None; SHAPE.exported as usize];
    let mut state = 1;
    for _ in 0..WRITES {
        let (page, content) = request(&mut state, SHAPE.exported, skewed);
        ftl.write(page, content);
        newest[page as usize] = Some(content);
        let other = (content % u64::from(SHAPE.exported)) as u32;
        assert_eq!(ftl.read(page), Some(content));
        assert_eq!(ftl.read(other), newest[other as usize]);
    }
    ftl.counts
}

fn programs_and_erases_of_the_crate(skewed: bool) -> (u64, u64) {
    let flash = FlashConfig {
        blocks_per_plane: SHAPE.blocks,
        pages_per_block: SHAPE.pages_per_block,
        ..FlashConfig::single_plane(TimingConfig {
            read_ns: vec![1],
            program_ns: vec![1],
            erase_ns: 1,
            channel_mb_per_s: 0,
        })
    };
    let slots = f64::from(SHAPE.blocks * SHAPE.pages_per_block);
    let over_provisioning = slots / f64::from(SHAPE.exported) - 1.0;
    let ftl = FtlConfig { over_provisioning, ..FtlConfig::default() };
    let mut ftl = Ftl::new(&DriveConfig { ftl, ..DriveConfig::plain("plain", flash) }).unwrap();
    assert_eq!(ftl.layout().exported_pages, SHAPE.exported);
    let (mut now_ns, mut state) = (0, 1);
    for _ in 0..WRITES {
        let (page, _) = request(&mut state, SHAPE.exported, skewed);
        now_ns = ftl.write(now_ns, Lpn(page), HostWrite::WHOLE).unwrap();
    }
    (ftl.counters().programmed.total(), ftl.counters().erases)
}

#[test]
fn its_plain_drive_programs_and_erases_what_that_of_the_crate_does() {
    for skewed in [false, true] {
        let counts = example(Technique::Plain, skewed);
        let of_the_crate = programs_and_erases_of_the_crate(skewed);
        assert_eq!((counts.programs, counts.erases), of_the_crate, "skewed: {skewed}");
    }
}

/// Each technique leaves every page as it was written, and saves what it is for.
#[test]
fn its_techniques_save_what_they_are_for() {
    let plain = example(Technique::Plain, true);
    let revive = example(Technique::Revive, true);
    assert!(revive.revived > 0 && revive.erases < plain.erases, "{revive:?}, {plain:?}");
    let quick = example(Technique::Quick { recent: 2_000 }, true);
    assert_eq!(Counts { quick_programs: 0, ..quick }, plain);
    assert!(quick.busy_s(1) < plain.busy_s(1));
}

/// A technique that does nothing is the plain drive.
#[test]
fn its_techniques_that_do_nothing_are_the_plain_drive() {
    let plain = example(Technique::Plain, false);
    assert_eq!(example(Technique::Rewrite { fills: 1, pages: 1 }, false), plain);
    assert_eq!(example(Technique::Quick { recent: 0 }, false), plain);
}
