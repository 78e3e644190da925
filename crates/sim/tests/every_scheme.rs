//! Every scheme and policy that is registered, with its default parameters: no page is lost or
//! counted twice, equal runs are equal, both media agree, and what it says of its programs is so.
#![allow(clippy::unwrap_used, missing_docs)]

use crate::common::schemes::{drive_with, schemes};
use crate::common::{run, run_with_content};
use crate::conservation::check_conservation;
use rewear_ftl::Shape;
use rewear_sim::options::PreconditionKind;
use rewear_sim::{Drive, ReplayOptions, Report};

const WORKLOAD: &str = "hot-cold:requests=30000,read=0.3";

fn replay(drive: &Drive) -> Report {
    let options = ReplayOptions { precondition: PreconditionKind::Fill, ..ReplayOptions::default() };
    if drive.configuration().recycle.wants_content() {
        run_with_content(drive, WORKLOAD, &options)
    } else {
        run(drive, WORKLOAD, &options)
    }
}

/// What both media must have in common.
fn figures(report: &Report) -> String {
    serde_json::to_string(&(&report.cleaning, &report.moves, &report.latency_ns)).unwrap()
}

#[test]
fn every_scheme_that_is_registered_keeps_its_books_and_its_bytes() {
    let schemes = schemes();
    assert!(schemes.len() > 20, "{schemes:?}");
    for (table, scheme) in &schemes {
        let name = format!("{table}.scheme = \"{scheme}\"");
        let drive = drive_with((table, scheme), &[])
            .unwrap_or_else(|error| panic!("{name} runs on no chip of tests/common/schemes.rs: {error}"));
        let modelled = replay(&drive);
        assert!(modelled.complete, "{name}: {:?}", modelled.stopped_because);
        check_conservation(&modelled);
        assert!(modelled.cleaning.garbage_collections > 0, "{name}");
        check_programs(&name, &drive, &modelled);
        let json = |report| serde_json::to_string(report).unwrap();
        assert_eq!(json(&replay(&drive)), json(&modelled), "{name}: two runs differ");
        match drive_with((table, scheme), &[("flash.medium", "\"stored\"")]) {
            // The replay compares every byte that it reads.
            Ok(stored) => assert_eq!(figures(&replay(&stored)), figures(&modelled), "{name}: media differ"),
            Err(error) => {
                assert!(
                    error.key.ends_with("flash.medium"),
                    "{name} is for modelled cells alone, and says so by flash.medium: {error}"
                );
            }
        }
    }
}

/// A scheme that writes units again without an erase says how often: limits of wear and erase
/// equivalents rest on it.
fn check_programs(name: &str, drive: &Drive, report: &Report) {
    let said = Shape::new(drive.configuration()).unwrap().programs_per_erase;
    let reopens = report.cleaning.reopens as f64;
    let erases = report.cleaning.garbage_collections as f64 - reopens;
    assert!(
        (said > 1.0) == (reopens > 0.0),
        "{name} says {said} programs a page and erase; {erases} units were erased, {reopens} written again"
    );
}
