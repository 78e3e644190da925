//! One reader of lines by their columns: those of a format's table, or those that a user names.

use std::borrow::Cow;

use crate::error::Fault;
use crate::operation::Operation;
use crate::options::{OpenOptions, TimeUnit};
use crate::pages::SECTOR_BYTES;
use crate::readers::clock::Clock;
use crate::readers::fields::{digits, hexadecimal, missing, time};
use crate::readers::nbdkit_log::time_of_day;
use crate::readers::sink::Record;
use crate::readers::stream::{Parser, lines_of};
use crate::readers::words;

/// What a column of a line is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Column {
    /// Anything.
    Skip,
    /// A number without a use here, and its name.
    Number(&'static str),
    /// A duration, with or without fraction; empty where it was not seen.
    Duration,
    /// The time of the request.
    Time,
    /// The same as a whole number.
    WholeTime,
    /// The same as `YYYY-MM-DD hh:mm:ss.fraction` or with a `T` between.
    Date,
    /// The operation, in these words.
    Operation(Words),
    /// The first byte, in units of this number of bytes.
    Offset(u64),
    /// The length, in units of this number of bytes.
    Length(u64),
    /// The placement identifier; 0 where it is empty.
    Stream,
    /// A part of the volume's name; a number unless `true`.
    Volume(bool),
}

/// How a format writes reads and writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Words {
    /// `R` and `W`, in either case.
    Letter,
    /// The same; a blank is an access whose operation was not recorded.
    LetterOrBlank,
    /// 0 for a write, 1 for a read.
    ZeroWrites,
    /// 0 for a read, 1 for a write, 2 for a trim.
    ZeroReads,
    /// A hexadecimal number with bit 0 set for a read.
    Flags,
    /// `Read` and `Write`, or their first letters.
    ReadWrite,
    /// Any of the words of [`words::any`].
    Any,
}

/// What stands between columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Separator {
    Byte(u8),
    /// Runs of these bytes.
    Runs(&'static [u8]),
}

/// Blanks and tabs.
pub(crate) const BLANKS: Separator = Separator::Runs(b" \t");
/// Blanks, tabs and commas.
pub(crate) const BLANKS_OR_COMMAS: Separator = Separator::Runs(b" \t,");
/// A comma.
pub(crate) const COMMA: Separator = Separator::Byte(b',');

/// What may follow the last column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// Nothing.
    Here,
    /// A comment that begins with `//`.
    Comment,
    /// More columns.
    Anything,
}

/// A format as a table.
pub(crate) trait Table: Send + 'static {
    const EXAMPLES: &'static [&'static [u8]];
    const SEPARATOR: Separator;
    const COLUMNS: &'static [Column];
    /// The unit of times; `None` for formats whose files come in several, so that it is guessed.
    const UNIT: Option<TimeUnit>;
    const END: End = End::Here;
}

/// Walks over the columns of a line.
struct Walk<'l> {
    line: &'l [u8],
    at: Option<usize>,
}

impl<'l> Walk<'l> {
    fn new(line: &'l [u8]) -> Self {
        Self { line, at: Some(0) }
    }

    /// The next column, without blanks around it.
    #[inline]
    fn next(&mut self, separator: Separator) -> Option<&'l [u8]> {
        let rest = &self.line[self.at?..];
        match separator {
            Separator::Byte(byte) => {
                let end = memchr::memchr(byte, rest);
                self.at = end.map(|end| self.line.len() - rest.len() + end + 1);
                Some(rest[..end.unwrap_or(rest.len())].trim_ascii())
            }
            Separator::Runs(bytes) => {
                let start = rest.iter().position(|byte| !bytes.contains(byte))?;
                let field = &rest[start..];
                let end = field.iter().position(|byte| bytes.contains(byte)).unwrap_or(field.len());
                self.at = Some(self.line.len() - field.len() + end);
                Some(&field[..end])
            }
        }
    }
}

/// The columns of a line, as a reader of them sees them.
pub(crate) fn split(line: &[u8], separator: Separator) -> Vec<&[u8]> {
    let mut walk = Walk::new(line);
    std::iter::from_fn(|| walk.next(separator)).collect()
}

/// How lines are read.
#[derive(Clone, Debug)]
pub(crate) struct Layout {
    pub(crate) separator: Separator,
    pub(crate) columns: Cow<'static, [Column]>,
    pub(crate) end: End,
    /// Words of the user for reads and writes, before those of the table.
    pub(crate) own: Vec<(Vec<u8>, Operation)>,
    /// The operation where no column has it.
    pub(crate) always: Option<Operation>,
    /// Units that are taken off whole times which exceed 2^64 ns.
    pub(crate) epoch: u64,
}

impl Layout {
    pub(crate) fn of<T: Table>() -> Self {
        let (separator, columns, end) = (T::SEPARATOR, Cow::Borrowed(T::COLUMNS), T::END);
        Self { separator, columns, end, own: Vec::new(), always: None, epoch: 0 }
    }

    /// The request of a line; `None` where its operation was not recorded.
    #[inline]
    pub(crate) fn parse<'l>(&self, line: &'l [u8], unit_ns: u64) -> Result<Option<Record<'l>>, Fault> {
        let mut walk = Walk::new(line);
        let mut operation = self.always;
        let mut record = Record::new(0, Operation::Read, 0, 0);
        let mut volume: Option<(usize, usize)> = None;
        for &column in &*self.columns {
            let field = walk.next(self.separator).ok_or_else(|| missing(name(column)))?;
            match column {
                Column::Skip => {}
                Column::Number(what) => {
                    whole(field, what)?;
                }
                Column::Duration if field.is_empty() => {}
                Column::Duration => {
                    time(Some(field), 1)?;
                }
                Column::Time if self.epoch > 0 => {
                    let units = whole(field, "time")?.saturating_sub(self.epoch);
                    record.at_ns = units.saturating_mul(unit_ns);
                }
                Column::Time => record.at_ns = time(Some(field), unit_ns)?,
                Column::WholeTime => {
                    let units = whole(field, "time")?;
                    record.at_ns = units.checked_mul(unit_ns).ok_or_else(|| {
                        Fault::new(format!("the time {units} exceeds 2^64 ns; choose a finer time unit"))
                    })?;
                }
                Column::Date => record.at_ns = date(field, &mut walk, self.separator)?,
                Column::Operation(words) => operation = self.operation(words, field)?,
                Column::Offset(unit) => record.offset_bytes = scaled(field, unit, "offset")?,
                Column::Length(unit) => record.length_bytes = scaled(field, unit, "length")?,
                Column::Stream if field.is_empty() => {}
                Column::Stream => {
                    record.stream = whole(field, "stream")?.try_into().map_err(|_| {
                        Fault::field("the stream must be a placement identifier of 0 to 255", field)
                    })?;
                }
                Column::Volume(named) => {
                    if !named && digits(field).is_none() {
                        return Err(Fault::field("the device must be a number", field));
                    }
                    let start = field.as_ptr() as usize - line.as_ptr() as usize;
                    volume = Some((volume.map_or(start, |(start, _)| start), start + field.len()));
                }
            }
        }
        if self.end != End::Anything
            && let Some(more) = walk.next(self.separator)
            && !(self.end == End::Comment && more.starts_with(b"//"))
        {
            return Err(Fault::field("the line must end after its last column", more));
        }
        let Some(operation) = operation else { return Ok(None) };
        record.operation = operation;
        if !operation.has_range() {
            (record.offset_bytes, record.length_bytes) = (0, 0);
        }
        Ok(Some(volume.map_or(record, |(start, end)| record.on(&line[start..end]))))
    }

    #[inline]
    fn operation(&self, words: Words, field: &[u8]) -> Result<Option<Operation>, Fault> {
        if let Some((_, operation)) =
            self.own.iter().find(|(word, _)| word == b"*" || word.eq_ignore_ascii_case(field))
        {
            return Ok(Some(*operation));
        }
        match words {
            Words::LetterOrBlank if field.is_empty() => Ok(None),
            Words::Letter | Words::LetterOrBlank => words::read_or_write(Some(field)).map(Some),
            Words::ZeroWrites => words::zero_writes(Some(field)).map(Some),
            Words::ZeroReads => match field {
                b"0" => Ok(Some(Operation::Read)),
                b"1" => Ok(Some(Operation::Write)),
                b"2" => Ok(Some(Operation::Trim)),
                other => Err(Fault::field("the operation must be 0 (read) or 1 (write)", other)),
            },
            Words::Flags => flags(field).map(Some),
            Words::ReadWrite => match field {
                b"Read" | b"read" | b"R" => Ok(Some(Operation::Read)),
                b"Write" | b"write" | b"W" => Ok(Some(Operation::Write)),
                other => Err(Fault::field("the operation must be Read or Write", other)),
            },
            Words::Any => words::any(field).map(Some).ok_or_else(|| {
                Fault::field("the operation must be read or write, or a word for them", field)
            }),
        }
    }
}

/// Flags in hexadecimal; bit 0, in the last digit, says read.
fn flags(field: &[u8]) -> Result<Operation, Fault> {
    if field.is_empty() || field.len() > 8 || !field.iter().all(u8::is_ascii_hexdigit) {
        return Err(Fault::field("the flags must be a hexadecimal number", field));
    }
    let last = char::from(field[field.len() - 1]).to_digit(16).unwrap_or(0);
    Ok(if last & 1 == 1 { Operation::Read } else { Operation::Write })
}

fn whole(field: &[u8], what: &str) -> Result<u64, Fault> {
    match digits(field) {
        Some(value) => Ok(value),
        None => hexadecimal(Some(field), what),
    }
}

/// A number of units, in bytes.
#[inline]
fn scaled(field: &[u8], unit: u64, what: &str) -> Result<u64, Fault> {
    let what = match unit {
        SECTOR_BYTES if what == "offset" => "sector",
        SECTOR_BYTES => "number of sectors",
        _ => what,
    };
    let count = if field.is_empty() { 0 } else { whole(field, what)? };
    count.checked_mul(unit).ok_or_else(|| Fault::new(format!("the {what} {count} exceeds 2^64 bytes")))
}

/// A date with its time of day behind a blank or a `T`; between blanks the time is a column of its own.
fn date<'l>(field: &'l [u8], walk: &mut Walk<'l>, separator: Separator) -> Result<u64, Fault> {
    match field.iter().position(|byte| matches!(byte, b' ' | b'T')) {
        Some(at) => time_of_day(
            Some(&field[..at]),
            Some(field[at + 1..].strip_suffix(b"Z").unwrap_or(&field[at + 1..])),
        ),
        None => time_of_day(Some(field), walk.next(separator)),
    }
}

fn name(column: Column) -> &'static str {
    match column {
        Column::Number(what) => what,
        Column::Skip => "last column",
        Column::Duration => "duration",
        Column::Time | Column::WholeTime | Column::Date => "time",
        Column::Operation(_) => "operation",
        Column::Offset(SECTOR_BYTES) => "sector",
        Column::Offset(_) => "offset",
        Column::Length(SECTOR_BYTES) => "number of sectors",
        Column::Length(_) => "length",
        Column::Volume(_) => "device",
        Column::Stream => "stream",
    }
}

/// The parser of a table.
pub(crate) struct TableParser<T> {
    layout: Layout,
    clock: Clock,
    table: std::marker::PhantomData<fn() -> T>,
}

impl<T: Table> Parser for TableParser<T> {
    const EXAMPLES: &'static [&'static [u8]] = T::EXAMPLES;

    const HAS_TIME_UNIT: bool = !matches!(T::COLUMNS[0], Column::Date);

    fn start(head: &[u8], options: &OpenOptions) -> Self {
        let mut layout = Layout::of::<T>();
        let clock = match T::UNIT {
            Some(unit) => Clock::stated(options, unit),
            None => guessed(&layout, head, options),
        };
        layout.epoch = epoch(&layout, head, clock.unit_ns());
        Self { layout, clock, table: std::marker::PhantomData }
    }

    #[inline]
    fn parse<'l>(&mut self, line: &'l [u8]) -> Result<Option<Record<'l>>, Fault> {
        self.layout.parse(line, self.clock.unit_ns())
    }

    fn time_unit(&self) -> String {
        self.clock.to_string()
    }
}

/// The whole times of the first lines.
fn whole_times<'l>(layout: &'l Layout, head: &'l [u8]) -> impl Iterator<Item = u64> + 'l {
    let at = layout.columns.iter().position(|column| matches!(column, Column::Time | Column::WholeTime));
    // A comment has no digits there.
    lines_of(head).filter_map(move |line| {
        let mut walk = Walk::new(line);
        std::iter::from_fn(|| walk.next(layout.separator)).nth(at?).and_then(digits)
    })
}

/// Units to take off, where the times of the head are too large for nanoseconds in 64 bits.
fn epoch(layout: &Layout, head: &[u8], unit_ns: u64) -> u64 {
    /// Most that later lines may be dated before the first ones.
    const EARLIER_NS: u64 = 1 << 50;
    let is_too_large = whole_times(layout, head).any(|units| units.checked_mul(unit_ns).is_none());
    let earliest = whole_times(layout, head).min().filter(|_| is_too_large).unwrap_or(0);
    earliest.saturating_sub(EARLIER_NS / unit_ns)
}

/// The unit of whole times, by the rate of the first requests.
pub(crate) fn guessed(layout: &Layout, head: &[u8], options: &OpenOptions) -> Clock {
    let times = || whole_times(layout, head);
    let (earliest, latest) = (times().min().unwrap_or(0), times().max().unwrap_or(0));
    Clock::guessed(options, times().count() as u64, latest - earliest)
}
