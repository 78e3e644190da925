//! Read priority, erase suspension and the write buffer do in a replay what their page says.
#![allow(clippy::unwrap_used, missing_docs)]

use crate::common::{drive, run};
use rewear_sim::options::{ArrivalKind, PreconditionKind};
use rewear_sim::{ReplayOptions, Report};

/// Bursts of writes that fill the queues, with reads between; the mean load is far below what the
/// drive can do.
const MIXED: &str = "uniform:requests=60000,read=0.5,arrival=poisson,rate=1500";

fn report(overrides: &[(&str, &str)], workload: &str) -> Report {
    let options = ReplayOptions { precondition: PreconditionKind::Fill, ..ReplayOptions::default() };
    run(&drive(overrides), workload, &options)
}

fn mean(report: &Report) -> (f64, f64) {
    (report.latency_ns.read.as_ref().unwrap().mean, report.latency_ns.write.as_ref().unwrap().mean)
}

#[test]
fn reads_gain_by_priority_and_again_by_suspension_and_nothing_else_changes() {
    let plain = report(&[], MIXED);
    let first = report(&[("flash.read_priority", "true")], MIXED);
    let suspending = report(&[("flash.read_priority", "true"), ("flash.erase_suspend_ns", "20000")], MIXED);
    let reads = [&plain, &first, &suspending].map(|report| mean(report).0 / 1e3);
    println!("mean read response in us: {reads:.0?}");
    assert!(reads[1] < 0.8 * reads[0] && reads[2] < reads[1]);
    assert!(suspending.cleaning.erase_suspensions > 0 && first.cleaning.erase_suspensions == 0);
    let tail = |report: &Report| report.latency_ns.read.as_ref().unwrap().p999;
    assert!(tail(&suspending) < tail(&plain));
    for changed in [&first, &suspending] {
        assert_eq!(
            (changed.cleaning.erases, changed.moves.pages_moved),
            (plain.cleaning.erases, plain.moves.pages_moved)
        );
        let suspended_ns = changed.cleaning.erase_suspensions * 20_000;
        let busy = |report: &Report| report.busy_ns.as_ref().unwrap().planes.iter().sum::<u64>();
        assert_eq!(busy(changed), busy(&plain) + suspended_ns);
        assert_eq!(
            changed.busy_ns.as_ref().unwrap().channels.iter().sum::<u64>(),
            plain.busy_ns.as_ref().unwrap().channels.iter().sum::<u64>()
        );
    }
}

#[test]
fn a_write_buffer_absorbs_a_hot_workload_and_answers_at_once() {
    let hot = "zipf:theta=0.99,read=0.3,requests=60000,arrival=poisson,rate=800";
    let plain = report(&[], hot);
    let buffered = ["fifo", "lru"].map(|scheme| {
        let report = report(&[("ftl.write_buffer.scheme", scheme), ("ftl.write_buffer.pages", "1000")], hot);
        assert!(report.events.writes_absorbed > report.host.host_pages_written / 20, "{scheme}");
        assert!(report.events.reads_from_buffer > report.host.host_pages_read / 20);
        assert!(report.cleaning.erases < plain.cleaning.erases);
        assert!(mean(&report).1 < mean(&plain).1 / 10.0);
        report
    });
    println!("absorbed: {:?}", buffered.each_ref().map(|report| report.events.writes_absorbed));
    assert!(buffered[1].events.writes_absorbed > buffered[0].events.writes_absorbed, "LRU keeps what is hot");
}

#[test]
fn a_buffer_adds_no_bandwidth() {
    let closed = "sequential:requests=60000";
    let plain = report(&[], closed);
    let buffered = report(&[("ftl.write_buffer.scheme", "fifo"), ("ftl.write_buffer.pages", "64")], closed);
    let ratio = buffered.simulated_ns.unwrap() as f64 / plain.simulated_ns.unwrap() as f64;
    println!("simulated time with a buffer over that without: {ratio:.3}");
    assert!((0.9..=1.05).contains(&ratio));
    assert_eq!(buffered.events.writes_absorbed, 0);
}

/// Backlogs of seconds, with reads of pages whose programs are still queued: the most that priority
/// has to sort.
#[test]
fn an_overloaded_drive_takes_no_longer() {
    let overload = "zipf:theta=0.9,requests=40000,read=0.5,arrival=poisson,rate=20000";
    let plain = report(&[], overload);
    let first = report(&[("flash.read_priority", "true"), ("flash.erase_suspend_ns", "20000")], overload);
    let ratio = first.simulated_ns.unwrap() as f64 / plain.simulated_ns.unwrap() as f64;
    println!("simulated time with priority over that without: {ratio:.3}");
    // Never more. It may be less, presumably because the returned ends of what was overtaken are
    // early; the size is not derived.
    assert!((0.8..=1.01).contains(&ratio));
    assert!(mean(&first).0 < mean(&plain).0);
}

#[test]
fn a_replay_that_runs_behind_says_so_and_a_slower_clock_ends_it() {
    let workload = "uniform:requests=20000,arrival=fixed,rate=20000";
    let at = |time_scale, arrival| ReplayOptions {
        precondition: PreconditionKind::Fill,
        time_scale,
        arrival,
        ..ReplayOptions::default()
    };
    let overload = |report: &Report| report.notes.iter().any(|note| note.starts_with("Overload"));
    let fast = run(&drive(&[]), workload, &at(None, None));
    assert!(overload(&fast), "{:?}", fast.notes);
    let slow = run(&drive(&[]), workload, &at(Some(200.0), None));
    assert!(!overload(&slow), "{:?}", slow.notes);
    assert_eq!(slow.cleaning.erases, fast.cleaning.erases);
    let write_mean = |report: &Report| report.latency_ns.write.as_ref().unwrap().mean;
    assert!(write_mean(&slow) < write_mean(&fast) / 100.0);
    for (time_scale, arrival) in [(0.0, None), (f64::NAN, None), (2.0, Some(ArrivalKind::Closed))] {
        let mut source = rewear_trace::workload(workload, &rewear_trace::Defaults::default()).unwrap();
        let refused =
            rewear_sim::replay(&drive(&[]), &mut source, &at(Some(time_scale), arrival), &mut |_| true);
        assert!(refused.unwrap_err().to_string().contains("time scale"));
    }
}

#[test]
fn a_drive_with_a_short_command_queue_keeps_requests_waiting_and_says_how_long() {
    let workload = "uniform:requests=20000,arrival=poisson,rate=900";
    let [any, two] = ["", "2"].map(|requests| {
        let settings = [("ftl.command_queue", requests)];
        let settings = if requests.is_empty() { &[] } else { &settings[..] };
        report(settings, workload)
    });
    assert!(any.latency_ns.read.is_none());
    let write_mean = |report: &Report| report.latency_ns.write.as_ref().unwrap().mean;
    assert!(write_mean(&two) < write_mean(&any), "fewer requests are in its queues");
    assert!(two.notes.iter().any(|note| note.contains("ftl.command_queue")), "{:?}", two.notes);
    assert_eq!(any.cleaning.erases, two.cleaning.erases);
}

#[test]
fn behind_a_page_barrier_the_pages_of_a_request_take_one_time_each() {
    let reads = |size: &str, page_barrier| {
        let options = ReplayOptions {
            precondition: PreconditionKind::Fill,
            arrival: Some(ArrivalKind::Closed),
            queue_depth: 1,
            page_barrier,
            ..ReplayOptions::default()
        };
        mean_read(&run(&drive(&[]), &format!("uniform:requests=2000,read=1,size={size}"), &options))
    };
    let [single, together, apart] =
        [reads("4KiB", false), reads("16KiB", false), reads("16KiB", true)].map(|ns| ns / 1e3);
    println!("mean of a page {single:.1} us, of four {together:.1}, with a barrier {apart:.1}");
    assert!(together < 2.0 * single, "the pages of a request go to several planes");
    assert!((apart / (4.0 * single) - 1.0).abs() < 0.01);
}

fn mean_read(report: &Report) -> f64 {
    report.latency_ns.read.as_ref().unwrap().mean
}
