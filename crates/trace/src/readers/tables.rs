//! Formats that are a table: what their columns are, and nothing else.

use crate::options::TimeUnit;
use crate::pages::SECTOR_BYTES;
use crate::readers::columns::{
    BLANKS, BLANKS_OR_COMMAS, COMMA, Column, End, Layout, Separator, Table, TableParser, Words,
};
use crate::readers::sniff::parses;
use crate::readers::stream::lines_of;
use Column::{Date, Duration, Length, Number, Offset, Operation, Skip, Time, Volume, WholeTime};

const SECTOR: Column = Offset(SECTOR_BYTES);
const SECTORS: Column = Length(SECTOR_BYTES);
const OFFSET: Column = Offset(1);
const LENGTH: Column = Length(1);

/// MSR Cambridge csv. Times are Windows file times: ticks of 100 ns since 1601. Each disk of a host
/// is a volume, named `host_disk`. Narayanan, Donnelly and Rowstron, "Write off-loading: practical
/// power management for enterprise storage", FAST 2008.
pub(crate) struct Msr;

impl Table for Msr {
    const EXAMPLES: &'static [&'static [u8]] =
        &[b"128166372003061629,web,1,Read,1024,4096,559\r\n128166372003061729,web,1,Write,8192,512,100\r\n"];
    const SEPARATOR: Separator = COMMA;
    const COLUMNS: &'static [Column] = &[
        Time,
        Volume(true),
        Volume(true),
        Operation(Words::ReadWrite),
        OFFSET,
        LENGTH,
        Number("response time"),
    ];
    const UNIT: Option<TimeUnit> = Some(TimeUnit::Ticks);
}

/// SYSTOR '17. The lines are in the order of completion, so times go backwards. Lines with a blank
/// operation are accesses whose operation was not recorded, as the README of the traces says; they
/// are ignored, and counted as ignored. The response time is missing where no completion was seen.
/// Lee et al., "Understanding storage traffic characteristics on enterprise virtual desktop
/// infrastructure", SYSTOR 2017.
pub(crate) struct Systor;

impl Table for Systor {
    const EXAMPLES: &'static [&'static [u8]] =
        &[b"Timestamp,Response,IOType,LUN,Offset,Size\n1456095145.133076000,0.000806000,R,0,4096,8192\n1456095145.133077000,,W,2,0,512\n"];
    const SEPARATOR: Separator = COMMA;
    const COLUMNS: &'static [Column] =
        &[Time, Duration, Operation(Words::LetterOrBlank), Volume(false), OFFSET, LENGTH];
    const UNIT: Option<TimeUnit> = Some(TimeUnit::Seconds);
}

/// Alibaba block traces. Li et al., "An in-depth analysis of cloud block storage workloads in
/// large-scale production", IISWC 2020.
pub(crate) struct Alibaba;

impl Table for Alibaba {
    const EXAMPLES: &'static [&'static [u8]] =
        &[b"device_id,opcode,offset,length,timestamp\n419,W,4096,8192,1577808144000046\n725,R,0,512,1577808144000146\n"];
    const SEPARATOR: Separator = COMMA;
    const COLUMNS: &'static [Column] = &[Volume(false), Operation(Words::Letter), OFFSET, LENGTH, Time];
    const UNIT: Option<TimeUnit> = Some(TimeUnit::Microseconds);
}

/// SPC, the format of the UMass traces (Financial, WebSearch), perhaps with more columns. Each
/// application-specific storage unit (ASU) is a volume. Storage Performance Council, "SPC trace
/// file format specification", revision 1.0.1, 2002.
pub(crate) struct Spc;

impl Table for Spc {
    const EXAMPLES: &'static [&'static [u8]] = &[b"0,8,4096,R,0.026214\n1,16,512,w,0.026314\n"];
    const SEPARATOR: Separator = COMMA;
    const COLUMNS: &'static [Column] = &[Volume(false), SECTOR, LENGTH, Operation(Words::Letter), Time];
    const UNIT: Option<TimeUnit> = Some(TimeUnit::Seconds);
    const END: End = End::Anything;
}

/// Tencent cloud block storage. Zhang et al., "OSCA: an online-model based cache allocation scheme
/// in cloud block storage systems", USENIX ATC 2020.
pub(crate) struct Tencent;

impl Table for Tencent {
    const EXAMPLES: &'static [&'static [u8]] = &[b"1538323200,8,16,1,1058\n1538323201,0,1,0,1063\n"];
    const SEPARATOR: Separator = COMMA;
    const COLUMNS: &'static [Column] = &[Time, SECTOR, SECTORS, Operation(Words::ZeroReads), Volume(false)];
    const UNIT: Option<TimeUnit> = Some(TimeUnit::Seconds);
}

/// fio's log of latencies with offsets (`write_lat_log`, `log_offset=1`). fio, "HOWTO", section "Log
/// file formats".
pub(crate) struct FioLatency;

impl Table for FioLatency {
    const EXAMPLES: &'static [&'static [u8]] = &[b"1, 500000, 1, 4096, 4096, 0\n2, 400000, 0, 512, 0, 0\n"];
    const SEPARATOR: Separator = COMMA;
    const COLUMNS: &'static [Column] =
        &[Time, Number("latency"), Operation(Words::ZeroReads), LENGTH, OFFSET, Skip];
    const UNIT: Option<TimeUnit> = Some(TimeUnit::Milliseconds);
    const END: End = End::Anything;
}

/// The csv of block requests of cacheMon's io-tracer, with further columns behind the latency.
pub(crate) struct IoTracer;

impl Table for IoTracer {
    const EXAMPLES: &'static [&'static [u8]] = &[
        b"2026-01-01 08:30:40.001957,812,app,8,write,4096,0.5\n2026-01-01 08:30:40.002,812,app,0,read,512,0.5\n",
    ];
    const SEPARATOR: Separator = COMMA;
    const COLUMNS: &'static [Column] =
        &[Date, Number("process number"), Skip, SECTOR, Operation(Words::Any), LENGTH, Duration];
    const UNIT: Option<TimeUnit> = Some(TimeUnit::Microseconds);
    const END: End = End::Anything;
}

/// DiskMon of Sysinternals, separated by tabs.
pub(crate) struct DiskMon;

impl Table for DiskMon {
    const EXAMPLES: &'static [&'static [u8]] =
        &[b"0\t0.25\t0.00001\t0\tRead\t8\t16\r\n1\t0.5\t0.00002\t0\tWrite\t0\t1\r\n"];
    const SEPARATOR: Separator = BLANKS;
    const COLUMNS: &'static [Column] = &[
        Number("running number"),
        Time,
        Duration,
        Volume(false),
        Operation(Words::ReadWrite),
        SECTOR,
        SECTORS,
    ];
    const UNIT: Option<TimeUnit> = Some(TimeUnit::Seconds);
}

/// DiskSim ascii. Bucy, Schindler, Schlosser and Ganger, "The DiskSim simulation environment version
/// 4.0 reference manual", 2008, section 7.1.
pub(crate) struct DiskSim;

impl Table for DiskSim {
    const EXAMPLES: &'static [&'static [u8]] =
        &[b"0.5 0 8 16 0\n1.25 0 0 1 1\n", b"3 0 8 16 40\n4 0 0 1 41\n"];
    const SEPARATOR: Separator = BLANKS;
    const COLUMNS: &'static [Column] = &[Time, Volume(false), SECTOR, SECTORS, Operation(Words::Flags)];
    const UNIT: Option<TimeUnit> = Some(TimeUnit::Milliseconds);
}

/// SSDSim and MQSim ascii, the same column by column; with commas, too. Both simulators take
/// nanoseconds, but files converted from other traces come in us or ms as well, without saying so:
/// the unit is guessed from the rate of the first requests unless the user chooses it. Hu et al.,
/// "Exploring and exploiting the multilevel parallelism inside SSDs", 2013; Tavakkol et al.,
/// "MQSim", FAST 2018.
pub(crate) struct SsdSim;

impl Table for SsdSim {
    const EXAMPLES: &'static [&'static [u8]] =
        &[b"10\t0\t8\t16\t0\n30\t0\t0\t1\t1\n// written by a converter\n", b"10,0,8,16,0\n30,0,0,1,1\n"];
    const SEPARATOR: Separator = BLANKS_OR_COMMAS;
    const COLUMNS: &'static [Column] =
        &[WholeTime, Volume(false), SECTOR, SECTORS, Operation(Words::ZeroWrites)];
    const UNIT: Option<TimeUnit> = None;
    const END: End = End::Comment;
}

/// True for five columns, with fractions in the first or more than one bit in the last, on any
/// line that is a request: by that a DiskSim trace is told from one of SSDSim or MQSim.
pub(crate) fn is_disksim(head: &[u8]) -> bool {
    let layout = Layout::of::<DiskSim>();
    let is_own = |line: &[u8]| {
        let mut fields = line.split(|byte| matches!(byte, b' ' | b'\t'));
        let fraction = fields.next().is_some_and(|time| time.contains(&b'.'));
        let flags = fields.next_back();
        (fraction || flags.is_some_and(|flags| flags.len() > 1)) && layout.parse(line, 1).is_ok()
    };
    parses::<TableParser<DiskSim>>(head) && lines_of(head).any(is_own)
}
