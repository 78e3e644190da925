//! The log file of nbdkit's `log` filter: what clients of a network block device asked.
//!
//! `YYYY-MM-DD hh:mm:ss.us connection=N Write id=N offset=0x... count=0x... fua=0 ...`, each
//! followed by a line `...Write id=N return=0` when it is done. The first of the two is the
//! request. Zero counts as a trim where the client allows one (`trim=1`), otherwise as a write.
//! Times are local times without a zone. nbdkit-log-filter(1), section "Log file format".

use crate::error::Fault;
use crate::operation::Operation;
use crate::options::OpenOptions;
use crate::readers::fields::{Fields, digits, hexadecimal, missing, time};
use crate::readers::sink::Record;
use crate::readers::stream::Parser;

/// See the module.
pub(crate) struct NbdkitLog;

/// Actions that are no requests for data.
const OTHERS: [&[u8]; 11] = [
    b"Connect",
    b"Disconnect",
    b"Extents",
    b"Cache",
    b"ListExports",
    b"Preconnect",
    b"Ready",
    b"Fork",
    b"Load",
    b"Unload",
    b"Cleanup",
];

impl Parser for NbdkitLog {
    const EXAMPLES: &'static [&'static [u8]] =
        &[b"2026-11-21 23:59:59.999999 connection=1 Write id=1 offset=0x1000 count=0x2000 fua=0 ...\n2026-11-22 00:00:00.000001 connection=1 ...Write id=1 return=0\n"];

    const HAS_TIME_UNIT: bool = false;

    fn start(_head: &[u8], _options: &OpenOptions) -> Self {
        Self
    }

    fn parse<'l>(&mut self, line: &'l [u8]) -> Result<Option<Record<'l>>, Fault> {
        let mut fields = Fields::new(line);
        let at_ns = time_of_day(fields.word(), fields.word())?;
        let mut action = fields.word().ok_or_else(|| missing("action"))?;
        if action.starts_with(b"connection=") {
            action = fields.word().ok_or_else(|| missing("action"))?;
        }
        let operation = match action {
            b"Read" => Operation::Read,
            b"Write" => Operation::Write,
            b"Trim" => Operation::Trim,
            b"Flush" => return Ok(Some(Record::new(at_ns, Operation::Flush, 0, 0))),
            b"Zero" if line.windows(8).any(|part| part == b" trim=1 ") => Operation::Trim,
            b"Zero" => Operation::Write,
            done if done.starts_with(b"...") => return Ok(None),
            other if OTHERS.contains(&other) => return Ok(None),
            other => {
                return Err(Fault::field(
                    "the action must be one of nbdkit's (Read, Write, Zero, ...)",
                    other,
                ));
            }
        };
        let (mut offset, mut count) = (None, None);
        while let Some(word) = fields.word() {
            offset = offset.or(word.strip_prefix(b"offset="));
            count = count.or(word.strip_prefix(b"count="));
        }
        let offset_bytes = hexadecimal(offset, "offset")?;
        let length_bytes = hexadecimal(count, "count")?;
        Ok(Some(Record::new(at_ns, operation, offset_bytes, length_bytes)))
    }

    fn time_unit(&self) -> String {
        "us".to_owned()
    }
}

/// Nanoseconds since 1970 of `YYYY-MM-DD` and `hh:mm:ss.fraction`.
pub(crate) fn time_of_day(date: Option<&[u8]>, clock: Option<&[u8]>) -> Result<u64, Fault> {
    let date = date.ok_or_else(|| missing("date"))?;
    let parts = |text, separator| {
        let mut fields = Fields::new(text);
        [fields.until(separator), fields.until(separator), fields.until(separator)]
    };
    let [year, month, day] = parts(date, b'-').map(|part| part.and_then(digits));
    let days = match (year, month, day) {
        (Some(year @ 1970..=2500), Some(month @ 1..=12), Some(day @ 1..=31)) => {
            days_since_1970(year, month, day)
        }
        _ => return Err(Fault::field("the line must begin with a date YYYY-MM-DD", date)),
    };
    let clock = clock.ok_or_else(|| missing("time"))?;
    let [hour, minute, second] = parts(clock, b':');
    match (hour.and_then(digits), minute.and_then(digits)) {
        (Some(hour @ 0..=23), Some(minute @ 0..=59)) => {
            let second_ns = time(second, 1_000_000_000)?;
            Ok((days * 86_400 + hour * 3_600 + minute * 60) * 1_000_000_000 + second_ns.min(61_000_000_000))
        }
        _ => Err(Fault::field("the date must be followed by a time hh:mm:ss.us", clock)),
    }
}

/// Days from 1 January 1970 to a day of the Gregorian calendar.
fn days_since_1970(year: u64, month: u64, day: u64) -> u64 {
    // Years that begin in March have their leap day at the end.
    let (year, month) = if month < 3 { (year - 1, month + 9) } else { (year, month - 3) };
    let leap_days = year / 4 - year / 100 + year / 400;
    year * 365 + leap_days + (month * 153 + 2) / 5 + day - 1 - 719_468
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_follow_the_calendar() {
        let ns = |date: &str, clock: &str| time_of_day(Some(date.as_bytes()), Some(clock.as_bytes())).ok();
        assert_eq!(ns("1970-01-01", "00:00:00.000001"), Some(1000));
        assert_eq!(ns("2000-02-29", "12:00:00"), Some(951_825_600_000_000_000));
        assert_eq!(ns("2026-11-21", "07:57:13.951862"), Some(1_795_247_833_951_862_000));
        assert_eq!(ns("2026-13-01", "00:00:00"), None);
        assert_eq!(ns("2026-01-01", "24:00:00"), None);
    }
}
