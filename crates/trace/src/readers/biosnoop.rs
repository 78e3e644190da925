//! Output of biosnoop: a line of column names, then a line for each request. The columns are read
//! by their names, so that all variants of the tool serve: that of bcc (`TIME(s) COMM PID DISK T
//! SECTOR BYTES LAT(ms)`, with or without `QUE(ms)`), that of libbpf-tools, and scripts for
//! bpftrace that print sector and size. The `biosnoop.bt` that comes with bpftrace prints neither,
//! so its output says nothing that could be replayed; the error says so. `iosnoop -ts` of perf-tools
//! prints the same under other names.
//!
//! Times are those of completion. The request was issued to the device earlier by its latency, and
//! that is its time here; so times go backwards where requests overtake each other. A process may
//! have blanks in its name, so the columns behind it are counted from the end of the line. bcc,
//! tools/biosnoop.py; bpftrace, tools/biosnoop.bt.

use crate::error::Fault;
use crate::options::{OpenOptions, TimeUnit};
use crate::readers::clock::Clock;
use crate::readers::fields::{Fields, digits, number, sectors, time};
use crate::readers::sink::Record;
use crate::readers::stream::{Parser, lines_of};
use crate::readers::words::kernel_letters;

/// No request waits longer; keeps the issue of the first requests above time 0, from which they all
/// are counted.
const LONGEST_LATENCY_NS: u64 = 1 << 50;

/// See the module.
pub(crate) struct BioSnoop {
    clock: Clock,
    /// Where the columns stand; `None` before the line of names.
    columns: Option<Columns>,
}

/// Where a column stands: in front of the process's name, which may hold blanks, or behind it.
#[derive(Clone, Copy)]
enum Column {
    FromStart(usize),
    FromEnd(usize),
}

impl Column {
    fn of(self, line: &[u8]) -> Option<&[u8]> {
        let is_blank = |byte: &u8| matches!(byte, b' ' | b'\t');
        match self {
            Self::FromStart(at) => line.split(is_blank).filter(|word| !word.is_empty()).nth(at),
            Self::FromEnd(at) => line.rsplit(is_blank).filter(|word| !word.is_empty()).nth(at),
        }
    }
}

#[derive(Clone, Copy)]
struct Columns {
    time: Column,
    disk: Option<Column>,
    operation: Column,
    sector: Column,
    size: Column,
    /// With its unit in nanoseconds.
    latency: Option<(Column, u64)>,
    /// Whether times are those of the issue.
    is_begin: bool,
    /// Bytes of a unit of the size.
    size_unit: u64,
}

impl Columns {
    /// The columns that a line of names announces: `None` if it is no such line.
    fn of(line: &[u8]) -> Option<Result<Self, Fault>> {
        let mut fields = Fields::new(line);
        let names: Vec<&[u8]> = std::iter::from_fn(|| fields.word()).collect();
        let process = names.iter().position(|name| *name == b"COMM")?;
        let iosnoop = names.contains(&&b"BLOCK"[..]);
        if !names[0].starts_with(b"TIME") && !iosnoop {
            return None;
        }
        let find = |wanted: &[&[u8]]| {
            let at = names.iter().position(|name| wanted.contains(name))?;
            Some(if at < process { Column::FromStart(at) } else { Column::FromEnd(names.len() - 1 - at) })
        };
        let latencies: [(&[u8], u64); 3] = [(b"LAT(ms)", 1_000_000), (b"LAT(us)", 1_000), (b"LAT(ns)", 1)];
        let latency = latencies.iter().find_map(|&(name, unit_ns)| Some((find(&[name])?, unit_ns)));
        let size = find(&[b"BYTES", b"SIZE"]).map(|at| (at, 1));
        let size = size.or_else(|| find(&[b"SIZE(kb)", b"SIZE(KB)"]).map(|at| (at, 1024)));
        let begin = find(&[b"STARTs"]);
        let time = begin.or(find(&[b"ENDs"])).or(if iosnoop { None } else { Some(Column::FromStart(0)) });
        let Some(time) = time else {
            return Some(Err(Fault::field("iosnoop printed no times here; record with iosnoop -ts", line)));
        };
        let latency = latency.or(find(&[b"LATms"]).map(|at| (at, 1_000_000))).filter(|_| begin.is_none());
        let columns = (find(&[b"T", b"TYPE"]), find(&[b"SECTOR", b"BLOCK"]), size);
        let (Some(operation), Some(sector), Some((size, size_unit))) = columns else {
            return Some(Err(Fault::field(
                "biosnoop printed neither sector nor size here, as that of bpftrace does, so there is nothing to \
                 replay; record with biosnoop of bcc (biosnoop-bpfcc) or blktrace. A request needs the columns T, \
                 SECTOR and BYTES",
                line,
            )));
        };
        let disk = find(&[b"DISK", b"DEVICE", b"DEV"]);
        Some(Ok(Self { time, disk, operation, sector, size, latency, is_begin: begin.is_some(), size_unit }))
    }
}

/// True where a line of column names stands at the beginning, so that output which lacks columns is
/// named, too.
pub(crate) fn sniff(head: &[u8]) -> bool {
    const BEFORE: usize = 20;
    lines_of(head).take(BEFORE).any(|line| Columns::of(line).is_some())
}

impl Parser for BioSnoop {
    const EXAMPLES: &'static [&'static [u8]] = &[
        b"TIME(s)     COMM           PID    DISK    T SECTOR     BYTES   LAT(ms)\n\
          0.000004    jbd2/sda1-8    1950   sda     W 8          8192       0.74\n\
          0.000178    Web Content    1950   sda     R 0          512        0.61\n",
        b"TIME(ms)     COMM             PID    DISK    T    SECTOR     BYTES   LAT(us)\n\
          611          bash             4179   259,0   WS   8          8192         10\n\
          627          cksum            4179   259,0   R    0          512          15\n",
    ];

    const READS_HEADINGS: bool = true;

    fn start(head: &[u8], options: &OpenOptions) -> Self {
        let milliseconds = lines_of(head).any(|line| line.starts_with(b"TIME(ms)"));
        let unit = if milliseconds { TimeUnit::Milliseconds } else { TimeUnit::Seconds };
        Self { clock: Clock::stated(options, unit), columns: None }
    }

    fn parse<'l>(&mut self, line: &'l [u8]) -> Result<Option<Record<'l>>, Fault> {
        if let Some(columns) = Columns::of(line) {
            self.columns = Some(columns?);
            return Ok(None);
        }
        let Some(columns) = self.columns else {
            // Lines that a tool prints before it begins.
            return if line.starts_with(b"Attach") || line.starts_with(b"Tracing") {
                Ok(None)
            } else {
                Err(Fault::field(
                    "the first line must name the columns: TIME(s) COMM PID DISK T SECTOR ...",
                    line,
                ))
            };
        };
        let done_ns = time(columns.time.of(line), self.clock.unit_ns())?;
        let latency_ns = match columns.latency {
            Some((at, unit_ns)) => time(at.of(line), unit_ns)?.min(LONGEST_LATENCY_NS),
            None => 0,
        };
        let length_bytes = number(columns.size.of(line), "size")?.checked_mul(columns.size_unit);
        let length_bytes = length_bytes.ok_or_else(|| Fault::new("the size exceeds 2^64 bytes"))?;
        let letters = columns.operation.of(line).unwrap_or_default();
        if letters.is_empty() || !letters.iter().all(u8::is_ascii_alphabetic) {
            return Err(Fault::field("the type must be letters as R, W or WS", letters));
        }
        let offset_bytes = sectors(columns.sector.of(line), "sector")?;
        let disk = columns.disk.and_then(|disk| disk.of(line)).unwrap_or_default();
        // Without a disk the number of the process stands there: the tool missed the beginning of
        // the request.
        if columns.disk.is_some() && digits(disk).is_some() {
            return Ok(None);
        }
        let at_ns = done_ns.checked_add(LONGEST_LATENCY_NS - latency_ns);
        let at_ns = at_ns.ok_or_else(|| Fault::new(format!("the time {done_ns} ns is too large")))?;
        let operation = kernel_letters(letters, length_bytes > 0);
        Ok(operation.map(|operation| Record::new(at_ns, operation, offset_bytes, length_bytes).on(disk)))
    }

    fn time_unit(&self) -> String {
        self.clock.to_string()
    }

    fn note(&self) -> String {
        match self.columns {
            Some(columns) if columns.is_begin => "times are those of the issue to the device".to_owned(),
            Some(Columns { latency: Some(_), .. }) => {
                "times are those of the issue to the device: completion less latency".to_owned()
            }
            _ => "times are those of completion".to_owned(),
        }
    }
}
