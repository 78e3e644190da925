//! A drawn steady state beside one that was reached.
#![allow(clippy::unwrap_used, missing_docs)]

use crate::common::{drive, run, source};
use rewear_sim::options::PreconditionKind;
use rewear_sim::{ReplayOptions, Report, replay};

fn report(settings: &[(&str, &str)], precondition: PreconditionKind, workload: &str) -> Report {
    let base = [("flash.channels", "2"), ("flash.blocks_per_plane", "1024")];
    let options = ReplayOptions { precondition, no_time: true, ..ReplayOptions::default() };
    run(&drive(&[&base, settings].concat()), workload, &options)
}

/// The write amplification of a workload that overwrites a part of the drive, from the first
/// request on, so that the state at the start counts.
#[test]
fn writes_cost_what_they_cost_in_a_state_that_was_reached() {
    for (settings, most) in [
        (&[("ftl.over_provisioning", "0.07")][..], 0.01),
        (&[("ftl.over_provisioning", "0.28")], 0.01),
        (&[("ftl.over_provisioning", "0.28"), ("ftl.victim.scheme", "cyclic")], 0.01),
    ] {
        for workload in ["uniform:requests=60000", "hot-cold:requests=60000"] {
            let [reached, drawn] = [PreconditionKind::Steady, PreconditionKind::Drawn]
                .map(|mode| report(settings, mode, workload).amplification.write_amplification.unwrap());
            let error = drawn / reached - 1.0;
            println!(
                "{settings:?} {workload}: {reached:.4} reached, {drawn:.4} drawn, {:+.2}%",
                error * 100.0
            );
            assert!(error.abs() < most, "{settings:?} {workload}: {reached} {drawn}");
        }
    }
}

#[test]
fn each_slot_is_written_once_and_nothing_is_cleaned() {
    let settings = [("ftl.over_provisioning", "0.28")];
    let prepared = report(&settings, PreconditionKind::Drawn, "uniform:requests=1").replay.preconditioned;
    let reached = report(&settings, PreconditionKind::Steady, "uniform:requests=1").replay.preconditioned;
    assert!(prepared.pages_written * 4 < reached.pages_written, "{prepared:?} {reached:?}");
    let [drawn, steady] = [prepared, reached].map(|state| state.write_amplification.unwrap());
    assert!((drawn / steady - 1.0).abs() < 0.01, "{drawn} {steady}");
}

#[test]
fn drives_with_more_of_a_state_are_refused() {
    for settings in [
        &[("reuse.scheme", "wom-v"), ("reuse.data_bits", "1")][..],
        &[("recycle.scheme", "lx")],
        &[("ftl.streams.scheme", "sep-bit")],
        &[("ftl.write_buffer.scheme", "fifo"), ("ftl.write_buffer.pages", "64")],
        &[
            ("ftl.slc_cache.scheme", "dynamic"),
            ("ftl.slc_cache.share", "0.5"),
            ("ftl.slc_cache.program_ns", "200000"),
        ],
        &[("ftl.recovery.scheme", "log")],
        &[("flash.failures.factory_bad_fraction", "0.01")],
    ] {
        let (table, _) = settings[0].0.rsplit_once('.').unwrap();
        let options = ReplayOptions { precondition: PreconditionKind::Drawn, ..ReplayOptions::default() };
        let drive = drive(settings);
        let mut requests = source(&drive, "uniform:requests=10");
        let error = replay(&drive, &mut requests, &options, &mut |_| true).unwrap_err();
        assert!(error.to_string().contains(table), "{table}: {error}");
    }
}
