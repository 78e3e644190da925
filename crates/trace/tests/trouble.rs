//! What is wrong is said, with place and remedy, and never by a panic.

#![allow(clippy::unwrap_used)] // a test may stop where it stands

mod common;

use std::io::Write as _;

use common::{Dice, mutate, read, recorded_traces};
use rewear_trace::{ErrorKind, OpenOptions, Place, TraceError, open};

const MSR: &str = "128166372003061629,web,1,Read,1024,4096,559\n";

fn strict(content: &[u8]) -> TraceError {
    read(content, &OpenOptions::default()).unwrap_err()
}

#[test]
fn a_malformed_line_is_named_and_what_precedes_it_is_delivered() {
    let text = format!("{MSR}{MSR}128166372003061629,web,1,Raed,1024,4096,559\n{MSR}{}", MSR.repeat(10));
    let error = strict(text.as_bytes());
    assert_eq!((error.kind, error.place), (ErrorKind::Malformed, Place::Line(3)));
    let sentence = error.to_string();
    assert!(
        sentence.contains("line 3: ") && sentence.contains("\"Raed\"") && sentence.contains("skip"),
        "{sentence}"
    );

    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), &text).unwrap();
    let mut source = open(file.path(), &OpenOptions::default()).unwrap();
    let mut batch = rewear_trace::Batch::default();
    assert_eq!(source.fill(&mut batch).unwrap(), 2);
    assert!(source.fill(&mut batch).is_err());
    assert_eq!(source.fill(&mut batch).unwrap(), 0, "after an error the stream has ended");

    let options = OpenOptions { skip_bad_lines: true, ..OpenOptions::default() };
    let mut source = open(file.path(), &options).unwrap();
    assert_eq!(common::drain(&mut *source).unwrap().len(), 13);
    assert_eq!(source.omissions().bad_lines, 1);
}

#[test]
fn a_short_file_with_a_malformed_line_is_still_recognised() {
    let error = strict(format!("{MSR}128166372003061629,web,1,Raed,1024,4096,559\n").as_bytes());
    assert_eq!((error.kind, error.place), (ErrorKind::Malformed, Place::Line(2)));
}

#[test]
fn files_that_are_none() {
    assert_eq!(strict(b"").kind, ErrorKind::Empty);
    assert_eq!(strict(b"Dear reader,\nthis is a letter.\n").kind, ErrorKind::Unrecognised);
    assert_eq!(
        strict(&(0..40_000u32).map(|index| ((index * index) >> 5) as u8).collect::<Vec<_>>()).kind,
        ErrorKind::Unrecognised
    );
    assert_eq!(strict(&[0; 100_000]).kind, ErrorKind::Unrecognised);
    let options = OpenOptions::default();
    let missing = open("no/such/trace.csv".as_ref(), &options).err().unwrap();
    assert!(missing.to_string().contains("no such file"), "{missing}");
    let directory = open(std::env::temp_dir().as_ref(), &options).err().unwrap();
    assert!(directory.to_string().contains("is a directory"), "{directory}");
    let empty = zstd::encode_all(&b""[..], 3).unwrap();
    assert_eq!(strict(&empty).kind, ErrorKind::Empty);
}

#[test]
fn a_last_line_without_end_is_remarked_upon() {
    let file = tempfile::NamedTempFile::new().unwrap();
    for (text, remarked) in [(MSR.repeat(2), false), (MSR.trim_end().to_owned(), true)] {
        std::fs::write(file.path(), text).unwrap();
        let mut source = open(file.path(), &OpenOptions::default()).unwrap();
        common::drain(&mut *source).unwrap();
        assert_eq!(source.description().note.contains("cut off"), remarked);
    }
}

#[test]
fn options_that_do_not_exist() {
    let options = OpenOptions { format: Some("mrs".into()), ..OpenOptions::default() };
    let error = read(MSR.as_bytes(), &options).unwrap_err();
    assert!(error.kind == ErrorKind::Parameter && error.to_string().contains("msr"), "{error}");
    let options = OpenOptions { volume: Some("web_2".into()), ..OpenOptions::default() };
    let error = read(MSR.as_bytes(), &options).unwrap_err();
    assert!(error.kind == ErrorKind::Empty && error.to_string().contains("web_1"), "{error}");
    let options = OpenOptions { event: Some(rewear_trace::Event::Queued), ..OpenOptions::default() };
    assert_eq!(read(MSR.as_bytes(), &options).unwrap_err().kind, ErrorKind::Parameter);
    assert!("hours".parse::<rewear_trace::TimeUnit>().is_err());
    assert!("I".parse::<rewear_trace::Event>().is_err());
}

#[test]
fn volumes_are_selected_and_offsets_shifted() {
    let text = format!("{MSR}128166372003061729,web,2,Write,7680,512,1\n");
    let options = OpenOptions { volume: Some("web_2".into()), shift_bytes: 512, ..OpenOptions::default() };
    let requests = read(text.as_bytes(), &options).unwrap();
    assert_eq!(requests.iter().map(|one| (one.at_ns, one.offset_bytes)).collect::<Vec<_>>(), [(0, 8192)]);
    let beyond = OpenOptions { shift_bytes: u64::MAX, ..OpenOptions::default() };
    assert_eq!(read(text.as_bytes(), &beyond).unwrap_err().kind, ErrorKind::Malformed);
}

#[test]
fn truncated_compressed_files() {
    let text = (0..20_000u64).map(|index| {
        format!("{},web,1,Read,{},4096,559\n", 128166372003061629 + index, index * index % 9973 * 512)
    });
    let text = text.collect::<String>().into_bytes();
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all(&text).unwrap();
    let mut xz = liblzma::write::XzEncoder::new(Vec::new(), 1);
    xz.write_all(&text).unwrap();
    let mut bzip2 = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
    bzip2.write_all(&text).unwrap();
    let zstd = zstd::encode_all(&text[..], 3).unwrap();
    for (name, packed) in [
        ("gz", gzip.finish().unwrap()),
        ("xz", xz.finish().unwrap()),
        ("bz2", bzip2.finish().unwrap()),
        ("zstd", zstd),
    ] {
        assert_eq!(read(&packed, &OpenOptions::default()).unwrap().len(), 20_000, "{name}");
        for cut in [packed.len() / 2, packed.len() - 1] {
            let error = strict(&packed[..cut]);
            assert_eq!(error.kind, ErrorKind::Truncated, "{name}: {error}");
        }
        let mut damaged = packed.clone();
        let middle = damaged.len() / 2;
        damaged[middle] ^= 0x55;
        damaged[middle + 1] ^= 0xff;
        assert!(read(&damaged, &OpenOptions::default()).is_err(), "{name}");
    }
}

#[test]
fn mutated_recorded_traces_are_read_or_refused() {
    let Some(folder) = recorded_traces() else { return };
    let mut files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect::<Vec<_>>();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "xz"));
    files.sort();
    assert!(!files.is_empty());
    let mut dice = Dice(1);
    for path in files {
        let mut content = Vec::new();
        let file = std::fs::File::open(&path).unwrap();
        let mut head = std::io::Read::take(liblzma::read::XzDecoder::new(file), 6_000);
        std::io::Read::read_to_end(&mut head, &mut content).unwrap();
        let format = open(&path, &OpenOptions::default()).unwrap().description().format;
        for index in 0..200 {
            let mutated = mutate(&content, &mut dice);
            let skip_bad_lines = index % 2 == 0;
            // Half of the time the format is named, so that its parser sees what recognition would have
            // refused.
            let format = (index % 4 < 2).then(|| format.clone());
            let options = OpenOptions { skip_bad_lines, format, ..OpenOptions::default() };
            match read(&mutated, &options) {
                Ok(requests) => assert!(
                    requests.iter().all(|one| one.offset_bytes.checked_add(one.length_bytes).is_some())
                ),
                Err(error) => assert!(!error.problem.is_empty() && !error.remedy.is_empty(), "{error}"),
            }
        }
    }
}
