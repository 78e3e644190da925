//! Events of the kernel's tracing as text: `trace` of ftrace, `trace-cmd report` and `perf script`
//! print `task-pid [cpu] flags time_s: event: fields`, `perf script` with the subsystem before the
//! event.
//!
//! D is `block_rq_issue`, or `nvme_setup_cmd` where there is none; Q is `block_bio_queue`, C
//! `block_rq_complete`. Older kernels print no priority behind the sectors. Commands of NVMe count
//! blocks, which are taken to be sectors of 512 bytes; a deallocation (`nvme_cmd_dsm`) has its ranges
//! in memory, not in the event, so it is no request here. Linux, include/trace/events/block.h and
//! drivers/nvme/host/trace.c.

use memchr::memmem;

use crate::error::Fault;
use crate::operation::Operation;
use crate::options::{Event, OpenOptions, TimeUnit};
use crate::readers::blkparse::chosen_event;
use crate::readers::clock::Clock;
use crate::readers::fields::{Fields, digits, missing, sectors, time};
use crate::readers::sink::Record;
use crate::readers::stream::{Parser, lines_of};
use crate::readers::words::kernel_letters;

const ISSUED: &[u8] = b"block_rq_issue: ";
const QUEUED: &[u8] = b"block_bio_queue: ";
const COMPLETED: &[u8] = b"block_rq_complete: ";
const NVME: &[u8] = b"nvme_setup_cmd: ";

/// See the module.
pub(crate) struct KernelEvents {
    clock: Clock,
    event: Event,
    /// The event's name with its colon.
    name: &'static [u8],
}

impl Parser for KernelEvents {
    const EXAMPLES: &'static [&'static [u8]] = &[
        b"# tracer: nop\n  app-812  [000] ..... 1.000001: block_rq_issue: 8,0 WS 8192 () 8 + 16 [app]\n  app-812  [000] d.h1. 1.000002: block_rq_issue: 8,0 R 512 () 0 + 1 be,4 [app]\n",
        b"cpus=2\n  app-812 [000] 1.000001: nvme_setup_cmd: nvme0: disk=nvme0n1, qid=1, cmdid=0, nsid=1, flags=0x0, meta=0x0, cmd=(nvme_cmd_write slba=8, len=15, ctrl=0x0, dsmgmt=0, reftag=0)\n",
    ];

    const HAS_EVENTS: bool = true;

    fn start(head: &[u8], options: &OpenOptions) -> Self {
        let has = |name: &[u8]| lines_of(head).any(|line| memmem::find(line, name).is_some());
        let event = chosen_event(options, |letter| match letter {
            b'D' => has(ISSUED) || has(NVME),
            b'Q' => has(QUEUED),
            _ => has(COMPLETED),
        });
        let name = match event {
            Event::Issued if !has(ISSUED) && has(NVME) => NVME,
            Event::Issued => ISSUED,
            Event::Queued => QUEUED,
            Event::Completed => COMPLETED,
        };
        Self { clock: Clock::stated(options, TimeUnit::Seconds), event, name }
    }

    fn parse<'l>(&mut self, line: &'l [u8]) -> Result<Option<Record<'l>>, Fault> {
        let Some(at) = memmem::find(line, self.name) else {
            let is_event = line.windows(2).any(|pair| pair == b": ") && line.contains(&b'[');
            return if is_event {
                Ok(None)
            } else {
                Err(Fault::field("the line must have an event of the kernel", line))
            };
        };
        let at_ns = self.time(&line[..at])?;
        let fields = &line[at + self.name.len()..];
        let record = if self.name == NVME { of_nvme(fields)? } else { of_block(fields)? };
        Ok(record.map(|record| Record { at_ns, ..record }))
    }

    fn time_unit(&self) -> String {
        self.clock.to_string()
    }

    fn note(&self) -> String {
        let name = String::from_utf8_lossy(&self.name[..self.name.len() - 2]);
        let blocks = if self.name == NVME { ", blocks are taken to be 512 bytes" } else { "" };
        format!("requests are the events {} ({name}){blocks}", self.event)
    }
}

impl KernelEvents {
    /// The time before the event's name, and perhaps its subsystem.
    fn time(&self, before: &[u8]) -> Result<u64, Fault> {
        let before =
            before.strip_suffix(b"block:").or(before.strip_suffix(b"nvme:")).unwrap_or(before).trim_ascii();
        let before = before
            .strip_suffix(b":")
            .ok_or_else(|| Fault::field("a time must stand before the event", before))?;
        let start = before.iter().rposition(|byte| matches!(byte, b' ' | b'\t')).map_or(0, |at| at + 1);
        time(Some(&before[start..]), self.clock.unit_ns())
    }
}

/// `259,0 WS 4096 () 21328 + 8 be,0,4 [app]`, in completions and queued requests with less between.
fn of_block(fields: &[u8]) -> Result<Option<Record<'_>>, Fault> {
    let mut words = Fields::new(fields);
    let device = words.word().ok_or_else(|| missing("device"))?;
    let letters = words.word().ok_or_else(|| missing("letters of the request"))?;
    if !letters.iter().all(u8::is_ascii_uppercase) {
        return Err(Fault::field("the letters of the request must be capitals", letters));
    }
    let Some(plus) = memmem::find(words.rest(), b" + ") else {
        return Err(Fault::field("the sector must be followed by +", words.rest()));
    };
    let (before, after) = (&words.rest()[..plus], &words.rest()[plus + 3..]);
    let length_bytes = sectors(Fields::new(after).word(), "number of sectors")?;
    let Some(operation) = kernel_letters(letters, length_bytes > 0) else { return Ok(None) };
    if operation == Operation::Flush {
        return Ok(Some(Record::new(0, operation, 0, 0).on(device)));
    }
    let start = before.iter().rposition(|byte| matches!(byte, b' ' | b'\t')).map_or(0, |at| at + 1);
    let offset_bytes = sectors(Some(&before[start..]), "sector")?;
    Ok(Some(Record::new(0, operation, offset_bytes, length_bytes).on(device)))
}

/// `nvme0: disk=nvme0n1, qid=1, .., cmd=(nvme_cmd_write slba=8, len=15, ..)`; the length is one less.
fn of_nvme(fields: &[u8]) -> Result<Option<Record<'_>>, Fault> {
    let value = |key: &[u8]| {
        let at = memmem::find(fields, key)? + key.len();
        let end = fields[at..]
            .iter()
            .position(|byte| matches!(byte, b',' | b')' | b' '))
            .unwrap_or(fields.len() - at);
        Some(&fields[at..at + end])
    };
    let command = value(b"cmd=(").ok_or_else(|| missing("command"))?;
    let disk = value(b"disk=").unwrap_or_default();
    let operation = match command {
        b"nvme_cmd_read" => Operation::Read,
        b"nvme_cmd_write" | b"nvme_cmd_write_zeroes" => Operation::Write,
        b"nvme_cmd_flush" => return Ok(Some(Record::new(0, Operation::Flush, 0, 0).on(disk))),
        _ => return Ok(None),
    };
    let offset_bytes = sectors(value(b"slba="), "sector")?;
    let blocks = value(b"len=").and_then(digits).ok_or_else(|| missing("length"))?;
    let length_bytes = blocks.saturating_add(1).saturating_mul(crate::pages::SECTOR_BYTES);
    Ok(Some(Record::new(0, operation, offset_bytes, length_bytes).on(disk)))
}
