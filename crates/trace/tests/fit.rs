//! Remappings keep what they promise.

#![allow(clippy::unwrap_used)] // a test may stop where it stands

use crate::common::drain;
use proptest::prelude::*;
use rewear_trace::{
    AnySource, Batch, CompactWriter, Defaults, ErrorKind, Fingerprint, Fit, OpenOptions, Operation, Request,
    Source, open, workload,
};

#[test]
fn a_dense_fit_keeps_order_and_names_the_size_needed() {
    let spec = "uniform:pages=1e9,requests=1000,size=4KiB*1/40KiB*1";
    let source = || workload(spec, &Defaults::default()).unwrap();
    let original = drain(&mut *source()).unwrap();
    let touched: std::collections::BTreeSet<u64> =
        original.iter().flat_map(|request| request.pages(4096)).collect();
    let needed = touched.len() as u64 * 4096;
    let error = Fit::dense(source(), 4096, needed - 1).err().unwrap();
    assert!(
        error.kind == ErrorKind::DoesNotFit && error.to_string().contains(&needed.to_string()),
        "{error}"
    );
    let mut fit = Fit::dense(source(), 4096, needed).unwrap();
    assert_eq!(fit.needed_bytes(), needed);
    let ranks: Vec<u64> = touched.into_iter().collect();
    for (moved, request) in drain(&mut fit).unwrap().iter().zip(&original) {
        assert_eq!(moved.length_bytes, request.length_bytes);
        assert_eq!(ranks[(moved.offset_bytes / 4096) as usize], request.offset_bytes / 4096);
    }
    assert_eq!(fit.torn_requests(), 0);
}

#[test]
fn a_modulo_fit_tears_requests_at_the_end() {
    let source = workload("sequential:pages=10,requests=10,size=12KiB", &Defaults::default()).unwrap();
    let mut fit = Fit::modulo(source, 4096, 4 * 4096 + 5).unwrap();
    let parts = drain(&mut fit).unwrap();
    let places: Vec<_> =
        parts.iter().take(5).map(|part| (part.offset_bytes / 4096, part.length_bytes / 4096)).collect();
    assert_eq!(places, [(0, 3), (3, 1), (0, 2), (2, 2), (0, 1)]);
    let torn: Vec<_> = parts.iter().take(5).map(|part| part.torn).collect();
    assert_eq!(torn, [false, true, false, true, false]);
    assert_eq!(parts.iter().filter(|part| !part.torn).count(), 10);
    // In order within ten pages: three requests, and then from the beginning.
    assert_eq!(fit.reach_bytes(), 9 * 4096);
    assert!(parts.iter().all(|part| part.end_bytes() <= 4 * 4096));
    assert!(fit.torn_requests() > 0);
    assert!(Fit::modulo(workload("uniform", &Defaults::default()).unwrap(), 4096, 4095).is_err());
}

/// A trace of whole pages on two volumes, each with the content (volume, page).
fn with_content(requests: &[(u16, u64, u64)]) -> (tempfile::NamedTempFile, AnySource) {
    let mut writer = CompactWriter::new(Vec::new(), "", 0).unwrap();
    for &(volume, page, pages) in requests {
        let mut request = Request::new(0, Operation::Write, page * 4096, pages * 4096);
        request.volume = volume;
        let content: Vec<Fingerprint> = (page..page + pages).map(|page| digest(volume, page)).collect();
        writer.push(&request, Some(&content)).unwrap();
    }
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), writer.finish().unwrap()).unwrap();
    let source = open(file.path(), &OpenOptions::default()).unwrap();
    (file, source)
}

fn digest(volume: u16, page: u64) -> Fingerprint {
    Fingerprint::from(volume) << 64 | Fingerprint::from(page)
}

/// Where each page of content lies after a remapping, in the order of the requests.
fn places(source: &mut dyn Source) -> Vec<(u64, Fingerprint)> {
    let mut batch = Batch::with_limit(3);
    let mut places = Vec::new();
    while source.fill(&mut batch).unwrap() > 0 {
        for request in &batch.requests {
            let content = batch.content_of(request).expect("content goes with its request");
            places.extend(request.pages(4096).zip(content.iter().copied()));
        }
    }
    places
}

proptest! {
    #[test]
    fn content_moves_with_its_pages(requests in prop::collection::vec((0u16..2, 0u64..60, 1u64..9), 1..40), limit in 1u64..50) {
        let original: Vec<(u16, u64)> =
            requests.iter().flat_map(|&(volume, page, pages)| (page..page + pages).map(move |page| (volume, page))).collect();
        let (_file, source) = with_content(&requests);
        let mut modulo = Fit::modulo(source, 4096, limit * 4096).unwrap();
        let expected: Vec<_> = original.iter().map(|&(volume, page)| (page % limit, digest(volume, page))).collect();
        prop_assert_eq!(places(&mut modulo), expected);

        let touched: std::collections::BTreeSet<_> = original.iter().copied().collect();
        let numbers: std::collections::BTreeMap<_, u64> = touched.into_iter().zip(0..).collect();
        let (_file, source) = with_content(&requests);
        let mut dense = Fit::dense(source, 4096, u64::MAX).unwrap();
        let expected: Vec<_> = original.iter().map(|&(volume, page)| (numbers[&(volume, page)], digest(volume, page))).collect();
        prop_assert_eq!(places(&mut dense), expected);
    }
}

#[test]
fn an_error_of_the_source_comes_after_what_precedes_it() {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(
        file.path(),
        "time_ns,operation,offset_bytes,length_bytes\n0,write,0,4096\n1,wirte,0,4096\n",
    )
    .unwrap();
    let options = OpenOptions { format: Some("csv".into()), ..OpenOptions::default() };
    let mut fit = Fit::modulo(open(file.path(), &options).unwrap(), 4096, 8192).unwrap();
    let mut batch = Batch::default();
    assert_eq!(fit.fill(&mut batch).unwrap(), 1);
    assert_eq!(fit.fill(&mut batch).unwrap_err().kind, ErrorKind::Malformed);
    assert!(Fit::dense(open(file.path(), &options).unwrap(), 4096, 8192).is_err());
}

#[test]
fn numbering_pages_ends_when_it_is_told_to() {
    let source = workload("uniform:requests=100000", &Defaults::default()).unwrap();
    let mut calls = 0;
    let mut go_on = |state: Option<(u64, u64)>| {
        assert!(state.is_some());
        calls += 1;
        calls < 3
    };
    let error = Fit::dense_watched(source, 4096, 1 << 30, &mut go_on).err().unwrap();
    assert_eq!((error.kind, calls), (ErrorKind::Interrupted, 3));
}
