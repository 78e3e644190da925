//! A technique that is switched to do nothing is a plain drive: it is credited with no spare space,
//! no clean block and no step of cleaning that the plain drive is denied. Second writes have a test
//! of their own, since theirs do something before they fail.
#![allow(clippy::unwrap_used, missing_docs)]

use rewear_sim::options::PreconditionKind;
use rewear_sim::{ReplayOptions, Report};

use crate::common::{drive, run};

type Settings = &'static [(&'static str, &'static str)];

/// Cells of two bits, on which all these techniques run.
const FLASH: Settings = &[
    ("flash.channels", "1"),
    ("flash.pages_per_block", "16"),
    ("flash.bits_per_cell", "2"),
    ("flash.timing.read_ns", "[50000, 60000]"),
    ("flash.timing.program_ns", "[500000, 900000]"),
    ("flash.page_order", "paired"),
    ("ftl.over_provisioning", "0.14"),
];

/// Part of the blocks that is kept clean.
const THRESHOLD: f64 = 0.02;

const TECHNIQUES: [(&str, Settings, Settings); 3] = [
    // The workload has no overwrites.
    ("seal", &[("reuse.scheme", "seal")], &[]),
    // Its writes have no contents that could be found again.
    ("lx", &[("recycle.scheme", "lx")], &[]),
    // Every page is written in the normal mode.
    ("differentiated-ecc", &[("effort.scheme", "differentiated-ecc")], &[("effort.m", "1e9")]),
];

/// Replays with so many more blocks kept clean than the threshold asks for.
fn replay(blocks: u32, kept_more: u32, settings: &[Settings], more: &[(&str, &str)]) -> Report {
    let kept = (THRESHOLD * f64::from(blocks)).floor() + f64::from(kept_more) + 0.5;
    let (blocks_per_plane, threshold) = (blocks.to_string(), (kept / f64::from(blocks)).to_string());
    let mut all: Vec<_> = FLASH.iter().chain(settings.iter().copied().flatten()).copied().collect();
    all.push(("flash.blocks_per_plane", &blocks_per_plane));
    all.push(("ftl.gc_threshold", &threshold));
    all.extend(more);
    let options =
        ReplayOptions { precondition: PreconditionKind::Fill, no_time: true, ..ReplayOptions::default() };
    // Three times the capacity.
    run(&drive(&all), &format!("zipf:theta=1,requests={}", 100 * blocks), &options)
}

/// The bound is that of second writes that never succeed: 2% of the plain drive's erases.
#[test]
fn a_technique_that_does_nothing_erases_as_often_as_the_plain_drive() {
    let mut wrong = Vec::new();
    for blocks in [128, 256, 512] {
        for step in ["until-room", "one-unit", "restore-eager", "restore-lazy"] {
            for striping in ["static-die", "dynamic"] {
                let both = [("ftl.striping", striping), ("ftl.cleaning_step", step)];
                let plain_drives = [0, 1].map(|kept| replay(blocks, kept, &[], &both).cleaning.erases);
                assert!(plain_drives[0] > u64::from(blocks), "the drive cleans");
                for (name, scheme, settings) in TECHNIQUES {
                    // A block can be sealed only where cleaning ends with the first room.
                    if name == "seal" && step != "until-room" {
                        continue;
                    }
                    // A unit that may refuse its next write is reopened beside a block in reserve.
                    let plain = plain_drives[usize::from(name == "wom-v")];
                    let erases = replay(blocks, 0, &[scheme, settings], &both).cleaning.erases;
                    if (erases as f64 / plain as f64 - 1.0).abs() > 0.02 {
                        wrong.push(format!(
                            "{name}, {blocks} blocks a plane, {step}, {striping}: {erases} erases, plain {plain}"
                        ));
                    }
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
