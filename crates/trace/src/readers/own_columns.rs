//! Lines whose columns the user names: `columns=time_us+op+sector+sectors`.

use std::borrow::Cow;

use crate::error::{Fault, TraceError};
use crate::operation::Operation;
use crate::options::{OpenOptions, OwnColumns, TimeUnit};
use crate::pages::SECTOR_BYTES;
use crate::readers::clock::Clock;
use crate::readers::columns::{BLANKS, Column, End, Layout, Separator, Words, guessed, split};
use crate::readers::sink::Record;
use crate::readers::stream::{Parser, is_passed_over, lines_of};

/// The names that columns take, for messages and the manual.
pub(crate) const NAMES: &str =
    "time, time_ns, time_us, time_ms, time_s, date, op, offset, sector, bytes, sectors, volume, stream and -";

/// Separators by name.
const SEPARATORS: [(&str, Separator); 7] = [
    ("comma", Separator::Byte(b',')),
    ("semicolon", Separator::Byte(b';')),
    ("tab", Separator::Byte(b'\t')),
    ("bar", Separator::Byte(b'|')),
    ("blank", BLANKS),
    ("colon", Separator::Runs(b" \t:")),
    ("at", Separator::Runs(b" \t:@")),
];

/// See the module.
pub(crate) struct Own {
    layout: Layout,
    clock: Clock,
    is_untimed: bool,
}

/// The columns, the unit of times, and the operation where no column has it.
struct Named {
    columns: Vec<Column>,
    unit: Option<TimeUnit>,
    is_timed: bool,
    always: Option<Operation>,
}

/// Checks what a user names.
///
/// # Errors
/// A column, a separator or a factor does not exist, or a request cannot be told from them.
pub(crate) fn check(own: &OwnColumns) -> Result<(), TraceError> {
    named(own)?;
    own.separator.as_deref().map(separator_of).transpose()?;
    Ok(())
}

fn named(own: &OwnColumns) -> Result<Named, TraceError> {
    let mut found = Named { columns: Vec::new(), unit: None, is_timed: false, always: None };
    for name in own.columns.split('+') {
        let (name, factor) = match name.trim().split_once('*') {
            Some((name, factor)) => (name, factor_of(factor)?),
            None => (name.trim(), 1),
        };
        let column = match name {
            "time" | "time_ns" | "time_ticks" | "time_us" | "time_ms" | "time_s" => {
                found.is_timed = true;
                found.unit =
                    TimeUnit::ALL.into_iter().find(|unit| name[4..].strip_prefix('_') == Some(unit.name()));
                Column::Time
            }
            "date" => {
                found.is_timed = true;
                Column::Date
            }
            "op" | "operation" => Column::Operation(Words::Any),
            "offset" | "offset_bytes" => Column::Offset(factor),
            "sector" => Column::Offset(SECTOR_BYTES),
            "bytes" | "length" | "length_bytes" | "size" => Column::Length(factor),
            "sectors" => Column::Length(SECTOR_BYTES),
            "volume" | "device" => Column::Volume(true),
            "stream" => Column::Stream,
            "-" | "skip" | "" => Column::Skip,
            other => {
                let problem = format!("there is no column \"{other}\"");
                return Err(TraceError::parameter(problem, format!("write {NAMES}, joined by +")));
            }
        };
        found.columns.push(column);
    }
    let has = |wanted: fn(&Column) -> bool| found.columns.iter().any(wanted);
    let has_operation = has(|column| matches!(column, Column::Operation(_)));
    let all = |words: &Option<String>| words.as_deref() == Some("*");
    found.always = match (all(&own.writes), all(&own.reads)) {
        (true, _) => Some(Operation::Write),
        (_, true) => Some(Operation::Read),
        _ => None,
    };
    if !has(|column| matches!(column, Column::Offset(_)))
        || !has(|column| matches!(column, Column::Length(_)))
    {
        let problem = format!("the columns {} name no place or no length", own.columns);
        return Err(TraceError::parameter(
            problem,
            "name offset or sector, and bytes or sectors; a factor is offset*4096",
        ));
    }
    if !has_operation && found.always.is_none() {
        let problem = format!("the columns {} name no operation", own.columns);
        return Err(TraceError::parameter(problem, "name op, or say writes=* if all requests are writes"));
    }
    Ok(found)
}

fn factor_of(text: &str) -> Result<u64, TraceError> {
    text.parse().ok().filter(|&factor| factor > 0).ok_or_else(|| {
        TraceError::parameter(
            format!("\"{text}\" is no factor of a column"),
            "write a whole number, as offset*4096",
        )
    })
}

fn separator_of(name: &str) -> Result<Separator, TraceError> {
    let known = SEPARATORS.iter().find(|(known, _)| *known == name).map(|&(_, separator)| separator);
    let byte = match name.as_bytes() {
        &[byte] if byte.is_ascii_punctuation() => Some(Separator::Byte(byte)),
        _ => None,
    };
    known.or(byte).ok_or_else(|| {
        let names = SEPARATORS.map(|(name, _)| name).join(", ");
        TraceError::parameter(format!("there is no separator \"{name}\""), format!("use one of: {names}"))
    })
}

/// The separator of lines: the first of comma, semicolon, bar and tab that they have, otherwise blanks.
pub(crate) fn separator(head: &[u8]) -> (&'static str, Separator) {
    let line = lines_of(head).find(|line| !is_passed_over(line, false)).unwrap_or_default();
    let quoted = line.iter().position(|&byte| byte == b'(').unwrap_or(line.len());
    let has = |separator: &Separator| match separator {
        Separator::Byte(byte) => line[..quoted].contains(byte),
        Separator::Runs(_) => false,
    };
    let mut found = SEPARATORS.iter().filter(|(_, separator)| has(separator));
    let (name, separator) = found.next().unwrap_or(&SEPARATORS[4]);
    (name, *separator)
}

/// Words of the user for an operation, joined by +.
fn words<'w>(
    words: &'w Option<String>,
    operation: Operation,
) -> impl Iterator<Item = (Vec<u8>, Operation)> + 'w {
    let each = words.as_deref().unwrap_or_default().split('+').filter(|word| !word.is_empty());
    each.map(move |word| (word.as_bytes().to_vec(), operation))
}

impl Parser for Own {
    const EXAMPLES: &'static [&'static [u8]] = &[];

    fn start(head: &[u8], options: &OpenOptions) -> Self {
        let own = options.own_columns.clone().unwrap_or_default();
        let named =
            named(&own).unwrap_or(Named { columns: Vec::new(), unit: None, is_timed: false, always: None });
        let chosen = own.separator.as_deref().and_then(|name| separator_of(name).ok());
        let reads = words(&own.reads, Operation::Read);
        let layout = Layout {
            separator: chosen.unwrap_or_else(|| separator(head).1),
            columns: Cow::Owned(named.columns),
            end: End::Anything,
            own: reads.chain(words(&own.writes, Operation::Write)).collect(),
            always: named.always,
            epoch: 0,
        };
        let clock = match named.unit {
            Some(unit) => Clock::stated(options, unit),
            None => guessed(&layout, head, options),
        };
        Self { layout, clock, is_untimed: !named.is_timed }
    }

    fn parse<'l>(&mut self, line: &'l [u8]) -> Result<Option<Record<'l>>, Fault> {
        self.layout.parse(line, self.clock.unit_ns())
    }

    fn is_untimed(&self) -> bool {
        self.is_untimed
    }

    fn time_unit(&self) -> String {
        if self.is_untimed { "none: no column is a time".to_owned() } else { self.clock.to_string() }
    }
}

/// The columns of a head that look like a time, an operation, a place and a length, as the option
/// `columns`; `None` where they do not look like requests. Without a column for the operation all are
/// writes (`writes=*`).
pub(crate) fn likely(head: &[u8]) -> Option<String> {
    let found =
        || SEPARATORS.iter().filter_map(|(name, separator)| Some((name, likely_by(head, *separator)?)));
    let (name, columns) = found()
        .find(|(_, columns)| columns.contains("time") || columns.contains("date"))
        .or(found().next())?;
    let own = if separator(head).0 == *name { String::new() } else { format!(",separator={name}") };
    let all = if columns.split('+').any(|column| column == "op") { "" } else { ",writes=*" };
    Some(format!("format=columns,columns={columns}{own}{all}"))
}

/// Lines that are looked at.
const LOOKED_AT: usize = 200;

fn likely_by(head: &[u8], separator: Separator) -> Option<String> {
    let lines: Vec<Vec<&[u8]>> = lines_of(head)
        .skip_while(|line| is_passed_over(line, false))
        .filter(|line| !is_passed_over(line, true))
        .take(LOOKED_AT)
        .map(|line| split(line, separator))
        .collect();
    let width = lines.iter().map(Vec::len).min().filter(|&width| width >= 3 && lines.len() >= 2)?;
    let columns: Vec<Seen> = (0..width).map(|at| Seen::of(lines.iter().map(|line| line[at]))).collect();
    let operation = columns.iter().position(|seen| seen.is_operation);
    let time = columns.iter().position(|seen| seen.is_date || (seen.is_time() && seen.has_fractions));
    let time = time.or(columns.iter().position(Seen::is_time));
    let numbers = || (0..width).filter(|&at| Some(at) != time && columns[at].is_number);
    if operation.is_none() {
        // Numbers alone are anything: only with a clock they look like requests.
        time.filter(|&at| columns[at].is_date || columns[at].has_fractions)?;
    }
    let length = numbers().filter(|&at| columns[at].is_length()).max_by_key(|&at| columns[at].is_bytes())?;
    let is_place = |at: &usize| *at != length && columns[*at].different > 1 && !columns[*at].has_fractions;
    let place = numbers().filter(is_place).max_by_key(|&at| (columns[at].most, columns[at].different))?;
    let in_bytes = columns[place].is_bytes() && columns[length].is_bytes();
    let named =
        (0..=place.max(length).max(operation.unwrap_or(0)).max(time.unwrap_or(0))).map(|at| match at {
            at if Some(at) == operation => "op".to_owned(),
            at if Some(at) == time => columns[at].time_name(),
            at if at == place && in_bytes => "offset".to_owned(),
            at if at == place => "sector".to_owned(),
            at if at == length && columns[at].is_bytes() => "bytes".to_owned(),
            at if at == length => "sectors".to_owned(),
            _ => "-".to_owned(),
        });
    Some(named.collect::<Vec<_>>().join("+"))
}

/// What the values of a column are like.
struct Seen {
    is_operation: bool,
    is_number: bool,
    is_date: bool,
    has_fractions: bool,
    is_rising: bool,
    is_in_sectors: bool,
    first: f64,
    most: u64,
    different: usize,
    count: usize,
}

impl Seen {
    fn of<'a>(values: impl Iterator<Item = &'a [u8]> + Clone) -> Self {
        let number = |value: &[u8]| std::str::from_utf8(value).ok().and_then(number);
        let numbers: Vec<f64> = values.clone().filter_map(number).collect();
        let count = values.clone().count();
        let is_word = |value: &[u8]| crate::readers::words::any(value).is_some();
        let of_data = |value: &[u8]| {
            let operation = crate::readers::words::any(value);
            matches!(operation, Some(Operation::Read | Operation::Write))
        };
        let is_date = |value: &[u8]| value.len() >= 10 && value[4] == b'-' && value[7] == b'-';
        let most = numbers.iter().fold(0.0f64, |most, &value| most.max(value));
        Self {
            is_operation: count > 0 && values.clone().all(is_word) && values.clone().any(of_data),
            is_number: numbers.len() == count && numbers.iter().all(|&value| value >= 0.0),
            is_date: values.clone().all(is_date),
            has_fractions: values.clone().any(|value| value.contains(&b'.')),
            is_rising: numbers.len() == count && numbers.is_sorted(),
            is_in_sectors: numbers.iter().all(|&value| value % 512.0 == 0.0),
            first: numbers.first().copied().unwrap_or(0.0),
            most: most as u64,
            different: values.collect::<std::collections::BTreeSet<_>>().len(),
            count,
        }
    }

    fn is_time(&self) -> bool {
        self.is_date || (self.is_rising && self.different > 1 && self.most > 0)
    }

    /// A few sizes, none larger than a request.
    fn is_length(&self) -> bool {
        !self.has_fractions
            && self.most > 0
            && self.most <= 1 << 26
            && self.different <= self.count.div_ceil(2)
    }

    fn is_bytes(&self) -> bool {
        self.is_in_sectors && self.most >= 512 && !self.has_fractions
    }

    /// The time with its unit: seconds where it has fractions or stands still for many lines, otherwise
    /// the unit in which requests come at a rate nearest to a thousand a second.
    fn time_name(&self) -> String {
        if self.is_date {
            return "date".to_owned();
        }
        if self.has_fractions || self.different * 2 < self.count {
            return "time_s".to_owned();
        }
        let span = (self.most as f64 - self.first).max(1.0);
        let decades = |unit: &TimeUnit| (self.count as f64 * 1e6 / (span * unit.ns() as f64)).log10().abs();
        let units = [TimeUnit::Nanoseconds, TimeUnit::Microseconds, TimeUnit::Milliseconds];
        let nearest = units.into_iter().min_by(|one, other| decades(one).total_cmp(&decades(other)));
        format!("time_{}", nearest.unwrap_or(TimeUnit::Microseconds))
    }
}

fn number(text: &str) -> Option<f64> {
    if let Some(hex) = text.strip_prefix("0x") {
        return u64::from_str_radix(hex, 16).ok().map(|value| value as f64);
    }
    let plain = text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    if plain { text.parse().ok() } else { None }
}
