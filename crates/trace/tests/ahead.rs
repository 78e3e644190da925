//! Reading ahead gives what reading gives.
#![allow(clippy::unwrap_used, missing_docs)]

use rewear_trace::{AnySource, Batch, Defaults, OpenOptions, Source, ahead, open, workload};

/// All that a caller can see: each batch, and what the source says of itself after it.
fn seen(source: &mut dyn Source) -> Vec<String> {
    let mut seen = Vec::new();
    let mut batch = Batch::with_limit(7);
    for pass in 0..4 {
        for step in 0.. {
            let outcome = source.fill(&mut batch).map_err(|error| error.to_string());
            let requests = if outcome.is_ok() { format!("{:?}", batch.requests) } else { String::new() };
            let known =
                (source.description(), source.progress(), source.omissions(), source.volumes().to_vec());
            let ended = !matches!(outcome, Ok(1..));
            seen.push(format!("{pass} {step} {outcome:?} {requests} {known:?}"));
            // In the second pass before the end.
            if ended || pass == 1 && step == 3 {
                break;
            }
        }
        // Further passes over a made-up workload draw on; others begin anew.
        if pass == 2 { source.next_pass() } else { source.rewind() }.unwrap();
    }
    seen
}

fn compare(mut make: impl FnMut() -> AnySource) {
    let plain = seen(&mut *make());
    let read_ahead = ahead(&mut *make(), seen);
    assert_eq!(plain, read_ahead);
    assert!(plain.len() > 10);
}

#[test]
fn requests_and_what_is_known_of_a_trace_are_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("trace.csv");
    let line = |number: u64, host: &str| {
        format!(
            "{},{host},{},Write,{},4096,10\n",
            128_166_372_000_000_000 + number * 1000,
            number % 3,
            number * 4096
        )
    };
    let mut text: String =
        (0..200).map(|number| line(number, if number < 100 { "a" } else { "b" })).collect();
    std::fs::write(&path, &text).unwrap();
    compare(|| open(&path, &OpenOptions::default()).unwrap());
    text.insert_str(text.len() / 2, "what is this\n");
    std::fs::write(&path, text).unwrap();
    // An error in the middle comes at the same place.
    compare(|| open(&path, &OpenOptions::default()).unwrap());
}

#[test]
fn passes_over_a_workload_are_the_same() {
    compare(|| workload("zipf:theta=0.9,requests=100,read=0.3", &Defaults::default()).unwrap());
}

#[test]
fn a_caller_that_stops_early_does_not_wait_for_the_rest() {
    let defaults = Defaults { pages: 1000, ..Defaults::default() };
    let mut source = workload("uniform:requests=1000000000", &defaults).unwrap();
    let mut batch = Batch::default();
    let requests = ahead(&mut *source, |source| source.fill(&mut batch).unwrap());
    assert_eq!(requests, batch.requests.len());
}
