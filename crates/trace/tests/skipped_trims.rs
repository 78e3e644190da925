//! Trims are left out of any format, and all else is as it was.

#![allow(clippy::unwrap_used)] // a test may stop where it stands

use crate::common::{drain, read};
use proptest::prelude::*;
use rewear_trace::{
    Batch, CompactWriter, ErrorKind, Fingerprint, OpenOptions, Operation, Request, Source, info, open,
};

fn skipping() -> OpenOptions {
    OpenOptions { skip_trims: true, ..OpenOptions::default() }
}

/// A compact trace of writes and trims of one page; the content of a write is its page.
fn written(requests: &[(bool, u64)]) -> Vec<u8> {
    let mut writer = CompactWriter::new(Vec::new(), "", 0).unwrap();
    for (at_ns, &(is_trim, page)) in (0..).zip(requests) {
        let operation = if is_trim { Operation::Trim } else { Operation::Write };
        let content = [Fingerprint::from(page)];
        let request = Request::new(at_ns, operation, page * 4096, 4096);
        writer.push(&request, (!is_trim).then_some(&content[..])).unwrap();
    }
    writer.finish().unwrap()
}

/// Every request with its content.
fn contents(source: &mut dyn Source) -> Vec<(u64, u64, Vec<Fingerprint>)> {
    let mut batch = Batch::with_limit(7);
    let mut all = Vec::new();
    while source.fill(&mut batch).unwrap() > 0 {
        for request in &batch.requests {
            assert_eq!(request.operation, Operation::Write);
            let content = batch.content_of(request).unwrap().to_vec();
            all.push((request.at_ns, request.offset_bytes / 4096, content));
        }
    }
    all
}

proptest! {
    #[test]
    fn writes_keep_their_times_and_contents(requests in prop::collection::vec((any::<bool>(), 0u64..50), 0..200)) {
        let mut requests = requests;
        requests.push((false, 99));
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), written(&requests)).unwrap();
        let mut source = open(file.path(), &skipping()).unwrap();
        let expected: Vec<_> = (0..)
            .zip(&requests)
            .filter(|(_, (is_trim, _))| !is_trim)
            .map(|(at_ns, &(_, page))| (at_ns, page, vec![Fingerprint::from(page)]))
            .collect();
        prop_assert_eq!(contents(&mut *source), expected.clone());
        source.rewind().unwrap();
        prop_assert_eq!(contents(&mut *source), expected);
    }
}

#[test]
fn pages_that_are_only_trimmed_are_not_touched() {
    let csv =
        "time_ns,operation,offset_bytes,length_bytes\n0,trim,0,409600\n1,write,4096,4096\n2,read,8192,4096\n";
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), csv).unwrap();
    let counted = info(&mut *open(file.path(), &skipping()).unwrap()).unwrap();
    assert_eq!((counted.requests, counted.distinct_pages_touched), (2, 2));
    assert!(counted.description.note.contains("trims skipped"));
    let whole = info(&mut *open(file.path(), &OpenOptions::default()).unwrap()).unwrap();
    assert_eq!((whole.requests, whole.distinct_pages_touched), (3, 100));
}

#[test]
fn a_trace_of_trims_alone_is_refused_once() {
    let error = read(&written(&[(true, 1)]), &skipping()).unwrap_err();
    assert_eq!(error.kind, ErrorKind::Empty);
    assert!(error.to_string().contains("leave skip_trims out"), "{error}");
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), written(&[(true, 1)])).unwrap();
    let mut source = open(file.path(), &skipping()).unwrap();
    assert!(source.fill(&mut Batch::default()).is_err());
    assert!(drain(&mut *source).unwrap().is_empty());
}
