//! The journal of the page map: what `ftl.metadata_share` adds to programs, erases and the time of
//! the flash.
#![allow(clippy::unwrap_used, missing_docs)]

use crate::common::{drive, run};
use rewear_sim::options::PreconditionKind;
use rewear_sim::{ReplayOptions, Report};

fn report(settings: &[(&str, &str)], workload: &str) -> Report {
    let base = [("flash.blocks_per_plane", "512"), ("ftl.over_provisioning", "0.28")];
    let options = ReplayOptions { precondition: PreconditionKind::Fill, ..ReplayOptions::default() };
    run(&drive(&[&base, settings].concat()), workload, &options)
}

#[test]
fn programs_of_the_journal_are_the_given_share_of_all_others() {
    for unit in ["block", "drive"] {
        let given =
            report(&[("ftl.metadata_share", "0.04"), ("ftl.erase_unit", unit)], "uniform:requests=400000");
        let programmed = &given.pages_programmed;
        let share = programmed.metadata as f64 / (programmed.host + programmed.moved) as f64;
        assert!((share - 0.04).abs() < 0.0002, "{unit}: {share}");
    }
}

#[test]
fn in_order_the_journal_is_all_that_is_written_beside_the_data() {
    let given = report(&[("ftl.metadata_share", "0.04")], "sequential:requests=400000");
    let amplification = given.amplification.write_amplification.unwrap();
    assert!((amplification - 1.04).abs() < 0.001, "{amplification}");
}

#[test]
fn what_cleaning_moves_hardly_depends_on_it_and_every_program_costs_its_part_of_an_erase() {
    let plain = report(&[], "uniform:requests=600000");
    let given = report(&[("ftl.metadata_share", "0.10")], "uniform:requests=600000");
    let [moved, with_journal] = [&plain, &given].map(|report| report.pages_programmed.moved as f64);
    // The journal takes open units, and the flash that its units hold until they are cleaned.
    assert!(with_journal > moved && with_journal < 1.1 * moved, "{moved} {with_journal}");
    let [erased, erased_with] = [&plain, &given].map(|report| report.wear.flash_erased_bytes as f64);
    let programs = |report: &Report| {
        (report.pages_programmed.host + report.pages_programmed.moved + report.pages_programmed.metadata)
            as f64
    };
    let expected = programs(&given) / programs(&plain);
    assert!((erased_with / erased / expected - 1.0).abs() < 0.01, "{} {expected}", erased_with / erased);
}
