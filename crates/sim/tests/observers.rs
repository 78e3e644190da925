//! Time series, request log and warm-up agree with the report.
#![allow(clippy::unwrap_used, missing_docs)]

use crate::common::{drive, run};
use rewear_sim::options::{FitKind, PreconditionKind, Settled, WarmUp};
use rewear_sim::replay::replay_logged;
use rewear_sim::{ReplayOptions, RequestLog};
use rewear_trace::Defaults;

const WORKLOAD: &str = "zipf:theta=0.8,read=0.3,requests=60000,arrival=poisson,rate=900";

fn options() -> ReplayOptions {
    ReplayOptions { precondition: PreconditionKind::Fill, ..ReplayOptions::default() }
}

#[test]
fn the_intervals_add_up_to_the_report() {
    let report = run(&drive(&[]), WORKLOAD, &ReplayOptions { interval_ns: Some(500_000_000), ..options() });
    let series = report.series.as_ref().unwrap();
    assert!(series.len() > 100);
    assert!(series.windows(2).all(|pair| pair[0].start_ns < pair[1].start_ns));
    assert!(series.iter().all(|interval| interval.start_ns % 500_000_000 == 0));
    let sum = |field: fn(&rewear_sim::series::Interval) -> u64| series.iter().map(field).sum::<u64>();
    assert_eq!(sum(|interval| interval.reads), report.host.requests.read);
    assert_eq!(sum(|interval| interval.writes), report.host.requests.write);
    assert_eq!(sum(|interval| interval.host_pages_written), report.host.host_pages_written);
    assert_eq!(sum(|interval| interval.pages_programmed), report.pages_programmed.total);
    assert_eq!(sum(|interval| interval.erases), report.cleaning.erases);
    let slowest = series.iter().map(|interval| interval.write_max_ns).max();
    assert_eq!(slowest, Some(report.latency_ns.write.unwrap().max));
}

#[test]
fn the_log_holds_every_request() {
    let drive = drive(&[]);
    let mut source =
        rewear_trace::workload(WORKLOAD, &Defaults { pages: 10_000, ..Defaults::default() }).unwrap();
    let (mut rows, mut write_ns) = (0, 0u64);
    let mut store = |columns: &rewear_sim::Columns| {
        rows += columns.at_ns.len() as u64;
        let writes =
            columns.operation.iter().zip(&columns.response_ns).filter(|(operation, _)| **operation == 1);
        write_ns += writes.map(|(_, response)| response).sum::<u64>();
        Ok(())
    };
    let log = RequestLog::new(&mut store);
    let report = replay_logged(&drive, &mut source, &options(), &mut |_| true, Some(log)).unwrap();
    assert_eq!(rows, 60_000);
    let write = report.latency_ns.write.unwrap();
    assert!((write.mean - write_ns as f64 / write.count as f64).abs() < 1e-6);
}

#[test]
fn a_request_that_is_wrapped_around_the_drive_is_one_request() {
    let drive = drive(&[("flash.blocks_per_plane", "16")]);
    let options = ReplayOptions { fit: Some(FitKind::Modulo), queue_depth: 4, ..ReplayOptions::default() };
    let (mut lengths, mut source) = (Vec::new(), far());
    let mut store = |columns: &rewear_sim::Columns| {
        lengths.extend(columns.length_bytes.iter().copied());
        Ok(())
    };
    let report =
        replay_logged(&drive, &mut source, &options, &mut |_| true, Some(RequestLog::new(&mut store)))
            .unwrap();
    assert_eq!(report.host.requests.write, 3000);
    assert_eq!(report.latency_ns.write.as_ref().unwrap().count, 3000);
    assert_eq!(report.host.host_bytes_written, 3000 * 12 * 1024);
    assert!(lengths.len() == 3000 && lengths.iter().all(|&length| length == 12 * 1024));
    assert!(report.notes.iter().any(|note| note.contains("wrapped around")), "{:?}", report.notes);
    let options = ReplayOptions { max_requests: Some(2001), ..options };
    let cut = replay_logged(&drive, &mut far(), &options, &mut |_| true, None).unwrap();
    assert_eq!(cut.host.requests.write, 2001);
    assert_eq!(cut.host.host_bytes_written, 2001 * 12 * 1024);
}

/// Three pages each, over several times the drive, whose end is no multiple of them.
fn far() -> rewear_trace::AnySource {
    let defaults = Defaults { pages: 9000, ..Defaults::default() };
    rewear_trace::workload("sequential:requests=3000,size=12KiB", &defaults).unwrap()
}

#[test]
fn a_log_that_cannot_be_written_ends_the_replay() {
    let mut source =
        rewear_trace::workload("uniform:requests=10", &Defaults { pages: 100, ..Defaults::default() })
            .unwrap();
    let mut store = |_: &rewear_sim::Columns| Err("no space left".to_string());
    let log = RequestLog::new(&mut store);
    let error = replay_logged(&drive(&[]), &mut source, &options(), &mut |_| true, Some(log)).unwrap_err();
    assert!(error.to_string().contains("no space left"));
}

#[test]
fn a_warm_up_leaves_its_requests_out_of_all_figures() {
    let whole = run(&drive(&[]), WORKLOAD, &options());
    let rest = run(&drive(&[]), WORKLOAD, &ReplayOptions { warm_up: WarmUp::Requests(20_000), ..options() });
    assert_eq!(rest.host.requests.read + rest.host.requests.write, 40_000);
    assert_eq!(rest.latency_ns.write.as_ref().unwrap().count, rest.host.requests.write);
    assert!(rest.cleaning.erases < whole.cleaning.erases && rest.cleaning.erases > 0);
    assert!(rest.simulated_ns < whole.simulated_ns);
    assert_eq!(rest.pages_programmed.host, rest.host.host_pages_written);
    assert_eq!(rest.warmed_up.unwrap().requests, 20_000);
    assert!(
        rest.utilisation.as_ref().unwrap().planes > 0.0 && rest.utilisation.as_ref().unwrap().planes <= 1.0
    );
}

#[test]
fn steadiness_is_found_where_it_is_and_missed_where_it_is_not() {
    let until_steady = ReplayOptions { warm_up: WarmUp::Until(Settled::Steady), ..options() };
    let long = run(&drive(&[]), "uniform:requests=200000", &until_steady);
    assert!(long.warmed_up.is_some() && long.notes.is_empty());
    let settled = run(
        &drive(&[]),
        "uniform:requests=200000",
        &ReplayOptions { precondition: PreconditionKind::Steady, ..options() },
    );
    let ratio =
        long.amplification.write_amplification.unwrap() / settled.amplification.write_amplification.unwrap();
    assert!((ratio - 1.0).abs() < 0.05, "{ratio}");
    let short = run(&drive(&[]), "uniform:requests=5000", &until_steady);
    assert!(short.warmed_up.is_none());
    assert!(short.notes.iter().any(|note| note.contains("warm-up never ended")));
}
