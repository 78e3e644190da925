//! Second writes on the chips of Table 4 (FAST '15), each one chip of two planes whose planes are
//! cleaned one after the other (`service_unit = die`) or side by side (`chip`).
#![allow(clippy::unwrap_used, missing_docs)]

use std::path::Path;

use rewear_sim::options::PreconditionKind;
use rewear_sim::{Drive, ReplayOptions, Report, replay};
use rewear_trace::Defaults;

/// As DiskSim cleans, with old content that is read ahead at no cost, under a load at which
/// requests queue.
const SETTINGS: [(&str, &str); 4] = [
    ("ftl.over_provisioning", "0.07"),
    ("ftl.cleaning_step", "one-unit"),
    ("flash.channels", "1"),
    ("flash.timing.read_ns", "[1]"),
];
const WORKLOAD: &str = "zipf:theta=2,requests=300000,arrival=poisson,rate=550";

fn run(drive: &str, own: &[(&str, &str)]) -> Report {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../presets/{drive}.toml"));
    let settings: Vec<_> =
        SETTINGS.iter().chain(own).map(|(key, value)| (key.to_string(), value.to_string())).collect();
    let drive = Drive::from_toml(&std::fs::read_to_string(path).unwrap(), drive, &settings).unwrap();
    let exported = drive.derived().unwrap().into_iter().find(|item| item.key == "exported_pages").unwrap();
    let pages = exported.value.as_u64().unwrap();
    let mut workload = rewear_trace::workload(WORKLOAD, &Defaults { pages, ..Defaults::default() }).unwrap();
    let options = ReplayOptions { precondition: PreconditionKind::Fill, ..ReplayOptions::default() };
    replay(&drive, &mut workload, &options, &mut |_| true).unwrap()
}

/// By how much second writes shorten the mean response.
fn gain(drive: &str, unit: &str) -> f64 {
    let unit = ("flash.service_unit", unit);
    let second = [
        unit,
        ("reuse.scheme", "second-write"),
        ("reuse.success_probability", "0.95"),
        ("reuse.guard", "none"),
    ];
    let [plain, second] = [run(drive, &[unit]), run(drive, &second)];
    assert!(second.cleaning.erases * 10 < plain.cleaning.erases * 7, "a third fewer erases");
    1.0 - second.mean_response_ns.unwrap() / plain.mean_response_ns.unwrap()
}

#[test]
fn planes_cleaned_side_by_side_give_second_writes_the_papers_order_of_chips() {
    let gains = ["toshiba-slc", "samsung-mlc", "hynix-mlc"].map(|drive| {
        let [die, chip] = [gain(drive, "die"), gain(drive, "chip")];
        println!("{drive}: one after the other {:.1}%, side by side {:.1}%", die * 100.0, chip * 100.0);
        assert!(chip > die - 0.005, "{drive}");
        chip
    });
    assert!(gains[2] > gains[0], "section 6.2: at 7% the slowest program gains most");
}

#[test]
fn counts_do_not_depend_on_who_waits_for_whom() {
    let [die, chip] = ["die", "chip"].map(|unit| run("toshiba-slc", &[("flash.service_unit", unit)]));
    assert_eq!(die.cleaning.erases, chip.cleaning.erases);
    assert_eq!(die.moves.pages_moved, chip.moves.pages_moved);
}
