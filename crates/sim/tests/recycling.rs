//! Drives that recycle by content, under traces with content: conservation, both media,
//! determinism.
#![allow(clippy::unwrap_used, missing_docs)]

use crate::common::{drive, run, run_with_content};
use rewear_sim::options::{PreconditionKind, WarmUp};
use rewear_sim::{Drive, ReplayOptions, Report, replay};
use rewear_trace::{Batch, Description, Fingerprint, Kind, Operation, Request, Source, TraceError};

const RECYCLE: (&str, &str) = ("recycle.scheme", "lx");

/// A new scheme of another axis is one more line.
const SCHEMES: &[&[(&str, &str)]] = &[
    &[],
    &[("recycle.entries", "500")],
    &[("recycle.entries", "300"), ("recycle.order", "lru"), ("recycle.entry", "fingerprint")],
    &[
        ("recycle.entries", "0"),
        ("recycle.popularity", "value-accesses"),
        ("ftl.victim.scheme", "recycle-aware"),
    ],
    &[("recycle.answers", "valid")],
    &[("recycle.answers", "all"), ("recycle.scope", "pool"), ("recycle.own_page", "false")],
    &[("recycle.answers", "all")],
    &[("recycle.hash_engines", "1"), ("recycle.comparison_ns", "5"), ("ftl.erase_unit", "die")],
    &[("reuse.scheme", "wom-v"), ("reuse.data_bits", "2")],
    &[("reuse.scheme", "coset"), ("reuse.rate", "0.857")],
    &[
        ("reuse.scheme", "wom-v"),
        ("reuse.data_bits", "1"),
        ("recycle.answers", "all"),
        ("recycle.entries", "900"),
    ],
    &[
        ("ftl.background.scheme", "each-request"),
        ("ftl.wear_levelling.scheme", "static"),
        ("ftl.wear_levelling.spread", "2"),
    ],
    &[("ftl.write_buffer.scheme", "lru"), ("ftl.write_buffer.pages", "200")],
];

fn recycling_drive(scheme: &[(&str, &str)], more: &[(&str, &str)]) -> Drive {
    let overrides: Vec<_> = [RECYCLE].iter().chain(scheme).chain(more).copied().collect();
    drive(&overrides)
}

fn options() -> ReplayOptions {
    ReplayOptions { precondition: PreconditionKind::Fill, ..ReplayOptions::default() }
}

fn check(report: &Report) {
    let recycling = report.recycling.as_ref().unwrap();
    let answered =
        report.events.writes_recycled + report.events.writes_deduplicated + report.events.writes_absorbed;
    let derived =
        |key| report.drive.derived.iter().find(|item| item.key == key).unwrap().value.as_u64().unwrap();
    let slot_pages = derived("flash_pages_per_logical_page");
    assert_eq!(report.pages_programmed.host, (report.host.host_pages_written - answered) * slot_pages);
    assert_eq!(recycling.counters.hits, report.events.writes_recycled);
    assert_eq!(recycling.counters.lookups, recycling.counters.hits + recycling.misses);
    assert!(recycling.counters.hits_in_place <= recycling.counters.hits);
    assert!(recycling.counters.most_entries * 24 <= derived("fingerprint_store_bytes"));
    assert!(
        recycling.comparisons_per_hit.is_none_or(|mean| mean <= recycling.counters.most_entries as f64 + 1.0)
    );
    assert!(report.complete && report.cleaning.garbage_collections > 0);
}

#[test]
fn contents_return_and_nothing_is_lost_on_either_medium() {
    for scheme in SCHEMES {
        let [modelled, again, stored] = ["modelled", "modelled", "stored"].map(|medium| {
            let drive = recycling_drive(scheme, &[("flash.medium", medium)]);
            run_with_content(&drive, "hot-cold:requests=12000,read=0.4", &options())
        });
        let json = |report| serde_json::to_string(report).unwrap();
        assert_eq!(json(&modelled), json(&again), "{scheme:?}");
        [&modelled, &stored].into_iter().for_each(check);
        let answered = modelled.events.writes_recycled + modelled.events.writes_deduplicated;
        assert!(answered * 20 > modelled.host.host_pages_written, "{scheme:?}: {answered}");
        assert_eq!(modelled.cleaning.erases, stored.cleaning.erases, "{scheme:?}");
        let counts = |report: &Report| serde_json::to_value(report.recycling.as_ref().unwrap()).unwrap();
        assert_eq!(modelled.latency_ns.write, stored.latency_ns.write, "{scheme:?}");
        assert_eq!(counts(&modelled), counts(&stored), "{scheme:?}");
    }
}

#[test]
fn without_content_nothing_is_recycled_and_the_report_says_so() {
    let workload = "uniform:requests=20000";
    let report = run(&recycling_drive(&[], &[]), workload, &options());
    assert_eq!(report.events.writes_recycled, 0);
    assert!(report.notes.iter().any(|note| note.contains("content of 20000 of 20000 pages")));
    let plain = run(&drive(&[]), workload, &options());
    assert_eq!(report.cleaning.erases, plain.cleaning.erases);
    assert!(plain.recycling.is_none());
    // Every write waits for its fingerprint.
    let mean = |report: &Report| report.latency_ns.write.as_ref().unwrap().mean;
    assert!(mean(&report) > mean(&plain));
}

/// What is counted of contents begins behind the warm-up, as everything else does.
#[test]
fn a_warm_up_is_left_out_of_all_counts() {
    let drive = recycling_drive(&[], &[]);
    let options = ReplayOptions {
        precondition: PreconditionKind::Fill,
        warm_up: WarmUp::Requests(1000),
        ..ReplayOptions::default()
    };
    let report = run_with_content(&drive, "zipf:theta=1,requests=3000", &options);
    let recycling = report.recycling.unwrap();
    assert_eq!((recycling.pages_written, recycling.counters.lookups), (2000, 2000));
}

/// A recording of 4,000 writes to 1,000 pages; `content_of` tells what the write of a number holds.
struct Recorded {
    content_of: fn(u64) -> Option<Fingerprint>,
    told: bool,
}

impl Source for Recorded {
    fn fill(&mut self, batch: &mut Batch) -> Result<usize, TraceError> {
        batch.clear();
        for number in if std::mem::replace(&mut self.told, true) { 0..0 } else { 0..4000 } {
            let request = Request::new(number, Operation::Write, number * 7 % 1000 * 4096, 4096);
            match (self.content_of)(number) {
                Some(content) => _ = batch.push_with_content(request, &[content]),
                None => batch.push(request),
            }
        }
        Ok(batch.requests.len())
    }

    fn rewind(&mut self) -> Result<(), TraceError> {
        self.told = false;
        Ok(())
    }

    fn description(&self) -> Description {
        Description {
            name: "recorded".into(),
            format: "test".into(),
            kind: Kind::Trace,
            timed: true,
            requests: Some(4000),
            time_unit: String::new(),
            note: String::new(),
        }
    }

    fn progress(&self) -> Option<(u64, u64)> {
        None
    }
}

/// Repeating a recording brings back none of its contents: what no pass repeats is never answered,
/// and what each pass repeats is answered as often in each.
#[test]
fn passes_over_a_recording_have_contents_of_their_own() {
    let run = |content_of, loops, scheme: &[(&str, &str)]| {
        let options = ReplayOptions { loops, ..options() };
        replay(&drive(scheme), &mut Recorded { content_of, told: false }, &options, &mut |_| true).unwrap()
    };
    let lx = |content_of, loops| run(content_of, loops, &[RECYCLE]);
    let answered = |report: &Report| report.events.writes_recycled + report.events.writes_deduplicated;

    let never = lx(|number| Some(u128::from(number) + 1), 5);
    assert_eq!((never.recycling.as_ref().unwrap().counters.hits, answered(&never)), (0, 0));

    let half = |number| Some(u128::from(number % 2000) + 1);
    let (one, five) = (answered(&lx(half, 1)), answered(&lx(half, 5)));
    assert!(one > 1000 && five.abs_diff(5 * one) * 50 <= five, "{one} {five}");

    // Without recycling contents change nothing.
    let json = |content_of| {
        let report = run(content_of, 5, &[]);
        serde_json::to_string(&report).unwrap()
    };
    assert_eq!(json(half), json(|_| None));
}
