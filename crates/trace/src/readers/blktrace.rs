//! Binary blktrace, as `blktrace -o -` or `blkparse -d FILE` write it, in either byte order,
//! versions 7 and 8.
//!
//! Records of `struct blk_io_trace` (48 bytes) or `struct blk_io_trace2` (64 bytes) with a payload
//! of `pdu_len` bytes behind each. Of the events one counts, as with blkparse; blktrace writes a
//! file for each device. A per-processor file `DEVICE.blktrace.N` has only that processor's events:
//! merge them first with `blkparse -d`. Linux, include/uapi/linux/blktrace_api.h.

use crate::error::Fault;
use crate::operation::Operation;
use crate::options::{Event, OpenOptions, TimeUnit};
use crate::pages::SECTOR_BYTES;
use crate::readers::blkparse::chosen_event;
use crate::readers::clock::Clock;
use crate::readers::sink::Record;
use crate::readers::stream::Parser;

/// The upper three bytes of a record's first word; the last is the version.
const MAGIC: u32 = 0x6561_7400;
const VERSIONS: [u32; 2] = [7, 8];
const HEADER_BYTES: [usize; 2] = [48, 64];

/// Bits of an action above the sixteen that number it: what the request is.
const WRITES: u32 = 1 << 17;
const FLUSHES: u32 = 1 << 18;
const PASSED_THROUGH: u32 = 1 << 25;
const NOTIFIES: u32 = 1 << 26;
const DISCARDS: u32 = 1 << 29;

/// See the module.
pub(crate) struct BlkTrace {
    clock: Clock,
    event: Event,
    big_endian: bool,
}

/// A record's fields.
struct Raw {
    time: u64,
    sector: u64,
    bytes: u32,
    action: u32,
    length: usize,
}

/// True for a record's first word in either byte order.
pub(crate) fn sniff(head: &[u8]) -> bool {
    byte_order(head).is_some()
}

/// Some(true) for big-endian records.
fn byte_order(head: &[u8]) -> Option<bool> {
    let word = head.first_chunk::<4>()?;
    let known = |word: u32| word & !0xff == MAGIC && VERSIONS.contains(&(word & 0xff));
    if known(u32::from_le_bytes(*word)) {
        return Some(false);
    }
    known(u32::from_be_bytes(*word)).then_some(true)
}

/// The record at the front, `Ok(None)` when there is too little of it to tell its length.
fn raw(bytes: &[u8], big_endian: bool) -> Result<Option<Raw>, Fault> {
    let Some(word) = bytes.first_chunk::<4>() else { return Ok(None) };
    let word = if big_endian { u32::from_be_bytes(*word) } else { u32::from_le_bytes(*word) };
    let version = VERSIONS.iter().position(|version| word == MAGIC | version);
    let Some(version) = version else {
        return Err(Fault::new(format!(
            "a record of blktrace begins with 0x65617407 or 0x65617408, found {word:#010x}"
        )));
    };
    let Some(header) = bytes.get(..HEADER_BYTES[version]) else { return Ok(None) };
    let u32_at = |at: usize| {
        let field = [header[at], header[at + 1], header[at + 2], header[at + 3]];
        if big_endian { u32::from_be_bytes(field) } else { u32::from_le_bytes(field) }
    };
    let u64_at = |at: usize| {
        let (first, second) = (u64::from(u32_at(at)), u64::from(u32_at(at + 4)));
        if big_endian { first << 32 | second } else { second << 32 | first }
    };
    let u16_at = |at: usize| {
        let field = [header[at], header[at + 1]];
        usize::from(if big_endian { u16::from_be_bytes(field) } else { u16::from_le_bytes(field) })
    };
    // Version 8 swapped process and action, and widened the action to 64 bits.
    let (action, payload) = match version {
        0 => (u32_at(28), u16_at(46)),
        _ => (u64_at(32) as u32, u16_at(50)),
    };
    let length = HEADER_BYTES[version] + payload;
    Ok(Some(Raw { time: u64_at(8), sector: u64_at(16), bytes: u32_at(24), action, length }))
}

/// The event that an action's number stands for.
fn event_of(action: u32) -> Option<Event> {
    match action & 0xffff {
        1 => Some(Event::Queued),
        7 => Some(Event::Issued),
        8 => Some(Event::Completed),
        _ => None,
    }
}

impl Parser for BlkTrace {
    const EXAMPLES: &'static [&'static [u8]] =
        &[b"\x07\x74\x61\x65\x01\0\0\0\x64\0\0\0\0\0\0\0\x08\0\0\0\0\0\0\0\
            \0\x20\0\0\x07\0\x42\0\x2a\0\0\0\x10\0\x80\0\0\0\0\0\0\0\0\0"];

    const TEXT: bool = false;
    const HAS_EVENTS: bool = true;

    fn start(head: &[u8], options: &OpenOptions) -> Self {
        let big_endian = byte_order(head).unwrap_or(false);
        let mut seen = Vec::new();
        let mut rest = head;
        while let Ok(Some(record)) = raw(rest, big_endian) {
            if record.action & NOTIFIES == 0 {
                seen.extend(event_of(record.action).map(Event::letter));
            }
            rest = rest.get(record.length..).unwrap_or_default();
        }
        let event = chosen_event(options, |letter| seen.contains(&letter));
        let clock = Clock::stated(options, TimeUnit::Nanoseconds);
        Self { clock, event, big_endian }
    }

    fn record_bytes(&self, available: &[u8]) -> Result<Option<usize>, Fault> {
        Ok(raw(available, self.big_endian)?.map(|record| record.length))
    }

    fn parse<'l>(&mut self, bytes: &'l [u8]) -> Result<Option<Record<'l>>, Fault> {
        let Some(record) = raw(bytes, self.big_endian)? else { return Ok(None) };
        if record.action & (NOTIFIES | PASSED_THROUGH) != 0 || event_of(record.action) != Some(self.event) {
            return Ok(None);
        }
        let length_bytes = u64::from(record.bytes);
        let operation = match record.action {
            action if action & DISCARDS != 0 => Operation::Trim,
            action if action & FLUSHES != 0 && length_bytes == 0 => Operation::Flush,
            _ if length_bytes == 0 => return Ok(None),
            action if action & WRITES != 0 => Operation::Write,
            _ => Operation::Read,
        };
        let at_ns = record
            .time
            .checked_mul(self.clock.unit_ns())
            .ok_or_else(|| Fault::new(format!("the time {} exceeds 2^64 ns", record.time)))?;
        let offset_bytes = record
            .sector
            .checked_mul(SECTOR_BYTES)
            .ok_or_else(|| Fault::new(format!("the sector {} exceeds 2^64 bytes", record.sector)))?;
        Ok(Some(Record::new(at_ns, operation, offset_bytes, length_bytes)))
    }

    fn time_unit(&self) -> String {
        self.clock.to_string()
    }

    fn note(&self) -> String {
        format!("requests are the events {}", self.event)
    }
}
