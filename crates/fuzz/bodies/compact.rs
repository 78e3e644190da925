//! Compact traces that are taken apart into their columns, changed there, and put together again
//! with lengths and checksums that fit: what lies behind the checks of headers.

use std::io::Read as _;

use rewear_trace::{
    Batch, CompactWriter, ContentColumn, Fingerprint, OpenOptions, Operation, Request, Source, open,
};

use crate::edits::edited;
use crate::input::Input;
use crate::traces::{content_in_a_file, read_twice};

const BLOCK_HEADER_BYTES: usize = 21;
const REQUESTS: u8 = 1;
const COLUMNS: usize = 7;

/// A block: what it holds, its count, its data without compression.
#[derive(Clone)]
struct Block {
    kind: u8,
    count: u64,
    data: Vec<u8>,
}

/// Writes a trace of made-up requests, which must be read as they are, and then changes its columns.
pub fn compact_columns(input: &[u8]) {
    let mut input = Input(input);
    let content = [ContentColumn::Digests, ContentColumn::Numbers, ContentColumn::Nothing][input.below(3)];
    let requests = requests(&mut input);
    let file = written(&requests, content);
    let expected = requests.iter().map(|(request, contents)| {
        (*request, if content == ContentColumn::Digests { contents.clone() } else { Vec::new() })
    });
    assert_eq!(read(&file, content), expected.collect::<Vec<_>>(), "{content:?}");

    let (header, mut blocks) = taken_apart(&file);
    for block in &mut blocks {
        if block.kind == REQUESTS {
            change(block, &mut input);
        } else if input.below(16) == 0 {
            block.data = edited(&block.data, &mut input);
        }
        if input.below(16) == 0 {
            block.count = [0, 1, block.count + 1, u64::MAX, input.u64()][input.below(5)];
        }
    }
    let (at, other) = (input.below(blocks.len()), input.below(blocks.len()));
    match input.below(12) {
        0 => drop(blocks.remove(at)),
        1 => blocks.insert(at, blocks[other].clone()),
        2 => blocks.swap(at, other),
        _ => {}
    }
    read_twice(&put_together(header, &blocks), &OpenOptions::default());
}

/// Requests of two volumes and all operations, with the contents of writes.
fn requests(input: &mut Input<'_>) -> Vec<(Request, Vec<Fingerprint>)> {
    const UNITS: [u64; 4] = [1, 512, 4096, 1 << 20];
    let mut at_ns = 0;
    let mut request = |index: usize, input: &mut Input<'_>| {
        let operation = Operation::ALL[input.below(Operation::ALL.len())];
        let unit = UNITS[input.below(4)];
        let (offset, length) = (u64::from(input.byte()) * unit, u64::from(input.byte()) % 9 * unit);
        let (offset, length) = if operation.has_range() { (offset, length) } else { (0, 0) };
        // The first request is time 0 to a reader.
        at_ns +=
            if index == 0 { 0 } else { u64::from(input.byte()) * [1, 10, 1_000, 1 << 40][input.below(4)] };
        let mut request = Request::placed(at_ns, operation, (offset, length), input.below(3) as u8);
        request.volume = (input.below(3) / 2) as u16;
        let pages = request.fingerprint_count();
        let has_content = operation == Operation::Write && pages < 64 && input.below(2) == 0;
        let contents = if has_content { pages } else { 0 };
        (request, (0..contents).map(|_| Fingerprint::from(input.byte() % 8)).collect())
    };
    (0..1 + input.below(40)).map(|index| request(index, input)).collect()
}

fn written(requests: &[(Request, Vec<Fingerprint>)], content: ContentColumn) -> Vec<u8> {
    let mut file = Vec::new();
    let mut writer = CompactWriter::new(&mut file, "made up", 0).expect("a vector takes everything");
    writer = writer.with_content(content);
    writer.volume("first").and_then(|()| writer.volume("second")).expect("a vector takes everything");
    for (index, (request, contents)) in requests.iter().enumerate() {
        if index == requests.len() / 2 {
            // A block ends where a volume is named.
            writer.volume("third").expect("a vector takes everything");
        }
        writer.push(request, Some(contents)).expect("there is one fingerprint for each page");
    }
    writer.finish().expect("a vector takes everything");
    file
}

/// The requests of a file, with the digests that were written.
fn read(file: &[u8], content: ContentColumn) -> Vec<(Request, Vec<Fingerprint>)> {
    let path = content_in_a_file(file);
    let mut source = open(&path, &OpenOptions::default()).expect("what was written is a trace");
    let (mut batch, mut requests) = (Batch::with_limit(7), Vec::new());
    while source.fill(&mut batch).expect("what was written is read") > 0 {
        for request in &batch.requests {
            let contents = batch.content_of(request).map(<[_]>::to_vec).unwrap_or_default();
            let Request { at_ns, operation, offset_bytes, length_bytes, stream, .. } = *request;
            let mut plain = Request::placed(at_ns, operation, (offset_bytes, length_bytes), stream);
            plain.volume = request.volume;
            requests.push((plain, contents));
        }
    }
    if content != ContentColumn::Digests {
        // A reader makes fingerprints up from numbers.
        requests.iter_mut().for_each(|(_, contents)| contents.clear());
    }
    requests
}

fn taken_apart(file: &[u8]) -> (&[u8], Vec<Block>) {
    let word = |at: usize| u32::from_le_bytes([file[at], file[at + 1], file[at + 2], file[at + 3]]) as usize;
    let mut at = 26 + word(22) + 4;
    let (header, mut blocks) = (&file[..at], Vec::new());
    while at < file.len() {
        let (kind, stored) = (file[at], &file[at + BLOCK_HEADER_BYTES..][..word(at + 13)]);
        let count = word(at + 1) as u64;
        let data = if kind == REQUESTS {
            zstd::bulk::decompress(stored, word(at + 9)).expect("the writer compressed it")
        } else {
            stored.to_vec()
        };
        at += BLOCK_HEADER_BYTES + stored.len();
        blocks.push(Block { kind, count, data });
    }
    (header, blocks)
}

/// Changes units, columns, and seldom the lengths that are to fit.
fn change(block: &mut Block, input: &mut Input<'_>) {
    let mut rest = &block.data[..];
    let mut units = [varint(&mut rest), varint(&mut rest)];
    let mut columns: Vec<Vec<u8>> = Vec::new();
    for _ in 0..COLUMNS {
        let length = varint(&mut rest) as usize;
        let (column, behind) = rest.split_at(length);
        columns.push(column.to_vec());
        rest = behind;
    }
    if input.below(8) == 0 {
        units[input.below(2)] = [0, 1, u64::MAX, input.u64()][input.below(4)];
    }
    for column in &mut columns {
        match input.below(8) {
            0 => *column = edited(column, input),
            1 if !column.is_empty() => {
                let at = input.byte() as usize % column.len();
                column[at] ^= 1 << input.below(8);
            }
            _ => {}
        }
    }
    let mut data = Vec::new();
    units.iter().for_each(|&unit| push_varint(unit, &mut data));
    for column in columns {
        let length = column.len() as u64;
        push_varint(if input.below(64) == 63 { input.u64() } else { length }, &mut data);
        data.extend(column);
    }
    block.data = data;
}

fn put_together(header: &[u8], blocks: &[Block]) -> Vec<u8> {
    let mut file = header.to_vec();
    for Block { kind, count, data } in blocks {
        let stored =
            if *kind == REQUESTS { zstd::bulk::compress(data, 1).unwrap_or_default() } else { data.clone() };
        let mut head = vec![*kind];
        head.extend(count.to_le_bytes());
        head.extend((data.len() as u32).to_le_bytes());
        head.extend((stored.len() as u32).to_le_bytes());
        let mut checksum = crc32fast::Hasher::new();
        checksum.update(&head);
        checksum.update(&stored);
        head.extend(checksum.finalize().to_le_bytes());
        file.extend(head);
        file.extend(stored);
    }
    file
}

fn varint(bytes: &mut &[u8]) -> u64 {
    let (mut number, mut shift) = (0, 0);
    let mut byte = [0x80];
    while byte[0] & 0x80 != 0 {
        bytes.read_exact(&mut byte).expect("the writer ended its numbers");
        number |= u64::from(byte[0] & 0x7f) << shift;
        shift += 7;
    }
    number
}

fn push_varint(mut number: u64, bytes: &mut Vec<u8>) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}
