//! Text of blkparse: `major,minor cpu sequence time_s pid action letters sector + sectors
//! [process]`, then summaries.
//!
//! A request shows up several times on its way. Only one event counts: the one chosen, otherwise
//! the first of D (issued to the device), Q (queued) and C (completed) that the beginning of the
//! file has. Each device is a volume, named `major_minor`.

use crate::error::Fault;
use crate::options::{Event, OpenOptions, TimeUnit};
use crate::readers::clock::Clock;
use crate::readers::fields::{Fields, digits, missing, number, sectors, time};
use crate::readers::sink::Record;
use crate::readers::stream::{Parser, lines_of};
use crate::readers::words::kernel_letters;

/// See the module.
pub(crate) struct BlkParse {
    clock: Clock,
    event: Event,
    in_summary: bool,
    /// Times count from the first event that blkparse read.
    from_first: bool,
}

/// Times of events before the first one count down from here: blkparse takes the difference modulo
/// 2^64 ns, and prints its seconds modulo 2^32.
const BEFORE_FIRST_NS: u64 = 1_266_874_889_709_551_616;
/// How long before the first event another may be: processors are logged one after another.
const EARLIEST_NS: u64 = 3_600_000_000_000;
/// Times from here on, 34 years, are of a calendar.
const CALENDAR_NS: u64 = 1 << 60;

impl BlkParse {
    /// A time on a clock that begins [`EARLIEST_NS`] before the first event, so that none is negative.
    fn on_clock(&self, printed_ns: u64) -> u64 {
        if !self.from_first {
            return printed_ns;
        }
        let before = [BEFORE_FIRST_NS.wrapping_sub(printed_ns), printed_ns.wrapping_neg()].into_iter().min();
        match before {
            Some(before @ 1..=EARLIEST_NS) => EARLIEST_NS - before,
            _ => printed_ns.saturating_add(EARLIEST_NS),
        }
    }
}

/// The event that counts, by choice or by what the head has.
pub(crate) fn chosen_event(options: &OpenOptions, occurs: impl Fn(u8) -> bool) -> Event {
    let present = || Event::ALL.into_iter().find(|event| occurs(event.letter()));
    options.event.or_else(present).unwrap_or(Event::Issued)
}

impl Parser for BlkParse {
    const EXAMPLES: &'static [&'static [u8]] =
        &[b"  8,16   0        1     0.000000100  53  Q   R 8 + 16 [java]\n  8,16   0        2     0.000000200  53  D   R 8 + 16 [java]\n"];

    const HAS_EVENTS: bool = true;

    fn start(head: &[u8], options: &OpenOptions) -> Self {
        let action_of = |line| {
            let mut fields = Fields::new(line);
            std::iter::from_fn(move || fields.word()).nth(5)
        };
        let event =
            chosen_event(options, |letter| lines_of(head).any(|line| action_of(line) == Some(&[letter][..])));
        let clock = Clock::stated(options, TimeUnit::Seconds);
        let time_of = |line| {
            let mut fields = Fields::new(line);
            time(std::iter::from_fn(move || fields.word()).nth(3), clock.unit_ns()).ok()
        };
        let from_first = options.time_unit.is_none()
            && lines_of(head).filter_map(time_of).any(|at_ns| at_ns < CALENDAR_NS);
        Self { clock, event, in_summary: false, from_first }
    }

    fn parse<'l>(&mut self, line: &'l [u8]) -> Result<Option<Record<'l>>, Fault> {
        self.in_summary |= line.starts_with(b"CPU") || line.starts_with(b"Total (");
        if self.in_summary {
            return Ok(None);
        }
        let mut fields = Fields::new(line);
        let device = fields.word().unwrap_or_default();
        let mut halves = Fields::new(device);
        if halves.until(b',').and_then(digits).is_none() || halves.until(b',').and_then(digits).is_none() {
            return Err(Fault::field("the line must begin with a device as major,minor", device));
        }
        number(fields.word(), "processor")?;
        number(fields.word(), "sequence number")?;
        let at_ns = self.on_clock(time(fields.word(), self.clock.unit_ns())?);
        number(fields.word(), "process number")?;
        let action = fields.word().ok_or_else(|| missing("action"))?;
        if action != [self.event.letter()] {
            if action.len() > 2 || !action.iter().all(u8::is_ascii_alphabetic) {
                return Err(Fault::field("the action must be one or two letters", action));
            }
            return Ok(None);
        }
        let letters = fields.word().ok_or_else(|| missing("letters of the request"))?;
        if !letters.iter().all(u8::is_ascii_uppercase) {
            return Err(Fault::field("the letters of the request must be capitals", letters));
        }
        // Without `sector + sectors` it moves no data: a flush, or a command passed through.
        let Some(sector) = fields.word().filter(|word| digits(word).is_some()) else {
            return Ok(kernel_letters(letters, false)
                .map(|operation| Record::new(at_ns, operation, 0, 0).on(device)));
        };
        match fields.word() {
            Some(b"+") => {}
            Some(other) if other.starts_with(b"(") || other.starts_with(b"[") => return Ok(None),
            other => return Err(Fault::field("the sector must be followed by +", other.unwrap_or_default())),
        }
        let offset_bytes = sectors(Some(sector), "sector")?;
        let length_bytes = sectors(fields.word(), "number of sectors")?;
        let operation = kernel_letters(letters, length_bytes > 0);
        Ok(operation.map(|operation| Record::new(at_ns, operation, offset_bytes, length_bytes).on(device)))
    }

    fn time_unit(&self) -> String {
        self.clock.to_string()
    }

    fn note(&self) -> String {
        format!("requests are the events {}", self.event)
    }
}
