//! WiscSee: `pid D|C operation offset_bytes length_bytes time_s wait_s sync`, with discards.
//!
//! Offsets are relative to a partition and negative before it, where the partition table lies.
//! Where the beginning of the file has negative ones, all are shifted so that the lowest becomes 0,
//! and the note says so.
//!
//! Of the events one counts, as with blkparse: D (issued) where there are any, otherwise C
//! (completed). He, Kannan, Arpaci-Dusseau and Arpaci-Dusseau, "The unwritten contract of solid
//! state drives", EuroSys 2017.

use crate::error::Fault;
use crate::options::{Event, OpenOptions, TimeUnit};
use crate::readers::blkparse::chosen_event;
use crate::readers::clock::Clock;
use crate::readers::fields::{Fields, digits, missing, number, time};
use crate::readers::sink::Record;
use crate::readers::stream::{Parser, lines_of};
use crate::readers::words::operation;

/// See the module.
pub(crate) struct WiscSee {
    clock: Clock,
    event: Event,
    /// The offset that becomes 0, as a magnitude below 0.
    base_bytes: u64,
}

impl WiscSee {
    fn offset_bytes(&self, field: Option<&[u8]>) -> Result<u64, Fault> {
        if let Some(below) = field.and_then(|text| text.strip_prefix(b"-")).and_then(digits) {
            return self.base_bytes.checked_sub(below).ok_or_else(|| {
                Fault::new(format!(
                    "the offset is {below} bytes below 0, and the beginning of the file had none so low"
                ))
            });
        }
        let offset = number(field, "offset")?;
        offset
            .checked_add(self.base_bytes)
            .ok_or_else(|| Fault::new(format!("the offset {offset} exceeds 2^64 bytes")))
    }
}

impl Parser for WiscSee {
    const EXAMPLES: &'static [&'static [u8]] =
        &[b"9 D read 0 4096 0.5 0 False\n9 D discard 4096 8192 0.500001 6.9e-06 True\n"];

    const HAS_EVENTS: bool = true;

    fn start(head: &[u8], options: &OpenOptions) -> Self {
        let event_of =
            |line| Fields::new(line).word().and_then(|pid: &[u8]| Fields::new(&line[pid.len()..]).word());
        let event =
            chosen_event(options, |letter| lines_of(head).any(|line| event_of(line) == Some(&[letter][..])));
        let offset_of = |line| {
            let mut fields = Fields::new(line);
            std::iter::from_fn(move || fields.word()).nth(3)
        };
        let below = |line| offset_of(line)?.strip_prefix(b"-").and_then(digits);
        let base_bytes = lines_of(head).filter_map(below).max().unwrap_or(0);
        Self { clock: Clock::stated(options, TimeUnit::Seconds), event, base_bytes }
    }

    fn parse<'l>(&mut self, line: &'l [u8]) -> Result<Option<Record<'l>>, Fault> {
        let mut fields = Fields::new(line);
        number(fields.word(), "process number")?;
        let event = match fields.word() {
            Some(&[letter @ (b'D' | b'C')]) => letter,
            other => return Err(Fault::field("the event must be D or C", other.unwrap_or_default())),
        };
        let word = fields.word().ok_or_else(|| missing("operation"))?;
        let operation = operation(word)
            .ok_or_else(|| Fault::field("the operation must be read, write, discard or flush", word))?;
        let offset_bytes = self.offset_bytes(fields.word())?;
        let length_bytes = number(fields.word(), "length")?;
        let at_ns = time(fields.word(), self.clock.unit_ns())?;
        let record = Record::new(at_ns, operation, offset_bytes, length_bytes);
        Ok((event == self.event.letter()).then_some(record))
    }

    fn time_unit(&self) -> String {
        self.clock.to_string()
    }

    fn note(&self) -> String {
        let shift = match self.base_bytes {
            0 => String::new(),
            bytes => format!(", offsets are shifted by {bytes} bytes because some are negative"),
        };
        format!("requests are the events {}{shift}", self.event)
    }
}
