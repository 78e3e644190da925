//! The formats: one file each, one line each in the registry below.

mod biosnoop;
mod blkparse;
mod blkreplay;
mod blktrace;
mod clock;
mod columns;
mod fields;
mod fio_iolog;
mod fiu;
mod kernel_events;
mod nbdkit_log;
pub(crate) mod own_columns;
pub(crate) mod plain_csv;
mod sink;
mod sniff;
mod stream;
mod tables;
mod vscsi;
mod vscsi_csv;
mod wiscsee;
mod words;

#[cfg(test)]
#[path = "../../tests/worked_examples/semicolons.rs"]
mod worked_example;

use crate::compact::reader::CompactSource;
use crate::decompress::Input;
use crate::error::TraceError;
use crate::options::OpenOptions;
use crate::readers::columns::{Table, TableParser};
use crate::readers::sniff::{Closeness, closeness, parses, parses_half};
use crate::readers::stream::{FormatSource, Parser};
use crate::source::Source;

pub(crate) use crate::readers::sink::too_long;

/// A boxed source that may go to another thread.
pub type AnySource = Box<dyn Source + Send>;

/// A trace format.
pub struct Format {
    /// The name that options take.
    pub name: &'static str,
    /// Other names for it.
    pub aliases: &'static [&'static str],
    /// How a record looks, in a line.
    pub layout: &'static str,
    /// The beginnings of files in this format, for tests and fuzzers; no other format takes them
    /// for its own.
    pub examples: &'static [&'static [u8]],
    pub(crate) text: bool,
    pub(crate) sniff: fn(&[u8]) -> bool,
    /// Whether it may be this format where no format is recognised for certain.
    pub(crate) sniff_damaged: fn(&[u8]) -> bool,
    /// The fault of a file in no known format as one in this format.
    pub(crate) closeness: fn(&[u8]) -> Option<Closeness>,
    pub(crate) open: fn(&'static str, Input, &OpenOptions) -> Result<AnySource, TraceError>,
}

const fn format<P: Parser>(name: &'static str, layout: &'static str) -> Format {
    Format {
        name,
        aliases: &[],
        layout,
        examples: P::EXAMPLES,
        text: P::TEXT,
        sniff: parses::<P>,
        sniff_damaged: parses_half::<P>,
        closeness: closeness::<P>,
        open: open_with::<P>,
    }
}

const fn table<T: Table>(name: &'static str, layout: &'static str) -> Format {
    format::<TableParser<T>>(name, layout)
}

impl Format {
    /// Whether a file that begins with `head` is taken for one in this format, were there no other
    /// formats.
    pub fn takes(&self, head: &[u8]) -> bool {
        (self.sniff)(head)
    }

    const fn known_by(self, sniff: fn(&[u8]) -> bool) -> Self {
        Self { sniff, sniff_damaged: |_| false, closeness: |_| None, ..self }
    }

    const fn or(self, aliases: &'static [&'static str]) -> Self {
        Self { aliases, ..self }
    }
}

fn open_with<P: Parser>(
    name: &'static str,
    input: Input,
    options: &OpenOptions,
) -> Result<AnySource, TraceError> {
    refuse_unusable(name, options, P::HAS_EVENTS, P::HAS_TIME_UNIT)?;
    Ok(Box::new(FormatSource::<P>::new(name, input, options)))
}

/// An option that a format has no use for is a mistake of the user, not to be passed over.
fn refuse_unusable(
    name: &str,
    options: &OpenOptions,
    has_events: bool,
    has_time_unit: bool,
) -> Result<(), TraceError> {
    if options.event.is_some() && !has_events {
        let problem = format!("an event is chosen, and the format {name} has one line for each request");
        return Err(TraceError::parameter(problem, "leave the event out"));
    }
    if options.time_unit.is_some() && !has_time_unit {
        let problem = format!("a time unit is chosen, and the format {name} fixes its own");
        return Err(TraceError::parameter(problem, "leave the time unit out"));
    }
    Ok(())
}

/// Every format, in the order in which a file's content is tried on them: those that cannot be
/// mistaken first.
pub(crate) static FORMATS: &[Format] = &[
    Format {
        name: "compact",
        aliases: &["rewear"],
        layout: "Rewear's own binary format (docs/manual/formats.md)",
        examples: &[crate::compact::EXAMPLE],
        text: false,
        sniff: crate::compact::is_compact,
        sniff_damaged: |_| false,
        closeness: |_| None,
        open: |name, input, options| {
            refuse_unusable(name, options, false, false)?;
            Ok(Box::new(CompactSource::new(input, options)?))
        },
    },
    format::<blktrace::BlkTrace>("blktrace", "binary records of the kernel's blktrace")
        .known_by(blktrace::sniff),
    format::<fio_iolog::FioIolog>(
        "fio",
        "fio version 3 iolog, then: time_us file action offset_bytes length_bytes",
    )
    .or(&["fio-iolog"])
    .known_by(fio_iolog::sniff),
    format::<nbdkit_log::NbdkitLog>("nbdkit", "date time connection=N Write id=N offset=0x.. count=0x.. ...")
        .or(&["nbdkit-log"]),
    format::<blkparse::BlkParse>(
        "blkparse",
        "major,minor cpu sequence time_s pid action letters sector + sectors [process]",
    ),
    table::<tables::Msr>("msr", "ticks,host,disk,Read|Write,offset_bytes,length_bytes,response_ticks")
        .or(&["msr-cambridge"]),
    format::<blkreplay::BlkReplay>("blkreplay", "start_s ; sector ; sectors ; R|W ; .."),
    table::<tables::Systor>("systor17", "time_s,response_s,R|W,lun,offset_bytes,length_bytes")
        .or(&["systor"]),
    table::<tables::Alibaba>("alibaba", "device,R|W,offset_bytes,length_bytes,time_us"),
    format::<biosnoop::BioSnoop>(
        "biosnoop",
        "TIME(s) COMM PID DISK T SECTOR BYTES LAT(ms), as its heading says; iosnoop -ts, too",
    )
    .or(&["iosnoop"])
    .known_by(biosnoop::sniff),
    format::<kernel_events::KernelEvents>(
        "kernel-events",
        "task-pid [cpu] flags time_s: block_rq_issue: major,minor letters bytes () sector + sectors [process]",
    )
    .or(&["ftrace", "trace-cmd", "perf"]),
    table::<tables::IoTracer>("io-tracer", "date time,pid,command,sector,operation,length_bytes,latency_ms,..."),
    format::<vscsi_csv::VscsiCsv>("vscsi-csv", "version,time_us,scsi_command,length_bytes,sector"),
    table::<tables::Spc>("spc", "asu,sector,length_bytes,R|W,time_s").or(&["umass"]),
    table::<tables::FioLatency>("fio-lat", "time_ms, latency, 0 read|1 write, length_bytes, offset_bytes, priority"),
    format::<plain_csv::PlainCsv>("csv", "time_ns,operation,offset_bytes,length_bytes"),
    table::<tables::Tencent>("tencent", "time_s,sector,sectors,0 read|1 write,volume"),
    format::<fiu::Fiu>("fiu", "time_ns pid process sector sectors R|W major minor md5"),
    table::<tables::DiskMon>("diskmon", "number time_s duration_s disk Read|Write sector sectors"),
    format::<wiscsee::WiscSee>("wiscsee", "pid D|C operation offset_bytes length_bytes time_s wait_s sync"),
    table::<tables::DiskSim>("disksim", "time_ms device sector sectors flags (hexadecimal, bit 0: read)")
        .known_by(tables::is_disksim),
    Format {
        sniff: |_| false,
        sniff_damaged: |_| false,
        closeness: |_| None,
        ..format::<own_columns::Own>("columns", "as the option columns says: time_us+op+sector+sectors, ...")
    },
    table::<tables::SsdSim>("ssdsim", "time device sector sectors 0 write|1 read").or(&["mqsim"]),
    format::<vscsi::Vscsi>("vscsi", "binary records of 32 (version 1) or 40 bytes (version 2)")
        .known_by(vscsi::sniff),
];
