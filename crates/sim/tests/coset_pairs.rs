//! Second writes by a coset code on whole cells: writes of a pair between erases, stored cells beside
//! modelled ones.
#![allow(clippy::unwrap_used, missing_docs)]

use crate::common::{SMALL, drive, run};
use rewear_sim::options::PreconditionKind;
use rewear_sim::{Drive, ReplayOptions, Report};

type Settings<'a> = Vec<(&'a str, &'a str)>;

/// Cells of so many bits, with pages that are all alike.
fn cells(bits: &str) -> Settings<'_> {
    vec![
        ("flash.bits_per_cell", bits),
        ("flash.timing.read_ns", "[50000]"),
        ("flash.timing.program_ns", "[900000]"),
    ]
}

/// Pairs that are written so often; all writes are hot, and nothing watches whether it pays.
fn pairs(writes: &str) -> Settings<'_> {
    vec![
        ("reuse.scheme", "second-write"),
        ("reuse.coset.writes", writes),
        ("reuse.coset.ecc_threshold", "0.03"),
        ("reuse.separation.scheme", "none"),
        ("reuse.guard", "none"),
        ("reuse.life_fraction", "1"),
    ]
}

fn replay(settings: &Settings<'_>, workload: &str) -> Report {
    let options = ReplayOptions { precondition: PreconditionKind::Fill, ..ReplayOptions::default() };
    let report = run(&drive(settings), workload, &options);
    assert!(report.complete, "{settings:?}: {:?}", report.stopped_because);
    report
}

/// Where writes come back in order nothing is moved, so a block holds a page for each of its own and
/// half a page for each further write of a pair. The drive has twice the flash that it exports, since a
/// page that lies on a pair takes two. The bound holds for any drive; 0.05 above it are the first
/// writes that are made where no pair was at hand.
#[test]
fn a_block_takes_half_a_page_more_for_each_write_of_its_pairs() {
    for (bits, writes) in [("2", 1), ("3", 1), ("3", 2), ("4", 1), ("4", 2), ("4", 3)] {
        let count = writes.to_string();
        let settings: Settings<'_> = [cells(bits), pairs(&count)].concat();
        let settings = [settings, vec![("ftl.over_provisioning", "1.2")]].concat();
        let report = replay(&settings, "sequential:requests=120000");
        let erased = report.cleaning.erase_equivalents * 64.0 / report.host.host_pages_written as f64;
        let bound = 1.0 / (1.0 + f64::from(writes) / 2.0);
        assert!(erased >= bound - 0.01 && erased <= bound + 0.05, "{bits} bits, {writes}: {erased}, {bound}");
        let second = report.second_writes.as_ref().unwrap();
        assert_eq!(report.cleaning.reprograms, 2 * second.written);
        assert!(report.pages_read.before_write >= 2 * second.written);
    }
}

/// Erases of a workload vary by some between two media, since refused writes are drawn on one and
/// found on the other: one in a hundred at most is refused.
#[test]
fn stored_and_modelled_cells_erase_and_move_alike() {
    for (bits, writes) in [("2", "1"), ("3", "2"), ("4", "2"), ("4", "3")] {
        let settings: Settings<'_> = [
            cells(bits),
            pairs(writes),
            vec![("flash.blocks_per_plane", "24"), ("ftl.over_provisioning", "0.6")],
        ]
        .concat();
        let [modelled, stored] = ["modelled", "stored"].map(|medium| {
            let settings = [settings.clone(), vec![("flash.medium", medium)]].concat();
            replay(&settings, "hot-cold:hot=0.2,hits=0.8,requests=12000")
        });
        let near = |a: f64, b: f64| (a - b).abs() <= 0.03 * a.max(b) + 3.0;
        let erases = [&modelled, &stored].map(|report| report.cleaning.erase_equivalents);
        assert!(near(erases[0], erases[1]), "{bits} bits, {writes}: {erases:?}");
        let written = [&modelled, &stored].map(|report| report.second_writes.clone().unwrap().written as f64);
        assert!(near(written[0], written[1]) && written[0] > 1000.0, "{bits} bits, {writes}: {written:?}");
        let moved = [&modelled, &stored].map(|report| report.moves.pages_moved as f64);
        assert!(near(moved[0], moved[1]), "{bits} bits, {writes}: {moved:?}");
    }
}

/// A share of life of none leaves no write over a page: the drive is the plain one.
#[test]
fn pairs_that_are_never_written_are_the_plain_drive() {
    let none = vec![("reuse.life_fraction", "0"), ("reuse.plane_choice", "striped")];
    let settings: Settings<'_> = [cells("4"), pairs("2"), none].concat();
    let (plain, pairs) =
        (replay(&cells("4"), "hot-cold:requests=60000"), replay(&settings, "hot-cold:requests=60000"));
    assert_eq!(pairs.cleaning.erases, plain.cleaning.erases);
    assert_eq!(pairs.moves.pages_moved, plain.moves.pages_moved);
    assert_eq!(pairs.mean_response_ns, plain.mean_response_ns);
    assert_eq!(pairs.cleaning.reprograms, 0);
}

#[test]
fn impossible_parameters_are_refused_with_a_remedy() {
    for (bits, writes, extra, key, words) in [
        ("1", "1", None, "flash.bits_per_cell", "2, 3 or 4"),
        ("2", "2", None, "reuse.coset.writes", "give 1 to 1"),
        ("4", "4", None, "reuse.coset.writes", "give 1 to 3"),
        ("4", "0", None, "reuse.coset.writes", "give 1 to 3"),
        ("4", "3", Some(("reuse.coset.ecc_threshold", "0.01")), "reuse.coset.ecc_threshold", "fewer"),
        ("4", "2", Some(("reuse.parallel", "false")), "reuse.parallel", "true"),
    ] {
        let text = |(key, value): &(&str, &str)| ((*key).to_owned(), (*value).to_owned());
        let all: Settings<'_> = [cells(bits), pairs(writes), extra.into_iter().collect()].concat();
        let overrides: Vec<_> = all.iter().map(text).collect();
        let error = Drive::from_toml(SMALL, "small", &overrides).unwrap_err();
        assert!(error.key.contains(key) && error.to_string().contains(words), "{error}");
    }
}
