//! Traces of any content: they are opened, read to their end, rewound and read again.

use std::io::Write as _;

use rewear_trace::{
    Batch, CompactWriter, Event, OpenOptions, OwnColumns, Request, Source, TimeUnit, TraceError, formats,
    open,
};

use crate::edits::edited;
use crate::input::Input;

/// Opens any bytes, or the edited example of a format, as any format, or lets the content decide.
/// The content may be compressed, and the compressed file damaged.
pub fn open_trace(input: &[u8]) {
    let mut input = Input(input);
    let format = formats().get(input.below(formats().len() + 1)).map(|format| format.name.to_owned());
    let flags = input.byte();
    let columns = || OwnColumns { columns: "time_us+op+sector+sectors".into(), ..OwnColumns::default() };
    let options = OpenOptions {
        own_columns: (format.as_deref() == Some("columns")).then(columns),
        format,
        skip_bad_lines: flags & 1 == 1,
        skip_trims: flags & 128 != 0,
        shift_bytes: if flags & 2 == 0 { 0 } else { input.u64() },
        volume: (flags & 4 != 0).then(|| "0".to_owned()),
        time_unit: (flags & 8 != 0).then_some(TimeUnit::Seconds),
        event: (flags & 16 != 0).then_some(Event::Queued),
        cut_gaps_ns: (flags & 24 == 24).then_some(1 << 30),
    };
    let pack = if flags & 32 == 0 { None } else { Some(input.below(9)) };
    let content = if flags & 64 == 0 {
        input.0.to_vec()
    } else {
        let examples = formats()[input.below(formats().len())].examples;
        let example = examples.get(input.below(examples.len().max(1))).copied().unwrap_or_default();
        let example = example.repeat(1 + input.below(4));
        edited(&example, &mut input)
    };
    let Some(pack) = pack else { return read_twice(&content, &options) };
    let packed = packed(&content, pack);
    let file = if input.below(2) == 0 { packed } else { edited(&packed, &mut input) };
    read_twice(&file, &options);
}

/// The content compressed; seldom by the slow ones.
fn packed(content: &[u8], how: usize) -> Vec<u8> {
    let packed = match how {
        0..=3 => {
            let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
            gzip.write_all(content).and_then(|()| gzip.finish())
        }
        4..=6 => zstd::bulk::compress(content, 1),
        7 => {
            let mut bzip2 = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
            bzip2.write_all(content).and_then(|()| bzip2.finish())
        }
        _ => {
            let mut xz = liblzma::write::XzEncoder::new(Vec::new(), 0);
            xz.write_all(content).and_then(|()| xz.finish())
        }
    };
    packed.expect("a vector takes everything")
}

/// Opens a compact trace whose checksums fit, whatever its blocks say.
pub fn compact_blocks(input: &[u8]) {
    let mut input = Input(input);
    let mut file = Vec::new();
    drop(CompactWriter::new(&mut file, "", 0).expect("a vector takes everything"));
    while !input.0.is_empty() {
        // Requests three times of eight, a volume, the end, kinds to pass over and to refuse.
        let kind = [1, 1, 1, 2, 255, 3, 127, 128][input.below(8)];
        let (count, odd) = (u64::from(input.byte()), input.byte());
        let length = input.below(200);
        let data = input.bytes(length);
        let stored =
            if kind == 1 { zstd::bulk::compress(&data, 1).unwrap_or_default() } else { data.clone() };
        let data_bytes = if odd == 255 { input.u64() as u32 } else { data.len() as u32 };
        let mut block = vec![kind];
        block.extend(count.to_le_bytes());
        block.extend(data_bytes.to_le_bytes());
        block.extend((stored.len() as u32).to_le_bytes());
        let mut checksum = crc32fast::Hasher::new();
        checksum.update(&block);
        checksum.update(&stored);
        block.extend(checksum.finalize().to_le_bytes());
        file.extend(block);
        file.extend(stored);
    }
    read_twice(&file, &OpenOptions::default());
}

thread_local! {
    /// One file for all inputs, because making one takes longer than reading it.
    static FILE: tempfile::NamedTempFile = tempfile::NamedTempFile::new().expect("a temporary file can be made");
}

/// A file with this content, until the next is asked for.
pub(crate) fn content_in_a_file(content: &[u8]) -> std::path::PathBuf {
    let path = FILE.with(|file| file.path().to_owned());
    std::fs::write(&path, content).expect("a temporary file can be written");
    path
}

/// Reads a file with this content, and again after a rewind: the same must follow.
pub(crate) fn read_twice(content: &[u8], options: &OpenOptions) {
    let path = content_in_a_file(content);
    let mut source = match open(&path, options) {
        Ok(source) => source,
        Err(error) => return check(&error),
    };
    let first = drain(&mut *source);
    source.rewind().expect("what could be opened can be opened again");
    assert_eq!(first, drain(&mut *source));
}

/// All requests, what ended them, and what was left out.
fn drain(source: &mut dyn Source) -> (Vec<Request>, Option<String>, u64) {
    let mut batch = Batch::with_limit(100);
    let mut requests: Vec<Request> = Vec::new();
    let error = loop {
        match source.fill(&mut batch) {
            Ok(0) => break None,
            Ok(_) => requests.extend(&batch.requests),
            Err(error) => {
                check(&error);
                break Some(error.to_string());
            }
        }
    };
    for request in &requests {
        assert!(request.offset_bytes.checked_add(request.length_bytes).is_some(), "{request:?} has no end");
        assert!(request.length_bytes <= request.operation.longest_bytes(), "{request:?} is too long");
        assert!(source.volumes().is_empty() || usize::from(request.volume) < source.volumes().len());
    }
    let _ = source.description();
    (requests, error, source.omissions().bad_lines)
}

/// Every error says something.
fn check(error: &TraceError) {
    assert!(!error.to_string().is_empty());
}
