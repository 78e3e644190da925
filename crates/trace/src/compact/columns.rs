//! The requests of a block as columns of bytes.
//!
//! Differences wrap modulo 2^64, so that every value has a code.

use super::values::{Digests, Numbers};
use super::varint::{put, take, unzigzag, zigzag};
use super::writer::ContentColumn;
use crate::operation::Operation;
use crate::request::{Batch, Fingerprint, Request};

/// Bits of a request's tag.
const OPERATION_MASK: u8 = 0b0000_0111;
const HAS_CONTENT: u8 = 0b0000_1000;
const NEW_VOLUME: u8 = 0b0001_0000;
const NEW_STREAM: u8 = 0b0010_0000;

const FINGERPRINT_BYTES: usize = Fingerprint::BITS as usize / 8;

/// The units that times are tried to be divisible by, the coarsest first.
const TIME_UNITS_NS: [u64; 7] = [1_000_000_000, 1_000_000, 100_000, 10_000, 1_000, 100, 10];

/// Appends the block data for `requests`, whose fingerprints follow each other in `fingerprints`.
pub(crate) fn encode(
    requests: &[(Request, bool)],
    (fingerprints, numbers, content): (&[Fingerprint], &mut Numbers, ContentColumn),
    into: &mut Vec<u8>,
) {
    let time_unit = time_unit_ns(requests);
    let address_unit = address_unit_bytes(requests);
    let [mut tags, mut times, mut offsets, mut lengths, mut volumes]: [Vec<u8>; 5] = Default::default();
    let mut previous = Request::flush(0);
    let mut end = 0u64;
    for (request, has_content) in requests {
        let mut tag = request.operation as u8;
        tag |= if *has_content { HAS_CONTENT } else { 0 };
        if request.volume != previous.volume {
            tag |= NEW_VOLUME;
            put(&mut volumes, u64::from(request.volume));
        }
        if request.stream != previous.stream {
            tag |= NEW_STREAM;
            put(&mut volumes, u64::from(request.stream));
        }
        tags.push(tag);
        let elapsed = (request.at_ns / time_unit).wrapping_sub(previous.at_ns / time_unit);
        put(&mut times, zigzag(elapsed as i64));
        if request.operation.has_range() {
            let offset = request.offset_bytes / address_unit;
            put(&mut offsets, zigzag(offset.wrapping_sub(end) as i64));
            put(&mut lengths, request.length_bytes / address_unit);
            end = offset.wrapping_add(request.length_bytes / address_unit);
        }
        previous = *request;
    }
    put(into, time_unit);
    put(into, address_unit);
    for column in [tags, times, offsets, lengths, volumes] {
        put(into, column.len() as u64);
        into.extend_from_slice(&column);
    }
    let [mut codes, mut digests]: [Vec<u8>; 2] = Default::default();
    numbers.begin_block();
    for fingerprint in fingerprints {
        let (code, new) = numbers.code(*fingerprint);
        put(&mut codes, code);
        if new && content == ContentColumn::Digests {
            digests.extend_from_slice(&fingerprint.to_le_bytes());
        }
    }
    for column in [codes, digests] {
        put(into, column.len() as u64);
        into.extend_from_slice(&column);
    }
}

fn time_unit_ns(requests: &[(Request, bool)]) -> u64 {
    let fits = |unit: &u64| requests.iter().all(|(request, _)| request.at_ns % unit == 0);
    TIME_UNITS_NS.into_iter().find(fits).unwrap_or(1)
}

/// The largest power of two up to 4096 that divides all offsets and lengths.
fn address_unit_bytes(requests: &[(Request, bool)]) -> u64 {
    let all =
        requests.iter().fold(4096, |bits, (request, _)| bits | request.offset_bytes | request.length_bytes);
    1 << all.trailing_zeros()
}

/// A block that is being taken apart.
#[derive(Default)]
pub(crate) struct Decoder {
    data: Vec<u8>,
    at: [std::ops::Range<usize>; 7],
    /// Version 1 has fingerprints in full where later ones have codes, and no digests.
    version: u16,
    values: Digests,
    numbers_only: bool,
    time_unit: u64,
    address_unit: u64,
    left: usize,
    time: u64,
    end: u64,
    volume: u16,
    stream: u8,
    content: Vec<Fingerprint>,
}

impl Decoder {
    /// Before the first block of a file.
    pub(crate) fn begin_file(&mut self, version: u16) {
        (self.version, self.values, self.left) = (version, Digests::default(), 0);
    }

    /// Where to put the data of the next block.
    pub(crate) fn buffer(&mut self) -> &mut Vec<u8> {
        self.left = 0;
        &mut self.data
    }

    /// Begins with `count` requests out of the buffer; `None` when its columns do not add up.
    pub(crate) fn start(&mut self, count: usize) -> Option<()> {
        let mut rest = &self.data[..];
        self.time_unit = take(&mut rest)?;
        self.address_unit = take(&mut rest)?;
        let columns = if self.version == 1 { 6 } else { 7 };
        self.at[6] = 0..0;
        for range in &mut self.at[..columns] {
            let length = usize::try_from(take(&mut rest)?).ok()?;
            let start = self.data.len() - rest.len();
            rest = rest.get(length..)?;
            *range = start..start + length;
        }
        (self.left, self.time, self.end) = (count, 0, 0);
        (self.volume, self.stream) = (0, 0);
        self.numbers_only = self.at[6].is_empty();
        self.values.begin_block();
        (rest.is_empty() && self.at[0].len() == count).then_some(())
    }

    /// Requests of the block that are still to come.
    pub(crate) fn left(&self) -> usize {
        self.left
    }

    /// Moves requests into the batch until one of both is exhausted; `None` when the columns do not
    /// fit together.
    pub(crate) fn fill(
        &mut self,
        shift_bytes: u64,
        batch: &mut Batch,
        keep: impl Fn(u16) -> bool,
    ) -> Option<u64> {
        let mut columns = self.at.clone().map(|range| &self.data[range]);
        let mut skipped = 0;
        let [tags, times, offsets, lengths, volumes, prints, digests] = &mut columns;
        while self.left > 0 && !batch.is_full() {
            let (&tag, rest) = tags.split_first()?;
            *tags = rest;
            let operation = *Operation::ALL.get(usize::from(tag & OPERATION_MASK))?;
            if tag & NEW_VOLUME != 0 {
                self.volume = u16::try_from(take(volumes)?).ok()?;
            }
            if tag & NEW_STREAM != 0 {
                self.stream = u8::try_from(take(volumes)?).ok()?;
            }
            self.time = self.time.wrapping_add(unzigzag(take(times)?) as u64);
            let mut request = Request::flush(self.time.checked_mul(self.time_unit)?);
            request.operation = operation;
            (request.volume, request.stream) = (self.volume, self.stream);
            if operation.has_range() {
                let offset = self.end.wrapping_add(unzigzag(take(offsets)?) as u64);
                let length = take(lengths)?;
                self.end = offset.wrapping_add(length);
                request.offset_bytes = offset.checked_mul(self.address_unit)?;
                request.length_bytes = length.checked_mul(self.address_unit)?;
                request.offset_bytes.checked_add(request.length_bytes)?.checked_add(shift_bytes)?;
            }
            self.content.clear();
            if tag & HAS_CONTENT != 0 {
                // Fingerprints belong to pages as recorded, before any shift.
                for _ in 0..request.fingerprint_count() {
                    let content = if self.version == 1 {
                        fingerprint(prints)
                    } else {
                        let digest = || match self.numbers_only {
                            true => Some(None),
                            false => fingerprint(digests).map(Some),
                        };
                        self.values.content(take(prints)?, digest)
                    };
                    self.content.push(content?);
                }
            }
            self.left -= 1;
            if !keep(request.volume) {
                skipped += 1;
                continue;
            }
            if operation.has_range() {
                request.offset_bytes += shift_bytes;
            }
            batch.push_with_content(request, &self.content);
        }
        if self.left == 0 && columns.iter().any(|column| !column.is_empty()) {
            return None;
        }
        for (range, column) in self.at.iter_mut().zip(columns) {
            range.start = range.end - column.len();
        }
        Some(skipped)
    }
}

/// Takes 16 bytes off the front of a column.
fn fingerprint(column: &mut &[u8]) -> Option<Fingerprint> {
    let (bytes, rest) = column.split_first_chunk::<FINGERPRINT_BYTES>()?;
    *column = rest;
    Some(Fingerprint::from_le_bytes(*bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn encoded(content: ContentColumn, fingerprints: &[Fingerprint]) -> Vec<u8> {
        let request = Request::new(1_000, Operation::Write, 4_096, 8_192);
        let mut data = Vec::new();
        let known = !fingerprints.is_empty();
        encode(&[(request, known)], (fingerprints, &mut Numbers::default(), content), &mut data);
        data
    }

    fn decoder(version: u16, data: &[u8]) -> Decoder {
        let mut decoder = Decoder::default();
        decoder.begin_file(version);
        decoder.buffer().extend_from_slice(data);
        decoder
    }

    fn content_of(mut decoder: Decoder) -> Option<Vec<Fingerprint>> {
        let mut batch = Batch::default();
        decoder.start(1)?;
        decoder.fill(0, &mut batch, |_| true)?;
        batch.content_of(&batch.requests[0]).map(<[_]>::to_vec)
    }

    #[test]
    fn the_examples_of_the_specification() {
        let plain = [0xe8, 7, 0x80, 0x20, 1, 1, 1, 2, 1, 2, 1, 2, 0, 0, 0];
        assert_eq!(encoded(ContentColumn::Digests, &[]), plain);
        let twice = [0xe8, 7, 0x80, 0x20, 1, 9, 1, 2, 1, 2, 1, 2, 0, 2, 0, 2, 0];
        assert_eq!(encoded(ContentColumn::Numbers, &[5, 5]), twice);
    }

    #[test]
    fn content_comes_back_in_every_version() {
        assert_eq!(content_of(decoder(2, &encoded(ContentColumn::Digests, &[7, 8]))), Some(vec![7, 8]));
        let numbers = content_of(decoder(2, &encoded(ContentColumn::Numbers, &[7, 8]))).unwrap_or_default();
        assert!(numbers.len() == 2 && numbers[0] != numbers[1]);
        // Version 1: six columns, the last of them the fingerprints themselves.
        let mut first = vec![0xe8, 7, 0x80, 0x20, 1, 9, 1, 2, 1, 2, 1, 2, 0, 32];
        first.extend([7u128, 8].iter().flat_map(|print| print.to_le_bytes()));
        assert_eq!(content_of(decoder(1, &first)), Some(vec![7, 8]));
    }

    #[test]
    fn columns_that_do_not_add_up_are_refused() {
        for data in [encoded(ContentColumn::Digests, &[]), encoded(ContentColumn::Digests, &[1, 2])] {
            for count in [0, 2] {
                assert!(decoder(2, &data).start(count).is_none());
            }
            for at in 0..data.len() {
                let mut decoder = decoder(2, &data);
                decoder.buffer()[at] = 0xff;
                if decoder.start(1).is_some() {
                    // Whatever values may come of it, no panic.
                    decoder.fill(0, &mut Batch::default(), |_| true);
                }
            }
        }
    }
}
