//! How a trace file is to be read, where its content does not say or says it wrongly.

use std::fmt;
use std::str::FromStr;

use crate::error::TraceError;

/// Choices of a user in opening a trace; the default is to follow the content, strictly.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OpenOptions {
    /// The name of a format (see [`crate::formats`]) instead of recognising it.
    pub format: Option<String>,
    /// Count malformed lines or records ([`crate::Omissions::bad_lines`]) and go on, instead of
    /// stopping at the first.
    pub skip_bad_lines: bool,
    /// Leave trims out: most published traces have none.
    pub skip_trims: bool,
    /// Bytes added to every offset. Traces of partitions that started at sector 63 are aligned
    /// again by 512.
    pub shift_bytes: u64,
    /// Take only the requests of the volume of this name.
    pub volume: Option<String>,
    /// The unit of the trace's times instead of the format's own or a guess.
    pub time_unit: Option<TimeUnit>,
    /// The event that counts as a request in traces that log several for each (blkparse, blktrace,
    /// wiscsee).
    pub event: Option<Event>,
    /// The columns of the format `columns`.
    pub own_columns: Option<OwnColumns>,
    /// Take out gaps between requests, and steps back of the clock, that are longer than this: what
    /// follows goes on at the latest time before.
    pub cut_gaps_ns: Option<u64>,
}

/// Columns of lines as a user names them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OwnColumns {
    /// Names joined by `+`: `time_us+op+sector+sectors`. `time`, `time_ns`, `time_us`, `time_ms`,
    /// `time_s` or `date`; `op`; `offset` (bytes, or `offset*4096`) or `sector`; `bytes` (or
    /// `bytes*1024`) or `sectors`; `volume`; `-` for a column that says nothing.
    pub columns: String,
    /// `comma`, `semicolon`, `tab`, `bar`, `blank`, `colon`, `at` or a sign; the first of them that
    /// lines have, if not given.
    pub separator: Option<String>,
    /// Words for reads beside the usual ones, joined by `+`; `*` if all requests are reads.
    pub reads: Option<String>,
    /// The same for writes.
    pub writes: Option<String>,
}

/// Units of time in traces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeUnit {
    /// 1e-9 s.
    Nanoseconds,
    /// 100 ns, the tick of Windows file times.
    Ticks,
    /// 1e-6 s.
    Microseconds,
    /// 1e-3 s.
    Milliseconds,
    /// 1 s.
    Seconds,
}

impl TimeUnit {
    /// All units, the finest first.
    pub const ALL: [Self; 5] =
        [Self::Nanoseconds, Self::Ticks, Self::Microseconds, Self::Milliseconds, Self::Seconds];

    /// The unit's length.
    pub fn ns(self) -> u64 {
        match self {
            Self::Nanoseconds => 1,
            Self::Ticks => 100,
            Self::Microseconds => 1_000,
            Self::Milliseconds => 1_000_000,
            Self::Seconds => 1_000_000_000,
        }
    }

    /// The name that [`TimeUnit::from_str`] reads: `ns`, `ticks`, `us`, `ms`, `s`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Nanoseconds => "ns",
            Self::Ticks => "ticks",
            Self::Microseconds => "us",
            Self::Milliseconds => "ms",
            Self::Seconds => "s",
        }
    }
}

impl fmt::Display for TimeUnit {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.name())
    }
}

impl FromStr for TimeUnit {
    type Err = TraceError;

    fn from_str(text: &str) -> Result<Self, TraceError> {
        Self::ALL.into_iter().find(|unit| unit.name() == text).ok_or_else(|| {
            TraceError::parameter(
                format!("the time unit \"{text}\" does not exist"),
                "use ns, ticks (100 ns), us, ms or s",
            )
        })
    }
}

/// The stages of a request's way through the block layer that a tracer logs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// Q: the block layer got the request, before merging.
    Queued,
    /// D: the driver was given the request, after merging; what the device sees.
    Issued,
    /// C: the device has finished.
    Completed,
}

impl Event {
    /// All events, in the order in which they are preferred where the user does not choose.
    pub const ALL: [Self; 3] = [Self::Issued, Self::Queued, Self::Completed];

    /// The letter that blkparse prints: `Q`, `D` or `C`.
    pub fn letter(self) -> u8 {
        match self {
            Self::Queued => b'Q',
            Self::Issued => b'D',
            Self::Completed => b'C',
        }
    }
}

impl fmt::Display for Event {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let meaning = match self {
            Self::Queued => "queued",
            Self::Issued => "issued to the device",
            Self::Completed => "completed",
        };
        write!(out, "{} ({meaning})", char::from(self.letter()))
    }
}

impl FromStr for Event {
    type Err = TraceError;

    fn from_str(text: &str) -> Result<Self, TraceError> {
        Self::ALL
            .into_iter()
            .find(|event| text.as_bytes().eq_ignore_ascii_case(&[event.letter()]))
            .ok_or_else(|| {
                TraceError::parameter(
                    format!("the event \"{text}\" does not exist"),
                    "use Q (queued), D (issued to the device) or C (completed)",
                )
            })
    }
}
