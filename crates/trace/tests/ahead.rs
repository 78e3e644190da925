//! Reading ahead, and keeping what was read, give what reading gives.
#![allow(clippy::unwrap_used, missing_docs)]

use rewear_trace::{AnySource, Batch, Defaults, Keep, Kept, OpenOptions, Source, ahead, open, workload};

use crate::common::seen;

/// The requests of a pass with their batches, and what the source says of itself after each.
fn all_requests(source: &mut dyn Source) -> Vec<String> {
    let mut batch = Batch::default();
    let mut found = Vec::new();
    loop {
        let count = source.fill(&mut batch).unwrap();
        let known = (
            source.description(),
            source.progress(),
            source.omissions(),
            source.jumps(),
            source.volumes().to_vec(),
        );
        found.push(format!("{:?} {known:?}", batch.requests));
        if count == 0 {
            return found;
        }
    }
}

fn compare(mut make: impl FnMut() -> AnySource) {
    let plain = seen(&mut *make());
    assert_eq!(plain, ahead(&mut *make(), seen));
    assert_eq!(plain, seen(&mut Keep::new(make())));
    assert_eq!(plain, ahead(&mut Keep::new(make()), seen));
    // A source that cannot be kept is an error, or made up.
    if let Ok(Some(kept)) = Kept::read(make(), &mut |_| true) {
        let steps = |mut source: AnySource| {
            source.rewind().unwrap();
            all_requests(&mut *source)
        };
        assert_eq!(steps(make()), steps(Box::new(kept.source())));
    }
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
    assert!(Kept::read(open(&path, &OpenOptions::default()).unwrap(), &mut |_| true).is_err());
}

#[test]
fn several_read_a_kept_recording_at_a_time() {
    let recording = concat!(env!("CARGO_MANIFEST_DIR"), "/../../recordings/web.rwt");
    let open = || open(recording.as_ref(), &OpenOptions::default()).unwrap();
    let kept = Kept::read(open(), &mut |_| true).unwrap().unwrap();
    let contents = |source: &mut dyn Source| {
        let (mut batch, mut found) = (Batch::default(), Vec::new());
        while source.fill(&mut batch).unwrap() > 0 {
            found.extend(batch.requests.iter().map(|request| batch.content_of(request).map(<[_]>::to_vec)));
        }
        found
    };
    let (mut one, mut other) = (kept.source(), kept.source());
    let mut batch = Batch::default();
    assert!(one.fill(&mut batch).unwrap() > 0);
    let whole = contents(&mut *open());
    assert_eq!(contents(&mut other), whole);
    assert_eq!(contents(&mut one), whole[batch.requests.len()..]);
    assert!(whole.iter().any(Option::is_some));
}

#[test]
fn made_up_requests_are_not_kept() {
    let made_up = workload("uniform:requests=100", &Defaults::default()).unwrap();
    assert!(Kept::read(made_up, &mut |_| true).unwrap().is_none());
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
