//! Faults are named with place and remedy, and never by a panic.

#![allow(clippy::unwrap_used)] // a test may stop where it stands

use std::io::Write as _;

use crate::common::{Dice, mutate, read, recorded_traces};
use rewear_trace::{
    CompactWriter, ErrorKind, OpenOptions, Operation, Place, Request, Source, TraceError, open,
};

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
    assert_eq!(crate::common::drain(&mut *source).unwrap().len(), 13);
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
        crate::common::drain(&mut *source).unwrap();
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
        ("gzip", gzip.finish().unwrap()),
        ("xz", xz.finish().unwrap()),
        ("bzip2", bzip2.finish().unwrap()),
        ("zstd", zstd),
    ] {
        assert_eq!(read(&packed, &OpenOptions::default()).unwrap().len(), 20_000, "{name}");
        for cut in [packed.len() / 2, packed.len() - 1] {
            let error = strict(&packed[..cut]);
            assert_eq!((error.kind, error.place), (ErrorKind::Truncated, Place::Whole), "{name}: {error}");
        }
        let mut damaged = packed.clone();
        let middle = damaged.len() / 2;
        damaged[middle] ^= 0x55;
        damaged[middle + 1] ^= 0xff;
        // The file is at fault, not the line that the damage cut.
        let error = strict(&damaged);
        assert_eq!((error.kind, error.place), (ErrorKind::Malformed, Place::Whole), "{name}: {error}");
        assert!(error.problem.contains(name) && !error.to_string().contains("line"), "{error}");
    }
}

#[test]
fn a_damaged_file_reads_the_same_after_a_rewind() {
    // The long line makes the reader ask the decompressor for more at a time.
    let text = format!("{}\n{}", "x".repeat(600_000), MSR.repeat(30_000));
    let mut bzip2 = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
    bzip2.write_all(format!("{}{text}", MSR.repeat(2000)).as_bytes()).unwrap();
    let mut packed = bzip2.finish().unwrap();
    let place = packed.len() * 3 / 4;
    packed[place] ^= 0x55;
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), &packed).unwrap();
    let options = OpenOptions { skip_bad_lines: true, ..OpenOptions::default() };
    let mut source = open(file.path(), &options).unwrap();
    let mut read = || {
        let (mut batch, mut requests) = (rewear_trace::Batch::default(), 0);
        source.rewind().unwrap();
        let error = loop {
            match source.fill(&mut batch) {
                Ok(0) => break None,
                Ok(count) => requests += count,
                Err(error) => break Some(error.to_string()),
            }
        };
        (requests, error, source.omissions())
    };
    let first = read();
    assert!(first.1.is_some());
    assert_eq!(first, read());
}

#[test]
fn a_volume_without_a_name_is_damage() {
    let mut file = Vec::new();
    let mut writer = CompactWriter::new(&mut file, "", 0).unwrap();
    writer.volume("first").unwrap();
    writer.push(&Request::new(0, Operation::Write, 0, 512), None).unwrap();
    let mut other = Request::new(1, Operation::Write, 0, 512);
    other.volume = 3;
    writer.push(&other, None).unwrap();
    writer.finish().unwrap();
    let error = strict(&file);
    assert!(error.to_string().contains("volume 3, which has no name"), "{error}");
}

/// A tar archive of one file.
fn tar(content: &[u8], magic: &[u8]) -> Vec<u8> {
    let mut header = [0u8; 512];
    header[..5].copy_from_slice(b"t.csv");
    header[100..107].copy_from_slice(b"0000644");
    header[124..135].copy_from_slice(format!("{:011o}", content.len()).as_bytes());
    header[257..257 + magic.len()].copy_from_slice(magic);
    header[148..156].fill(b' ');
    let sum: u32 = header.iter().map(|&byte| u32::from(byte)).sum();
    header[148..155].copy_from_slice(format!("{sum:06o}\0").as_bytes());
    let padding = vec![0; content.len().next_multiple_of(512) - content.len() + 1024];
    [&header, content, &padding].concat()
}

#[test]
fn other_wrappings_are_named_with_their_remedy() {
    let text = MSR.repeat(100);
    let utf_16 = |bytes: fn(u16) -> [u8; 2]| text.encode_utf16().flat_map(bytes).collect::<Vec<u8>>();
    let marked = [&[0xff, 0xfe][..], &utf_16(u16::to_le_bytes)].concat();
    let twice = zstd::encode_all(&zstd::encode_all(text.as_bytes(), 3).unwrap()[..], 3).unwrap();
    let cases: [(&str, &str, Vec<u8>); 12] = [
        ("lz4", "lz4 -d", [&[0x04, 0x22, 0x4d, 0x18, 0x64, 0x40, 0xa7][..], text.as_bytes()].concat()),
        ("lz4", "lz4 -d", [&[0x02, 0x21, 0x4c, 0x18][..], text.as_bytes()].concat()),
        ("zip", "unzip", [&b"PK\x03\x04\x14\0\0\0\0\0"[..], text.as_bytes()].concat()),
        ("7z", "7z x", [&b"7z\xbc\xaf\x27\x1c"[..], text.as_bytes()].concat()),
        ("tar", "tar -xf", tar(text.as_bytes(), b"ustar\x0000")),
        ("tar", "tar -xf", tar(text.as_bytes(), b"")),
        ("tar", "tar -xf", zstd::encode_all(&tar(text.as_bytes(), b"ustar  ")[..], 3).unwrap()),
        ("UTF-16", "iconv", marked),
        ("UTF-16", "iconv", utf_16(u16::to_le_bytes)),
        ("UTF-16", "iconv", utf_16(u16::to_be_bytes)),
        ("Parquet", "csv", [&b"PAR1\x15"[..], text.as_bytes()].concat()),
        ("twice", "by hand", twice),
    ];
    for (name, remedy, content) in cases {
        let named = OpenOptions { format: Some("msr".into()), ..OpenOptions::default() };
        for options in [OpenOptions::default(), named] {
            let error = read(&content, &options).unwrap_err();
            assert_eq!((error.kind, error.place), (ErrorKind::Wrapped, Place::Whole), "{error}");
            assert!(error.problem.contains(name) && error.remedy.contains(remedy), "{error}");
        }
    }
}

#[test]
fn the_format_that_comes_closest_is_named_with_the_line_at_fault() {
    for (text, format, place, problem) in [
        ("0,write,0,4k\n".to_owned(), "csv", Place::Line(1), "the length"),
        ("0,write,0,1\n1,write;0;1\n2,write;0;1\n3,w;0\n".to_owned(), "csv", Place::Line(2), "\"write;0;1\""),
        (MSR.replace("1024", "1k"), "msr", Place::Line(1), "the offset"),
        ("\n  0.1 ;  8 ; 16 ; X ; 0.0 ; 0.0\n".to_owned(), "blkreplay", Place::Line(2), "\"X\""),
    ] {
        let error = strict(text.as_bytes());
        assert_eq!((error.kind, error.place), (ErrorKind::Unrecognised, place), "{error}");
        let sentence = error.to_string();
        assert!(sentence.contains(&format!("in {format} ")) && sentence.contains(problem), "{sentence}");
    }
    // A malformed line at the beginning of a small file of which another is right is that format's.
    let error = strict(b"0,wirte,0,4096\n1,write,0,4096\n");
    assert_eq!((error.kind, error.place), (ErrorKind::Malformed, Place::Line(1)), "{error}");
}

#[test]
fn a_request_that_no_host_sends_is_an_error_with_its_line() {
    let gib = 1u64 << 30;
    for (operation, longest) in [("write", 4 * gib), ("read", 4 * gib), ("trim", 16 * 1024 * gib)] {
        let text = |length: u64| format!("0,write,0,512\n1,{operation},0,{length}\n");
        assert_eq!(read(text(longest).as_bytes(), &OpenOptions::default()).unwrap().len(), 2);
        for length in [longest + 1, 1 << 62] {
            let error = strict(text(length).as_bytes());
            assert_eq!((error.kind, error.place), (ErrorKind::Malformed, Place::Line(2)), "{error}");
            assert!(error.problem.contains(&length.to_string()), "{error}");
        }
    }
    let mut file = Vec::new();
    let mut writer = CompactWriter::new(&mut file, "", 0).unwrap();
    writer.push(&Request::new(0, Operation::Write, 0, 512), None).unwrap();
    writer.push(&Request::new(1, Operation::Write, 0, 1 << 62), None).unwrap();
    writer.finish().unwrap();
    let error = strict(&file);
    assert_eq!((error.kind, error.place), (ErrorKind::Malformed, Place::Block(1)), "{error}");
    assert!(error.problem.contains("request 2: a write of 4611686018427387904 bytes"), "{error}");
    let workload = rewear_trace::workload("uniform:size=8GiB,pages=1e7", &rewear_trace::Defaults::default());
    assert!(workload.err().unwrap().to_string().contains("4 GiB"));
}

#[test]
fn batches_of_long_requests_are_short() {
    let text = "0,write,0,4294967296\n".repeat(100);
    let (mut source, _file) = crate::common::opened(text.as_bytes());
    let mut batch = rewear_trace::Batch::default();
    assert_eq!(source.fill(&mut batch).unwrap(), 1);
    assert_eq!(crate::common::drain(&mut *source).unwrap().len(), 99);
    let short = MSR.repeat(2000);
    assert_eq!(crate::common::opened(short.as_bytes()).0.fill(&mut batch).unwrap(), 1024);
}

#[test]
fn times_that_go_backwards_are_counted() {
    let text = "5,write,0,512\n9,write,0,512\n7,write,0,512\n3,write,0,512\n8,write,0,512\n";
    for content in [text.as_bytes().to_vec(), compact_of(text)] {
        let (mut source, _file) = crate::common::opened(&content);
        for _ in 0..2 {
            crate::common::drain(&mut *source).unwrap();
            let omissions = source.omissions();
            assert_eq!(omissions.backwards_times, 2);
            source.rewind().unwrap();
        }
    }
    let (mut source, _file) = crate::common::opened(text.as_bytes());
    let info = rewear_trace::info(&mut *source).unwrap();
    assert_eq!((info.backwards_times, info.omissions.before_first), (2, 1));
}

/// The same trace in the compact format.
fn compact_of(text: &str) -> Vec<u8> {
    let mut file = Vec::new();
    let mut writer = CompactWriter::new(&mut file, "", 0).unwrap();
    writer.copy(&mut *crate::common::opened(text.as_bytes()).0).unwrap();
    writer.finish().unwrap();
    file
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
            // Half of the time the format is named, so that its parser sees what recognition would
            // have refused.
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

/// As lines of `device,R|W,offset,length,time` the same requests would be at other places.
#[test]
fn a_heading_decides_where_lines_would_do_for_another_format() {
    let heading = "time_ns,operation,offset_bytes,length_bytes,stream\n";
    let line = |number: u64| format!("{number},W,{},4096,{}\n", number * 4096, number % 2);
    let text = format!("{heading}{}", (0..8).map(line).collect::<String>());
    let offsets: Vec<_> =
        read(text.as_bytes(), &OpenOptions::default()).unwrap().iter().map(|one| one.offset_bytes).collect();
    assert_eq!(offsets, (0..8).map(|number| number * 4096).collect::<Vec<_>>());
    let without = read((0..8).map(line).collect::<String>().as_bytes(), &OpenOptions::default());
    assert_eq!(
        without.unwrap()[1].offset_bytes,
        4096,
        "without one it is alibaba's, offset and length alike"
    );
    // A fault is that of the format which the heading names.
    for bad in ["0,wirte,0,4096,0\n1,wirte,0,4096,0\n", "0,W,0,4096,256\n1,W,0,4096,256\n2,W,0,4096,256\n"] {
        let error = read(format!("{heading}{bad}").as_bytes(), &OpenOptions::default()).unwrap_err();
        assert_eq!((error.kind, error.place), (ErrorKind::Malformed, Place::Line(2)));
        assert!(error.remedy.contains("another format than csv"), "{error}");
    }
}

#[test]
fn quoted_columns_are_read_as_others_are() {
    let plain = "time_ns,operation,offset_bytes,length_bytes\n5,write,4096,8192\n7,flush,,\n";
    let expected = read(plain.as_bytes(), &OpenOptions::default()).unwrap();
    let quoted =
        |line: &str| line.split(',').map(|field| format!("\"{field}\"")).collect::<Vec<_>>().join(",");
    let heading = plain.lines().next().unwrap();
    let only_heading = plain.replace(heading, &quoted(heading));
    let all: String = plain.lines().map(|line| quoted(line) + "\r\n").collect();
    for text in [only_heading, all.clone(), format!("\u{feff}{all}")] {
        assert_eq!(read(text.as_bytes(), &OpenOptions::default()).unwrap(), expected, "{text}");
    }
    // Behind what is read at once, and after a rewind.
    let long = format!("{all}{}", "\"9\",\"write\",\"0\",\"512\"\n".repeat(30_000));
    let (mut source, _file) = crate::common::opened(long.as_bytes());
    for _ in 0..2 {
        assert_eq!(crate::common::drain(&mut *source).unwrap().len(), 30_002);
        source.rewind().unwrap();
    }
}

#[test]
fn lzma_and_zstd_behind_a_skipped_frame_are_taken_off() {
    let expected = read(MSR.as_bytes(), &OpenOptions::default()).unwrap();
    let options = liblzma::stream::LzmaOptions::new_preset(6).unwrap();
    let encoder = liblzma::stream::Stream::new_lzma_encoder(&options).unwrap();
    let mut lzma = liblzma::write::XzEncoder::new_stream(Vec::new(), encoder);
    lzma.write_all(MSR.as_bytes()).unwrap();
    let lzma = lzma.finish().unwrap();
    let frame = zstd::bulk::compress(MSR.as_bytes(), 3).unwrap();
    let skipped = [&[0x5a, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 1, 2, 3], &frame[..]].concat();
    for packed in [&lzma, &skipped] {
        assert_eq!(read(packed, &OpenOptions::default()).unwrap(), expected);
    }
    assert_eq!(strict(&lzma[..lzma.len() - 4]).kind, ErrorKind::Truncated);
    assert!(strict(&skipped[..skipped.len() - 4]).to_string().contains("zstd"));
}
