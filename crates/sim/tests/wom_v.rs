//! WOM-v codes as a drive uses them: writes between erases, the orders that the paper reports, what
//! is read when.
#![allow(clippy::unwrap_used, missing_docs)]

use crate::common::{drive, run};
use rewear_sim::options::PreconditionKind;
use rewear_sim::{ReplayOptions, Report};

type Settings = Vec<(&'static str, &'static str)>;

fn wom_v(settings: &[(&'static str, &'static str)]) -> Settings {
    let unit = [("reuse.scheme", "wom-v"), ("ftl.erase_unit", "drive")];
    unit.into_iter().chain(settings.iter().copied()).collect()
}

fn replay(settings: &Settings, workload: &str) -> Report {
    let report = run(&drive(settings), workload, &ReplayOptions::default());
    assert!(report.complete, "{settings:?}: {:?}", report.stopped_because);
    report
}

/// Under sequential rewriting nothing is moved, so a unit gets exactly the writes of its pages.
#[test]
fn a_unit_is_erased_after_as_many_passes_as_its_pages_take_writes() {
    // The means of `rewear codes wom-v` for random data, which hardly vary from page to page.
    for (k, settings, passes) in [
        ("2", vec![("reuse.ecc_check", "pre")], 6.0),
        ("2", vec![], 7.0),
        ("2", vec![("reuse.ecc_check", "unit")], 8.0),
        // 23 and 19 for nearly every page; of a unit some page takes one fewer, which ends the
        // others, too.
        ("1", vec![], 22.0),
        ("1", vec![("reuse.no_read", "true")], 15.0),
        ("2", vec![("reuse.ecc_threshold", "0.0")], 6.0),
        ("2", vec![("reuse.flip_rate", "0.1")], 18.0),
    ] {
        let settings: Vec<_> = settings.into_iter().chain([("reuse.data_bits", k)]).collect();
        for reopen in ["after-moving", "in-place"] {
            let with_mode: Vec<_> = settings.iter().copied().chain([("reuse.reopen", reopen)]).collect();
            // Ten cycles: 64 units of 256 pages, four planes.
            let slots = 64 * 64 * 4 / (4 / k.parse::<u64>().unwrap());
            let requests = (slots as f64 * passes * 10.0) as u64;
            let report = replay(&wom_v(&with_mode), &format!("sequential:requests={requests}"));
            let found = report.host.host_pages_written as f64 * (4.0 / k.parse::<f64>().unwrap())
                / (report.cleaning.erase_equivalents * 64.0);
            assert!((found / passes - 1.0).abs() < 0.02, "{with_mode:?}: {found} of {passes}");
            assert_eq!(report.moves.pages_moved, 0);
        }
    }
}

#[test]
fn a_slot_is_read_before_every_write_but_the_first_after_an_erase_and_never_in_no_read_mode() {
    for reopen in ["after-moving", "in-place", "in-place-intact", "in-place-any"] {
        let settings = wom_v(&[("reuse.data_bits", "2"), ("reuse.reopen", reopen)]);
        let report = replay(&settings, "uniform:requests=60000");
        assert_eq!(report.pages_read.before_write, report.cleaning.reprograms);
        let settings =
            wom_v(&[("reuse.data_bits", "2"), ("reuse.reopen", reopen), ("reuse.no_read", "true")]);
        assert_eq!(replay(&settings, "uniform:requests=60000").pages_read.before_write, 0);
    }
}

#[test]
fn a_code_that_saves_no_erases_says_so() {
    let said = |reopen: &'static str, spare: &'static str| {
        let settings =
            wom_v(&[("reuse.data_bits", "2"), ("reuse.reopen", reopen), ("ftl.over_provisioning", spare)]);
        let report = replay(&settings, "uniform:requests=60000");
        report.notes.iter().any(|note| note.starts_with("The code saves no erases"))
    };
    // Random writes over all pages: 1.19 bytes erased for a byte written with little spare space, 0.67
    // with a quarter.
    assert!(said("after-moving", "0.11") && !said("after-moving", "0.25"));
    assert!(!said("in-place-any", "0.11"));
}

/// `wom-v`, section 4.1.2: much garbage makes the code of the lowest rate worse than none, and
/// `GC_OPT` mends it.
#[test]
fn under_much_garbage_collection_the_orders_are_those_of_the_paper() {
    let erases = |settings: &[(&'static str, &'static str)]| {
        // The same data on the same cells: fullness of the plain drive is a quarter of that of k =
        // 1.
        let mut all = vec![
            ("ftl.over_provisioning", "0.11"),
            ("ftl.erase_unit", "drive"),
            ("flash.blocks_per_plane", "160"),
            ("ftl.gc_threshold", "0.09"),
        ];
        all.extend(settings);
        let pages = 9200 * 4 / 4;
        replay(&all, &format!("high-gc:pages={pages},requests=120000")).cleaning.erase_equivalents
    };
    let plain = erases(&[]);
    let one = ("reuse.data_bits", "1");
    let base = erases(&[("reuse.scheme", "wom-v"), one]);
    let no_read = erases(&[("reuse.scheme", "wom-v"), one, ("reuse.no_read", "true")]);
    let in_place = erases(&[("reuse.scheme", "wom-v"), one, ("reuse.reopen", "in-place")]);
    let both =
        erases(&[("reuse.scheme", "wom-v"), one, ("reuse.reopen", "in-place"), ("reuse.no_read", "true")]);
    assert!(base > plain, "{base} {plain}");
    assert!(in_place < 0.5 * plain && in_place < 0.2 * base, "{in_place} {plain} {base}");
    assert!(base < no_read && in_place < both && both < plain, "{base} {no_read} {in_place} {both}");
}

/// MLC, TLC, QLC and PLC, and where writes of a page vary.
#[test]
fn stored_and_modelled_cells_agree_within_sampling_error() {
    for settings in [
        // 5.5 and 6.5 writes a page: the draw matters.
        vec![("reuse.data_bits", "3"), ("flash.bits_per_cell", "5"), ("reuse.ecc_check", "pre")],
        vec![("reuse.data_bits", "3"), ("flash.bits_per_cell", "5"), ("reuse.reopen", "in-place-any")],
        vec![("reuse.data_bits", "1"), ("flash.bits_per_cell", "3"), ("reuse.ecc_threshold", "0.0")],
        vec![("reuse.data_bits", "2"), ("reuse.ecc_check", "unit"), ("reuse.reopen", "in-place")],
        vec![("reuse.data_bits", "1"), ("flash.bits_per_cell", "2")],
    ] {
        let base = [
            ("flash.blocks_per_plane", "24"),
            ("flash.timing.read_ns", "[50000]"),
            ("flash.timing.program_ns", "[900000]"),
        ];
        let mut all = wom_v(&settings);
        all.extend(base);
        let both = [("flash.medium", "modelled"), ("flash.medium", "stored")].map(|medium| {
            let with_medium: Settings = all.iter().copied().chain([medium]).collect();
            let options = ReplayOptions { precondition: PreconditionKind::Fill, ..ReplayOptions::default() };
            let report = run(&drive(&with_medium), "hot-cold:requests=12000", &options);
            assert!(report.complete);
            report
        });
        let [modelled, stored] = &both;
        let near = |a: f64, b: f64, share: f64| (a - b).abs() <= share * a.max(b) + 3.0;
        assert!(
            near(modelled.cleaning.erase_equivalents, stored.cleaning.erase_equivalents, 0.03),
            "{settings:?}: {} {}",
            modelled.cleaning.erase_equivalents,
            stored.cleaning.erase_equivalents
        );
        assert!(
            near(modelled.moves.pages_moved as f64, stored.moves.pages_moved as f64, 0.05),
            "{settings:?}: {} {}",
            modelled.moves.pages_moved,
            stored.moves.pages_moved
        );
    }
}

#[test]
fn summaries_and_parts_of_units_exclude_each_other() {
    for mode in [("reuse.reopen", "in-place"), ("reuse.ecc_check", "pre")] {
        let settings: Vec<_> = wom_v(&[("reuse.data_bits", "2"), mode, ("ftl.summary_pages", "true")]);
        let settings: Vec<_> =
            settings.iter().map(|(key, value)| ((*key).to_string(), (*value).to_string())).collect();
        let refused = rewear_sim::Drive::from_toml(crate::common::SMALL, "small", &settings).unwrap_err();
        assert!(refused.key.ends_with("ftl.summary_pages"), "{refused}");
    }
}
