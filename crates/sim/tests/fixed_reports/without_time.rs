//! A replay that keeps no time counts what one with time does.

use rewear_sim::{ReplayOptions, Report};
use serde_json::Value;

use super::list::{self, Run};
use super::{LIST, differences, repository};

/// What is left out: figures that are times or follow from them, and what says how it was replayed.
const TIMES: [&str; 9] = [
    "busy_ns",
    "energy_j",
    "erase_suspensions",
    "latency_ns",
    "mean_response_ns",
    "notes",
    "replay",
    "simulated_ns",
    "utilisation",
];
const TIMES_OF_A_LIFE: [&str; 2] = ["host_bytes_per_day", "years"];

/// Requests of a run in the light test: enough for many cleanings of a list's small drives.
const LIGHT_REQUESTS: u64 = 10_000;

/// The counts of a report as JSON.
fn counts(report: &Report) -> Value {
    let mut json = serde_json::to_value(report).unwrap();
    let fields = json.as_object_mut().unwrap();
    for time in TIMES {
        fields.remove(time).unwrap();
    }
    if let Some(life) = fields.get_mut("life").and_then(Value::as_object_mut) {
        TIMES_OF_A_LIFE.iter().for_each(|time| _ = life.remove(*time));
    }
    if let Some(warmed_up) = fields.get_mut("warmed_up").and_then(Value::as_object_mut) {
        warmed_up.remove("at_ns");
    }
    // A page that is on its way to the flash is read from the buffer; without time no page is on
    // its way. And nothing is prefetched where a plane is never idle: the page is read when its
    // write comes.
    let buffered = report.drive.configuration.ftl.write_buffer != Default::default();
    if let Some(second_writes) = fields.get_mut("second_writes").and_then(Value::as_object_mut) {
        second_writes.remove("pages_prefetched").unwrap();
        if buffered {
            second_writes.remove("read");
        }
    }
    if buffered || report.second_writes.is_some() {
        for reads in ["pages_read", "reads_from_buffer"] {
            fields.remove(reads);
        }
    }
    json
}

/// Options that say something of times are left out of both runs.
fn without_times(options: &mut ReplayOptions) {
    (options.arrival, options.time_scale, options.queues, options.interval_ns) = (None, None, false, None);
}

/// Compares a run with and without time; returns whether its drive can be run without.
fn compare(run: &Run, most_requests: u64) -> bool {
    let limited = |options: &mut ReplayOptions| {
        without_times(options);
        options.max_requests = Some(options.max_requests.unwrap_or(u64::MAX).min(most_requests));
    };
    let untimed = run.report_with(&repository(), |options| {
        limited(options);
        options.no_time = true;
    });
    let untimed = match untimed {
        Ok(report) => report,
        Err(error) if error.contains("idle time") => return false,
        Err(error) => panic!("{}: {error}", run.name),
    };
    assert!(
        untimed.simulated_ns.is_none() && untimed.busy_ns.is_none() && untimed.mean_response_ns.is_none()
    );
    assert!(untimed.notes.iter().any(|note| note.starts_with("No time was kept")), "{:?}", untimed.notes);
    let timed = run.report_with(&repository(), limited).unwrap();
    let (timed, untimed) = (counts(&timed).to_string(), counts(&untimed).to_string());
    if timed != untimed {
        let lines = differences::between(&timed, &untimed);
        panic!("{} counts otherwise without time:\n{}", run.name, lines.join("\n"));
    }
    true
}

#[test]
fn every_preset_counts_alike_without_time() {
    let runs = list::runs(LIST);
    let presets: Vec<_> = runs.iter().filter(|run| run.name.starts_with("presets, ")).collect();
    assert!(presets.len() >= 36);
    for run in presets {
        // Their caches fold in idle time.
        let folds_in_idle_time =
            ["client-qlc", "client-tlc", "intel-660p"].iter().any(|name| run.name.contains(name));
        assert_ne!(compare(run, LIGHT_REQUESTS), folds_in_idle_time, "{} works in idle time", run.name);
    }
}

#[test]
#[ignore = "takes minutes: the whole list of make reports twice"]
fn the_list_counts_alike_without_time() {
    let runs = list::runs(LIST);
    let compared = runs.iter().filter(|run| compare(run, u64::MAX)).count();
    println!("{compared} of {} runs count alike without time, the others work in idle time", runs.len());
    assert!(compared > runs.len() / 2);
}

#[test]
fn what_needs_times_is_refused_without() {
    let runs = list::runs(LIST);
    let preset = runs.iter().find(|run| run.name.starts_with("presets, hynix-mlc")).unwrap();
    let refused = |change: fn(&mut ReplayOptions)| {
        let report = preset.report_with(&repository(), |options| {
            options.no_time = true;
            change(options);
        });
        report.unwrap_err()
    };
    assert!(refused(|options| options.queues = true).contains("queues"));
    assert!(refused(|options| options.interval_ns = Some(1)).contains("interval"));
    assert!(refused(|options| options.time_scale = Some(2.0)).contains("time scale"));
    assert!(
        refused(|options| options.arrival = Some(rewear_sim::options::ArrivalKind::Closed))
            .contains("arrival")
    );
}
