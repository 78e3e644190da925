//! Traces of virtual SCSI disks (CloudPhysics), binary, little-endian, versions 1 and 2.
//!
//! Version 1, 32 bytes: `sn u32, length_bytes u32, nSG u32, command u16, version u16, sector u64,
//! time_us u64`. Version 2, 40 bytes: `command u16, version u16, sn u32, length_bytes u32, nSG u32,
//! sector u64, time_us u64, response_us u64`. The version is the upper byte of its field. Commands
//! that move no data are no requests, except a synchronisation of the cache, which is a flush.
//! Layout as in libCacheSim's vscsi reader.

use crate::error::Fault;
use crate::operation::Operation;
use crate::options::{OpenOptions, TimeUnit};
use crate::pages::SECTOR_BYTES;
use crate::readers::clock::Clock;
use crate::readers::sink::Record;
use crate::readers::stream::Parser;

/// See the module.
pub(crate) struct Vscsi {
    clock: Clock,
    layout: &'static Layout,
}

/// Where the fields of a version lie.
struct Layout {
    version: u8,
    bytes: usize,
    command: usize,
    length: usize,
    sector: usize,
    time: usize,
}

static LAYOUTS: [Layout; 2] = [
    Layout { version: 1, bytes: 32, command: 12, length: 4, sector: 16, time: 24 },
    Layout { version: 2, bytes: 40, command: 0, length: 8, sector: 16, time: 24 },
];

/// Records that must agree on the version.
const SNIFFED_RECORDS: usize = 16;

/// The version that the head's records agree on, in records of known commands with plausible
/// lengths.
fn layout_of(head: &[u8]) -> Option<&'static Layout> {
    LAYOUTS.iter().find(|layout| {
        let mut records = head.chunks_exact(layout.bytes).take(SNIFFED_RECORDS).peekable();
        records.peek().is_some()
            && records.all(|record| {
                let length = u32_at(record, layout.length);
                record[layout.command + 3] == layout.version
                    && record[layout.command + 1] == 0
                    && length < 1 << 28
                    && u64_at(record, layout.sector) < 1 << 48
            })
    })
}

/// True when the first records agree on a version.
pub(crate) fn sniff(head: &[u8]) -> bool {
    layout_of(head).is_some()
}

impl Parser for Vscsi {
    const EXAMPLES: &'static [&'static [u8]] =
        &[b"\x07\0\0\0\0\x20\0\0\x01\0\0\0\x2a\0\0\x01\x08\0\0\0\0\0\0\0\xe8\x03\0\0\0\0\0\0"];

    const TEXT: bool = false;

    fn start(head: &[u8], options: &OpenOptions) -> Self {
        let layout = layout_of(head).unwrap_or(&LAYOUTS[0]);
        Self { clock: Clock::stated(options, TimeUnit::Microseconds), layout }
    }

    fn record_bytes(&self, _available: &[u8]) -> Result<Option<usize>, Fault> {
        Ok(Some(self.layout.bytes))
    }

    fn parse<'l>(&mut self, record: &'l [u8]) -> Result<Option<Record<'l>>, Fault> {
        let layout = self.layout;
        let version = record[layout.command + 3];
        if version != layout.version {
            return Err(Fault::new(format!(
                "the record says version {version}, the first ones said {}",
                layout.version
            )));
        }
        let command = u16::from_le_bytes([record[layout.command], record[layout.command + 1]]);
        if command > 0xff {
            return Err(Fault::new(format!("{command:#x} is no SCSI command")));
        }
        let Some(operation) = operation(command) else { return Ok(None) };
        let micros = u64_at(record, layout.time);
        let at_ns = micros
            .checked_mul(self.clock.unit_ns())
            .ok_or_else(|| Fault::new(format!("the time {micros} exceeds 2^64 ns")))?;
        let sector = u64_at(record, layout.sector);
        let offset_bytes = sector
            .checked_mul(SECTOR_BYTES)
            .ok_or_else(|| Fault::new(format!("the sector {sector} exceeds 2^64 bytes")))?;
        let length_bytes = u64::from(u32_at(record, layout.length));
        Ok(Some(Record::new(at_ns, operation, offset_bytes, length_bytes)))
    }

    fn time_unit(&self) -> String {
        self.clock.to_string()
    }

    fn note(&self) -> String {
        format!("version {}", self.layout.version)
    }
}

/// The operation of a SCSI command; `None` if it moves no data and flushes nothing.
pub(crate) fn operation(command: u16) -> Option<Operation> {
    match command {
        0x08 | 0x28 | 0xa8 | 0x88 => Some(Operation::Read),
        0x0a | 0x2a | 0xaa | 0x8a => Some(Operation::Write),
        0x35 | 0x91 => Some(Operation::Flush),
        _ => None,
    }
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from(u32_at(bytes, at)) | u64::from(u32_at(bytes, at + 4)) << 32
}
