//! The compact format: what is written is read, what is damaged is refused, and it is small.

#![allow(clippy::unwrap_used)] // a test may stop where it stands

use crate::common::{drain, read, recorded_traces};
use proptest::prelude::*;
use rewear_trace::{
    Batch, CompactWriter, ContentColumn, ErrorKind, Fingerprint, OpenOptions, Operation, Request, Source,
    open,
};

type Row = (Request, Option<Vec<Fingerprint>>);

fn request() -> impl Strategy<Value = Row> {
    let address = prop_oneof![(0u64..1000).prop_map(|page| page * 4096), 0u64..1 << 20, 0u64..1 << 62];
    let length = prop_oneof![(0u64..5).prop_map(|pages| pages * 4096), 0u64..20_000];
    let time = prop_oneof![(0u64..1000).prop_map(|ms| ms * 1_000_000), any::<u64>()];
    let labels = (0u16..3, prop_oneof![3 => Just(0u8), 1 => any::<u8>()]);
    (time, 0..Operation::ALL.len(), address, length, labels, prop::option::of(any::<Fingerprint>())).prop_map(
        |(at_ns, operation, offset, length, (volume, stream), content)| {
            let operation = Operation::ALL[operation];
            let mut request = match operation {
                Operation::Flush => Request::flush(at_ns),
                Operation::UpdateHandle => Request::update_handle(at_ns, stream),
                _ => Request::new(at_ns, operation, offset, length),
            };
            (request.volume, request.stream) = (volume, stream);
            let content = content.filter(|_| request.fingerprint_count() > 0);
            let pages = request.fingerprint_count() as u128;
            (request, content.map(|first| (0..pages).map(|page| first.wrapping_add(page)).collect()))
        },
    )
}

fn write(rows: &[Row]) -> Vec<u8> {
    let mut writer = CompactWriter::new(Vec::new(), "a test", 7).unwrap();
    for name in ["a", "b", "c"] {
        writer.volume(name).unwrap();
    }
    for (request, content) in rows {
        writer.push(request, content.as_deref()).unwrap();
    }
    writer.finish().unwrap()
}

fn rows_of(source: &mut dyn Source) -> Vec<Row> {
    let mut batch = Batch::with_limit(7);
    let mut rows = Vec::new();
    while source.fill(&mut batch).unwrap() > 0 {
        for request in &batch.requests {
            let plain = {
                let mut copy = Request::new(
                    request.at_ns,
                    request.operation,
                    request.offset_bytes,
                    request.length_bytes,
                );
                (copy.volume, copy.stream) = (request.volume, request.stream);
                copy
            };
            rows.push((plain, batch.content_of(request).map(<[_]>::to_vec)));
        }
    }
    rows
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn what_is_written_is_read(rows in prop::collection::vec(request(), 1..100)) {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), write(&rows)).unwrap();
        let mut source = open(file.path(), &OpenOptions::default()).unwrap();
        prop_assert_eq!(rows_of(&mut *source), rows.clone());
        prop_assert_eq!(source.volumes(), ["a", "b", "c"]);
        source.rewind().unwrap();
        prop_assert_eq!(rows_of(&mut *source), rows);
    }

    #[test]
    fn what_is_damaged_is_refused(rows in prop::collection::vec(request(), 1..30), place in any::<prop::sample::Index>(), bits in 1u8..) {
        let mut content = write(&rows);
        let at = place.index(content.len());
        content[at] ^= bits;
        // A magic that is no longer one makes another format of it, or none.
        prop_assert!(read(&content, &OpenOptions::default()).is_err());
    }

    #[test]
    fn what_is_cut_off_is_refused(rows in prop::collection::vec(request(), 1..30), place in any::<prop::sample::Index>()) {
        let content = write(&rows);
        let error = read(&content[..place.index(content.len())], &OpenOptions::default()).unwrap_err();
        prop_assert!(matches!(error.kind, ErrorKind::Truncated | ErrorKind::Empty | ErrorKind::Unrecognised), "{}", error);
    }
}

#[test]
fn blocks_of_many_requests_and_the_choice_of_a_volume() {
    let rows: Vec<Row> = (0..200_000u64)
        .map(|index| {
            let mut request =
                Request::new(index * 1000, Operation::Write, index * 7919 % 100_003 * 4096, 4096);
            request.volume = (index % 3) as u16;
            (request, (index % 5 == 0).then(|| vec![u128::from(index)]))
        })
        .collect();
    let content = write(&rows);
    assert_eq!(read(&content, &OpenOptions::default()).unwrap().len(), rows.len());
    let only = OpenOptions { volume: Some("b".into()), shift_bytes: 4096, ..OpenOptions::default() };
    let chosen = read(&content, &only).unwrap();
    assert_eq!(chosen.len(), 66_667);
    assert_eq!(chosen[0].offset_bytes, 7919 * 4096 + 4096);
    let none = OpenOptions { volume: Some("d".into()), ..OpenOptions::default() };
    assert_eq!(read(&content, &none).unwrap_err().kind, ErrorKind::Empty);
}

#[test]
fn bytes_behind_the_end_and_an_empty_trace_are_refused() {
    let mut content = write(&[(Request::new(0, Operation::Write, 0, 4096), None)]);
    content.push(0);
    assert_eq!(read(&content, &OpenOptions::default()).unwrap_err().kind, ErrorKind::Malformed);
    assert_eq!(read(&write(&[]), &OpenOptions::default()).unwrap_err().kind, ErrorKind::Empty);
    let unit = OpenOptions { time_unit: Some(rewear_trace::TimeUnit::Seconds), ..OpenOptions::default() };
    assert_eq!(read(&write(&[]), &unit).unwrap_err().kind, ErrorKind::Parameter);
}

#[test]
fn no_bit_can_be_wrong() {
    let rows = [
        (Request::new(5, Operation::Write, 4096, 8192), Some(vec![1, 2])),
        (Request::flush(6), None),
        (Request::new(7, Operation::Read, 512, 100), None),
    ];
    let content = write(&rows);
    for bit in 0..content.len() * 8 {
        let mut damaged = content.clone();
        damaged[bit / 8] ^= 1 << (bit % 8);
        assert!(read(&damaged, &OpenOptions::default()).is_err(), "bit {bit}");
    }
}

#[test]
fn content_of_the_wrong_length_is_refused() {
    let mut writer = CompactWriter::new(Vec::new(), "", 0).unwrap();
    let error = writer.push(&Request::new(0, Operation::Write, 0, 8192), Some(&[1])).unwrap_err();
    assert!(error.to_string().contains("2 pages"), "{error}");
}

#[test]
fn recorded_traces_shrink_and_stay_the_same() {
    let Some(folder) = recorded_traces() else { return };
    for (name, most_bytes_per_request) in [
        ("blkreplay_linux-webserver-2.load.xz", 8.0),
        ("wiscsee_sqlitewal_ext4_mkfs.txt.xz", 8.0),
        ("fiu_mail_cheetah_first9998.blkparse.xz", 28.0),
    ] {
        let mut source = open(&folder.join(name), &OpenOptions::default()).unwrap();
        let mut writer = CompactWriter::new(Vec::new(), name, 0).unwrap();
        let count = writer.copy(&mut *source).unwrap();
        let content = writer.finish().unwrap();
        source.rewind().unwrap();
        let all = drain(&mut *source).unwrap();
        let again = read(&content, &OpenOptions::default()).unwrap();
        let plain =
            |one: &Request| (one.at_ns, one.operation, one.offset_bytes, one.length_bytes, one.volume);
        assert!(all.iter().map(plain).eq(again.iter().map(plain)));
        let each = content.len() as f64 / count as f64;
        println!("{name}: {each:.2} bytes a request");
        assert!(each < most_bytes_per_request, "{name}: {each} bytes a request");
    }
}

#[test]
fn numbered_contents_keep_what_is_equal_and_take_little_room() {
    let rows: Vec<Row> = (0..150_000u64)
        .map(|index| {
            let request = Request::new(index * 1000, Operation::Write, index % 5000 * 4096, 4096);
            // Half of the contents are new; the others are those of ten thousand writes ago.
            let content = if index % 20_000 < 10_000 { index } else { index - 10_000 };
            (request, Some(vec![u128::from(content).wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835)]))
        })
        .collect();
    let written = |column| {
        let mut writer = CompactWriter::new(Vec::new(), "", 0).unwrap().with_content(column);
        for (request, content) in &rows {
            writer.push(request, content.as_deref()).unwrap();
        }
        writer.finish().unwrap()
    };
    let digests = written(ContentColumn::Digests);
    assert!((80_000 * 16..80_000 * 16 + 20_000).contains(&digests.len()), "{} bytes", digests.len());
    let numbers = written(ContentColumn::Numbers);
    assert!(numbers.len() < 20_000, "{} bytes", numbers.len());
    let back = rows_of_bytes(&numbers);
    let mut pairs = std::collections::BTreeMap::new();
    let mut reverse = std::collections::BTreeMap::new();
    for ((_, wrote), (_, found)) in rows.iter().zip(&back) {
        let (wrote, found) = (wrote.as_ref().unwrap()[0], found.as_ref().unwrap()[0]);
        assert_eq!(*pairs.entry(wrote).or_insert(found), found);
        assert_eq!(*reverse.entry(found).or_insert(wrote), wrote);
    }
    assert_eq!(pairs.len(), 80_000);
    let nothing = rows_of_bytes(&written(ContentColumn::Nothing));
    assert!(nothing.iter().all(|(_, content)| content.is_none()));
}

fn rows_of_bytes(content: &[u8]) -> Vec<Row> {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), content).unwrap();
    rows_of(&mut *open(file.path(), &OpenOptions::default()).unwrap())
}
